// The ids that an endpoint gives its ends of connections, and knows again.
import { expect, it } from 'vitest';
import { SystemRandom } from '../../../../main/adapters/clock/system-clock.ts';
import { ConnectionIds } from '../../../../main/adapters/quic/connection-ids.ts';
import { CONNECTION_ID_LENGTH_BYTES } from '../../../../main/adapters/quic/limits.ts';

const random = new SystemRandom();

it('an endpoint knows its own ids, however many it gave since, and no other endpoint’s', () => {
  const [ids, others] = [new ConnectionIds(random), new ConnectionIds(random)];
  const given = Array.from({ length: 1_000 }, () => ids.mint());
  expect(given.every((id) => id.length === CONNECTION_ID_LENGTH_BYTES && ids.isOurs(id))).toBe(
    true,
  );
  expect(new Set(given.map((id) => Buffer.from(id).toString('hex'))).size).toBe(given.length);
  expect(given.some((id) => others.isOurs(id))).toBe(false);
});

it('an id that was changed, cut or made up is nobody’s', () => {
  const ids = new ConnectionIds(random);
  const id = ids.mint();
  for (let index = 0; index < id.length; index += 1)
    expect(ids.isOurs(id.map((byte, at) => (at === index ? byte ^ 1 : byte)))).toBe(false);
  for (const other of [new Uint8Array(), id.subarray(1), Uint8Array.of(...id, 0)])
    expect(ids.isOurs(other)).toBe(false);
  expect(ids.isOurs(random.bytes(CONNECTION_ID_LENGTH_BYTES))).toBe(false);
});
