// What document 002 says and the hub carries as it is: every message arrives whole at an agent of the
// language, its answer too, and a person decides where the document wants one.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { seedMessages } from '../../support/seed-messages.ts';
import { asks, does, SeedHousehold } from './household.ts';
import { atDoor, OWNER } from '../../support/raw-peer.ts';
import { crunch, fresh, inAMoment, PAST } from './messages.ts';

const ORCHESTRATOR = 'orchestrator';
const ANALYST = 'security-analyst';
const ARCHITECT = 'architect';
const SUPERVISOR = 'supervisor';

let house: SeedHousehold;
beforeAll(async () => {
  house = await SeedHousehold.start();
  await house.join(house.dad, ORCHESTRATOR, 'claude-crunch', {});
  await house.join(house.mum, ANALYST, 'claude-crunch', { domains: ['security'] });
  await house.join(house.mum, SUPERVISOR, 'claude-crunch', {});
  await house.join(house.mum, ARCHITECT, 'claude-crunch', { capabilities: ['drawing'] });
  await house.offered('drawing');
}, 120_000);
afterAll(() => house.stop());

/** An example of the document: its messages, in the order of the text. */
const examples = seedMessages()
  .filter(({ dialect, message }) => dialect === 'claude-crunch' && message['from'] !== 'agent-a')
  .map(({ message }) => message);
const example = (type: string): JsonObject => {
  const found = examples.find((one) => one['type'] === type && one['from'] !== '{agent_name}');
  if (found === undefined) throw new Error(`the document has no example of ${type}`);
  return found;
};
const METADATA = { issue_number: 42, phase: 'enrich', attempt: 2, checkpoint_id: 'CP-7' };
const ACTIONS = [
  'create_spec',
  'review_code',
  'threat_model',
  'implement',
  'create_test_plan',
  'validate',
  'diagnose',
  'document',
];

/** A request of the orchestrator, allowed, as the analyst reads it. */
async function requested(payload: JsonObject, more: JsonObject = {}): Promise<JsonObject> {
  const request = crunch(ORCHESTRATOR, 'REQUEST', payload, { to: ANALYST, ...more });
  expect(await house.say(ORCHESTRATOR, request)).toMatchObject({ http: 200 });
  await house.allow();
  expect(await house.next(ANALYST)).toEqual(request);
  return request;
}

/** A message of the analyst, refused. */
async function refusal(message: JsonObject): Promise<string> {
  const answer = await house.say(ANALYST, message);
  expect(answer).toMatchObject({ http: 400 });
  return JSON.stringify(answer);
}

describe('seed 002, carried', () => {
  test('002.1, 002.2, 002.9, 002.11 the first two examples go word for word', async () => {
    const [request, response] = [example('REQUEST'), example('RESPONSE')];
    expect(request).toMatchObject({ from: ORCHESTRATOR, to: ANALYST, correlation_id: null });
    const asked = await house.say(ORCHESTRATOR, request);
    expect(asked).toMatchObject({ http: 200 });
    await house.allow();
    expect(await house.next(ANALYST)).toEqual(request);
    expect(response['correlation_id']).toBe(request['id']);
    expect(await house.say(ANALYST, response)).toMatchObject({ http: 200 });
    expect(await house.next(ORCHESTRATOR)).toEqual(response);
    const { id } = asked['report'] as JsonObject;
    expect(await house.ended(ORCHESTRATOR, id)).toMatchObject({ state: 'completed' });
  });

  test('002.7 there are six types, and any other is refused', async () => {
    const types = ['REQUEST', 'RESPONSE', 'HANDOFF', 'ESCALATE', 'BROADCAST', 'VOTE'];
    const said = await refusal(crunch(ANALYST, 'INFORM', {}, { to: ORCHESTRATOR }));
    expect(said).toContain(types.join(', '));
  });

  test('002.8 what another language asks has an id of this one', async () => {
    const { read } = await house.asked('claude-crunch');
    expect(read['id']).toMatch(/^MSG-\d{13}-[0-9a-f]{8}$/);
    expect(read['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT/);
    const response = { status: 'SUCCESS', result: { summary: 'Done' } };
    const about = { correlation_id: read['id'] };
    await house.say(
      does('claude-crunch'),
      crunch(does('claude-crunch'), 'RESPONSE', response, about),
    );
    expect(await house.item(asks('native'))).toMatchObject({ kind: 'result' });
  });

  test('002.12, 002.16, 002.17, 002.20 what may stand in a message, and what may lack', async () => {
    const payload = { action: 'validate', constraints: { timeout_ms: 300_000 } };
    const request = crunch(ORCHESTRATOR, 'REQUEST', payload, { to: ANALYST, metadata: METADATA });
    const asked = await house.say(ORCHESTRATOR, request);
    await house.allow();
    expect(await house.next(ANALYST)).toEqual(request);
    const { id } = asked['report'] as JsonObject;
    const task = await house.post(house.dad, ORCHESTRATOR, `/v1/tasks/${String(id)}`);
    const left = Number(task['deadline_at']) - Date.now();
    expect(left).toBeGreaterThan(200_000);
    expect(left).toBeLessThanOrEqual(300_000);
    const { timestamp: _, priority: __, ...bare } = crunch(ORCHESTRATOR, 'REQUEST', payload);
    const short = { ...bare, to: ANALYST };
    await house.say(ORCHESTRATOR, short);
    await house.allow();
    expect(await house.next(ANALYST)).toEqual(short);
  });

  test.each(ACTIONS)('002.18, 002.19 %s goes with all of its context', async (action) => {
    const issue = { number: 42, title: 'The gate', body: 'It creaks', labels: ['a:b'], state: 'x' };
    const knowledge_brief = { related_issues: ['#38'], patterns: ['p'], decisions: ['d'] };
    const context = { issue, knowledge_brief, files: ['src/gate.ts'] };
    const request = crunch(ORCHESTRATOR, 'REQUEST', { action, context }, { to: ANALYST });
    await house.say(ORCHESTRATOR, request);
    expect(await house.card()).toMatchObject({ text: `${action}: The gate` });
    await house.allow();
    expect(await house.next(ANALYST)).toEqual(request);
  });

  test.each([
    ['002.24', 'SUCCESS', 'completed'],
    ['002.25', 'PARTIAL', 'partial'],
  ])('%s, 002.31, 002.32 %s with its findings and tokens', async (_, status, state) => {
    const { id, read } = await house.asked('claude-crunch');
    const finding = {
      id: 'F-001',
      severity: 'HIGH',
      category: 'security',
      title: 'Rotate',
      description: 'Each use',
      location: 'src/a.ts:4',
      recommendation: 'Once',
      confidence: 85,
    };
    const payload = {
      status,
      result: { summary: 'Looked at' },
      findings: [finding],
      metrics: { tokens_used: 3_500 },
    };
    const agent = does('claude-crunch');
    const about = { correlation_id: read['id'] };
    await house.say(agent, crunch(agent, 'RESPONSE', payload, about));
    expect(await house.ended(asks('native'), id)).toMatchObject({
      state,
      untrusted: { outcome: 'Looked at', data: { findings: [finding] } },
    });
    expect(await house.item(asks('native'))).toMatchObject({
      task_id: id,
      untrusted: { payload: { tokens_used: 3_500 } },
    });
  });

  test('002.40 a hand-off that follows nothing is asked, and goes whole', async () => {
    const payload = {
      reason: 'Not my field',
      context_transfer: { work_completed: 'None', remaining_work: 'Draw the gate' },
      urgency: 'IMMEDIATE',
    };
    const handOff = crunch(ORCHESTRATOR, 'HANDOFF', payload, { to: ARCHITECT });
    await house.say(ORCHESTRATOR, handOff);
    expect(await house.card()).toMatchObject({ text: 'Draw the gate', reason: 'Not my field' });
    await house.allow();
    expect(await house.next(ARCHITECT)).toEqual(handOff);
  });

  test.each(['VETO', 'CONFLICT', 'BLOCKED', 'HUMAN_REQUIRED'])(
    '002.41, 002.42 %s is a choice of a person, who sees what speaks for each',
    async (escalation_type) => {
      const options = [
        { option: 'Cookie', pros: ['Safe'], cons: ['Work'] },
        { option: 'Local', pros: ['Easy'], cons: ['Open'] },
      ];
      const context = { decision_needed: 'Where?', options, recommendation: 'Cookie' };
      const payload = { escalation_type, severity: 'HIGH', reason: 'We differ', context };
      const escalation = crunch(ORCHESTRATOR, 'ESCALATE', payload, { to: SUPERVISOR });
      await house.say(ORCHESTRATOR, escalation);
      expect(await house.card()).toMatchObject({
        text: 'Where?',
        reason: 'We differ',
        choice: {
          options: [
            { label: 'Cookie', pros: ['Safe'], cons: ['Work'] },
            { label: 'Local', pros: ['Easy'], cons: ['Open'] },
          ],
          recommended: '1',
        },
      });
      await house.decide({ decision: 'answer', choice: '2' });
      expect(await house.next(ORCHESTRATOR)).toMatchObject({
        type: 'RESPONSE',
        correlation_id: escalation.id,
        payload: { status: 'SUCCESS', result: { summary: 'Local' } },
      });
    },
  );

  test.each([
    [{ decision: 'answer', answer: 'Neither, ask Ann' }, 'SUCCESS', 'Neither, ask Ann'],
    [{ decision: 'decline' }, 'FAILED', null],
  ] as const)('002.46 a person may say something else, or nothing', async (said, status, words) => {
    const payload = { escalation_type: 'CONFLICT', severity: 'HIGH', reason: 'We differ' };
    const escalation = crunch(ORCHESTRATOR, 'ESCALATE', payload, { to: SUPERVISOR });
    await house.say(ORCHESTRATOR, escalation);
    await house.decide(said);
    const answer = await house.next(ORCHESTRATOR);
    expect(answer).toMatchObject({ correlation_id: escalation.id, payload: { status } });
    if (words !== null) expect(answer).toMatchObject({ payload: { result: { summary: words } } });
  });

  test('002.51 a broadcast to one agent reaches it alone', async () => {
    const event = { event: 'CONTEXT_UPDATE', content: { message: 'New plan', data: { a: 1 } } };
    const message = crunch(ORCHESTRATOR, 'BROADCAST', event, { to: ARCHITECT });
    await house.say(ORCHESTRATOR, message);
    expect(await house.next(ARCHITECT)).toEqual(message);
    expect(await house.waiting(ANALYST)).toBe(0);
  });

  test('002.10, 002.50 what names an earlier message goes to whom it names, and a broadcast to all', async () => {
    const { id } = await requested({ action: 'diagnose' });
    const everybody = [ORCHESTRATOR, ANALYST, ARCHITECT];
    const event = { event: 'PHASE_CHANGE', content: { message: 'On' }, affects: everybody };
    for (const from of [ORCHESTRATOR, ANALYST]) {
      const all = crunch(from, 'BROADCAST', event, { to: '*', correlation_id: id });
      expect(await house.say(from, all)).toMatchObject({ http: 200 });
      const others = everybody.filter((agent) => agent !== from);
      for (const agent of others) expect(await house.next(agent)).toEqual(all);
    }
    for (const from of [ORCHESTRATOR, ANALYST]) {
      const word = crunch(from, 'BROADCAST', event, { to: ARCHITECT, correlation_id: id });
      expect(await house.say(from, word)).toMatchObject({ http: 200 });
      expect(await house.next(ARCHITECT)).toEqual(word);
    }
    const back = crunch(ANALYST, 'BROADCAST', event, { correlation_id: id });
    await house.say(ANALYST, back);
    expect(await house.next(ORCHESTRATOR)).toEqual(back);
    const response = { status: 'SUCCESS', result: { summary: 'Found' } };
    await house.say(ANALYST, crunch(ANALYST, 'RESPONSE', response, { correlation_id: id }));
    await house.next(ORCHESTRATOR);
  });

  test('002.53 ABORT ends what its agent asked, whatever somebody else calls so', async () => {
    const { id } = await requested({ action: 'diagnose' });
    const same = crunch(ANALYST, 'REQUEST', { action: 'validate' }, { to: ORCHESTRATOR, id });
    await house.say(ANALYST, same);
    await house.allow(house.dad);
    expect(await house.next(ORCHESTRATOR)).toEqual(same);
    const abort = { event: 'ABORT', content: { message: 'Stop' }, affects: [] };
    const said = crunch(ORCHESTRATOR, 'BROADCAST', abort, { to: '*', correlation_id: id });
    expect(await house.say(ORCHESTRATOR, said)).toMatchObject({ http: 200, cancelled: {} });
    expect(await house.next(ANALYST)).toEqual(said);
    const response = { status: 'SUCCESS', result: { summary: 'Done' } };
    const about = { correlation_id: id };
    await house.say(ANALYST, crunch(ANALYST, 'RESPONSE', response, about));
    await house.next(ORCHESTRATOR);
    await house.say(ORCHESTRATOR, crunch(ORCHESTRATOR, 'RESPONSE', response, about));
    await house.next(ANALYST);
  });

  test('002.55, 002.64 three agents vote, and the orchestrator resolves', async () => {
    const conflict_id = `CONF-${fresh()}`;
    for (const [agent, choice] of [
      [ANALYST, 'A'],
      [ARCHITECT, 'B'],
      [does('claude-crunch'), 'A'],
    ] as const) {
      const vote = crunch(
        agent,
        'VOTE',
        {
          conflict_id,
          position: { choice, rationale: 'Safer', evidence: ['E'], confidence: 85 },
          compromise: { acceptable: true, conditions: ['Tests'] },
          veto: false,
          veto_reason: null,
        },
        { to: ORCHESTRATOR },
      );
      expect(await house.say(agent, vote)).toMatchObject({ http: 200 });
      expect(await house.next(ORCHESTRATOR)).toEqual(vote);
    }
    const content = { message: 'A it is', data: { conflict_id, resolution: 'A' } };
    const resolved = crunch(
      ORCHESTRATOR,
      'BROADCAST',
      { event: 'CONTEXT_UPDATE', content, affects: [ANALYST, ARCHITECT] },
      { to: '*' },
    );
    await house.say(ORCHESTRATOR, resolved);
    expect(await house.next(ANALYST)).toEqual(resolved);
    expect(await house.next(ARCHITECT)).toEqual(resolved);
  });

  test('002.71 an answer that comes twice, or to nothing, is refused', async () => {
    const request = await requested({ action: 'diagnose' });
    const response = { status: 'SUCCESS', result: { summary: 'Found' } };
    const answer = (correlation_id: unknown) =>
      house.say(ANALYST, crunch(ANALYST, 'RESPONSE', response, { correlation_id }));
    expect(await answer('MSG-1-0')).toMatchObject({ http: 404 });
    expect(await answer(request['id'])).toMatchObject({ http: 200 });
    expect(await answer(request['id'])).toMatchObject({ http: 404 });
    expect(await house.next(ORCHESTRATOR)).toMatchObject({ correlation_id: request['id'] });
    expect(await house.waiting(ORCHESTRATOR)).toBe(0);
  });

  test('002.62 a review is announced, asked of all at once, and answered by each', async () => {
    const reviewers = [ANALYST, ARCHITECT, does('claude-crunch')];
    const content = { message: 'Review begins', data: { issue: 42 } };
    const event = { event: 'CONTEXT_UPDATE', content, affects: reviewers };
    const announced = crunch(ORCHESTRATOR, 'BROADCAST', event, { to: '*' });
    await house.say(ORCHESTRATOR, announced);
    for (const agent of reviewers) expect(await house.next(agent)).toEqual(announced);
    const requests = reviewers.map((to) => ({
      to,
      request: crunch(ORCHESTRATOR, 'REQUEST', { action: 'review_code' }, { to }),
    }));
    const asked = requests.map(({ request }) => house.say(ORCHESTRATOR, request));
    for (const told of await Promise.all(asked)) expect(told).toMatchObject({ http: 200 });
    for (const _ of reviewers) await house.allow();
    // The last one answers first.
    for (const { to, request } of requests.toReversed()) {
      expect(await house.next(to)).toEqual(request);
      const result = { status: 'SUCCESS', result: { summary: `By ${to}` } };
      const response = crunch(to, 'RESPONSE', result, { correlation_id: request.id });
      await house.say(to, response);
      expect(await house.next(ORCHESTRATOR)).toEqual(response);
    }
  });

  test('002.62, 002.63 what was refused for too many may be sent again as it is', async () => {
    const requests = Array.from({ length: 6 }, () =>
      crunch(ORCHESTRATOR, 'REQUEST', { action: 'diagnose' }, { to: ANALYST }),
    );
    for (const request of requests.slice(0, 5))
      expect(await house.say(ORCHESTRATOR, request)).toMatchObject({ http: 200 });
    const [last] = requests.slice(5);
    if (last === undefined) throw new Error('there are six');
    expect(await house.say(ORCHESTRATOR, last)).toMatchObject({ http: 429, code: 'overloaded' });
    await house.allow();
    expect(await house.say(ORCHESTRATOR, last)).toMatchObject({ http: 200 });
    const read: unknown[] = [await house.next(ANALYST)];
    for (let count = 1; count < requests.length; count++) {
      await house.allow();
      read.push(await house.next(ANALYST));
    }
    expect(read).toEqual(expect.arrayContaining(requests));
  });

  test('002.44 an escalation ends at the moment that it names', async () => {
    const escalation = (deadline: unknown) => {
      const context = { decision_needed: 'Now?', deadline };
      const payload = { escalation_type: 'BLOCKED', severity: 'HIGH', reason: 'Stuck', context };
      return crunch(ORCHESTRATOR, 'ESCALATE', payload, { to: SUPERVISOR });
    };
    for (const deadline of [inAMoment(600_000), 'PT10M', 600]) {
      const asked = await house.say(ORCHESTRATOR, escalation(deadline));
      const { id } = asked['report'] as JsonObject;
      const { expires_at } = await house.card();
      expect(expires_at - Date.now(), `${deadline}`).toBeGreaterThan(500_000);
      expect(expires_at - Date.now(), `${deadline}`).toBeLessThanOrEqual(600_000);
      await house.decide({ decision: 'answer', choice: '1' });
      await house.ended(ORCHESTRATOR, id);
      expect(await house.next(ORCHESTRATOR)).toMatchObject({ type: 'RESPONSE' });
    }
    expect(await house.say(ORCHESTRATOR, escalation(PAST))).toMatchObject({ http: 400 });
  });

  test('002.43, 002.45 a person may take the one option or override it, and is told by its words', async () => {
    const context = { decision_needed: 'Where?', options: [{ option: 'Cookie' }] };
    const payload = { escalation_type: 'CONFLICT', severity: 'HIGH', reason: 'We differ', context };
    for (const [choice, option] of [
      ['1', 'Cookie'],
      ['2', 'Override'],
    ] as const) {
      const escalation = crunch(ORCHESTRATOR, 'ESCALATE', payload, { to: SUPERVISOR });
      await house.say(ORCHESTRATOR, escalation);
      const card = await house.card();
      expect(card.choice?.options.map(({ label }) => label)).toEqual(['Cookie', 'Override']);
      await house.decide({ decision: 'answer', choice });
      expect(await house.next(ORCHESTRATOR)).toMatchObject({
        correlation_id: escalation.id,
        payload: { result: { summary: option, outputs: { decision: { choice, option } } } },
      });
    }
  });

  test('002.13, 002.14, 002.15 CRITICAL goes first, then HIGH, and LOW when nothing else waits', async () => {
    const requests = ['LOW', 'NORMAL', 'HIGH', 'CRITICAL'].map((priority) =>
      crunch(ORCHESTRATOR, 'REQUEST', { action: 'validate' }, { to: ANALYST, priority }),
    );
    const expires: number[] = [];
    for (const request of requests) {
      expect(await house.say(ORCHESTRATOR, request)).toMatchObject({ http: 200 });
      const card = await house.card();
      expires.push(Math.round((card.expires_at - Date.now()) / 3_600_000));
      expect(JSON.stringify(card)).toMatch(new RegExp(`\\b${request.priority}\\b`));
      await house.allow();
    }
    expect(expires).toEqual([12, 12, 12, 24]);
    const read: unknown[] = [];
    for (const _ of requests) read.push(await house.next(ANALYST));
    expect(read).toEqual(requests.toReversed());
  });

  test('002.14 HIGH has half the time of what says no deadline', async () => {
    const left = async (priority: string): Promise<number> => {
      const payload = { action: 'validate' };
      const request = crunch(ORCHESTRATOR, 'REQUEST', payload, { to: ANALYST, priority });
      const asked = await house.say(ORCHESTRATOR, request);
      await house.allow();
      await house.next(ANALYST);
      const { id } = asked['report'] as JsonObject;
      const task = await house.post(house.dad, ORCHESTRATOR, `/v1/tasks/${String(id)}`);
      return Math.round((Number(task['deadline_at']) - Date.now()) / 3_600_000);
    };
    expect(await left('NORMAL')).toBe(24);
    expect(await left('HIGH')).toBe(12);
    expect(await left('CRITICAL')).toBe(24);
  });

  test.each(['CONTEXT_UPDATE', 'PHASE_CHANGE'])(
    '002.5, 002.10, 002.52, 002.65 %s to all reaches all, and nothing else may go to all',
    async (event) => {
      const payload = { event, content: { message: 'Review', data: { phase: 2 } }, affects: [] };
      const message = crunch(ORCHESTRATOR, 'BROADCAST', payload, { to: '*' });
      expect(await house.say(ORCHESTRATOR, message)).toMatchObject({ http: 200 });
      for (const agent of [ANALYST, ARCHITECT, does('claude-crunch'), asks('claude-crunch')])
        expect(await house.next(agent)).toEqual(message);
      const request = crunch(ORCHESTRATOR, 'REQUEST', { action: 'validate' }, { to: '*' });
      expect(await house.say(ORCHESTRATOR, request)).toMatchObject({ http: 400 });
    },
  );

  test('002.61 a rule can allow the area of a label, and what names no area', async () => {
    const request = () => {
      const issue = { title: 'Tokens', labels: ['type:feature', 'domain:security'] };
      const payload = { action: 'threat_model', context: { issue } };
      return crunch(ORCHESTRATOR, 'REQUEST', payload, { to: ANALYST });
    };
    const asked = request();
    await house.say(ORCHESTRATOR, asked);
    const { domain, peer_id: peer } = await house.card();
    expect(domain).toBe('security');
    await house.allow();
    expect(await house.next(ANALYST)).toEqual(asked);
    const { agents, rules } = house.mum.node.services.work;
    await agents.setClass(ANALYST, { riskClass: 'R1' }, OWNER);
    await rules.create(
      {
        effect: 'allow',
        peer,
        agent: ANALYST,
        domain,
        kind: null,
        asking_agent: null,
        topic: null,
      },
      OWNER,
    );
    const ruled = request();
    await house.say(ORCHESTRATOR, ruled);
    expect(await house.next(ANALYST)).toEqual(ruled);
    // And one for what names no area.
    const ofNone = { effect: 'allow', peer: 'Dad', agent: ANALYST, domain: '', kind: null };
    const page = await house.mum.page();
    expect(await atDoor(house.mum, page, '/v1/rules', ofNone)).toMatchObject({ http: 200 });
    const plain = crunch(ORCHESTRATOR, 'REQUEST', { action: 'validate' }, { to: ANALYST });
    expect(await house.say(ORCHESTRATOR, plain)).toMatchObject({ report: { state: 'queued' } });
    expect(await house.next(ANALYST)).toEqual(plain);
    expect(house.mum.node.services.work.approvals.pending()).toEqual([]);
    await house.mum.node.services.work.agents.setClass(ANALYST, { riskClass: 'R2' }, OWNER);
  });

  test('002.70 work goes on where it was after a restart', async () => {
    const request = await requested({ action: 'document' });
    await house.restartMum();
    const response = crunch(
      ANALYST,
      'RESPONSE',
      { status: 'SUCCESS', result: { summary: 'Written' } },
      { correlation_id: request['id'] },
    );
    expect(await house.say(ANALYST, response)).toMatchObject({ http: 200 });
    expect(await house.next(ORCHESTRATOR)).toEqual(response);
  });
});
