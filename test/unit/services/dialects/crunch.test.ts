// What claude-crunch says beyond requests and answers: a veto that a person decides, a hand-off that
// is always asked, a vote and a word to everybody.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CRUNCH } from '../../../../main/dialects/crunch.ts';
import type { JsonObject } from '../../../../main/lib/json-object.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openPairedHubs } from '../../../fakes/two-work-hubs.ts';
import { ANYBODY } from '../../../fakes/ruled-hubs.ts';
import { MemoryNetwork } from '../../../fakes/memory-messenger.ts';
import { BROWSER, delegation, OWNER, WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;
const signal = new AbortController().signal;

beforeEach(async () => {
  ({ clock, dad, mum } = await openPairedHubs());
  const dialect = 'claude-crunch';
  await dad.work.agents.create('security-analyst', { dialect }, 'R2', OWNER);
  await mum.work.agents.create(
    'orchestrator',
    { dialect, domains: ['family.chat'], topics: ['crunch'] },
    'R0',
    OWNER,
  );
  await dad.knows(mum);
  await mum.knows(dad);
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

const says = (type: string, payload: JsonObject, more: JsonObject = {}): JsonObject => ({
  id: 'MSG-1705234700000-c5d6e7f8',
  type,
  from: 'security-analyst',
  to: 'orchestrator',
  correlation_id: 'MSG-1705234650000-x9y8z7w6',
  timestamp: '2025-01-14T10:35:00Z',
  priority: 'CRITICAL',
  payload,
  metadata: { issue_number: 42, phase: 'enrich', attempt: 1 },
  ...more,
});
const post = async (message: JsonObject): Promise<void> => {
  const [posted] = await Promise.allSettled([
    dad.work.nativeMessages.post('security-analyst', message, signal),
    clock.settle(),
  ]);
  if (posted.status === 'rejected') throw posted.reason;
};

test('a veto is a choice for a person, and the choice comes back as a RESPONSE', async () => {
  const veto = says('ESCALATE', {
    escalation_type: 'VETO',
    severity: 'CRITICAL',
    reason: 'Proposed implementation stores refresh tokens in localStorage',
    veto_details: {
      target: 'Token storage approach in spec',
      vulnerability: 'CWE-922: Insecure Storage of Sensitive Information',
      alternative: 'Use httpOnly secure cookies for refresh token storage',
    },
  });
  await post(veto);
  const { card } = mum;
  expect(card.text).toBe('Proposed implementation stores refresh tokens in localStorage');
  expect(card.choice?.options.map(({ label }) => label)).toEqual(['Accept', 'Override']);
  const { id, revision, digest } = card;
  await mum.work.approvals.decide(
    { id, revision, digest, decision: 'answer', choice: '1' },
    BROWSER,
  );
  await clock.settle();
  const { untrusted } = await dad.claim('security-analyst');
  expect(untrusted.native).toMatchObject({
    type: 'RESPONSE',
    correlation_id: veto['id'],
    payload: {
      status: 'SUCCESS',
      result: {
        summary: 'Accept',
        outputs: { decision: { choice: '1', decided_by: "mum's person" } },
      },
    },
  });
});

test('a hand-off is asked, whatever a rule allows', async () => {
  await mum.work.rules.create(
    {
      ...ANYBODY,
      effect: 'allow',
      peer: dad.agentId,
      agent: 'orchestrator',
      domain: 'family.chat',
    },
    BROWSER,
  );
  const task = delegation('mum', 'Review the code', { domain: 'family.chat' });
  const send = (more: object) =>
    Promise.all([
      dad.work.sender.delegate({ ...task, ...more }, 'security-analyst', null),
      clock.settle(),
    ]);
  await send({});
  expect(mum.work.approvals.pending()).toEqual([]);
  await send({ act: 'handoff' });
  expect(mum.card).toMatchObject({ text: 'Review the code', risk_class: 'R0' });
});

test('a hand-off says what remains to be done', async () => {
  const transfer = { work_completed: 'Threat model', remaining_work: 'Review the code' };
  const reason = 'Not my field';
  await post(says('HANDOFF', { reason, context_transfer: transfer, urgency: 'IMMEDIATE' }));
  expect(mum.card).toMatchObject({ text: 'Review the code', reason });
});

test('a hand-off goes on with the request that it names, though another hub used its id', async () => {
  const eve = await new WorkHub({ name: 'eve', network: new MemoryNetwork(), clock }).start();
  await eve.pair(mum);
  await mum.work.agents.update('orchestrator', { dialect: 'claude-crunch' }, OWNER);
  await mum.agent('helper');
  const id = crypto.randomUUID();
  for (const [hub, message] of [
    [dad, 'MSG-1-dad'],
    [eve, 'MSG-1-eve'],
  ] as const) {
    const origin = {
      dialect: 'claude-crunch',
      message: { id: message, type: 'REQUEST', to: 'orchestrator', payload: { action: 'plan' } },
    };
    const route = { to: 'orchestrator' };
    await mum.hears(hub.key, { id, kind: 'delegate', payload: { task: 'plan', route, origin } });
    await mum.decide(mum.card, 'allow');
    await clock.settle();
    const { delivery_id: delivery } = await mum.claim('orchestrator');
    await mum.work.inbox.ack('orchestrator', delivery, null);
  }
  const handOff = {
    id: 'MSG-2-on',
    type: 'HANDOFF',
    from: 'orchestrator',
    to: 'helper',
    correlation_id: 'MSG-1-eve',
    payload: { reason: 'Not mine', context_transfer: { remaining_work: 'Plan' } },
  };
  await Promise.all([
    mum.work.nativeMessages.post('orchestrator', handOff, signal),
    clock.settle(),
  ]);
  const handedOn = mum.store.read.tasks({ limit: 10 }, {}).filter((one) => one.handedOnTo !== null);
  expect(handedOn.map(({ party }) => party)).toEqual([eve.key]);
  await eve.close();
});

test('a vote and a word to everybody reach the agents that asked for them', async () => {
  const vote = says('VOTE', {
    conflict_id: 'CONF-001',
    position: { choice: 'B', rationale: 'It is safer', evidence: [], confidence: 85 },
    veto: false,
  });
  await post(vote);
  expect((await mum.claim('orchestrator')).untrusted.native).toEqual(vote);
  const abort = says('BROADCAST', { event: 'ABORT', content: { message: 'Stop' } }, { to: '*' });
  await post(abort);
  expect((await mum.claim('orchestrator')).untrusted.native).toEqual(abort);
  const everybody = says('REQUEST', { action: 'validate' }, { to: '*' });
  await expect(post(everybody)).rejects.toThrow('"to" may be "*" in a BROADCAST only');
});

test('whom a word to everybody affects is told by its own name, or by one that is like no other', async () => {
  const dialect = 'claude-crunch';
  const join = (...names: readonly string[]) =>
    Promise.all(names.map((name) => mum.work.agents.create(name, { dialect }, 'R2', OWNER)));
  await join('data-reader', 'datareader', 'log-writer', 'spec-checker', 'speccheck-er');
  const content = { message: 'New tables' };
  const affects = ['data-reader', 'LogWriter', 'SpecChecker'];
  const told = { event: 'CONTEXT_UPDATE', content, affects };
  await post(says('BROADCAST', told, { to: '*' }));
  await clock.settle();
  const heard = mum.work.agents
    .active()
    .map(({ name }) => name)
    .filter((name) => mum.store.read.countDeliveries(name, ['queued']) > 0);
  expect(heard.toSorted()).toEqual(['data-reader', 'log-writer']);
  const there = says('BROADCAST', { ...told, affects: ['Mum/data-reader'] }, { to: '*' });
  await expect(post(there)).rejects.toThrow('without a hub, unlike "Mum/data-reader".');
});

test('what this hub refuses to tell everybody goes nowhere', async () => {
  const said = async (): Promise<number> => {
    await clock.advance(100); // until it is written down
    const sent = dad.store.read.messages({ limit: 500 }, {});
    return sent.filter(({ direction }) => direction === 'out').length;
  };
  const tell = (number: number): Promise<void> => {
    const payload = { event: 'PHASE_CHANGE', content: { message: 'Next' } };
    return post(says('BROADCAST', payload, { id: `MSG-1705234700000-${number}`, to: '*' }));
  };
  let told = 0;
  for (; told < 200; told++) {
    const refusal: unknown = await tell(told).then(
      () => null,
      (error: unknown) => error,
    );
    if (refusal === null) continue;
    expect(refusal).toMatchObject({ code: 'rate_limited' });
    break;
  }
  expect(told).toBeGreaterThan(10);
  expect(told).toBeLessThan(200);
  expect(await said()).toBe(told);
});

test('a hub that knows no dialects gets the fields alone, and no hand-off', async () => {
  await closeTwoHubs({ clock, dad, mum });
  ({ clock, dad, mum } = await openPairedHubs({}, { extensions: ['route/1'] }));
  const dialect = 'claude-crunch';
  await dad.work.agents.create('security-analyst', { dialect }, 'R2', OWNER);
  await mum.work.agents.create('orchestrator', {}, 'R2', OWNER);
  await dad.knows(mum);
  await mum.knows(dad);
  await post(says('REQUEST', { action: 'validate', context: {} }));
  expect(mum.card.text).toBe('validate');
  expect(JSON.stringify(mum.store.read.tasks({ limit: 1 }))).not.toContain('origin');
  await expect(post(says('HANDOFF', { reason: 'Not my field' }))).rejects.toMatchObject({
    code: 'conflict',
  });
});

test.each([
  ['CRITICAL', 'urgent'],
  ['HIGH', 'urgent'],
  ['NORMAL', 'normal'],
])('a hand-off of the priority %s is %s, whatever its urgency', (priority, read) => {
  const transfer = { work_completed: 'None', remaining_work: 'Review it' };
  const payload = { reason: 'Not my field', context_transfer: transfer, urgency: 'NORMAL' };
  expect(CRUNCH.read(says('HANDOFF', payload, { priority }))).toMatchObject({
    ok: true,
    value: { payload: { priority: read } },
  });
});
