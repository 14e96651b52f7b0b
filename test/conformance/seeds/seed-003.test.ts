// The requirements of document 003, by their numbers, held against two hubs: agents that know nothing
// but their document speak over HTTP, and people decide.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AREA, asks, CAPABILITY, does, SeedHousehold } from './household.ts';
import { crunch, eliza, fipa, fresh, inAMoment } from './messages.ts';

let house: SeedHousehold;
beforeAll(async () => {
  house = await SeedHousehold.start();
}, 120_000);
afterAll(() => house.stop());

describe('seed 003', () => {
  test('003.11 the words of a FAILURE reach whoever asked, in the language of the question', async () => {
    const asking = house.say(
      asks('fipa-acl'),
      fipa('QUERY', 'How much?', { capability: CAPABILITY, reply_with: 'q-11' }),
    );
    await house.allow();
    const read = await house.next(does('fipa-acl'));
    const why = 'The dataset is locked by Bob';
    const failure = fipa('FAILURE', why, { in_reply_to: read['reply_with'] });
    await house.say(does('fipa-acl'), failure);
    expect(await asking).toMatchObject({ data: { untrusted: { native: failure } } });
  });

  test.each([
    'unknown_performative',
    'parsing_error',
    'invalid_payload_structure',
    'unknown_ontology',
  ])('003.14, 004.30 not understood for %s stays not understood', async (reason) => {
    const asker = asks('fipa-acl');
    const request = fipa('REQUEST', 'Look', { receiver: does('elizaos'), reply_with: reason });
    await house.say(asker, request);
    await house.allow();
    const read = await house.next(does('elizaos'));
    const answer = eliza(
      does('elizaos'),
      'NOT_UNDERSTOOD',
      { reason_code: reason, reason_text: 'What?' },
      { in_reply_to: read['message_id'] },
    );
    await house.say(does('elizaos'), answer);
    expect(await house.next(asker)).toMatchObject({
      performative: 'NOT_UNDERSTOOD',
      in_reply_to: reason,
    });
  });

  test('003.16, 003.20 a counter-offer does not do what was asked', async () => {
    const { id, read } = await house.asked('fipa-acl');
    const offer = { text: 'For 5 euros?', structured: { euros: 5 } };
    const propose = fipa('PROPOSE', offer, { in_reply_to: read['reply_with'] });
    await house.say(does('fipa-acl'), propose);
    expect(await house.ended(asks('native'), id)).toMatchObject({
      state: 'failed',
      untrusted: {
        error: 'For 5 euros?',
        data: { act: 'propose', offer: { euros: 5 } },
      },
    });
  });

  test.each([
    ['elizaos', { performative: 'TASK_REJECT', payload: { offer: 'For 5 euros?' } }],
    ['claude-crunch', { type: 'RESPONSE', payload: { status: 'BLOCKED' } }],
  ] as const)('003.20 a counter-offer is no success in %s', async (language, told) => {
    const to = does('fipa-acl');
    const asker = asks(language);
    await house.say(
      asker,
      language === 'elizaos'
        ? eliza(asker, 'TASK_REQUEST', { task_description: 'Bake' }, { receiver: to })
        : crunch(asker, 'REQUEST', { action: 'validate' }, { to }),
    );
    await house.allow();
    const read = await house.next(to);
    await house.say(to, fipa('PROPOSE', 'For 5 euros?', { in_reply_to: read['reply_with'] }));
    expect(await house.answer(asker)).toMatchObject(told);
  });

  test.each([
    ['ISO 8601', () => inAMoment(3_000)],
    ['milliseconds since 1970', () => Date.now() + 3_000],
    ['a duration', () => 'PT3S'],
  ])('003.38 reply_by as %s ends the wait', async (_, by) => {
    const query = { capability: CAPABILITY, reply_with: `q-${fresh()}`, reply_by: by() };
    const began = Date.now();
    expect(await house.say(asks('fipa-acl'), fipa('QUERY', 'Now?', query))).toMatchObject({
      http: 504,
      data: { untrusted: { native: { performative: 'FAILURE' } } },
    });
    expect(Date.now() - began).toBeLessThan(15_000);
  });

  test('003.38 a reply_by beyond a day gives a day', async () => {
    const more = { capability: CAPABILITY, reply_with: `r-${fresh()}`, reply_by: 'P30D' };
    expect(await house.say(asks('fipa-acl'), fipa('REQUEST', 'Look', more))).toMatchObject({
      http: 200,
    });
    await house.allow();
    await house.next(does('fipa-acl'));
  });

  test('003.40 a capability may name an area', async () => {
    const request = fipa('REQUEST', 'Draw', { capability: AREA, reply_with: `r-${fresh()}` });
    expect(await house.say(asks('fipa-acl'), request)).toMatchObject({
      http: 200,
      report: { chosen: { agent: does('fipa-acl') } },
    });
    await house.allow();
    await house.next(does('fipa-acl'));
  });
});
