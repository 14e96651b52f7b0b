// Who hears what when a peer's line changes, and what the peer is asked then.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { utf8 } from '../../../../main/lib/bytes.ts';
import { PING_INTERVAL_MS } from '../../../../main/services/links/limits.ts';
import type { HubStack } from '../../../fakes/hub-stack.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closePairedRawHub, openPairedRawHub } from './paired-raw-hub.ts';
import type { RawHub } from './raw-hub.ts';

let clock: ManualClock;
let dad: HubStack;
let raw: RawHub;

beforeEach(async () => {
  ({ clock, dad, raw } = await openPairedRawHub());
});
afterEach(() => closePairedRawHub({ clock, dad, raw }));

const pings = (): number =>
  raw.events.filter(
    (event) =>
      event.type === 'request' && new TextDecoder().decode(event.bytes).includes('"kind":"ping"'),
  ).length;

it('a peer of the reference profile that says hello after all is asked how it is from then on', async () => {
  const line = await raw.connect(dad);
  const asked = raw.transport.request(
    line.connectionId,
    utf8(JSON.stringify({ id: randomUUID(), kind: 'request', payload: { axon_kind: 'ping' } })),
    5_000,
  );
  await clock.until(() => dad.links.isOnline(raw.key), 'it is online');
  await asked;
  await clock.advance(PING_INTERVAL_MS * 2);
  expect(pings()).toBe(0);
  const hello = raw.hello(line, dad);
  await clock.settle();
  expect(await hello).toMatchObject({ kind: 'hello' });
  expect(pings()).toBe(1);
  await clock.advance(PING_INTERVAL_MS);
  expect(pings()).toBe(2);
});

it('a stopping hub tells nobody that a peer is online on another of its lines', async () => {
  for (let count = 0; count < 2; count++) {
    const line = await raw.connect(dad);
    const hello = raw.hello(line, dad);
    await clock.settle();
    await hello;
  }
  expect((await dad.transport.statistics()).connections).toBe(2);
  const told: boolean[] = [];
  dad.links.onPresence((_key, isOnline) => told.push(isOnline));
  await dad.halt();
  expect(told).toEqual([]);
  expect(dad.links.isOnline(raw.key)).toBe(false);
});

it('while a peer is linked it was last seen now, which is written down with its hello and as it goes', async () => {
  const line = await raw.connect(dad);
  const hello = raw.hello(line, dad);
  await clock.settle();
  await hello;
  // What nobody waits for is written a moment later.
  await clock.advance(1_000);
  const shown = () => dad.directory.dto(raw.key).last_seen_at;
  const kept = () => dad.store.read.peer(raw.key)?.lastSeenAt ?? null;
  const helloAt = kept() ?? 0;
  await clock.advance(600_000);
  expect({ shown: shown(), kept: kept() }).toEqual({ shown: clock.wallMs(), kept: helloAt });
  await raw.transport.stop();
  await clock.until(() => !dad.links.isOnline(raw.key), 'it is gone');
  await clock.advance(1_000);
  const goneAt = kept() ?? 0;
  expect(goneAt).toBeGreaterThanOrEqual(helloAt + 600_000);
  await clock.advance(60_000);
  expect({ shown: shown(), kept: kept() }).toEqual({ shown: goneAt, kept: goneAt });
});
