// What the hub carries of document 004 as it was written: whole exchanges of two agents of the
// language at two hubs, and what either reads.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { axon, endPrograms } from '../../support/programs.ts';
import { AREA, asks, CAPABILITY, does, LANGUAGES, SeedHousehold } from './household.ts';
import { WITHIN_MS } from '../../support/raw-peer.ts';
import { eliza } from './messages.ts';

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

  test('004.13 004.44 004.47 accepted, then done: Eddy asks and Jules does', async () => {
    const read = await asked(request('medium'));
    const accept = answer(read, 'TASK_ACCEPT', { status: 'accepted', comments: 'Starting now' });
    await house.say(does4, accept);
    expect(await house.next(asks4)).toEqual(accept);
    const done = { task_status: 'success', result_summary: 'Fixed and tested' };
    const result = answer(read, 'INFORM_RESULT', done);
    await house.say(does4, result);
    expect(await house.next(asks4)).toEqual(result);
  });

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

  test.each(LANGUAGES)('004.1 a TASK_REQUEST to an agent of %s is done', async (language) => {
    const to = does(language);
    await house.say(asks4, whole(asks4, to, 'TASK_REQUEST', { task_description: 'Bake a cake' }));
    await house.allow();
    const item = await house.item(to);
    expect(JSON.stringify(item['untrusted'])).toContain('Bake a cake');
    const reply = `/v1/inbox/${String(item['delivery_id'])}/reply`;
    await house.post(house.mum, to, reply, { status: 'completed', outcome: 'Baked' });
    expect(await house.next(asks4)).toMatchObject({
      performative: 'INFORM_RESULT',
      payload: { task_status: 'success', result_summary: 'Baked' },
    });
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

  test.each(['SUBSCRIBE', 'PROPOSE', 'DANCE'])(
    '004.4 004.49 %s is refused, with the performatives that there are',
    async (performative) => {
      const refusal = await house.say(asks4, whole(asks4, does4, performative, {}));
      expect(refusal).toMatchObject({ http: 400 });
      const words = JSON.stringify(refusal);
      for (const known of ['TASK_REQUEST', 'TASK_ACCEPT', 'INFORM_RESULT', 'CANCEL'])
        expect(words).toContain(known);
    },
  );

  test('004.41 004.42 messages go over HTTP, of agents whose token is theirs alone', async () => {
    const message = whole('somebody', does4, 'TASK_REQUEST', { task_description: 'Bake' });
    expect(await house.say(asks4, message)).toMatchObject({ http: 403 });
    const sent = { method: 'POST', token: 'axt_not-a-token', body: request('low') };
    expect(await house.dad.ask('/v1/messages', sent)).toMatchObject({ status: 401 });
  });

  test.each(['medium', 'high'])(
    '000.36 004.14 004.39 004.46 what waits of a task of %s priority is read as it happened',
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
