// How agents of document 002 work together on one issue: a hand-off, a veto, a conflict with votes,
// and what is kept of it all. Beside the other files of 002, whose requests stand alone.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { WITHIN_MS } from '../../support/raw-peer.ts';
import { seedMessages } from '../../support/seed-messages.ts';
import { until } from '../../support/until.ts';
import { does, SeedHousehold } from './household.ts';
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
async function handedOn(): Promise<Asked & { readonly handOff: JsonObject }> {
  const { id, request } = await asked();
  const about = { to: ARCHITECT, correlation_id: request.id };
  const handOff = crunch(ANALYST, 'HANDOFF', HANDOFF, about);
  expect(await house.say(ANALYST, handOff)).toMatchObject({ http: 200 });
  expect(await house.card()).toMatchObject({ text: 'Draw it', reason: 'Not my field' });
  await house.allow();
  expect(await house.next(ARCHITECT)).toEqual(handOff);
  return { id, request, handOff };
}

const answer = (agent: string, to: unknown, more: JsonObject = {}) =>
  crunch(
    agent,
    'RESPONSE',
    { status: 'SUCCESS', result: { summary: 'Drawn', files_created: ['a.svg'] }, ...more },
    { correlation_id: to },
  );

/** Whom a request was handed on to, as its asker reads it. */
async function handedTo(id: string): Promise<unknown> {
  const { story } = await house.post(house.dad, ORCHESTRATOR, `/v1/tasks/${id}`);
  return ((story as JsonObject)['handed_over'] as JsonObject)['on_to'] ?? null;
}

describe('seed 002, hand-offs', () => {
  test('002.4, 002.37 the answer goes to whoever asked first', async () => {
    const { id, request, handOff } = await handedOn();
    await until('whom it was handed on to', WITHIN_MS, async () => (await handedTo(id)) !== null);
    expect(await handedTo(id)).toBe('Architect');
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

  test('002.37 an answer that names what was asked first counts, and so does a refusal', async () => {
    const { id, request } = await handedOn();
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
    await house.decide({ decision: 'decline' });
    expect(await house.ended(ORCHESTRATOR, id)).toMatchObject({ state: 'failed' });
    expect(await house.next(ORCHESTRATOR)).toMatchObject({
      correlation_id: request.id,
      payload: {
        status: 'FAILED',
        result: { summary: 'It was handed on, and that was declined.' },
      },
    });
    expect(await house.next(ANALYST)).toMatchObject({ payload: { event: 'ABORT' } });
    expect(await house.next(ANALYST)).toMatchObject({ type: 'RESPONSE' });
  });

  test('002.37 a cancel of what was asked reaches whoever has it now', async () => {
    const { id, request, handOff } = await handedOn();
    const abort = { event: 'ABORT', content: { message: 'Stop' }, affects: [] };
    const about = { to: '*', correlation_id: request.id };
    await house.say(ORCHESTRATOR, crunch(ORCHESTRATOR, 'BROADCAST', abort, about));
    expect(await house.next(ARCHITECT)).toMatchObject({
      type: 'BROADCAST',
      payload: { event: 'ABORT' },
      correlation_id: handOff['id'],
    });
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

  test('002.37 a hand-off to another hub relays its answer here', async () => {
    const asker = does('claude-crunch');
    const request = crunch(asker, 'REQUEST', REQUEST, { to: ANALYST });
    await house.say(asker, request);
    await house.allow();
    await house.next(ANALYST);
    const about = { to: TESTER, correlation_id: request.id };
    const handOff = crunch(ANALYST, 'HANDOFF', HANDOFF, about);
    expect(await house.say(ANALYST, handOff)).toMatchObject({ http: 200 });
    await house.allow(house.dad);
    expect(await house.next(TESTER)).toEqual(handOff);
    expect(await house.say(TESTER, answer(TESTER, handOff.id))).toMatchObject({ http: 200 });
    expect(await house.next(asker)).toMatchObject({
      type: 'RESPONSE',
      from: TESTER,
      correlation_id: request.id,
      payload: { status: 'SUCCESS' },
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
