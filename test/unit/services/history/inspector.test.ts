// All that is known of one message, for a person.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

it('tells what was sent to the byte, why a person was asked, and when it was done', async () => {
  await dad.work.sender.delegate(
    delegation('mum', 'Tell them\u202e that dinner is at 7', { domain: 'family.chat' }),
    'openclaw',
    null,
  );
  await clock.settle();
  const waiting = mum.work.inspector.inspect(1);
  expect(waiting).toMatchObject({
    message: { kind: 'delegate', direction: 'in', from: { agent_name: 'OpenClaw' } },
    task: { state: 'awaiting_approval', story: { handed_over: { state: 'no' } } },
    approval: { state: 'pending', risk_reason: 'agent_class', rule_id: null },
  });
  expect(waiting.payload).toContain('Tell them[U+202E] that dinner is at 7');
  await clock.advance(5_000);
  await mum.decide(mum.card, 'allow');
  const { delivery_id } = await mum.claim('claude');
  await clock.advance(7_000);
  await mum.work.inbox.reply('claude', delivery_id, {
    status: 'completed',
    outcome: 'Told',
    truncated: false,
  });
  await clock.settle();
  const { approval, task, bytes, payload } = mum.work.inspector.inspect(1);
  expect(bytes).toBe(Buffer.byteLength(payload?.replace('[U+202E]', '\u202e') ?? ''));
  expect((approval?.decided_at ?? 0) - (approval?.received_at ?? 0)).toBe(5_000);
  expect((task?.finished_at ?? 0) - (task?.created_at ?? 0)).toBe(12_000);
  expect(task?.story.handed_over).toMatchObject({ agent: 'Claude', times: 1 });
  const sent = dad.work.inspector.inspect(1);
  expect(sent).toMatchObject({ message: { direction: 'out' }, bytes, approval: null });
});

it('says that there is no such message', () => {
  expect(() => mum.work.inspector.inspect(99)).toThrow(/no such message/);
});
