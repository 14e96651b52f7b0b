// What the hub carries of document 004 as it was written: whole exchanges of two agents of the
// language at two hubs, and what either reads.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { axon, endPrograms } from '../../support/programs.ts';
import { AREA, asks, CAPABILITY, does, LANGUAGES, SeedHousehold } from './household.ts';
import type { Language } from './household.ts';
import { WITHIN_MS } from '../../support/raw-peer.ts';
import { acp, crunch, eliza, fipa } from './messages.ts';

let house: SeedHousehold;
beforeAll(async () => {
  house = await SeedHousehold.start();
}, 120_000);
afterEach(endPrograms);
afterAll(() => house.stop());

const asks4 = asks('elizaos');
const does4 = does('elizaos');

/** With every member that the document gives a message. */
const whole = (from: string, to: string, performative: string, payload: JsonObject) =>
  eliza(from, performative, payload, {
    receiver: { agent_id: to },
    language: 'application/json',
    ontology: 'elizaos:ontology:code/python/debug_request',
    timestamp: '2025-01-14T10:30:00Z',
  });

const PARAMETERS = {
  code_to_debug: 'print(words[3])',
  programming_language: 'python',
  error_log: 'IndexError',
  desired_outcome: 'Find the bug and fix it',
};

const request = (priority: string) =>
  whole(asks4, does4, 'TASK_REQUEST', {
    task_type: 'debug_code',
    task_description: `Debug the script, ${priority}`,
    task_parameters: PARAMETERS,
    priority,
  });

/** A request that a person allows, as the agent that does it reads it. */
async function asked(message: JsonObject): Promise<JsonObject> {
  expect(await house.say(asks4, message)).toMatchObject({ http: 200 });
  await house.allow();
  return house.next(does4);
}

const answer = (to: JsonObject, performative: string, payload: JsonObject) => ({
  ...whole(does4, asks4, performative, payload),
  in_reply_to: to['message_id'],
});

/** The last request, once it is over. */
async function ended(): Promise<JsonObject> {
  const { items } = await house.post(house.dad, asks4, '/v1/tasks?limit=1');
  const [task] = items as readonly JsonObject[];
  return house.ended(asks4, task?.['id']);
}

/** It is done, as an agent of this language says it. */
async function baked(
  language: Language,
  agent: string,
  item: JsonObject,
  read: JsonObject,
): Promise<void> {
  const said: Readonly<Record<Exclude<Language, 'native'>, () => JsonObject>> = {
    'fipa-acl': () => fipa('INFORM', 'Baked', { in_reply_to: read['reply_with'] }),
    'claude-crunch': () =>
      crunch(
        agent,
        'RESPONSE',
        { status: 'SUCCESS', result: { summary: 'Baked' } },
        { to: read['from'], correlation_id: read['id'] },
      ),
    'acp-draft': () =>
      acp('result', { status: 'completed', outcome: 'Baked' }, { ref: read['id'] }),
    elizaos: () =>
      answer(read, 'INFORM_RESULT', { task_status: 'success', result_summary: 'Baked' }),
  };
  if (language !== 'native') {
    expect(await house.say(agent, said[language]())).toMatchObject({ http: 200 });
    return;
  }
  const path = `/v1/inbox/${String(item['delivery_id'])}/reply`;
  await house.post(house.mum, agent, path, { status: 'completed', outcome: 'Baked' });
}

describe('seed 004, carried', () => {
  test.each(['low', 'medium', 'high'])(
    '004.3 004.5 004.7 004.8 004.10 004.11 004.12 a TASK_REQUEST of %s priority arrives whole',
    async (priority) => {
      const message = request(priority);
      const read = await asked(message);
      expect(read).toEqual(message);
      await house.say(does4, answer(read, 'TASK_REJECT', { status: 'rejected' }));
      await house.next(asks4);
    },
  );

  test.each([
    ['success', 'solution_provided'],
    ['failure', 'debug_analysis'],
  ])(
    '004.13 004.44 004.47 Eddy asks Jules to debug, hears that it is taken on, and of a %s',
    async (task_status, term) => {
      const general = 'elizaos:ontology:general/task_acceptance';
      const read = await asked({ ...request('medium'), reply_with: `fix-${task_status}` });
      const names = ['mcp_version', 'message_id', 'performative', 'sender', 'receiver'];
      const more = ['reply_with', 'language', 'ontology', 'timestamp', 'payload'];
      expect(Object.keys(read).toSorted()).toEqual([...names, ...more].toSorted());
      const status = { status: 'accepted', comments: 'Starting now' };
      const accept = { ...answer(read, 'TASK_ACCEPT', status), ontology: general };
      await house.say(does4, accept);
      expect(await house.next(asks4)).toEqual(accept);
      const done = {
        task_status,
        result_summary: 'Looked at and tested',
        result_details: { original_code: 'words[3]', changes_made: 'Bound the index' },
      };
      const ontology = `elizaos:ontology:code/python/${term}`;
      const result = { ...answer(read, 'INFORM_RESULT', done), ontology };
      await house.say(does4, result);
      expect(await house.next(asks4)).toEqual(result);
      const state = task_status === 'success' ? 'completed' : 'failed';
      expect(await ended()).toMatchObject({ state, untrusted: { data: done.result_details } });
    },
  );

  test.each(['elizaos', 'native'] as const)(
    '004.17 004.39 an IDE asks for refactoring, and an agent of %s accepts and suggests',
    async (language) => {
      const to = does(language);
      const ontology = 'elizaos:ontology:code/general/refactor_request';
      const suggestion = {
        change_type: 'rename_variable',
        description: "Rename variable 'x' to 'index' for clarity.",
        suggested_code_diff: '-x +index',
        confidence: 0.9,
      };
      const details = { original_snippet: 'x = 1', suggestions: [suggestion] };
      const task = eliza(
        asks4,
        'TASK_REQUEST',
        {
          task_type: 'refactor_code_snippet',
          task_description: 'Request for refactoring suggestions for the selected code.',
          task_parameters: { code_snippet: 'x = 1', programming_language: 'python' },
        },
        { receiver: { agent_id: to }, language: 'application/json', ontology },
      );
      await house.say(asks4, task);
      const card = await house.card();
      expect(card).toMatchObject({ domain: 'code.general' });
      await house.allow();
      const item = await house.item(to);
      if (language === 'native') {
        const reply = { status: 'completed', outcome: 'Suggestions provided.', data: details };
        const path = `/v1/inbox/${String(item['delivery_id'])}/reply`;
        await house.post(house.mum, to, path, reply);
      } else {
        await house.say(to, answer(task, 'TASK_ACCEPT', { status: 'accepted' }));
        const said = { task_status: 'success', result_summary: 'Suggestions provided.' };
        const result = answer(task, 'INFORM_RESULT', { ...said, result_details: details });
        const term = 'elizaos:ontology:code/general/refactor_suggestion';
        await house.say(to, { ...result, ontology: term });
      }
      expect(await house.next(asks4)).toMatchObject({
        performative: 'TASK_ACCEPT',
        in_reply_to: task.message_id,
        payload: { status: 'accepted' },
      });
      expect(await house.next(asks4)).toMatchObject({
        performative: 'INFORM_RESULT',
        in_reply_to: task.message_id,
        language: 'application/json',
        ontology: 'elizaos:ontology:code/general/refactor_suggestion',
        payload: { task_status: 'success', result_details: details },
      });
    },
  );

  test.each([
    ['success', 'completed'],
    ['failure', 'failed'],
    ['partial_success', 'partial'],
  ])('004.18 an INFORM_RESULT of %s ends the task as %s', async (task_status, state) => {
    const { id, read } = await house.asked('elizaos');
    const said = { task_status, result_summary: 'It is what it is', result_details: { found: 1 } };
    await house.say(does4, answer(read, 'INFORM_RESULT', said));
    expect(await house.ended(asks('native'), id)).toMatchObject({ state });
  });

  test.each(['message_id', 'reply_with'])(
    '004.6 004.22 an answer names the %s of the request, and none goes without',
    async (member) => {
      const read = await asked({ ...request('low'), reply_with: `fix-${member}` });
      const result = answer(read, 'INFORM_RESULT', { task_status: 'success' });
      const { in_reply_to: _, ...unnamed } = result;
      expect(await house.say(does4, unnamed)).toMatchObject({ http: 404 });
      const named = { ...result, in_reply_to: read[member] };
      expect(await house.say(does4, named)).toMatchObject({ http: 200 });
      expect(await house.next(asks4)).toEqual(named);
    },
  );

  test.each([
    ['TASK_REJECT', { status: 'rejected', reason_code: 'busy', reason_text: 'Too much to do' }],
    ['TASK_REJECT', { status: 'rejected', reason_code: 'incapable', reason_text: 'I know no C' }],
    ['FAILURE', { status: 'failure', error_code: 'CRASH', error_text: 'The machine went down' }],
  ])('004.26 004.27 a %s of %o reaches whoever asked', async (performative, payload) => {
    const read = await asked(request('low'));
    const refusal = answer(read, performative, payload);
    await house.say(does4, refusal);
    expect(await house.next(asks4)).toEqual(refusal);
  });

  test('004.24 a QUERY_REF asks for the value of a reference', async () => {
    const query = whole(asks4, does4, 'QUERY_REF', { reference: 'latest_commit_hash' });
    const asking = house.say(asks4, query);
    await house.allow();
    const read = await house.next(does4);
    expect(read).toEqual(query);
    const value = answer(read, 'INFORM_RESULT', {
      task_status: 'success',
      result_details: { value: '02e09ca' },
    });
    await house.say(does4, value);
    expect(await asking).toMatchObject({ untrusted: { native: value } });
  });

  test('004.32 004.36 004.43 what an agent can do is asked in short, and told', async () => {
    const asked = whole(asks4, does('fipa-acl'), 'QUERY_CAPABILITIES', { query_type: 'summary' });
    expect(await house.say(asks4, asked)).toMatchObject({
      untrusted: {
        native: {
          performative: 'INFORM_CAPABILITIES',
          in_reply_to: asked.message_id,
          payload: {
            status: 'success',
            capabilities: { topics: [AREA], actions: [{ name: CAPABILITY }, { name: AREA }] },
          },
        },
      },
    });
  });

  test('004.50 who does something is found by what it does', async () => {
    const found = await house.post(house.dad, asks4, '/v1/route', {
      to: { capability: CAPABILITY },
    });
    expect(found).toMatchObject({ chosen: { agent: does('fipa-acl'), peer_name: 'Mum' } });
  });

  test.each(LANGUAGES)('004.1 an agent of %s does it by its own words', async (language) => {
    const to = does(language);
    const task = { task_description: 'Bake a cake', task_type: 'bake' };
    const message = whole(asks4, to, 'TASK_REQUEST', task);
    await house.say(asks4, message);
    await house.allow();
    const item = await house.item(to);
    const { native, text, payload } = item['untrusted'] as JsonObject;
    const read = (native ?? payload) as JsonObject;
    expect(text).toBe('Bake a cake');
    expect(JSON.stringify(read)).toContain('Bake a cake');
    await baked(language, to, item, read);
    const result = await house.answer(asks4);
    expect(result).toMatchObject({
      performative: 'INFORM_RESULT',
      in_reply_to: message.message_id,
      payload: { task_status: 'success', result_summary: 'Baked' },
    });
    expect(await ended()).toMatchObject({ state: 'completed', untrusted: { outcome: 'Baked' } });
  });

  test('004.48 a CANCEL stops what was asked', async () => {
    const read = await asked(request('low'));
    const cancel = {
      ...whole(asks4, does4, 'CANCEL', { reason_text: 'Not needed' }),
      in_reply_to: read['message_id'],
    };
    expect(await house.say(asks4, cancel)).toMatchObject({ http: 200 });
    const claim = { max: 1, wait_ms: WITHIN_MS };
    expect(await house.post(house.mum, does4, '/v1/inbox/claim', claim)).toMatchObject({
      items: [{ untrusted: { native: cancel } }],
    });
    await house.say(does4, answer(cancel, 'INFORM', { content: 'Stopped' }));
    expect(await ended()).toMatchObject({ state: 'cancelled' });
    await house.next(asks4);
  });

  test('004.41 004.42 messages go over HTTP, of agents whose token is theirs alone', async () => {
    const message = whole('somebody', does4, 'TASK_REQUEST', { task_description: 'Bake' });
    expect(await house.say(asks4, message)).toMatchObject({ http: 403 });
    const sent = { method: 'POST', token: 'axt_not-a-token', body: request('low') };
    expect(await house.dad.ask('/v1/messages', sent)).toMatchObject({ status: 401 });
  });

  test.each(['medium', 'high'])(
    '000.36 004.14 004.46 what waits of a task of %s priority is read as it happened',
    async (priority) => {
      const read = await asked(request(priority));
      const accept = answer(read, 'TASK_ACCEPT', { status: 'accepted' });
      const result = answer(read, 'INFORM_RESULT', { task_status: 'success' });
      await house.say(does4, accept);
      await house.say(does4, result);
      expect(await ended()).toMatchObject({ state: 'completed' });
      const words = ['inbox', '--wait', '20', '--max', '1', '--log-lines'];
      const token = { AXON_TOKEN: house.tokenOf(asks4) };
      for (const message of [accept, result]) {
        const { out } = await axon(house.dad.home, words, token);
        expect(out).toMatch(/^MCP_MESSAGE_RECEIVED: /);
        expect(JSON.parse(out.slice(out.indexOf('{')))).toEqual(message);
      }
    },
  );

  test('004.45 what an agent logs as sent is read, and sent', async () => {
    const message = request('low');
    const line = `12:01 eddy INFO MCP_MESSAGE_SENT: ${JSON.stringify(message)}\n`;
    const words = ['ingest', '--send'];
    const token = { AXON_TOKEN: house.tokenOf(asks4) };
    expect(await axon(house.dad.home, words, token, line)).toMatchObject({ code: 0 });
    await house.allow();
    expect(await house.next(does4)).toEqual(message);
  });
});
