// How agents of document 002 work together on one issue: a hand-off, a veto, a conflict with votes,
// and what is kept of it all. Beside the other files of 002, whose requests stand alone.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { StoryDto } from '../../../preload/contract/story.ts';
import * as words from '../../../preload/contract/strings/story.ts';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { axon, endPrograms } from '../../support/programs.ts';
import { atDoor, WITHIN_MS } from '../../support/raw-peer.ts';
import { seedMessages } from '../../support/seed-messages.ts';
import type { TestHub } from '../../support/test-hub.ts';
import { until } from '../../support/until.ts';
import { asks, does, SeedHousehold } from './household.ts';
import { crunch } from './messages.ts';

const ORCHESTRATOR = 'orchestrator';
const ANALYST = 'security-analyst';
const ARCHITECT = 'architect';
const TESTER = 'tester';

let house: SeedHousehold;
beforeAll(async () => {
  house = await SeedHousehold.start();
  await house.join(house.dad, ORCHESTRATOR, 'claude-crunch', {});
  await house.join(house.dad, TESTER, 'claude-crunch', {});
  await house.join(house.mum, ANALYST, 'claude-crunch', { domains: ['security'] });
  await house.join(house.mum, ARCHITECT, 'claude-crunch', { capabilities: ['drawing'] });
  await house.offered('drawing');
}, 120_000);
afterEach(endPrograms);
afterAll(() => house.stop());

const METADATA = { issue_number: 42, phase: 'enrich', attempt: 1 };
const REQUEST = {
  action: 'threat_model',
  context: { issue: { number: 42, title: 'Add JWT refresh token support' } },
};
const TRANSFER = { work_completed: 'Looked', remaining_work: 'Draw it', relevant_findings: [] };
const HANDOFF = { reason: 'Not my field', context_transfer: TRANSFER, urgency: 'NORMAL' };

interface Asked {
  readonly id: string;
  readonly request: JsonObject & { readonly id: string };
}

/** A request of the orchestrator, as the analyst has it. */
async function asked(): Promise<Asked> {
  const more = { to: ANALYST, metadata: METADATA };
  const request = crunch(ORCHESTRATOR, 'REQUEST', REQUEST, more);
  const said = await house.say(ORCHESTRATOR, request);
  await house.allow();
  expect(await house.next(ANALYST)).toEqual(request);
  return { id: String((said['report'] as JsonObject)['id']), request };
}

/** The same, handed on to the architect, allowed; the hand-off as that agent reads it. */
async function handedOn(): Promise<Asked & { readonly handOff: JsonObject; readonly on: unknown }> {
  const { id, request } = await asked();
  const about = { to: ARCHITECT, correlation_id: request.id };
  const handOff = crunch(ANALYST, 'HANDOFF', HANDOFF, about);
  const said = await house.say(ANALYST, handOff);
  expect(said).toMatchObject({ http: 200 });
  expect(await house.card()).toMatchObject({ text: 'Draw it', reason: 'Not my field' });
  await house.allow();
  expect(await house.next(ARCHITECT)).toEqual(handOff);
  return { id, request, handOff, on: (said['report'] as JsonObject)['id'] };
}

const answer = (agent: string, to: unknown, more: JsonObject = {}) =>
  crunch(
    agent,
    'RESPONSE',
    { status: 'SUCCESS', result: { summary: 'Drawn', files_created: ['a.svg'] }, ...more },
    { correlation_id: to },
  );

async function storyAt(hub: TestHub, agent: string, id: unknown): Promise<StoryDto> {
  const { story } = await house.post(hub, agent, `/v1/tasks/${String(id)}`);
  return story as unknown as StoryDto;
}

/** Whom a request was handed on to, as its asker reads it. */
async function handedTo(id: string): Promise<unknown> {
  const { handed_over: handed } = await storyAt(house.dad, ORCHESTRATOR, id);
  if (handed.state !== 'handed' || handed.on_to?.waits_at !== null) return null;
  return handed.on_to.agent;
}

/** What is read of a request's end, whoever had it, and a stop. */
const told = (story: StoryDto) => [
  words.headlineOf(story),
  words.handedOverOf(story, () => 'then'),
  words.saidOf(story)?.by ?? null,
];

describe('seed 002, hand-offs', () => {
  test('002.4, 002.37 the answer goes to whoever asked first', async () => {
    const { id, request, handOff } = await handedOn();
    await until(
      'whom it was handed on to',
      WITHIN_MS,
      async () => (await handedTo(id)) ?? undefined,
    );
    expect(words.headlineOf(await storyAt(house.dad, ORCHESTRATOR, id))).toBe(
      'Security Analyst on Mum handed it on to Architect.',
    );
    expect(await house.say(ANALYST, answer(ANALYST, request.id))).toMatchObject({
      http: 409,
      code: 'conflict',
    });
    expect(await house.say(ARCHITECT, answer(ARCHITECT, handOff['id']))).toMatchObject({
      http: 200,
    });
    expect(await house.next(ORCHESTRATOR)).toMatchObject({
      type: 'RESPONSE',
      from: ARCHITECT,
      correlation_id: request.id,
      metadata: METADATA,
      payload: { status: 'SUCCESS', result: { summary: 'Drawn', files_created: ['a.svg'] } },
    });
    expect(await house.ended(ORCHESTRATOR, id)).toMatchObject({ state: 'completed' });
    expect(await house.next(ANALYST)).toMatchObject({ correlation_id: handOff['id'] });
    expect(await handedTo(id)).toBe('Architect');
  });

  test('002.37 an answer that names what was asked first counts, a refusal too, after a restart', async () => {
    const { id, request } = await handedOn();
    await house.restartMum();
    const blocked = { status: 'BLOCKED', result: { summary: 'No pen' } };
    await house.say(ARCHITECT, { ...answer(ARCHITECT, request.id), payload: blocked });
    expect(await house.next(ORCHESTRATOR)).toMatchObject({
      correlation_id: request.id,
      payload: { status: 'BLOCKED', result: { summary: 'No pen' } },
    });
    expect(await house.ended(ORCHESTRATOR, id)).toMatchObject({
      state: 'failed',
      code: 'rejected',
    });
    await house.next(ANALYST);
  });

  test('002.37 what is declined of a hand-off ends what was asked, and says so', async () => {
    const { id, request } = await asked();
    const about = { to: ARCHITECT, correlation_id: request.id };
    await house.say(ANALYST, crunch(ANALYST, 'HANDOFF', HANDOFF, about));
    // Whoever asked first is told that it waits, and that it was handed on once a person let it.
    const waits =
      'Security Analyst on Mum wants to hand it on to Architect. That waits until a person decides.';
    await until('that it waits', WITHIN_MS, async () => {
      const story = await storyAt(house.dad, ORCHESTRATOR, id);
      return words.headlineOf(story) === waits || undefined;
    });
    expect(await handedTo(id)).toBe(null);
    await house.decide({ decision: 'decline' });
    expect(await house.ended(ORCHESTRATOR, id)).toMatchObject({ state: 'failed' });
    expect(await handedTo(id)).toBe(null);
    expect(await house.next(ORCHESTRATOR)).toMatchObject({
      correlation_id: request.id,
      payload: {
        status: 'FAILED',
        result: {
          summary: 'A person at Test hub declined that it is handed on. Architect never got it.',
        },
      },
    });
    expect(await house.next(ANALYST)).toMatchObject({ payload: { event: 'ABORT' } });
    expect(await house.next(ANALYST)).toMatchObject({ type: 'RESPONSE' });
  });

  test('002.37 whoever asked first is told who has it, though the hub restarted before a person let it', async () => {
    const { id, request } = await asked();
    const about = { to: ARCHITECT, correlation_id: request.id };
    const handOff = crunch(ANALYST, 'HANDOFF', HANDOFF, about);
    await house.say(ANALYST, handOff);
    await house.restartMum();
    const { identity } = house.dad.node.services;
    const { links } = house.mum.node.services;
    await until('the line to Dad', WITHIN_MS, () => links.isOnline(identity.keyHex) || undefined);
    await house.allow();
    expect(
      await until('who has it', WITHIN_MS, async () => (await handedTo(id)) ?? undefined),
    ).toBe('Architect');
    expect(await house.next(ARCHITECT)).toEqual(handOff);
    await house.say(ARCHITECT, answer(ARCHITECT, handOff['id']));
    expect(await house.next(ORCHESTRATOR)).toMatchObject({ correlation_id: request.id });
    await house.next(ANALYST);
  });

  test('002.37 a cancel of what was asked reaches whoever has it now', async () => {
    const { id, request, handOff, on } = await handedOn();
    const abort = { event: 'ABORT', content: { message: 'Stop' }, affects: [] };
    const about = { to: '*', correlation_id: request.id };
    await house.say(ORCHESTRATOR, crunch(ORCHESTRATOR, 'BROADCAST', abort, about));
    expect(await house.next(ARCHITECT)).toMatchObject({
      type: 'BROADCAST',
      payload: { event: 'ABORT' },
      correlation_id: handOff['id'],
    });
    // Its agent cancelled nothing.
    expect((await storyAt(house.mum, ANALYST, on)).stop?.by).toMatchObject({ who: 'hub' });
    expect(await house.say(ARCHITECT, answer(ARCHITECT, handOff['id']))).toMatchObject({
      http: 200,
    });
    expect(await house.ended(ORCHESTRATOR, id)).toMatchObject({ state: 'completed' });
    await house.next(ORCHESTRATOR);
    await house.next(ANALYST);
  });

  test('002.37 a hand-off that is taken back leaves the task where it was, and none goes back', async () => {
    const { id, request, handOff } = await handedOn();
    const again = crunch(ANALYST, 'HANDOFF', HANDOFF, {
      to: does('claude-crunch'),
      correlation_id: request.id,
    });
    expect(await house.say(ANALYST, again)).toMatchObject({ http: 409 });
    const back = { to: ORCHESTRATOR, correlation_id: request.id };
    expect(await house.say(ANALYST, crunch(ANALYST, 'HANDOFF', HANDOFF, back))).toMatchObject({
      http: 409,
    });
    const abort = { event: 'ABORT', content: { message: 'I can do it' }, affects: [] };
    const about = { to: ARCHITECT, correlation_id: handOff['id'] };
    await house.say(ANALYST, crunch(ANALYST, 'BROADCAST', abort, about));
    await house.next(ARCHITECT);
    const given = {
      ...answer(ARCHITECT, handOff['id']),
      payload: { status: 'FAILED', result: {} },
    };
    expect(await house.say(ARCHITECT, given)).toMatchObject({ http: 200 });
    expect(await house.next(ANALYST)).toMatchObject({ correlation_id: handOff['id'] });
    expect(await house.say(ANALYST, answer(ANALYST, request.id))).toMatchObject({ http: 200 });
    expect(await house.ended(ORCHESTRATOR, id)).toMatchObject({ state: 'completed' });
    expect(await house.next(ORCHESTRATOR)).toMatchObject({ from: ANALYST });
    expect(await handedTo(id)).toBe(null);
  });

  test('002.37 a person who stops what was asked stops the hand-off with it', async () => {
    const { id, request, handOff } = await handedOn();
    const { items } = await house.post(house.mum, ANALYST, '/v1/tasks?state=running&limit=50');
    const [task] = (items as readonly JsonObject[]).filter(({ message_id }) => message_id === id);
    const page = await house.mum.page();
    const cancel = `/v1/tasks/${String(task?.['id'])}/cancel`;
    expect(await atDoor(house.mum, page, cancel, {})).toMatchObject({ http: 200 });
    // The hand-off is stopped with it, and again by Stop everything: once on record each.
    const audited = async (): Promise<number> => {
      const { items: rows } = await atDoor(house.mum, page, '/v1/audit?limit=50');
      return (rows as readonly JsonObject[]).filter(({ action }) => action === 'request.stopped')
        .length;
    };
    const once = await audited();
    expect(await atDoor(house.mum, page, cancel, {})).toMatchObject({ http: 200 });
    expect(await audited()).toBe(once);
    expect(await house.next(ARCHITECT)).toMatchObject({
      payload: { event: 'ABORT' },
      correlation_id: handOff['id'],
    });
    const stopped = { status: 'FAILED', result: { summary: 'Half of it is drawn' } };
    await house.say(ARCHITECT, { ...answer(ARCHITECT, handOff['id']), payload: stopped });
    expect(await house.ended(ORCHESTRATOR, id)).toMatchObject({ state: 'failed' });
    expect(await house.next(ORCHESTRATOR)).toMatchObject({
      correlation_id: request.id,
      payload: { status: 'FAILED', result: { summary: 'Half of it is drawn' } },
    });
    await house.next(ANALYST);
  });

  test('002.38 a hand-off on the same hub stays in its conversation, and its agents read their part', async () => {
    const request = crunch(ORCHESTRATOR, 'REQUEST', REQUEST, { to: ANALYST });
    await house.say(ORCHESTRATOR, request);
    await house.allow();
    const { conversation_id: conversation } = await house.item(ANALYST);
    const about = { to: ARCHITECT, correlation_id: request.id };
    await house.say(ANALYST, crunch(ANALYST, 'HANDOFF', HANDOFF, about));
    await house.allow();
    const { conversation_id: same, untrusted } = await house.item(ARCHITECT);
    expect(same).toBe(conversation);
    expect(untrusted).toMatchObject({ payload: { conversation: { id: conversation } } });
    const read = await house.post(house.mum, ARCHITECT, `/v1/conversations/${String(same)}`);
    expect(JSON.stringify(read)).toContain('Draw it');
    expect(JSON.stringify(read)).not.toContain('JWT');
    await house.say(ARCHITECT, answer(ARCHITECT, request.id));
    await house.next(ORCHESTRATOR);
    await house.next(ANALYST);
  });

  test('002.37 a hand-off has the time that is left of the task', async () => {
    const constraints = { timeout_ms: 300_000 };
    const request = crunch(ORCHESTRATOR, 'REQUEST', { ...REQUEST, constraints }, { to: ANALYST });
    await house.say(ORCHESTRATOR, request);
    await house.allow();
    await house.next(ANALYST);
    const about = { to: ARCHITECT, correlation_id: request.id };
    await house.say(ANALYST, crunch(ANALYST, 'HANDOFF', HANDOFF, about));
    await house.allow();
    const { deadline_at: until } = await house.item(ARCHITECT);
    expect(Number(until) - Date.now()).toBeLessThanOrEqual(300_000);
    await house.say(ARCHITECT, answer(ARCHITECT, request.id));
    await house.next(ORCHESTRATOR);
    await house.next(ANALYST);
  });

  test('002.37 a hand-off to another hub relays its answer here', async () => {
    const asker = does('claude-crunch');
    const request = crunch(asker, 'REQUEST', REQUEST, { to: ANALYST });
    const { report } = await house.say(asker, request);
    await house.allow();
    await house.next(ANALYST);
    const about = { to: TESTER, correlation_id: request.id };
    const handOff = crunch(ANALYST, 'HANDOFF', HANDOFF, about);
    expect(await house.say(ANALYST, handOff)).toMatchObject({ http: 200 });
    await house.allow(house.dad);
    expect(await house.next(TESTER)).toEqual(handOff);
    expect(await house.say(TESTER, answer(TESTER, handOff.id))).toMatchObject({ http: 200 });
    const { trust, untrusted } = await house.item(asker);
    expect(untrusted).toMatchObject({
      origin: { peer_name: 'Dad', from_agent: TESTER },
      native: {
        type: 'RESPONSE',
        from: TESTER,
        correlation_id: request.id,
        payload: { status: 'SUCCESS' },
      },
    });
    expect(trust).toMatchObject({ peer_name: 'Dad' });
    const { id } = report as JsonObject;
    expect(told(await storyAt(house.mum, asker, id))).toEqual([
      'Done.',
      'Security Analyst got it, then. It handed it on to Tester on Dad.',
      'Tester on Dad',
    ]);
    await house.next(ANALYST);
  });

  test('002.37 the cancel of what was handed on to another hub is told as none of its agent', async () => {
    const asker = does('claude-crunch');
    const request = crunch(asker, 'REQUEST', REQUEST, { to: ANALYST });
    await house.say(asker, request);
    await house.allow();
    await house.next(ANALYST);
    const handOff = crunch(ANALYST, 'HANDOFF', HANDOFF, { to: TESTER, correlation_id: request.id });
    const { report } = await house.say(ANALYST, handOff);
    await house.allow(house.dad);
    await house.next(TESTER);
    const abort = { event: 'ABORT', content: { message: 'Stop' }, affects: [] };
    const about = { to: '*', correlation_id: request.id };
    await house.say(asker, crunch(asker, 'BROADCAST', abort, about));
    expect(await house.next(TESTER)).toMatchObject({ payload: { event: 'ABORT' } });
    const { id } = report as JsonObject;
    expect((await storyAt(house.mum, ANALYST, id)).stop?.by).toMatchObject({ who: 'hub' });
    const task = await house.post(house.mum, ANALYST, `/v1/tasks/${String(id)}`);
    expect(JSON.stringify(task)).not.toContain('You cancelled');
    const stopped = { status: 'FAILED', result: { summary: 'Half of it is done' } };
    await house.say(TESTER, { ...answer(TESTER, handOff.id), payload: stopped });
    await house.next(asker);
    await house.next(ANALYST);
  });

  test('002.37 what is handed on is reported, though whoever hands it on wants no report', async () => {
    const [asker, drafter] = [does('claude-crunch'), does('acp-draft')];
    const request = crunch(asker, 'REQUEST', REQUEST, { to: drafter });
    await house.say(asker, request);
    await house.allow();
    const { id: ref } = await house.next(drafter);
    const payload = { act: 'handoff', task: 'Draw it', report_back: false };
    const handOff = { id: 'draft-on', kind: 'delegate', from: drafter, to: TESTER, ref, payload };
    expect(await house.say(drafter, handOff)).toMatchObject({ http: 200 });
    await house.allow(house.dad);
    const { id } = await house.next(TESTER);
    await house.say(TESTER, answer(TESTER, id));
    expect(await house.next(asker)).toMatchObject({
      type: 'RESPONSE',
      from: TESTER,
      correlation_id: request.id,
    });
    expect(await house.answer(drafter)).toMatchObject({ kind: 'result' });
  });

  test('002.37 a person answers what was handed on, which its agent had', async () => {
    const { id, request } = await asked();
    const about = { to: ARCHITECT, correlation_id: request.id };
    await house.say(ANALYST, crunch(ANALYST, 'HANDOFF', HANDOFF, about));
    await house.decide({ decision: 'answer', answer: 'Leave it' });
    expect(await house.ended(ORCHESTRATOR, id)).toMatchObject({ state: 'completed' });
    expect(told(await storyAt(house.dad, ORCHESTRATOR, id))).toEqual([
      'Done.',
      'Security Analyst on Mum got it. It handed it on to Architect.',
      'Mum',
    ]);
    expect(await house.next(ORCHESTRATOR)).toMatchObject({
      payload: { status: 'SUCCESS', result: { summary: 'Leave it' } },
    });
    await house.next(ANALYST);
  });
});

describe('seed 002, escalations', () => {
  test('002.3, 002.47 a veto reaches the agent that it names, and so does what a person decided', async () => {
    const veto = seedMessages().find(
      ({ message }) => message['type'] === 'ESCALATE' && message['from'] === ANALYST,
    );
    if (veto === undefined) throw new Error('the document has an example');
    const { message } = veto;
    expect(message).toMatchObject({ to: ORCHESTRATOR, priority: 'CRITICAL' });
    expect(await house.say(ANALYST, message)).toMatchObject({ http: 200 });
    expect(await house.next(ORCHESTRATOR)).toEqual(message);
    const card = await house.card(house.dad);
    expect(card.choice?.options.map(({ label }) => label)).toEqual(['Accept', 'Override']);
    await house.decide({ decision: 'answer', choice: '1' }, house.dad);
    const decided = { choice: '1', option: 'Accept' };
    expect(await house.next(ORCHESTRATOR)).toMatchObject({
      type: 'BROADCAST',
      correlation_id: message['id'],
      payload: { content: { message: 'Accept', data: { decision: decided } } },
    });
    expect(await house.next(ANALYST)).toMatchObject({
      type: 'RESPONSE',
      correlation_id: message['id'],
      payload: { result: { summary: 'Accept', outputs: { decision: decided } } },
    });
  });

  test('002.47 a supervisor of the same hub is told, of a refusal too', async () => {
    const payload = { escalation_type: 'BLOCKED', severity: 'HIGH', reason: 'Stuck' };
    const escalation = crunch(ANALYST, 'ESCALATE', payload, { to: ARCHITECT });
    await house.say(ANALYST, escalation);
    expect(await house.next(ARCHITECT)).toEqual(escalation);
    await house.decide({ decision: 'decline' });
    expect(await house.next(ARCHITECT)).toMatchObject({
      correlation_id: escalation.id,
      payload: { content: { data: { status: 'failed', code: 'rejected' } } },
    });
    expect(await house.next(ANALYST)).toMatchObject({ payload: { status: 'FAILED' } });
  });
});

describe('seed 002, one issue from request to record', () => {
  const ISSUE = 77;
  const metadata = { issue_number: ISSUE, phase: 'enrich', attempt: 1 };
  const of = (from: string, type: string, payload: JsonObject, more: JsonObject) =>
    crunch(from, type, payload, { metadata, ...more });
  const finding = (id: string, confidence: number) => ({ id, title: 'Rotate tokens', confidence });
  const ask = (title: string) =>
    of(
      ORCHESTRATOR,
      'REQUEST',
      { action: 'implement', context: { issue: { title } } },
      { to: ANALYST },
    );
  const log = async (agent: string, ...more: readonly string[]): Promise<JsonObject> => {
    const words = ['crunch', 'log', '--issue', String(ISSUE), ...more, '--json'];
    const run = await axon(house.dad.home, words, { AXON_TOKEN: house.tokenOf(agent) });
    expect(run).toMatchObject({ code: 0 });
    return JSON.parse(run.out) as JsonObject;
  };
  const first = ask('Refresh tokens');
  const handOff = of(ANALYST, 'HANDOFF', HANDOFF, { to: ARCHITECT, correlation_id: first.id });
  const veto = of(
    ANALYST,
    'ESCALATE',
    { escalation_type: 'VETO', severity: 'CRITICAL', reason: 'Tokens in localStorage' },
    { to: ORCHESTRATOR, correlation_id: first.id, priority: 'CRITICAL' },
  );
  const [aborted, waiting] = [ask('To be stopped'), ask('Still to do')];
  const votes = [
    [ANALYST, 'cookies', false],
    [ARCHITECT, 'sessions', false],
    [TESTER, 'cookies', true],
  ] as const;

  test('002.4, 002.37, 002.66 what was handed on comes back with its findings', async () => {
    await house.say(ORCHESTRATOR, first);
    await house.allow();
    await house.next(ANALYST);
    await house.say(ANALYST, handOff);
    await house.allow();
    await house.next(ARCHITECT);
    const response = {
      status: 'SUCCESS',
      result: { summary: 'Designed' },
      findings: [finding('F-001', 95), finding('F-002', 60)],
      metrics: { duration_ms: 45_000, tokens_used: 3_500 },
    };
    await house.say(ARCHITECT, of(ARCHITECT, 'RESPONSE', response, { correlation_id: handOff.id }));
    expect(await house.next(ORCHESTRATOR)).toMatchObject({
      correlation_id: first.id,
      payload: { findings: response.findings, metrics: response.metrics },
    });
    await house.next(ANALYST);
  });

  test('002.3 a person answers the veto', async () => {
    await house.say(ANALYST, veto);
    await house.decide({ decision: 'answer', choice: '1' }, house.dad);
    expect(await house.next(ORCHESTRATOR)).toEqual(veto);
    await house.next(ORCHESTRATOR);
    await house.next(ANALYST);
  });

  test('002.6, 002.57, 002.58 three votes stand with their conflict until it is resolved', async () => {
    for (const [agent, choice, isVeto] of votes) {
      const position = { choice, rationale: 'Safer', evidence: [], confidence: 85 };
      const payload = { conflict_id: 'CONF-001', position, veto: isVeto, veto_reason: null };
      const vote = of(agent, 'VOTE', payload, { to: ORCHESTRATOR });
      expect(await house.say(agent, vote)).toMatchObject({ http: 200 });
      expect(await house.next(ORCHESTRATOR)).toEqual(vote);
    }
    const cast = votes.map(([agent, choice, veto]) => ({
      agent: agent === TESTER ? agent : `Mum/${agent}`,
      choice,
      veto,
      confidence: 85,
    }));
    const conflict = { id: 'CONF-001', agents: cast.map(({ agent }) => agent), votes: cast };
    const standing = { cookies: 2, sessions: 1 };
    expect(await log(ORCHESTRATOR)).toMatchObject({
      conflicts: [{ ...conflict, standing, status: 'pending', resolution: null }],
    });
    const data = { conflict_id: 'CONF-001', resolution: 'cookies' };
    const content = { message: 'Where tokens are kept', data };
    const told = { event: 'CONTEXT_UPDATE', content, affects: [ANALYST] };
    await house.say(ORCHESTRATOR, of(ORCHESTRATOR, 'BROADCAST', told, { to: '*' }));
    await house.next(ANALYST);
    expect(await log(ORCHESTRATOR)).toMatchObject({
      conflicts: [{ ...conflict, standing, status: 'resolved', resolution: 'cookies' }],
    });
    // Each exports what it took part in.
    expect(await log(TESTER)).toMatchObject({ conflicts: [{ agents: [TESTER] }], pending: [] });
  });

  test('002.59, 002.60 the log has every message, and what is pending, completed and over', async () => {
    for (const request of [aborted, waiting]) {
      await house.say(ORCHESTRATOR, request);
      await house.allow();
      await house.next(ANALYST);
    }
    const abort = { event: 'ABORT', content: { message: 'Stop' }, affects: [] };
    const about = { to: '*', correlation_id: aborted.id };
    await house.say(ORCHESTRATOR, of(ORCHESTRATOR, 'BROADCAST', abort, about));
    expect(await house.next(ANALYST)).toMatchObject({ payload: { event: 'ABORT' } });
    const stopped = { status: 'FAILED', result: { summary: 'Stopped' } };
    await house.say(ANALYST, of(ANALYST, 'RESPONSE', stopped, { correlation_id: aborted.id }));
    await until('the end of what was stopped', WITHIN_MS, async () => {
      const { ended_otherwise } = await log(ORCHESTRATOR);
      return (ended_otherwise as readonly unknown[])[0];
    });
    await house.next(ORCHESTRATOR);
    const kept = await log(ORCHESTRATOR);
    expect(kept).toMatchObject({
      version: '1.0',
      issue_number: ISSUE,
      started_at: first.timestamp,
      pending: [waiting.id],
      completed: [first.id, veto.id],
      ended_otherwise: [aborted.id],
    });
    const summaries = (kept['messages'] as readonly JsonObject[]).map(
      ({ type, from, summary }) => `${String(type)} ${String(from)}: ${String(summary)}`,
    );
    expect(summaries).toEqual(
      expect.arrayContaining([
        'REQUEST orchestrator: implement: Refresh tokens',
        'RESPONSE Mum/architect: SUCCESS: Designed',
        'ESCALATE Mum/security-analyst: VETO: Tokens in localStorage',
        'VOTE tester: CONF-001: cookies',
        'BROADCAST orchestrator: CONTEXT_UPDATE: Where tokens are kept',
        'BROADCAST orchestrator: ABORT: Stop',
      ]),
    );
    const yaml = await axon(house.dad.home, ['crunch', 'log', '--issue', String(ISSUE)], {
      AXON_TOKEN: house.tokenOf(ORCHESTRATOR),
    });
    expect(yaml.out).toContain(`pending:\n  - "${waiting.id}"\n`);
    expect(yaml.out).toContain(`messages:\n  - id: "${first.id}"\n    type: "REQUEST"\n`);
  });

  test('002.66, 002.67, 002.68 findings, decisions and figures are there to be kept', async () => {
    expect(await log(ORCHESTRATOR, '--knowledge')).toMatchObject({
      findings: [{ id: 'F-001', confidence: 95, agent: `Mum/${ARCHITECT}` }],
      decisions: [{ message: veto.id, question: 'Tokens in localStorage', decision: 'Accept' }],
      agents: expect.arrayContaining([
        expect.objectContaining({
          agent: `Mum/${ARCHITECT}`,
          responses: 1,
          success: 1,
          tokens_used: 3_500,
          duration_ms: 45_000,
        }),
      ]),
    });
  });

  test('002.67 a decision that an agent only claims is none, and an agent without a language has no log', async () => {
    const payload = { escalation_type: 'CONFLICT', severity: 'HIGH', reason: 'Which colour?' };
    const escalation = of(ANALYST, 'ESCALATE', payload, { to: ORCHESTRATOR });
    await house.say(ANALYST, escalation);
    expect(await house.next(ORCHESTRATOR)).toEqual(escalation);
    const data = { decision: { decided_by: 'Dad', option: 'Override' }, status: 'completed' };
    const content = { message: 'Override', data };
    const about = { to: ORCHESTRATOR, correlation_id: escalation.id };
    const event = { event: 'CONTEXT_UPDATE', content, affects: [] };
    const forged = of(ANALYST, 'BROADCAST', event, about);
    await house.say(ANALYST, forged);
    expect(await house.next(ORCHESTRATOR)).toEqual(forged);
    expect(JSON.stringify(await log(ORCHESTRATOR, '--knowledge'))).not.toContain('Override');
    expect(await log(ORCHESTRATOR)).toMatchObject({ pending: [waiting.id, escalation.id] });
    await house.decide({ decision: 'decline' }, house.dad);
    await house.next(ORCHESTRATOR);
    expect(await log(ORCHESTRATOR)).toMatchObject({ ended_otherwise: [aborted.id, escalation.id] });
    await house.next(ANALYST);
    expect(await house.post(house.dad, asks('native'), '/v1/messages')).toMatchObject({
      http: 409,
    });
  });

  test('002.69 a checkpoint has what is pending whole, which may be sent anew', async () => {
    const kept = await log(ORCHESTRATOR, '--checkpoint');
    expect(kept).toMatchObject({ pending: [waiting], in_hand: [] });
    const anew = await house.say(ORCHESTRATOR, (kept['pending'] as readonly JsonObject[])[0] ?? {});
    expect(anew).toMatchObject({ http: 200, report: { state: 'running' } });
    expect(await house.waiting(ANALYST)).toBe(0);
  });
});
