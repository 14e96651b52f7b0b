// Two agents that speak different languages work together: a request that is accepted and done,
// refused, answered with another offer, not understood, failed or cancelled, in each pair of dialects
// both ways. Whoever asks reads the answer to its own message; whoever is asked reads a request of its
// own kind; and both hubs say the same of how it ended.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DIALECTS, type DialectName } from '../../../support/seed-messages.ts';
import type { DeliveryDto } from '../../../../preload/contract/dto.ts';
import type { JsonObject } from '../../../../main/lib/json-object.ts';
import { dialectNamed } from '../../../../main/dialects/index.ts';
import { objectOf } from '../../../../main/dialects/members.ts';
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
/** How Jules ends what it was asked, by the ids in that. null: its language has no word for it. */
type Says = ((asked: JsonObject) => JsonObject) | null;
interface Words {
  readonly done: (asked: JsonObject) => JsonObject;
  readonly refuses: (asked: JsonObject) => JsonObject;
  readonly fails: (asked: JsonObject) => JsonObject;
  readonly understandsNothing: (asked: JsonObject) => JsonObject;
  readonly offers: Says;
  readonly stopped: (asked: JsonObject, cancel: JsonObject) => JsonObject;
}

const crunch = (correlation: unknown, payload: JsonObject): JsonObject => ({
  id: 'MSG-1705234600000-b4c5d6e7',
  type: 'RESPONSE',
  from: 'jules',
  to: 'eddy',
  correlation_id: correlation,
  timestamp: '2025-01-14T10:31:00Z',
  priority: 'HIGH',
  payload,
  metadata: { issue_number: 42, phase: 'enrich', attempt: 1 },
});
const fipa = (
  performative: string,
  { reply_with, conversation_id, capability }: JsonObject,
  content: unknown,
): JsonObject => ({
  performative,
  sender: 'jules',
  ...(capability === undefined ? {} : { capability }),
  content,
  ...(conversation_id === undefined ? {} : { conversation_id }),
  in_reply_to: reply_with,
});
const eliza = (
  performative: string,
  { message_id }: JsonObject,
  payload: JsonObject,
): JsonObject => ({
  mcp_version: '0.1.0',
  message_id: 'message-answer',
  performative,
  sender: { agent_id: 'jules' },
  receiver: { agent_id: 'eddy' },
  in_reply_to: message_id,
  payload,
});
const draft = (kind: string, { id }: JsonObject, payload: JsonObject): JsonObject => ({
  id: 'draft-answer',
  kind,
  ref: id,
  payload,
});

const WORDS: Readonly<Record<DialectName, Words>> = {
  'claude-crunch': {
    done: ({ id }) =>
      crunch(id, {
        status: 'SUCCESS',
        result: { summary: 'It is done', outputs: { report: 'Three parts' } },
      }),
    refuses: ({ id }) => crunch(id, { status: 'BLOCKED', result: { summary: 'No time' } }),
    fails: ({ id }) => crunch(id, { status: 'FAILED', result: { summary: 'The disk is full' } }),
    understandsNothing: ({ id }) =>
      crunch(id, {
        status: 'FAILED',
        result: { summary: 'What is that?', error: 'What is that?', code: 'not_understood' },
      }),
    offers: null,
    stopped: (_, { id }) => crunch(id, { status: 'SUCCESS', result: { summary: 'Stopped' } }),
  },
  'fipa-acl': {
    done: (asked) => fipa('INFORM', asked, { text: 'It is done', structured: { parts: 3 } }),
    refuses: (asked) => fipa('REFUSE', asked, 'No time'),
    fails: (asked) => fipa('FAILURE', asked, 'The disk is full'),
    understandsNothing: (asked) => fipa('NOT_UNDERSTOOD', asked, 'What is that?'),
    offers: (asked) => ({
      ...fipa('PROPOSE', asked, { text: 'For 5 euros?', structured: { euros: 5 } }),
      reply_with: 'offer-1',
    }),
    stopped: (_, cancel) => fipa('INFORM', cancel, 'Stopped'),
  },
  elizaos: {
    done: (asked) =>
      eliza('INFORM_RESULT', asked, {
        task_status: 'success',
        result_summary: 'It is done',
        result_details: { parts: 3 },
      }),
    refuses: (asked) =>
      eliza('TASK_REJECT', asked, {
        status: 'rejected',
        reason_code: 'busy',
        reason_text: 'No time',
      }),
    fails: (asked) =>
      eliza('FAILURE', asked, {
        status: 'failure',
        error_code: 'DISK',
        error_text: 'The disk is full',
      }),
    understandsNothing: (asked) =>
      eliza('NOT_UNDERSTOOD', asked, {
        reason_code: 'unknown_ontology',
        reason_text: 'What is that?',
      }),
    offers: null,
    stopped: (_, cancel) => eliza('INFORM', cancel, { content: 'Stopped' }),
  },
  'acp-draft': {
    done: (asked) =>
      draft('result', asked, {
        status: 'completed',
        outcome: 'It is done',
        data: { parts: 3 },
        error: null,
      }),
    refuses: (asked) => draft('ack', asked, { accepted: false, reason: 'No time' }),
    fails: (asked) =>
      draft('error', asked, { code: 'internal', message: 'The disk is full', retryable: true }),
    understandsNothing: (asked) =>
      draft('error', asked, {
        code: 'not_understood',
        message: 'What is that?',
        retryable: false,
      }),
    offers: null,
    stopped: (asked) =>
      draft('error', asked, { code: 'cancelled', message: 'Stopped', retryable: false }),
  },
};

/** Eddy takes it back, by the id that it gave. */
const CANCELS: Readonly<Record<DialectName, (request: JsonObject) => JsonObject>> = {
  'claude-crunch': ({ id }) => ({
    id: 'MSG-1705234580000-c1c2c3c4',
    type: 'BROADCAST',
    from: 'eddy',
    to: 'jules',
    correlation_id: id,
    priority: 'HIGH',
    payload: { event: 'ABORT', content: { message: 'Not needed' }, affects: [] },
  }),
  'fipa-acl': ({ reply_with, conversation_id }) => ({
    performative: 'CANCEL',
    sender: 'eddy',
    content: 'Not needed',
    conversation_id,
    in_reply_to: reply_with,
    reply_with: 'cancel-1',
  }),
  elizaos: ({ message_id }) => ({
    mcp_version: '0.1.0',
    message_id: 'message-cancel',
    performative: 'CANCEL',
    sender: { agent_id: 'eddy' },
    receiver: { agent_id: 'jules' },
    in_reply_to: message_id,
    payload: { reason_text: 'Not needed' },
  }),
  'acp-draft': ({ id }) => ({
    id: 'draft-cancel',
    kind: 'cancel',
    ref: id,
    payload: { reason: 'Not needed' },
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

/** What Eddy asks, allowed by a person there: the item as Jules reads it. */
async function asked(request: JsonObject): Promise<DeliveryDto> {
  const posted = dad.work.nativeMessages.post('eddy', request, signal);
  await clock.settle();
  await mum.decide(mum.card, 'allow');
  await posted;
  return mum.claim('jules');
}

async function said(message: JsonObject): Promise<void> {
  await mum.work.nativeMessages.post('jules', message, signal);
  await clock.settle();
}

const read = async (hub: WorkHub, agent: string): Promise<JsonObject> =>
  nativeOf(await hub.claim(agent));

/** The state and the code of the newest task, which are the same at both hubs. */
function ended(): JsonObject {
  const [there, here] = [dad, mum].map((hub) => {
    const { state = null, code = null } = hub.store.read.tasks({ limit: 1 })[0] ?? {};
    return { state, code };
  });
  expect(there).toEqual(here);
  return { ...there };
}

type Talk = Record<string, JsonObject | string>;
type Ending = (talk: Talk, request: JsonObject, item: DeliveryDto) => Promise<void>;

/** Ends by one message of Jules; `null`: the agent says it through its hub. */
const by =
  (says: (asked: JsonObject) => JsonObject): Ending =>
  async (talk, _, item) => {
    const message = says(nativeOf(item));
    await said(message);
    talk['Jules says'] = message;
    await readAnswer(talk);
  };

/** What Eddy reads of the end, and that it was taken on, where it hears of that first. */
async function readAnswer(talk: Talk): Promise<void> {
  const first = await dad.claim('eddy');
  if (first.kind === 'notify') talk['Eddy reads first'] = nativeOf(first);
  talk['Eddy reads'] = nativeOf(first.kind === 'notify' ? await dad.claim('eddy') : first);
}

function endings(asks: DialectName, does: DialectName): Readonly<Record<string, Ending>> {
  const words = WORDS[does];
  const isSame = asks === does;
  const done: Ending = async (talk, request, item) => {
    const accept = ACCEPTS[does]?.(nativeOf(item)) ?? null;
    if (accept === null) await mum.work.inbox.ack('jules', item.delivery_id, 300_000);
    else await said(accept);
    await clock.settle();
    talk['Jules accepts'] = accept ?? 'by taking it: its language has no word for that';
    const isTold = accept !== null || dialectNamed(asks)?.hasAcceptance === true;
    if (isTold) talk['Eddy reads that Jules accepts'] = await read(dad, 'eddy');
    if (isSame && accept !== null) expect(talk['Eddy reads that Jules accepts']).toEqual(accept);
    await said(PROGRESS[does]);
    talk['Jules is half done'] = PROGRESS[does];
    talk['Eddy reads that Jules is half done'] = await read(dad, 'eddy');
    if (isSame) expect(talk['Eddy reads that Jules is half done']).toEqual(PROGRESS[does]);
    return by(words.done)(talk, request, item);
  };
  const offer: Ending = async (talk, request, item) => {
    const { offers } = words;
    if (offers === null) {
      const data = { act: 'propose', offer: { euros: 5 } };
      const reply = { status: 'failed', code: 'rejected', error: 'For 5 euros?', data } as const;
      await mum.work.inbox.reply('jules', item.delivery_id, { ...reply, truncated: false });
      await clock.settle();
      talk['Jules offers, by its reply to the hub'] = reply;
      await readAnswer(talk);
    } else await by(offers)(talk, request, item);
    const { id = '' } = dad.store.read.tasks({ limit: 1 })[0] ?? {};
    const message = { performative: 'ACCEPT_PROPOSAL', sender: 'eddy', content: 'Agreed' };
    const accepts = { ...message, in_reply_to: request['reply_with'], reply_with: 'agreed-1' };
    const delegation = { to: 'mum/jules', task: 'Agreed', accepts: id };
    const sent =
      asks === 'fipa-acl'
        ? dad.work.nativeMessages.post('eddy', accepts, signal)
        : dad.work.sender.delegate(
            { ...delegation, priority: 'normal', report_back: true, deadline_ms: 60_000 },
            'eddy',
            null,
          );
    await clock.settle();
    await mum.decide(mum.card, 'allow');
    await sent;
    if (asks === 'fipa-acl') talk['Eddy accepts the offer'] = accepts;
    else talk['Eddy accepts the offer, by its hub'] = { ...delegation, accepts: 'NEW-ID' };
    const acceptance = await mum.claim('jules');
    talk['Jules reads the acceptance'] = nativeOf(acceptance);
    const answer = words.done(nativeOf(acceptance));
    await said(answer);
    talk['Jules says at last'] = answer;
    const last: Talk = {};
    await readAnswer(last);
    talk['Eddy reads at last'] = last['Eddy reads'] ?? '';
  };
  const cancel: Ending = async (talk, request, item) => {
    const takesBack = CANCELS[asks](request);
    await mum.work.inbox.ack('jules', item.delivery_id, null);
    await clock.settle();
    const isTold = dialectNamed(asks)?.hasAcceptance && !dialectNamed(does)?.hasAcceptance;
    if (isTold) talk['Eddy reads that Jules accepts'] = await read(dad, 'eddy');
    await dad.work.nativeMessages.post('eddy', takesBack, signal);
    await clock.settle();
    talk['Eddy takes it back'] = takesBack;
    const told = await read(mum, 'jules');
    talk['Jules reads that'] = told;
    if (isSame) expect(told).toEqual(takesBack);
    const stopped = words.stopped(nativeOf(item), told);
    await said(stopped);
    talk['Jules says that it has stopped'] = stopped;
    await readAnswer(talk);
  };
  return {
    'It is done': done,
    'It is refused': by(words.refuses),
    'Another offer is made and accepted': offer,
    'It is not understood': by(words.understandsNothing),
    'It fails': by(words.fails),
    'It is cancelled': cancel,
  };
}

/** How each ends, in any pair of languages. */
const ENDS: Readonly<Record<string, JsonObject>> = {
  'It is done': { state: 'completed', code: null },
  'It is refused': { state: 'failed', code: 'rejected' },
  'Another offer is made and accepted': { state: 'completed', code: null },
  'It is not understood': { state: 'failed', code: 'not_understood' },
  'It fails': { state: 'failed', code: 'internal' },
  'It is cancelled': { state: 'cancelled', code: 'cancelled' },
};

/** Ids that a hub makes differ each time. */
const NEW_IDS = /[0-9a-f]{8}-[0-9a-f-]{27}|MSG-18[0-9]+-[0-9a-f]{8}/g;

test.each(PAIRS)('%s asks, %s does', async (asks, does) => {
  await agents(asks, does);
  const reader = dialectNamed(asks);
  const talks: Record<string, Talk> = {};
  for (const [what, end] of Object.entries(endings(asks, does))) {
    const request = REQUESTS[asks](String(Object.keys(talks).length));
    const item = await asked(request);
    const talk: Talk = { 'Eddy asks': request, 'Jules reads': nativeOf(item) };
    if (asks === does) expect(nativeOf(item)).toEqual(request);
    await end(talk, request, item);
    const how = ended();
    expect({ what, ...how }).toEqual({ what, ...ENDS[what] });
    talks[what] = { ...talk, 'Both hubs say': how };
    const back = talk['Eddy reads'];
    if (asks === does && talk['Jules says'] !== undefined) expect(back).toEqual(talk['Jules says']);
    const reading = reader?.read(back as JsonObject);
    expect(reading).toMatchObject({ ok: true, value: { kind: 'result' } });
    expect(readIds(asks, request)).toContain(reading?.ok ? reading.value.replyTo : 'none');
  }
  const golden = JSON.stringify(talks, null, 2).replaceAll(NEW_IDS, 'NEW-ID');
  await expect(`${golden}\n`).toMatchFileSnapshot(`golden/${asks}-to-${does}.json`);
});

function readIds(name: DialectName, message: JsonObject): readonly string[] {
  const reading = dialectNamed(name)?.read(message);
  return reading?.ok ? reading.value.ids : [];
}

test('that a task was taken on is told once, where it was, and in no words of its agent', async () => {
  await agents('elizaos', 'claude-crunch');
  const kinds = async () =>
    (await dad.work.inbox.claim('eddy', 10)).map(({ kind, untrusted }) =>
      kind === 'notify' ? objectOf(untrusted.native)['performative'] : kind,
    );
  const ask = (number: number) => asked(REQUESTS.elizaos(`once-${number}`));
  const reply = async ({ delivery_id: id }: DeliveryDto, code: 'not_authorized' | null) => {
    const status = code === null ? 'completed' : 'failed';
    await mum.work.inbox.reply('jules', id, { status, code, truncated: false } as never);
    await clock.settle();
  };
  const acked = await ask(1);
  await mum.work.inbox.ack('jules', acked.delivery_id, null);
  await clock.settle();
  expect(await kinds()).toEqual(['TASK_ACCEPT']);
  await reply(acked, null);
  expect(await kinds()).toEqual(['result']);
  // This one ends before Jules takes it: it was given nothing.
  const early = REQUESTS.elizaos('once-0');
  const allowed = dad.work.nativeMessages.post('eddy', early, signal);
  await clock.settle();
  await mum.decide(mum.card, 'allow');
  await allowed;
  await dad.work.nativeMessages.post('eddy', CANCELS.elizaos(early), signal);
  await clock.settle();
  expect(await kinds()).toEqual([]);
  const page = { limit: 100, cursor: undefined };
  const own = await mum.work.agentMessages.list('jules', page, signal);
  const rest = await mum.work.agentMessages.list(
    'jules',
    { ...page, cursor: own.next ?? '' },
    signal,
  );
  const said = [...own.items, ...rest.items].filter(({ sent }) => sent);
  expect(said.map(({ kind }) => kind)).toEqual(['result']);
  expect(own.items.map(({ kind }) => kind)).toEqual(['delegate']);

  // Nothing was said of it before its end, or it was lost.
  await reply(await ask(2), null);
  expect(await kinds()).toEqual(['TASK_ACCEPT', 'result']);
  const begun = await ask(20);
  mum.messenger.lost.add('notify');
  await mum.work.inbox.ack('jules', begun.delivery_id, null);
  await clock.settle();
  mum.messenger.lost.clear();
  expect(await kinds()).toEqual([]);
  await reply(begun, null);
  expect(await kinds()).toEqual(['TASK_ACCEPT', 'result']);
  await reply(await ask(3), 'not_authorized');
  expect(await kinds()).toEqual(['result']);

  const request = REQUESTS.elizaos('once-4');
  const cancelled = await asked(request);
  await dad.work.nativeMessages.post('eddy', CANCELS.elizaos(request), signal);
  await clock.settle();
  const tooLate = mum.work.inbox.ack('jules', cancelled.delivery_id, null);
  await expect(tooLate).rejects.toMatchObject({ code: 'cancelled' });
  await clock.settle();
  expect(await kinds()).toEqual(['result']);

  // It was told by that: no stop waits for it any more.
  expect(await mum.work.inbox.claim('jules', 9)).toEqual([]);

  // Who only hands it on takes nothing on.
  await mum.work.agents.create('clara', {}, 'R2', OWNER);
  const transfer = { work_completed: 'None', remaining_work: 'Fix it' };
  const handOff = {
    ...crunch(nativeOf(await ask(7))['id'], { reason: 'Not mine', context_transfer: transfer }),
    type: 'HANDOFF',
    to: 'clara',
  };
  const handing = mum.work.nativeMessages.post('jules', handOff, signal);
  await clock.settle();
  await mum.decide(mum.card, 'allow');
  await handing;
  await clock.settle();
  expect(dad.store.read.tasks({ limit: 1 })[0]?.state).toBe('running');
  expect(await kinds()).toEqual([]);

  await dad.work.agents.create('tidy', {}, 'R2', OWNER);
  const here = { ...REQUESTS.elizaos('once-5'), receiver: { agent_id: 'tidy' } };
  const posted = dad.work.nativeMessages.post('eddy', here, signal);
  await clock.settle();
  if (dad.work.approvals.pending().length > 0) await dad.decide(dad.card, 'allow');
  await posted;
  await dad.work.inbox.ack('tidy', (await dad.claim('tidy')).delivery_id, null);
  expect(await kinds()).toEqual(['TASK_ACCEPT']);
});

/** How each language tells a failure that may work later, and a refusal for the same reason. */
const TOO_MUCH: Readonly<
  Record<DialectName, { readonly fails: object; readonly refuses: object }>
> = {
  'claude-crunch': {
    fails: { payload: { status: 'FAILED', result: { code: 'overloaded', retryable: true } } },
    refuses: { payload: { status: 'FAILED', result: { code: 'rejected', retryable: true } } },
  },
  'fipa-acl': {
    fails: {
      performative: 'FAILURE',
      content: { structured: { code: 'overloaded', retryable: true } },
    },
    refuses: { performative: 'REFUSE', content: { structured: { retryable: true } } },
  },
  elizaos: {
    fails: { performative: 'FAILURE', payload: { error_code: 'overloaded', retryable: true } },
    refuses: {
      performative: 'TASK_REJECT',
      payload: { reason_code: 'overloaded', retryable: true },
    },
  },
  'acp-draft': {
    fails: { kind: 'error', payload: { code: 'overloaded' } },
    refuses: { kind: 'ack', payload: { accepted: false, code: 'overloaded' } },
  },
};

test.each(DIALECTS)(
  '%s: too much at once fails what was begun, and else refuses it',
  async (asks) => {
    await agents(asks, 'acp-draft');
    const hears = async (): Promise<readonly unknown[]> =>
      (await dad.work.inbox.claim('eddy', 9)).map((item) => nativeOf(item));
    const begun = nativeOf(await asked(REQUESTS[asks]('much-1')));
    await said(draft('ack', begun, { accepted: true }));
    await hears();
    await said({ ...draft('error', begun, { code: 'overloaded', message: 'Busy' }), id: 'much-3' });
    expect(await hears()).toMatchObject([TOO_MUCH[asks].fails]);
    expect(ended()).toEqual({ state: 'failed', code: 'overloaded' });
    const refused = nativeOf(await asked(REQUESTS[asks]('much-2')));
    const no = { accepted: false, code: 'overloaded', reason: 'Busy' };
    await said({ ...draft('ack', refused, no), id: 'much-4' });
    // It was taken on by nobody.
    expect(await hears()).toMatchObject([TOO_MUCH[asks].refuses]);
    expect(ended()).toEqual({ state: 'failed', code: 'rejected' });
  },
);

test('the ack of a cancel is accepted only where the work stops, or is asked to', async () => {
  await agents('acp-draft', 'acp-draft');
  const cancel = async (number: number) => {
    const message = CANCELS['acp-draft'](REQUESTS['acp-draft'](`ack-${number}`));
    const posted = dad.work.nativeMessages.post('eddy', message, signal);
    await clock.settle();
    return (await posted).untrusted;
  };
  const begun = await asked(REQUESTS['acp-draft']('ack-1'));
  await mum.work.inbox.ack('jules', begun.delivery_id, null);
  expect(await cancel(1)).toMatchObject({ native: { kind: 'ack', payload: { accepted: true } } });
  await read(mum, 'jules');

  // The answer is on its way while the cancel comes.
  const late = await asked(REQUESTS['acp-draft']('ack-2'));
  const take = mum.messenger.takeRequest.bind(mum.messenger);
  mum.messenger.takeRequest = async (...call) => {
    await mum.work.nativeMessages.post('jules', WORDS['acp-draft'].done(nativeOf(late)), signal);
    return take(...call);
  };
  const told = await cancel(2);
  expect(told).toMatchObject({
    came_of_it: 'Too late: it was finished.',
    native: { kind: 'ack', payload: { accepted: false, reason: told?.['came_of_it'] } },
  });
});
