// The requirements of document 000 about tasks: what is delegated, acknowledged, reported and
// cancelled between two agents that know nothing but their document.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { until } from '../../support/until.ts';
import { atDoor, OWNER, WITHIN_MS } from '../../support/raw-peer.ts';
import { asks, does, SeedHousehold } from './household.ts';
import { acp, inAMoment, PAST } from './messages.ts';

let house: SeedHousehold;
beforeAll(async () => {
  house = await SeedHousehold.start();
}, 120_000);
afterAll(() => house.stop());

const asker = asks('acp-draft');
const worker = does('acp-draft');
const TASK = { task: 'Tell the family contact that dinner is late' };

/** A task that a person allows; what the asker is told, and what the agent reads. */
async function delegated(payload: JsonObject = {}, more: JsonObject = {}) {
  const message = acp('delegate', { ...TASK, ...payload }, { to: worker, ...more });
  const told = await house.say(asker, message);
  expect(told).toMatchObject({ http: 200 });
  await house.allow();
  const { id } = told['report'] as JsonObject;
  return { message, told, id, item: await house.item(worker) };
}
const nativeOf = (item: JsonObject): unknown => (item['untrusted'] as JsonObject)['native'];
const answer = (kind: string, ref: unknown, payload: JsonObject) =>
  house.say(worker, acp(kind, payload, { ref }));
const done = (ref: unknown) => answer('result', ref, { status: 'completed', outcome: 'Done' });

describe('seed 000: tasks', () => {
  test('000.6, 000.28, 000.37, 000.38, 000.49 a task with its context, and its result later', async () => {
    const context = { reason: 'Meeting ran over', dinner_time: '7:00 PM' };
    const { message, item } = await delegated({ context });
    expect(nativeOf(item)).toEqual(message);
    expect(await house.waiting(asker)).toBe(0);
    const outcome = "Sent. She replied 'ok no worries'";
    const words = { status: 'completed', outcome, data: { read: true }, error: null };
    const result = acp('result', words, { ref: message.id });
    expect(await house.say(worker, result)).toMatchObject({ http: 200 });
    expect(await house.next(asker)).toEqual(result);
    expect(JSON.stringify(result)).not.toContain(TASK.task);
  });

  test.each([
    ['failed', { error: 'Her phone is off' }],
    ['partial', { error: null }],
  ])('000.37 a result whose status is %s', async (status, more) => {
    const { message, id } = await delegated();
    const words = { status, outcome: 'One of two was told', ...more };
    await answer('result', message.id, words);
    expect(await house.next(asker)).toMatchObject({ kind: 'result', payload: words });
    expect(await house.ended(asker, id)).toMatchObject({ state: status });
  });

  test('000.6, 000.35 an agent refuses by an ack that does not accept', async () => {
    const { message, id } = await delegated();
    await answer('ack', message.id, { accepted: false, reason: 'Not mine to do' });
    expect(await house.next(asker)).toMatchObject({
      ref: message.id,
      payload: { accepted: false, reason: 'Not mine to do' },
    });
    expect(await house.ended(asker, id)).toMatchObject({ state: 'failed', code: 'rejected' });
  });

  test('000.29 an urgent task goes before others, and says so on its card', async () => {
    const plain = acp('delegate', TASK, { to: worker });
    const urgent = acp('delegate', { ...TASK, priority: 'urgent' }, { to: worker });
    for (const message of [plain, urgent]) await house.say(asker, message);
    const { approvals } = house.mum.node.services.work;
    await until('both cards', WITHIN_MS, () => approvals.pending().length === 2 || undefined);
    expect(approvals.pending().map(({ urgent: isUrgent }) => isUrgent)).toContain(true);
    await house.allow();
    await house.allow();
    expect(await house.next(worker)).toEqual(urgent);
    expect(await house.next(worker)).toEqual(plain);
    for (const { id } of [plain, urgent]) {
      await done(id);
      await house.next(asker);
    }
  });

  test('000.30 nobody is told the end of a task without report_back', async () => {
    const { message } = await delegated({ report_back: false });
    expect(await done(message.id)).toMatchObject({ http: 200, replied: { sent_to: null } });
    expect(await house.waiting(asker)).toBe(0);
  });

  test('000.31 a task has its deadline, in any form; one in the past is refused', async () => {
    const moment = Date.now() + 60_000;
    for (const deadline_ms of [60_000, '60000', 'PT1M', moment, inAMoment(60_000)]) {
      const { message, item } = await delegated({ deadline_ms });
      const leftMs = Number(item['deadline_at']) - Date.now();
      expect(leftMs, `${deadline_ms}`).toBeGreaterThan(30_000);
      expect(leftMs, `${deadline_ms}`).toBeLessThanOrEqual(60_000);
      await done(message.id);
      await house.next(asker);
    }
    const { message, item } = await delegated({ deadline_ms: 'soon' });
    expect(Number(item['deadline_at']) - Date.now()).toBeGreaterThan(80_000_000);
    await done(message.id);
    await house.next(asker);
    for (const deadline_ms of [PAST, 0, Date.now() - 1_000])
      expect(
        await house.say(asker, acp('delegate', { ...TASK, deadline_ms }, { to: worker })),
      ).toMatchObject({ http: 400, detail: 'Its deadline is over: nothing was sent.' });
  });

  test('000.15, 000.17 a cancel reaches the worker with its reason, as far as it can', async () => {
    const { message } = await delegated();
    const cancel = acp('cancel', { reason: 'Plans changed' }, { ref: message.id });
    expect(await house.say(asker, cancel)).toMatchObject({ http: 200 });
    expect(await house.next(worker)).toEqual(cancel);
    await done(message.id);
    expect(await house.next(asker)).toMatchObject({ payload: { status: 'completed' } });
    const unknown = acp('cancel', {}, { ref: 'never-sent' });
    expect(await house.say(asker, unknown)).toMatchObject({
      http: 404,
      detail: expect.stringContaining('never-sent'),
    });
  });

  test.each(['not_authorized', 'unknown_domain', 'overloaded', 'timeout', 'internal'])(
    '000.18, 000.44 an error about an earlier task: %s',
    async (code) => {
      const { message, id } = await delegated();
      const error = acp(
        'error',
        { code, message: "I don't have access to the work calendar", retryable: false },
        { ref: message.id },
      );
      expect(await house.say(worker, error)).toMatchObject({ http: 200 });
      expect(await house.next(asker)).toEqual(error);
      expect(await house.ended(asker, id)).toMatchObject({
        state: 'failed',
        code,
        untrusted: { error: "I don't have access to the work calendar" },
      });
    },
  );

  test('000.44 work that was stopped ends as cancelled', async () => {
    const { message, id } = await delegated();
    await house.say(asker, acp('cancel', {}, { ref: message.id }));
    await house.next(worker);
    await answer('error', message.id, { code: 'cancelled', message: 'Stopped' });
    expect(await house.ended(asker, id)).toMatchObject({ state: 'cancelled' });
    await house.next(asker);
  });

  test('000.36 an acknowledgement is read before the result', async () => {
    const { message, id } = await delegated();
    await answer('ack', message.id, { accepted: true, estimated_ms: 5_000 });
    await done(message.id);
    await house.ended(asker, id);
    expect(await house.next(asker)).toMatchObject({ kind: 'ack', ref: message.id });
    expect(await house.next(asker)).toMatchObject({ kind: 'result', ref: message.id });
  });

  test('000.16 the call that cancels is answered with an ack, and so is one that came too late', async () => {
    const { message } = await delegated();
    const cancel = acp('cancel', { reason: 'Plans changed' }, { ref: message.id });
    expect(await house.say(asker, cancel)).toMatchObject({
      http: 200,
      untrusted: { native: { kind: 'ack', ref: cancel.id, payload: { accepted: true } } },
    });
    await house.next(worker);
    await answer('error', message.id, { code: 'cancelled', message: 'Stopped' });
    await house.next(asker);
    const late = acp('cancel', {}, { ref: message.id });
    expect(await house.say(asker, late)).toMatchObject({
      http: 409,
      data: {
        untrusted: { native: { kind: 'ack', ref: late.id, payload: { accepted: false } } },
      },
    });
  });

  test('000.33 how long it may take stands in the task of whoever asked', async () => {
    for (const language of ['acp-draft', 'native'] as const) {
      const to = does(language);
      const message = acp('delegate', TASK, { to });
      const { id } = (await house.say(asker, message))['report'] as JsonObject;
      await house.allow();
      const estimate = async (): Promise<unknown> =>
        (await house.post(house.dad, asker, `/v1/tasks/${String(id)}`))['estimated_ms'];
      if (language === 'native') {
        const claim = { max: 1, wait_ms: WITHIN_MS };
        const { items } = await house.post(house.mum, to, '/v1/inbox/claim', claim);
        const [{ delivery_id: delivery }] = items as readonly [JsonObject];
        const path = `/v1/inbox/${String(delivery)}`;
        await house.post(house.mum, to, `${path}/ack`, { estimated_ms: 5_000 });
        await until('it', WITHIN_MS, async () => (await estimate()) === 5_000 || undefined);
        await house.post(house.mum, to, `${path}/reply`, { status: 'completed', outcome: 'Done' });
      } else {
        await house.next(to);
        await answer('ack', message.id, { accepted: true, estimated_ms: 5_000 });
        await until('it', WITHIN_MS, async () => (await estimate()) === 5_000 || undefined);
        await done(message.id);
      }
      const ack = await house.next(asker);
      expect(ack).toMatchObject({
        kind: 'ack',
        ref: message.id,
        payload: { accepted: true, estimated_ms: 5_000 },
      });
      expect(await house.next(asker)).toMatchObject({ kind: 'result', ref: message.id });
    }
  });

  test('000.50 how far a task is stands in the conversation that its asker reads', async () => {
    const to = does('native');
    const told = await house.say(asker, acp('delegate', TASK, { to }));
    expect(told['untrusted']).toBe(undefined);
    await house.allow();
    const { delivery_id: delivery } = await house.item(to);
    const path = `/v1/inbox/${String(delivery)}`;
    await house.post(house.mum, to, `${path}/extend`, { progress: 'Half of it' });
    const { id } = told['report'] as JsonObject;
    const { conversation_id: conversation } = await house.post(
      house.dad,
      asker,
      `/v1/tasks/${String(id)}`,
    );
    await until('the progress', WITHIN_MS, async () => {
      const read = await house.post(house.dad, asker, `/v1/conversations/${String(conversation)}`);
      return JSON.stringify(read).includes('Half of it') || undefined;
    });
    await house.post(house.mum, to, `${path}/reply`, { status: 'completed', outcome: 'Done' });
    await house.answer(asker);
  });

  test('000.32, 000.34 a rule for what names no area lets a task through unasked, with its ack at once', async () => {
    const { work } = house.mum.node.services;
    await work.agents.setClass(worker, { riskClass: 'R1' }, OWNER);
    const rule = { effect: 'allow', peer: 'Dad', agent: worker, domain: '', kind: null };
    const page = await house.mum.page();
    expect(await atDoor(house.mum, page, '/v1/rules', rule)).toMatchObject({ http: 200 });
    const message = acp('delegate', TASK, { to: worker });
    expect(await house.say(asker, message)).toMatchObject({
      report: { state: 'queued' },
      untrusted: { native: { kind: 'ack', ref: message.id, payload: { accepted: true } } },
    });
    expect(await house.next(worker)).toEqual(message);
    expect(work.approvals.pending()).toEqual([]);
    // Said again under its id, once its agent has estimated it.
    await answer('ack', message.id, { accepted: true, estimated_ms: 5_000 });
    await house.next(asker);
    expect(await house.say(asker, message)).toMatchObject({
      report: { state: 'running' },
      untrusted: {
        native: { kind: 'ack', payload: { accepted: true, estimated_ms: 5_000 } },
      },
    });
    await done(message.id);
    expect(await house.next(asker)).toMatchObject({ kind: 'result', ref: message.id });
  });
});
