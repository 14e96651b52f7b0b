// Links between hubs on a network in memory and a clock that a test moves: reaching, keeping,
// refusing and losing peers.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { LOST_AFTER_CHECK_MS } from '../../../../main/adapters/quic/limits.ts';
import { type HubStack, PERSON } from '../../../fakes/hub-stack.ts';
import { MemoryTransport } from '../../../fakes/memory-transport.ts';
import { StackHouse } from '../../../support/stack-house.ts';

let house: StackHouse;

beforeEach(() => (house = new StackHouse()));
afterEach(() => house.close());

/**
 * Both hubs' dials go out in the same turn, as when both hear of the other at once. Gives the
 * connection each one made.
 */
function dialTogether(...stacks: readonly HubStack[]): ReadonlyMap<HubStack, number> {
  const dialled = new Map<HubStack, number>();
  let waiting = stacks.length;
  let release: () => void = () => undefined;
  const together = new Promise<void>((resolve) => (release = resolve));
  for (const stack of stacks) {
    const { transport } = stack;
    const dial = transport.dial.bind(transport);
    transport.dial = async (target, signal) => {
      if (--waiting <= 0) release();
      await together;
      const result = await dial(target, signal);
      if (result.ok) dialled.set(stack, result.value.connectionId);
      return result;
    };
  }
  return dialled;
}

const message = (kind: string, payload: Record<string, unknown> = {}) => ({
  id: randomUUID(),
  kind,
  ref: null,
  payload,
});

/** How often a hub asks from now on what another one can do. */
function asksOf({ transport }: HubStack): { readonly count: number } {
  const asks = { count: 0 };
  const request = transport.request.bind(transport);
  transport.request = (connectionId, bytes, ...more) => {
    if (new TextDecoder().decode(bytes).includes('"kind":"discover"')) asks.count += 1;
    return request(connectionId, bytes, ...more);
  };
  return asks;
}

describe('links between paired hubs', () => {
  it('come up when a paired hub is heard nearby, and both sides learn features, round trip and capabilities', async () => {
    const { dad, mum } = await house.couple();
    await house.clock.until(
      () => dad.peer(mum).capabilities !== null && mum.peer(dad).capabilities !== null,
    );
    expect(dad.peer(mum)).toMatchObject({
      trust: 'paired',
      online: true,
      trouble: null,
      untrusted: { advertised_name: 'Mum' },
      how_found: 'home_network',
    });
    expect(dad.peer(mum).untrusted.features).toContain('delegate');
    expect(dad.peer(mum).round_trip_ms).not.toBeNull();
    expect(mum.peer(dad).capabilities?.untrusted.domains).toEqual(['family.calendar']);
    expect(mum.peer(dad).how_found).toBe('incoming');
  });

  it('let a hub that trusted the other first know, whenever that one trusts it too, and ask no more', async () => {
    const [dad, mum] = [await house.hub('Dad'), await house.hub('Mum')];
    await dad.pins(mum);
    dad.hears(mum);
    await house.clock.until(() => dad.links.isShutOut(mum.key), 'Dad is not known there');
    await house.clock.advance(40_000);
    const asked = { dad: asksOf(dad), mum: asksOf(mum) };
    await mum.pins(dad);
    await house.clock.advance(500);
    expect(dad.links.isShutOut(mum.key)).toBe(false);
    expect(dad.peer(mum).capabilities).not.toBeNull();
    await house.clock.advance(60_000);
    expect({ dad: asked.dad.count, mum: asked.mum.count }).toEqual({ dad: 1, mum: 1 });
  });

  it('are never shown as refused where the two hubs pin each other a moment apart', async () => {
    const [dad, mum] = [await house.hub('Dad'), await house.hub('Mum')];
    await dad.pins(mum);
    dad.hears(mum);
    await house.clock.until(() => dad.links.isOnline(mum.key), 'Mum says hello');
    await house.clock.advance(500);
    await mum.pins(dad);
    await house.clock.until(() => dad.peer(mum).capabilities !== null, 'Dad is known there');
    const shown = dad.seen.flatMap((event) => (event.type === 'peer' ? [event.peer] : []));
    expect(shown.filter(({ not_trusted_there: isShut }) => isShut)).toEqual([]);
  });

  it('stay as they are where the owner names the other hub or lets it in once more', async () => {
    const { dad, mum } = await house.couple();
    await house.clock.until(() => dad.peer(mum).capabilities !== null, 'Dad has asked');
    const asked = asksOf(dad);
    await dad.directory.update(mum.key, { name: 'Kitchen' }, PERSON);
    expect(dad.seen.at(-1)).toMatchObject({ type: 'peer', peer: { name: 'Kitchen' } });
    await dad.directory.update(mum.key, { person: 'Ann', role: 'adult' }, PERSON);
    await house.clock.settle();
    expect(asked.count).toBe(0);
    await dad.directory.update(mum.key, { trust: 'paired' }, PERSON);
    expect(dad.auditActions()).toEqual(['peer.changed', 'peer.changed', 'peer.changed']);
  });

  it('are told to pages again once a hub that was stopped is started again', async () => {
    const { dad, mum } = await house.couple();
    await dad.halt();
    dad.seen.length = 0;
    await dad.start();
    await house.clock.until(() => dad.links.isOnline(mum.key), 'it is online again', 60_000);
    expect(dad.seen.map(({ type }) => type)).toContain('peer');
  });

  it('show the round trip of the last ping, and none while offline', async () => {
    const { dad, mum } = await house.couple();
    const answered = await dad.links.ping(mum.key);
    expect(answered.ok && answered.value.roundTripMs).toBe(dad.peer(mum).round_trip_ms);
    await mum.halt();
    await house.clock.until(() => !dad.links.isOnline(mum.key), 'it is offline');
    expect(dad.peer(mum).round_trip_ms).toBeNull();
  });

  it('F-13: are found dead and dialled anew soon after a sleep, without a burst; a live one is kept', async () => {
    const { dad, mum } = await house.couple();
    const kid = await house.hub('Kid');
    await dad.pins(kid);
    await kid.pins(dad);
    dad.hears(kid);
    await house.clock.until(() => dad.links.isOnline(kid.key), 'the third is online too');
    const kept = Object.keys((await kid.transport.statistics()).roundTripMs);
    // While he slept, Mum gave his line up. Nothing tells him, and she is not the one to dial.
    const { transport } = mum;
    if (!(transport instanceof MemoryTransport))
      throw new Error('this test needs the network in memory');
    transport.dial = () =>
      Promise.resolve({ ok: false, error: { type: 'refused', reason: 'not from here' } });
    transport.forget();
    await house.clock.advance(120_000);
    expect([dad.links.isOnline(mum.key), mum.links.isOnline(dad.key)]).toEqual([true, false]);
    let dials = 0;
    const dial = dad.transport.dial.bind(dad.transport);
    dad.transport.dial = (target, signal) => {
      dials++;
      return dial(target, signal);
    };
    house.clock.jumpWall(3_600_000);
    await house.clock.until(() => mum.links.isOnline(dad.key), 'they are connected again', 60_000);
    expect(dad.links.isOnline(mum.key)).toBe(true);
    await house.clock.advance(60_000);
    expect(dials).toBe(1);
    expect(Object.keys((await kid.transport.statistics()).roundTripMs)).toEqual(kept);
  });

  it('carry requests and their answers, and one-way messages', async () => {
    const { dad, mum } = await house.couple();
    const got: unknown[] = [];
    mum.links.onRequest('query', ({ envelope, peer }) => {
      got.push([peer.petname, envelope.payload['question']]);
      return Promise.resolve({ kind: 'response', payload: { data: 42, summary: 'forty-two' } });
    });
    mum.links.onMessage('notify', ({ envelope }) => {
      got.push(envelope.payload['topic']);
      return Promise.resolve();
    });
    const answered = await dad.links.request(
      mum.key,
      message('query', { question: 'what?' }),
      5_000,
    );
    expect(answered.ok && answered.value.payload['summary']).toBe('forty-two');
    expect(
      (await dad.links.send(mum.key, message('notify', { topic: 'dinner', data: 1 }))).ok,
    ).toBe(true);
    await house.clock.until(() => got.length === 2);
    expect(got).toEqual([['Dad', 'what?'], 'dinner']);
  });

  it('turn what a handler throws into an error for the asker, and nothing of our insides', async () => {
    const { dad, mum } = await house.couple();
    mum.links.onRequest('query', () => Promise.reject(new Error('secret path /home/mum')));
    const answered = await dad.links.request(mum.key, message('query', { question: '?' }), 5_000);
    expect(answered.ok).toBe(false);
    if (answered.ok) return;
    expect(answered.error).toMatchObject({ code: 'internal', failedBy: 'peer' });
    expect(JSON.stringify(answered.error.data)).not.toContain('/home/mum');
  });

  it('say that the peer failed where its answer is of another kind than was asked for', async () => {
    const { dad, mum } = await house.couple();
    mum.links.onRequest('query', () => Promise.resolve({ kind: 'pong', payload: {} }));
    const answered = await dad.links.request(mum.key, message('query', { question: '?' }), 5_000);
    expect(answered).toMatchObject({
      ok: false,
      error: { code: 'internal', failedBy: 'peer', data: { failed_by: 'peer' } },
    });
  });

  it('fail at once when the peer is not connected', async () => {
    const [dad, mum] = [await house.hub('Dad'), await house.hub('Mum')];
    await dad.pins(mum);
    const answered = await dad.links.request(mum.key, message('query', { question: '?' }), 5_000);
    expect(answered).toMatchObject({ ok: false, error: { code: 'peer_unreachable' } });
  });

  it('do not send a kind that the peer did not advertise', async () => {
    const { dad, mum } = await house.couple();
    await dad.directory.note(mum.key, { features: ['discover'] });
    const answered = await dad.links.request(mum.key, message('delegate', { task: 'x' }), 5_000);
    expect(answered).toMatchObject({ ok: false, error: { code: 'unsupported_feature' } });
  });

  it('name the kinds that are answered when an unknown one comes', async () => {
    const { dad, mum } = await house.couple();
    const answered = await dad.links.request(mum.key, message('dance'), 5_000);
    expect(answered.ok).toBe(false);
    if (answered.ok) return;
    expect(answered.error.code).toBe('unknown_kind');
    expect(JSON.stringify(answered.error.data)).toContain('hello, ping, pair, discover');
  });

  it('are dialled again after a loss, with growing waits while nobody answers', async () => {
    const { dad, mum } = await house.couple();
    await mum.halt();
    await house.clock.until(() => !dad.links.isOnline(mum.key), 'the loss is noticed');
    await house.clock.until(() => dad.peer(mum).trouble !== null, 'the trouble is shown', 120_000);
    expect(dad.peer(mum).trouble).toContain("can't be reached");
    const back = await house.restart(mum);
    await house.clock.until(() => dad.links.isOnline(back.key), 'it is back', 60_000);
    expect(dad.peer(back)).toMatchObject({ online: true, trouble: null });
  });

  it('notice a hub that was killed and replace its connection when it dials anew, even where the older one would be kept', async () => {
    const [one, two] = [await house.hub('One'), await house.hub('Two')];
    const [lower, higher] = one.agentId < two.agentId ? [one, two] : [two, one];
    await lower.pins(higher);
    await higher.pins(lower);
    lower.hears(higher);
    await house.clock.until(
      () => lower.links.isOnline(higher.key) && higher.links.isOnline(lower.key),
      'both are online',
    );
    const told: boolean[] = [];
    lower.links.onPresence((key, isOnline) => void (key === higher.key && told.push(isOnline)));
    const back = await house.killAndRestart(higher);
    back.hears(lower);
    await house.clock.until(
      () => back.links.isOnline(lower.key),
      'the restarted hub is connected',
      5_000,
    );
    // Told that it is back, though it never counted as gone, once the line is given up into which
    // things may have been lost.
    await house.clock.until(() => told.length > 0, 'it is told', 5_000);
    await house.clock.advance(30_000);
    expect(told).toEqual([true]);
    back.links.onRequest('query', () =>
      Promise.resolve({ kind: 'response', payload: { data: null, summary: 'here' } }),
    );
    const asked = lower.links.request(back.key, message('query', { question: 'there?' }), 5_000);
    await house.clock.advance(6_000);
    expect((await asked).ok).toBe(true);
  });

  it('fail what is under way on a connection that the other hub has lost soon after it dials anew', async () => {
    const [one, two] = [await house.hub('One'), await house.hub('Two')];
    const [lower, higher] = one.agentId < two.agentId ? [one, two] : [two, one];
    await lower.pins(higher);
    await higher.pins(lower);
    higher.hears(lower);
    await house.clock.until(
      () => lower.links.isOnline(higher.key) && higher.links.isOnline(lower.key),
      'both are online',
    );
    lower.links.onRequest('query', () => new Promise(() => undefined));
    let failed: string | undefined;
    void higher.links
      .request(lower.key, message('query', { question: 'there?' }), 60_000)
      .then((answered) => {
        failed = answered.ok ? 'answered' : answered.error.code;
      });
    await house.clock.advance(100);
    const back = await house.killAndRestart(lower);
    back.hears(higher);
    await house.clock.until(
      () => back.links.isOnline(higher.key),
      'the restarted hub is connected',
      5_000,
    );
    await house.clock.advance(LOST_AFTER_CHECK_MS + 100);
    expect(failed).toBe('peer_unreachable');
    expect(higher.links.isOnline(lower.key)).toBe(true);
  });

  it('keep one connection after both dialled at once: that of the lower agent id', async () => {
    const [dad, mum] = [await house.hub('Dad'), await house.hub('Mum')];
    await dad.pins(mum);
    await mum.pins(dad);
    const told: string[] = [];
    for (const stack of [dad, mum])
      stack.links.onPresence((_key, isOnline) => told.push(`${stack.name} ${isOnline}`));
    const dialled = dialTogether(dad, mum);
    dad.hears(mum);
    mum.hears(dad);
    await house.clock.until(() => dad.links.isOnline(mum.key) && mum.links.isOnline(dad.key));
    expect((await dad.transport.statistics()).connections).toBe(2);
    await house.clock.advance(10_000);
    expect((await dad.transport.statistics()).connections).toBe(1);
    expect((await mum.transport.statistics()).connections).toBe(1);
    const lower = dad.agentId < mum.agentId ? dad : mum;
    const kept = Object.keys((await lower.transport.statistics()).roundTripMs);
    expect(kept).toEqual([String(dialled.get(lower))]);
    expect(told.sort()).toEqual(['Dad true', 'Mum true']);
    expect(dad.links.isOnline(mum.key) && mum.links.isOnline(dad.key)).toBe(true);
    dad.links.onRequest('query', () =>
      Promise.resolve({ kind: 'response', payload: { data: 1, summary: 'still here' } }),
    );
    const asked = mum.links.request(dad.key, message('query', { question: '?' }), 5_000);
    await house.clock.settle();
    expect((await asked).ok).toBe(true);
  });

  it('never dial more than four hubs at once', async () => {
    const dad = await house.hub('Dad');
    const others = await Promise.all(
      Array.from({ length: 9 }, (_, number) => house.hub(`Hub ${number}`)),
    );
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
    await house.clock.advance(40_000);
    expect(most).toBe(4);
  });

  it('are cut within a second when the owner suspends or removes the peer, and it is let in no more', async () => {
    const { dad, mum } = await house.couple();
    await mum.directory.update(dad.key, { trust: 'suspended' }, PERSON);
    await house.clock.advance(500);
    expect(mum.links.isOnline(dad.key)).toBe(false);
    await house.clock.advance(60_000);
    expect(mum.links.isOnline(dad.key)).toBe(false);
    expect(dad.peer(mum).trouble).toContain('refuses this hub: it was suspended or removed there');
    expect(dad.peer(mum)).toMatchObject({
      not_trusted_there: true,
      trouble: expect.not.stringMatching(/not know|pair/),
    });
    expect(dad.links.isShutOut(mum.key)).toBe(true);
    await mum.directory.update(dad.key, { trust: 'paired' }, PERSON);
    await house.clock.until(() => mum.links.isOnline(dad.key), 'it is let in again', 60_000);
    expect(dad.links.isShutOut(mum.key)).toBe(false);
    await mum.directory.remove(dad.key, PERSON);
    await house.clock.advance(500);
    expect(mum.links.isOnline(dad.key)).toBe(false);
    expect(mum.store.read.peer(dad.key)?.trust).toBe('revoked');
    expect(mum.auditActions()).toEqual(['peer.revoked', 'peer.resumed', 'peer.suspended']);
  });

  it('MD-01: an advertisement for a paired hub with another address is dialled, fails on the key, and changes nothing', async () => {
    const { dad, mum } = await house.couple();
    const stranger = await house.hub('Mum');
    await mum.halt();
    house.release(mum);
    await house.clock.until(() => !dad.links.isOnline(mum.key));
    dad.directory.foundNearby({
      agentId: mum.agentId,
      keyHex: mum.key,
      port: stranger.port,
      addresses: ['127.0.0.1'],
      label: 'Evil twin',
    });
    await house.clock.until(
      () => dad.auditActions().includes('peer.wrong_key'),
      'the wrong key is audited',
      30_000,
    );
    await house.clock.until(() => dad.peer(mum).trouble !== null, 'the trouble is shown', 60_000);
    expect(dad.links.isOnline(mum.key)).toBe(false);
    expect(dad.links.isOnline(stranger.key)).toBe(false);
    expect(dad.peer(mum)).toMatchObject({ name: 'Mum', trust: 'paired', public_key: mum.key });
    expect(dad.store.read.peer(mum.key)?.lastPort).toBe(mum.port);
    await mum.store.close();
  });

  it('HE-09: another key under the name and at the address of a paired hub is refused, pointed out, and never takes its place', async () => {
    const { dad, mum } = await house.couple();
    await mum.halt();
    await house.clock.until(() => !dad.links.isOnline(mum.key), 'the loss is noticed');
    const successor = await house.hub('Mum', { port: mum.port });
    dad.hears(successor);
    successor.hears(dad);
    await house.clock.until(
      () => dad.peer(mum).trouble?.includes('Another hub answered') === true,
      'the refusal is shown',
      60_000,
    );
    expect(dad.peer(successor)).toMatchObject({ trust: 'discovered', lookalike: 'Mum' });
    expect(dad.peer(mum)).toMatchObject({
      trust: 'paired',
      name: 'Mum',
      public_key: mum.key,
      online: false,
    });
    expect(dad.store.read.peers().map(({ key }) => key)).toEqual([mum.key]);
    expect((await dad.links.request(mum.key, message('query', { question: '?' }), 1_000)).ok).toBe(
      false,
    );
  });
});
