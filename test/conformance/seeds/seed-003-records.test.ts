// What document 003 wants kept and shown, by its numbers: conversations, what agents offer, and what
// went over the wire.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { AgedHub } from '../../support/aged-hub.ts';
import { WITHIN_MS } from '../../support/raw-peer.ts';
import { until } from '../../support/until.ts';
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

  test('003.44, 003.45, 003.46 one id among three is one label, with who said what to what', async () => {
    const more = { receiver: doer, reply_with: 'r-abc', conversation_id: 'abc' };
    const beside = 'does-beside';
    await house.join(house.mum, beside, 'fipa-acl', {});
    const { mum } = house;
    await house.say(beside, fipa('REQUEST', 'Within the hub', more));
    await house.allow();
    await house.next(doer);
    const here = fipa('INFORM', 'Done within', { in_reply_to: 'r-abc', conversation_id: 'abc' });
    await house.say(doer, here);
    expect(await house.next(beside)).toEqual(here);
    for (const text of ['From Dad', 'Again from Dad']) await exchanged('abc', text);

    const mums = await mum.page();
    const shown = async (id: string): Promise<JsonObject> => {
      const path = `/v1/conversations/${encodeURIComponent(id)}`;
      return JSON.parse((await mum.ask(path, { token: mums })).text);
    };
    const first = await shown('abc');
    expect(JSON.stringify(first['participants'])).toMatch(/beside.*fipa|fipa.*beside/i);
    expect(JSON.stringify(first)).not.toContain('From Dad');
    expect(first['linked']).toEqual([expect.stringMatching(/^abc:/)]);
    const [other] = first['linked'] as readonly string[];
    const second = await shown(String(other));
    expect(second['linked']).toEqual(['abc']);
    for (const text of ['From Dad', 'Done: From Dad', 'Again from Dad'])
      expect(JSON.stringify(second)).toContain(text);
    const entries = second['entries'] as readonly JsonObject[];
    const asked = entries.find(({ text }) => text === 'From Dad');
    const told = entries.find(({ text }) => text === 'Done: From Dad');
    expect(asked).toMatchObject({ kind: 'delegate', ref: null });
    expect(told).toMatchObject({ ref: asked?.['message_id'] });
    expect(second['participants']).toEqual([
      { hub_name: 'Dad', agent_name: expect.stringMatching(/asks/i) },
      { hub_name: expect.any(String), agent_name: expect.stringMatching(/does/i) },
    ]);
  });

  test('003.51, 003.58 each message can be inspected, exported as it went, and said anew', async () => {
    await exchanged('looked-at', 'Inspect me');
    const { entries } = await owner('/v1/conversations/looked-at');
    const [{ seq }] = entries as readonly [JsonObject];
    const inspected = await owner(`/v1/messages/inspect?seq=${String(seq)}`);
    expect(JSON.stringify(inspected)).toContain('Inspect me');
    const exported = await house.dad.ask('/v1/conversations/looked-at/export?format=jsonl', {
      token: page,
    });
    const { message } = inspected as { message: JsonObject };
    expect(message).toMatchObject({ kind: 'delegate' });
    const payload = JSON.parse(String((inspected as { payload: string }).payload));
    expect(exported.text).toContain('Inspect me');
    const byAgent = async (agent: string): Promise<JsonObject> =>
      house.post(house.dad, agent, '/v1/conversations/looked-at/export?format=jsonl');
    const own = await byAgent(asker);
    expect(own).toMatchObject({ http: 200, next: null });
    expect(own['text']).toMatch(/Inspect me[^]*Done: Inspect me/);
    expect(await byAgent(asks('native'))).toMatchObject({ http: 404 });
    const again = { ...payload.origin.message, reply_with: `r-${fresh()}` };
    expect(again).toMatchObject({ performative: 'REQUEST', content: 'Inspect me' });
    expect(await house.say(asker, again)).toMatchObject({ http: 200 });
    await house.allow();
    expect(await house.next(doer)).toEqual(again);
    await house.say(doer, fipa('INFORM', 'Again', { in_reply_to: again.reply_with }));
    await house.next(asker);
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

  test('003.48 a conversation that is over can be removed, and goes by itself after as long as is set', async () => {
    await exchanged('over', 'Forget me');
    const removed = await house.dad.ask('/v1/conversations/over', {
      token: page,
      method: 'DELETE',
    });
    expect(removed.status).toBe(200);
    const { status } = await house.dad.ask('/v1/conversations/over', { token: page });
    expect(status).toBe(410);
    const kept = async (): Promise<unknown> => (await owner('/v1/settings'))['keep_messages_days'];
    expect(await kept()).toBe(365);
    const body = { keep_messages_days: 30 };
    const changed = await house.dad.ask('/v1/settings', { token: page, method: 'PATCH', body });
    expect(changed.status).toBe(200);
    expect(await kept()).toBe(30);
    await exchanged('stale', 'Forget me, too');
    const open = { capability: CAPABILITY, reply_with: 'r-open', conversation_id: 'open' };
    await house.say(asker, fipa('REQUEST', 'Keep me', open));
    await house.allow();
    await house.next(doer);
    await house.dad.node.stop();
    const aged = await AgedHub.start(house.dad.home);
    const words = async (conversation: string): Promise<string> => {
      const address = `http://127.0.0.1:${aged.node.apiPort}/v1/conversations/${conversation}`;
      const headers = { authorization: `Bearer ${house.tokenOf(asker)}` };
      return (await fetch(address, { headers })).text();
    };
    expect(await words('stale')).toMatch(/Forget me, too[^]*Done: Forget me, too/);
    await aged.age(31);
    await until(
      'the end of what is stale',
      WITHIN_MS,
      async () => !/Forget/.test(await words('stale')),
    );
    expect(await words('open')).toContain('Keep me');
    await aged.stop();
  });
});
