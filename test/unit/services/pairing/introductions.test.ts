// How a hub came to be paired is kept at both sides, each in its own words: every way, across a
// crash, and through whatever is changed of the hub later. Only a pairing anew begins it anew.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallContext, Caller } from '../../../../main/api/caller.ts';
import { peersHandlers } from '../../../../main/api/operations/peers.ts';
import type { PeerRow } from '../../../../main/ports/store.ts';
import { writeShareToken } from '../../../../main/services/links/hub-address.ts';
import type { PairingState } from '../../../../preload/contract/pairing-dto.ts';
import { type HubStack, PERSON } from '../../../fakes/hub-stack.ts';
import { MemoryTransport } from '../../../fakes/memory-transport.ts';
import { StackHouse } from '../../../support/stack-house.ts';

const MAKER = { actor: 'ui:maker', surface: 'window' } as const;
const USER = { actor: 'owner:user', surface: 'command_line' } as const;
const CALLER: Caller = { kind: 'owner', tokenId: 'user', surface: 'command_line' };
const CONTEXT: CallContext = { signal: new AbortController().signal, idempotencyKey: null };

let house: StackHouse;

beforeEach(() => (house = new StackHouse()));
afterEach(() => house.close());

const reaches = (hub: HubStack, state: PairingState): Promise<void> =>
  house.clock.until(
    () => hub.currentPairing?.state === state,
    `${hub.name}'s pairing is ${state}`,
    60_000,
  );

/** Up to the two digits: dad, who asked, has typed the six. Returns the two. */
async function upToTwo(dad: HubStack, mum: HubStack): Promise<string> {
  dad.hears(mum);
  mum.pairing.setWindow(true, 5);
  dad.pairing.begin(mum.agentId, null);
  await reaches(mum, 'offered');
  mum.pairing.open(mum.currentPairing?.id ?? '');
  await reaches(dad, 'type_six');
  await dad.pairing.type(dad.currentPairing?.id ?? '', mum.currentPairing?.six ?? '', USER);
  await reaches(mum, 'type_two');
  return dad.currentPairing?.two ?? '';
}

async function byDigits(dad: HubStack, mum: HubStack): Promise<void> {
  const two = await upToTwo(dad, mum);
  await mum.pairing.type(mum.currentPairing?.id ?? '', two, MAKER);
  await reaches(dad, 'paired');
}

async function byInvitation(maker: HubStack, user: HubStack): Promise<void> {
  const { link } = maker.pairing.invite([{ host: '127.0.0.1', port: maker.port }], MAKER);
  user.pairing.join(link, null, USER);
  await reaches(user, 'paired');
  await house.clock.until(
    () => maker.links.isOnline(user.key) && user.links.isOnline(maker.key),
    'both are online',
    60_000,
  );
}

function operations(stack: HubStack): ReturnType<typeof peersHandlers> {
  return peersHandlers({
    directory: stack.directory,
    links: stack.links,
    keyTrust: stack.keyTrust,
    tokenUse: () => ({ days: 30, here: 0, there: 0 }),
  });
}

describe('a hub came to be paired', () => {
  it('with digits: each side names who typed there and where', async () => {
    const [dad, mum] = [await house.hub('Dad'), await house.hub('Mum')];
    await byDigits(dad, mum);
    const at = mum.store.read.peer(dad.key)?.pairedAt;
    expect(mum.peer(dad).introduced_by).toEqual({
      way: 'digits',
      at,
      by: 'ui:maker',
      surface: 'window',
    });
    expect(dad.peer(mum).introduced_by).toMatchObject({
      way: 'digits',
      by: 'owner:user',
      surface: 'command_line',
    });
  });

  it('by an invitation: whoever made it is named at its side, whoever used it at the other, and the record says the way too', async () => {
    const [mum, dad] = [await house.hub('Mum'), await house.hub('Dad')];
    await byInvitation(mum, dad);
    expect(mum.peer(dad).introduced_by).toMatchObject({
      way: 'invitation_made_here',
      by: 'ui:maker',
      surface: 'window',
    });
    expect(dad.peer(mum).introduced_by).toMatchObject({
      way: 'invitation_used_here',
      by: 'owner:user',
      surface: 'command_line',
    });
    const details = [mum, dad].map(({ store }) => store.read.audit({ limit: 1 })[0]?.detail);
    expect(details).toEqual([
      '{"role":"R","way":"invitation_made_here"}',
      '{"role":"I","way":"invitation_used_here"}',
    ]);
  });

  it.each([
    [
      'its share token',
      'share_token',
      (key: string) => ({ address: writeShareToken(key, { host: '192.0.2.7', port: 7100 }) }),
    ],
    ['its address and key', 'key', (key: string) => ({ address: '192.0.2.7:7100', key })],
  ])('by %s, trusted without digits', async (_what, way, placeOf) => {
    const dad = await house.hub('Dad');
    const peer = await operations(dad)['peers.add'](
      { ...placeOf('7f'.repeat(32)), trust: true },
      CALLER,
      CONTEXT,
    );
    expect(peer.introduced_by).toEqual({
      way,
      at: peer.paired_at,
      by: 'owner:user',
      surface: 'command_line',
    });
    expect(dad.store.read.audit({ limit: 1 })).toMatchObject([
      { action: 'peer.trusted_by_key', detail: JSON.stringify({ way }) },
    ]);
  });

  it('with digits though it was first kept by its address: nothing is known of a hub that is only kept', async () => {
    const [dad, mum] = [await house.hub('Dad'), await house.hub('Mum')];
    const kept = await operations(dad)['peers.add'](
      { address: `127.0.0.1:${mum.port}`, key: mum.key },
      CALLER,
      CONTEXT,
    );
    expect([kept.paired_at, kept.introduced_by]).toEqual([null, null]);
    await byDigits(dad, mum);
    expect(dad.peer(mum).introduced_by?.way).toBe('digits');
  });
});

describe('how a hub came to be paired', () => {
  it('is known also when this hub was killed between its own check and the other confirmation', async () => {
    const [dad, mum] = [await house.hub('Dad'), await house.hub('Mum')];
    const two = await upToTwo(dad, mum);
    if (dad.transport instanceof MemoryTransport) dad.transport.crash();
    await mum.pairing.type(mum.currentPairing?.id ?? '', two, MAKER);
    const back = await house.killAndRestart(dad);
    await house.clock.until(
      () => back.directory.isPaired(mum.key),
      'the restarted side pins too',
      120_000,
    );
    expect(back.peer(mum).introduced_by).toMatchObject({
      way: 'digits',
      by: 'owner:user',
      surface: 'command_line',
    });
  });

  it('stays through a new name, a suspension, another address, a key-change stop and a restart', async () => {
    const [mum, dad] = [await house.hub('Mum'), await house.hub('Dad')];
    await byInvitation(mum, dad);
    const { introduced_by: before } = dad.peer(mum);
    expect(before?.way).toBe('invitation_used_here');
    await dad.directory.update(mum.key, { name: 'Mother', person: 'Mum' }, PERSON);
    await dad.directory.update(mum.key, { trust: 'suspended' }, PERSON);
    expect(dad.peer(mum).introduced_by).toEqual(before);
    await dad.directory.update(mum.key, { trust: 'paired' }, PERSON);
    await dad.directory.update(mum.key, { address: { host: '127.0.0.1', port: mum.port } }, PERSON);
    await mum.halt();
    await house.clock.until(() => !dad.links.isOnline(mum.key), 'the loss is noticed', 60_000);
    const other = await house.hub('Mum', { port: mum.port });
    await house.clock.until(() => dad.peer(mum).key_change !== null, 'the stop is there', 60_000);
    await dad.directory.keyChanges.keep(mum.key, other.key, PERSON);
    await dad.store.write(() => undefined);
    await dad.halt();
    const back = await house.restart(dad);
    expect(back.peer(mum)).toMatchObject({ name: 'Mother', introduced_by: before });
  });

  it('begins anew with a hub that was removed and is paired again', async () => {
    const [mum, dad] = [await house.hub('Mum'), await house.hub('Dad')];
    await byInvitation(mum, dad);
    await dad.directory.remove(mum.key, PERSON);
    const token = writeShareToken(mum.key, { host: '127.0.0.1', port: mum.port });
    const again = await operations(dad)['peers.add'](
      { address: token, trust: true },
      CALLER,
      CONTEXT,
    );
    expect(again.introduced_by).toMatchObject({ way: 'share_token', at: again.paired_at });
  });

  it('holds nothing that the other hub says', async () => {
    const [mum, dad] = [
      await house.hub('Mum'),
      await house.hub('Dad', {
        profile: { name: 'digits by ui:root', person: 'ui:root', platform: 'window' },
      }),
    ];
    await byInvitation(mum, dad);
    const row = mum.store.read.peer(dad.key);
    const fields: readonly (keyof PeerRow)[] = [
      'introducedWay',
      'introducedBy',
      'introducedSurface',
    ];
    expect(fields.map((field) => row?.[field])).toEqual([
      'invitation_made_here',
      'ui:maker',
      'window',
    ]);
  });
});
