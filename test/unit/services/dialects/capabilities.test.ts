// An agent asks in its own language what another one can do, and reads the answer in it.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../../../main/lib/json-object.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openPairedHubs } from '../../../fakes/two-work-hubs.ts';
import { OWNER, type WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;
const signal = new AbortController().signal;

beforeEach(async () => {
  ({ clock, dad, mum } = await openPairedHubs());
  await dad.work.agents.create('eddy', { dialect: 'elizaos' }, 'R2', OWNER);
  await dad.work.agents.create('kit', { dialect: 'acp-draft' }, 'R2', OWNER);
  const domains = ['home', { domain: 'code.python', example: 'Fix this\u202e.' }];
  await mum.work.agents.create('jules', { domains, capabilities: ['debugging'] }, 'R2', OWNER);
  await mum.work.agents.create('lists', { domains: ['shopping'] }, 'R2', OWNER);
  await dad.knows(mum);
  await mum.knows(dad);
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

const asks = async (agent: string, message: JsonObject): Promise<unknown> =>
  (await dad.work.nativeMessages.post(agent, message, signal)).untrusted?.native;
const query = (payload: JsonObject): JsonObject => ({
  mcp_version: '0.1.0',
  message_id: 'q-1',
  performative: 'QUERY_CAPABILITIES',
  sender: { agent_id: 'Eddy' },
  receiver: { agent_id: 'Jules' },
  payload,
});
const told = (capabilities: JsonObject) => ({
  performative: 'INFORM_CAPABILITIES',
  sender: { agent_id: 'jules' },
  in_reply_to: 'q-1',
  payload: { status: 'success', capabilities },
});
const ACTIONS = [
  { name: 'debugging' },
  { name: 'home' },
  { name: 'code.python', description: 'Fix this[U+202E].' },
];

test.each([
  [{ query_type: 'summary' }, { topics: ['home', 'code.python'], actions: ACTIONS }],
  [{ query_type: 'action_details' }, { actions: ACTIONS }],
  [
    { query_type: 'specific', query_parameters: { topics: ['home', 'garden'] } },
    { match_result: false, matched_capabilities: ['home'] },
  ],
  [
    {
      query_type: 'specific',
      query_parameters: { topics: ['garden'], actions: ['debugging'], match_type: 'any' },
    },
    { match_result: true, matched_capabilities: ['debugging'] },
  ],
])('elizaos: %j', async (payload, capabilities) => {
  expect(await asks('eddy', query(payload))).toMatchObject(told(capabilities));
});

test('acp-draft: discover, of a whole hub', async () => {
  expect(await asks('kit', { id: 'd-1', kind: 'discover', to: 'mum' })).toMatchObject({
    kind: 'capabilities',
    ref: 'd-1',
    payload: { agent_name: 'mum', domains: ['home', 'code.python', 'shopping'] },
  });
});
