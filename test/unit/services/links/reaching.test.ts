// How hubs are reached and heard of: host names looked up again, hints from discovery, an answer to
// hello that comes late, and the operations that people and agents call for it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller, CallContext } from '../../../../main/api/caller.ts';
import { pairingsHandlers } from '../../../../main/api/operations/pairings.ts';
import { peersHandlers } from '../../../../main/api/operations/peers.ts';
import type {
  Advertisement,
  Discovery,
  DiscoveryCondition,
  DiscoveryEvent,
} from '../../../../main/ports/discovery.ts';
import type { Resolver } from '../../../../main/ports/resolver.ts';
import {
  DiscoveryService,
  type DiscoveryServiceDeps,
} from '../../../../main/services/links/discovery-service.ts';
import { CLOSE_CODES } from '../../../../main/ports/transport.ts';
import { writeShareToken } from '../../../../main/services/links/hub-address.ts';
import type { HubStack } from '../../../fakes/hub-stack.ts';
import { SILENT_LOG } from '../../../fakes/memory-store.ts';
import { StackHouse } from '../../../support/stack-house.ts';
import { RawHub } from './raw-hub.ts';
import { pinOf } from '../../../fakes/sample-rows.ts';

let house: StackHouse;
const owner: Caller = { kind: 'owner', tokenId: 't1', surface: 'command_line' };
const context: CallContext = { signal: new AbortController().signal, idempotencyKey: null };

beforeEach(() => (house = new StackHouse()));
afterEach(() => house.close());

/** The home network as a script. */
class ScriptedDiscovery implements Discovery {
  readonly advertisements: (Advertisement | null)[] = [];
  hear: (event: DiscoveryEvent) => void = () => undefined;
  goodbyes = 0;
  fails = false;

  start(
    advertisement: Advertisement | null,
    onEvent: (event: DiscoveryEvent) => void,
  ): Promise<void> {
    if (this.fails) return Promise.reject(new Error('no multicast'));
    this.advertisements.push(advertisement);
    this.hear = onEvent;
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.goodbyes++;
    return Promise.resolve();
  }
}

describe('a hub named by host', () => {
  it('is looked up, and looked up again when the answer is a minute old', async () => {
    const lookups: string[] = [];
    let addresses = ['203.0.113.9'];
    const resolver: Resolver = {
      resolve: (host) => {
        lookups.push(host);
        return Promise.resolve(addresses);
      },
    };
    const [dad, mum] = [await house.hub('Dad', { resolver }), await house.hub('Mum')];
    const dialled: string[] = [];
    const dial = dad.transport.dial.bind(dad.transport);
    dad.transport.dial = (target, signal) => {
      dialled.push(target.host);
      return target.host === '127.0.0.1'
        ? dial(target, signal)
        : Promise.resolve({ ok: false, error: { type: 'refused', reason: 'nobody' } });
    };
    await mum.pins(dad);
    await dad.pins(mum);
    const { handlers } = operations(dad);
    await handlers['peers.update'](
      { id: mum.agentId, address: `mum.example:${mum.port}` },
      owner,
      context,
    );
    await house.clock.advance(50_000);
    expect(lookups).toEqual(['mum.example']);
    expect(dialled.length).toBeGreaterThan(3);
    expect(new Set(dialled)).toEqual(new Set(['203.0.113.9']));
    expect(dad.peer(mum)).toMatchObject({
      online: false,
      trouble: expect.stringContaining("can't be reached"),
    });
    addresses = ['127.0.0.1'];
    await house.clock.until(() => dad.links.isOnline(mum.key), 'the new address is found', 60_000);
    expect(lookups).toEqual(['mum.example', 'mum.example']);
    expect(dad.peer(mum)).toMatchObject({ how_found: 'static', online: true });
  });
});

describe('discovery', () => {
  it('announces the hub without its name, and feeds what is heard into the list', async () => {
    const [dad, mum] = [await house.hub('Dad'), await house.hub('Mum')];
    const network_ = new ScriptedDiscovery();
    const service = discoveryOf(dad, network_);
    await service.start(dad.port);
    await service.start(dad.port);
    expect(network_.advertisements).toEqual([
      { agentId: dad.agentId, keyHex: dad.key, peerPort: dad.port },
    ]);
    network_.hear({
      type: 'found',
      hub: {
        agentId: mum.agentId,
        keyHex: mum.key,
        port: mum.port,
        addresses: ['127.0.0.1'],
        label: 'x',
      },
    });
    expect(dad.directory.list('nearby').map(({ id }) => id)).toEqual([mum.agentId]);
    network_.hear({ type: 'lost', agentId: mum.agentId });
    expect(dad.directory.list('nearby')).toEqual([]);
    await service.stop();
    await service.stop();
    expect(network_.goodbyes).toBe(1);
    network_.hear({
      type: 'found',
      hub: {
        agentId: mum.agentId,
        keyHex: mum.key,
        port: mum.port,
        addresses: ['127.0.0.1'],
        label: 'x',
      },
    });
    expect(dad.directory.list('nearby')).toEqual([]);
  });

  it('forgets who is near, also when its goodbye fails', async () => {
    const [dad, mum] = [await house.hub('Dad'), await house.hub('Mum')];
    const network_ = new ScriptedDiscovery();
    const service = discoveryOf(dad, network_);
    await service.start(dad.port);
    network_.stop = () => Promise.reject(new Error('the interface is gone'));
    network_.hear({
      type: 'found',
      hub: {
        agentId: mum.agentId,
        keyHex: mum.key,
        port: mum.port,
        addresses: ['127.0.0.1'],
        label: 'x',
      },
    });
    await service.stop();
    expect([dad.directory.list('nearby'), service.status.state]).toEqual([[], 'off']);
  });

  it('is a warning, not a failure, on a network that does not let us', async () => {
    const dad = await house.hub('Dad');
    const network_ = new ScriptedDiscovery();
    network_.fails = true;
    const service = discoveryOf(dad, network_);
    await service.start(dad.port);
    expect(service.status).toMatchObject({
      state: 'unusable',
      message: expect.stringContaining('added by address'),
    });
    network_.fails = false;
    await service.start(dad.port);
    network_.hear({ type: 'condition', condition: { working: ['eth0'], unusable: [] } });
    expect(service.status).toEqual({ state: 'working', message: null, interfaces: ['eth0'] });
    await service.stop();
    expect(service.status.state).toBe('off');
  });

  it('tells each change of what it can do once, to the pages and to the log', async () => {
    const dad = await house.hub('Dad');
    const network_ = new ScriptedDiscovery();
    const told: string[] = [];
    const logged: string[] = [];
    const note = (_sentence: string, facts?: Readonly<Record<string, unknown>>): void =>
      void logged.push(String(facts?.['state']));
    const log = { ...SILENT_LOG, warn: note };
    const service = discoveryOf(dad, network_, { onStatus: ({ state }) => told.push(state), log });
    await service.start(dad.port);
    const hear = (condition: DiscoveryCondition): void =>
      network_.hear({ type: 'condition', condition });
    const nothing: DiscoveryCondition = {
      working: [],
      unusable: [{ name: 'tun0', why: 'point-to-point' }],
    };
    hear(nothing);
    hear(nothing);
    hear({ working: ['eth0'], unusable: [{ name: 'tun0', why: 'point-to-point' }] });
    hear({ working: ['eth0'], unusable: [{ name: 'wlan0', why: 'blocked' }] });
    await service.stop();
    hear(nothing);
    expect(told).toEqual(['starting', 'unusable', 'working', 'impaired', 'off']);
    expect(logged).toEqual(['unusable', 'impaired']);
  });

  it('makes a hub dial at once after a network change instead of waiting its turn', async () => {
    const [dad, mum] = [await house.hub('Dad'), await house.hub('Mum')];
    await dad.pins(mum);
    await mum.pins(dad);
    const { port } = mum;
    dad.hears(mum);
    await mum.halt();
    await house.clock.advance(120_000);
    expect(dad.links.isOnline(mum.key)).toBe(false);
    const network_ = new ScriptedDiscovery();
    const service = discoveryOf(dad, network_);
    await service.start(dad.port);
    await house.clock.advance(10_500);
    await mum.start(port);
    network_.hear({ type: 'network-changed' });
    await house.clock.until(() => dad.links.isOnline(mum.key), 'it is connected soon', 12_000);
    await service.stop();
  });
});

describe('hello', () => {
  /** A hub that dials another one that is paired, with its hello as it came there. */
  async function greeted() {
    const dad = await house.hub('Dad');
    const raw = await new RawHub(house.network.create()).start();
    house.endsWith(() => raw.transport.stop());
    await dad.store.write((tables) => dad.directory.pinInside(tables, pinOf(raw.key, 'Raw')));
    dad.directory.pinned(raw.key);
    dad.directory.foundNearby({
      agentId: raw.agentId,
      keyHex: raw.key,
      port: raw.port,
      addresses: ['127.0.0.1'],
      label: 'raw',
    });
    await house.clock.until(
      () => raw.events.some(({ type }) => type === 'request'),
      'the hello came',
    );
    const hello = raw.events.find((event) => event.type === 'request');
    if (hello?.type !== 'request') throw new Error('no hello');
    return { dad, raw, hello };
  }

  it('may be overtaken on the way back: what the other side sends meanwhile waits for it and is answered', async () => {
    const { dad, raw, hello } = await greeted();
    const early = raw.transport.request(
      hello.connectionId,
      raw.envelope(dad.agentId, 'ping', {}),
      4_000,
    );
    await house.clock.advance(1_000);
    const { id } = JSON.parse(new TextDecoder().decode(hello.bytes));
    const payload = { protocol_versions: [1], selected_version: 1, features: [] };
    raw.transport.respond(
      hello.connectionId,
      hello.streamId,
      raw.envelope(dad.agentId, 'hello', payload, { ref: id }),
    );
    await house.clock.settle();
    const answered = await early;
    expect(answered.ok && JSON.parse(new TextDecoder().decode(answered.value))).toMatchObject({
      kind: 'pong',
    });
    expect(dad.links.isOnline(raw.key)).toBe(true);
  });

  it('that is never answered closes the connection and says so', async () => {
    const { dad, raw } = await greeted();
    await house.clock.until(
      () => dad.directory.dto(raw.key).trouble !== null,
      'it is told',
      10_000,
    );
    expect(dad.directory.dto(raw.key).trouble).toBe('Raw did not answer hello in time.');
    expect(raw.events).toContainEqual(
      expect.objectContaining({ type: 'disconnected', code: CLOSE_CODES.tooSlow }),
    );
  });

  it('that is answered with something else closes the connection and says so', async () => {
    const { dad, raw, hello } = await greeted();
    const { id } = JSON.parse(new TextDecoder().decode(hello.bytes));
    const payload = { protocol_versions: [9], selected_version: 9, features: [] };
    raw.transport.respond(
      hello.connectionId,
      hello.streamId,
      raw.envelope(dad.agentId, 'hello', payload, { ref: id }),
    );
    await house.clock.settle();
    expect(dad.links.isOnline(raw.key)).toBe(false);
    expect(dad.directory.dto(raw.key).trouble).toContain('another version');
    expect(raw.events.filter(({ type }) => type === 'disconnected')).toHaveLength(1);
  });
});

describe('the operations on hubs and pairings', () => {
  it('list, find, ping and tell what a hub can do', async () => {
    const [dad, mum] = [await house.hub('Dad'), await house.hub('Mum')];
    await dad.pins(mum);
    await mum.pins(dad);
    dad.hears(mum);
    await house.clock.until(() => dad.links.isOnline(mum.key), 'they are online');
    const { handlers } = operations(dad);
    expect(
      (await handlers['peers.list']({ trust: 'paired' }, owner, context)).items.map(
        ({ name }) => name,
      ),
    ).toEqual(['Mum']);
    expect(await handlers['peers.get']({ id: 'mum' }, owner, context)).toMatchObject({
      id: mum.agentId,
      online: true,
    });
    await expect(handlers['peers.get']({ id: 'mun' }, owner, context)).rejects.toMatchObject({
      code: 'peer_not_found',
    });
    const ping = handlers['peers.ping']({ id: 'Mum' }, owner, context);
    await house.clock.settle();
    expect(await ping).toMatchObject({ status: 'idle', active_tasks: 0 });
    const told = handlers['peers.capabilities']({ id: 'Mum', refresh: true }, owner, context);
    await house.clock.settle();
    expect(await told).toMatchObject({
      untrusted: { domains: ['family.calendar'], agent_name: 'Mum' },
    });
  });

  it('add a hub by address, pair with it, and remove it, with who did it in the audit', async () => {
    const [dad, mum] = [await house.hub('Dad'), await house.hub('Mum')];
    const [his, hers] = [operations(dad).handlers, operations(mum).handlers];
    const added = await his['peers.add'](
      { address: `127.0.0.1:${mum.port}`, key: mum.key, name: 'Her hub' },
      owner,
      context,
    );
    expect(added).toMatchObject({ name: 'Her hub', trust: 'unknown', how_found: 'static' });
    await hers['pairings.window']({ open: true, minutes: 5 }, owner, context);
    const begun = await his['pairings.start']({ peer: 'her hub' }, owner, context);
    expect(begun).toMatchObject({
      state: 'waiting_for_answer',
      role: 'initiator',
      peer_id: mum.agentId,
    });
    await house.clock.until(() => mum.currentPairing?.state === 'offered', 'the request came');
    const asked = mum.currentPairing?.id ?? '';
    await hers['pairings.open']({ id: asked }, owner, context);
    await house.clock.until(() => dad.currentPairing?.state === 'type_six', 'six may be typed');
    await expect(his['pairings.start']({ peer: 'her hub' }, owner, context)).rejects.toMatchObject({
      code: 'conflict',
      hint: expect.stringContaining(`"axon pair cancel ${begun.id}"`),
    });
    await expect(
      hers['pairings.digits']({ id: asked, digits: '12' }, owner, context),
    ).rejects.toMatchObject({ code: 'conflict' });
    await his['pairings.digits'](
      { id: begun.id, digits: mum.currentPairing?.six ?? '' },
      owner,
      context,
    );
    await house.clock.until(() => mum.currentPairing?.state === 'type_two', 'two may be typed');
    await hers['pairings.digits'](
      { id: asked, digits: dad.currentPairing?.two ?? '' },
      owner,
      context,
    );
    await house.clock.until(() => dad.links.isOnline(mum.key), 'they are online');
    expect(dad.store.read.peer(mum.key)).toMatchObject({
      petname: 'Her hub',
      staticHost: '127.0.0.1',
      staticPort: mum.port,
    });
    expect(dad.store.read.getMeta('static_hubs')).toBe('[]');
    expect((await his['pairings.list']({}, owner, context)).items).toMatchObject([
      { state: 'paired' },
    ]);
    await expect(his['pairings.cancel']({ id: 'nothing' }, owner, context)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await his['peers.remove']({ id: 'Her hub' }, owner, context)).toEqual({ removed: true });
    expect(
      dad.store.read
        .audit({ limit: 10 })
        .map(({ actor, surface, action }) => [actor, surface, action]),
    ).toEqual([
      ['owner:t1', 'command_line', 'peer.revoked'],
      ['owner:t1', 'command_line', 'peer.paired'],
    ]);
  });

  it('add a hub by a link that holds its key and address', async () => {
    const [dad, mum] = [await house.hub('Dad'), await house.hub('Mum')];
    const { handlers } = operations(dad);
    const address = writeShareToken(mum.key, { host: '127.0.0.1', port: mum.port });
    expect(await handlers['peers.add']({ address }, owner, context)).toMatchObject({
      id: mum.agentId,
      address: `127.0.0.1:${mum.port}`,
    });
    await expect(
      handlers['peers.add']({ address: '127.0.0.1' }, owner, context),
    ).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('let a person pair again with a hub that was removed, and only that person', async () => {
    const [dad, mum] = [await house.hub('Dad'), await house.hub('Mum')];
    await dad.pins(mum);
    await mum.pins(dad);
    dad.hears(mum);
    mum.hears(dad);
    await house.clock.until(() => dad.links.isOnline(mum.key), 'they are online');
    const [his, hers] = [operations(dad).handlers, operations(mum).handlers];
    await hers['peers.remove']({ id: 'Dad' }, owner, context);
    await house.clock.advance(60_000);
    expect(mum.links.isOnline(dad.key)).toBe(false);
    await his['pairings.window']({ open: true, minutes: 30 }, owner, context);
    const begun = await hers['pairings.start']({ peer: dad.agentId }, owner, context);
    await house.clock.until(() => dad.currentPairing?.state === 'offered', 'the request came');
    await his['pairings.open']({ id: dad.currentPairing?.id ?? '' }, owner, context);
    await house.clock.until(() => mum.currentPairing?.state === 'type_six', 'six may be typed');
    await hers['pairings.digits'](
      { id: begun.id, digits: dad.currentPairing?.six ?? '' },
      owner,
      context,
    );
    await house.clock.until(() => dad.currentPairing?.state === 'type_two', 'two may be typed');
    await his['pairings.digits'](
      { id: dad.currentPairing?.id ?? '', digits: mum.currentPairing?.two ?? '' },
      owner,
      context,
    );
    await house.clock.until(
      () => mum.links.isOnline(dad.key) && dad.links.isOnline(mum.key),
      'they are online again',
    );
    expect(mum.peer(dad)).toMatchObject({ trust: 'paired' });
  });
});

function operations(stack: HubStack): {
  handlers: ReturnType<typeof peersHandlers> & ReturnType<typeof pairingsHandlers>;
} {
  const { directory, links, keyTrust, pairing } = stack;
  return {
    handlers: {
      ...peersHandlers({
        directory,
        links,
        keyTrust,
        tokenUse: () => ({ days: 30, here: 0, there: 0 }),
      }),
      ...pairingsHandlers({ pairing, hub: { places: () => [] } }),
    },
  };
}

function discoveryOf(
  stack: HubStack,
  discovery: Discovery,
  over: Partial<Pick<DiscoveryServiceDeps, 'onStatus' | 'log'>> = {},
): DiscoveryService {
  const { directory, identity } = stack;
  return new DiscoveryService({
    onOwnId: () => undefined,
    discovery,
    directory,
    identity,
    redial: () => stack.links.redial(),
    onStatus: () => undefined,
    log: SILENT_LOG,
    ...over,
  });
}
