// How long texts stand in the database: deflated, and short ones as they are, in a form that zlib
// reads as well.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { deflated, inflated } from '../../../fakes/long-text.ts';

const bytesOf = (text: string): Uint8Array => {
  const bytes = deflated(text);
  return bytes instanceof Uint8Array ? bytes : expect.fail('not bytes');
};
const HUNDRED = 'The gate is closed. '.repeat(5);

it.each(['{}', HUNDRED, 'ä'.repeat(127), 'a'.repeat(255), 'a'.repeat(256), HUNDRED.repeat(100)])(
  'what is written is read again, by zlib, too (%#)',
  (text) => {
    expect(inflated(bytesOf(text))).toBe(text);
    expect(inflateRawSync(bytesOf(text)).toString()).toBe(text);
  },
);

it('a short text is kept as it is, a longer one deflated', () => {
  expect(Buffer.from(bytesOf(HUNDRED)).toString('latin1')).toContain(HUNDRED);
  expect(bytesOf(HUNDRED.repeat(3)).byteLength).toBeLessThan(100);
});

it('what zlib wrote is read, whatever its length', () => {
  for (const text of ['{}', HUNDRED, 'a'.repeat(1_000)])
    for (const level of [0, 9]) expect(inflated(deflateRawSync(text, { level }))).toBe(text);
});

it('a short text whose length was changed reads as damaged', () => {
  for (const at of [1, 2]) {
    const bytes = bytesOf(HUNDRED).slice();
    bytes[at] = 7;
    expect(inflated(bytes)).toBe('\ufffd');
  }
});
