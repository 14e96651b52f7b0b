// Pairing between two whole hubs on a network in memory: the people's part done right, done wrong,
// interrupted, and attacked.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PairingState } from '../../../../preload/contract/pairing-dto.ts';
import { ENDED_SHOWN_MS, REACH_WITHIN_MS } from '../../../../main/services/pairing/limits.ts';
import { type HubStack, PERSON } from '../../../fakes/hub-stack.ts';
import { MemoryTransport } from '../../../fakes/memory-transport.ts';
import { StackHouse } from '../../../support/stack-house.ts';

let house: StackHouse;

beforeEach(() => (house = new StackHouse()));
afterEach(() => house.close());

const computerOf = (person: string): Promise<HubStack> =>
  house.hub(person, { profile: { name: `${person} computer`, person } });

async function strangers(): Promise<{ dad: HubStack; mum: HubStack }> {
  const [dad, mum] = [await computerOf('Dad'), await computerOf('Mum')];
  dad.hears(mum);
  return { dad, mum };
}

async function reaches(hub: HubStack, state: PairingState): Promise<void> {
  await house.clock.until(
    () => hub.currentPairing?.state === state,
    `${hub.name}'s pairing is ${state} (is ${hub.currentPairing?.state ?? 'none'})`,
    30_000,
  );
}

function pairingId(hub: HubStack): string {
  return hub.currentPairing?.id ?? '';
}

/** Up to the point where six digits are shown at the responder. */
async function upToDigits(initiator: HubStack, responder: HubStack): Promise<void> {
  responder.pairing.setWindow(true, 5);
  initiator.pairing.begin(responder.agentId, null);
  await reaches(responder, 'offered');
  responder.pairing.open(pairingId(responder));
  await reaches(responder, 'show_six');
  await reaches(initiator, 'type_six');
}

async function typeSix(initiator: HubStack, responder: HubStack): Promise<void> {
  await initiator.pairing.type(pairingId(initiator), responder.currentPairing?.six ?? '', PERSON);
}

async function typeTwo(initiator: HubStack, responder: HubStack): Promise<void> {
  await responder.pairing.type(pairingId(responder), initiator.currentPairing?.two ?? '', PERSON);
}

/** Another number of as many digits. */
function wrong(digits: string): string {
  const last = Number(digits.at(-1) ?? '0');
  return digits.slice(0, -1) + String((last + 1) % 10);
}

describe('pairing as people do it', () => {
  it('pairs two hubs after six digits one way and two the other, and shows each side only its own digits', async () => {
    const { dad, mum } = await strangers();
    await upToDigits(dad, mum);
    expect(mum.currentPairing).toMatchObject({
      role: 'responder',
      two: null,
      said_hub: 'Dad computer',
      said_person: 'Dad',
      said_platform: 'test',
    });
    expect(mum.currentPairing?.six).toMatch(/^[0-9]{6}$/);
    expect(dad.currentPairing).toMatchObject({
      role: 'initiator',
      six: null,
      two: null,
      said_hub: 'Mum computer',
      said_person: 'Mum',
    });
    await typeSix(dad, mum);
    await reaches(mum, 'type_two');
    expect(dad.currentPairing).toMatchObject({ state: 'show_two', six: null });
    expect(dad.currentPairing?.two).toMatch(/^[0-9]{2}$/);
    expect(mum.currentPairing).toMatchObject({ six: null, two: null });
    expect(dad.directory.isPaired(mum.key) || mum.directory.isPaired(dad.key)).toBe(false);
    await typeTwo(dad, mum);
    await reaches(mum, 'paired');
    await reaches(dad, 'paired');
    await house.clock.until(
      () => dad.links.isOnline(mum.key) && mum.links.isOnline(dad.key),
      'both are online',
    );
    expect(dad.peer(mum)).toMatchObject({
      trust: 'paired',
      name: 'Mum computer',
      person: 'Mum',
      online: true,
    });
    expect(mum.peer(dad)).toMatchObject({
      trust: 'paired',
      name: 'Dad computer',
      person: 'Dad',
      online: true,
    });
    await house.clock.until(
      () => dad.peer(mum).capabilities !== null && mum.peer(dad).capabilities !== null,
      'capabilities are known',
    );
    expect(dad.peer(mum).untrusted.features).toContain('delegate');
    expect(mum.peer(dad).untrusted.features).toContain('delegate');
    expect(dad.peer(mum).safety_number).toMatch(/^(?:[0-9]{5} ){11}[0-9]{5}$/);
    expect(dad.peer(mum).safety_number).toBe(mum.peer(dad).safety_number);
    expect(dad.auditActions()).toContain('peer.paired');
    expect(mum.pairing.window.open).toBe(false);
    await house.clock.until(
      () =>
        dad.store.read.getMeta('pairing_unsettled') === '[]' &&
        mum.store.read.getMeta('pairing_unsettled') === '[]',
    );
  });

  it('works the other way round as well, and after both pressed Add at once', async () => {
    const { dad, mum } = await strangers();
    mum.hears(dad);
    dad.pairing.begin(mum.agentId, 'Her hub');
    mum.pairing.begin(dad.agentId, 'His hub');
    const [initiator, responder] = dad.key < mum.key ? [dad, mum] : [mum, dad];
    await reaches(responder, 'offered');
    expect(responder.pairing.list().filter(({ state }) => state !== 'failed')).toHaveLength(1);
    responder.pairing.open(pairingId(responder));
    await reaches(responder, 'show_six');
    await reaches(initiator, 'type_six');
    await typeSix(initiator, responder);
    await reaches(responder, 'type_two');
    await typeTwo(initiator, responder);
    await reaches(initiator, 'paired');
    await reaches(responder, 'paired');
    expect([dad.peer(mum).name, mum.peer(dad).name]).toEqual(['Her hub', 'His hub']);
  });

  it('waits for a person to open pairing at the other side, and shows nothing there before', async () => {
    const { dad, mum } = await strangers();
    dad.pairing.begin(mum.agentId, null);
    await house.clock.advance(20_000);
    expect(dad.currentPairing?.state).toBe('waiting_for_answer');
    expect(mum.pairing.list()).toEqual([]);
    mum.pairing.setWindow(true, 5);
    await reaches(mum, 'offered');
  });

  it('closes pairing by itself after the minutes that were asked for', async () => {
    const mum = await computerOf('Mum');
    expect(mum.pairing.setWindow(true, 5)).toMatchObject({ open: true, locked_until: null });
    await house.clock.advance(299_000);
    expect(mum.pairing.window.open).toBe(true);
    await house.clock.advance(2_000);
    expect(mum.pairing.window).toEqual({
      open: false,
      closes_at: null,
      locked_until: null,
      asked: null,
    });
    expect(mum.seen.at(-1)).toMatchObject({ type: 'pairing_window', window: { open: false } });
  });

  it('gives a second hub with the same name a name of its own', async () => {
    const { dad, mum } = await strangers();
    await dad.pins(await computerOf('Aunt'), 'Mum computer');
    await upToDigits(dad, mum);
    await typeSix(dad, mum);
    await reaches(mum, 'type_two');
    await typeTwo(dad, mum);
    await reaches(dad, 'paired');
    // What it calls itself would be taken for the first; what it says of its person is free.
    expect(dad.peer(mum).name).toBe('Mum');
  });

  it('shows what the other side says of itself only in a form that is fit to be shown', async () => {
    const { dad, mum } = await strangers();
    dad.profile = { ...dad.profile, name: 'Mum\u202e [verified]', person: '<img onerror=x>' };
    await upToDigits(dad, mum);
    expect(mum.currentPairing?.said_hub).toBe('(name hidden)');
    expect(mum.currentPairing?.said_person).toBe('<img onerror=x>');
    await typeSix(dad, mum);
    await reaches(mum, 'type_two');
    await typeTwo(dad, mum);
    await reaches(mum, 'paired');
    expect(mum.peer(dad).name).not.toContain('\u202e');
  });
});

describe('pairing done wrong', () => {
  it('fails on both sides when the six digits are wrong, and pins nobody', async () => {
    const { dad, mum } = await strangers();
    await upToDigits(dad, mum);
    await dad.pairing.type(pairingId(dad), wrong(mum.currentPairing?.six ?? ''), PERSON);
    await reaches(mum, 'failed');
    expect(dad.currentPairing).toMatchObject({ state: 'failed', six: null, two: null });
    expect(dad.currentPairing?.failure).not.toBeNull();
    expect([dad.store.read.peers(), mum.store.read.peers()]).toEqual([[], []]);
  });

  it('fails on both sides when the two digits are wrong: one try, and the first side pins nobody either', async () => {
    const { dad, mum } = await strangers();
    await upToDigits(dad, mum);
    await typeSix(dad, mum);
    await reaches(mum, 'type_two');
    await mum.pairing.type(pairingId(mum), wrong(dad.currentPairing?.two ?? ''), PERSON);
    await reaches(dad, 'failed');
    expect(mum.currentPairing?.state).toBe('failed');
    await house.clock.advance(60_000);
    expect([dad.store.read.peers(), mum.store.read.peers()]).toEqual([[], []]);
    expect(dad.store.read.getMeta('pairing_unsettled')).toBe('[]');
  });

  it('HE-08: three failed checks in ten minutes close pairing for ten, so that a fourth wrong code is never tried', async () => {
    const { dad, mum } = await strangers();
    for (let round = 0; round < 3; round++) {
      await upToDigits(dad, mum);
      await dad.pairing.type(pairingId(dad), wrong(mum.currentPairing?.six ?? ''), PERSON);
      await reaches(mum, 'failed');
    }
    expect(mum.pairing.window).toMatchObject({ open: false });
    expect(mum.pairing.window.locked_until).not.toBeNull();
    expect(() => mum.pairing.setWindow(true, 5)).toThrow(/too many pairings failed/);
    expect(() => dad.pairing.begin(mum.agentId, null)).toThrow(/too many pairings failed/);
    const kid = await computerOf('Kid');
    kid.hears(mum);
    kid.pairing.begin(mum.agentId, null);
    await house.clock.advance(60_000);
    expect(mum.pairing.list().filter(({ state }) => state !== 'failed')).toEqual([]);
    await kid.pairing.cancel(pairingId(kid));
    await house.clock.advance(500_000);
    expect(() => mum.pairing.setWindow(true, 5)).toThrow('closed for 1 more minute, because');
    await house.clock.advance(41_000);
    expect(mum.pairing.setWindow(true, 5).open).toBe(true);
  });

  it('ends after five minutes without the digits', async () => {
    const { dad, mum } = await strangers();
    await upToDigits(dad, mum);
    await house.clock.advance(301_000);
    expect([dad, mum].map((side) => side.pairing.list()[0]?.state)).toEqual(['failed', 'failed']);
    await house.clock.advance(ENDED_SHOWN_MS);
    expect([dad.pairing.list(), mum.pairing.list()]).toEqual([[], []]);
  });

  it('can be called off by either person until it is done', async () => {
    const { dad, mum } = await strangers();
    await upToDigits(dad, mum);
    await mum.pairing.cancel(pairingId(mum));
    await reaches(dad, 'failed');
    await upToDigits(dad, mum);
    await typeSix(dad, mum);
    await reaches(mum, 'type_two');
    await dad.pairing.cancel(pairingId(dad));
    await reaches(mum, 'failed');
    await house.clock.advance(30_000);
    expect([dad.store.read.peers(), mum.store.read.peers()]).toEqual([[], []]);
  });
});

describe('a hub that does not answer', () => {
  /** Where nobody is, with the key of a hub that could be there. */
  async function named(port: number): Promise<{ dad: HubStack; mum: HubStack }> {
    const [dad, mum] = [await computerOf('Dad'), await computerOf('Mum')];
    await dad.directory.addStatic({ keyHex: mum.key, host: '127.0.0.1', port, name: null });
    return { dad, mum };
  }

  it('ends the attempt within ten seconds with what to look at, and the attempt stays listed with that', async () => {
    const { dad, mum } = await named(1);
    expect(dad.pairing.begin(mum.agentId, null)).toMatchObject({
      state: 'waiting_for_answer',
      request: 'connecting',
    });
    await house.clock.advance(REACH_WITHIN_MS + 100);
    expect(REACH_WITHIN_MS).toBeLessThan(10_000);
    const ended = {
      state: 'failed',
      request: 'connecting',
      failure: expect.stringMatching(
        /^No hub answers at 127\.0\.0\.1:1\. Check that it is running there, .*address and port.*firewall/,
      ),
    };
    expect(dad.pairing.list()).toMatchObject([ended]);
    await house.clock.advance(ENDED_SHOWN_MS - 1_000);
    expect(dad.pairing.list()).toMatchObject([ended]);
    expect(dad.pairing.window.locked_until).toBeNull();
    await house.clock.advance(1_000);
    expect(dad.pairing.list()).toEqual([]);
  });

  it('says how the attempt ended to whoever cancels it then, and that it is gone after that', async () => {
    const { dad, mum } = await named(1);
    const { id } = dad.pairing.begin(mum.agentId, null);
    await house.clock.advance(REACH_WITHIN_MS + 100);
    expect(await dad.pairing.cancel(id)).toMatchObject({
      cancelled: false,
      pairing: { id, failure: expect.stringContaining('No hub answers') },
    });
    await expect(dad.pairing.cancel(id)).rejects.toMatchObject({
      code: 'not_found',
      hint: expect.stringContaining('"axon pair list"'),
    });
  });

  it('is asked anew where its owner now says it is, in place of the attempt that ended and of one that still looks', async () => {
    const { dad, mum } = await named(1);
    dad.pairing.begin(mum.agentId, null);
    await house.clock.advance(REACH_WITHIN_MS + 100);
    const { id } = dad.pairing.begin(mum.agentId, null);
    expect(dad.pairing.list().map((pairing) => pairing.id)).toEqual([id]);
    await dad.directory.addStatic({
      keyHex: mum.key,
      host: '127.0.0.1',
      port: mum.port,
      name: 'Hers',
    });
    const again = dad.pairing.begin(mum.agentId, null);
    expect(dad.pairing.list().map((pairing) => pairing.id)).toEqual([again.id]);
    await house.clock.until(
      () => dad.currentPairing?.request === 'closed',
      'it answers that pairing is closed',
      10_000,
    );
    mum.pairing.setWindow(true, 5);
    await reaches(mum, 'offered');
    expect(dad.currentPairing).toMatchObject({ id: again.id, request: 'taken' });
    // Pressed once more: the older request gives way there as well.
    const { id: last } = dad.pairing.begin(mum.agentId, null);
    await house.clock.until(
      () => dad.currentPairing?.request === 'taken',
      'the new request waits',
      10_000,
    );
    expect([dad.pairing.list().map((pairing) => pairing.id), mum.pairing.list().length]).toEqual([
      [last],
      1,
    ]);
  });

  it('is said to be known to nobody when its name stands for no address', async () => {
    const [dad, mum] = [await computerOf('Dad'), await computerOf('Mum')];
    await dad.directory.addStatic({
      keyHex: mum.key,
      host: 'nobody.example',
      port: 7100,
      name: null,
    });
    dad.pairing.begin(mum.agentId, null);
    await reaches(dad, 'failed');
    expect(dad.currentPairing?.failure).toBe(
      'No computer is known as "nobody.example". Check the address.',
    );
  });

  it('is not taken for another one that answers there', async () => {
    const kid = await computerOf('Kid');
    const { dad, mum } = await named(kid.port);
    dad.pairing.begin(mum.agentId, null);
    await reaches(dad, 'failed');
    expect(dad.currentPairing?.failure).toBe(
      `Another hub answers at 127.0.0.1:${kid.port}: it has a different key. Take the address and the key from Settings of the hub you mean.`,
    );
  });

  it('does not leave unsaid which pairing is in the way of another one, and how it is ended', async () => {
    const { dad, mum } = await strangers();
    const kid = await computerOf('Kid');
    dad.hears(kid);
    const { id, label } = dad.pairing.begin(mum.agentId, null);
    await house.clock.until(
      () => dad.currentPairing?.request === 'closed',
      'it answers that pairing is closed',
      10_000,
    );
    expect(() => dad.pairing.begin(kid.agentId, null)).toThrow(
      expect.objectContaining({
        code: 'conflict',
        message: `A pairing with ${label} is under way.`,
        hint: expect.stringContaining(`"axon pair cancel ${id}"`),
      }),
    );
  });
});

describe('pairing interrupted', () => {
  it('goes on after the connection was lost between the two typings', async () => {
    const { dad, mum } = await strangers();
    await upToDigits(dad, mum);
    await typeSix(dad, mum);
    await reaches(mum, 'type_two');
    if (dad.transport instanceof MemoryTransport) dad.transport.cut();
    await house.clock.settle();
    await typeTwo(dad, mum);
    await reaches(mum, 'paired');
    await reaches(dad, 'paired');
    await house.clock.until(
      () => dad.links.isOnline(mum.key) && mum.links.isOnline(dad.key),
      'both are online',
    );
  });

  it('heals when the initiator is killed after its check passed and before it heard the other confirmation', async () => {
    const { dad, mum } = await strangers();
    await upToDigits(dad, mum);
    await typeSix(dad, mum);
    await reaches(mum, 'type_two');
    const two = dad.currentPairing?.two ?? '';
    const { transport } = dad;
    if (transport instanceof MemoryTransport) transport.crash();
    await mum.pairing.type(pairingId(mum), two, PERSON);
    expect(mum.directory.isPaired(dad.key)).toBe(true);
    expect(dad.store.read.peer(mum.key)).toBeUndefined();
    const back = await house.killAndRestart(dad);
    await house.clock.until(
      () => back.directory.isPaired(mum.key),
      'the restarted side pins too',
      120_000,
    );
    await house.clock.until(
      () => back.links.isOnline(mum.key) && mum.links.isOnline(back.key),
      'both are online',
      60_000,
    );
    expect(back.peer(mum)).toMatchObject({ name: 'Mum computer', person: 'Mum', trust: 'paired' });
  });

  it('heals when the responder is killed right after it pinned and before its confirmation left', async () => {
    const { dad, mum } = await strangers();
    await upToDigits(dad, mum);
    await typeSix(dad, mum);
    await reaches(mum, 'type_two');
    const { transport } = mum;
    const typed = mum.pairing.type(pairingId(mum), dad.currentPairing?.two ?? '', PERSON);
    if (transport instanceof MemoryTransport) transport.crash();
    await typed;
    expect(mum.store.read.peer(dad.key)?.trust).toBe('paired');
    await house.clock.settle();
    expect(dad.directory.isPaired(mum.key)).toBe(false);
    const back = await house.killAndRestart(mum);
    await house.clock.until(
      () => dad.directory.isPaired(back.key),
      'the other side pins too',
      120_000,
    );
    await house.clock.until(
      () => dad.links.isOnline(back.key) && back.links.isOnline(dad.key),
      'both are online',
      60_000,
    );
  });

  it('pins nobody when the responder is killed before its own check, and the waiting side says so in the end', async () => {
    const { dad, mum } = await strangers();
    await upToDigits(dad, mum);
    await typeSix(dad, mum);
    await reaches(mum, 'type_two');
    const back = await house.killAndRestart(mum);
    expect(back.pairing.list()).toEqual([]);
    await house.clock.until(
      () => dad.pairing.list()[0]?.state === 'failed',
      'the waiting side is told',
      60_000,
    );
    await house.clock.advance(960_000);
    expect([dad.store.read.peers(), back.store.read.peers()]).toEqual([[], []]);
    expect(dad.store.read.getMeta('pairing_unsettled')).toBe('[]');
    expect(dad.seen.findLast((event) => event.type === 'pairing')).toMatchObject({
      pairing: { state: 'failed' },
    });
  });
});
