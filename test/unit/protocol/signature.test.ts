// Ed25519 against the test vectors of RFC 8032, section 7.1, and against Node's own implementation.
import {
  createPrivateKey,
  createPublicKey,
  sign as nodeSign,
  verify as nodeVerify,
} from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toBase64Url, toHex } from '../../../main/lib/bytes.ts';
import { publicKeyOfSeed, sign, verify } from '../../../main/protocol/signature.ts';

const bytes = (hex: string) => fromHex(hex) ?? new Uint8Array();
const seedBytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('signatures', () => {
  it.each([
    [
      '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      '',
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    ],
    [
      '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
      '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      '72',
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    ],
  ])('agree with RFC 8032 for the seed %s', (seed, key, message, signature) => {
    expect(toHex(publicKeyOfSeed(bytes(seed)))).toBe(key);
    expect(toHex(sign(bytes(message), bytes(seed)))).toBe(signature);
    expect(verify(bytes(signature), bytes(message), bytes(key))).toBe(true);
  });

  it('agree with an independent implementation in both directions', () => {
    fc.assert(
      fc.property(seedBytes, fc.uint8Array({ maxLength: 100 }), (seed, message) => {
        const key = publicKeyOfSeed(seed);
        const jwk = { kty: 'OKP', crv: 'Ed25519', d: toBase64Url(seed), x: toBase64Url(key) };
        expect(
          nodeVerify(
            null,
            message,
            createPublicKey({ key: jwk, format: 'jwk' }),
            sign(message, seed),
          ),
        ).toBe(true);
        const theirs = new Uint8Array(
          nodeSign(null, message, createPrivateKey({ key: jwk, format: 'jwk' })),
        );
        expect(verify(theirs, message, key)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('hold for one message and one key only', () => {
    fc.assert(
      fc.property(
        seedBytes,
        fc.uint8Array({ minLength: 1, maxLength: 50 }),
        fc.nat(511),
        (seed, message, bit) => {
          const key = publicKeyOfSeed(seed);
          const signature = sign(message, seed);
          const broken = signature.slice();
          const at = bit >> 3;
          broken[at] = (broken[at] ?? 0) ^ (1 << (bit & 7));
          expect(verify(broken, message, key)).toBe(false);
          expect(verify(signature, concatBytes(message, message), key)).toBe(false);
          expect(verify(signature, message, publicKeyOfSeed(seed.map((byte) => byte ^ 1)))).toBe(
            false,
          );
        },
      ),
      { numRuns: 20 },
    );
  });

  it('of the wrong length or by a point that is no key are false, never an exception', () => {
    const key = publicKeyOfSeed(new Uint8Array(32));
    for (const length of [0, 63, 65])
      expect(verify(new Uint8Array(length), new Uint8Array(1), key)).toBe(false);
    expect(verify(new Uint8Array(64), new Uint8Array(1), new Uint8Array(31))).toBe(false);
    expect(
      verify(new Uint8Array(64).fill(0xff), new Uint8Array(1), new Uint8Array(32).fill(0xff)),
    ).toBe(false);
  });

  it('by the small-order key, which would hold for any message, are refused', () => {
    const smallOrderKey = bytes(`01${'00'.repeat(31)}`);
    const signature = concatBytes(smallOrderKey, new Uint8Array(32));
    expect(verify(signature, new Uint8Array([1, 2, 3]), smallOrderKey)).toBe(false);
  });
});
