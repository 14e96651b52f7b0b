// Valid messages for the tests of the wire format, and arbitrary ones for properties.
import * as fc from 'fast-check';
import type { Envelope } from '../../../main/protocol/envelope.ts';
import { canonicalJson } from '../../../main/lib/canonical-json.ts';

export const ALICE = `ed25519.${'a1'.repeat(16)}`;
export const BOB = `ed25519.${'b2'.repeat(16)}`;
export const MESSAGE_ID = '3f0c1f5e-8f53-4b6e-9a53-0d8a1c5b7e21';
export const OTHER_ID = '9b2d6a34-1c7f-4e0a-8b11-5f6e7d8c9a00';

export function envelope(change: Partial<Envelope> = {}): Envelope {
  const payload = { question: 'What is on the family calendar this week?' };
  return {
    v: 1,
    id: MESSAGE_ID,
    from: ALICE,
    to: BOB,
    ts: 1_771_108_000_000,
    kind: 'query',
    ref: null,
    payload,
    ...change,
  };
}

const jsonText = fc.string({ unit: 'grapheme', maxLength: 20 });
const key = jsonText.filter(
  (text) => !['__proto__', 'constructor', 'prototype', 'toString', 'toJSON'].includes(text),
);
const { payloadValue } = fc.letrec((tie) => ({
  payloadValue: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    jsonText,
    fc.integer(),
    fc
      .double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 })
      .map((number) => (number === 0 ? 0 : number)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('payloadValue'), { maxLength: 5 }),
    fc.dictionary(key, tie('payloadValue'), { maxKeys: 5 }),
  ),
}));

/** Plain data as a parser gives it: ordinary objects. */
export const arbitraryPayload = fc
  .dictionary(key, payloadValue, { maxKeys: 6 })
  .map(
    (payload) =>
      JSON.parse(canonicalJson(JSON.parse(JSON.stringify(payload)))) as Readonly<
        Record<string, unknown>
      >,
  );

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const arbitraryId = fc.uuid({ version: 4 });
const arbitraryAgentId = hex(32).map((digits) => `ed25519.${digits}`);
export const arbitraryEnvelope: fc.Arbitrary<Envelope> = fc.record({
  v: fc.constant(1),
  id: arbitraryId,
  from: arbitraryAgentId,
  to: arbitraryAgentId,
  ts: fc.integer({ min: 0, max: 8_640_000_000_000_000 }),
  kind: fc.constantFrom('query', 'delegate', 'notify', 'ping', 'x-unknown', 'axon.other_1'),
  ref: fc.option(arbitraryId),
  payload: arbitraryPayload,
});
