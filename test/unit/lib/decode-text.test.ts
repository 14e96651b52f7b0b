// Text of any form that people and programs write, read whole or line by line, and written back.
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readHookInput } from '../../../main/cli/hook-input.ts';
import {
  decodeText,
  encodeText,
  LineReader,
  type TextForm,
} from '../../../main/lib/decode-text.ts';

const FORMS: readonly TextForm[] = (['utf-8', 'utf-16le', 'utf-16be'] as const).flatMap(
  (encoding) => [
    { encoding, hasMark: true },
    { encoding, hasMark: false },
  ],
);
const TEXT = 'one "€" 😀\r\ntwo\rthree\n\nfour';

function linesOf(bytes: Uint8Array, pieceBytes: number, lineMaxBytes = 1_000) {
  const reader = new LineReader(lineMaxBytes);
  const lines = [];
  for (let at = 0; at < bytes.byteLength; at += pieceBytes)
    lines.push(...reader.push(bytes.subarray(at, at + pieceBytes)));
  return [...lines, ...reader.end()];
}

describe.each(FORMS)('a text in $encoding, with a mark: $hasMark', (form) => {
  test('is read whole, and written back byte for byte', () => {
    const bytes = encodeText(TEXT, form);
    expect(decodeText(bytes)).toEqual({ ok: true, value: { text: TEXT, form } });
  });

  test('is what another program tells on standard input', async () => {
    const bytes = encodeText('{"tool_name":"Bash €"}\r\n', form);
    const input = Object.assign(Readable.from([bytes]), { isTTY: false });
    expect(await readHookInput(input as unknown as NodeJS.ReadStream)).toEqual({
      tool_name: 'Bash €',
    });
  });

  test.each([1, 2, 3, 7, 1_000])('is read by lines from pieces of %i bytes', (pieceBytes) => {
    const lines = linesOf(encodeText(TEXT, form), pieceBytes);
    expect(lines.map(({ text }) => text)).toEqual(['one "€" 😀', 'two', 'three', '', 'four']);
    expect(lines.map(({ number, flaw }) => [number, flaw])).toEqual(
      [1, 2, 3, 4, 5].map((number) => [number, null]),
    );
  });
});

test('an empty text is one, and has no lines', () => {
  expect(decodeText(new Uint8Array(0))).toMatchObject({ ok: true, value: { text: '' } });
  expect(linesOf(new Uint8Array(0), 1)).toEqual([]);
});

test.each<[string, Buffer, string]>([
  [
    'Latin letters of one byte',
    Buffer.from('ok\r\nna\xefve', 'latin1'),
    'is not UTF-8 at line 2, column 3',
  ],
  ['half a character', Buffer.from([0x61, 0xe2, 0x82]), 'is not UTF-8 at line 1, column 2'],
  ['half a unit', Buffer.from([0xff, 0xfe, 0x61, 0x00, 0x62]), 'is not UTF-16 at line 1, column 2'],
  [
    'half a pair',
    Buffer.from([0xfe, 0xff, 0x00, 0x61, 0xd8, 0x00]),
    'is not UTF-16 at line 1, column 2',
  ],
  ['zeros', Buffer.from('a😀\0b'), 'holds a zero character at line 1, column 3, so it is no text'],
  [
    'UTF-32',
    Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]),
    'holds a zero character at line 1, column 1, so it is no text',
  ],
])('%s are refused with their place, and nothing is replaced', (_name, bytes, flaw) => {
  expect(decodeText(bytes)).toEqual({ ok: false, error: flaw });
});

test('a line that is no text, or too long, costs itself only', () => {
  const bytes = Buffer.concat([
    Buffer.from('good\nna\xefve\n', 'latin1'),
    Buffer.from(`${'x'.repeat(50)}\ngood again`),
  ]);
  for (const pieceBytes of [1, 5, 1_000])
    expect(linesOf(bytes, pieceBytes, 20)).toEqual([
      { number: 1, text: 'good', flaw: null, isCut: false },
      { number: 2, text: 'na\ufffdve', flaw: 'is not UTF-8', isCut: false },
      { number: 3, text: 'x'.repeat(20), flaw: 'is longer than 20 bytes', isCut: true },
      { number: 4, text: 'good again', flaw: null, isCut: false },
    ]);
});
