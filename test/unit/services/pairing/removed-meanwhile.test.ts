// A hub that is suspended or removed while a pairing with it goes on, or waits for its last word:
// what people here said last stands, whatever that hub withheld until then and gives later.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { confirmMessage, confirmPayload, digitsOf } from '../../../../main/protocol/pairing.ts';
import { sign } from '../../../../main/protocol/signature.ts';
import { CONFIRM_ACCEPT_MS } from '../../../../main/services/pairing/limits.ts';
import { type HubStack, PERSON } from '../../../fakes/hub-stack.ts';
import { StackHouse } from '../../../support/stack-house.ts';
import { RawHub } from '../links/raw-hub.ts';
import { playResponder, type PlayedResponder } from './played-responder.ts';
import { pinOf } from '../../../fakes/sample-rows.ts';

let house: StackHouse;

beforeEach(() => (house = new StackHouse()));
afterEach(() => house.close());

const invite = (stack: HubStack) =>
  stack.pairing.invite([{ host: '127.0.0.1', port: stack.port }], PERSON);
const unsettledAt = (stack: HubStack): unknown =>
  JSON.parse(stack.store.read.getMeta('pairing_unsettled') ?? '[]');
const timesPaired = (stack: HubStack): number =>
  stack.auditActions().filter((action) => action === 'peer.paired').length;
const idAt = (stack: HubStack): string => stack.currentPairing?.id ?? '';
const reaches = (stack: HubStack, state: string): Promise<void> =>
  house.clock.until(
    () => stack.currentPairing?.state === state,
    `${stack.name}'s pairing is ${state}`,
    60_000,
  );

/**
 * Dad pairs once more with a hub that he has; it takes his confirmation and keeps its own to
 * itself.
 */
async function withheld(
  isPaired = true,
): Promise<{ dad: HubStack; mallory: RawHub; played: PlayedResponder }> {
  const dad = await house.hub('Dad');
  const mallory = await new RawHub(house.network.create()).start();
  house.endsWith(() => mallory.transport.stop());
  const { agentId, key, port } = mallory;
  if (isPaired) {
    const pin = pinOf(key, 'Mallory');
    await dad.store.write((tables) => dad.directory.pinInside(tables, pin));
    dad.directory.pinned(key);
    await dad.directory.update(key, { role: 'adult' }, PERSON);
  }
  dad.directory.foundNearby({
    agentId,
    keyHex: key,
    port,
    addresses: ['127.0.0.1'],
    label: 'Mallory',
  });
  dad.pairing.begin(agentId, null);
  const played = await playResponder(house.clock, dad, mallory);
  await dad.pairing.type(idAt(dad), digitsOf(played.sealed).six, PERSON);
  return { dad, mallory, played };
}

/**
 * The hub that withheld it calls and gives its confirmation; how that is answered, or null where it
 * is not let in.
 */
async function confirms(
  dad: HubStack,
  mallory: RawHub,
  { sealed, pid }: PlayedResponder,
): Promise<string | null> {
  const line = await mallory.connect(dad);
  await house.clock.settle();
  if (mallory.ended(line) !== undefined) return null;
  await mallory.hello(line, dad);
  const payload = confirmPayload(pid, sign(confirmMessage('R', sealed), mallory.seed));
  const reply = await mallory.ask(line, mallory.envelope(dad.agentId, 'pair', payload));
  return reply?.kind === 'error' ? String(reply.payload['code']) : (reply?.kind ?? null);
}

for (const then of ['at once', 'after a restart of this hub'] as const) {
  it(`stays removed though it gives, ${then}, the confirmation that it withheld, while an invitation for somebody else is out`, async () => {
    const made = await withheld();
    const { mallory, played } = made;
    let { dad } = made;
    expect(unsettledAt(dad)).toHaveLength(1);
    await dad.directory.remove(mallory.key, PERSON);
    expect(unsettledAt(dad)).toEqual([]);
    expect(dad.currentPairing).toMatchObject({
      state: 'failed',
      failure: 'That hub was removed here. Nothing was paired.',
    });
    if (then !== 'at once') dad = await house.killAndRestart(dad);
    expect(await confirms(dad, mallory, played)).toBe(null);
    invite(dad);
    expect(await confirms(dad, mallory, played)).toBe('rejected');
    expect([dad.directory.trustOf(mallory.key), timesPaired(dad)]).toEqual(['revoked', 0]);
  });
}

it('is not paired anew by what it withheld when it is let back in after a suspension', async () => {
  const { dad, mallory, played } = await withheld();
  await dad.directory.update(mallory.key, { trust: 'suspended' }, PERSON);
  expect([unsettledAt(dad), dad.currentPairing?.failure]).toEqual([
    [],
    'That hub was suspended here. Nothing was paired.',
  ]);
  await dad.directory.update(mallory.key, { trust: 'paired' }, PERSON);
  // Acked as every repeated confirmation of a hub that is paired, and without effect.
  expect(await confirms(dad, mallory, played)).toBe('ack');
  expect([dad.directory.trustOf(mallory.key), timesPaired(dad)]).toEqual(['paired', 0]);
});

it('stays removed though its confirmation comes while the removal is on its way to the disk', async () => {
  const { dad, mallory, played } = await withheld();
  const line = await mallory.connect(dad);
  await mallory.hello(line, dad);
  const write = dad.store.write.bind(dad.store);
  let removing: Promise<void> | undefined;
  // The very commit that would pin it comes right after the one that removes it.
  dad.store.write = (work) => {
    dad.store.write = write;
    removing = dad.directory.remove(mallory.key, PERSON);
    return write(work);
  };
  const payload = confirmPayload(
    played.pid,
    sign(confirmMessage('R', played.sealed), mallory.seed),
  );
  await mallory.ask(line, mallory.envelope(dad.agentId, 'pair', payload));
  await removing;
  expect(removing).toBeDefined();
  expect([dad.directory.trustOf(mallory.key), timesPaired(dad), unsettledAt(dad)]).toEqual([
    'revoked',
    0,
    [],
  ]);
});

it('stays removed though a person types the last digits of a pairing with it in the same moment', async () => {
  const { dad, mum } = await house.couple();
  mum.pairing.setWindow(true, 5);
  dad.pairing.begin(mum.agentId, null);
  await reaches(mum, 'offered');
  mum.pairing.open(idAt(mum));
  await reaches(dad, 'type_six');
  await dad.pairing.type(idAt(dad), mum.currentPairing?.six ?? '', PERSON);
  await reaches(mum, 'type_two');
  const typed = dad.currentPairing?.two ?? '';
  const both = await Promise.allSettled([
    mum.directory.remove(dad.key, PERSON),
    mum.pairing.type(idAt(mum), typed, PERSON),
  ]);
  expect(both).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'rejected' } },
  ]);
  expect([mum.directory.trustOf(dad.key), timesPaired(mum), unsettledAt(mum)]).toEqual([
    'revoked',
    0,
    [],
  ]);
  expect(mum.currentPairing).toMatchObject({
    state: 'failed',
    failure: expect.stringContaining('removed here') as string,
  });
});

it('has no pairing under way and no request waiting any more once it is removed', async () => {
  const { dad, mum } = await house.couple();
  mum.pairing.setWindow(true, 5);
  dad.pairing.begin(mum.agentId, null);
  await reaches(mum, 'offered');
  await mum.directory.remove(dad.key, PERSON);
  expect(mum.pairing.list()).toEqual([]);
  await dad.directory.remove(mum.key, PERSON);
  expect(dad.currentPairing).toMatchObject({
    state: 'failed',
    failure: 'That hub was removed here. Nothing was paired.',
  });
});

it('can be paired anew by people after that, and removed again', async () => {
  const { dad, mum } = await house.couple();
  for (let round = 1; round <= 2; round++) {
    await mum.directory.remove(dad.key, PERSON);
    // What was removed later than this clock says is let in again all the same.
    house.clock.jumpWall(-3_600_000);
    await house.clock.until(() => dad.directory.live(mum.key).notTrustedThere, 'Dad knows', 60_000);
    dad.pairing.join(invite(mum).link, null, PERSON);
    await reaches(mum, 'offered');
    mum.pairing.open(idAt(mum));
    await house.clock.until(
      () => mum.directory.isPaired(dad.key) && dad.links.isOnline(mum.key),
      'they are paired',
      60_000,
    );
    expect(timesPaired(mum)).toBe(round);
    for (const stack of [dad, mum])
      for (const { id } of stack.pairing.list()) await stack.pairing.cancel(id);
  }
});

it('may be joined anew at any moment while it says hello to every hub for an invitation', async () => {
  const { dad, mum } = await house.couple();
  await mum.directory.remove(dad.key, PERSON);
  await house.clock.until(() => dad.directory.live(mum.key).notTrustedThere, 'Dad knows', 60_000);
  invite(mum);
  const seen = new Set<boolean>();
  const setLive = dad.directory.setLive.bind(dad.directory);
  dad.directory.setLive = (key, change) => {
    setLive(key, change);
    if (key === mum.key) seen.add(dad.directory.live(key).notTrustedThere);
  };
  await house.clock.until(() => dad.links.isOnline(mum.key), 'Mum says hello', 60_000);
  await house.clock.advance(60_000);
  expect([...seen]).toEqual([true]);
});

it('confirms too late after fifteen minutes', async () => {
  const { dad, mallory, played } = await withheld(false);
  await house.clock.advance(CONFIRM_ACCEPT_MS + 20_000);
  expect([await confirms(dad, mallory, played), unsettledAt(dad)]).toEqual(['rejected', []]);
  expect(dad.store.read.peers()).toEqual([]);
});

it('confirms too late where the computer slept over the time, before anything else has noticed', async () => {
  const { dad, mallory, played } = await withheld(false);
  house.clock.jumpWall(CONFIRM_ACCEPT_MS);
  expect(await confirms(dad, mallory, played)).toBe('rejected');
  expect(dad.store.read.peers()).toEqual([]);
});
