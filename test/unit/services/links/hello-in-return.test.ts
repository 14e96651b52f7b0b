// What a dial may come to before its hello is answered: a hello in return, an old trouble.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HubStack } from '../../../fakes/hub-stack.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-transport.ts';
import { RawHub } from './raw-hub.ts';
import { pinOf } from '../../../fakes/sample-rows.ts';

let clock: ManualClock;
let dad: HubStack;
let raw: RawHub;

beforeEach(async () => {
  clock = new ManualClock();
  const network = new MemoryNetwork(clock);
  dad = await new HubStack({ clock, name: 'Dad', transport: network.create() }).start();
  raw = await new RawHub(network.create()).start();
  await dad.store.write((tables) => dad.directory.pinInside(tables, pinOf(raw.key, 'Raw')));
  dad.directory.pinned(raw.key);
});
afterEach(async () => {
  await dad.stop();
  await raw.transport.stop();
  expect(clock.timers).toBe(0);
});

const hears = (): void =>
  dad.directory.foundNearby({
    agentId: raw.agentId,
    keyHex: raw.key,
    port: raw.port,
    addresses: ['127.0.0.1'],
    label: 'raw',
  });

/** The hello that came with the newest connection. */
async function asked(
  nth = 1,
): Promise<{ readonly connectionId: number; readonly streamId: number; readonly id: string }> {
  const hellos = () => raw.events.flatMap((event) => (event.type === 'request' ? [event] : []));
  await clock.until(() => hellos().length >= nth, 'the hello came', 120_000);
  const hello = hellos()[nth - 1];
  if (hello === undefined) throw new Error('no hello');
  const { id } = JSON.parse(new TextDecoder().decode(hello.bytes));
  return { connectionId: hello.connectionId, streamId: hello.streamId, id };
}

it('a hello in return on a connection whose own hello waits is answered and held against nobody', async () => {
  hears();
  const { connectionId, streamId, id } = await asked();
  const payload = { protocol_versions: [1], features: [] };
  const inReturn = raw.transport.request(
    connectionId,
    raw.envelope(dad.agentId, 'hello', payload),
    5_000,
  );
  await clock.settle();
  expect((await inReturn).ok).toBe(true);
  expect(dad.links.isOnline(raw.key)).toBe(false);
  raw.transport.respond(
    connectionId,
    streamId,
    raw.envelope(dad.agentId, 'hello', { ...payload, selected_version: 1 }, { ref: id }),
  );
  await clock.settle();
  expect(dad.links.isOnline(raw.key)).toBe(true);
  await clock.advance(200);
  expect(dad.auditActions()).not.toContain('peer.second_hello');
});

it('a dial that fails says what it failed of, not what an earlier one failed of', async () => {
  dad.directory.setLive(raw.key, { trouble: 'Another hub answered, long ago.' });
  hears();
  const { connectionId } = await asked();
  raw.transport.close(connectionId, 0, 'restarting');
  await clock.until(
    () => dad.directory.dto(raw.key).trouble?.includes('long ago') === false,
    'the trouble of this dial is shown',
  );
  expect(dad.directory.dto(raw.key).trouble).toContain('closed the connection');
});
