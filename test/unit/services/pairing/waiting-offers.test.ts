// Several hubs ask to be paired at once: a person picks the family's own by the label on both
// screens, and strangers with fresh keys, many addresses or bad manners neither fill the screen nor
// keep that hub out.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PairingDto } from '../../../../preload/contract/pairing-dto.ts';
import { QUARANTINED_CONNECTIONS_MAX } from '../../../../main/adapters/quic/limits.ts';
import { hubLabel } from '../../../../main/services/links/peer-names.ts';
import {
  OFFER_PLACE_KEPT_MS,
  OFFERS_WAITING_MAX,
} from '../../../../main/services/pairing/limits.ts';
import { type HubStack, PERSON } from '../../../fakes/hub-stack.ts';
import { StackHouse } from '../../../support/stack-house.ts';
import { revealPayload } from '../../../../main/protocol/pairing.ts';
import { RawHub } from '../links/raw-hub.ts';
import { Attacker } from './attacker.ts';

let house: StackHouse;
let dad: HubStack;
let mum: HubStack;

beforeEach(async () => {
  house = new StackHouse();
  [dad, mum] = [await hub('Dad', '192.168.1.10'), await hub('Mum', '192.168.1.11')];
  dad.hears(mum);
});
afterEach(() => house.close());

function hub(name: string, host: string): Promise<HubStack> {
  const transport = house.network.create();
  transport.sourceHost = host;
  return house.hub(name, { transport });
}

/** A stranger at that address, with a key of its own. */
async function stranger(host: string): Promise<Attacker> {
  const transport = house.network.create();
  transport.sourceHost = host;
  house.endsWith(() => transport.stop());
  return new Attacker(await new RawHub(transport).start(), mum, house.clock).connect();
}

function waitingAtMum(): readonly PairingDto[] {
  return mum.pairing.list().filter(({ state }) => state === 'offered');
}

function offerOf(agentId: string): PairingDto {
  const offer = waitingAtMum().find(({ peer_id: id }) => id === agentId);
  if (offer === undefined) throw new Error('no such request waits');
  return offer;
}

/** Dad pressed Add, and his request waits at Mum's. */
async function dadAsks(): Promise<void> {
  dad.pairing.begin(mum.agentId, null);
  await house.clock.until(
    () => waitingAtMum().some(({ peer_id: id }) => id === dad.agentId),
    'his request waits',
    20_000,
  );
}

/** From the opened request to the end, as people do it. */
async function finish(): Promise<void> {
  const of = (stack: HubStack, state: string): PairingDto | undefined =>
    stack.pairing.list().find((pairing) => pairing.state === state);
  await house.clock.until(
    () => of(mum, 'show_six') !== undefined && of(dad, 'type_six') !== undefined,
    'six digits are shown',
    20_000,
  );
  await dad.pairing.type(of(dad, 'type_six')?.id ?? '', of(mum, 'show_six')?.six ?? '', PERSON);
  await house.clock.until(() => of(mum, 'type_two') !== undefined, 'two may be typed', 20_000);
  await mum.pairing.type(of(mum, 'type_two')?.id ?? '', of(dad, 'show_two')?.two ?? '', PERSON);
  await house.clock.until(
    () => mum.directory.isPaired(dad.key) && dad.directory.isPaired(mum.key),
    'they are paired',
    20_000,
  );
}

describe('requests that wait', () => {
  it('stand beside one another with the label that the other screen shows, and a person opens the right one', async () => {
    mum.pairing.setWindow(true, 5);
    const eve = await stranger('192.168.1.66');
    expect(await eve.offers()).toBe('ack');
    await dadAsks();
    expect(waitingAtMum().map(({ label, address, six }) => [label, address, six])).toEqual([
      [hubLabel(eve.raw.agentId), `192.168.1.66:${eve.raw.port}`, null],
      [hubLabel(dad.agentId), `192.168.1.10:${dad.port}`, null],
    ]);
    mum.pairing.open(offerOf(dad.agentId).id);
    await finish();
    expect(mum.store.read.peers().map(({ key }) => key)).toEqual([dad.key]);
    expect(waitingAtMum()).toEqual([]);
  });

  it('HE-08: one at a time can be open, a wrong one is put away, and the others have waited meanwhile', async () => {
    mum.pairing.setWindow(true, 5);
    const eve = await stranger('192.168.1.66');
    await eve.offers();
    await dadAsks();
    const wrong = mum.pairing.open(offerOf(eve.raw.agentId).id);
    await house.clock.settle();
    expect(() => mum.pairing.open(offerOf(dad.agentId).id)).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    );
    expect(
      mum.pairing.list().filter(({ state }) => !['offered', 'failed'].includes(state)),
    ).toHaveLength(1);
    expect(dad.currentPairing?.state).toBe('waiting_for_answer');
    await mum.pairing.cancel(wrong.id);
    expect(await eve.offers()).toBe('not_authorized');
    mum.pairing.open(offerOf(dad.agentId).id);
    await finish();
    expect(mum.pairing.window.locked_until).toBeNull();
  });

  it('are one from each address, however many keys a stranger makes there', async () => {
    mum.pairing.setWindow(true, 5);
    const answers: unknown[] = [];
    for (let count = 0; count < 10; count++)
      answers.push(await (await stranger('192.168.1.66')).offers());
    expect(answers).toEqual(['ack', ...Array.from({ length: 9 }, () => 'overloaded')]);
    await dadAsks();
    expect(waitingAtMum()).toHaveLength(2);
    mum.pairing.open(offerOf(dad.agentId).id);
    await finish();
  });

  it('are few; while strangers at many addresses hold every place, two people who choose each other still pair', async () => {
    mum.pairing.setWindow(true, 30);
    const answers: unknown[] = [];
    for (let count = 0; count < OFFERS_WAITING_MAX + 2; count++)
      answers.push(await (await stranger(`192.168.1.${100 + count}`)).offers());
    expect(answers.filter((answer) => answer === 'ack')).toHaveLength(OFFERS_WAITING_MAX);
    expect(answers.slice(-2)).toEqual(['overloaded', 'overloaded']);
    dad.pairing.begin(mum.agentId, null);
    await house.clock.advance(20_000);
    expect(waitingAtMum()).toHaveLength(OFFERS_WAITING_MAX);
    expect(dad.currentPairing?.state).toBe('waiting_for_answer');
    mum.hears(dad);
    mum.pairing.begin(dad.agentId, null);
    const opener = (): HubStack | undefined =>
      [mum, dad].find((stack) =>
        stack.pairing
          .list()
          .some(
            ({ state, peer_id: id }) =>
              state === 'offered' && [dad, mum].some((other) => other.agentId === id),
          ),
      );
    await house.clock.until(
      () => opener() !== undefined,
      'one of the two requests goes on',
      20_000,
    );
    const responder = opener();
    const initiator = responder === mum ? dad : mum;
    const asked = responder?.pairing
      .list()
      .find(({ peer_id: id }) => id === initiator.agentId && id !== responder.agentId);
    responder?.pairing.open(asked?.id ?? '');
    if (responder === dad) [dad, mum] = [mum, dad];
    await finish();
  });

  it('HE-08: from fifty addresses are few and ring nowhere, and after three that lied the fourth is not heard', async () => {
    mum.pairing.setWindow(true, 30);
    const strangers: Attacker[] = [];
    const answers: unknown[] = [];
    for (let count = 1; count <= 50; count++) {
      const transport = house.network.create();
      transport.sourceHost = `127.0.1.${count}`;
      house.endsWith(() => transport.stop());
      const raw = await new RawHub(transport).start();
      const line = await raw.connect(mum);
      await house.clock.settle();
      if (raw.ended(line) !== undefined) continue;
      const eve = await new Attacker(raw, mum, house.clock).over(line);
      answers.push(await eve.offers());
      strangers.push(eve);
    }
    expect(answers.filter((answer) => answer === 'ack')).toHaveLength(OFFERS_WAITING_MAX);
    expect(answers).toHaveLength(QUARANTINED_CONNECTIONS_MAX);
    expect(waitingAtMum()).toHaveLength(OFFERS_WAITING_MAX);
    expect(mum.seen.filter(({ type }) => type === 'attention')).toEqual([]);
    expect(mum.store.read.peers()).toEqual([]);
    for (const eve of strangers.slice(0, 3)) {
      mum.pairing.open(offerOf(eve.raw.agentId).id);
      await house.clock.settle();
      await eve.takeAnswer();
      expect(await eve.step(revealPayload(eve.pid, new Uint8Array(32)))).toMatchObject({
        kind: 'error',
        payload: { code: 'rejected' },
      });
    }
    expect(mum.pairing.window.locked_until).not.toBeNull();
    expect(waitingAtMum()).toEqual([]);
    expect(await strangers[3]?.offers()).toBe('not_authorized');
    expect(mum.pairing.list().some(({ six }) => six !== null)).toBe(false);
  });

  it('of strangers, who hold every place for a connection as well, keep nobody from pressing Add on this side', async () => {
    mum.pairing.setWindow(true, 30);
    const strangers: Attacker[] = [];
    for (let count = 0; count < QUARANTINED_CONNECTIONS_MAX; count++)
      strangers.push(await stranger(`192.168.1.${100 + count}`));
    for (const eve of strangers.slice(-OFFERS_WAITING_MAX)) await eve.offers();
    expect(waitingAtMum()).toHaveLength(OFFERS_WAITING_MAX);
    mum.hears(dad);
    mum.pairing.begin(dad.agentId, null);
    const asked = (): PairingDto | undefined =>
      dad.pairing.list().find(({ state }) => state === 'offered');
    dad.pairing.setWindow(true, 5);
    await house.clock.until(() => asked() !== undefined, 'her request waits at his', 20_000);
    dad.pairing.open(asked()?.id ?? '');
    [dad, mum] = [mum, dad];
    await finish();
  });

  it('of strangers who were put away make place for the one that asks on', async () => {
    mum.pairing.setWindow(true, 30);
    for (let count = 0; count < OFFERS_WAITING_MAX; count++)
      await (await stranger(`192.168.1.${100 + count}`)).offers();
    dad.pairing.begin(mum.agentId, null);
    await house.clock.advance(10_000);
    const [first] = waitingAtMum();
    await mum.pairing.cancel(first?.id ?? '');
    await house.clock.until(
      () => waitingAtMum().some(({ peer_id: id }) => id === dad.agentId),
      'his request has a place now',
      10_000,
    );
    mum.pairing.open(offerOf(dad.agentId).id);
    await finish();
  });

  it('of which all places are taken give up the oldest that nobody opened for half a minute, and the one that asks on comes in', async () => {
    mum.pairing.setWindow(true, 30);
    for (let count = 0; count < OFFERS_WAITING_MAX; count++)
      await (await stranger(`192.168.1.${100 + count}`)).offers();
    const [oldest, ...others] = waitingAtMum().map(({ id }) => id);
    dad.pairing.begin(mum.agentId, null);
    await house.clock.advance(OFFER_PLACE_KEPT_MS - 5_000);
    expect(waitingAtMum().map(({ id }) => id)).toEqual([oldest, ...others]);
    await house.clock.until(
      () => waitingAtMum().some(({ peer_id: id }) => id === dad.agentId),
      'his request has a place now',
      15_000,
    );
    expect(waitingAtMum().map(({ id }) => id)).toEqual([...others, offerOf(dad.agentId).id]);
    mum.pairing.open(offerOf(dad.agentId).id);
    await finish();
  });

  it('are replaced by a newer one of the same hub, which cannot ask beside a pairing that goes on', async () => {
    mum.pairing.setWindow(true, 5);
    const eve = await stranger('192.168.1.66');
    expect(await eve.offers()).toBe('ack');
    const [before] = waitingAtMum();
    expect(await eve.offers()).toBe('ack');
    expect(waitingAtMum()).toHaveLength(1);
    expect(waitingAtMum()[0]?.id).not.toBe(before?.id);
    expect(mum.seen.some((event) => event.type === 'pairing_gone' && event.id === before?.id)).toBe(
      true,
    );
    mum.pairing.open(offerOf(eve.raw.agentId).id);
    await house.clock.settle();
    expect(await eve.offers()).toBe('overloaded');
  });

  it('are shown while pairing is open and not after, can be opened only then, and go on when it is opened again', async () => {
    mum.pairing.setWindow(true, 5);
    await dadAsks();
    const { id } = offerOf(dad.agentId);
    mum.pairing.setWindow(false, 5);
    expect(waitingAtMum()).toEqual([]);
    expect(mum.seen.findLast(({ type }) => type.startsWith('pairing_gone'))).toMatchObject({ id });
    expect(() => mum.pairing.open(id)).toThrow(expect.objectContaining({ code: 'not_found' }));
    mum.pairing.setWindow(true, 5);
    expect(mum.seen.findLast(({ type }) => type === 'pairing')).toMatchObject({
      pairing: { id, state: 'offered' },
    });
    mum.pairing.open(id);
    await finish();
  });

  it('end without a trace when nobody opened them, here and at the side that takes them back', async () => {
    mum.pairing.setWindow(true, 30);
    const eve = await stranger('192.168.1.66');
    await eve.offers();
    await dadAsks();
    await eve.takesBack();
    expect(mum.pairing.list().map(({ peer_id: id }) => id)).toEqual([dad.agentId]);
    await house.clock.advance(301_000);
    expect(mum.pairing.list()).toEqual([]);
    expect(dad.currentPairing?.state).toBe('failed');
    expect(mum.store.read.audit({ limit: 10 })).toEqual([]);
  });

  it('do not keep a person from asking another hub, and Add beside a hub that asks opens its request', async () => {
    mum.pairing.setWindow(true, 5);
    const eve = await stranger('192.168.1.66');
    await eve.offers();
    await dadAsks();
    mum.hears(dad);
    expect(mum.pairing.begin(dad.agentId, 'His laptop')).toMatchObject({
      role: 'responder',
      state: 'exchanging',
    });
    await finish();
    expect(mum.peer(dad).name).toBe('His laptop');
  });
});

describe('a hub that stops in the middle of a pairing', () => {
  it('leaves no timer behind, whatever step was on its way, and takes no more offers', async () => {
    mum.pairing.setWindow(true, 5);
    const eve = await stranger('192.168.1.66');
    await eve.offers();
    // Its answer is on the way to somebody who does not take it.
    mum.pairing.open(offerOf(eve.raw.agentId).id);
    mum.pairing.stop();
    expect(await eve.offers()).toBe('overloaded');
    await house.clock.settle();
    expect(mum.pairing.list()).toEqual([]);
    // What is left is that of connections and of whoever waits for an answer; none of a pairing's
    // minutes.
    await mum.links.stop();
    await eve.stop();
    await dad.halt();
    await house.clock.settle();
    expect(house.clock.timers).toBe(0);
  });
});
