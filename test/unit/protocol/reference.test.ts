// The words of the reference profile: its envelope, and the mapping to our own kinds and back, for
// every message there can be.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8 } from '../../../main/lib/bytes.ts';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { FEATURES, KINDS } from '../../../main/protocol/kinds.ts';
import * as payloads from '../../../main/protocol/payloads.ts';
import {
  encodeReferenceEnvelope,
  parseReferenceEnvelope,
} from '../../../main/protocol/reference/reference-envelope.ts';
import {
  answerOf,
  assumedAnswer,
  CARRIED_REQUESTS,
  carriedOf,
  declinesHello,
  noticeOf,
  REFERENCE_FEATURES,
  replyToReference,
  requestOf,
  toReference,
} from '../../../main/protocol/reference/reference-mapping.ts';

const ID = '3f0c1f5e-8f53-4b6e-9a53-0d8a1c5b7e21';
const uuid = fc.uuid({ version: 4 });
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype', 'axon_kind']);
const key = fc
  .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
  .filter((text) => !FORBIDDEN.has(text));
const leaf = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const value = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 4 }),
  fc.dictionary(key, leaf, { maxKeys: 4 }),
);
const payload: fc.Arbitrary<JsonObject> = fc.dictionary(key, value, { maxKeys: 6 });
const message = (kinds: readonly string[]) =>
  fc.record({
    id: uuid,
    kind: fc.constantFrom(...kinds),
    ref: fc.option(uuid, { nil: null }),
    payload,
  });

const overTheWire = (envelope: Parameters<typeof encodeReferenceEnvelope>[0]) => {
  const text = encodeReferenceEnvelope(envelope);
  const parsed = parseReferenceEnvelope(utf8(text));
  if (!parsed.ok) throw new Error(parsed.error.reason);
  return { text, envelope: parsed.value.envelope };
};

function required<T>(found: T | undefined): T {
  if (found === undefined) throw new Error('nothing came of it');
  return found;
}

describe('the envelope', () => {
  it('has four members at most, in ASCII, and reads back as it was', () => {
    fc.assert(
      fc.property(message(['request', 'response', 'message', 'error']), (given) => {
        const { text, envelope } = overTheWire(given);
        expect(text).toMatch(/^[\x20-\x7e]*$/);
        expect(
          Object.keys(JSON.parse(text) as object).every((name) =>
            ['id', 'kind', 'ref', 'payload'].includes(name),
          ),
        ).toBe(true);
        expect(envelope).toEqual(given);
      }),
    );
  });

  it.each([
    ['a message of our own', { v: 1, id: ID, kind: 'request', payload: {} }],
    ['an id that is none', { id: 'x', kind: 'request', payload: {} }],
    ['no id', { kind: 'request', payload: {} }],
    ['a kind that is no word', { id: ID, kind: 'two words', payload: {} }],
    ['a ref that is none', { id: ID, kind: 'request', ref: 7, payload: {} }],
    ['no payload', { id: ID, kind: 'request' }],
    ['a list as payload', { id: ID, kind: 'request', payload: [] }],
    ['a list', []],
  ])('refuses %s', (_what, given) => {
    expect(parseReferenceEnvelope(utf8(JSON.stringify(given))).ok).toBe(false);
  });

  it('refuses what every message is refused for, and says which message it was', () => {
    expect(
      parseReferenceEnvelope(utf8(`{"id":"${ID}","kind":"request","payload":{"a":1,"a":2}}`)),
    ).toMatchObject({
      ok: false,
      error: { id: ID, kind: 'request' },
    });
    expect(parseReferenceEnvelope(new Uint8Array([0xff])).ok).toBe(false);
  });

  it('never throws, whatever came', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.json().map(utf8)), (bytes) => {
        expect(typeof parseReferenceEnvelope(bytes).ok).toBe('boolean');
      }),
    );
  });
});

describe('our messages in its words', () => {
  it('come back as they were: every request', () => {
    fc.assert(
      fc.property(message([...CARRIED_REQUESTS]), (given) => {
        const carried = required(toReference(given));
        expect(carried.kind).toBe('request');
        expect(requestOf(overTheWire(carried).envelope)).toEqual(given);
      }),
    );
  });

  it('come back as they were: every one-way message, whatever its ref', () => {
    fc.assert(
      fc.property(message(['notify', 'result', 'error']), fc.boolean(), (given, reportsOn) => {
        const carried = required(toReference(given));
        expect(carried.kind).toBe(given.kind === 'error' ? 'error' : 'message');
        expect(noticeOf(overTheWire(carried).envelope, reportsOn)).toEqual(given);
      }),
    );
  });

  it('come back as they were: every reply to a request of ours', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CARRIED_REQUESTS),
        payload,
        fc.boolean(),
        (kind, body, isError) => {
          const asked = required(toReference({ id: ID, kind, ref: null, payload: {} }));
          const reply = {
            kind: isError ? 'error' : (KINDS[kind as 'query'].reply as string),
            payload: body,
          };
          const carried = replyToReference(ID, asked, reply);
          expect(carried.ref).toBe(ID);
          expect(answerOf(kind, overTheWire(carried).envelope)).toEqual(reply);
        },
      ),
    );
  });

  it('are none for hello, pair and kinds that nobody knows', () => {
    for (const kind of ['hello', 'pair', 'request', 'nonsense'])
      expect(toReference({ id: ID, kind, ref: null, payload: {} })).toBe(undefined);
  });
});

describe('its messages in our words', () => {
  it('are a query for every plain request, with all that it says', () => {
    fc.assert(
      fc.property(payload, fc.string({ minLength: 1 }), (body, words) => {
        const plain = { ...body, message: words };
        const asked = required(requestOf({ id: ID, kind: 'request', ref: null, payload: plain }));
        expect(asked).toMatchObject({ kind: 'query', payload: { question: words } });
        expect({ ...asked.payload, message: words, question: body['question'] }).toEqual({
          question: undefined,
          ...plain,
        });
      }),
    );
  });

  it('are a query with the whole payload as its question where there are no words', () => {
    fc.assert(
      fc.property(fc.dictionary(key, fc.integer()), (body) => {
        const asked = required(requestOf({ id: ID, kind: 'request', ref: null, payload: body }));
        const read = payloads.parseQuery(asked.payload);
        expect(read.ok && JSON.parse(read.value.question)).toEqual({ ...body });
      }),
    );
  });

  it('are a notify of axon.message for every plain message, and a result when it is about a delegation', () => {
    fc.assert(
      fc.property(payload, (body) => {
        const told = { id: ID, kind: 'message', ref: ID, payload: body };
        const notice = required(noticeOf(told, false));
        expect(notice).toMatchObject({
          kind: 'notify',
          payload: { topic: 'axon.message', data: body },
        });
        expect(payloads.parseNotify(notice.payload).ok).toBe(true);
        const result = required(noticeOf(told, true));
        expect(result).toMatchObject({ kind: 'result', ref: ID, payload: { status: 'completed' } });
        expect(payloads.parseResult(result.payload).ok).toBe(true);
      }),
    );
  });

  it('answer a query in plain words, and nothing else in plain words', () => {
    fc.assert(
      fc.property(payload, (body) => {
        const told = { id: ID, kind: 'message', ref: ID, payload: body };
        expect(payloads.parseResponse(required(answerOf('query', told)).payload).ok).toBe(true);
        expect(answerOf('discover', told)).toBe(undefined);
        expect(answerOf('query', { ...told, kind: 'request' })).toBe(undefined);
      }),
    );
  });

  it('answer a query by a result too, failed or not', () => {
    const told = (result: JsonObject) => ({
      id: ID,
      kind: 'message',
      ref: ID,
      payload: { axon_kind: 'result', ...result },
    });
    expect(answerOf('query', told({ status: 'completed', outcome: 'Yes' }))).toMatchObject({
      payload: { summary: 'Yes' },
    });
    expect(
      answerOf('query', told({ status: 'failed', error: 'No', code: 'rejected' })),
    ).toMatchObject({
      kind: 'error',
      payload: { code: 'rejected', message: 'No' },
    });
  });

  it('are nothing for a kind it cannot ask or tell', () => {
    for (const kind of ['hello', 'pair', 'response', 'nonsense', 7, null]) {
      expect(requestOf({ id: ID, kind: 'request', ref: null, payload: { axon_kind: kind } })).toBe(
        undefined,
      );
      expect(
        noticeOf({ id: ID, kind: 'message', ref: null, payload: { axon_kind: kind } }, true),
      ).toBe(undefined);
    }
    expect(noticeOf({ id: ID, kind: 'response', ref: null, payload: {} }, true)).toBe(undefined);
  });
});

describe('what stands for an answer', () => {
  it('reads as the reply of its kind, and is nothing where an answer has to be waited for', () => {
    expect(payloads.parsePong(required(assumedAnswer('ping')).payload).ok).toBe(true);
    for (const kind of ['delegate', 'cancel']) {
      expect(payloads.parseAck(required(assumedAnswer(kind)).payload)).toMatchObject({
        ok: true,
        value: { accepted: true },
      });
    }
    for (const kind of ['query', 'discover']) expect(assumedAnswer(kind)).toBe(undefined);
  });

  it('is credited with the optional kinds that one of its own kinds carries, and with no kind that is new', () => {
    expect(new Set(REFERENCE_FEATURES)).toEqual(
      new Set(['delegate', 'ack', 'result', 'cancel', 'discover', 'capabilities']),
    );
    expect(carriedOf([...FEATURES, 'memo'])).toEqual(REFERENCE_FEATURES);
  });

  it('declines hello by three codes and no other', () => {
    const error = (code: unknown) => ({ id: ID, kind: 'error', ref: ID, payload: { code } });
    for (const code of ['unknown_kind', 'unsupported_kind', 'unhandled'])
      expect(declinesHello(error(code))).toBe(true);
    for (const code of ['not_authorized', 'internal', null, 7])
      expect(declinesHello(error(code))).toBe(false);
    expect(declinesHello({ ...error('unhandled'), kind: 'response' })).toBe(false);
  });
});
