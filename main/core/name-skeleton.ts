// What a name looks like, so that two names a person could take for each other are found. After the
// idea of Unicode's UTS #39, with the look-alikes a household meets: letters of other alphabets
// shaped like Latin ones, digits like letters, marks, spaces, capitals. A skeleton is only compared
// with another one; it is never shown.

/**
 * Each letter of the first text looks like the one below it in the second. Lower case throughout;
 * the shapes of capitals count too.
 */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map([
  // Cyrillic
  ...pairs(
    '\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0456\u0458\u0455\u04cf\u0501\u051b\u051d',
    'abekmhopctyxljsldqw',
  ),
  // Greek
  ...pairs(
    '\u03b1\u03b2\u03b5\u03b6\u03b7\u03b9\u03ba\u03bc\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7',
    'abezhlkmnoptyx',
  ),
  // Armenian
  ...pairs('\u0570\u0578\u057d\u0585', 'hnuo'),
  // Latin itself: dotless and long letters, digits, letters with a stroke or a hook, small capitals
  ...pairs('01|i\u0131\u017f\u0251\u0261', 'ollllsag'),
  // Kana and ideographs; letters and digits of Arabic and Persian
  ...pairs('力口二工夕卜八一へべぺり', 'カロニエタトハーヘベペリ'),
  ...pairs('\u06cc\u0649\u06a9\u06c1\u06d5', '\u064a\u064a\u0643\u0647\u0647'),
  ...pairs('۰۱۲۳۷۸۹', '٠١٢٣٧٨٩'),
  ...pairs(
    '\u0111\u00f0\u0256\u0257\u0253\u0199\u0188\u0280\u0262\u026a\u0274\u028f\u0299\u029c\u029f',
    'ddddbkcrglnybhl',
  ),
]);
/** Two letters that run into the shape of one. */
const MERGED: readonly (readonly [RegExp, string])[] = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/cl/g, 'd'],
];
const IGNORED = /[\u0300-\u036f\p{Punctuation}\p{Separator}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Equal for two names that look alike. Expects a name that escapeName shows; anything else gives
 * some text, never an exception.
 */
export function nameSkeleton(name: string): string {
  const folded = name.normalize('NFKD').toLowerCase().replaceAll(IGNORED, '');
  const shapes = Array.from(folded, (character) => LOOK_ALIKES.get(character) ?? character).join(
    '',
  );
  return MERGED.reduce((text, [letters, shape]) => text.replaceAll(letters, shape), shapes);
}

function pairs(letters: string, shapes: string): readonly (readonly [string, string])[] {
  return Array.from(letters, (letter, index): readonly [string, string] => [
    letter,
    shapes[index] ?? letter,
  ]);
}
