// The requirements of the documents that this system comes from, by their numbers, held against two
// hubs: agents that know nothing but their document speak over HTTP, and people decide.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../main/lib/json-object.ts';
import { AREA, asks, CAPABILITY, does, SeedHousehold } from './household.ts';

let house: SeedHousehold;
beforeAll(async () => {
  house = await SeedHousehold.start();
}, 120_000);
afterAll(() => house.stop());

let count = 0;
const fresh = (): number => ++count;
const crunch = (from: string, type: string, payload: JsonObject, more: JsonObject = {}) => ({
  id: `MSG-1705234567890-${fresh()}`,
  type,
  from,
  timestamp: '2025-01-14T10:30:00Z',
  priority: 'NORMAL',
  payload,
  ...more,
});
const eliza = (from: string, performative: string, payload: JsonObject, more: JsonObject = {}) => ({
  mcp_version: '0.1.0',
  message_id: `m-${fresh()}`,
  performative,
  sender: { agent_id: from },
  payload,
  ...more,
});
const fipa = (performative: string, content: unknown, more: JsonObject = {}) => ({
  performative,
  content,
  ...more,
});
const acp = (kind: string, payload: JsonObject, more: JsonObject = {}) => ({
  id: `d-${fresh()}`,
  kind,
  payload,
  ...more,
});
const inAMoment = (ms: number): string => new Date(Date.now() + ms).toISOString();
const PAST = '2025-01-14T10:30:00Z';

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

  test('002.23 a deadline is kept, and one in the past is refused', async () => {
    const request = { ...REVIEW, deadline: inAMoment(600_000) };
    const to = { to: does2 };
    const asked = await house.say(asks2, crunch(asks2, 'REQUEST', request, to));
    const { id } = asked['report'] as JsonObject;
    await house.allow();
    await house.next(does2);
    const task = await house.post(house.dad, asks2, `/v1/tasks/${String(id)}`);
    expect(Number(task['deadline_at']) - Date.now()).toBeGreaterThan(500_000);
    expect(Number(task['deadline_at']) - Date.now()).toBeLessThanOrEqual(600_000);
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

  test('002.30, 002.33, 002.34 files, duration and hand-off reach other readers', async () => {
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

describe('seed 003', () => {
  test('003.11 the words of a FAILURE reach whoever asked, in the language of the question', async () => {
    const asking = house.say(
      asks('fipa-acl'),
      fipa('QUERY', 'How much?', { capability: CAPABILITY, reply_with: 'q-11' }),
    );
    await house.allow();
    const read = await house.next(does('fipa-acl'));
    const why = 'The dataset is locked by Bob';
    await house.say(does('fipa-acl'), fipa('FAILURE', why, { in_reply_to: read['reply_with'] }));
    expect(await asking).toMatchObject({
      data: {
        untrusted: {
          native: { performative: 'FAILURE', in_reply_to: 'q-11', content: { text: why } },
        },
      },
    });
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
    let answer = await house.next(asker);
    while (answer['type'] === 'BROADCAST') answer = await house.next(asker);
    expect(answer).toMatchObject(told);
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

describe('seed 004', () => {
  const does4 = does('elizaos');
  const asks4 = asks('elizaos');

  test.each([
    ['elizaos', 300, { performative: 'TASK_ACCEPT', payload: { estimated_completion_time: 300 } }],
    ['acp-draft', 'PT5M', { kind: 'ack', payload: { accepted: true, estimated_ms: 300_000 } }],
  ] as const)('004.16 an estimate is read and written in %s', async (language, said, told) => {
    const asker = asks(language);
    await house.say(
      asker,
      language === 'elizaos'
        ? eliza(asker, 'TASK_REQUEST', { task_description: 'Bake' }, { receiver: does4 })
        : acp('delegate', { task: 'Bake' }, { to: does4 }),
    );
    await house.allow();
    const read = await house.next(does4);
    const accept = { status: 'accepted', estimated_completion_time: said };
    const more = { in_reply_to: read['message_id'] };
    await house.say(does4, eliza(does4, 'TASK_ACCEPT', accept, more));
    expect(await house.next(asker)).toMatchObject(told);
    const [task] = (await house.post(house.dad, asker, '/v1/tasks?limit=1'))[
      'items'
    ] as readonly JsonObject[];
    expect(task).toMatchObject({ state: 'running' });
  });

  test.each(['failed', 'error', 'FAILED'])('004.19 the status %s is refused', async (status) => {
    const { read } = await house.asked('elizaos');
    const more = { in_reply_to: read['message_id'] };
    const answer = { task_status: status, result_summary: 'Not found' };
    expect(await house.say(does4, eliza(does4, 'INFORM_RESULT', answer, more))).toMatchObject({
      http: 400,
    });
  });

  test('004.29 the words of a FAILURE reach whoever asked', async () => {
    const asking = house.say(
      asks4,
      eliza(asks4, 'QUERY_REF', { reference: 'The date' }, { receiver: does4 }),
    );
    await house.allow();
    const read = await house.next(does4);
    const why = { status: 'failure', error_code: 'DISK', error_text: 'my disk is full' };
    const more = { in_reply_to: read['message_id'] };
    await house.say(does4, eliza(does4, 'FAILURE', why, more));
    expect(await asking).toMatchObject({
      data: {
        untrusted: {
          native: { performative: 'FAILURE', payload: { error_text: 'my disk is full' } },
        },
      },
    });
  });

  test.each([
    [{ topics: ['cooking'] }, false, []],
    [{ capability: 'cooking' }, false, []],
    [{ wanted: `${does4}.work` }, true, [`${does4}.work`]],
    [{ topics: ['cooking', `${does4}.work`] }, false, [`${does4}.work`]],
    [{ topics: ['cooking', `${does4}.work`], match_type: 'any' }, true, [`${does4}.work`]],
  ])('004.33 whether it can do %o', async (wanted, match, matched) => {
    const payload = { query_type: 'specific', query_parameters: wanted };
    const asked = eliza(asks4, 'QUERY_CAPABILITIES', payload, { receiver: does4 });
    expect(await house.say(asks4, asked)).toMatchObject({
      untrusted: {
        native: {
          payload: { capabilities: { match_result: match, matched_capabilities: matched } },
        },
      },
    });
  });

  test('004.34 the details of one action are of that action', async () => {
    const payload = { query_type: 'action_details', query_parameters: { action: 'cooking' } };
    const asked = eliza(asks4, 'QUERY_CAPABILITIES', payload, { receiver: does4 });
    expect(await house.say(asks4, asked)).toMatchObject({
      untrusted: { native: { payload: { capabilities: { actions: [] } } } },
    });
  });
});
