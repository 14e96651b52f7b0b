// Bytes to envelopes and back.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../main/lib/app-error.ts';
import { utf8 } from '../../../main/lib/bytes.ts';
import { contentDigest } from '../../../main/protocol/content-digest.ts';
import { encodeEnvelope } from '../../../main/protocol/encode-envelope.ts';
import { KINDS } from '../../../main/protocol/kinds.ts';
import { ENVELOPE_SIZE_MAX_BYTES } from '../../../main/protocol/limits.ts';
import { isMessageId } from '../../../main/protocol/message-id.ts';
import { parseEnvelope } from '../../../main/protocol/parse-envelope.ts';
import {
  ALICE,
  arbitraryEnvelope,
  arbitraryPayload,
  BOB,
  envelope,
  MESSAGE_ID,
  OTHER_ID,
} from './envelopes.ts';

function parseFields(fields: Readonly<Record<string, unknown>>) {
  return parseEnvelope(utf8(JSON.stringify(fields)));
}

function refusal(change: Readonly<Record<string, unknown>>) {
  const result = parseFields({ ...envelope(), ...change });
  return result.ok ? { reason: 'accepted', id: null, kind: null } : result.error;
}

describe('round trip', () => {
  it('gives back every envelope as it was, through ASCII only', () => {
    fc.assert(
      fc.property(arbitraryEnvelope, (original) => {
        const text = encodeEnvelope(original);
        expect(text).toMatch(/^[\x20-\x7e]*$/);
        expect(parseEnvelope(utf8(text))).toEqual({
          ok: true,
          value: { envelope: original, raw: text },
        });
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the raw text exactly as it came: order, spaces, unknown fields, other spellings', () => {
    const text = ` {"payload":{"question":"\\u00fc \u00fc","extra":[1e3]},"future":{"x":1},"kind":"query","ts":1,"to":"${BOB}","from":"${ALICE}","id":"${MESSAGE_ID}","v":1}\n`;
    const expected = envelope({ ts: 1, payload: { question: 'ü ü', extra: [1000] } });
    expect(parseEnvelope(utf8(text))).toEqual({
      ok: true,
      value: { envelope: expected, raw: text },
    });
  });

  it('reads an absent ref as null', () => {
    const { ref: _ref, ...fields } = envelope();
    expect(parseFields(fields)).toMatchObject({ ok: true, value: { envelope: { ref: null } } });
  });

  it('passes kinds it does not know, with or without a payload', () => {
    const { payload: _payload, ...fields } = envelope({ kind: 'teleport' });
    expect(parseFields(fields)).toMatchObject({
      ok: true,
      value: { envelope: { kind: 'teleport', payload: {} } },
    });
    expect(parseFields({ ...fields, payload: { a: 1 } })).toMatchObject({
      ok: true,
      value: { envelope: { payload: { a: 1 } } },
    });
  });

  it('lets exactly the kinds without a payload leave it out', () => {
    const mayLeaveOut = Object.keys(KINDS).filter((kind) => {
      const { payload: _payload, ...fields } = envelope({ kind });
      return parseFields(fields).ok;
    });
    expect(mayLeaveOut).toEqual(['ping', 'discover']);
  });
});

describe('refusals', () => {
  it.each([
    ['another version', { v: 2 }, '"v" must be 1'],
    ['a version as text', { v: '1' }, '"v" must be 1'],
    ['no version', { v: undefined }, '"v" must be 1'],
    ['an upper-case id', { id: MESSAGE_ID.toUpperCase() }, '"id" must be'],
    ['a UUID of version 1', { id: '3f0c1f5e-8f53-1b6e-9a53-0d8a1c5b7e21' }, '"id" must be'],
    ['a UUID of another variant', { id: '3f0c1f5e-8f53-4b6e-7a53-0d8a1c5b7e21' }, '"id" must be'],
    ['an id with something after it', { id: `${MESSAGE_ID}\n` }, '"id" must be'],
    ['a number as id', { id: 7 }, '"id" must be'],
    ['an upper-case sender', { from: ALICE.toUpperCase() }, '"from" must be'],
    ['a sender of another type', { from: ALICE.replace('ed25519', 'ed448') }, '"from" must be'],
    ['an untyped sender', { from: 'a1'.repeat(16) }, '"from" must be'],
    ['no receiver', { to: null }, '"to" must be'],
    ['a fraction as time', { ts: 1.5 }, '"ts" must be'],
    ['a time before 1970', { ts: -1 }, '"ts" must be'],
    ['a time no calendar can show', { ts: 8_640_000_000_000_001 }, '"ts" must be'],
    ['a time as text', { ts: '2026-02-14' }, '"ts" must be'],
    ['an empty kind', { kind: '' }, '"kind" must be'],
    ['a kind of two words', { kind: 'query me' }, '"kind" must be'],
    ['a kind of 65 characters', { kind: 'k'.repeat(65) }, '"kind" must be'],
    ['a kind with hidden characters', { kind: 'query\u200b' }, '"kind" must be'],
    ['a ref that is no id', { ref: 'the last one' }, '"ref" must be'],
    ['a ref of another type', { ref: 0 }, '"ref" must be'],
    ['a list as payload', { payload: [] }, '"payload" of a query must be'],
    ['null as payload', { payload: null }, '"payload" of a query must be'],
    ['text as payload', { payload: '{}' }, '"payload" of a query must be'],
    ['no payload', { payload: undefined }, '"payload" of a query must be'],
  ])('name what is wrong: %s', (_name, change, reason) => {
    expect(refusal(change).reason).toContain(reason);
  });

  it.each(['[]', '"query"', 'null', '7'])('refuse %s, which is no object', (text) => {
    expect(parseEnvelope(utf8(text))).toEqual({
      ok: false,
      error: { reason: 'a message is one JSON object', id: null, kind: null },
    });
  });

  it('say which message they refuse, when its id and kind can be read', () => {
    expect(refusal({ ts: 'now' })).toMatchObject({ id: MESSAGE_ID, kind: 'query' });
    expect(refusal({ payload: { a: Number.MAX_SAFE_INTEGER + 1 } })).toMatchObject({
      id: MESSAGE_ID,
      kind: 'query',
    });
    expect(refusal({ id: 'x' })).toMatchObject({ id: null, kind: 'query' });
    expect(refusal({ kind: 'k k' })).toMatchObject({ id: MESSAGE_ID, kind: null });
    expect(parseEnvelope(new Uint8Array([0xff]))).toMatchObject({
      error: { id: null, kind: null },
    });
  });

  it('PW-12 (envelope): the largest message passes, one byte more does not, and neither do two documents', () => {
    const empty = encodeEnvelope(envelope({ payload: { question: '' } })).length;
    const text = encodeEnvelope(
      envelope({ payload: { question: 'x'.repeat(ENVELOPE_SIZE_MAX_BYTES - empty) } }),
    );
    expect(text).toHaveLength(65_536);
    expect(parseEnvelope(utf8(text)).ok).toBe(true);
    expect(parseEnvelope(utf8(`${text} `)).ok).toBe(false);
    const small = encodeEnvelope(envelope());
    expect(parseEnvelope(utf8(small + small)).ok).toBe(false);
    expect(parseEnvelope(utf8(`${small}trailing`)).ok).toBe(false);
  });

  it('PW-14 (envelope): depth, keys and numbers of a payload are refused with the id of the message', () => {
    const withPayload = (payload: string) =>
      encodeEnvelope(envelope()).replace(/"payload":.*$/, `"payload":${payload}}`);
    const payloads = [
      `{"a":${'['.repeat(32_000)}${']'.repeat(32_000)}}`,
      `${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`,
      `{${Array.from({ length: 5000 }, (_, index) => `"k${index}":0`).join()}}`,
      '{"deadline_ms":1e999}',
      '{"deadline_ms":9007199254740993}',
      '{"deadline_ms":-0}',
    ];
    for (const payload of payloads) {
      expect(parseEnvelope(utf8(withPayload(payload)))).toMatchObject({
        ok: false,
        error: { id: MESSAGE_ID, kind: 'query' },
      });
    }
  });
});

describe('encoding', () => {
  it('refuses what is too large, counting each other character as its escape', () => {
    const payload = { question: 'é'.repeat(11_000) };
    expect(() => encodeEnvelope(envelope({ payload }))).toThrow(
      expect.objectContaining({ code: 'payload_too_large', failedBy: 'input' }),
    );
  });

  it.each([
    ['half a surrogate pair', { question: 'a\ud800' }],
    ['an integer that would change', { question: 'a', data: 2 ** 60 }],
    ['33 levels', { question: 'a', data: JSON.parse('['.repeat(32) + ']'.repeat(32)) as unknown }],
    [
      'a key that reaches into prototypes',
      JSON.parse('{"__proto__":{}}') as Record<string, unknown>,
    ],
  ])('refuses what no hub would take: %s', (_name, payload) => {
    expect(() => encodeEnvelope(envelope({ payload }))).toThrow(AppError);
  });

  it('writes an emoji as the two escapes of its pair', () => {
    expect(encodeEnvelope(envelope({ payload: { question: '😀' } }))).toContain('"\\ud83d\\ude00"');
  });
});

describe('message ids', () => {
  it('are UUIDs of version 4 in lower case', () => {
    fc.assert(
      fc.property(
        fc.uuid({ version: 4 }),
        fc.uuid({ version: [1, 2, 3, 5, 6, 7, 8] }),
        (id, other) => {
          expect(isMessageId(id)).toBe(true);
          expect(isMessageId(other)).toBe(false);
        },
      ),
    );
  });
});

describe('content digest', () => {
  it('is the same however the JSON was spelt, and covers nothing but kind, ref and payload', () => {
    fc.assert(
      fc.property(arbitraryEnvelope, (original) => {
        const respelt: unknown = JSON.parse(
          JSON.stringify(Object.fromEntries(Object.entries(original.payload).reverse()), null, 2),
        );
        const copy = {
          ...original,
          id: OTHER_ID,
          from: BOB,
          to: ALICE,
          ts: 0,
          payload: respelt as Record<string, unknown>,
        };
        expect(contentDigest(copy)).toBe(contentDigest(original));
        expect(contentDigest(original)).toMatch(/^[0-9a-f]{64}$/);
      }),
    );
  });

  it('differs when anything in kind, ref or payload does', () => {
    fc.assert(
      fc.property(arbitraryEnvelope, arbitraryPayload, (original, other) => {
        const digest = contentDigest(original);
        expect(contentDigest({ ...original, kind: `${original.kind}x` })).not.toBe(digest);
        expect(
          contentDigest({ ...original, ref: original.ref === null ? MESSAGE_ID : null }),
        ).not.toBe(digest);
        expect(
          contentDigest({ ...original, payload: { ...original.payload, another_member: other } }),
        ).not.toBe(digest);
      }),
    );
  });

  it('is the SHA-256 of the canonical text, as another implementation would compute it', () => {
    // printf '%s' '{"kind":"query","payload":{"question":"x"},"ref":null}' | sha256sum
    expect(contentDigest(envelope({ payload: { question: 'x' } }))).toBe(
      '0741068728af0eeaea4a08eb23e20c67fa26bad7f041b3fda2e42e2604344844',
    );
  });
});
