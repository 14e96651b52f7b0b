// Links between hubs on a network in memory and a clock that a test moves: reaching, keeping, refusing and losing peers.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { HubStack, MemoryVault, PERSON } from '../../../fakes/hub-stack.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork, type MemoryTransport } from '../../../fakes/memory-transport.ts';
import { RawHub } from './raw-hub.ts';

let clock: ManualClock;
let network: MemoryNetwork;
let hubs: HubStack[];

beforeEach(() => {
  clock = new ManualClock();
  network = new MemoryNetwork(clock);
  hubs = [];
});
afterEach(async () => {
  await Promise.all(hubs.map((hub) => hub.stop()));
  expect(clock.timers).toBe(0);
});

async function hub(name: string, options: { vault?: MemoryVault; transport?: MemoryTransport } = {}): Promise<HubStack> {
  const stack = new HubStack({
    clock,
    name,
    transport: options.transport ?? network.create(),
    ...(options.vault ? { vault: options.vault } : {}),
  });
  hubs.push(stack);
  return stack.start();
}

/** Two hubs that trust each other and know where the other is. */
async function household(): Promise<{ dad: HubStack; mum: HubStack }> {
  const [dad, mum] = [await hub('Dad'), await hub('Mum')];
  await dad.pins(mum);
  await mum.pins(dad);
  dad.hears(mum);
  await clock.until(() => dad.links.isOnline(mum.key) && mum.links.isOnline(dad.key), 'both are online');
  return { dad, mum };
}

/** Both hubs' dials go out in the same turn, as when both hear of the other at once. */
function dialTogether(...stacks: readonly HubStack[]): void {
  let waiting = stacks.length;
  let release: () => void = () => undefined;
  const together = new Promise<void>((resolve) => (release = resolve));
  for (const { transport } of stacks) {
    const dial = transport.dial.bind(transport);
    transport.dial = async (target, signal) => {
      if (--waiting <= 0) release();
      await together;
      return dial(target, signal);
    };
  }
}

const message = (kind: string, payload: Record<string, unknown> = {}) => ({ id: randomUUID(), kind, ref: null, payload });

describe('links between paired hubs', () => {
  it('come up when a paired hub is heard nearby, and both sides learn features, round trip and capabilities', async () => {
    const { dad, mum } = await household();
    await clock.until(() => dad.peer(mum).capabilities !== null && mum.peer(dad).capabilities !== null);
    expect(dad.peer(mum)).toMatchObject({
      trust: 'paired',
      online: true,
      trouble: null,
      advertised_name: 'Mum',
      how_found: 'home_network',
    });
    expect(dad.peer(mum).features).toContain('delegate');
    expect(dad.peer(mum).round_trip_ms).not.toBeNull();
    expect(mum.peer(dad).capabilities?.domains).toEqual(['family.calendar']);
    expect(mum.peer(dad).how_found).toBe('incoming');
  });

  it('carry requests and their answers, and one-way messages', async () => {
    const { dad, mum } = await household();
    const got: unknown[] = [];
    mum.links.onRequest('query', ({ envelope, peer }) => {
      got.push([peer.petname, envelope.payload['question']]);
      return Promise.resolve({ kind: 'response', payload: { data: 42, summary: 'forty-two' } });
    });
    mum.links.onMessage('notify', ({ envelope }) => {
      got.push(envelope.payload['topic']);
      return Promise.resolve();
    });
    const answered = await dad.links.request(mum.key, message('query', { question: 'what?' }), 5_000);
    expect(answered.ok && answered.value.payload['summary']).toBe('forty-two');
    expect((await dad.links.send(mum.key, message('notify', { topic: 'dinner', data: 1 }))).ok).toBe(true);
    await clock.until(() => got.length === 2);
    expect(got).toEqual([['Dad', 'what?'], 'dinner']);
  });

  it('turn what a handler throws into an error for the asker, and nothing of our insides', async () => {
    const { dad, mum } = await household();
    mum.links.onRequest('query', () => Promise.reject(new Error('secret path /home/mum')));
    const answered = await dad.links.request(mum.key, message('query', { question: '?' }), 5_000);
    expect(answered.ok).toBe(false);
    if (answered.ok) return;
    expect(answered.error).toMatchObject({ code: 'internal', failedBy: 'peer' });
    expect(JSON.stringify(answered.error.data)).not.toContain('/home/mum');
  });

  it('fail at once when the peer is not connected', async () => {
    const [dad, mum] = [await hub('Dad'), await hub('Mum')];
    await dad.pins(mum);
    const answered = await dad.links.request(mum.key, message('query', { question: '?' }), 5_000);
    expect(answered).toMatchObject({ ok: false, error: { code: 'peer_unreachable' } });
  });

  it('do not send a kind that the peer did not advertise', async () => {
    const { dad, mum } = await household();
    dad.directory.note(mum.key, { features: ['discover'] });
    const answered = await dad.links.request(mum.key, message('delegate', { task: 'x' }), 5_000);
    expect(answered).toMatchObject({ ok: false, error: { code: 'unsupported_feature' } });
  });

  it('name the kinds that are answered when an unknown one comes', async () => {
    const { dad, mum } = await household();
    const answered = await dad.links.request(mum.key, message('dance'), 5_000);
    expect(answered.ok).toBe(false);
    if (answered.ok) return;
    expect(answered.error.code).toBe('unknown_kind');
    expect(JSON.stringify(answered.error.data)).toContain('hello, ping, pair, discover');
  });

  it('are dialled again after a loss, with growing waits while nobody answers', async () => {
    const { dad, mum } = await household();
    const { port } = mum;
    const { transport, vault } = mum;
    if (!('crash' in transport)) throw new Error('this test needs the network in memory');
    await mum.halt();
    await clock.until(() => !dad.links.isOnline(mum.key), 'the loss is noticed');
    await clock.until(() => dad.peer(mum).trouble !== null, 'the trouble is shown', 120_000);
    expect(dad.peer(mum).trouble).toContain("can't be reached");
    const back = new HubStack({ clock, name: 'Mum', transport: network.create(), vault, store: mum.store });
    hubs = [dad, back];
    await back.start(port);
    await clock.until(() => dad.links.isOnline(back.key), 'it is back', 60_000);
    expect(dad.peer(back)).toMatchObject({ online: true, trouble: null });
  });

  it('notice a hub that was killed and replace its connection when it dials anew', async () => {
    const { dad, mum } = await household();
    const { transport, vault, store, port } = mum;
    if (!('crash' in transport) || typeof transport.crash !== 'function') throw new Error('this test needs the network in memory');
    transport.crash();
    await mum.halt();
    const back = new HubStack({ clock, name: 'Mum', transport: network.create(), vault, store });
    hubs = [dad, back];
    await back.start(port);
    back.hears(dad);
    await clock.until(() => back.links.isOnline(dad.key), 'the restarted hub is connected', 5_000);
    await clock.advance(3_000);
    back.links.onRequest('query', () => Promise.resolve({ kind: 'response', payload: { data: null, summary: 'here' } }));
    const asked = dad.links.request(back.key, message('query', { question: 'there?' }), 5_000);
    await clock.settle();
    expect((await asked).ok).toBe(true);
  });

  it('keep one connection after both dialled at once: that of the lower agent id', async () => {
    const [dad, mum] = [await hub('Dad'), await hub('Mum')];
    await dad.pins(mum);
    await mum.pins(dad);
    dialTogether(dad, mum);
    dad.hears(mum);
    mum.hears(dad);
    await clock.until(() => dad.links.isOnline(mum.key) && mum.links.isOnline(dad.key));
    expect((await dad.transport.statistics()).connections).toBe(2);
    await clock.advance(10_000);
    expect((await dad.transport.statistics()).connections).toBe(1);
    expect((await mum.transport.statistics()).connections).toBe(1);
    const lower = dad.agentId < mum.agentId ? dad : mum;
    const higher = lower === dad ? mum : dad;
    // The one that stays was dialled by the lower id: it goes to the other's port.
    expect(lower.peer(higher).address).toBe(`127.0.0.1:${higher.port}`);
    expect(dad.links.isOnline(mum.key) && mum.links.isOnline(dad.key)).toBe(true);
    dad.links.onRequest('query', () => Promise.resolve({ kind: 'response', payload: { data: 1, summary: 'still here' } }));
    const asked = mum.links.request(dad.key, message('query', { question: '?' }), 5_000);
    await clock.settle();
    expect((await asked).ok).toBe(true);
  });

  it('never dial more than four hubs at once', async () => {
    const dad = await hub('Dad');
    const others = await Promise.all(Array.from({ length: 9 }, (_, number) => hub(`Hub ${number}`)));
    for (const other of others) {
      await dad.pins(other);
      dad.hears(other);
      await other.halt();
    }
    let dialling = 0;
    let most = 0;
    const dial = dad.transport.dial.bind(dad.transport);
    dad.transport.dial = async (target, signal) => {
      most = Math.max(most, ++dialling);
      return dial(target, signal).finally(() => dialling--);
    };
    dad.links.redial();
    await clock.advance(40_000);
    expect(most).toBe(4);
  });

  it('are cut within a second when the owner suspends or removes the peer, and it is let in no more', async () => {
    const { dad, mum } = await household();
    await mum.directory.update(dad.key, { trust: 'suspended' }, PERSON);
    await clock.advance(500);
    expect(mum.links.isOnline(dad.key)).toBe(false);
    await clock.advance(60_000);
    expect(mum.links.isOnline(dad.key)).toBe(false);
    expect(dad.peer(mum).trouble).toContain('does not know this hub');
    await mum.directory.update(dad.key, { trust: 'paired' }, PERSON);
    await clock.until(() => mum.links.isOnline(dad.key), 'it is let in again', 60_000);
    await mum.directory.remove(dad.key, PERSON);
    await clock.advance(500);
    expect(mum.links.isOnline(dad.key)).toBe(false);
    expect(mum.store.read.peer(dad.key)?.trust).toBe('revoked');
    expect(mum.auditActions()).toEqual(['peer.revoked', 'peer.resumed', 'peer.suspended']);
  });

  it('MD-01: an advertisement for a paired hub with another address is dialled, fails on the key, and changes nothing', async () => {
    const { dad, mum } = await household();
    const stranger = await hub('Mum');
    await mum.halt();
    hubs = hubs.filter((other) => other !== mum);
    await clock.until(() => !dad.links.isOnline(mum.key));
    dad.directory.foundNearby({ agentId: mum.agentId, keyHex: mum.key, port: stranger.port, addresses: ['127.0.0.1'], label: 'Evil twin' });
    await clock.until(() => dad.auditActions().includes('peer.wrong_key'), 'the wrong key is audited', 30_000);
    await clock.until(() => dad.peer(mum).trouble !== null, 'the trouble is shown', 60_000);
    expect(dad.links.isOnline(mum.key)).toBe(false);
    expect(dad.links.isOnline(stranger.key)).toBe(false);
    expect(dad.peer(mum)).toMatchObject({ name: 'Mum', trust: 'paired', public_key: mum.key });
    expect(dad.store.read.peer(mum.key)?.lastPort).toBe(mum.port);
    await mum.store.close();
  });
});

describe('the gate for what comes in', () => {
  it('HE-01: nothing is answered before hello but with not_authorized, one-way messages are dropped, and without hello the line is cut in 5 s', async () => {
    const mum = await hub('Mum');
    const raw = await new RawHub(network.create()).start();
    await mum.store.write((tables) =>
      mum.directory.pinInside(tables, { key: raw.key, petname: 'Raw', person: null, platform: null, advertisedName: null }),
    );
    mum.directory.pinned(raw.key);
    let handled = 0;
    mum.links.onMessage('notify', () => Promise.resolve(void handled++));
    mum.links.onRequest('delegate', () => Promise.reject(new Error(`handled ${handled++}`)));
    mum.links.onRequest('query', () => Promise.reject(new Error(`handled ${handled++}`)));
    const line = await raw.connect(mum);
    for (const kind of ['delegate', 'query', 'ping', 'discover']) {
      const reply = await raw.ask(line, raw.envelope(mum.agentId, kind, { task: 'x', question: 'y' }));
      expect(reply).toMatchObject({ kind: 'error', payload: { code: 'not_authorized' } });
    }
    await raw.transport.send(line.connectionId, raw.envelope(mum.agentId, 'notify', { topic: 't', data: 1 }));
    await clock.advance(4_500);
    expect(raw.ended(line)).toBeUndefined();
    await clock.advance(600);
    expect(raw.ended(line)).toMatchObject({ code: 3, by: 'peer' });
    expect(handled).toBe(0);
    expect(mum.links.counters()).toMatchObject({ dropped_before_hello: 1 });
    expect(mum.store.read.messages({ limit: 10 }, {})).toEqual([]);
    await raw.transport.stop();
  });

  it('HE-02: a second hello is answered and audited, and changes nothing', async () => {
    const { dad, mum } = await household();
    const connection = await dad.links.lines.request(mum.key, 'hello', {
      protocol_versions: [1],
      agent_name: 'Grandma',
      features: [],
    });
    expect(connection).toMatchObject({ ok: true });
    await clock.settle();
    expect(mum.peer(dad)).toMatchObject({ advertised_name: 'Dad' });
    expect(mum.peer(dad).features).toContain('delegate');
    await clock.advance(100);
    expect(mum.auditActions()).toContain('peer.second_hello');
  });

  it('HE-03: a hello without a common version gets incompatible_version', async () => {
    const mum = await hub('Mum');
    const raw = await new RawHub(network.create()).start();
    const line = await raw.connect(mum);
    for (const versions of [[], [99], ['1'], 'all', null, Array.from({ length: 17 }, () => 1), [1.5]]) {
      expect(await raw.hello(line, mum, versions)).toMatchObject({
        kind: 'error',
        payload: { code: 'incompatible_version', retryable: false },
      });
    }
    expect(
      await raw.hello(
        line,
        mum,
        Array.from({ length: 30_000 }, () => 1),
      ),
    ).toMatchObject({ payload: { code: 'invalid_envelope' } });
    expect(await raw.hello(line, mum, [1, 99])).toMatchObject({ kind: 'hello', payload: { selected_version: 1 } });
    await raw.transport.stop();
  });

  it('HE-03: a peer that comes back with a lower version than before is pointed out, and no rule changes', async () => {
    const { dad, mum } = await household();
    mum.directory.note(dad.key, { highestVersion: 3 });
    if (!('cut' in dad.transport) || typeof dad.transport.cut !== 'function') throw new Error('this test needs the network in memory');
    dad.transport.cut();
    await clock.until(() => mum.links.isOnline(dad.key), 'they are connected again', 30_000);
    await clock.advance(100);
    expect(mum.auditActions()).toContain('peer.downgraded');
    expect(mum.peer(dad)).toMatchObject({ trust: 'paired', online: true });
  });

  it('HE-04: a message from another hub or to another hub is refused and audited, and the connection stays', async () => {
    const mum = await hub('Mum');
    const other = await hub('Other');
    const raw = await new RawHub(network.create()).start();
    await mum.store.write((tables) =>
      mum.directory.pinInside(tables, { key: raw.key, petname: 'Raw', person: null, platform: null, advertisedName: null }),
    );
    mum.directory.pinned(raw.key);
    await mum.pins(other);
    const handled: string[] = [];
    mum.links.onRequest('query', ({ envelope }) => {
      handled.push(envelope.id);
      return Promise.resolve({ kind: 'response', payload: { data: null, summary: 'ok' } });
    });
    mum.links.onMessage('notify', ({ envelope }) => Promise.resolve(void handled.push(envelope.id)));
    const line = await raw.connect(mum);
    await raw.hello(line, mum);
    const forged = await raw.ask(line, raw.envelope(mum.agentId, 'query', { question: '?' }, { from: other.agentId }));
    expect(forged).toMatchObject({ kind: 'error', payload: { code: 'not_authorized' } });
    const misdirected = await raw.ask(line, raw.envelope(other.agentId, 'query', { question: '?' }));
    expect(misdirected).toMatchObject({ kind: 'error', payload: { code: 'peer_not_found' } });
    await raw.transport.send(line.connectionId, raw.envelope(mum.agentId, 'notify', { topic: 't' }, { from: other.agentId }));
    await clock.advance(200);
    expect(mum.auditActions()).toEqual(['peer.forged_sender', 'peer.forged_sender', 'peer.forged_sender']);
    expect(handled).toEqual([]);
    expect(raw.ended(line)).toBeUndefined();
    expect(await raw.ask(line, raw.envelope(mum.agentId, 'query', { question: '?' }))).toMatchObject({ kind: 'response' });
    await raw.transport.stop();
  });

  it('lets a key that is not paired say hello and ping, and answers everything else with pairing_required', async () => {
    const mum = await hub('Mum');
    const raw = await new RawHub(network.create()).start();
    const line = await raw.connect(mum);
    const hello = await raw.hello(line, mum);
    expect(hello).toMatchObject({ kind: 'hello', payload: { selected_version: 1 } });
    expect(hello?.payload).not.toHaveProperty('agent_name');
    const pong = await raw.ask(line, raw.envelope(mum.agentId, 'ping', {}));
    expect(pong).toMatchObject({ kind: 'pong', payload: { status: 'idle' } });
    expect(pong?.payload).not.toHaveProperty('agent_name');
    for (const kind of ['query', 'delegate', 'discover', 'cancel', 'dance']) {
      const reply = await raw.ask(line, raw.envelope(mum.agentId, kind, { question: 'x', task: 'y' }));
      expect(reply).toMatchObject({ kind: 'error', payload: { code: 'pairing_required' } });
    }
    expect(mum.store.read.peers()).toEqual([]);
    expect(mum.store.read.audit({ limit: 10 })).toEqual([]);
    expect(mum.directory.list('nearby').map(({ trust, name }) => [trust, name.startsWith('Hub ')])).toEqual([['quarantined', true]]);
    await raw.transport.stop();
  });

  it('answers a malformed request with the reason and closes the connection after twenty in a minute, then lets the key cool off', async () => {
    const mum = await hub('Mum');
    const raw = await new RawHub(network.create()).start();
    const line = await raw.connect(mum);
    await raw.hello(line, mum);
    const bad = new TextEncoder().encode('{"v":1,"v":1}');
    for (let count = 1; count < 20; count++) {
      expect(await raw.ask(line, bad)).toMatchObject({ kind: 'error', payload: { code: 'invalid_envelope' } });
    }
    expect(raw.ended(line)).toBeUndefined();
    await raw.ask(line, bad);
    await clock.settle();
    expect(raw.ended(line)).toMatchObject({ code: 1, by: 'peer' });
    const again = await raw.connect(mum);
    await clock.settle();
    expect(raw.ended(again)).toMatchObject({ code: 1 });
    await clock.advance(61_000);
    const later = await raw.connect(mum);
    expect(await raw.hello(later, mum)).toMatchObject({ kind: 'hello' });
    await raw.transport.stop();
  });

  it('refuses a kind on the wrong type of stream', async () => {
    const { dad, mum } = await household();
    let handled = 0;
    mum.links.onMessage('notify', () => Promise.resolve(void handled++));
    const answered = await dad.links.request(mum.key, message('notify', { topic: 't' }), 5_000);
    expect(answered).toMatchObject({ ok: false, error: { code: 'invalid_envelope' } });
    await dad.links.send(mum.key, message('query', { question: 'x' }));
    await clock.settle();
    expect(mum.links.counters()).toMatchObject({ dropped_malformed: 1 });
    expect(handled).toBe(0);
  });

  it('limits how often a peer may ask, and says when it may again', async () => {
    const { dad, mum } = await household();
    mum.links.onRequest('query', () => Promise.resolve({ kind: 'response', payload: { data: 1, summary: 'ok' } }));
    const codes: string[] = [];
    for (let count = 0; count < 62; count++) {
      const answered = await dad.links.request(mum.key, message('query', { question: '?' }), 5_000);
      codes.push(answered.ok ? 'ok' : answered.error.code);
    }
    expect(codes.slice(0, 60).every((code) => code === 'ok')).toBe(true);
    expect(codes.slice(60)).toEqual(['rate_limited', 'rate_limited']);
    await clock.advance(1_000);
    expect((await dad.links.request(mum.key, message('query', { question: '?' }), 5_000)).ok).toBe(true);
  });

  it('closes the line of a stranger that has nothing to say', async () => {
    const mum = await hub('Mum');
    const raw = await new RawHub(network.create()).start();
    const line = await raw.connect(mum);
    await raw.hello(line, mum);
    await clock.advance(80_000);
    expect(raw.ended(line)).toMatchObject({ code: 0, by: 'peer' });
    expect(mum.directory.list('all')).toEqual([]);
    await raw.transport.stop();
  });
});
