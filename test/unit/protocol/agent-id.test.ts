import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../main/lib/bytes.ts';
import { agentIdOfKeyHex, isAgentId, readAgentId } from '../../../main/protocol/agent-id.ts';

describe('agent ids', () => {
  it('are the prefix and half of the SHA-256 of the key, 40 characters', () => {
    // printf '%064d' 0 | xxd -r -p | sha256sum
    expect(agentIdOfKeyHex('00'.repeat(32))).toBe('ed25519.66687aadf862bd776c8fc18b8e9f8e20');
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (key) => {
        const id = agentIdOfKeyHex(toHex(key));
        expect(id).toBe(`ed25519.${createHash('sha256').update(key).digest('hex').slice(0, 32)}`);
        expect(id).toHaveLength(40);
        expect(isAgentId(id)).toBe(true);
      }),
    );
  });

  it.each(['', '00'.repeat(31), '00'.repeat(33), 'AB'.repeat(32), 'zz'.repeat(32)])(
    'are made of nothing but a key: %j',
    (keyHex) => {
      expect(() => agentIdOfKeyHex(keyHex)).toThrow();
    },
  );

  const id = `ed25519.${'ab'.repeat(16)}`;
  it.each([
    id.toUpperCase(),
    `${id}a`,
    id.slice(0, -1),
    `ed448.${'ab'.repeat(16)}`,
    'ab'.repeat(16),
    ` ${id}`,
    `${id}\n`,
    '',
  ])('on the wire are lower case and whole, unlike %j', (text) => {
    expect(isAgentId(text)).toBe(false);
  });

  it('may be typed by a person in either case, with spaces around', () => {
    expect(readAgentId(` ED25519.${'AB'.repeat(16)} `)).toBe(id);
    expect(readAgentId('mum')).toBeUndefined();
    expect(readAgentId(`${id}0`)).toBeUndefined();
  });
});
