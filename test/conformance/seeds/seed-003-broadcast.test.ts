// Requests and questions to everybody who has a capability, by document 003.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { until } from '../../support/until.ts';
import { atDoor, WITHIN_MS } from '../../support/raw-peer.ts';
import { asks, SeedHousehold } from './household.ts';
import { eliza, fipa, fresh, PAST } from './messages.ts';

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
    const said = await house.say(asker, query);
    expect(said).toMatchObject({ http: 200 });
    expect((said['each'] as readonly JsonObject[]).map(({ asked }) => asked)).toEqual([
      true,
      true,
      true,
    ]);
    await allowAll();
    // Each comes while the others are still asked.
    for (const agent of [HERE, THERE[0]]) {
      expect(await house.next(agent)).toEqual(query);
      const answer = fipa('INFORM', `I am ${agent}`, { in_reply_to: 'q-all' });
      await house.say(agent, answer);
      expect(await house.next(asker)).toEqual(answer);
    }
    const asked = await house.next(THERE[1]);
    const more = { in_reply_to: asked['message_id'] };
    const answer = { task_status: 'success', result_summary: `I am ${THERE[1]}` };
    await house.say(THERE[1], eliza(THERE[1], 'INFORM_RESULT', answer, more));
    expect(await house.item(asker)).toMatchObject({
      kind: 'result',
      instruction_from_hub: expect.stringContaining('a question that you asked of all who can'),
      untrusted: {
        origin: { peer_name: 'Mum', from_agent: THERE[1] },
        payload: { status: 'completed', outcome: `I am ${THERE[1]}` },
        native: {
          performative: 'INFORM',
          sender: THERE[1],
          in_reply_to: 'q-all',
          content: { text: `I am ${THERE[1]}` },
        },
      },
    });
    const { items } = await atDoor(house.dad, house.tokenOf(asker), '/v1/messages');
    const told = (items as readonly JsonObject[]).filter(({ kind }) => kind === 'result');
    expect(told.map(({ untrusted }) => (untrusted as JsonObject)['native'])).toMatchObject(
      Array(3).fill({ performative: 'INFORM', in_reply_to: 'q-all' }),
    );
  });

  test('003.34, 003.38 of a QUERY to all each that fails is told, too, and one too late is refused', async () => {
    const more = { capability: CAPABILITY, protocol: 'Broadcast' };
    const late = fipa('QUERY', 'When?', { ...more, reply_by: PAST, reply_with: 'q-late' });
    expect(await house.say(asker, late)).toMatchObject({
      http: 400,
      detail: 'Its deadline is over: nothing was sent.',
    });
    const short = fipa('QUERY', 'Now?', { ...more, reply_by: 'PT1S', reply_with: 'q-short' });
    expect(await house.say(asker, short)).toMatchObject({ http: 200 });
    for (const _ of [HERE, ...THERE])
      expect(await house.next(asker)).toMatchObject({
        performative: 'FAILURE',
        in_reply_to: 'q-short',
      });
  });

  test('003.34 a QUERY to all is cancelled at those who have not answered', async () => {
    const more = { capability: CAPABILITY, protocol: 'Broadcast', reply_with: 'q-back' };
    await house.say(asker, fipa('QUERY', 'What formats?', more));
    await house.allow(house.dad);
    await house.next(HERE);
    const failure = fipa('FAILURE', 'No paper', { in_reply_to: 'q-back' });
    await house.say(HERE, failure);
    expect(await house.item(asker)).toMatchObject({
      untrusted: {
        origin: { from_agent: HERE },
        payload: { status: 'failed', error: 'No paper', retryable: false },
        native: failure,
      },
    });
    await house.card();
    const cancel = fipa('CANCEL', 'Found', { in_reply_to: 'q-back' });
    expect(await house.say(asker, cancel)).toMatchObject({
      http: 200,
      untrusted: { came_of_it: 'It is cancelled at all who have not answered.' },
    });
    await until('no card', WITHIN_MS, () =>
      house.mum.node.services.work.approvals.pending().length === 0 ? true : undefined,
    );
    expect(await house.waiting(asker)).toBe(0);
  });

  test('003.34 an offer in answer to a QUERY to all comes whole', async () => {
    const more = { capability: CAPABILITY, protocol: 'Broadcast', reply_with: 'q-offer' };
    await house.say(asker, fipa('QUERY', 'What does it cost?', more));
    await house.allow(house.dad);
    await house.next(HERE);
    const content = { text: 'For 5 euros?', structured: { euros: 5 } };
    const offer = fipa('PROPOSE', content, { in_reply_to: 'q-offer' });
    await house.say(HERE, offer);
    const data = { act: 'propose', offer: { euros: 5 } };
    expect(await house.item(asker)).toMatchObject({
      untrusted: {
        native: offer,
        payload: { status: 'failed', code: 'rejected', error: 'For 5 euros?', data },
      },
    });
    await house.card();
    await house.say(asker, fipa('CANCEL', 'Too much', { in_reply_to: 'q-offer' }));
    await until('no card', WITHIN_MS, () =>
      house.mum.node.services.work.approvals.pending().length === 0 ? true : undefined,
    );
  });

  test('003.34 an INFORM goes to all who can', async () => {
    const inform = fipa('INFORM', 'New paint', { capability: CAPABILITY, protocol: 'Broadcast' });
    expect(await house.say(asker, inform)).toMatchObject({
      http: 200,
      each: [{ report: {} }, { report: {} }, { report: {} }],
    });
    for (const agent of [HERE, THERE[0]]) expect(await house.next(agent)).toEqual(inform);
    expect(await house.next(THERE[1])).toMatchObject({
      performative: 'INFORM',
      payload: { content: 'New paint' },
    });
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

  test.each([
    ['one', { receiver: THERE[0] }, 1],
    ['all who have not answered', {}, 2],
  ])('003.23, 003.34 a REQUEST to all is cancelled at %s', async (_, to, count) => {
    const id = `r-${fresh()}`;
    const more = { capability: CAPABILITY, protocol: 'Broadcast', reply_with: id };
    await house.say(asker, fipa('REQUEST', 'Draw', more));
    await allowAll();
    const asked = await house.next(THERE[1]);
    const answer = { task_status: 'success', result_summary: 'Painted' };
    const about = { in_reply_to: asked['message_id'] };
    await house.say(THERE[1], eliza(THERE[1], 'INFORM_RESULT', answer, about));
    expect(await house.next(asker)).toMatchObject({ performative: 'INFORM' });
    const cancel = fipa('CANCEL', 'Found', { in_reply_to: id, ...to });
    const { http, each, cancelled } = await house.say(asker, cancel);
    const told = (each ?? [{ cancelled }]) as readonly JsonObject[];
    expect({ http, told }).toMatchObject({
      http: 200,
      told: Array(count).fill({ cancelled: { state: 'cancelled' } }),
    });
    const { items } = await house.post(house.dad, asker, '/v1/tasks?state=open');
    expect((items as readonly unknown[]).length).toBe(2 - count);
    if (count === 2) return;
    expect(await house.say(asker, fipa('CANCEL', 'Found', { in_reply_to: id }))).toMatchObject({
      http: 200,
      cancelled: { state: 'cancelled' },
    });
  });

  test('003.34 an agent may take no broadcasts, and whoever sends one is told', async () => {
    const [deaf] = THERE;
    const off = { broadcasts: false, capabilities: [CAPABILITY, 'quiet'] };
    const { mum, dad } = house;
    expect(
      await atDoor(mum, house.tokenOf(deaf), `/v1/agents/${deaf}`, off, 'PATCH'),
    ).toMatchObject({ http: 200, broadcasts: false });
    const { keyHex } = mum.node.services.identity;
    await house.offered('quiet');
    const more = { capability: CAPABILITY, protocol: 'Broadcast', reply_with: 'r-deaf' };
    for (const performative of ['INFORM', 'QUERY', 'REQUEST']) {
      const { each } = await house.say(asker, fipa(performative, 'Paint?', more));
      const refused = (each as readonly JsonObject[]).filter((one) => one['refused'] !== undefined);
      expect(refused).toEqual([
        { to: expect.any(String), refused: expect.stringMatching(/does not take broadcasts\.$/) },
      ]);
    }
    const alone = fipa('QUERY', 'Paint?', { ...more, capability: 'quiet' });
    expect(await house.say(asker, alone)).toMatchObject({
      http: 404,
      detail: expect.stringMatching(/does not take broadcasts\.$/),
    });
    // Nor from a hub that does not know.
    const origin = { dialect: 'fipa-acl', message: fipa('REQUEST', 'Paint?', more) };
    const route = { from: asker, to: deaf };
    const message = {
      id: randomUUID(),
      kind: 'delegate',
      ref: null,
      payload: { task: 'Paint?', route, origin },
    };
    expect(await dad.node.services.links.request(keyHex, message, 10_000)).toMatchObject({
      value: {
        payload: {
          accepted: false,
          code: 'rejected',
          reason: expect.stringMatching(/does not take broadcasts\.$/),
        },
      },
    });
    expect(await house.waiting(deaf)).toBe(0);
  });

  test('003.34 nobody who can is said so', async () => {
    const query = fipa('QUERY', 'Fly?', { capability: 'flying', protocol: 'Broadcast' });
    expect(await house.say(asker, query)).toMatchObject({
      detail: 'Nobody online offers "flying".',
    });
  });
});
