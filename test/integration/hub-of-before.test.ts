// A hub of the version before beside one of this: it does not say whose end a report is, as what a
// person decided, or that a person stopped it, and it reads `dialects/1` alone. Nothing of it is
// refused, nothing of ours is to it, and page, terminal, MCP and API say no more than it told.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, readObject, type JsonObject } from '../../main/lib/json-object.ts';
import type { DeliveryDto, TaskDto } from '../../preload/contract/dto.ts';
import { becameOf, headlineOf, wholeOf } from '../../preload/contract/strings/story.ts';
import { callTool } from '../support/mcp-calls.ts';
import { axon } from '../support/programs.ts';
import {
  AGENT,
  atDoor,
  finish,
  giveAgent,
  given,
  RawPeer,
  WITHIN_MS,
} from '../support/raw-peer.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

const OWNER = { actor: 'ui:test', surface: 'browser' } as const;
const EXTENSIONS = [
  'receipts/1',
  'progress/1',
  'escalations/1',
  'remote-approval/1',
  'decision/1',
  'capabilities/1',
  'dialects/1',
];
const TASK = { task: 'Mow the lawn' };
const QUESTION = { question: 'Who is in?' };
let mum: TestHub;
let before: RawPeer;
let token: string;
let page: string;

beforeAll(async () => {
  mum = await TestHub.start({ peerRateFactor: 100 });
  token = await giveAgent(mum);
  before = await RawPeer.pair(mum, 'Attic', { extensions: EXTENSIONS });
  page = await mum.page();
}, 120_000);
afterAll(async () => {
  await before.stop();
  await mum.stop();
});

const at = () => Date.now();
const decided = (outcome: string, by: string, person?: string) => ({
  decision: { outcome, by, at: at(), ...(person === undefined ? {} : { person }) },
});
const failed = (code: string, more: JsonObject = {}) => ({
  status: 'failed',
  outcome: 'No.',
  error: 'No.',
  code,
  ...more,
});
const done = (more: JsonObject = {}) => ({ status: 'completed', outcome: 'Mown.', ...more });

/** Our agent gives it a task, which it takes so. */
async function sent(ack: JsonObject): Promise<{ readonly id: string; readonly ref: string }> {
  before.answers.set('delegate', { kind: 'ack', payload: { accepted: true, ...ack } });
  const { id } = await atDoor(mum, token, '/v1/delegate', { to: 'Attic', ...TASK });
  const { id: ref } = await before.sees('the task', (heard) => heard.id === id);
  return { id: String(id), ref };
}

async function newest(direction = 'outgoing'): Promise<TaskDto> {
  const { items } = await atDoor(mum, page, '/v1/tasks');
  const found = (items as readonly TaskDto[]).find((task) => task.direction === direction);
  if (found === undefined) throw new Error('nothing was asked');
  return found;
}

const report = (kind: string, payload: JsonObject, ref: string) =>
  before.tell(kind, payload, { ref, id: randomUUID() });
const progress = (ref: string, state: string, more: JsonObject = {}) =>
  report('notify', { topic: 'axon.progress', data: { state }, importance: 'low', ...more }, ref);

const ALLOWED = 'A person allowed it, on Test hub.';

async function allow(): Promise<void> {
  const { approvals } = mum.node.services.work;
  const card = await until('a card', WITHIN_MS, () => approvals.pending()[0]);
  const { id, revision, digest } = card;
  await approvals.decide({ id, revision, digest, decision: 'allow' }, OWNER);
}

/** What our agent is given of this task; what else waits for it is passed over. */
const givenTask = (text = TASK.task): Promise<DeliveryDto> =>
  until('a task', WITHIN_MS, async () => {
    const { item } = await given(mum);
    return item.kind === 'delegate' && item.untrusted.text === text ? item : undefined;
  });

/** All doors agree on the words, which come to be these. */
async function reads(id: string, words: string): Promise<void> {
  let story: TaskDto['story'] | undefined;
  await until(words, WITHIN_MS, async () => {
    ({ story } = (await atDoor(mum, page, `/v1/tasks/${id}`)) as unknown as TaskDto);
    return becameOf(story) === words ? true : undefined;
  }).catch(() => expect(story && becameOf(story)).toBe(words));
  if (story === undefined) return;
  const told = await atDoor(mum, token, `/v1/tasks/${id}`);
  expect(becameOf((told as unknown as TaskDto).story)).toBe(words);
  const { out } = await axon(mum.home, ['tasks', id], { AXON_TOKEN: token });
  expect(out).toContain(headlineOf(story));
  const { result } = await callTool(mum, token, 'axon_task', { id });
  expect(result).toMatchObject({
    structuredContent: { untrusted: { came_of_it: wholeOf(story) } },
  });
  expect(out).not.toMatch(/adult|Stopped by/);
}

describe('what our agent gives it', () => {
  it('is told to be allowed by its person, and done', async () => {
    const { id, ref } = await sent({ state: 'pending_approval' });
    await reads(id, 'Waits until a person decides for Attic.');
    await progress(ref, 'queued', decided('allowed', 'person', 'Dad'));
    await reads(id, 'Dad allowed it, on Attic. Attic has it.');
    await progress(ref, 'working');
    await reads(id, 'Dad allowed it, on Attic. An agent on Attic has begun.');
    await report('result', done(decided('allowed', 'person', 'Dad')), ref);
    await reads(id, 'Dad allowed it, on Attic. Done.');
  });

  it.each<readonly [string, JsonObject, string]>([
    [
      'an unnamed person, who may be an adult elsewhere, allowed',
      done(decided('allowed', 'person')),
      'A person allowed it for Attic. Done.',
    ],
    ['a rule allowed', done(decided('allowed', 'rule')), 'A rule of Attic allowed it. Done.'],
    ['done', done(), 'Done.'],
    ['failed, nobody says whose fault', failed('internal'), 'It failed.'],
    ['turned away late', failed('rejected'), 'Attic declined it.'],
    [
      'declined by its person',
      failed('rejected', decided('declined', 'person', 'Dad')),
      'Dad declined it, on Attic.',
    ],
    [
      'declined by an unnamed person',
      failed('rejected', decided('declined', 'person')),
      'A person declined it for Attic.',
    ],
    [
      'answered by its person',
      done({ answered_by: 'Dad', ...decided('answered', 'person', 'Dad') }),
      'Dad answered it, on Attic.',
    ],
    [
      'undecided in time',
      failed('approval_expired', decided('expired', 'clock')),
      'Nobody decided for Attic in time. No agent got it.',
    ],
    ['over its time', failed('timeout'), 'Its time ran out.'],
    ['cancelled there', failed('cancelled'), 'Cancelled.'],
  ])('%s', async (_, result, words) => {
    const { id, ref } = await sent({ state: 'queued' });
    await report('result', result, ref);
    await reads(id, words);
  });

  it('is refused as it comes, which nobody is said to have declined in person', async () => {
    const payload = { accepted: false, code: 'rejected', reason: 'Everything is stopped.' };
    before.answers.set('delegate', { kind: 'ack', payload });
    await atDoor(mum, token, '/v1/delegate', { to: 'Attic', ...TASK });
    const { id } = await newest();
    await reads(id, 'Attic declined it.');
  });

  it.each([
    ['nobody had begun', {}, undefined, 'Cancelled: nobody had begun.'],
    ['its agent stops', { state: 'working' }, failed('cancelled'), 'Stopped.'],
    [
      'its agent is done',
      { state: 'working' },
      done(),
      'Done, though Family on Test hub asked it to stop.',
    ],
    ['its agent fails', { state: 'working' }, failed('internal'), 'It failed.'],
  ] as const)('is cancelled, and %s', async (_, ack, result, words) => {
    const { id, ref } = await sent({ state: 'working' });
    before.answers.set('cancel', { kind: 'ack', payload: { accepted: true, ...ack } });
    await atDoor(mum, token, `/v1/tasks/${id}/cancel`, {});
    if (result !== undefined) {
      await reads(id, 'Asked an agent on Attic to stop; it had begun.');
      await report('result', result, ref);
    }
    await reads(id, words);
  });

  it.each<readonly [string, string, JsonObject, string]>([
    ['answered by its agent', 'response', { summary: 'Dad.', data: null }, 'Answered.'],
    [
      'answered by its person',
      'response',
      { summary: 'I am.', data: null, answered_by: 'Dad', ...decided('answered', 'person', 'Dad') },
      'Dad answered it, on Attic.',
    ],
    ['turned away', 'error', { code: 'rejected', message: 'No.' }, 'Attic declined it.'],
    ['failed', 'error', { code: 'internal', message: 'No.' }, 'It failed.'],
  ])('is a question, %s', async (_, kind, payload, words) => {
    before.answers.set('query', { kind, payload });
    await atDoor(mum, token, '/v1/query', { to: 'Attic', ...QUESTION });
    const id = before.raw.heard.findLast((heard) => heard.kind === 'query')?.id ?? '';
    await reads(id, words);
  });
});

describe('what it asks of us', () => {
  it('is taken, decided, done and reported', async () => {
    expect(await before.ask('delegate', TASK)).toMatchObject({ payload: { accepted: true } });
    const { item } = await given(mum);
    await finish(mum, item);
    const { payload } = await before.sees('the result', ({ kind }) => kind === 'result');
    expect(payload).toMatchObject({ status: 'completed', outcome: 'Done.' });
  });

  it('is a question, which our agent answers', async () => {
    const asking = before.ask('query', QUESTION);
    const { item } = await given(mum);
    await finish(mum, item);
    expect(await asking).toMatchObject({ kind: 'response', payload: { summary: 'Done.' } });
  });

  it('is cancelled by it, before anybody decides', async () => {
    const id = randomUUID();
    expect(await before.ask('delegate', TASK, { id })).toMatchObject({
      payload: { accepted: true },
    });
    const reply = await before.ask('cancel', {}, { ref: id });
    expect(reply).toMatchObject({ kind: 'ack', payload: { accepted: true } });
    expect(headlineOf((await newest('incoming')).story)).toBe('Cancelled: nobody had decided.');
  });
});

describe('what it asks of us, and is to stop', () => {
  const cancelAt = (id: string) => atDoor(mum, page, `/v1/tasks/${id}/cancel`, {});
  const taskOf = async (): Promise<TaskDto> => newest('incoming');

  async function begun(): Promise<{ readonly ref: string; readonly item: DeliveryDto }> {
    const ref = randomUUID();
    await before.ask('delegate', TASK, { id: ref });
    const item = await givenTask();
    await mum.node.services.work.inbox.ack(AGENT, item.delivery_id, null);
    return { ref, item };
  }
  const reportOf = async (ref: string): Promise<JsonObject> =>
    (await before.sees('the result', (heard) => heard.kind === 'result' && heard.ref === ref))
      .payload;

  it('is stopped by our person before its agent has it', async () => {
    const ref = randomUUID();
    await before.ask('delegate', TASK, { id: ref });
    await allow();
    await cancelAt((await taskOf()).id);
    expect(await reportOf(ref)).toMatchObject({ status: 'failed', code: 'rejected' });
    const words = `${ALLOWED} Stopped by a person on Test hub: nothing ran.`;
    expect(becameOf((await taskOf()).story)).toBe(words);
  });

  it.each<readonly [string, 'cancelled' | 'completed', JsonObject, string]>([
    [
      'stops',
      'cancelled',
      { status: 'failed', code: 'rejected' },
      `${ALLOWED} Stopped by a person on Test hub.`,
    ],
    [
      'is done',
      'completed',
      { status: 'completed', outcome: 'Done.' },
      `${ALLOWED} Done, though a person on Test hub asked it to stop.`,
    ],
  ])('is stopped by our person, and its agent %s', async (_, status, told, words) => {
    const { ref, item } = await begun();
    await cancelAt((await taskOf()).id);
    expect(headlineOf((await taskOf()).story)).toBe('Asked Family to stop; it still runs.');
    await finish(mum, item, { status });
    expect(await reportOf(ref)).toMatchObject(told);
    expect(becameOf((await taskOf()).story)).toBe(words);
  });

  it('is cancelled by it after our agent has begun, which stops', async () => {
    const { ref, item } = await begun();
    const reply = await before.ask('cancel', {}, { ref });
    expect(reply).toMatchObject({ kind: 'ack', payload: { accepted: true } });
    expect(headlineOf((await taskOf()).story)).toBe('Asked Family to stop; it still runs.');
    await finish(mum, item, { status: 'cancelled' });
    expect(await reportOf(ref)).toMatchObject({ status: 'failed', code: 'cancelled' });
    expect(becameOf((await taskOf()).story)).toBe(`${ALLOWED} Stopped.`);
  });

  it('is a question that our person stops', async () => {
    const asking = before.ask('query', QUESTION);
    await given(mum);
    await cancelAt((await taskOf()).id);
    expect(await asking).toMatchObject({ kind: 'error', payload: { code: 'rejected' } });
    const words = `${ALLOWED} Cancelled by a person on Test hub: Family had it already.`;
    expect(becameOf((await taskOf()).story)).toBe(words);
  });
});

describe('an adult’s hub of the version before', () => {
  it('decides for ours, and its word counts', async () => {
    const { work } = mum.node.services;
    await atDoor(mum, page, '/v1/peers/Attic', { role: 'adult' }, 'PATCH');
    await work.agents.setClass(AGENT, { riskClass: 'R2', isDefault: true }, OWNER);
    await work.remoteApproval.set(['Attic'], 'R2', OWNER);
    before.answers.set('delegate', { kind: 'ack', payload: { accepted: true, state: 'queued' } });
    const id = randomUUID();
    await before.ask('delegate', TASK, { id });
    const asked = await before.sees('the question', ({ payload }) => payload.act === 'escalate');
    const approval = isJsonObject(asked.payload.approval) ? asked.payload.approval : {};
    expect(readObject(String(approval.payload)).task).toBe(TASK.task);
    const verdict = { choice: 'allow', digest: approval.digest, decided_by: 'Nadia' };
    await report('result', done({ data: verdict, answered_by: 'Nadia' }), asked.id);
    await until('the verdict', WITHIN_MS, async () => {
      const words = becameOf((await newest('incoming')).story);
      return words.startsWith('Nadia allowed it, on Attic, as') ? true : undefined;
    });
    await work.remoteApproval.set([], null, OWNER);
  });
});

describe('what agents of other languages say to it', () => {
  const tokens = new Map<string, string>();
  const speaks = async (dialect: string): Promise<string> => {
    const name = `speaks-${dialect}`;
    const known = tokens.get(name);
    if (known !== undefined) return known;
    const own = await mum.agent(name);
    await atDoor(mum, own, `/v1/agents/${name}`, { dialect }, 'PATCH');
    tokens.set(name, own);
    return own;
  };
  const says = (own: string, message: JsonObject) => atDoor(mum, own, '/v1/messages', message);
  const crunch = (type: string, payload: JsonObject): JsonObject => ({
    id: `MSG-1-${type}`,
    type,
    from: 'speaks-claude-crunch',
    to: 'Attic',
    payload,
  });
  const task = 'Mow the lawn';
  const REQUESTS: Readonly<Record<string, JsonObject>> = {
    'claude-crunch': crunch('REQUEST', { action: task, context: {} }),
    'fipa-acl': { performative: 'REQUEST', receiver: 'Attic', content: task, reply_with: 'r' },
    elizaos: {
      mcp_version: '0.1.0',
      message_id: 'm',
      performative: 'TASK_REQUEST',
      receiver: 'Attic',
      payload: { task_description: task },
    },
    'acp-draft': { id: 'd', kind: 'delegate', to: 'Attic', payload: { task } },
  };

  it.each(Object.entries(REQUESTS))('is the fields alone in %s', async (dialect, request) => {
    before.answers.set('delegate', { kind: 'ack', payload: { accepted: true, state: 'queued' } });
    const own = await speaks(dialect);
    const { http, report: sentReport } = await says(own, request);
    expect(http).toBe(200);
    const { id } = sentReport as JsonObject;
    const { payload } = await before.sees('the request', (heard) => heard.id === id);
    expect(payload).toMatchObject({ task: expect.stringContaining(task) });
    expect(payload).not.toHaveProperty('origin');
    if (dialect !== 'fipa-acl') return;
    const offer = { data: { act: 'propose', offer: { euros: 5 } } };
    await report('result', failed('rejected', offer), String(id));
    await until('its end', WITHIN_MS, async () => {
      const { state } = await atDoor(mum, own, `/v1/tasks/${String(id)}`);
      return state !== 'queued' || undefined;
    });
    const claim = await atDoor(mum, own, '/v1/inbox/claim', { max: 1, wait_ms: WITHIN_MS });
    expect(claim).toMatchObject({
      items: [{ untrusted: { native: { performative: 'PROPOSE', in_reply_to: 'r' } } }],
    });
    const accept = { performative: 'ACCEPT_PROPOSAL', content: 'Yes', in_reply_to: 'r' };
    const refused = await says(own, accept);
    expect(refused).toMatchObject({
      http: 409,
      detail: 'That hub would not see what is accepted.',
      data: { untrusted: { native: { performative: 'REFUSE' } } },
    });
    // It has no id by which it could be named.
    expect(refused).not.toHaveProperty('data.untrusted.native.in_reply_to');
  });

  it('is handed on here, where that hub asked it', async () => {
    const name = 'speaks-claude-crunch';
    const own = await speaks('claude-crunch');
    const ref = randomUUID();
    await before.ask('delegate', { ...TASK, route: { to: name } }, { id: ref });
    await allow();
    const claim = await atDoor(mum, own, '/v1/inbox/claim', { max: 1, wait_ms: WITHIN_MS });
    const [work] = claim['items'] as readonly DeliveryDto[];
    const native = isJsonObject(work?.untrusted.native) ? work.untrusted.native : {};
    const rest = 'Mow behind the house';
    const transfer = { work_completed: 'None', remaining_work: rest };
    const message = crunch('HANDOFF', { reason: 'Not mine', context_transfer: transfer });
    const handOff = { ...message, to: AGENT, correlation_id: native['id'] };
    expect(await says(own, handOff)).toMatchObject({ http: 200 });
    const item = await givenTask(rest);
    const story = async () => (await newest('incoming')).story;
    expect(headlineOf(await story())).toBe('Speaks Claude Crunch handed it on to Family.');
    await finish(mum, item);
    const heard = await before.sees(
      'the result',
      ({ kind, ref: of }) => kind === 'result' && of === ref,
    );
    expect(heard.payload).toMatchObject({ status: 'completed', outcome: 'Done.' });
    expect(becameOf(await story())).toBe(`${ALLOWED} Done.`);
  });

  it.each([
    ['VOTE', { conflict_id: 'C-1', position: { choice: 'A', confidence: 85 } }],
    ['HANDOFF', { reason: 'Not mine', context_transfer: { remaining_work: task } }],
  ])('is refused where a %s would mean less there', async (type, payload) => {
    const own = await speaks('claude-crunch');
    expect(await says(own, crunch(type, payload))).toMatchObject({
      http: 409,
      detail: expect.stringContaining('would not see'),
    });
    expect(before.raw.heard.some(({ payload: heard }) => heard['act'] === 'handoff')).toBe(false);
  });
});
