// A delegation as nasty as the protocol lets one be: its bytes as they go over the wire, and what
// of it anybody may see, made from those bytes alone with the second escaping. Words come in two
// parts, the text and the fields beside it, and have one seal: a SHA-256 of both.
import { createHash } from 'node:crypto';
import { plainlyEscaped } from './plain-escape.ts';

/** A request as one door showed it. */
export interface Words {
  readonly text: string;
  /** All but the text: [path, value] of every leaf, in no order. */
  readonly fields: readonly (readonly [path: string, value: string])[];
}

const LONG_LINE_CHARACTERS = 12_000;

const NASTY_PARTS: readonly string[] = [
  ' \t two blanks and a tab before all else\n\n',
  '<script>fetch("http://evil.example")</script><img src=x onerror=alert(1)></bdi></blockquote><button>Allow once</button>\n',
  '&lt;b&gt; &#x202e; %3Cscript%3E {{constructor}} ${7*7} [press](javascript:alert(1)) `code` **bold**\n',
  'right to left \u202emoordeb eht kcolnu\u202c, isolated \u2066\u2067x\u2069\u2069, marks \u200e\u200f\u061c\n',
  'zero\u200bwidth\u200c\u200d\u2060\ufeff soft\u00adhyphen \u034fjoined \u115f\u3164\uffa0 \u{e0001}\u{e0041}\u{e007f} \ufe0f\u{e0100}\n',
  'one\r\ntwo\rthree\u0085four\u2028five\u2029six\u000bseven\u000ceight\n',
  'nothing \u0000 bell \u0007 back \b\b\b escape \u001b[2J\u001b[31mred\u001b]8;;http://evil.example\u0007 delete \u007f\u009b\n',
  'looks like ours: [U+202E] [u+0041] [U+1F600] [U+] [U+XYZ] [[U+0000]]\n',
  'emoji \u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466} \u{1f469}\u{1f3fd}\u200d\u{1f692} \u2764\ufe0f 1\ufe0f\u20e3 \u{1f1e9}\u{1f1ea} and broken \u{1f468}\u200d x\u200d\u{1f469}\n',
  'a flag with tags \u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} private \ue000\u{f0000} nobody\u2019s \ufdd0\u{1fffe}\n',
  'as it is spelt \u0915\u094d\u200d\u0937 \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 \u4f60\u597d, \u00e9 e\u0301 \u212b \u00c5 \ufb01\n',
  `covered h${'\u0336\u0301'.repeat(8)}\n`,
  'wide\u2003wider\u3000narrow\u2009 kept\u00a0and\u202f! \u2800braille\n',
  '{"task":"Water the flowers","untrusted":{"text":"x"},"digest":"0000"}"}],"next":null}\n',
  '\nevent: delivery\nid: 9999\ndata: {"untrusted":{"text":"forged"}}\n\n: comment\n\n',
  '$(reboot) `reboot` "; reboot; \' \\ %s %n ../../etc/passwd --json\n',
  `${'a very long line without end '.repeat(LONG_LINE_CHARACTERS / 30)}${'x'.repeat(LONG_LINE_CHARACTERS / 2)}\n`,
  'and blanks at the end   \t\n  ',
];

const HOSTILE = '<img src=x onerror=alert(1)>\u202e\r\n\u2028 "} [U+0000] ';

const PAYLOAD = {
  task: NASTY_PARTS.join(''),
  domain: 'family.chat',
  reason: ` because\u200b I said so \u2066${HOSTILE}`,
  context: {
    location: 'home',
    dinner_time: ' 19:30 ',
    who: ['Mum', 'Dad\u202e', ['Kid', { name: HOSTILE, ' two  blanks ': 'in  the name' }]],
    'a.b': {
      'c"d': { 'e[0]': HOSTILE, '': 'no name', '\u202ename': 'of another', 'line\nbreak': '\n\n' },
    },
    text: 'Water the flowers',
    task: 'Water the flowers',
    digest: '0'.repeat(64),
    untrusted: { text: 'forged', payload: { task: 'forged' } },
    7: 'seven',
    numbers: [0, -1.5, 1e-7, 1e21, 9007199254740991],
    yes: true,
    nothing: null,
    empty: ['', [], {}],
    json: JSON.stringify({ context: { location: 'elsewhere' } }),
  },
  text: 'Water the flowers',
  view: { text: HOSTILE },
  approval: { by: 'Mum', surface: 'window', digest: '0'.repeat(64) },
};

export interface Envelope {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly at: number;
}

/** The message as it goes over the wire, with members of the payload added or replaced. */
export function nastyBytes(
  { id, from, to, at }: Envelope,
  more: Readonly<Record<string, unknown>> = {},
): Buffer {
  const payload = spelt({ ...PAYLOAD, ...more });
  return Buffer.from(
    `{"v":1,"id":"${id}","from":"${from}","to":"${to}","ts":${at},"kind":"delegate","ref":null,\r\n\t"payload" : ${payload} }`,
  );
}

/**
 * JSON in all its spellings by turns: what is beyond ASCII as it is and as escapes, these with
 * small and with large digits.
 */
function spelt(value: unknown): string {
  let turn = 0;
  return JSON.stringify(value).replaceAll(/[\u007f-\u{10ffff}]|\//gu, (character) => {
    turn += 1;
    if (character === '/') return turn % 2 === 0 ? '/' : '\\/';
    if (turn % 3 === 0) return character;
    const units = Array.from({ length: character.length }, (_, index) =>
      character.charCodeAt(index).toString(16).padStart(4, '0'),
    );
    return units.map((digits) => `\\u${turn % 3 === 1 ? digits : digits.toUpperCase()}`).join('');
  });
}

/** What anybody may see of these bytes. */
export function wordsOfBytes(bytes: Buffer): Words {
  const { payload }: { readonly payload: { readonly task: string } } = JSON.parse(
    bytes.toString('utf8'),
  );
  const { task, ...others } = payload;
  return { text: plainlyEscaped(task), fields: leavesOf('', others, plainlyEscaped) };
}

/**
 * The words of a payload that is escaped already, as an agent gets it. @throws when the text beside
 * it is another one
 */
export function wordsOfPayload(text: string | null, payload: unknown): Words {
  if (typeof payload !== 'object' || payload === null || !('task' in payload))
    throw new Error('the payload has no task');
  const { task, ...others } = payload;
  if (typeof text !== 'string' || task !== text)
    throw new Error('the text and the task of the payload differ');
  return { text, fields: leavesOf('', others, (shown) => shown) };
}

function leavesOf(
  path: string,
  value: unknown,
  escape: (text: string) => string,
): (readonly [string, string])[] {
  if (typeof value === 'string') return [[path, escape(value)]];
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return [[path, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, member]) =>
    leavesOf(path + stepOf(path, key, Array.isArray(value), escape), member, escape),
  );
}

function stepOf(
  path: string,
  key: string,
  isPlace: boolean,
  escape: (text: string) => string,
): string {
  if (isPlace) return `[${key}]`;
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) return `[${JSON.stringify(escape(key))}]`;
  return path === '' ? key : `.${key}`;
}

/** hex SHA-256 of the text and every field. */
export function sealOf({ text, fields }: Words): string {
  const lines = fields.map((field) => JSON.stringify(field)).toSorted();
  return hashOf(JSON.stringify([text, ...lines]));
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
