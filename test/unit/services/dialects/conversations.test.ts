// Two agents that speak different languages work together: a request, its answer and a refusal, in
// each pair of dialects both ways. Whoever asks reads the answer to its own message; whoever is asked
// reads a request of its own kind.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DIALECTS, type DialectName } from '../../../support/seed-messages.ts';
import type { DeliveryDto } from '../../../../preload/contract/dto.ts';
import type { JsonObject } from '../../../../main/lib/json-object.ts';
import { dialectNamed } from '../../../../main/dialects/index.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openPairedHubs } from '../../../fakes/two-work-hubs.ts';
import { OWNER, type WorkHub } from '../../../fakes/work-hub.ts';

/** What Eddy asks of Jules, in each dialect; `id` is what an answer refers to. */
const REQUESTS: Readonly<Record<DialectName, (id: string) => JsonObject>> = {
  'claude-crunch': (id) => ({
    id: `MSG-1705234567890-${id}`,
    type: 'REQUEST',
    from: 'eddy',
    to: 'jules',
    correlation_id: null,
    timestamp: '2025-01-14T10:30:00Z',
    priority: 'HIGH',
    payload: {
      action: 'threat_model',
      context: { issue: { number: 42, title: 'Add refresh tokens' } },
      constraints: { timeout_ms: 300_000 },
    },
    metadata: { issue_number: 42, phase: 'enrich', attempt: 1 },
  }),
  'fipa-acl': (id) => ({
    performative: 'REQUEST',
    sender: 'Eddy',
    capability: 'data-analysis',
    content: { text: 'Please analyze sales data from Q3' },
    conversation_id: `conversation-${id}`,
    reply_with: `reply-${id}`,
    in_reply_to: null,
    protocol: 'SingleRecipient',
    language: 'en',
  }),
  elizaos: (id) => ({
    mcp_version: '0.1.0',
    message_id: `message-${id}`,
    performative: 'TASK_REQUEST',
    sender: { agent_id: 'Eddy' },
    receiver: { agent_id: 'Jules' },
    reply_with: `task-${id}`,
    language: 'application/json',
    ontology: 'elizaos:ontology:code/python/debug_request',
    timestamp: '2025-01-14T10:30:00Z',
    payload: {
      task_type: 'debug_code',
      task_description: "Fix the 'IndexError'.",
      task_parameters: { code_snippet: 'a[9]' },
    },
  }),
  'acp-draft': (id) => ({
    v: 1,
    id: `draft-${id}`,
    from: 'eddy',
    to: 'jules',
    ts: 1_771_108_000_000,
    kind: 'delegate',
    ref: null,
    payload: { task: 'Say that dinner is late', context: { dinner: '7' }, priority: 'normal' },
  }),
};
/** What Jules says to what it was asked, by the id in that. */
const ANSWERS: Readonly<Record<DialectName, (asked: JsonObject, isDone: boolean) => JsonObject>> = {
  'claude-crunch': ({ id }, isDone) => ({
    id: 'MSG-1705234600000-b4c5d6e7',
    type: 'RESPONSE',
    from: 'jules',
    to: 'eddy',
    correlation_id: id,
    timestamp: '2025-01-14T10:31:00Z',
    priority: 'HIGH',
    payload: {
      status: isDone ? 'SUCCESS' : 'FAILED',
      result: { summary: isDone ? 'It is done' : 'No time', outputs: { report: 'Three parts' } },
    },
    metadata: { issue_number: 42, phase: 'enrich', attempt: 1 },
  }),
  'fipa-acl': ({ reply_with, conversation_id, capability }, isDone) => ({
    performative: isDone ? 'INFORM' : 'FAILURE',
    sender: 'jules',
    capability,
    content: isDone ? { text: 'It is done', structured: { parts: 3 } } : 'No time',
    conversation_id,
    in_reply_to: reply_with,
  }),
  elizaos: ({ message_id }, isDone) => ({
    mcp_version: '0.1.0',
    message_id: 'message-answer',
    performative: isDone ? 'INFORM_RESULT' : 'TASK_REJECT',
    sender: { agent_id: 'jules' },
    receiver: { agent_id: 'eddy' },
    in_reply_to: message_id,
    payload: isDone
      ? { task_status: 'success', result_summary: 'It is done', result_details: { parts: 3 } }
      : { status: 'rejected', reason_code: 'busy', reason_text: 'No time' },
  }),
  'acp-draft': ({ id }, isDone) => ({
    id: 'draft-answer',
    kind: 'result',
    ref: id,
    payload: isDone
      ? { status: 'completed', outcome: 'It is done', data: { parts: 3 }, error: null }
      : { status: 'failed', outcome: '', error: 'No time', code: 'rejected' },
  }),
};

/** That it has taken it on, where the language has a word for it. */
const ACCEPTS: Readonly<Record<DialectName, ((asked: JsonObject) => JsonObject) | null>> = {
  'claude-crunch': null,
  'fipa-acl': ({ reply_with }) => ({
    performative: 'AGREE',
    sender: 'jules',
    in_reply_to: reply_with,
  }),
  elizaos: ({ message_id }) => ({
    mcp_version: '0.1.0',
    message_id: 'message-accept',
    performative: 'TASK_ACCEPT',
    sender: { agent_id: 'jules' },
    receiver: { agent_id: 'eddy' },
    in_reply_to: message_id,
    payload: { status: 'accepted', estimated_completion_time: 'PT5M', comments: 'Gladly' },
  }),
  'acp-draft': ({ id }) => ({
    id: 'draft-accept',
    kind: 'ack',
    ref: id,
    payload: { accepted: true, estimated_ms: 300_000 },
  }),
};
/** How far it is, as a notice. */
const PROGRESS: Readonly<Record<DialectName, JsonObject>> = {
  'claude-crunch': {
    id: 'MSG-1705234590000-a1b2c3d4',
    type: 'BROADCAST',
    from: 'jules',
    to: 'eddy',
    priority: 'NORMAL',
    payload: {
      event: 'CONTEXT_UPDATE',
      content: { message: 'Half of it is done', data: { done: 1, of: 2 } },
      affects: [],
    },
  },
  'fipa-acl': {
    performative: 'INFORM',
    sender: 'jules',
    receiver: 'eddy',
    capability: 'progress',
    content: { text: 'Half of it is done', structured: { done: 1, of: 2 } },
  },
  elizaos: {
    mcp_version: '0.1.0',
    message_id: 'message-progress',
    performative: 'INFORM',
    sender: { agent_id: 'jules' },
    receiver: { agent_id: 'eddy' },
    payload: { topic: 'progress', content: { text: 'Half of it is done', done: 1, of: 2 } },
  },
  'acp-draft': {
    id: 'draft-progress',
    kind: 'notify',
    to: 'eddy',
    payload: { topic: 'progress', data: { text: 'Half of it is done', done: 1, of: 2 } },
  },
};

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;
beforeEach(async () => {
  ({ clock, dad, mum } = await openPairedHubs());
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

const signal = new AbortController().signal;
const PAIRS = DIALECTS.flatMap((asks) => DIALECTS.map((does) => [asks, does] as const));

async function agents(asks: DialectName, does: DialectName): Promise<void> {
  await dad.work.agents.create('eddy', { dialect: asks }, 'R2', OWNER);
  await mum.work.agents.create(
    'jules',
    { dialect: does, domains: ['code'], capabilities: ['data-analysis'] },
    'R2',
    OWNER,
  );
  await dad.knows(mum);
  await mum.knows(dad);
}

const nativeOf = ({ untrusted }: DeliveryDto): JsonObject => untrusted.native as JsonObject;

async function asked(request: JsonObject): Promise<JsonObject> {
  const posted = dad.work.nativeMessages.post('eddy', request, signal);
  await clock.settle();
  await mum.decide(mum.card, 'allow');
  await posted;
  return nativeOf(await mum.claim('jules'));
}

async function answered(answer: JsonObject): Promise<JsonObject> {
  await mum.work.nativeMessages.post('jules', answer, signal);
  await clock.settle();
  return nativeOf(await dad.claim('eddy'));
}

/** What is said before the answer, and how it is read. */
async function meanwhile(
  asks: DialectName,
  does: DialectName,
  request: JsonObject,
): Promise<JsonObject> {
  const told: Record<string, unknown> = {};
  const said = { accepts: ACCEPTS[does]?.(request) ?? null, 'is half done': PROGRESS[does] };
  for (const [what, message] of Object.entries(said)) {
    if (message === null) continue;
    const read = await answered(message);
    if (asks === does) expect(read).toEqual(message);
    told[`Jules ${what}`] = message;
    told[`Eddy reads that Jules ${what}`] = read;
  }
  return told;
}

/** Ids that a hub makes differ each time. */
const NEW_IDS = /[0-9a-f]{8}-[0-9a-f-]{27}|MSG-18[0-9]+-[0-9a-f]{8}/g;

test.each(PAIRS)('%s asks, %s does', async (asks, does) => {
  await agents(asks, does);
  const reader = dialectNamed(asks);
  const told: JsonObject[] = [];
  for (const [isDone, status, words] of [
    [true, 'completed', 'It is done'],
    [false, 'failed', 'No time'],
  ] as const) {
    const request = REQUESTS[asks](String(told.length));
    const read = await asked(request);
    const between: JsonObject = isDone ? await meanwhile(asks, does, read) : {};
    const answer = ANSWERS[does](read, isDone);
    const back = await answered(answer);
    if (asks === does) expect([read, back]).toEqual([request, answer]);
    const reading = reader?.read(back);
    expect(reading).toMatchObject({ ok: true, value: { kind: 'result', payload: { status } } });
    expect(JSON.stringify(back)).toContain(words);
    expect(readIds(asks, request)).toContain(reading?.ok ? reading.value.replyTo : 'none');
    told.push({
      'Eddy asks': request,
      'Jules reads': read,
      ...between,
      'Jules says': answer,
      'Eddy reads': back,
    });
  }
  const golden = JSON.stringify(told, null, 2).replaceAll(NEW_IDS, 'NEW-ID');
  await expect(`${golden}\n`).toMatchFileSnapshot(`golden/${asks}-to-${does}.json`);
});

function readIds(name: DialectName, message: JsonObject): readonly string[] {
  const read = dialectNamed(name)?.read(message);
  return read?.ok ? read.value.ids : [];
}
