// The mathematics of pairing against the published test vector, and the payloads of its steps.
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toBase64Url, toHex } from '../../../main/lib/bytes.ts';
import { invitationId, invitationMac } from '../../../main/protocol/invitation.ts';
import {
  abortPayload,
  answerPayload,
  commitment,
  confirmMessage,
  confirmPayload,
  digitsOf,
  frame,
  newOffer,
  parsePairStep,
  readPairMeta,
  revealPayload,
  transcript,
} from '../../../main/protocol/pairing.ts';

const sha256 = (text: string) => new Uint8Array(createHash('sha256').update(text).digest());

// PROTOCOL.md, Pairing: the test vector.
const pid = sha256('pid').slice(0, 16);
const keyI = sha256('ikI');
const keyR = sha256('ikR');
const nonceI = sha256('nI');
const nonceR = sha256('nR');
const metaI = { hub: 'Dad MacBook', person: 'Dad' };
const metaR = { hub: 'Mum PC', person: 'Mum' };
const commit = commitment({ pid, key: keyI, meta: metaI, nonce: nonceI });
const vector = { pid, keyI, metaI, keyR, metaR, commit, nonceR, nonceI };

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

describe('the test vector', () => {
  it('gives its commitment, transcript and digits bit for bit', () => {
    expect(toHex(commit)).toBe('80b58386baa936f04b04582f7125ae2941695f3a00d9f4acfb2fb41dd4430d1f');
    expect(toHex(transcript(vector))).toBe(
      '893e8d28bcce85aa6c96de44aec3b9bd9b98f915510b62018d5a5b56afdc65f9',
    );
    expect(digitsOf(transcript(vector))).toEqual({ six: '754416', two: '44' });
  });

  it('does not depend on the order in which a meta was written', () => {
    expect(
      toHex(
        commitment({ pid, key: keyI, meta: { person: 'Dad', hub: 'Dad MacBook' }, nonce: nonceI }),
      ),
    ).toBe(toHex(commit));
  });
});

describe('the transcript', () => {
  it('changes with every single part, so that a relay with keys of its own cannot keep the digits', () => {
    const original = toHex(transcript(vector));
    for (const change of [
      { pid: sha256('other').slice(0, 16) },
      { keyI: sha256('relay') },
      { keyR: sha256('relay') },
      { metaI: { ...metaI, platform: 'linux' } },
      { metaR: {} },
      { commit: sha256('other') },
      { nonceI: sha256('other') },
      { nonceR: sha256('other') },
    ]) {
      expect(toHex(transcript({ ...vector, ...change }))).not.toBe(original);
    }
    expect(
      toHex(
        transcript({
          ...vector,
          keyI: keyR,
          metaI: metaR,
          nonceI: nonceR,
          keyR: keyI,
          metaR: metaI,
          nonceR: nonceI,
        }),
      ),
    ).not.toBe(original);
  });

  it('covers members of a meta that nobody shows', () => {
    expect(
      toHex(commitment({ pid, key: keyI, meta: { ...metaI, later: [1] }, nonce: nonceI })),
    ).not.toBe(toHex(commit));
  });

  it('gives digits of fixed width', () => {
    fc.assert(
      fc.property(bytes(32), (value) => {
        const { six, two } = digitsOf(value);
        expect(six).toMatch(/^\d{6}$/);
        expect(two).toMatch(/^\d{2}$/);
      }),
    );
  });
});

describe('frames', () => {
  it('put four bytes of length before each part', () => {
    expect(toHex(frame('A', new Uint8Array([1, 2]), ''))).toBe('000000014100000002010200000000');
  });

  it('are never the same for two lists of parts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 6 }), { maxLength: 4 }),
        fc.array(fc.uint8Array({ maxLength: 6 }), { maxLength: 4 }),
        (a, b) => {
          const same = JSON.stringify(a.map(toHex)) === JSON.stringify(b.map(toHex));
          expect(toHex(frame(...a)) === toHex(frame(...b))).toBe(same);
        },
      ),
    );
  });

  it('keep the confirmations of the two roles apart', () => {
    const value = transcript(vector);
    expect(toHex(confirmMessage('I', value))).not.toBe(toHex(confirmMessage('R', value)));
  });
});

describe('steps', () => {
  it('come out of their own payloads', () => {
    const base = { pid, pidText: toBase64Url(pid) };
    const offer = newOffer({ pid, key: keyI, meta: metaI, nonce: nonceI });
    const signature = new Uint8Array(64).fill(7);
    expect(toHex(offer.commit)).toBe(toHex(commit));
    expect(parsePairStep(offer.payload)).toEqual({
      ok: true,
      value: { ...base, step: 'offer', meta: metaI, commit, invite: null },
    });
    expect(parsePairStep(answerPayload(pid, metaR, nonceR))).toEqual({
      ok: true,
      value: { ...base, step: 'answer', meta: metaR, nonce: nonceR },
    });
    expect(parsePairStep(revealPayload(pid, nonceI))).toEqual({
      ok: true,
      value: { ...base, step: 'reveal', nonce: nonceI },
    });
    expect(parsePairStep(confirmPayload(pid, signature))).toEqual({
      ok: true,
      value: { ...base, step: 'confirm', sig: signature, mac: null },
    });
    expect(parsePairStep(abortPayload(pid, 'the digits were wrong'))).toEqual({
      ok: true,
      value: { ...base, step: 'abort', reason: 'the digits were wrong' },
    });
  });

  it('carry a commitment that only the revealed nonce opens', () => {
    const offer = newOffer({ pid, key: keyI, meta: metaI, nonce: nonceI });
    expect(JSON.stringify(offer.payload)).not.toContain(toBase64Url(nonceI));
    expect(toHex(commitment({ pid, key: keyI, meta: metaI, nonce: nonceR }))).not.toBe(
      toHex(offer.commit),
    );
  });

  const offer = newOffer({ pid, key: keyI, meta: metaI, nonce: nonceI }).payload;
  it.each([
    ['no step', { pid: offer.pid }, '"step" must be'],
    ['an unknown step', { ...offer, step: 'accept' }, '"step" must be'],
    ['no pid', { ...offer, pid: undefined }, '"pid" must be 16 bytes'],
    [
      'a pid of 15 bytes',
      { ...offer, pid: toBase64Url(new Uint8Array(15)) },
      '"pid" must be 16 bytes',
    ],
    ['a padded pid', { ...offer, pid: `${toBase64Url(pid)}==` }, '"pid" must be 16 bytes'],
    [
      'a pid with loose bits at its end',
      { ...offer, pid: `${toBase64Url(new Uint8Array(16)).slice(0, -1)}B` },
      '"pid" must be 16 bytes',
    ],
    ['a pid in the other alphabet', { ...offer, pid: '+'.repeat(22) }, '"pid" must be 16 bytes'],
    [
      'a short commitment',
      { ...offer, commit: toBase64Url(new Uint8Array(31)) },
      '"commit" must be 32 bytes',
    ],
    ['no meta', { ...offer, meta: undefined }, '"meta" must be a JSON object'],
    ['a list as meta', { ...offer, meta: [] }, '"meta" must be a JSON object'],
    ['a number as a name', { ...offer, meta: { hub: 7 } }, '"meta.hub" must be text'],
    [
      'a meta of 1,025 bytes',
      { ...offer, meta: { hub: 'x'.repeat(1015) } },
      '"meta" is longer than 1024 bytes',
    ],
    [
      'a short nonce',
      { step: 'reveal', pid: offer.pid, nonce: toBase64Url(new Uint8Array(16)) },
      '"nonce" must be 32 bytes',
    ],
    [
      'a short signature',
      { step: 'confirm', pid: offer.pid, sig: toBase64Url(new Uint8Array(32)) },
      '"sig" must be 64 bytes',
    ],
  ])('are refused with a sentence: %s', (_name, payload, reason) => {
    expect(parsePairStep(payload)).toEqual({
      ok: false,
      error: expect.stringContaining(reason) as string,
    });
  });

  it('never throw, whatever the payload', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('step', 'pid', 'meta', 'nonce', 'commit', 'sig', 'reason'),
          fc.jsonValue(),
        ),
        (payload) => {
          expect(typeof parsePairStep(payload).ok).toBe('boolean');
        },
      ),
    );
  });

  it('cut a reason to 200 characters, and mark it', () => {
    const step = parsePairStep({ step: 'abort', pid: offer.pid, reason: 'x'.repeat(10_000) });
    expect(step).toMatchObject({ ok: true, value: { reason: `${'x'.repeat(199)}…` } });
    expect(parsePairStep({ step: 'abort', pid: offer.pid })).toMatchObject({
      ok: true,
      value: { reason: '' },
    });
  });
});

describe('a meta', () => {
  it('shows hub, person and platform where they are text', () => {
    expect(readPairMeta({ ...metaI, other: 1 })).toEqual({
      hub: 'Dad MacBook',
      person: 'Dad',
      platform: null,
    });
    expect(readPairMeta({ hub: '' })).toEqual({ hub: null, person: null, platform: null });
  });
});

describe('an invitation', () => {
  const secret = createHash('sha256').update('secret').digest().subarray(0, 16);
  const sealed = Buffer.from(
    '893e8d28bcce85aa6c96de44aec3b9bd9b98f915510b62018d5a5b56afdc65f9',
    'hex',
  );

  it('gives the codes of the test vector of PROTOCOL.md', () => {
    expect(toHex(invitationId(secret))).toBe('f4716279e01df41d4b42f0e5aa99dabb');
    expect(toHex(invitationMac(secret, 'I', sealed))).toBe(
      'bbfb855b1a5248142a6ab8a91f175244d30b7c835aba9dd29c6d8bc5f9f7890a',
    );
    expect(toHex(invitationMac(secret, 'R', sealed))).toBe(
      '1ade80743cf84985c9d14497c529a900a0f43f4e88418f58cb2713a0518a781b',
    );
  });

  it('adds its id to the offer and its code to the confirmation, each of its own length', () => {
    const pid = new Uint8Array(16);
    const { payload } = newOffer(
      { pid, key: new Uint8Array(32), meta: {}, nonce: new Uint8Array(32) },
      invitationId(secret),
    );
    expect(parsePairStep(payload)).toMatchObject({
      ok: true,
      value: { invite: invitationId(secret) },
    });
    expect(parsePairStep({ ...payload, invite: 'AAAA' })).toMatchObject({ ok: false });
    const mac = invitationMac(secret, 'I', sealed);
    const confirmed = confirmPayload(pid, new Uint8Array(64), mac);
    expect(parsePairStep(confirmed)).toMatchObject({ ok: true, value: { mac } });
    expect(parsePairStep({ ...confirmed, mac: 7 })).toMatchObject({ ok: false });
  });
});
