// The requirements of document 000, by their numbers, held against two hubs: agents that know nothing
// but their document speak over HTTP, and people decide.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asks, does, SeedHousehold } from './household.ts';
import { acp } from './messages.ts';

let house: SeedHousehold;
beforeAll(async () => {
  house = await SeedHousehold.start();
}, 120_000);
afterAll(() => house.stop());

describe('seed 000', () => {
  test('000.20 a hub is named by its id, with or without the type of its key', async () => {
    const { agentId } = house.mum.node.services.identity;
    for (const to of [agentId, agentId.replace('ed25519.', '')])
      expect(
        await house.say(asks('acp-draft'), acp('notify', { topic: 'home', data: 1 }, { to })),
      ).toMatchObject({ http: 200, report: { chosen: { peer_name: 'Mum' } } });
  });

  test('000.26, 000.27 an answer in another language is a response with its four members', async () => {
    const asking = house.say(
      asks('acp-draft'),
      acp('query', { question: 'Who is home?' }, { to: does('native') }),
    );
    await house.allow();
    const { delivery_id: delivery } = await house.item(does('native'));
    await house.post(house.mum, does('native'), `/v1/inbox/${String(delivery)}/reply`, {
      status: 'completed',
      summary: 'Everybody',
      data: { home: 4 },
      tokens_used: 7,
    });
    expect(await asking).toMatchObject({
      untrusted: {
        native: {
          kind: 'response',
          payload: { summary: 'Everybody', data: { home: 4 }, tokens_used: 7, truncated: false },
        },
      },
    });
  });

  test('000.41 a notice to all reaches the agents of this hub, too', async () => {
    await house.join(house.dad, 'asks-beside', 'native', { topics: ['user'] });
    expect(
      await house.say(asks('acp-draft'), acp('notify', { topic: 'user.home' }, { to: '*' })),
    ).toMatchObject({ http: 200, report: { agents: expect.arrayContaining(['asks-beside']) } });
    expect(await house.item('asks-beside')).toMatchObject({ kind: 'notify' });
    await house.next(does('acp-draft'));
  });

  test('000.42, 000.43 an error keeps the words of the agent, in the language of the question', async () => {
    const question = acp('query', { question: 'Which school?' }, { to: does('native') });
    const asking = house.say(asks('acp-draft'), question);
    await house.allow();
    const { delivery_id: delivery } = await house.item(does('native'));
    await house.post(house.mum, does('native'), `/v1/inbox/${String(delivery)}/reply`, {
      status: 'failed',
      error: 'Try the work agent instead',
    });
    expect(await asking).toMatchObject({
      data: {
        untrusted: {
          native: {
            kind: 'error',
            ref: question.id,
            payload: { code: expect.any(String), message: 'Try the work agent instead' },
          },
        },
      },
    });
  });
});
