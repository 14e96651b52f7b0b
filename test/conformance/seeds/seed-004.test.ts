// The requirements of document 004, by their numbers, held against two hubs: agents that know nothing
// but their document speak over HTTP, and people decide.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { given } from '../../../main/dialects/members.ts';
import { RawPeer } from '../../support/raw-peer.ts';
import { asks, CAPABILITY, does, SeedHousehold } from './household.ts';
import { acp, eliza, fipa } from './messages.ts';

let house: SeedHousehold;
beforeAll(async () => {
  house = await SeedHousehold.start();
}, 120_000);
afterAll(() => house.stop());

const does4 = does('elizaos');
const asks4 = asks('elizaos');
const rejected = (read: JsonObject) =>
  eliza(does4, 'TASK_REJECT', { status: 'rejected' }, { in_reply_to: read['message_id'] });

describe('seed 004', () => {
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
    expect(task).toMatchObject({ state: 'running', estimated_ms: 300_000 });
  });

  test('004.9 the short form of an ontology is an area, too', async () => {
    const more = { receiver: does4, ontology: 'elizaos:code_debugging' };
    const message = eliza(asks4, 'TASK_REQUEST', { task_description: 'Debug' }, more);
    await house.say(asks4, message);
    expect(await house.card()).toMatchObject({ domain: 'code-debugging' });
    await house.allow();
    const read = await house.next(does4);
    expect(read).toEqual(message);
    await house.say(does4, rejected(read));
    await house.answer(asks4);
  });

  test.each(['elizaos', 'fipa-acl'] as const)(
    '004.15, 004.53 the id that was assigned, and how far it is, reach an agent of %s in the conversation',
    async (language) => {
      const asker = asks(language);
      const said = await house.say(
        asker,
        language === 'elizaos'
          ? eliza(asker, 'TASK_REQUEST', { task_description: 'Bake' }, { receiver: does4 })
          : fipa('REQUEST', 'Bake', { receiver: does4, reply_with: 'r-4-15' }),
      );
      const { id } = said['report'] as JsonObject;
      await house.allow();
      const read = await house.next(does4);
      const more = { in_reply_to: read['message_id'] };
      const accept = { status: 'accepted', task_id_assigned: 'jules-7' };
      await house.say(does4, eliza(does4, 'TASK_ACCEPT', accept, more));
      expect(JSON.stringify(await house.next(asker))).toContain('"task_id_assigned":"jules-7"');
      const told = { topic: 'progress', content: 'Half of it is done' };
      const { conversation_id: conversation } = await house.post(
        house.dad,
        asker,
        `/v1/tasks/${String(id)}`,
      );
      const thread = `/v1/conversations/${String(conversation)}`;
      const inThread = async (): Promise<string> =>
        JSON.stringify(await house.post(house.dad, asker, thread));
      expect(await inThread()).toContain('jules-7');
      expect(await house.say(does4, eliza(does4, 'INFORM', told, more))).toMatchObject({
        report: { state: 'sent' },
      });
      expect(JSON.stringify(await house.next(asker))).toContain(told.content);
      expect(await inThread()).toContain(told.content);
      expect(await house.post(house.dad, asker, `/v1/tasks/${String(id)}`)).toMatchObject({
        state: 'running',
      });
      await house.say(does4, rejected(read));
      await house.answer(asker);
    },
  );

  test.each([
    ['an object', { found: 1 }, { found: 1 }],
    ['text', 'Line 9', { details: 'Line 9' }],
  ])(
    '004.20, 004.21 details that are %s stay where they are beside artifacts, which nobody opens',
    async (_, result_details, shape) => {
      const artifacts = [{ type: 'file', path: '/no/such/file.py' }];
      for (const named of [undefined, artifacts]) {
        const { id, read } = await house.asked('elizaos');
        const said = given({ task_status: 'success', result_details, artifacts: named });
        const more = { in_reply_to: read['message_id'] };
        await house.say(does4, eliza(does4, 'INFORM_RESULT', said, more));
        const data = named === undefined ? result_details : { ...shape, artifacts };
        expect(await house.ended(asks('native'), id)).toMatchObject({ untrusted: { data } });
        expect(await house.item(asks('native'))).toMatchObject({ kind: 'result' });
      }
    },
  );

  test('004.23 a QUERY_IF is a question for people, and answered in any language', async () => {
    const condition = { agent: 'jules', has_capacity_for: ['debug', 'refactor'] };
    const to = does('fipa-acl');
    const asking = house.say(asks4, eliza(asks4, 'QUERY_IF', { condition }, { receiver: to }));
    expect(await house.card()).toMatchObject({
      text: 'Is this so? agent: jules, has_capacity_for: ["debug","refactor"]',
    });
    await house.allow();
    const read = await house.next(to);
    await house.say(to, fipa('INFORM', 'Yes', { in_reply_to: read['reply_with'] }));
    expect(await asking).toMatchObject({
      untrusted: {
        native: { performative: 'INFORM_RESULT', payload: { result_summary: 'Yes' } },
      },
    });
  });

  test('004.25 what others ask is a QUERY_REF with the question as its reference', async () => {
    const question = 'When is dinner?';
    const to = `Mum/${does4}`;
    const asking = house.post(house.dad, asks('native'), '/v1/query', { to, question });
    await house.allow();
    const read = await house.next(does4);
    expect(read).toMatchObject({
      performative: 'QUERY_REF',
      ontology: 'elizaos:ontology:general/query',
      payload: { reference: question },
    });
    const answer = { task_status: 'success', result_details: { value: '19:00' } };
    const more = { in_reply_to: read['reply_with'] };
    await house.say(does4, eliza(does4, 'INFORM_RESULT', answer, more));
    expect(await asking).toMatchObject({ untrusted: { data: { value: '19:00' } } });
  });

  test.each([
    ['was tried in vain', {}, 'INFORM_RESULT', { task_status: 'failure' }],
    ['could not be tried', { code: 'internal' }, 'FAILURE', { status: 'failure' }],
  ])('004.28 what %s by a native agent is told as that', async (_, code, performative, payload) => {
    const to = does('native');
    const task = { task_description: 'Debug' };
    await house.say(asks4, eliza(asks4, 'TASK_REQUEST', task, { receiver: to }));
    await house.allow();
    const { delivery_id: id } = await house.item(to);
    const reply = { status: 'failed', error: 'There is no bug', ...code };
    await house.post(house.mum, to, `/v1/inbox/${String(id)}/reply`, reply);
    expect(await house.answer(asks4)).toMatchObject({ performative, payload });
  });

  test.each([
    ['INFORM_RESULT', { task_status: 'failure', result_summary: 'No bug' }, 'outcome'],
    ['FAILURE', { status: 'failure', error_text: 'Out of memory' }, 'execution'],
  ])('004.28 a %s says to others which failure it is', async (performative, payload, which) => {
    const { id, read } = await house.asked('elizaos');
    const more = { in_reply_to: read['message_id'] };
    await house.say(does4, eliza(does4, performative, payload, more));
    expect(await house.ended(asks('native'), id)).toMatchObject({
      state: 'failed',
      untrusted: { data: { failure_class: which } },
    });
    await house.item(asks('native'));
  });

  test('004.31 NOT_UNDERSTOOD of an INFORM, or of a result, reaches who said it', async () => {
    const inform = eliza(asks4, 'INFORM', { topic: 'x', content: 'Qwx' }, { receiver: does4 });
    await house.say(asks4, inform);
    const claim = { max: 1, wait_ms: 20_000 };
    const { items } = await house.post(house.mum, does4, '/v1/inbox/claim', claim);
    const [{ delivery_id: delivery }] = items as readonly [JsonObject];
    const about = (from: string, id: unknown) =>
      eliza(from, 'NOT_UNDERSTOOD', { reason_code: 'parsing_error' }, { in_reply_to: id });
    const what = about(does4, inform.message_id);
    expect(await house.say(does4, what)).toMatchObject({ http: 200, report: { state: 'sent' } });
    expect(await house.next(asks4)).toEqual(what);
    await house.post(house.mum, does4, `/v1/inbox/${String(delivery)}/ack`, {});

    const task = { task_description: 'Look' };
    await house.say(asks4, eliza(asks4, 'TASK_REQUEST', task, { receiver: does4 }));
    await house.allow();
    const read = await house.next(does4);
    const result = eliza(
      does4,
      'INFORM_RESULT',
      { task_status: 'success' },
      { in_reply_to: read['message_id'] },
    );
    await house.say(does4, result);
    await house.answer(asks4);
    const back = about(asks4, result.message_id);
    expect(await house.say(asks4, back)).toMatchObject({ http: 200, report: { state: 'sent' } });
    expect(await house.next(does4)).toEqual(back);
  });

  test('004.35 an agent is asked what it can do, and its hub tells it in its name', async () => {
    const capabilities = ['python'];
    await house.join(house.mum, 'can', 'elizaos', { capabilities });
    await house.offered('python');
    const payload = { query_type: 'summary' };
    const asked = eliza(asks4, 'QUERY_CAPABILITIES', payload, { receiver: { agent_id: 'can' } });
    expect(await house.say(asks4, asked)).toMatchObject({
      untrusted: {
        native: {
          performative: 'INFORM_CAPABILITIES',
          sender: { agent_id: 'can' },
          in_reply_to: asked.message_id,
          payload: { capabilities: { actions: expect.arrayContaining([{ name: 'python' }]) } },
        },
      },
    });
    expect(await house.waiting('can')).toBe(0);
  });

  test.each([
    [{}, 'general/task_request'],
    [{ domain: 'code.python' }, 'code/python/task_request'],
  ])('004.38 what others ask with %o has a term', async (area, term) => {
    const asked = { to: `Mum/${does4}`, task: 'Debug', ...area };
    const { id } = await house.post(house.dad, asks('native'), '/v1/delegate', asked);
    await house.allow();
    const read = await house.next(does4);
    expect(read).toMatchObject({
      performative: 'TASK_REQUEST',
      language: 'application/json',
      ontology: `elizaos:ontology:${term}`,
    });
    await house.say(does4, rejected(read));
    await house.ended(asks('native'), id);
    await house.item(asks('native'));
  });

  test('004.40 a group is whoever offers something: one of them gets it', async () => {
    const task = { task_description: 'Add it up' };
    const group = { receiver: { agent_id: CAPABILITY } };
    expect(await house.say(asks4, eliza(asks4, 'TASK_REQUEST', task, group))).toMatchObject({
      report: { chosen: { agent: does('fipa-acl'), why: expect.stringContaining(CAPABILITY) } },
    });
    await house.allow();
    const read = await house.next(does('fipa-acl'));
    const done = fipa('INFORM', 'Added', { in_reply_to: read['reply_with'] });
    await house.say(does('fipa-acl'), done);
    expect(await house.answer(asks4)).toMatchObject({ payload: { result_summary: 'Added' } });
  });

  test('004.51 an error goes on to whoever asked first, with its words', async () => {
    const message = { task_description: 'Bake' };
    await house.say(asks4, eliza(asks4, 'TASK_REQUEST', message, { receiver: does('acp-draft') }));
    await house.allow();
    const read = await house.next(does('acp-draft'));
    const error = { code: 'timeout', message: 'Try at night', retryable: true };
    await house.say(does('acp-draft'), acp('error', error, { ref: read['id'] }));
    expect(await house.answer(asks4)).toMatchObject({
      performative: 'FAILURE',
      payload: { error_code: 'timeout', error_text: 'Try at night' },
    });
  });

  test('004.52 who says something is known by its key, and nobody else can use its id', async () => {
    const { agentId } = house.dad.node.services.identity;
    const inform = eliza(asks4, 'INFORM', { topic: 'x', content: 'Hi' }, { receiver: does4 });
    await house.say(asks4, inform);
    const { trust } = await house.item(does4);
    expect(trust).toMatchObject({ peer_id: agentId, peer_name: 'Dad' });
    const attic = await RawPeer.pair(house.mum, 'Attic');
    expect(await attic.ask('ping', {}, { from: agentId })).toMatchObject({
      kind: 'error',
      payload: { code: 'not_authorized' },
    });
    await attic.stop();
  });

  test.each(['failed', 'error', 'FAILED'])('004.19 the status %s is refused', async (status) => {
    const { read } = await house.asked('elizaos');
    const more = { in_reply_to: read['message_id'] };
    const answer = { task_status: status, result_summary: 'Not found' };
    expect(await house.say(does4, eliza(does4, 'INFORM_RESULT', answer, more))).toMatchObject({
      http: 400,
    });
  });

  test.each(['9.0', '0.10', '0.1.1'])('004.2 the version %s is refused', async (mcp_version) => {
    const message = eliza(asks4, 'TASK_REQUEST', { task_description: 'Bake' }, { mcp_version });
    const refusal = await house.say(asks4, { ...message, receiver: does4 });
    expect(refusal).toMatchObject({ http: 400 });
    expect(JSON.stringify(refusal)).toContain('must be 0.1.0');
  });

  test.each([
    ['rejected', 'TASK_REJECT', 'task_rejection'],
    ['internal', 'FAILURE', 'action_execution_failure'],
    ['not_understood', 'NOT_UNDERSTOOD', 'message_not_understood'],
  ])('004.37 what is made of %s has the term of %s', async (code, performative, term) => {
    const to = does('native');
    const task = { task_description: 'Debug' };
    await house.say(asks4, eliza(asks4, 'TASK_REQUEST', task, { receiver: to }));
    await house.allow();
    const { delivery_id: id } = await house.item(to);
    const reply = { status: 'failed', code, error: 'Not today' };
    await house.post(house.mum, to, `/v1/inbox/${String(id)}/reply`, reply);
    expect(await house.answer(asks4)).toMatchObject({
      performative,
      ontology: `elizaos:ontology:general/${term}`,
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
    ['004.26', 'TASK_REJECT', { status: 'rejected', reason_code: 'busy', reason_text: 'Later' }],
    ['004.27', 'FAILURE', { status: 'failure', error_code: 'DISK', error_text: 'Full' }],
    ['004.18', 'INFORM_RESULT', { task_status: 'failure', result_summary: 'It is in no file' }],
    ['004.30', 'NOT_UNDERSTOOD', { reason_code: 'parsing_error', reason_text: 'What?' }],
  ])('%s a %s in answer to a question keeps its kind and its reason', async (_, word, payload) => {
    const message = eliza(asks4, 'QUERY_REF', { reference: 'The date' }, { receiver: does4 });
    const asking = house.say(asks4, message);
    await house.allow();
    await house.next(does4);
    const answer = eliza(does4, word, payload, { in_reply_to: message['message_id'] });
    await house.say(does4, answer);
    expect(await asking).toMatchObject({ data: { untrusted: { native: answer } } });

    const asker = asks('acp-draft');
    const question = { id: `q-${word}`, kind: 'query', payload: { question: 'The date?' } };
    const asked = house.say(asker, { ...question, to: does4 });
    await house.allow();
    const { message_id: id } = await house.next(does4);
    await house.say(does4, eliza(does4, word, payload, { in_reply_to: id }));
    const told = (await asked)['data'] as { untrusted: JsonObject };
    const native = told.untrusted['native'] as { payload: JsonObject };
    const { reason_code, error_code } = payload as JsonObject;
    if (reason_code !== undefined) expect(native.payload['data']).toMatchObject({ reason_code });
    if (error_code !== undefined) expect(native.payload['data']).toMatchObject({ error_code });
    const code = { TASK_REJECT: 'rejected', NOT_UNDERSTOOD: 'not_understood' }[word];
    expect(native.payload['code']).toBe(code ?? 'internal');
  });

  test('004.26 what is too much at once is rejected, and tried by nobody', async () => {
    const request = (to: string) =>
      eliza(asks4, 'TASK_REQUEST', { task_description: 'Fix it' }, { receiver: to });
    for (let count = 0; count < 5; count++)
      expect(await house.say(asks4, request(does4))).toMatchObject({ http: 200 });
    expect(await house.say(asks4, request(does4))).toMatchObject({
      http: 429,
      data: {
        untrusted: {
          native: { performative: 'TASK_REJECT', payload: { reason_code: 'overloaded' } },
        },
      },
    });
    for (let count = 0; count < 5; count++) {
      await house.decide({ decision: 'decline' });
      await house.answer(asks4);
    }
    // An agent says the same of itself.
    const draft = does('acp-draft');
    await house.say(asks4, request(draft));
    await house.allow();
    const { id } = await house.next(draft);
    const busy = { accepted: false, code: 'overloaded', reason: 'Too much to do' };
    await house.say(draft, acp('ack', busy, { ref: id }));
    expect(await house.answer(asks4)).toMatchObject({
      performative: 'TASK_REJECT',
      payload: { reason_code: 'overloaded', reason_text: 'Too much to do' },
    });
  });

  test('004.26 what the hub does not take for its agent is rejected, and not misunderstood', async () => {
    const request = { task_type: 'debug_code', task_description: 'Fix it' };
    for (const [more, reason] of [
      [{ receiver: { agent_id: 'nobody' } }, 'unknown_domain'],
      [{ receiver: { agent_id: does4 }, sender: { agent_id: 'Dad' } }, 'not_authorized'],
    ] as const)
      expect(await house.say(asks4, eliza(asks4, 'TASK_REQUEST', request, more))).toMatchObject({
        data: {
          untrusted: {
            native: {
              performative: 'TASK_REJECT',
              payload: { status: 'rejected', reason_code: reason },
            },
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
    const known = { ...payload, query_parameters: { action: `${does4}.work` } };
    const again = eliza(asks4, 'QUERY_CAPABILITIES', known, { receiver: does4 });
    expect(await house.say(asks4, again)).toMatchObject({
      untrusted: {
        native: { payload: { capabilities: { actions: [{ name: `${does4}.work` }] } } },
      },
    });
  });
});
