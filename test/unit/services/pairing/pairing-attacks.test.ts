// Pairing against hubs that do not keep to the rules: broken promises, ids used twice, forged
// confirmations, crowds, and one in the middle.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toBase64Url } from '../../../../main/lib/bytes.ts';
import {
  confirmMessage,
  confirmPayload,
  digitsOf,
  newOffer,
  revealPayload,
  transcript,
} from '../../../../main/protocol/pairing.ts';
import { sign } from '../../../../main/protocol/signature.ts';
import { keyBytes } from '../../../../main/services/pairing/pairing-session.ts';
import { type HubStack, PERSON } from '../../../fakes/hub-stack.ts';
import { StackHouse } from '../../../support/stack-house.ts';
import { RawHub } from '../links/raw-hub.ts';
import { Attacker } from './attacker.ts';
import { playResponder } from './played-responder.ts';

let house: StackHouse;

beforeEach(() => (house = new StackHouse()));
afterEach(() => house.close());

async function attacker(target: HubStack): Promise<Attacker> {
  const made = await new Attacker(
    await new RawHub(house.network.create()).start(),
    target,
    house.clock,
  ).connect();
  house.endsWith(() => made.stop());
  return made;
}

/** The attacker's offer was opened by the person, and answered. */
async function opened(
  target: HubStack,
  by: Attacker,
): Promise<{ meta: Readonly<Record<string, unknown>>; nonce: Uint8Array }> {
  target.pairing.setWindow(true, 5);
  expect(await by.step(by.offer.payload)).toMatchObject({
    kind: 'ack',
    payload: { accepted: true },
  });
  target.pairing.open(target.currentPairing?.id ?? '');
  await house.clock.settle();
  return by.takeAnswer();
}

describe('pairing against hubs that do not keep to the rules', () => {
  it('refuses offers while no person has opened pairing, without a prompt', async () => {
    const mum = await house.hub('Mum');
    const eve = await attacker(mum);
    expect(await eve.step(eve.offer.payload)).toMatchObject({
      kind: 'error',
      payload: { code: 'not_authorized' },
    });
    expect(mum.pairing.list()).toEqual([]);
    expect(mum.seen.filter(({ type }) => type === 'pairing')).toEqual([]);
  });

  it('HE-08: fifty strangers make one prompt at most, and the others are told that it is busy or may not connect at all', async () => {
    const mum = await house.hub('Mum');
    mum.pairing.setWindow(true, 5);
    const codes: unknown[] = [];
    for (let stranger = 0; stranger < 50; stranger++) {
      const raw = await new RawHub(house.network.create()).start();
      house.endsWith(() => raw.transport.stop());
      const line = await raw.connect(mum);
      await house.clock.settle();
      const eve = new Attacker(raw, mum, house.clock);
      if (raw.ended(line) !== undefined) {
        codes.push('refused');
        continue;
      }
      await raw.hello(line, mum);
      const reply = await raw.ask(line, raw.envelope(mum.agentId, 'pair', eve.offer.payload));
      codes.push(reply?.kind === 'ack' ? 'ack' : reply?.payload['code']);
    }
    expect(codes.filter((code) => code === 'ack')).toHaveLength(1);
    expect(codes.filter((code) => code === 'overloaded')).toHaveLength(15);
    expect(codes.filter((code) => code === 'refused')).toHaveLength(34);
    expect(mum.pairing.list()).toHaveLength(1);
    expect(mum.store.read.peers()).toEqual([]);
    expect(mum.store.read.audit({ limit: 10 })).toEqual([]);
  });

  it('ends a pairing whose initiator reveals something else than it promised, and counts it as a failure', async () => {
    const mum = await house.hub('Mum');
    for (let round = 0; round < 3; round++) {
      const eve = await attacker(mum);
      await opened(mum, eve);
      const reply = await eve.step(revealPayload(eve.pid, new Uint8Array(randomBytes(32))));
      expect(reply).toMatchObject({ kind: 'error', payload: { code: 'rejected' } });
      expect(mum.currentPairing).toMatchObject({ state: 'failed', six: null });
    }
    expect(mum.pairing.window.locked_until).not.toBeNull();
    expect(mum.seen.some((event) => event.type === 'pairing' && event.pairing.six !== null)).toBe(
      false,
    );
  });

  it('never takes an id twice, from the same hub or from another one', async () => {
    const mum = await house.hub('Mum');
    const eve = await attacker(mum);
    await opened(mum, eve);
    await mum.pairing.cancel(mum.currentPairing?.id ?? '');
    mum.pairing.setWindow(true, 5);
    expect(await eve.step(eve.offer.payload)).toMatchObject({
      kind: 'error',
      payload: { code: 'rejected' },
    });
    const mallory = await attacker(mum);
    const copied = newOffer({
      pid: eve.pid,
      key: mallory.key,
      meta: mallory.meta,
      nonce: mallory.nonce,
    });
    expect(await mallory.step(copied.payload)).toMatchObject({
      kind: 'error',
      payload: { code: 'rejected' },
    });
    expect(mum.pairing.list().filter(({ state }) => state !== 'failed')).toEqual([]);
  });

  it('hears no more of a hub that was declined until pairing is opened anew', async () => {
    const mum = await house.hub('Mum');
    const eve = await attacker(mum);
    const newOfferOf = (by: Attacker): unknown => {
      const pid = new Uint8Array(randomBytes(16));
      return newOffer({ pid, key: by.key, meta: by.meta, nonce: by.nonce }).payload;
    };
    mum.pairing.setWindow(true, 5);
    expect(await eve.step(newOfferOf(eve))).toMatchObject({ kind: 'ack' });
    await mum.pairing.cancel(mum.currentPairing?.id ?? '');
    expect(await eve.step(newOfferOf(eve))).toMatchObject({
      kind: 'error',
      payload: { code: 'not_authorized' },
    });
    mum.pairing.setWindow(true, 5);
    expect(await eve.step(newOfferOf(eve))).toMatchObject({ kind: 'ack' });
  });

  it('lets only the hub that made the offer go on with it', async () => {
    const mum = await house.hub('Mum');
    const [eve, mallory] = [await attacker(mum), await attacker(mum)];
    await opened(mum, eve);
    expect(await mallory.step(revealPayload(eve.pid, eve.nonce))).toMatchObject({
      kind: 'error',
      payload: { code: 'rejected' },
    });
    expect(
      await mallory.step({ step: 'abort', pid: toBase64Url(eve.pid), reason: 'x' }),
    ).toMatchObject({ kind: 'ack' });
    expect(mum.currentPairing?.state).toBe('exchanging');
    expect(await eve.step(revealPayload(eve.pid, eve.nonce))).toMatchObject({ kind: 'ack' });
    expect(mum.currentPairing?.state).toBe('show_six');
  });

  it('never pins on a confirmation that was signed with another key, for the other role, or before the reveal', async () => {
    const mum = await house.hub('Mum');
    const eve = await attacker(mum);
    const answer = await opened(mum, eve);
    const sealed = transcript({
      pid: eve.pid,
      keyI: eve.key,
      metaI: eve.meta,
      keyR: keyBytes(mum.key),
      metaR: answer.meta,
      commit: eve.offer.commit,
      nonceR: answer.nonce,
      nonceI: eve.nonce,
    });
    const early = await eve.step(
      confirmPayload(eve.pid, sign(confirmMessage('I', sealed), eve.raw.seed)),
    );
    expect(early).toMatchObject({ kind: 'error', payload: { code: 'rejected' } });
    await eve.step(revealPayload(eve.pid, eve.nonce));
    expect(mum.currentPairing?.state).toBe('show_six');
    const otherRole = await eve.step(
      confirmPayload(eve.pid, sign(confirmMessage('R', sealed), eve.raw.seed)),
    );
    expect(otherRole).toMatchObject({ kind: 'error', payload: { code: 'rejected' } });
    expect(mum.currentPairing?.state).toBe('failed');
    expect(mum.store.read.peers()).toEqual([]);
  });

  it('does not pin a hub that confirms on its own, however right its signature, until a person typed the two digits', async () => {
    const mum = await house.hub('Mum');
    const eve = await attacker(mum);
    const answer = await opened(mum, eve);
    await eve.step(revealPayload(eve.pid, eve.nonce));
    const sealed = transcript({
      pid: eve.pid,
      keyI: eve.key,
      metaI: eve.meta,
      keyR: keyBytes(mum.key),
      metaR: answer.meta,
      commit: eve.offer.commit,
      nonceR: answer.nonce,
      nonceI: eve.nonce,
    });
    const reply = await eve.step(
      confirmPayload(eve.pid, sign(confirmMessage('I', sealed), eve.raw.seed)),
    );
    expect(reply).toMatchObject({ kind: 'ack' });
    expect(mum.currentPairing?.state).toBe('type_two');
    await house.clock.advance(301_000);
    expect(mum.store.read.peers()).toEqual([]);
    expect(mum.pairing.list().every(({ state }) => state === 'failed')).toBe(true);
  });

  it('answers steps that do not read with what would have fitted', async () => {
    const mum = await house.hub('Mum');
    const eve = await attacker(mum);
    mum.pairing.setWindow(true, 5);
    for (const payload of [
      {},
      { step: 'offer' },
      { step: 'dance', pid: toBase64Url(eve.pid) },
      { ...eve.offer.payload, commit: 'short' },
    ]) {
      expect(await eve.step(payload)).toMatchObject({
        kind: 'error',
        payload: { code: 'invalid_envelope' },
      });
    }
    expect(mum.pairing.list()).toEqual([]);
  });

  it('stops a hub that asks and asks before it is paired', async () => {
    const mum = await house.hub('Mum');
    const eve = await attacker(mum);
    const codes: unknown[] = [];
    for (let count = 0; count < 40; count++)
      codes.push((await eve.step(eve.offer.payload))?.payload['code']);
    expect(new Set(codes)).toEqual(new Set(['not_authorized', 'rate_limited']));
    expect(codes.at(-1)).toBe('rate_limited');
  });

  it('HE-08: with a relay between the two hubs, which pairs with each as the other, the digits of the two screens differ', async () => {
    const [dad, mum] = [await house.hub('Dad'), await house.hub('Mum')];
    // The relay has two faces; each end sees the key of the face it talks to, and people copy
    // digits between the real ends.
    const towardsDad = await new RawHub(house.network.create()).start();
    house.endsWith(() => towardsDad.transport.stop());
    const towardsMum = await attacker(mum);
    dad.directory.foundNearby({
      agentId: towardsDad.agentId,
      keyHex: towardsDad.key,
      port: towardsDad.port,
      addresses: ['127.0.0.1'],
      label: 'Mum',
    });
    dad.pairing.begin(towardsDad.agentId, null);
    await opened(mum, towardsMum);
    await towardsMum.step(revealPayload(towardsMum.pid, towardsMum.nonce));
    await playResponder(house.clock, dad, towardsDad);
    await dad.pairing.type(dad.currentPairing?.id ?? '', mum.currentPairing?.six ?? '', PERSON);
    expect(dad.currentPairing).toMatchObject({ state: 'failed', two: null });
    expect([dad.store.read.peers(), mum.store.read.peers()]).toEqual([[], []]);
  });

  it('pins nobody on the confirmation of a responder that is not signed by its own key, for its own role, over what both saw', async () => {
    const dad = await house.hub('Dad');
    const responder = await new RawHub(house.network.create()).start();
    house.endsWith(() => responder.transport.stop());
    const { agentId, key, port } = responder;
    dad.directory.foundNearby({
      agentId,
      keyHex: key,
      port,
      addresses: ['127.0.0.1'],
      label: 'Mum',
    });
    dad.pairing.begin(agentId, 'Mum');
    const { sealed, pid, connectionId } = await playResponder(house.clock, dad, responder);
    await dad.pairing.type(dad.currentPairing?.id ?? '', digitsOf(sealed).six, PERSON);
    expect(dad.currentPairing?.state).toBe('show_two');
    const confirm = async (signature: Uint8Array): Promise<unknown> => {
      const line = {
        connectionId,
        keyHex: dad.key,
        direction: 'incoming',
        host: '127.0.0.1',
        port: dad.port,
      } as const;
      return (
        await responder.ask(
          line,
          responder.envelope(dad.agentId, 'pair', confirmPayload(pid, signature)),
        )
      )?.kind;
    };
    const stranger = new Uint8Array(randomBytes(32));
    expect(await confirm(sign(confirmMessage('R', sealed), stranger))).toBe('error');
    expect(await confirm(sign(confirmMessage('I', sealed), responder.seed))).toBe('error');
    expect(await confirm(sign(confirmMessage('R', new Uint8Array(32)), responder.seed))).toBe(
      'error',
    );
    expect(dad.store.read.peers()).toEqual([]);
    expect(dad.currentPairing?.state).toBe('show_two');
    expect(await confirm(sign(confirmMessage('R', sealed), responder.seed))).toBe('ack');
    expect(dad.store.read.peer(key)).toMatchObject({ trust: 'paired', petname: 'Mum' });
  });
});
