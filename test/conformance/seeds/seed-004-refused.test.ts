// What document 004 leaves to its hub to refuse, by the numbers of its requirements: words that it
// does not know, and answers to nothing.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asks, does, SeedHousehold } from './household.ts';
import { eliza } from './messages.ts';

let house: SeedHousehold;
beforeAll(async () => {
  house = await SeedHousehold.start();
}, 120_000);
afterAll(() => house.stop());

const asks4 = asks('elizaos');
const does4 = does('elizaos');

test.each(['SUBSCRIBE', 'PROPOSE', 'SING'])(
  '004.4, 004.49 %s is refused with the performatives that there are',
  async (performative) => {
    const refused = await house.say(asks4, eliza(asks4, performative, {}, { receiver: does4 }));
    expect(refused).toMatchObject({ http: 400 });
    const told = JSON.stringify(refused);
    for (const known of ['TASK_REQUEST', 'INFORM_RESULT', 'QUERY_CAPABILITIES', 'CANCEL'])
      expect(told).toContain(known);
  },
);

test.each(['TASK_ACCEPT', 'TASK_REJECT', 'FAILURE', 'INFORM_CAPABILITIES'])(
  '004.22 a %s that answers nothing is refused',
  async (performative) => {
    expect(await house.say(does4, eliza(does4, performative, {}))).toMatchObject({ http: 404 });
  },
);

test('004.5 sender and receiver are agents by their ids, and nobody speaks for another', async () => {
  const request = eliza(asks4, 'TASK_REQUEST', { task_description: 'Bake' });
  const addressed = { ...request, receiver: { agent_id: does4 } };
  const forged = { ...addressed, sender: { agent_id: 'somebody-else' } };
  expect(await house.say(asks4, forged)).toMatchObject({ http: 403 });
  expect(await house.say(asks4, addressed)).toMatchObject({
    http: 200,
    report: { chosen: { agent: does4 } },
  });
});
