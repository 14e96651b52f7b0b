// Trust by the whole key: one commit, which no suspension of the same moment is undone by, and
// which claims nothing that did not happen.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TrustedKey } from '../../../../main/services/links/key-trust.ts';
import { PEERS_MAX } from '../../../../main/services/links/limits.ts';
import { type HubStack, PERSON } from '../../../fakes/hub-stack.ts';
import { StackHouse } from '../../../support/stack-house.ts';
import { pinOf } from '../../../fakes/sample-rows.ts';

const KEY = '7f'.repeat(32);
const attic = (name: string | null = null): TrustedKey => ({
  keyHex: KEY,
  host: '192.0.2.7',
  port: 7100,
  name,
  way: 'share_token',
});

let house: StackHouse;
let hub: HubStack;

beforeEach(async () => {
  house = new StackHouse();
  hub = await house.hub('Dad');
});
afterEach(() => house.close());

it('does not undo a suspension that is made at the same moment', async () => {
  await hub.keyTrust.add(attic('Attic'), PERSON);
  const suspending = hub.directory.update(KEY, { trust: 'suspended' }, PERSON);
  await expect(hub.keyTrust.add(attic(), PERSON)).rejects.toMatchObject({
    code: 'conflict',
    message: 'Attic is suspended here.',
  });
  await suspending;
  expect([hub.store.read.peer(KEY)?.trust, hub.directory.trustOf(KEY)]).toEqual([
    'suspended',
    'suspended',
  ]);
});

it('says nothing of when a hub was last seen that was never connected', async () => {
  await hub.keyTrust.add(attic(), PERSON);
  expect(hub.store.read.peer(KEY)).toMatchObject({
    trust: 'paired',
    staticHost: '192.0.2.7',
    staticPort: 7100,
    lastSeenAt: null,
  });
});

it('takes the name that comes with it, also for a key that has another one', async () => {
  await hub.keyTrust.add(attic('Attic'), PERSON);
  expect(await hub.keyTrust.add(attic('Loft'), PERSON)).toMatchObject({ name: 'Loft' });
  expect(await hub.keyTrust.add(attic(), PERSON)).toMatchObject({ name: 'Loft' });
  expect(hub.store.read.peer(KEY)?.petname).toBe('Loft');
});

it('leaves nothing behind when it is refused', async () => {
  await hub.store.write((tables) => {
    for (let number = 0; number < PEERS_MAX; number++) {
      const key = number.toString(16).padStart(64, '0');
      hub.directory.pinInside(tables, pinOf(key, `Hub no ${number}`));
    }
  });
  await expect(hub.keyTrust.add(attic('Attic'), PERSON)).rejects.toMatchObject({
    code: 'overloaded',
  });
  await expect(hub.keyTrust.add({ ...attic(), keyHex: hub.key }, PERSON)).rejects.toMatchObject({
    code: 'bad_request',
  });
  expect(hub.directory.staticHub(KEY)).toBeUndefined();
  expect(hub.store.read.getMeta('static_hubs') ?? '[]').toBe('[]');
});
