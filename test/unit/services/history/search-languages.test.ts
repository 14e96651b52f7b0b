// Finding what was said in any script: what people type finds it, and what only looks alike to a
// reader of another script does not. Through the index, as people search.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Parties } from '../../../../main/services/tasks/parties.ts';
import { Search } from '../../../../main/services/history/search.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../fakes/memory-store.ts';
import { messageRow } from '../../../fakes/sample-rows.ts';
import { story } from '../../../fakes/stories.ts';

interface Sample {
  readonly language: string;
  readonly said: string;
  readonly finds: readonly string[];
  readonly misses: readonly string[];
}

const sample = (
  language: string,
  said: string,
  finds: readonly string[],
  misses: readonly string[],
): Sample => ({ language, said, finds, misses });

const JOINER = '\u200D';
const NON_JOINER = '\u200C';

const SAMPLES: readonly Sample[] = [
  sample(
    'Japanese',
    'パパがサーバーを再起動した。ジョン・スミスさんの家族写真、時々ね',
    [
      'サーバー',
      'サーバ',
      'ーバー',
      'ｻｰﾊﾞｰ',
      'サーハ\u3099ー',
      'パパ',
      'ﾊﾟﾊﾟ',
      '再起動',
      '起動した',
    ]
      .concat([
        'ジョン・スミス',
        'ジョンスミス',
        '家族写真',
        '家',
        '時々',
        '"を再起動"',
        '起動 写真',
      ])
      .concat(['パパがサーバーを再起動した。ジョン・スミスさんの家族写真']),
    ['ハハ', 'ババ', 'サハー', 'バーサ', '再動', '族家', 'サーパー', '家写', 'ぱぱ'],
  ),
  sample(
    'Chinese',
    '今天晚上七点在北京大学吃饭',
    ['晚上', '北京', '京大', '大学吃饭', '七点'],
    ['京北', '北大', '上晚', '天津'],
  ),
  sample(
    'Chinese with digits',
    '明天7點在２０８室開會',
    ['7點', '208室', '開會', '208'],
    ['8室開', '會開'],
  ),
  sample(
    'Korean',
    '학교에서 저녁을 먹었다',
    ['학교', '교에서', '저녁', '학교'.normalize('NFD'), '먹었'],
    ['학생', '교학'],
  ),
  sample(
    'Thai',
    'วันนี้กินข้าวเย็นที่บ้านตอนเจ็ดโมง',
    ['ข้าวเย็น', 'บ้าน', 'กินข้าว', 'ที่บ้าน', 'วันนี้'],
    ['เข้าวย', 'บาน', 'ขาว', 'นี่'],
  ),
  sample('Lao', 'ມື້ນີ້ກິນເຂົ້າແລງຢູ່ເຮືອນ', ['ເຂົ້າແລງ', 'ເຮືອນ', 'ຢູ່ເຮືອນ'], ['ເຂາແລງ', 'ນເຮືອ']),
  sample(
    'Khmer',
    'អាហារពេលល្ងាចនៅផ្ទះម៉ោង៧',
    ['ល្ងាច', 'ផ្ទះ', 'ពេលល្ងាច', `នៅ\u200Bផ្ទះ`],
    ['លងាច', 'ផទះ'],
  ),
  sample('Burmese', 'ညစာကိုအိမ်မှာစားမယ်', ['ညစာ', 'အိမ်', 'အိမ်မှာ', 'စားမယ်'], ['အမ်', 'စာည']),
  sample('Tibetan', 'དགོང་ཟས་ཆུ་ཚོད་བདུན', ['དགོང་ཟས', 'བདུན', 'ཆུ་ཚོད'], ['དགང', 'ཚོད་ཆུ']),
  sample(
    'Hindi',
    'दिन में काम है, क्\u200Dष और ड़',
    ['दिन', 'काम', 'क्ष', '\u0921\u093C', `का${JOINER}म`],
    ['दान', 'दन', 'कम', 'द', 'ड'],
  ),
  sample(
    'Bengali',
    'রাতের খাবার সাতটায়, উৎসব',
    ['খাবার', 'রাতের', 'উত্\u200Dসব', 'সাতটায\u09BC'],
    ['খবর', 'রতের', '"সাতটায"'],
  ),
  sample('Tamil', 'இரவு உணவு ஏழு மணிக்கு', ['உணவு', 'மணிக்கு', 'ஏழு'], ['"உணவ"', 'மணக்கு']),
  sample('Malayalam', 'അവൻ വീട്ടിൽ', ['വീട്ടിൽ', 'വീട്ടില്\u200D', 'അവന്\u200D'], ['വീട്ടല്', 'അവൾ']),
  sample('Sinhala', 'ශ්\u200Dරී ලංකාව', ['ශ්රී', 'ශ්\u200Dරී', 'ලංකාව'], ['ශරී', 'ලකව']),
  sample(
    'Arabic',
    'العَشَاءُ في السّاعة ٧ مع أحمد وآمال ومحـــمد',
    ['العشاء', 'الساعة', 'احمد', 'أحمد', '7', '٧', 'ومحمد', 'وامال'],
    ['"العشا"', 'احمر', 'الساعه', 'حمد'],
  ),
  sample(
    'Persian',
    'می\u200Cخواهم کتاب را ببینم ساعت ۷',
    ['میخواهم', 'می\u200Cخواهم', 'كتاب', 'مي\u200Cخواهم', 'ساعت 7', NON_JOINER + 'کتاب'],
    ['خواهم', 'کتب'],
  ),
  sample('Urdu', 'رات کا کھانا سات بجے', ['کھانا', 'سات', 'بجے'], ['کھانہ', 'ست']),
  sample('Hebrew', 'שָׁלוֹם לְכֻלָּם, צה״ל', ['שלום', 'לכלם', 'שָׁלוֹם', 'צה״ל'], ['שלם', 'לכולם']),
  sample(
    'Turkish',
    'IŞIK ve İstanbul için ılık çay',
    ['ışık', 'isik', 'ISIK', 'istanbul', 'İSTANBUL', 'ılık', 'cay'],
    ['aşık', 'stanbul'],
  ),
  sample(
    'German',
    'Die Straße nach Köln heißt anders, Donau\u00ADdampf',
    ['strasse', 'STRASSE', 'STRAẞE', 'koln', 'KÖLN', 'heisst', 'donaudampf'],
    ['strase', 'koeln', 'dampf'],
  ),
  sample(
    'French',
    'L’élève a mangé sa crème brûlée, cœur',
    ['eleve', "l'eleve", 'CRÈME', 'brulee', 'coeur', 'e\u0301le\u0300ve'],
    ['leve', 'creme brule '],
  ),
  sample('Polish', 'Łódź jest piękna', ['lodz', 'ŁÓDŹ', 'piekna'], ['lod ', 'pękna']),
  sample(
    'Danish',
    'Ødegård spiser rødgrød på Ærø',
    ['ødegård', 'odegard', 'RØDGRØD', 'ærø'],
    ['degard', 'rodgrad'],
  ),
  sample(
    'Vietnamese',
    'Bữa tối lúc bảy giờ ở Đường Láng',
    ['bữa tối', 'bua toi', 'BẢY', 'duong', 'đường'],
    ['bưu', 'tôm'],
  ),
  sample(
    'Greek',
    'Το δείπνο είναι στις ΕΠΤΑ, ο ΟΔΟΣ',
    ['δειπνο', 'ΔΕΊΠΝΟ', 'επτά', 'οδος', 'οδός'],
    ['δεινο', 'οδον'],
  ),
  sample(
    'Russian',
    'Ужин в семь, всё готово',
    ['ужин', 'УЖИН', 'все', 'всё', 'готов'],
    ['ужен', 'ужи '],
  ),
  sample(
    'Ukrainian',
    'Вечеря о сьомій, м\u02BCята і їжа',
    ["м'ята", 'м’ята', 'їжа'],
    ['мята', 'вичеря'],
  ),
  sample('Armenian', 'ԸՆԹՐԻՔԸ յոթին, և տուն', ['ընթրիքը', 'Յոթին', 'եւ'], ['ընթրքը']),
  sample('Georgian', 'ვახშამი შვიდზე', ['ვახშამი', 'ᲕᲐᲮᲨᲐᲛᲘ', 'შვიდზე'], ['ვხშამი']),
  sample('Amharic', 'እራት በሰባት ሰዓት ነው', ['እራት', 'ሰዓት', 'በሰባ'], ['ራት', 'ሰዐት']),
  sample('Fulani in Adlam', '𞤀𞤁𞤂𞤀𞤃', ['𞤢𞤣𞤤𞤢𞤥', '𞤀𞤁𞤂'], ['𞤁𞤂𞤀']),
  sample('full-width Latin', 'ＡＸＯＮ　Ｈｕｂ', ['axon', 'hub', 'ＨＵＢ'], ['xon']),
];

let store: TemporaryStore;
let search: Search;

beforeAll(async () => {
  store = openTemporaryStore();
  const clock = new ManualClock();
  await store.write((tables) => {
    for (const { language, said } of SAMPLES)
      tables.insertMessage(
        messageRow({
          messageId: language,
          kind: 'notify',
          ref: null,
          taskId: null,
          payload: JSON.stringify({ data: said }),
        }),
      );
  });
  while (await store.write((tables) => tables.tendSearch(32)));
  const parties = new Parties({ store, clock, hubName: () => 'Mum', personName: () => null });
  search = new Search({
    store,
    clock,
    parties,
    conversations: { decision: () => undefined },
    tasks: { story: () => story() },
  });
});
afterAll(() => store.close());

const isFound = (typed: string, { said }: Sample): boolean =>
  search.find(typed, { limit: 50 }).items.some(({ seq }) => SAMPLES[seq - 1]?.said === said);

it.each(SAMPLES)('finds in $language what people type, and nothing else', (of) => {
  expect(of.finds.filter((typed) => !isFound(typed, of))).toEqual([]);
  expect(of.misses.filter((typed) => isFound(typed, of))).toEqual([]);
});

it('marks what was found, as one piece where it is a part of a run', () => {
  const marked = (typed: string): readonly string[] =>
    search
      .find(typed, { limit: 50 })
      .items.flatMap(({ snippet }) => snippet.flatMap(([text, isHit]) => (isHit ? [text] : [])));
  expect(marked('サーバー')).toEqual(['サーバー']);
  expect(marked('บ้าน')).toEqual(['บ้าน']);
  expect(marked('대학')).toEqual([]);
  expect(marked('학교')).toEqual(['학교']);
  expect(marked('दिन')).toEqual(['दिन']);
  expect(marked('STRASSE')).toEqual(['Straße']);
});
