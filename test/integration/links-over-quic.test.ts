// Two whole hubs between hubs, over real QUIC on loopback and the real clock: pairing, hello's
// rules, forged senders, loss and return.
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { SystemClock, SystemRandom } from '../../main/adapters/clock/system-clock.ts';
import { HubStack, PERSON } from '../fakes/hub-stack.ts';
import { createInProcessTransport } from '../support/in-process-transport.ts';
import { RawHub } from '../unit/services/links/raw-hub.ts';
import { pinOf } from '../fakes/sample-rows.ts';

const WAIT_LIMIT_MS = 20_000;
const clock = new SystemClock();
const random = new SystemRandom();
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

async function hub(name: string): Promise<HubStack> {
  const stack = new HubStack({
    clock,
    name,
    transport: createInProcessTransport({ clock, random }),
  });
  stops.push(() => stack.stop());
  return stack.start();
}

async function rawHub(): Promise<RawHub> {
  const raw = await new RawHub(createInProcessTransport({ clock, random })).start();
  stops.push(() => raw.transport.stop());
  return raw;
}

/** Waits, woken by the hubs' events, until the condition holds. */
function until(hubs: readonly HubStack[], condition: () => boolean, what: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(new Error(`${what} did not come true`)), WAIT_LIMIT_MS);
    const stopListening = hubs.map((stack) => stack.events.subscribe(() => check()));
    const finish = (failure?: Error): void => {
      clearTimeout(timer);
      for (const stop of stopListening) stop();
      if (failure === undefined) resolve();
      else reject(failure);
    };
    const check = (): void => {
      if (condition()) finish();
    };
    check();
  });
}

async function paired(): Promise<{ dad: HubStack; mum: HubStack }> {
  const [dad, mum] = [await hub('Dad'), await hub('Mum')];
  await dad.pins(mum);
  await mum.pins(dad);
  dad.hears(mum);
  await until(
    [dad, mum],
    () => dad.links.isOnline(mum.key) && mum.links.isOnline(dad.key),
    'both are online',
  );
  return { dad, mum };
}

async function pinRaw(stack: HubStack, raw: RawHub): Promise<void> {
  await stack.store.write((tables) => stack.directory.pinInside(tables, pinOf(raw.key, 'Raw')));
  stack.directory.pinned(raw.key);
}

const query = () => ({
  id: randomUUID(),
  kind: 'query',
  ref: null,
  payload: { question: 'there?' },
});

describe('hubs over QUIC', () => {
  it('pair with six digits one way and two the other, and are online to each other afterwards', async () => {
    const [dad, mum] = [await hub('Dad'), await hub('Mum')];
    const both = [dad, mum];
    dad.hears(mum);
    mum.pairing.setWindow(true, 5);
    dad.pairing.begin(mum.agentId, null);
    await until(both, () => mum.currentPairing?.state === 'offered', 'the request came');
    mum.pairing.open(mum.currentPairing?.id ?? '');
    await until(
      both,
      () => mum.currentPairing?.six !== null && dad.currentPairing?.state === 'type_six',
      'six digits are shown',
    );
    await dad.pairing.type(dad.currentPairing?.id ?? '', mum.currentPairing?.six ?? '', PERSON);
    await until(both, () => mum.currentPairing?.state === 'type_two', 'two digits may be typed');
    await mum.pairing.type(mum.currentPairing?.id ?? '', dad.currentPairing?.two ?? '', PERSON);
    await until(
      both,
      () => dad.links.isOnline(mum.key) && mum.links.isOnline(dad.key),
      'both are online',
    );
    expect(dad.peer(mum)).toMatchObject({ trust: 'paired', online: true });
    expect(dad.peer(mum).safety_number).toBe(mum.peer(dad).safety_number);
    await until(
      both,
      () => dad.peer(mum).capabilities !== null && mum.peer(dad).capabilities !== null,
      'capabilities are known',
    );
    expect(dad.peer(mum).round_trip_ms).toBeGreaterThan(0);
  });

  it('keep one connection after both dialled at once', async () => {
    const [dad, mum] = [await hub('Dad'), await hub('Mum')];
    await dad.pins(mum);
    await mum.pins(dad);
    dad.hears(mum);
    mum.hears(dad);
    await until(
      [dad, mum],
      () => dad.links.isOnline(mum.key) && mum.links.isOnline(dad.key),
      'both are online',
    );
    mum.links.onRequest('query', () =>
      Promise.resolve({ kind: 'response', payload: { data: 1, summary: 'yes' } }),
    );
    dad.links.onRequest('query', () =>
      Promise.resolve({ kind: 'response', payload: { data: 1, summary: 'yes' } }),
    );
    const connections = async (): Promise<number> => {
      const asked = await Promise.all([
        dad.links.request(mum.key, query(), 5_000),
        mum.links.request(dad.key, query(), 5_000),
      ]);
      expect(asked.map(({ ok }) => ok)).toEqual([true, true]);
      return (await dad.transport.statistics()).connections;
    };
    await expect.poll(connections, { timeout: WAIT_LIMIT_MS }).toBe(1);
    expect((await dad.links.request(mum.key, query(), 5_000)).ok).toBe(true);
    expect((await mum.links.request(dad.key, query(), 5_000)).ok).toBe(true);
  });

  it('come together again after one of them was away', async () => {
    const { dad, mum } = await paired();
    await mum.halt();
    await until([dad], () => !dad.links.isOnline(mum.key), 'the loss is noticed');
    const back = new HubStack({
      clock,
      name: 'Mum',
      transport: createInProcessTransport({ clock, random }),
      vault: mum.vault,
      store: mum.store,
    });
    stops.push(() => back.halt());
    await back.start(mum.port);
    await until(
      [dad, back],
      () => dad.links.isOnline(mum.key) && back.links.isOnline(dad.key),
      'both are online again',
    );
    expect((await dad.links.ping(mum.key)).ok).toBe(true);
  });

  it('cut a peer that was removed within a second, and the peer says why it cannot reach us', async () => {
    const { dad, mum } = await paired();
    const startedAt = performance.now();
    await mum.directory.remove(dad.key, PERSON);
    await until([dad], () => !dad.links.isOnline(mum.key), 'the connection is cut');
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    await until([dad], () => dad.peer(mum).trouble !== null, 'the trouble is shown');
    expect(dad.peer(mum).trouble).toContain('refuses this hub: it was suspended or removed there');
    expect((await dad.links.request(mum.key, query(), 1_000)).ok).toBe(false);
  });

  it('HE-01: nothing is taken before hello, and a connection without hello is closed as too slow', async () => {
    const mum = await hub('Mum');
    const raw = await rawHub();
    await pinRaw(mum, raw);
    let handled = 0;
    mum.links.onMessage('notify', () => Promise.resolve(void handled++));
    const line = await raw.connect(mum);
    const startedAt = performance.now();
    for (const kind of ['delegate', 'query']) {
      expect(
        await raw.ask(line, raw.envelope(mum.agentId, kind, { task: 'x', question: 'x' })),
      ).toMatchObject({
        kind: 'error',
        payload: { code: 'not_authorized' },
      });
    }
    await raw.transport.send(
      line.connectionId,
      raw.envelope(mum.agentId, 'notify', { topic: 't', data: 1 }),
    );
    // The ping before the end proves that the line is open until then; the request that waits ends
    // with the connection.
    const waiting = await raw.transport.request(
      line.connectionId,
      raw.envelope(mum.agentId, 'ping', {}),
      1_000,
    );
    expect(waiting.ok).toBe(true);
    await raw.untilEnded(line);
    expect(raw.ended(line)).toMatchObject({ code: 3, by: 'peer' });
    expect(performance.now() - startedAt).toBeLessThan(6_000);
    expect(handled).toBe(0);
    expect(mum.store.read.messages({ limit: 10 }, {})).toEqual([]);
  });

  it('HE-03: no common version is answered with incompatible_version, and the connection can still be established', async () => {
    const mum = await hub('Mum');
    const raw = await rawHub();
    const line = await raw.connect(mum);
    for (const versions of [[], [99], ['1'], null]) {
      expect(await raw.hello(line, mum, versions)).toMatchObject({
        kind: 'error',
        payload: { code: 'incompatible_version' },
      });
    }
    expect(await raw.hello(line, mum, [1, 2, 99])).toMatchObject({
      kind: 'hello',
      payload: { selected_version: 1 },
    });
  });

  it('HE-04: a forged sender or recipient is refused and audited, and the connection stays', async () => {
    const mum = await hub('Mum');
    const raw = await rawHub();
    const other = await rawHub();
    await pinRaw(mum, raw);
    const line = await raw.connect(mum);
    await raw.hello(line, mum);
    expect(
      await raw.ask(line, raw.envelope(mum.agentId, 'ping', {}, { from: other.agentId })),
    ).toMatchObject({
      kind: 'error',
      payload: { code: 'not_authorized' },
    });
    expect(await raw.ask(line, raw.envelope(other.agentId, 'ping', {}))).toMatchObject({
      kind: 'error',
      payload: { code: 'peer_not_found' },
    });
    expect(await raw.ask(line, raw.envelope(mum.agentId, 'ping', {}))).toMatchObject({
      kind: 'pong',
    });
    // Nobody waits for these two rows: they follow in a commit of their own.
    await expect
      .poll(() => mum.auditActions())
      .toEqual(['peer.forged_sender', 'peer.forged_sender']);
  });
});
