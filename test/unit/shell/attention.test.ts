import { describe, expect, test } from 'vitest';
import { Attention } from '../../../main/shell/attention.ts';
import type { ApprovalDto, UiEvent } from '../../../preload/contract/dto.ts';

const approval = (id: string, state: ApprovalDto['state'] = 'pending'): ApprovalDto => ({
  id,
  task_id: id,
  revision: 1,
  digest: '0'.repeat(64),
  state,
  kind: 'delegate',
  peer_id: null,
  peer_name: 'Dad',
  person: null,
  verified: true,
  from_agent: null,
  to_agent: 'claude',
  domain: null,
  risk_class: 'R2',
  risk_reason: 'agent_class',
  text: 'text',
  text_length: 4,
  fields: [],
  reason: null,
  urgent: false,
  first_time: null,
  leaves: 'result',
  report_back: true,
  received_at: 0,
  expires_at: 1,
  deadline_at: 1,
  wait_ms: 1,
  keep_open_until: null,
  held: null,
  decided_at: null,
  decided_by: null,
  surface: null,
  rule_id: null,
  decline_reason: null,
  own_answer: null,
  choice: null,
  conversation_id: 'c',
  message_id: 'm',
  task_state: 'awaiting_approval',
  wider: [],
  allowed_before: 0,
});

function watched() {
  const seen: string[] = [];
  const attention = new Attention({
    showCount: (count) => seen.push(`count ${count}`),
    notify: (id, name) => seen.push(`notify ${id} ${name}`),
    withdraw: (id) => seen.push(`withdraw ${id}`),
  });
  return { attention, seen };
}

const event = (body: Record<string, unknown>): UiEvent => ({ seq: 1, ...body }) as UiEvent;

describe('attention outside the window', () => {
  test('counts exactly the requests that wait', () => {
    const { attention, seen } = watched();
    attention.reset([approval('a'), approval('b'), approval('c', 'declined')]);
    attention.apply(event({ type: 'approval', approval: approval('a', 'approved') }));
    attention.apply(event({ type: 'approval', approval: approval('a', 'approved') }));
    attention.apply(event({ type: 'approval', approval: approval('d') }));
    expect(attention.count).toBe(2);
    expect(seen).toEqual(['count 2', 'withdraw a', 'count 1', 'count 2']);
  });

  test('notifies only for a request that still waits', () => {
    const { attention, seen } = watched();
    attention.reset([]);
    attention.apply(event({ type: 'attention', approval_id: 'gone', peer_name: 'Dad' }));
    attention.apply(event({ type: 'approval', approval: approval('a') }));
    attention.apply(event({ type: 'attention', approval_id: 'a', peer_name: 'Dad' }));
    expect(seen).toEqual(['count 0', 'count 1', 'notify a Dad']);
  });
});
