// The requirements of document 004, by their numbers, held against two hubs: agents that know nothing
// but their document speak over HTTP, and people decide.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { asks, does, SeedHousehold } from './household.ts';
import { acp, eliza } from './messages.ts';

let house: SeedHousehold;
beforeAll(async () => {
  house = await SeedHousehold.start();
}, 120_000);
afterAll(() => house.stop());

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
    expect(await house.next(asks4)).toMatchObject({
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
