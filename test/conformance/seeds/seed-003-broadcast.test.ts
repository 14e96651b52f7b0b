// Requests and questions to everybody who has a capability, by document 003.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { until } from '../../support/until.ts';
import { WITHIN_MS } from '../../support/raw-peer.ts';
import { asks, SeedHousehold } from './household.ts';
import { eliza, fipa } from './messages.ts';

const CAPABILITY = 'image-processing';
const HERE = 'asks-drawing';
const THERE = ['does-drawing', 'does-painting'] as const;
let house: SeedHousehold;
beforeAll(async () => {
  house = await SeedHousehold.start();
  const capabilities = [CAPABILITY];
  await house.join(house.dad, HERE, 'fipa-acl', { capabilities });
  await house.join(house.mum, THERE[0], 'fipa-acl', { capabilities });
  await house.join(house.mum, THERE[1], 'elizaos', { capabilities });
  await until('what Mum offers', WITHIN_MS, async () => {
    const to = { capability: CAPABILITY };
    const { others } = await house.post(house.dad, asks('native'), '/v1/route', { to });
    return (others as readonly unknown[]).length === 2 ? true : undefined;
  });
}, 120_000);
afterAll(() => house.stop());

const asker = asks('fipa-acl');

async function allowAll(): Promise<void> {
  await house.allow(house.dad);
  await house.allow();
  await until('no card of the first', WITHIN_MS, () =>
    house.mum.node.services.work.approvals.pending().length < 2 ? true : undefined,
  );
  await house.allow();
}

describe('seed 003: broadcast', () => {
  test('003.34, 003.35 a QUERY goes to all who can, in any language, here and there', async () => {
    const query = fipa('QUERY', 'What formats?', {
      capability: CAPABILITY,
      protocol: 'Broadcast',
      reply_with: 'q-all',
    });
    const asking = house.say(asker, query);
    await allowAll();
    for (const agent of [HERE, THERE[0]]) {
      expect(await house.next(agent)).toEqual(query);
      await house.say(agent, fipa('INFORM', `I am ${agent}`, { in_reply_to: 'q-all' }));
    }
    const asked = await house.next(THERE[1]);
    const more = { in_reply_to: asked['message_id'] };
    const answer = { task_status: 'success', result_summary: `I am ${THERE[1]}` };
    await house.say(THERE[1], eliza(THERE[1], 'INFORM_RESULT', answer, more));
    const answered = await asking;
    expect(answered).toMatchObject({ http: 200 });
    const natives = (answered['each'] as readonly { untrusted: { native: JsonObject } }[]).map(
      ({ untrusted }) => untrusted.native,
    );
    expect(natives.map(({ performative }) => performative)).toEqual(['INFORM', 'INFORM', 'INFORM']);
    for (const agent of [HERE, ...THERE])
      expect(JSON.stringify(natives)).toContain(`I am ${agent}`);
  });

  test('003.34 a REQUEST goes to all who can; each is asked for, and each answers', async () => {
    const request = fipa('REQUEST', 'Draw', {
      capability: CAPABILITY,
      protocol: 'broadcast',
      reply_with: 'r-all',
    });
    const said = await house.say(asker, request);
    expect(said).toMatchObject({ http: 200 });
    expect((said['each'] as readonly unknown[]).length).toBe(3);
    await allowAll();
    for (const agent of [HERE, THERE[0]]) {
      expect(await house.next(agent)).toEqual(request);
      await house.say(agent, fipa('INFORM', `Drawn by ${agent}`, { in_reply_to: 'r-all' }));
      expect(await house.next(asker)).toMatchObject({ content: `Drawn by ${agent}` });
    }
    const asked = await house.next(THERE[1]);
    const more = { in_reply_to: asked['message_id'] };
    const answer = { task_status: 'success', result_summary: 'Painted' };
    await house.say(THERE[1], eliza(THERE[1], 'INFORM_RESULT', answer, more));
    expect(await house.next(asker)).toMatchObject({ in_reply_to: 'r-all' });
  });

  test('003.34 nobody who can is said so', async () => {
    const query = fipa('QUERY', 'Fly?', { capability: 'flying', protocol: 'Broadcast' });
    expect(await house.say(asker, query)).toMatchObject({
      detail: 'Nobody online offers "flying".',
    });
  });
});
