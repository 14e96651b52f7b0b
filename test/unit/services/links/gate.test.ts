// The gate for everything another hub sends: hello first, no forged sender, trust, form and rates,
// on a network in memory.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { CLOSE_CODES, type ConnectionInfo } from '../../../../main/ports/transport.ts';
import { MALFORMED_PER_MINUTE_MAX } from '../../../../main/services/links/limits.ts';
import { PERSON } from '../../../fakes/hub-stack.ts';
import { RawHub } from './raw-hub.ts';
import { StackHouse } from '../../../support/stack-house.ts';
import { pinOf } from '../../../fakes/sample-rows.ts';

let house: StackHouse;

beforeEach(() => (house = new StackHouse()));
afterEach(() => house.close());

const message = (kind: string, payload: Record<string, unknown> = {}) => ({
  id: randomUUID(),
  kind,
  ref: null,
  payload,
});

describe('the gate for what comes in', () => {
  it('HE-01: nothing is answered before hello but with not_authorized, one-way messages are dropped, and without hello the line is cut in 5 s', async () => {
    const mum = await house.hub('Mum');
    const raw = await new RawHub(house.network.create()).start();
    await mum.store.write((tables) => mum.directory.pinInside(tables, pinOf(raw.key, 'Raw')));
    mum.directory.pinned(raw.key);
    let handled = 0;
    mum.links.onMessage('notify', () => Promise.resolve(void handled++));
    mum.links.onRequest('delegate', () => Promise.reject(new Error(`handled ${handled++}`)));
    mum.links.onRequest('query', () => Promise.reject(new Error(`handled ${handled++}`)));
    const line = await raw.connect(mum);
    for (const kind of ['delegate', 'query', 'ping', 'discover']) {
      const reply = await raw.ask(
        line,
        raw.envelope(mum.agentId, kind, { task: 'x', question: 'y' }),
      );
      expect(reply).toMatchObject({ kind: 'error', payload: { code: 'not_authorized' } });
    }
    await raw.transport.send(
      line.connectionId,
      raw.envelope(mum.agentId, 'notify', { topic: 't', data: 1 }),
    );
    await house.clock.advance(4_500);
    expect(raw.ended(line)).toBeUndefined();
    await house.clock.advance(600);
    expect(raw.ended(line)).toMatchObject({ code: 3, by: 'peer' });
    expect(handled).toBe(0);
    expect(mum.links.counters()).toMatchObject({ dropped_before_hello: 1 });
    expect(mum.store.read.messages({ limit: 10 }, {})).toEqual([]);
    await raw.transport.stop();
  });

  it('HE-02: a second hello is answered and audited, and changes nothing', async () => {
    const { dad, mum } = await house.couple();
    await house.clock.until(
      () => mum.peer(dad).capabilities !== null,
      'everything is known that the first hello lets ask for',
    );
    const before = mum.peer(dad);
    const connection = await dad.links.unpaired.request(mum.key, 'hello', {
      protocol_versions: [1],
      agent_name: 'Grandma',
      features: [],
    });
    expect(connection).toMatchObject({ ok: true });
    await house.clock.settle();
    expect(mum.peer(dad)).toEqual(before);
    expect(before).toMatchObject({ name: 'Dad', untrusted: { advertised_name: 'Dad' } });
    expect(before.untrusted.features).toContain('delegate');
    await house.clock.advance(100);
    expect(mum.auditActions()).toContain('peer.second_hello');
  });

  it('HE-03: a hello without a common version gets incompatible_version', async () => {
    const mum = await house.hub('Mum');
    const raw = await new RawHub(house.network.create()).start();
    const line = await raw.connect(mum);
    for (const versions of [
      [],
      [99],
      ['1'],
      'all',
      null,
      Array.from({ length: 17 }, () => 1),
      [1.5],
      [1, 0],
    ]) {
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
    expect(await raw.hello(line, mum, [1, 99])).toMatchObject({
      kind: 'hello',
      payload: { selected_version: 1 },
    });
    await raw.transport.stop();
  });

  it('HE-03: a peer that comes back with a lower version than before is pointed out, and no rule changes', async () => {
    const { dad, mum } = await house.couple();
    await mum.directory.note(dad.key, { highestVersion: 3 });
    if (!('cut' in dad.transport) || typeof dad.transport.cut !== 'function')
      throw new Error('this test needs the network in memory');
    dad.transport.cut();
    await house.clock.until(() => mum.links.isOnline(dad.key), 'they are connected again', 30_000);
    await house.clock.advance(100);
    expect(mum.auditActions()).toContain('peer.downgraded');
    expect(mum.peer(dad)).toMatchObject({ trust: 'paired', online: true });
  });

  it('HE-04: a message from another hub or to another hub is refused and audited, and the connection stays', async () => {
    const mum = await house.hub('Mum');
    const other = await house.hub('Other');
    const raw = await new RawHub(house.network.create()).start();
    await mum.store.write((tables) => mum.directory.pinInside(tables, pinOf(raw.key, 'Raw')));
    mum.directory.pinned(raw.key);
    await mum.pins(other);
    const handled: string[] = [];
    mum.links.onRequest('query', ({ envelope }) => {
      handled.push(envelope.id);
      return Promise.resolve({ kind: 'response', payload: { data: null, summary: 'ok' } });
    });
    mum.links.onMessage('notify', ({ envelope }) =>
      Promise.resolve(void handled.push(envelope.id)),
    );
    const line = await raw.connect(mum);
    await raw.hello(line, mum);
    const forged = await raw.ask(
      line,
      raw.envelope(mum.agentId, 'query', { question: '?' }, { from: other.agentId }),
    );
    expect(forged).toMatchObject({ kind: 'error', payload: { code: 'not_authorized' } });
    const misdirected = await raw.ask(
      line,
      raw.envelope(other.agentId, 'query', { question: '?' }),
    );
    expect(misdirected).toMatchObject({ kind: 'error', payload: { code: 'peer_not_found' } });
    await raw.transport.send(
      line.connectionId,
      raw.envelope(mum.agentId, 'notify', { topic: 't' }, { from: other.agentId }),
    );
    await house.clock.advance(200);
    expect(mum.auditActions()).toEqual([
      'peer.forged_sender',
      'peer.forged_sender',
      'peer.forged_sender',
    ]);
    expect(handled).toEqual([]);
    expect(raw.ended(line)).toBeUndefined();
    expect(
      await raw.ask(line, raw.envelope(mum.agentId, 'query', { question: '?' })),
    ).toMatchObject({ kind: 'response' });
    await raw.transport.stop();
  });

  it('tells a hub that was removed so on the wire, whatever it asks and however often it comes back, and hands none of it on', async () => {
    const mum = await house.hub('Mum');
    const raw = await new RawHub(house.network.create()).start();
    await mum.store.write((tables) => mum.directory.pinInside(tables, pinOf(raw.key, 'Raw')));
    mum.directory.pinned(raw.key);
    const handled: string[] = [];
    for (const kind of ['delegate', 'query'] as const) {
      mum.links.onRequest(kind, ({ envelope }) => {
        handled.push(envelope.id);
        return Promise.resolve({ kind: 'ack', payload: { accepted: true } });
      });
    }
    const asks = async (line: ConnectionInfo, kind: 'delegate' | 'query') => {
      const payload = {
        delegate: { task: 'Unlock the door' },
        query: { question: 'Is it locked?' },
      }[kind];
      return raw.ask(line, raw.envelope(mum.agentId, kind, payload));
    };
    const before = await raw.connect(mum);
    await raw.hello(before, mum);
    expect(await asks(before, 'delegate')).toMatchObject({ kind: 'ack' });
    await mum.directory.remove(raw.key, PERSON);
    await house.clock.until(() => raw.ended(before) !== undefined, 'its connection is closed');
    expect(raw.ended(before)).toMatchObject({
      code: CLOSE_CODES.revoked,
      by: 'peer',
      reason: 'this key is no longer trusted',
    });
    for (const kind of ['delegate', 'query'] as const) {
      expect(await asks(before, kind)).toBeUndefined();
      const after = await raw.connect(mum);
      expect(await asks(after, kind)).toBeUndefined();
      expect(raw.ended(after)).toMatchObject({
        code: CLOSE_CODES.revoked,
        by: 'peer',
        reason: 'refused',
      });
    }
    expect(handled).toHaveLength(1);
    await raw.transport.stop();
  });

  it('lets a key that is not paired say hello and ping, and answers everything else with pairing_required', async () => {
    const mum = await house.hub('Mum');
    const raw = await new RawHub(house.network.create()).start();
    const line = await raw.connect(mum);
    const hello = await raw.hello(line, mum);
    expect(hello).toMatchObject({ kind: 'hello', payload: { selected_version: 1 } });
    expect(hello?.payload).not.toHaveProperty('agent_name');
    const pong = await raw.ask(line, raw.envelope(mum.agentId, 'ping', {}));
    expect(pong).toMatchObject({ kind: 'pong', payload: { status: 'idle' } });
    expect(pong?.payload).not.toHaveProperty('agent_name');
    for (const kind of ['query', 'delegate', 'discover', 'cancel', 'dance']) {
      const reply = await raw.ask(
        line,
        raw.envelope(mum.agentId, kind, { question: 'x', task: 'y' }),
      );
      expect(reply).toMatchObject({ kind: 'error', payload: { code: 'pairing_required' } });
    }
    expect(mum.store.read.peers()).toEqual([]);
    expect(mum.store.read.audit({ limit: 10 })).toEqual([]);
    expect(
      mum.directory.list('nearby').map(({ trust, name }) => [trust, name.startsWith('Hub ')]),
    ).toEqual([['quarantined', true]]);
    await raw.transport.stop();
  });

  it('answers a malformed request with the reason and closes the connection after twenty in a minute, then lets the key cool off', async () => {
    const mum = await house.hub('Mum');
    const raw = await new RawHub(house.network.create()).start();
    const line = await raw.connect(mum);
    await raw.hello(line, mum);
    const bad = new TextEncoder().encode('{"v":1,"v":1}');
    for (let count = 1; count < 20; count++) {
      expect(await raw.ask(line, bad)).toMatchObject({
        kind: 'error',
        payload: { code: 'invalid_envelope' },
      });
    }
    expect(raw.ended(line)).toBeUndefined();
    await raw.ask(line, bad);
    await house.clock.settle();
    expect(raw.ended(line)).toMatchObject({ code: 1, by: 'peer' });
    const again = await raw.connect(mum);
    await house.clock.settle();
    expect(raw.ended(again)).toMatchObject({ code: 1 });
    await house.clock.advance(61_000);
    const later = await raw.connect(mum);
    expect(await raw.hello(later, mum)).toMatchObject({ kind: 'hello' });
    await raw.transport.stop();
  });

  it('leaves the line of a paired hub open however many of its streams are too slow or too large', async () => {
    const transport = house.network.create();
    const mum = await house.hub('Mum', { transport });
    const raw = await new RawHub(house.network.create()).start();
    await mum.store.write((tables) => mum.directory.pinInside(tables, pinOf(raw.key, 'Raw')));
    mum.directory.pinned(raw.key);
    const line = await raw.connect(mum);
    expect(await raw.hello(line, mum)).toMatchObject({ kind: 'hello' });
    for (let count = 0; count < 3 * MALFORMED_PER_MINUTE_MAX; count += 1) {
      transport.reportViolation(raw.key, 'too-slow');
      transport.reportViolation(raw.key, 'too-large');
    }
    await house.clock.settle();
    expect(raw.ended(line)).toBeUndefined();
    expect(mum.links.counters()).toMatchObject({
      violation_too_slow: 3 * MALFORMED_PER_MINUTE_MAX,
    });
    expect(mum.store.read.audit({ limit: 10 }).map(({ action }) => action)).not.toContain(
      'peer.malformed',
    );
    await raw.transport.stop();
  });

  it('refuses a kind on the wrong type of stream', async () => {
    const { dad, mum } = await house.couple();
    let handled = 0;
    mum.links.onMessage('notify', () => Promise.resolve(void handled++));
    const answered = await dad.links.request(mum.key, message('notify', { topic: 't' }), 5_000);
    expect(answered).toMatchObject({ ok: false, error: { code: 'invalid_envelope' } });
    await dad.links.send(mum.key, message('query', { question: 'x' }));
    await house.clock.settle();
    expect(mum.links.counters()).toMatchObject({ dropped_malformed: 1 });
    expect(handled).toBe(0);
  });

  it('closes the line of a stranger that has nothing to say', async () => {
    const mum = await house.hub('Mum');
    const raw = await new RawHub(house.network.create()).start();
    const line = await raw.connect(mum);
    await raw.hello(line, mum);
    await house.clock.advance(80_000);
    expect(raw.ended(line)).toMatchObject({ code: 0, by: 'peer' });
    expect(mum.directory.list('all')).toEqual([]);
    await raw.transport.stop();
  });
});
