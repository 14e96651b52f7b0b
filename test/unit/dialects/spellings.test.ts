// Every member by which a message means something, in each spelling: it reads as the usual one, or
// it is refused by name. None is passed over.
import { describe, expect, test } from 'vitest';
import { dialectNamed, dialectOf } from '../../../main/dialects/index.ts';
import { checkOrigin, originOf } from '../../../main/dialects/origin.ts';
import { isJsonObject, type JsonObject } from '../../../main/lib/json-object.ts';
import type { DialectName } from '../../support/seed-messages.ts';

/** Messages that together hold every member that their dialect reads. */
const MESSAGES: Readonly<Record<DialectName, readonly JsonObject[]>> = {
  'fipa-acl': [
    {
      performative: 'REQUEST',
      sender: 'eddy',
      receiver: 'jules',
      reply_to: 'eddy',
      capability: 'data-analysis',
      content: 'Add',
      conversation_id: 'c-1',
      reply_with: 'r-1',
    },
    { performative: 'ACCEPT_PROPOSAL', sender: 'jules', content: 'Yes', in_reply_to: 'r-1' },
    { performative: 'NOT_UNDERSTOOD', sender: 'jules', content: 'What?', in_reply_to: 'r-1' },
  ],
  'claude-crunch': [
    crunch('REQUEST', {
      action: 'validate',
      context: { issue: { title: 'Tokens' } },
      constraints: { timeout_ms: 5_000 },
    }),
    crunch('RESPONSE', {
      status: 'BLOCKED',
      result: { summary: 'No', outputs: { a: 1 }, error: 'No key' },
      findings: [{ id: 'F-001' }],
      metrics: { tokens_used: 5 },
    }),
    crunch('HANDOFF', {
      reason: 'Not mine',
      context_transfer: { remaining_work: 'Review' },
      urgency: 'IMMEDIATE',
    }),
    crunch('ESCALATE', {
      escalation_type: 'HUMAN_REQUIRED',
      reason: 'Two ways',
      context: {
        decision_needed: 'Which?',
        options: [{ option: 'A', pros: ['fast'], cons: ['dear'] }, 'B'],
        recommendation: 'B',
      },
      veto_details: { target: 'Storage' },
    }),
    crunch('BROADCAST', { event: 'PHASE_CHANGE', content: { message: 'On', data: { to: 2 } } }),
    crunch('VOTE', {
      conflict_id: 'CONF-1',
      position: { choice: 'A' },
      veto: true,
      veto_reason: 'R',
    }),
  ],
  elizaos: [
    eliza('TASK_REQUEST', {
      task_type: 'debug_code',
      task_description: 'Fix it',
      task_parameters: { code: 'a' },
      priority: 'high',
    }),
    eliza('TASK_ACCEPT', { status: 'accepted', estimated_completion_time: 'PT5M', comments: 'Ok' }),
    eliza('TASK_REJECT', { status: 'rejected', reason_code: 'busy', reason_text: 'Busy' }),
    eliza('INFORM_RESULT', {
      task_status: 'partial_success',
      result_summary: 'Half',
      result_details: { a: 1 },
      artifacts: [{ type: 'log' }],
    }),
    eliza('INFORM', { topic: 'home', content: 'Hello' }),
    eliza('QUERY_IF', { condition: { free: true } }),
    eliza('QUERY_REF', { reference: 'latest' }),
    eliza('FAILURE', { status: 'failure', error_code: 'disk', error_text: 'Full' }),
    eliza('NOT_UNDERSTOOD', { reason_code: 'parsing_error', reason_text: 'What?' }),
    eliza('QUERY_CAPABILITIES', {
      query_type: 'specific',
      query_parameters: { topics: ['home'], actions: ['sing'], match_type: 'any' },
    }),
    eliza('CANCEL', { reason_text: 'Too late' }),
  ],
  'acp-draft': [
    acp('query', { question: 'Who?', domain: 'home', max_tokens: 5, deadline_ms: 9 }),
    acp('delegate', {
      act: 'handoff',
      task: 'Cook',
      context: { at: 7 },
      priority: 'urgent',
      report_back: false,
      deadline_ms: 9,
      domain: 'home',
      reason: 'Hungry',
    }),
    acp('notify', { topic: 'home', data: { a: 1 }, importance: 'high' }),
    acp('cancel', { reason: 'No' }),
    acp('response', { summary: 'Mum', data: { a: 1 }, tokens_used: 4 }),
    acp('result', { status: 'partial', outcome: 'Half', data: 1, tokens_used: 4 }),
    acp('result', { status: 'failed', outcome: 'No', error: 'Out', code: 'timeout' }),
    acp('error', { code: 'overloaded', message: 'Busy' }),
    acp('ack', { accepted: false, estimated_ms: 5, reason: 'Busy' }),
  ],
};
/** What travels as it is: the names in it are no business of the dialect. */
const DATA = [
  'outputs',
  'findings',
  'veto_details',
  'data',
  'position',
  'compromise',
  'task_parameters',
  'context_transfer',
  'result_details',
  'condition',
];
/** Of these the words, too, are a closed list. */
const WORDS = [
  'performative',
  'type',
  'kind',
  'priority',
  'urgency',
  'event',
  'importance',
  'act',
  'match_type',
  'query_type',
  'status',
  'task_status',
  'escalation_type',
];

function crunch(type: string, payload: JsonObject): JsonObject {
  const addressing = { from: 'eddy', to: 'jules', correlation_id: 'MSG-1-a' };
  return { id: 'MSG-2-b', type, ...addressing, priority: 'HIGH', payload };
}
function eliza(performative: string, payload: JsonObject): JsonObject {
  return {
    mcp_version: '0.1.0',
    message_id: 'm-1',
    performative,
    sender: { agent_id: 'eddy' },
    receiver: { agent_id: 'jules' },
    in_reply_to: 'm-0',
    reply_with: 'r-1',
    ontology: 'elizaos:ontology:code/python/debug_request',
    payload,
  };
}
function acp(kind: string, payload: JsonObject): JsonObject {
  return { id: 'd-1', from: 'eddy', to: 'jules', kind, ref: 'd-0', payload };
}

const SPELLINGS: Readonly<Record<string, (name: string) => string>> = {
  'kebab-case': (name) => name.replaceAll('_', '-'),
  camelCase: (name) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  PascalCase: (name) =>
    name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  SCREAMING_CASE: (name) => name.toUpperCase(),
  'Header-Case': (name) =>
    name.replaceAll(
      /(^|_)([a-z])/g,
      (_, gap: string, letter: string) => `${gap && '-'}${letter.toUpperCase()}`,
    ),
};

type Path = readonly string[];
/** Every member of objects, at any depth, down to what is only data. */
function membersOf(message: JsonObject, path: Path = []): readonly Path[] {
  return Object.entries(message).flatMap(([name, value]): readonly Path[] => {
    const here = [...path, name];
    const isData = DATA.includes(name) || (name === 'context' && !('escalation_type' in message));
    return isJsonObject(value) && !isData ? [here, ...membersOf(value, here)] : [here];
  });
}
/** The message with another member in place of that one. */
function changed(
  message: JsonObject,
  [name = '', ...rest]: Path,
  change: (value: unknown, name: string) => JsonObject,
): JsonObject {
  return Object.fromEntries(
    Object.entries(message).flatMap(([key, value]): readonly [string, unknown][] => {
      if (key !== name) return [[key, value]];
      if (rest.length > 0 && isJsonObject(value)) return [[key, changed(value, rest, change)]];
      return Object.entries(change(value, key));
    }),
  );
}

const CASES = Object.entries(MESSAGES).flatMap(([name, messages]) =>
  messages.flatMap((message) => {
    const word = String(message['performative'] ?? message['type'] ?? message['kind']);
    return membersOf(message).map((path) => ({
      title: `${name} ${word} ${path.join('.')}`,
      name,
      message,
      path,
    }));
  }),
);

function read(name: string, message: JsonObject) {
  const dialect = dialectNamed(name);
  if (dialect === undefined) throw new Error(name);
  return dialect.read(message);
}

/** It is refused, by the name of that member. */
function expectRefused(name: string, message: JsonObject, path: Path): void {
  const answer = read(name, message);
  // Who sent it is judged by the token; nobody is called so.
  if (answer.ok && path[0] === 'sender') return expect(answer.value.from).toBe('');
  const owner = path.at(-1) === 'agent_id' ? path.slice(0, -1) : path;
  expect(answer.ok ? 'taken' : answer.error).toContain(owner.join('.'));
}

describe.each(CASES)('$title', ({ name, message, path }) => {
  const usual = read(name, message);

  test('means the same in every spelling, here and at the other hub', () => {
    if (!usual.ok) throw new Error(usual.error);
    const { kind, payload, from } = usual.value;
    for (const spell of Object.values(SPELLINGS)) {
      const spelt = changed(message, path, (value, key) => ({ [spell(key)]: value }));
      expect(read(name, spelt)).toEqual(usual);
      const dialect = dialectOf(spelt);
      if (dialect === undefined) throw new Error(`${name} is not known by it`);
      const origin = originOf({ dialect, message: spelt });
      const carried = { ...payload, route: { from }, origin };
      expect(checkOrigin(kind === 'accept' ? 'notify' : kind, carried)).toEqual({ ok: true });
    }
  });

  test('twice with two meanings is refused, and with one is not', () => {
    const twice = (second: (value: unknown) => unknown) =>
      changed(message, path, (value, key) => ({ [`${key}:`]: second(value), [key]: value }));
    expectRefused(
      name,
      twice(() => ['x', 1]),
      path,
    );
    expect(
      read(
        name,
        twice((value) => value),
      ),
    ).toEqual(usual);
    expect(
      read(
        name,
        twice(() => null),
      ),
    ).toEqual(usual);
  });
});

const CLOSED = CASES.filter(({ path }) => WORDS.includes(path.at(-1) ?? ''));
test.each(CLOSED)(
  '$title may be in any case, and is one of its list',
  ({ name, message, path }) => {
    const usual = read(name, message);
    const put = (value: unknown) => changed(message, path, (_, key) => ({ [key]: value }));
    const word = path.reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : at), message);
    const said = String(word);
    for (const spelt of [said.toLowerCase(), said.toUpperCase(), said.replaceAll('_', '-'), [said]])
      expect(read(name, put(spelt))).toEqual(usual);
    for (const wrong of ['DONE', '', 7, {}, [said, said]]) expectRefused(name, put(wrong), path);
  },
);

test.each([
  ['fipa-acl', 'receiver', 'jules', ['jules']],
  ['fipa-acl', 'receiver', 'jules', { name: 'jules' }],
  ['fipa-acl', 'receiver', 'jules', [{ agentId: 'jules' }]],
  ['claude-crunch', 'to', 'jules', ['jules']],
  ['elizaos', 'receiver', { agent_id: 'jules' }, 'jules'],
  ['elizaos', 'receiver', { agent_id: 'jules' }, [{ 'Agent-Id': 'jules' }]],
  ['acp-draft', 'to', 'jules', [{ name: 'jules' }]],
  ['acp-draft', 'ref', 'd-0', ['d-0']],
])('%s: one %s may be written in several forms: %j, %j', (name, member, one, other) => {
  const [message = {}] = MESSAGES[name as DialectName];
  const usual = read(name, { ...message, [member]: one });
  expect(usual.ok).toBe(true);
  expect(read(name, { ...message, [member]: other })).toEqual(usual);
});

test.each([
  ['fipa-acl', { receiver: ['jules', 'ana'] }, '"receiver" must name one agent'],
  ['fipa-acl', { receiver: [] }, '"receiver" must name one agent'],
  ['fipa-acl', { reply_with: 7 }, '"reply_with" must be text'],
  ['fipa-acl', { 'in-reply-to': { id: 'r-1' } }, '"in_reply_to" must be text'],
  ['fipa-acl', { to: 'jules' }, '"to" is not understood here; write "receiver"'],
  ['fipa-acl', { receivers: ['jules'] }, 'write "receiver"'],
  ['fipa-acl', { correlationId: 'r-1' }, 'write "in_reply_to"'],
  ['fipa-acl', { reply_to: 'mallory' }, '"reply_to" must be the sender'],
  ['claude-crunch', { to: ['a', 'b'] }, '"to" must name one agent'],
  ['claude-crunch', { 'in-reply-to': 'MSG-1' }, 'write "correlation_id"'],
  ['claude-crunch', { recipient: 'jules' }, 'write "to"'],
  ['claude-crunch', { payload: { constraints: { timeoutMs: '5000' } } }, 'constraints.timeout_ms'],
  [
    'claude-crunch',
    { type: 'escalate', payload: { context: { options: ['A', { choice: 'B' }] } } },
    '"payload.context.options" must be text, or an object with "option"',
  ],
  ['elizaos', { replyTo: 'm-0' }, 'write "in_reply_to"'],
  ['elizaos', { payload: { priority: 'urgent' } }, 'low, medium, high'],
  ['elizaos', { payload: { task_description: ['Fix', 'it'] } }, '"payload.task_description"'],
  ['acp-draft', { correlation_id: 'd-0' }, 'write "ref"'],
  ['acp-draft', { receiver: 'jules' }, 'write "to"'],
])('%s: %j is refused', (name, more, words) => {
  const [message = {}] = MESSAGES[name as DialectName];
  const answer = read(name, { ...message, ...more });
  expect(answer.ok ? 'taken' : answer.error).toContain(words);
});

test.each([
  ['claude-crunch', crunch('RESPONSE', { result: { summary: 'Done' } }), 'payload.status'],
  ['elizaos', eliza('INFORM_RESULT', { status: 'failure' }), 'payload.task_status'],
  ['acp-draft', acp('result', { outcome: 'Done' }), 'payload.status'],
  ['acp-draft', acp('ack', { estimated_ms: 5 }), 'payload.accepted'],
])('%s: an answer that does not say how it ended is no success: %j', (name, message, member) => {
  const answer = read(name, message);
  expect(answer.ok ? 'taken' : answer.error).toContain(`"${member}" must be`);
});

test.each(Object.entries(MESSAGES))(
  '%s keeps what it does not know as it is',
  (name, [one = {}]) => {
    const more = { 'x-data': { 'In-Reply-To': 'r-9', receiver: ['a', 'b'] }, XMore: null };
    expect(read(name, { ...one, ...more })).toEqual(read(name, one));
  },
);
