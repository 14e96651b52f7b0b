// The requirements of document 002, by their numbers, held against two hubs: agents that know nothing
// but their document speak over HTTP, and people decide.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { asks, does, SeedHousehold } from './household.ts';
import { PAST, crunch, fresh, inAMoment } from './messages.ts';

let house: SeedHousehold;
beforeAll(async () => {
  house = await SeedHousehold.start();
}, 120_000);
afterAll(() => house.stop());

describe('seed 002', () => {
  const does2 = does('claude-crunch');
  const asks2 = asks('claude-crunch');
  const REVIEW = { action: 'review_code', context: { issue: { title: 'The gate' } } };

  test('002.21 constraints reach readers of other languages', async () => {
    const limits = { required_outputs: ['spec'], forbidden_actions: ['push'] };
    const request = crunch(asks2, 'REQUEST', { ...REVIEW, constraints: limits });
    await house.say(asks2, { ...request, to: does('elizaos') });
    await house.allow();
    expect(await house.next(does('elizaos'))).toMatchObject({
      payload: { task_parameters: { constraints: limits } },
    });
  });

  test('002.22 a limit of tokens reaches them, too', async () => {
    const constraints = { max_output_tokens: 4_000, timeout_ms: 300_000 };
    const request = crunch(asks2, 'REQUEST', { ...REVIEW, constraints });
    await house.say(asks2, { ...request, to: does('elizaos') });
    await house.allow();
    expect(await house.next(does('elizaos'))).toMatchObject({
      payload: { task_parameters: { constraints: { max_output_tokens: 4_000 } } },
    });
  });

  test('002.35, 002.36, 002.39 a hand-off shows its reason and whom it recommends, in every language', async () => {
    const payload = {
      reason: 'It is a matter of design',
      recommended_agent: 'architect',
      context_transfer: { work_completed: 'Read', remaining_work: 'Draw it' },
      urgency: 'IMMEDIATE',
    };
    const handOff = crunch(asks2, 'HANDOFF', payload, { to: does('elizaos') });
    expect(await house.say(asks2, handOff)).toMatchObject({ http: 200 });
    const card = await house.card();
    expect(card).toMatchObject({ urgent: true, reason: payload.reason });
    expect(JSON.stringify(card)).toContain('architect');
    await house.allow();
    expect(await house.next(does('elizaos'))).toMatchObject({
      performative: 'TASK_REQUEST',
      payload: {
        task_description: 'Draw it',
        task_parameters: {
          reason: payload.reason,
          recommended_agent: 'architect',
          work_completed: 'Read',
        },
      },
    });
    const words = [payload.reason, 'architect', 'Draw it'];
    for (const language of ['fipa-acl', 'acp-draft', 'native'] as const) {
      await house.say(asks2, crunch(asks2, 'HANDOFF', payload, { to: does(language) }));
      await house.allow();
      const { untrusted } = await house.item(does(language));
      const { native, payload: whole } = untrusted as JsonObject;
      for (const word of words) expect(JSON.stringify(native ?? whole), language).toContain(word);
    }
    const same = { ...handOff, id: `MSG-1705234567890-${fresh()}`, to: does2 };
    await house.say(asks2, same);
    await house.allow();
    expect(await house.next(does2)).toEqual(same);
  });

  test('002.23 a deadline in any form is kept, and one in the past is refused', async () => {
    const to = { to: does2 };
    for (const deadline of [inAMoment(600_000), Date.now() + 600_000, 'PT10M', 600, '600']) {
      const request = { ...REVIEW, deadline };
      const asked = await house.say(asks2, crunch(asks2, 'REQUEST', request, to));
      const { id } = asked['report'] as JsonObject;
      await house.allow();
      await house.next(does2);
      const task = await house.post(house.dad, asks2, `/v1/tasks/${String(id)}`);
      expect(Number(task['deadline_at']) - Date.now(), `${deadline}`).toBeGreaterThan(500_000);
      expect(Number(task['deadline_at']) - Date.now(), `${deadline}`).toBeLessThanOrEqual(600_000);
    }
    const late = crunch(asks2, 'REQUEST', { ...REVIEW, deadline: PAST }, to);
    expect(await house.say(asks2, late)).toMatchObject({
      http: 400,
      detail: 'Its deadline is over: nothing was sent.',
    });
  });

  test.each([
    ['002.26 BLOCKED', 'BLOCKED', { code: 'rejected', data: { status: 'BLOCKED' } }],
    ['002.27 FAILED', 'FAILED', { code: 'internal', data: null }],
  ])('%s is a failure with its kind', async (_, status, told) => {
    const { id, read } = await house.asked('claude-crunch');
    const more = { correlation_id: read['id'] };
    const response = { status, result: { summary: 'I need the key' } };
    await house.say(does2, crunch(does2, 'RESPONSE', response, more));
    const { data, code } = told;
    expect(await house.ended(asks('native'), id)).toMatchObject({
      state: 'failed',
      code,
      untrusted: { error: 'I need the key', ...(data === null ? {} : { data }) },
    });
  });

  test.each(['failed well', 'ERROR', undefined])(
    '002.28 the status %s is refused',
    async (status) => {
      const { id, read } = await house.asked('claude-crunch');
      const more = { correlation_id: read['id'] };
      const answer = (said: string | undefined) =>
        house.say(does2, crunch(does2, 'RESPONSE', { status: said, result: {} }, more));
      expect(await answer(status)).toMatchObject({ http: 400 });
      const task = await house.post(house.dad, asks('native'), `/v1/tasks/${String(id)}`);
      expect(task).toMatchObject({ state: 'running' });
      expect(await answer('SUCCESS')).toMatchObject({ http: 200 });
    },
  );

  test('002.29, 002.30, 002.33, 002.34 the summary, outputs, files, duration and hand-off reach other readers', async () => {
    const { id, read } = await house.asked('claude-crunch');
    const handoff = { to: 'architect', reason: 'It is a matter of design' };
    const response = {
      status: 'SUCCESS',
      result: { summary: 'Done', outputs: { spec: 'x' }, files_modified: ['a'], files_created: [] },
      metrics: { duration_ms: 45_000 },
      handoff,
    };
    const more = { correlation_id: read['id'] };
    await house.say(does2, crunch(does2, 'RESPONSE', response, more));
    expect(await house.ended(asks('native'), id)).toMatchObject({
      untrusted: {
        outcome: 'Done',
        data: {
          outputs: { spec: 'x' },
          files_modified: ['a'],
          files_created: [],
          duration_ms: 45_000,
          handoff,
        },
      },
    });
  });

  test('002.48, 002.49 a broadcast reaches everybody of the language, here and there', async () => {
    await house.join(house.dad, 'asks-crunch-two', 'claude-crunch', {});
    const event = { event: 'PHASE_CHANGE', content: { message: 'Review begins' }, affects: [] };
    const message = crunch(asks2, 'BROADCAST', event, { to: '*' });
    expect(await house.say(asks2, message)).toMatchObject({ http: 200 });
    expect(await house.next('asks-crunch-two')).toEqual(message);
    expect(await house.next(does2)).toEqual(message);
    expect(await house.waiting(does('elizaos'))).toBe(0);
  });

  test('002.48 an agent may take no broadcasts, but what is for it alone and what it asked for', async () => {
    const quiet = 'asks-crunch-quiet';
    const topics = ['crunch.phase-change'];
    await house.join(house.dad, quiet, 'claude-crunch', { broadcasts: false, topics });
    const say = async (event: string, affects: readonly string[], to = '*') => {
      const content = { message: 'Next' };
      const message = crunch(asks2, 'BROADCAST', { event, content, affects }, { to });
      const { report } = await house.say(asks2, message);
      return { message, agents: (report as JsonObject)['agents'] };
    };
    for (const affects of [[], [quiet]])
      expect((await say('CHECKPOINT', affects)).agents).not.toContain(quiet);
    for (const told of [await say('PHASE_CHANGE', []), await say('CHECKPOINT', [], quiet)]) {
      expect(told.agents).toContain(quiet);
      expect(await house.next(quiet)).toEqual(told.message);
    }
    for (const agent of ['asks-crunch-two', does2, 'asks-crunch-two', does2])
      await house.next(agent);
  });

  test('002.50 a broadcast that names whom it affects reaches those alone', async () => {
    const event = { event: 'CONTEXT_UPDATE', content: { message: 'New' }, affects: ['nobody'] };
    await house.say(asks2, crunch(asks2, 'BROADCAST', event, { to: '*' }));
    const named = { ...event, affects: [does2] };
    const message = crunch(asks2, 'BROADCAST', named, { to: '*' });
    await house.say(asks2, message);
    expect(await house.next(does2)).toEqual(message);
    expect(await house.waiting('asks-crunch-two')).toBe(0);
  });

  test('002.53 ABORT ends what the same agent asked, and nothing else', async () => {
    const request = crunch(asks2, 'REQUEST', REVIEW, { to: does2 });
    const asked = await house.say(asks2, request);
    await house.allow();
    await house.next(does2);
    const abort = { event: 'ABORT', content: { message: 'Stop' }, affects: [] };
    const about = { to: '*', correlation_id: request.id };
    await house.say('asks-crunch-two', crunch('asks-crunch-two', 'BROADCAST', abort, about));
    const { id } = asked['report'] as JsonObject;
    const running = await house.post(house.dad, asks2, `/v1/tasks/${String(id)}`);
    expect(running).toMatchObject({ state: 'running' });
    await house.next(does2);
    expect(await house.say(asks2, crunch(asks2, 'BROADCAST', abort, about))).toMatchObject({
      http: 200,
      cancelled: { id },
    });
    expect(await house.next(does2)).toMatchObject({ payload: { event: 'ABORT' } });
  });

  test('002.54 a cancel names the request as its worker read it', async () => {
    const { id, read } = await house.asked('claude-crunch');
    await house.post(house.dad, asks('native'), `/v1/tasks/${String(id)}/cancel`, {});
    expect(await house.next(does2)).toMatchObject({
      payload: { event: 'ABORT' },
      correlation_id: read['id'],
    });
  });

  test('002.56 a VOTE in answer to a request ends it', async () => {
    const { id, read } = await house.asked('claude-crunch');
    const position = { choice: 'A', rationale: 'Simpler', confidence: 85 };
    const vote = { conflict_id: 'C-1', position, veto: false };
    await house.say(does2, crunch(does2, 'VOTE', vote, { correlation_id: read['id'] }));
    expect(await house.ended(asks('native'), id)).toMatchObject({
      state: 'completed',
      untrusted: { outcome: 'A', data: { conflict_id: 'C-1', position } },
    });
  });
});
