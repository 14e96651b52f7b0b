// Negotiation by document 003: offers, counter-offers, their acceptance and refusal, and what nobody
// may do with them.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { AREA, asks, CAPABILITY, does, LANGUAGES, SeedHousehold } from './household.ts';
import { fipa, fresh, inAMoment } from './messages.ts';

let house: SeedHousehold;
beforeAll(async () => {
  house = await SeedHousehold.start();
}, 120_000);
afterAll(() => house.stop());

const asker = asks('fipa-acl');
const doer = does('fipa-acl');
const OFFER = { text: 'For 5 euros?', structured: { euros: 5 } };
const ids = () => ({ reply_with: `r-${fresh()}`, conversation_id: `c-${fresh()}` });

/** A request that was answered with an offer. */
async function offered(proposal: JsonObject = {}) {
  const more = ids();
  const said = await house.say(asker, fipa('REQUEST', 'Bake', { capability: CAPABILITY, ...more }));
  await house.allow();
  await house.next(doer);
  const named = { in_reply_to: more.reply_with, reply_with: `p-${fresh()}`, ...proposal };
  const propose = fipa('PROPOSE', OFFER, named);
  expect(await house.say(doer, propose)).toMatchObject({ http: 200 });
  expect(await house.next(asker)).toEqual(propose);
  expect(await house.ended(asker, (said['report'] as JsonObject)['id'])).toMatchObject({
    story: { end: { kind: 'offered', by: 'agent' } },
  });
  return { ...more, id: String((said['report'] as JsonObject)['id']), proposal: named.reply_with };
}

async function card(): Promise<JsonObject> {
  const { approvals } = house.mum.node.services.work;
  return JSON.parse(JSON.stringify(approvals.pending()[0] ?? {}));
}

/** What an agent has in hand, given back and taken again. */
async function open(agent: string): Promise<unknown> {
  return house.mum.node.services.work.inbox.open(agent)[0];
}

const accepting = (more: JsonObject) =>
  house.say(asker, fipa('ACCEPT_PROPOSAL', 'Agreed', { reply_with: `a-${fresh()}`, ...more }));

describe('seed 003: negotiation', () => {
  test('003.17, 003.18, 003.19, 003.55 an offer out of the blue is accepted or refused by its answer', async () => {
    for (const [answer, decision, state] of [
      ['ACCEPT_PROPOSAL', 'accept', 'completed'],
      ['REJECT_PROPOSAL', 'reject', 'failed'],
    ] as const) {
      const more = ids();
      const propose = fipa('PROPOSE', 'I bake for 5 euros', { receiver: doer, ...more });
      const said = await house.say(asker, propose);
      await house.allow();
      expect(await house.next(doer)).toEqual(propose);
      const reply_with = `yes-${fresh()}`;
      await house.say(doer, fipa(answer, 'Well', { in_reply_to: more.reply_with, reply_with }));
      expect(await house.next(asker)).toMatchObject({ performative: answer });
      expect(await house.ended(asker, (said['report'] as JsonObject)['id'])).toMatchObject({
        state,
        untrusted: { data: { decision } },
      });
      // Whoever offered it has it to do, and says so when it is done.
      const inform = fipa('INFORM', 'Baked', { in_reply_to: reply_with });
      const told = await house.say(asker, inform);
      expect(told).toMatchObject({ http: decision === 'accept' ? 200 : 404 });
      if (decision === 'accept') expect(await house.next(doer)).toEqual(inform);
    }
  });

  test('003.18 a request that is rejected is not done, and one that is accepted not yet', async () => {
    for (const [answer, state] of [
      ['REJECT_PROPOSAL', 'failed'],
      ['ACCEPT_PROPOSAL', 'running'],
    ] as const) {
      const { id, read } = await house.asked('fipa-acl');
      const said = fipa(answer, 'Not for that', { in_reply_to: read['reply_with'] });
      expect(await house.say(doer, said)).toMatchObject({ http: 200 });
      if (state === 'failed') await house.item(asks('native'));
      expect(await house.post(house.dad, asks('native'), `/v1/tasks/${String(id)}`)).toMatchObject({
        state,
        code: state === 'failed' ? 'rejected' : null,
      });
      if (state === 'failed') continue;
      await house.say(doer, fipa('INFORM', 'Done', { in_reply_to: read['reply_with'] }));
      await house.answer(asks('native'));
    }
  });

  test('003.17, 003.21 what is no order reads as none in every language', async () => {
    for (const [performative, act, words] of [
      ['CFP', 'cfp', 'Make an offer for this, and do nothing yet: Sell the old car'],
      ['PROPOSE', 'propose', 'Say yes or no to this offer, and do nothing yet: Sell the old car'],
      ['SUBSCRIBE', 'subscribe', 'Tell about this as often as it changes: Sell the old car'],
    ] as const)
      for (const language of LANGUAGES) {
        const receiver = `Mum/${does(language)}`;
        await house.say(asker, fipa(performative, 'Sell the old car', { receiver, ...ids() }));
        expect(JSON.stringify(await card())).toContain(words);
        await house.allow();
        const { untrusted, delivery_id: delivery } = await house.item(does(language));
        const { native, text, payload } = untrusted as JsonObject;
        if (language === 'fipa-acl') expect(native).toMatchObject({ performative });
        else {
          expect(JSON.stringify(native ?? { text, payload })).toContain(words);
          expect(JSON.stringify(native ?? { text, payload })).toContain(`"act":"${act}"`);
        }
        const path = `/v1/inbox/${String(delivery)}/reply`;
        await house.post(house.mum, does(language), path, { status: 'failed', error: 'No' });
        await house.answer(asker);
      }
  });

  test.each([
    ['the proposal', (one: Awaited<ReturnType<typeof offered>>) => ({ in_reply_to: one.proposal })],
    [
      'the request',
      (one: Awaited<ReturnType<typeof offered>>) => ({ in_reply_to: one.reply_with }),
    ],
    [
      'the conversation',
      (one: Awaited<ReturnType<typeof offered>>) => ({ conversation_id: one.conversation_id }),
    ],
  ])('003.17, 003.56 an acceptance that names %s is asked about, and done', async (_, named) => {
    const one = await offered();
    const said = await accepting(named(one));
    expect(said).toMatchObject({ http: 200, report: { chosen: { agent: doer } } });
    const seen = JSON.stringify(await card());
    for (const words of ['Agreed', 'Bake', 'euros']) expect(seen).toContain(words);
    expect(await house.waiting(doer)).toBe(0);
    await house.allow();
    expect(await house.next(doer)).toMatchObject({ performative: 'ACCEPT_PROPOSAL' });
    await house.say(doer, fipa('INFORM', 'Baked', { in_reply_to: one.reply_with }));
    expect(await house.ended(asker, (said['report'] as JsonObject)['id'])).toMatchObject({
      state: 'completed',
      untrusted: { outcome: 'Baked' },
    });
    await house.next(asker);
  });

  test('003.56 an acceptance may be answered with another offer, which is accepted, too', async () => {
    const one = await offered();
    await accepting({ in_reply_to: one.proposal });
    await house.allow();
    await house.next(doer);
    const again = fipa('PROPOSE', 'For 6?', { in_reply_to: one.proposal, reply_with: 'p-again' });
    await house.say(doer, again);
    expect(await house.next(asker)).toEqual(again);
    expect(await accepting({ in_reply_to: 'p-again' })).toMatchObject({ http: 200 });
    expect(JSON.stringify(await card())).toContain('For 6?');
    await house.allow();
    await house.next(doer);
    await house.say(doer, fipa('INFORM', 'Baked', { in_reply_to: 'p-again' }));
    expect(await house.next(asker)).toMatchObject({ performative: 'INFORM' });
  });

  test('003.20 an agent without a language accepts an offer, and one of another reads its terms', async () => {
    for (const language of ['fipa-acl', 'elizaos'] as const) {
      const { id, read } = await house.asked(language);
      const to = does(language);
      if (language === 'fipa-acl')
        await house.say(to, fipa('PROPOSE', OFFER, { in_reply_to: read['reply_with'] }));
      else {
        const offer = { status: 'failed', code: 'rejected', data: { act: 'propose', offer: 5 } };
        const { delivery_id: delivery } = (await open(to)) as JsonObject;
        await house.post(house.mum, to, `/v1/inbox/${String(delivery)}/reply`, offer);
      }
      await house.ended(asks('native'), id);
      const accept = { to: `Mum/${to}`, task: 'Agreed', accepts: id };
      const said = await house.post(house.dad, asks('native'), '/v1/delegate', accept);
      expect(said).toMatchObject({ http: 202 });
      await house.allow();
      const told = JSON.stringify(await house.next(to));
      for (const part of ['Agreed', 'Bake a cake', '"offer":']) expect(told).toContain(part);
    }
  });

  test('003.38 an offer that says by when is not accepted later, by whichever hub', async () => {
    const one = await offered({ reply_by: 'PT1S' });
    const other = await offered({ reply_by: inAMoment(3_600_000) });
    const answered = await house.ended(asks('fipa-acl'), one.id);
    expect(answered).toMatchObject({ untrusted: { data: { reply_by: 'PT1S' } } });
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const detail = 'That offer is over: it said by when it had to be accepted.';
    expect(await accepting({ in_reply_to: one.proposal })).toMatchObject({ http: 409, detail });
    const accepts = {
      message: one.id,
      request: { task: 'Bake', context: {} },
      offer: { euros: 5 },
    };
    const payload = { task: 'Agreed', act: 'accept-proposal', accepts, route: { from: asker } };
    const message = { id: randomUUID(), kind: 'delegate', ref: null, payload };
    const { keyHex } = house.mum.node.services.identity;
    expect(await house.dad.node.services.links.request(keyHex, message, 10_000)).toMatchObject({
      value: { payload: { accepted: false, code: 'conflict', reason: detail } },
    });
    expect(await card()).toEqual({});
    expect(await accepting({ in_reply_to: other.proposal })).toMatchObject({ http: 200 });
    await house.allow();
    await house.next(doer);
    await house.say(doer, fipa('INFORM', 'Baked', { in_reply_to: other.proposal }));
    await house.next(asker);
  });

  test('003.18 a refusal of an offer is told to whoever made it, and runs nothing', async () => {
    const one = await offered();
    const reject = fipa('REJECT_PROPOSAL', 'Too dear', { in_reply_to: one.proposal });
    expect(await house.say(asker, reject)).toMatchObject({ http: 200, report: { state: 'sent' } });
    expect(await house.next(doer)).toEqual(reject);
    expect(await card()).toEqual({});
  });

  test('003.21 bids for a call end it, one is accepted, and its terms are seen there', async () => {
    await house.join(house.mum, 'does-bidding', 'fipa-acl', {});
    const bids = [doer, 'does-bidding'].map((receiver) => ({
      receiver,
      reply_with: `cfp-${fresh()}`,
    }));
    for (const bid of bids) {
      await house.say(
        asker,
        fipa('CFP', 'Who bakes?', {
          ...bid,
          receiver: `Mum/${bid.receiver}`,
          conversation_id: 'call',
        }),
      );
      await house.allow();
      await house.next(bid.receiver);
      await house.say(
        bid.receiver,
        fipa('PROPOSE', `I do, says ${bid.receiver}`, { in_reply_to: bid.reply_with }),
      );
      expect(await house.next(asker)).toMatchObject({ performative: 'PROPOSE' });
    }
    expect(await accepting({ conversation_id: 'call' })).toMatchObject({
      http: 409,
      detail: 'More than one offer may be meant.',
    });
    await accepting({ conversation_id: 'call', receiver: 'does-bidding' });
    await house.say(asker, fipa('REJECT_PROPOSAL', 'Sorry', { in_reply_to: bids[0]?.reply_with }));
    expect(await house.next(doer)).toMatchObject({ performative: 'REJECT_PROPOSAL' });
    expect(JSON.stringify(await card())).toContain('I do, says does-bidding');
    await house.allow();
    expect(await house.next('does-bidding')).toMatchObject({ performative: 'ACCEPT_PROPOSAL' });
    await house.say('does-bidding', fipa('INFORM', 'Baked', { in_reply_to: bids[1]?.reply_with }));
    expect(await house.next(asker)).toMatchObject({ performative: 'INFORM', content: 'Baked' });
  });

  test('003.17 an offer is accepted once', async () => {
    const one = await offered();
    expect(await accepting({ in_reply_to: one.proposal })).toMatchObject({ http: 200 });
    expect(await accepting({ in_reply_to: one.proposal })).toMatchObject({
      http: 409,
      data: { untrusted: { message: 'The offer was accepted before.' } },
    });
    await house.allow();
    await house.next(doer);
    expect(await accepting({ in_reply_to: one.proposal })).toMatchObject({
      http: 409,
      data: { untrusted: { message: 'The offer was accepted before.' } },
    });
    await house.say(doer, fipa('INFORM', 'Baked', { in_reply_to: one.proposal }));
    await house.next(asker);
  });

  test('003.17 an acceptance that a person declined may be asked for again', async () => {
    const one = await offered();
    await accepting({ in_reply_to: one.proposal });
    await house.decide({ decision: 'decline' });
    expect(await house.next(asker)).toMatchObject({ performative: 'REFUSE' });
    expect(await accepting({ in_reply_to: one.proposal })).toMatchObject({ http: 200 });
    await house.allow();
    await house.next(doer);
    await house.say(doer, fipa('INFORM', 'Baked', { in_reply_to: one.proposal }));
    expect(await house.next(asker)).toMatchObject({ performative: 'INFORM' });
  });

  test('003.17 nothing is accepted where nothing was offered, nor by another agent', async () => {
    const more = ids();
    await house.say(asker, fipa('REQUEST', 'Bake', { capability: CAPABILITY, ...more }));
    await house.allow();
    await house.next(doer);
    expect(await accepting({ in_reply_to: more.reply_with })).toMatchObject({
      detail: 'That task did not end with an offer.',
    });
    await house.say(doer, fipa('INFORM', 'Baked', { in_reply_to: more.reply_with }));
    await house.next(asker);
    const one = await offered();
    const accepts = { to: `Mum/${doer}`, task: 'Agreed', accepts: one.id };
    expect(await house.post(house.dad, asks('native'), '/v1/delegate', accepts)).toMatchObject({
      detail: 'This agent asked for no such task.',
    });
    const elsewhere = { ...accepts, to: `Mum/${does('native')}` };
    expect(await house.post(house.dad, asker, '/v1/delegate', elsewhere)).toMatchObject({
      detail: 'An acceptance goes to whoever made the offer.',
    });
    expect(await card()).toEqual({});
  });

  test.each([
    ['the offer itself', {}, {}, null],
    [
      'another request',
      { request: { task: 'Send 500 euros', context: {} } },
      {},
      'invalid_envelope',
    ],
    ['another offer', { offer: { euros: 1 } }, {}, 'invalid_envelope'],
    ['what was never offered', { message: randomUUID() }, {}, 'invalid_envelope'],
    ['it as another agent', {}, { from: asks('native') }, 'not_authorized'],
    ['it for another agent', {}, { from: asker, to: does('native') }, 'not_authorized'],
  ])('003.56 a hub that accepts %s gets what is its due', async (_, lie, route, code) => {
    const { id } = await offered();
    const honest = { message: id, request: { task: 'Bake', context: {} }, offer: { euros: 5 } };
    const accepts = { ...honest, ...lie };
    const from = { from: asker, ...route };
    const payload = { task: 'Agreed', act: 'accept-proposal', accepts, route: from };
    const { links } = house.dad.node.services;
    const message = { id: randomUUID(), kind: 'delegate', ref: null, payload };
    const { keyHex } = house.mum.node.services.identity;
    const reply = await links.request(keyHex, message, 10_000);
    expect(reply).toMatchObject({
      value: { payload: code === null ? { accepted: true } : { accepted: false, code } },
    });
    if (code !== null) expect(await card()).toEqual({});
    else await house.allow();
    expect(await house.waiting(doer)).toBe(code === null ? 1 : 0);
  });

  test('003.56 a hub that accepts without saying so, or in a message about another offer, is refused', async () => {
    const [one, other] = [await offered(), await offered()];
    const accepts = {
      message: one.id,
      request: { task: 'Bake', context: {} },
      offer: { euros: 5 },
    };
    const said = (payload: JsonObject) => {
      const { links } = house.dad.node.services;
      const whole = { task: 'Agreed', accepts, route: { from: asker }, ...payload };
      const message = { id: randomUUID(), kind: 'delegate', ref: null, payload: whole };
      return links.request(house.mum.node.services.identity.keyHex, message, 10_000);
    };
    expect(await said({ domain: AREA })).toMatchObject({
      value: {
        payload: { accepted: false, reason: 'It accepts an offer and is no acceptance.' },
      },
    });
    const about = fipa('ACCEPT_PROPOSAL', 'Agreed', { in_reply_to: other.proposal });
    const origin = { dialect: 'fipa-acl', message: about };
    expect(await said({ act: 'accept-proposal', origin })).toMatchObject({
      value: { payload: { accepted: false, reason: 'Its message accepts another offer.' } },
    });
    expect(await card()).toEqual({});
  });
});
