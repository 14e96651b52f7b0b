// The stories that the documents tell of their own agents, played by agents that say what they say
// there: Kit and the family agent; the issue that is enriched, reviewed, disputed and vetoed; data
// analysis by capability; Eddy who delegates to Jules, and a refactoring asked by an IDE.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DialectName } from '../../../support/seed-messages.ts';
import type { JsonObject } from '../../../../main/lib/json-object.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openPairedHubs } from '../../../fakes/two-work-hubs.ts';
import { BROWSER, OWNER, type WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
/** Where what the stories begin with is asked, and where most of it is done. */
let dad: WorkHub;
let mum: WorkHub;
const signal = new AbortController().signal;

beforeEach(async () => {
  ({ clock, dad, mum } = await openPairedHubs());
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

async function agents(
  dialect: DialectName,
  here: readonly string[],
  there: Readonly<Record<string, object>>,
): Promise<void> {
  for (const name of here)
    await dad.work.agents.create(name, { dialect, topics: ['crunch'] }, 'R2', OWNER);
  for (const [name, more] of Object.entries(there))
    await mum.work.agents.create(name, { dialect, topics: ['crunch'], ...more }, 'R2', OWNER);
  await dad.knows(mum);
  await mum.knows(dad);
}

/** An agent says it, and the people at the other hub allow what waits for them. */
async function says(hub: WorkHub, agent: string, message: JsonObject): Promise<unknown> {
  const other = hub === dad ? mum : dad;
  const [posted] = await Promise.allSettled([
    hub.work.nativeMessages.post(agent, message, signal),
    clock.settle().then(async () => {
      for (const card of other.work.approvals.pending())
        if (card.choice === null) await other.decide(card, 'allow');
      await clock.settle();
    }),
  ]);
  if (posted.status === 'rejected') throw posted.reason;
  return posted.value;
}

const reads = async (hub: WorkHub, agent: string): Promise<JsonObject> =>
  (await hub.claim(agent)).untrusted.native as JsonObject;

describe('Kit and the family agent', () => {
  beforeEach(async () => {
    await agents('acp-draft', ['kit'], { family: { domains: ['family.calendar'] } });
  });
  const kit = (kind: string, payload: JsonObject, id = `kit-${kind}`): JsonObject => ({
    v: 1,
    id,
    from: 'kit',
    to: 'family',
    ts: 1_771_108_000_000,
    kind,
    ref: null,
    payload,
  });

  test('asks for the swim schedules, and gets them in one line and as data', async () => {
    const asked = dad.work.nativeMessages.post(
      'kit',
      kit('query', {
        question: "What are the kids' swim schedules this week?",
        domain: 'family.calendar',
        max_tokens: 200,
      }),
      signal,
    );
    await clock.settle();
    await mum.decide(mum.card, 'allow');
    const { id } = await reads(mum, 'family');
    const response = {
      id: 'family-response',
      kind: 'response',
      ref: id,
      payload: {
        data: { practices: ['Mon', 'Wed', 'Fri'] },
        summary: 'Three swim practices: Mon/Wed/Fri 4-5pm at the local pool',
        tokens_used: 47,
        truncated: false,
      },
    };
    await says(mum, 'family', response);
    expect((await asked).untrusted?.native).toEqual(response);
  });

  test('lets it tell that dinner is late, and hears that she said okay', async () => {
    const task = kit('delegate', {
      task: 'Tell the family contact that the user will be late for dinner',
      context: { reason: 'Meeting ran over', dinner_time: '7:00 PM' },
      priority: 'urgent',
      report_back: true,
    });
    await says(dad, 'kit', task);
    expect(await reads(mum, 'family')).toEqual(task);
    const ack = {
      id: 'family-ack',
      kind: 'ack',
      ref: task['id'],
      payload: { accepted: true, estimated_ms: 5_000 },
    };
    await says(mum, 'family', ack);
    expect(await reads(dad, 'kit')).toEqual(ack);
    const result = {
      id: 'family-result',
      kind: 'result',
      ref: task['id'],
      payload: { status: 'completed', outcome: 'Done, she said okay', data: null, error: null },
    };
    await says(mum, 'family', result);
    expect(await reads(dad, 'kit')).toEqual(result);
  });

  test('never mind: the task is cancelled before it is done', async () => {
    await says(dad, 'kit', kit('delegate', { task: 'Order pizza' }));
    const cancel = { ...kit('cancel', { reason: 'Plans changed' }), ref: 'kit-delegate' };
    expect(await says(dad, 'kit', cancel)).toMatchObject({
      untrusted: { native: { kind: 'ack', payload: { accepted: true } } },
    });
    const [task] = dad.store.read.tasks({ limit: 1 });
    expect(task?.state).toBe('cancelled');
    expect(mum.store.read.tasks({ limit: 1 })[0]?.reason).toContain('Plans changed');
    // The line breaks before anybody answers that.
    await says(dad, 'kit', kit('delegate', { task: 'Order pasta' }, 'kit-2'));
    await reads(mum, 'family');
    mum.messenger.swallowed.add('ack');
    const again = { ...kit('cancel', { reason: 'Plans changed' }, 'kit-3'), ref: 'kit-2' };
    const answer = (await says(dad, 'kit', again)) as { untrusted: JsonObject };
    expect(answer).toMatchObject({ cancelled: { state: 'cancelling' } });
    expect(answer.untrusted['native']).toBeUndefined();
  });
});

describe('the issue that is enriched', () => {
  let number = 0;
  beforeEach(async () => {
    number = 0;
    await agents('claude-crunch', ['orchestrator'], {
      'security-analyst': {},
      architect: {},
    });
  });
  const message = (
    type: string,
    from: string,
    to: string,
    payload: JsonObject,
    answered: unknown = null,
  ): JsonObject => ({
    id: `MSG-1705234567890-${String((number += 1)).padStart(8, '0')}`,
    type,
    from,
    to,
    correlation_id: answered,
    timestamp: '2025-01-14T10:30:00Z',
    priority: 'HIGH',
    payload,
    metadata: { issue_number: 42, phase: 'enrich', attempt: 1 },
  });
  const request = (to: string, action: string) =>
    message('REQUEST', 'orchestrator', to, {
      action,
      context: { issue: { number: 42, title: 'Add JWT refresh token support' } },
      constraints: { timeout_ms: 300_000, required_outputs: ['threat_model'] },
    });
  const response = (from: string, answered: unknown) =>
    message(
      'RESPONSE',
      from,
      'orchestrator',
      { status: 'SUCCESS', result: { summary: `${from} is done`, outputs: {} }, findings: [] },
      answered,
    );

  test('parallel requests come back each to its own, and a phase change reaches everybody', async () => {
    const [model, spec] = [
      request('security-analyst', 'threat_model'),
      request('architect', 'create_spec'),
    ];
    await says(dad, 'orchestrator', model);
    await says(dad, 'orchestrator', spec);
    for (const [agent, asked] of [
      ['architect', spec],
      ['security-analyst', model],
    ] as const) {
      expect(await reads(mum, agent)).toEqual(asked);
      const answer = response(agent, asked['id']);
      await says(mum, agent, answer);
      expect(await reads(dad, 'orchestrator')).toEqual(answer);
    }
    const phase = message('BROADCAST', 'orchestrator', '*', {
      event: 'PHASE_CHANGE',
      content: { message: 'From enrich to implement', data: {} },
      affects: ['architect', 'security-analyst'],
    });
    await says(dad, 'orchestrator', phase);
    for (const agent of ['architect', 'security-analyst'])
      expect(await reads(mum, agent)).toEqual(phase);
  });

  test('a conflict is voted on, and the votes reach the orchestrator as they were cast', async () => {
    for (const agent of ['architect', 'security-analyst']) {
      const vote = message('VOTE', agent, 'orchestrator', {
        conflict_id: 'CONF-001',
        position: { choice: agent === 'architect' ? 'A' : 'B', confidence: 85, evidence: [] },
        compromise: { acceptable: true, conditions: ['Tests'] },
        veto: agent === 'security-analyst',
        veto_reason: null,
      });
      await says(mum, agent, vote);
      expect(await reads(dad, 'orchestrator')).toEqual(vote);
    }
  });

  test('a veto is decided by a person, and the architect who asked reads what was decided', async () => {
    const veto = message('ESCALATE', 'security-analyst', 'orchestrator', {
      escalation_type: 'VETO',
      severity: 'CRITICAL',
      reason: 'Proposed implementation stores refresh tokens in localStorage',
      context: {
        decision_needed: 'Where are the tokens stored?',
        options: [
          { option: 'Cookies', pros: ['Safe'] },
          { option: 'localStorage', cons: ['Not'] },
        ],
        recommendation: 'Cookies',
      },
    });
    await says(mum, 'security-analyst', veto);
    const { id, revision, digest, choice } = dad.card;
    expect(choice).toMatchObject({ recommended: '1' });
    await dad.work.approvals.decide(
      { id, revision, digest, decision: 'answer', choice: '1' },
      BROWSER,
    );
    await clock.settle();
    expect(await reads(mum, 'security-analyst')).toMatchObject({
      type: 'RESPONSE',
      correlation_id: veto['id'],
      payload: { status: 'SUCCESS', result: { summary: 'Cookies' } },
    });
  });
});

test('data analysis goes to the agent that can do it, and the answer stays in the conversation', async () => {
  await agents('fipa-acl', ['agent-a'], {
    'data-analyzer': { capabilities: ['data-analysis', 'report-generation'] },
    painter: { capabilities: ['image-processing'] },
  });
  const request = {
    performative: 'REQUEST',
    sender: 'agent-a',
    capability: 'data-analysis',
    content: { text: 'Please analyze sales data from Q3' },
    conversation_id: 'conversation-1',
    reply_with: 'message-1',
    protocol: 'SingleRecipient',
    language: 'en',
  };
  await says(dad, 'agent-a', request);
  expect(await reads(mum, 'data-analyzer')).toEqual(request);
  const inform = {
    performative: 'INFORM',
    sender: 'DataAnalyzer',
    capability: 'data-analysis',
    content: { structured: { growth: 0.03 } },
    conversation_id: 'conversation-1',
    in_reply_to: 'message-1',
  };
  await says(mum, 'data-analyzer', inform);
  expect(await reads(dad, 'agent-a')).toEqual(inform);
  expect(dad.store.read.tasks({ limit: 1 })[0]).toMatchObject({ conversationId: 'conversation-1' });
  const nobody = { ...request, capability: 'cooking', reply_with: 'message-2' };
  await expect(says(dad, 'agent-a', nobody)).rejects.toMatchObject({ code: 'unknown_domain' });
});

describe('Eddy and Jules', () => {
  beforeEach(() => agents('elizaos', ['eddy', 'ide-plugin'], { jules: {} }));
  const message = (performative: string, from: string, payload: JsonObject, more: JsonObject) => ({
    mcp_version: '0.1.0',
    message_id: `${from}-${performative}`,
    performative,
    sender: { agent_id: from },
    receiver: { agent_id: from === 'Jules' ? 'Eddy' : 'Jules' },
    language: 'application/json',
    timestamp: '2025-05-20T10:00:00Z',
    payload,
    ...more,
  });

  test.each([
    ['Eddy', 'eddy', 'code/python/debug_request', 'debug_code', 'success'],
    [
      'IDE-Plugin',
      'ide-plugin',
      'code/general/refactor_request',
      'refactor_code_snippet',
      'failure',
    ],
  ])(
    '%s delegates, hears that it was accepted, and what came of it',
    async (name, asker, ontology, type, status) => {
      const task = message(
        'TASK_REQUEST',
        name,
        { task_type: type, task_description: 'Look at this', task_parameters: { code: 'a[9]' } },
        { ontology: `elizaos:ontology:${ontology}`, reply_with: `${asker}-task` },
      );
      await says(dad, asker, task);
      expect(await reads(mum, 'jules')).toEqual(task);
      const accept = message(
        'TASK_ACCEPT',
        'Jules',
        { status: 'accepted', estimated_completion_time: 'PT5M' },
        { in_reply_to: task.message_id },
      );
      await says(mum, 'jules', accept);
      expect(await reads(dad, asker)).toEqual(accept);
      const result = message(
        'INFORM_RESULT',
        'Jules',
        {
          task_status: status,
          result_summary: 'Looked at',
          result_details: { suggestions: [{ change_type: 'rename_variable', confidence: 0.9 }] },
          artifacts: [{ type: 'file', path: '/path/to/fixed_script.py' }],
        },
        { in_reply_to: `${asker}-task` },
      );
      await says(mum, 'jules', result);
      expect(await reads(dad, asker)).toEqual(result);
    },
  );
});
