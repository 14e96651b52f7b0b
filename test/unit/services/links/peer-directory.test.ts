// Who is known, what they are called, and who is meant: petnames, recipients, hints from the
// network, hubs by address.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toHex } from '../../../../main/lib/bytes.ts';
import { agentIdOfKeyHex } from '../../../../main/protocol/agent-id.ts';
import type { FoundHub } from '../../../../main/ports/discovery.ts';
import {
  readHubAddress,
  readHubPlace,
  readPublicKey,
  writeShareToken,
} from '../../../../main/services/links/hub-address.ts';
import { findHub } from '../../../../main/services/links/hub-finder.ts';
import { hubLabel } from '../../../../main/services/links/peer-names.ts';
import { type HubStack, PERSON } from '../../../fakes/hub-stack.ts';
import { StackHouse } from '../../../support/stack-house.ts';
import { pinOf } from '../../../fakes/sample-rows.ts';

let house: StackHouse;
let hub: HubStack;

beforeEach(async () => {
  house = new StackHouse();
  hub = await house.hub('Home');
});
afterEach(() => house.close());

function someHub(change: Partial<FoundHub> = {}): FoundHub {
  const keyHex = toHex(new Uint8Array(randomBytes(32)));
  return {
    keyHex,
    agentId: agentIdOfKeyHex(keyHex),
    port: 7100,
    addresses: ['192.168.1.7'],
    label: 'a hub',
    ...change,
  };
}

async function pin(petname: string, keyHex = someHub().keyHex): Promise<string> {
  await house.clock.advance(1); // no two of them at the same time, which is their order
  await hub.store.write((tables) => hub.directory.pinInside(tables, pinOf(keyHex, petname)));
  hub.directory.pinned(keyHex);
  return keyHex;
}

const codeOf = (run: () => unknown): unknown => {
  try {
    run();
    return 'no error';
  } catch (error) {
    return typeof error === 'object' && error !== null && 'code' in error
      ? [error.code, 'hint' in error ? error.hint : undefined]
      : error;
  }
};

describe('whom "to" means', () => {
  it('is found by petname in any case, agent id in any case, key, and "hub/agent"', async () => {
    const key = await pin("Mum's PC");
    const { directory } = hub;
    for (const to of [
      "Mum's PC",
      'Mum’s PC',
      "mum's pc",
      "  MUM'S  PC ",
      agentIdOfKeyHex(key),
      agentIdOfKeyHex(key).toUpperCase(),
      key,
    ]) {
      expect(directory.resolve(to)).toMatchObject({ peer: { key }, agent: null });
    }
    expect(directory.resolve("mum's pc/kitchen")).toMatchObject({
      peer: { key },
      agent: 'kitchen',
    });
  });

  it('is found with a straight apostrophe where its name has a curly one', async () => {
    const key = await pin('Dad’s laptop');
    for (const to of ["Dad's laptop", 'dad`s laptop', 'DAD’S LAPTOP'])
      expect(hub.directory.resolve(to).peer.key).toBe(key);
  });

  it('may hold joiners where a language or an emoji needs them, and is the same name without', async () => {
    const [key, other] = [await pin('Mum'), await pin('Dad')];
    for (const [name, plain] of [
      ['Familie 👨\u200d👩\u200d👧', 'familie 👨👩👧'],
      ['خانه\u200cی ما', 'خانهی ما'],
    ] as const) {
      await hub.directory.update(key, { name }, PERSON);
      expect(hub.directory.dto(key).name).toBe(name);
      expect(hub.directory.resolve(plain).peer.key).toBe(key);
      await expect(hub.directory.update(other, { name: plain }, PERSON)).rejects.toMatchObject({
        code: 'conflict',
      });
    }
    for (const name of ['Da\u200dd', 'Dad\u202e', '\u3164x', 'خانه\u200c\u200cی'])
      await expect(hub.directory.update(key, { name }, PERSON)).rejects.toMatchObject({
        code: 'bad_request',
      });
  });

  it('is what the store says, whoever wrote it, and nothing where the commit did not come to be', async () => {
    const key = await pin('Attic');
    const put = (petname: string, isKept = true): Promise<void> =>
      hub.store.write((tables) => {
        tables.putPeer({ ...(tables.peer(key) ?? expect.fail('not there')), petname });
        if (!isKept) throw new Error('not kept');
      });
    await put('Loft');
    expect(hub.directory.resolve('loft').peer.petname).toBe('Loft');
    await put('Cellar', false).catch(() => undefined);
    expect(hub.directory.nameOf(key)).toBe('Loft');
    await hub.directory.note(key, { highestVersion: 7 });
    expect(hub.store.read.peer(key)).toEqual(hub.directory.row(key));
    expect(hub.directory.row(key)).toMatchObject({ petname: 'Loft', highestVersion: 7 });
  });

  it('is answered with the known names when it is unknown', async () => {
    await pin('Mum');
    await pin('Attic');
    await pin('Grandmother');
    expect(codeOf(() => hub.directory.resolve('office'))).toEqual([
      'peer_not_found',
      'Known hubs: Mum, Attic, Grandmother.',
    ]);
  });

  it('is never a stranger whose key was made to show like a paired hub, also once that one has another name', async () => {
    const stranger = someHub();
    const name = hubLabel(stranger.agentId);
    const key = await pin(name);
    hub.directory.foundNearby(stranger);
    const names = hub.directory.list('all').map((peer) => [peer.trust, peer.name]);
    expect(names).toEqual([
      ['paired', name],
      ['discovered', stranger.agentId],
    ]);
    expect([hub.directory.resolve(name).peer.key, hub.directory.keyOf(name)]).toEqual([key, key]);
    await hub.directory.update(key, { name: 'Mum' }, PERSON);
    expect(hub.directory.dto(stranger.keyHex).name).toBe(name);
    expect(codeOf(() => hub.directory.resolve(name))).toEqual([
      'peer_not_found',
      'Known hubs: Mum.',
    ]);
    expect(codeOf(() => hub.directory.resolve(`${name}/kitchen`))).toEqual([
      'peer_not_found',
      expect.any(String),
    ]);
    expect(hub.directory.resolve('Mum').peer.key).toBe(key);
  });

  it('is said to be one of several, by their agent ids, where a person names two that look the same', async () => {
    const [one, other] = [someHub(), someHub()];
    const shown = {
      row: () => undefined,
      isListed: () => true,
      nameOf: () => 'Hub 3f2a 91bc',
      petnameOf: () => null,
      petnames: () => [],
    };
    const hubs = { ...shown, knownKeys: () => [one.keyHex, other.keyHex] };
    expect(codeOf(() => findHub('hub 3f2a 91bc', hubs))).toEqual([
      'conflict',
      'Give the agent id of the one you mean.',
    ]);
    expect(() => findHub('hub 3f2a 91bc', hubs)).toThrow(`${one.agentId} and ${other.agentId}`);
    expect(findHub(other.agentId, hubs)).toBe(other.keyHex);
  });

  it('says that a hub is there but not paired, suspended, or removed', async () => {
    const found = someHub();
    hub.directory.foundNearby(found);
    expect(codeOf(() => hub.directory.resolve(found.agentId))).toEqual([
      'pairing_required',
      expect.stringContaining('Add'),
    ]);
    const key = await pin('Mum');
    await hub.directory.update(key, { trust: 'suspended' }, PERSON);
    expect(codeOf(() => hub.directory.resolve('mum'))).toEqual(['blocked', expect.any(String)]);
    await hub.directory.remove(key, PERSON);
    expect(codeOf(() => hub.directory.resolve('mum'))).toEqual([
      'peer_not_found',
      expect.any(String),
    ]);
    expect(hub.store.read.peer(key)?.trust).toBe('revoked');
  });

  it('says so, too, of a removed hub that was added again by its address', async () => {
    const key = await pin('Attic');
    await hub.directory.remove(key, PERSON);
    await hub.directory.addStatic({ keyHex: key, host: '192.0.2.7', port: 7100, name: 'Attic' });
    expect(codeOf(() => hub.directory.resolve('attic'))).toEqual([
      'pairing_required',
      expect.stringContaining('Add'),
    ]);
  });

  it('is no adult again, when its hub was removed and is paired anew, until the owner says so; paired again without that it stays one', async () => {
    const key = await pin('Mum');
    await hub.directory.update(key, { role: 'adult' }, PERSON);
    await pin('Mum', key);
    expect(hub.directory.dto(key).role).toBe('adult');
    await hub.directory.remove(key, PERSON);
    await pin('Mum', key);
    expect(hub.directory.dto(key)).toMatchObject({ trust: 'paired', role: null });
  });
});

describe('the names of hubs', () => {
  it('are unique, also against names that only look the same', async () => {
    const key = await pin('Mum');
    await pin('Dad');
    for (const name of ['dad', 'DAD', ' Dad ', 'D\u0430d']) {
      await expect(hub.directory.update(key, { name }, PERSON)).rejects.toMatchObject({
        code: 'conflict',
      });
    }
    expect((await hub.directory.update(key, { name: 'Mum 2' }, PERSON)).name).toBe('Mum 2');
    expect(hub.store.read.peer(key)?.petname).toBe('Mum 2');
  });

  it('of removed hubs are free again: one that is still heard is not listed under a name that another has', async () => {
    const removed = someHub();
    await pin('Mum', removed.keyHex);
    hub.directory.foundNearby(removed);
    await hub.directory.remove(removed.keyHex, PERSON);
    expect(hub.directory.dto(removed.keyHex).name).toBe('Mum');
    const key = await pin('Mum');
    expect(hub.directory.dto(removed.keyHex).name).toBe(hubLabel(removed.agentId));
    expect([hub.directory.keyOf('mum'), hub.directory.resolve('mum').peer.key]).toEqual([key, key]);
  });

  it('stay what the owner made them when something else is changed at the same time', async () => {
    const key = await pin('Mum');
    const { directory, store } = hub;
    await Promise.all([
      directory.update(key, { name: 'Kitchen PC' }, PERSON),
      directory.update(key, { role: 'shared' }, PERSON),
    ]);
    expect(store.read.peer(key)).toMatchObject({ petname: 'Kitchen PC', role: 'shared' });
    expect(directory.dto(key)).toMatchObject({ name: 'Kitchen PC', role: 'shared' });
  });

  it('are refused to the second of two hubs that are given the same one at the same time, in words', async () => {
    const keys = [await pin('Mum'), await pin('Dad')];
    const both = await Promise.allSettled(
      keys.map((key) => hub.directory.update(key, { name: 'Kitchen PC' }, PERSON)),
    );
    expect(both).toMatchObject([
      { status: 'fulfilled', value: { name: 'Kitchen PC' } },
      {
        status: 'rejected',
        reason: {
          code: 'conflict',
          message: 'A hub is called Kitchen PC already, which looks the same or nearly so.',
        },
      },
    ]);
    expect(keys.map((key) => hub.store.read.peer(key)?.petname)).toEqual(['Kitchen PC', 'Dad']);
    const changes = hub.store.read
      .audit({ limit: 20 })
      .filter(({ action }) => action === 'peer.changed');
    expect(changes.map(({ object }) => object)).toEqual([keys[0]]);
  });

  it('are refused as well where they only look like the one that the other hub gets', async () => {
    const keys = [await pin('Mum'), await pin('Dad')];
    const names = ['Kitchen', 'KITCHEN'];
    const both = await Promise.allSettled(
      keys.map((key, nth) => hub.directory.update(key, { name: names[nth] ?? '' }, PERSON)),
    );
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it('cannot be empty, hold a slash or hidden characters, or be words with a meaning of their own', async () => {
    const key = await pin('Mum');
    for (const name of [
      '',
      '  ',
      'a/b',
      'M\u200bum',
      'Mum\u202e',
      'x\u0000',
      'local',
      '*',
      agentIdOfKeyHex(key),
      'x'.repeat(65),
    ]) {
      await expect(hub.directory.update(key, { name }, PERSON)).rejects.toMatchObject({
        code: 'bad_request',
      });
    }
  });

  it('never come from the network: a hub that is not paired has a neutral one, and a twin of a paired hub is pointed out', async () => {
    await pin('Mum');
    const twin = someHub();
    hub.directory.foundNearby(twin);
    const dto = hub.directory.dto(twin.keyHex);
    expect(dto.name).toBe(hubLabel(twin.agentId));
    hub.directory.foundNearby({ ...twin, label: 'mum' });
    expect(hub.directory.dto(twin.keyHex)).toMatchObject({
      untrusted: { advertised_name: null },
      lookalike: 'Mum',
    });
  });
});

describe('hints from the network', () => {
  it('MD-03: fill a table of 256 and no more, and never push out a paired hub', async () => {
    const paired = [];
    for (let number = 0; number < 3; number++) {
      const found = someHub();
      await hub.store.write((tables) =>
        hub.directory.pinInside(tables, pinOf(found.keyHex, `Paired ${number + 2}`)),
      );
      hub.directory.pinned(found.keyHex);
      hub.directory.foundNearby(found);
      paired.push(found);
    }
    for (let number = 0; number < 5_000; number++) hub.directory.foundNearby(someHub());
    expect(paired.every(({ keyHex }) => hub.directory.nearby(keyHex) !== undefined)).toBe(true);
    expect(hub.directory.list('nearby')).toHaveLength(253);
    await house.clock.advance(1_000);
    // What a page hears is bounded too: one event for each hub that is still there or was shown.
    expect(hub.seen.filter(({ type }) => type === 'peer').length).toBeLessThan(300);
  });

  it('are dropped when they do not hold together', () => {
    const found = someHub();
    const bad: FoundHub[] = [
      { ...found, agentId: someHub().agentId },
      { ...found, keyHex: 'zz' },
      { ...found, port: 0 },
      { ...found, port: 70_000 },
    ];
    for (const announced of bad) hub.directory.foundNearby(announced);
    hub.directory.foundNearby({ ...someHub(), keyHex: hub.key, agentId: hub.agentId });
    expect(hub.directory.list('all')).toEqual([]);
  });

  it('tell pages of a hub that came and went', async () => {
    const found = someHub();
    hub.directory.foundNearby(found);
    await house.clock.advance(200);
    expect(hub.seen.at(-1)).toMatchObject({
      type: 'peer',
      peer: {
        id: found.agentId,
        trust: 'discovered',
        how_found: 'home_network',
        address: '192.168.1.7:7100',
      },
    });
    hub.directory.lostNearby(found.agentId);
    await house.clock.advance(200);
    expect(hub.seen.at(-1)).toMatchObject({ type: 'peer_gone', id: found.agentId });
  });

  it('tell pages at once when it was quiet, and of the rest of a burst together a tenth of a second later', async () => {
    const told = (): readonly string[] =>
      hub.seen.flatMap((event) => (event.type === 'peer' ? event.peer.id : []));
    const [first, second, third] = [someHub(), someHub(), someHub()];
    hub.directory.foundNearby(first);
    expect(told()).toEqual([first.agentId]);
    for (const found of [second, third]) hub.directory.foundNearby(found);
    hub.directory.lostNearby(second.agentId);
    await house.clock.advance(99);
    expect(told()).toEqual([first.agentId]);
    await house.clock.advance(1);
    expect(told()).toEqual([first.agentId, third.agentId]);
    // The burst may go on: what comes now waits again, and after a quiet while nothing does.
    hub.directory.lostNearby(first.agentId);
    expect(hub.seen.at(-1)).toMatchObject({ type: 'peer' });
    await house.clock.advance(100);
    expect(hub.seen.at(-1)).toMatchObject({ type: 'peer_gone', id: first.agentId });
    await house.clock.advance(100);
    hub.directory.lostNearby(third.agentId);
    expect(hub.seen.at(-1)).toMatchObject({ type: 'peer_gone', id: third.agentId });
  });
});

describe('hubs by address', () => {
  it('are kept over a restart, trusted with nothing, and can be removed', async () => {
    const { keyHex } = someHub();
    const added = await hub.directory.addStatic({
      keyHex,
      host: 'attic.example',
      port: 7100,
      name: 'Attic',
    });
    expect(added).toMatchObject({
      name: 'Attic',
      trust: 'unknown',
      how_found: 'static',
      address: 'attic.example:7100',
      safety_number: null,
    });
    hub.directory.load();
    expect(hub.directory.list('nearby').map(({ name }) => name)).toEqual(['Attic']);
    expect(codeOf(() => hub.directory.resolve('attic'))).toEqual([
      'pairing_required',
      expect.any(String),
    ]);
    await hub.directory.remove(keyHex, PERSON);
    expect(hub.directory.list('all')).toEqual([]);
    expect(hub.store.read.getMeta('static_hubs')).toBe('[]');
  });

  it('are bounded in number', async () => {
    for (let number = 0; number < 64; number++)
      await hub.directory.addStatic({
        keyHex: someHub().keyHex,
        host: '10.0.0.1',
        port: 7100,
        name: null,
      });
    await expect(
      hub.directory.addStatic({
        keyHex: someHub().keyHex,
        host: '10.0.0.1',
        port: 7100,
        name: null,
      }),
    ).rejects.toMatchObject({
      code: 'overloaded',
    });
  });

  it('are read from what people write', () => {
    expect(readHubAddress('attic.example')).toEqual({ host: 'attic.example', port: 7100 });
    expect(readHubAddress(' 192.0.2.7:7200 ')).toEqual({ host: '192.0.2.7', port: 7200 });
    for (const text of ['[2001:db8::7]:7100', '2001:db8::7'])
      expect(() => readHubAddress(text)).toThrow('Hubs reach each other over IPv4.');
    for (const text of [
      '',
      'http://x',
      'a b',
      'x:0',
      'x:99999',
      '[x]:1',
      'user@host:1',
      '../etc',
      '[192.0.2.7]:7100',
    ]) {
      expect(() => readHubAddress(text)).toThrow(expect.objectContaining({ code: 'bad_request' }));
    }
  });

  it('are named by key in any of its forms, or by a link that holds all', () => {
    const { keyHex, agentId } = someHub();
    const bytes = Buffer.from(keyHex, 'hex');
    for (const text of [
      keyHex.toUpperCase(),
      ` ${keyHex} `,
      bytes.toString('base64'),
      bytes.toString('base64url'),
    ]) {
      expect(readPublicKey(text)).toBe(keyHex);
    }
    const token = `axon://${bytes.toString('base64url')}@attic.example:7101`;
    const place = { keyHex, host: 'attic.example', port: 7101 };
    expect(writeShareToken(keyHex, place)).toBe(token);
    expect(readHubPlace(` ${token} `, undefined)).toEqual(place);
    expect(readHubPlace(token, keyHex)).toEqual(place);
    expect(readHubPlace('attic.example', keyHex)).toEqual({
      keyHex,
      host: 'attic.example',
      port: 7100,
    });
    const refused: readonly (readonly [string, string | undefined])[] = [
      ['attic.example', undefined],
      ['attic.example', 'abc'],
      ['attic.example', agentId],
      [token, agentId],
      [token, someHub().keyHex],
      [`axon://${bytes.toString('base64')}@attic.example:7101`, undefined],
      ['axon://@attic.example:7101', keyHex],
      [`axon://${bytes.toString('base64url')}`, undefined],
      [`axon://${bytes.toString('base64url')}@attic.example:7101@x`, undefined],
    ];
    for (const [address, identity] of refused) {
      expect(() => readHubPlace(address, identity), `${address} ${identity}`).toThrow(
        expect.objectContaining({ code: 'bad_request' }),
      );
    }
  });
});

describe('strangers', () => {
  it('leave nothing behind when their connection ends, however many keys they make', () => {
    const { directory } = hub;
    const before = directory.knownKeys().length;
    for (let count = 0; count < 200; count++) {
      const { keyHex } = someHub();
      directory.setLive(keyHex, { connected: true, said: 'x' });
      directory.setLive(keyHex, {
        online: false,
        connected: false,
        host: null,
        port: null,
        roundTripMs: null,
      });
      directory.setLive(keyHex, { trouble: 'it closed' });
    }
    expect(directory.knownKeys().length).toBe(before);
  });

  it('are forgotten when they are no longer heard nearby', () => {
    const { directory } = hub;
    const before = directory.knownKeys().length;
    const stranger = someHub();
    directory.foundNearby(stranger);
    directory.setLive(stranger.keyHex, { trouble: 'it does not answer' });
    expect(directory.knownKeys().length).toBe(before + 1);
    directory.lostNearby(stranger.agentId);
    expect(directory.knownKeys().length).toBe(before);
  });
});
