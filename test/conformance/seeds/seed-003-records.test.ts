// What document 003 wants kept and shown, by its numbers: conversations, what agents offer, and what
// went over the wire.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { asks, CAPABILITY, does, SeedHousehold } from './household.ts';
import { fipa, fresh } from './messages.ts';

let house: SeedHousehold;
let page: string;
beforeAll(async () => {
  house = await SeedHousehold.start();
  page = await house.dad.page();
}, 120_000);
afterAll(() => house.stop());

const asker = asks('fipa-acl');
const doer = does('fipa-acl');

async function exchanged(conversation: string, text: string): Promise<void> {
  const more = {
    capability: CAPABILITY,
    reply_with: `r-${fresh()}`,
    conversation_id: conversation,
  };
  await house.say(asker, fipa('REQUEST', text, more));
  await house.allow();
  await house.next(doer);
  await house.say(doer, fipa('INFORM', `Done: ${text}`, { in_reply_to: more.reply_with }));
  await house.next(asker);
}

async function owner(path: string): Promise<JsonObject> {
  const { status, text } = await house.dad.ask(path, { token: page });
  expect(status).toBe(200);
  return JSON.parse(text);
}

describe('seed 003: records', () => {
  test('003.2, 003.43, 003.47, 003.53, 003.57 turns of one conversation stay together, with their times', async () => {
    await exchanged('turns', 'First');
    await exchanged('turns', 'Second');
    const { items } = await owner('/v1/conversations');
    expect(items).toContainEqual(
      expect.objectContaining({
        id: 'turns',
        first_at: expect.any(Number),
        last_at: expect.any(Number),
      }),
    );
    const whole = JSON.stringify(await owner('/v1/conversations/turns'));
    for (const said of ['First', 'Done: First', 'Second', 'Done: Second'])
      expect(whole).toContain(said);
  });

  test('003.51, 003.58 each message can be inspected, and exported as it went', async () => {
    await exchanged('looked-at', 'Inspect me');
    const { entries } = await owner('/v1/conversations/looked-at');
    const [{ seq }] = entries as readonly [JsonObject];
    const inspected = await owner(`/v1/messages/inspect?seq=${String(seq)}`);
    expect(JSON.stringify(inspected)).toContain('Inspect me');
    const exported = await house.dad.ask('/v1/conversations/looked-at/export?format=jsonl', {
      token: page,
    });
    expect(exported.text).toContain('Inspect me');
  });

  test('003.48 a conversation that is over can be removed', async () => {
    await exchanged('over', 'Forget me');
    const removed = await house.dad.ask('/v1/conversations/over', {
      token: page,
      method: 'DELETE',
    });
    expect(removed.status).toBe(200);
    const { status } = await house.dad.ask('/v1/conversations/over', { token: page });
    expect(status).toBe(410);
  });

  test('003.52 an agent can ask who would get a capability', async () => {
    const to = { capability: CAPABILITY };
    expect(await house.post(house.dad, asker, '/v1/route', { to })).toMatchObject({
      chosen: { agent: doer },
    });
    const unknown = await house.post(house.dad, asker, '/v1/route', {
      to: { capability: 'flying' },
    });
    expect(unknown).toMatchObject({
      detail: 'Nobody online offers "flying".',
      hint: `What is offered: ${CAPABILITY}.`,
    });
  });
});
