// The requests, rules and rows of the record of the hostile household: each kind that a page draws
// in a way of its own, with somebody else's words in every field that may hold them.
import { RULE_REACHES } from '../../preload/contract/closed-lists.ts';
import type { AuditCheckDto, AuditRowDto } from '../../preload/contract/audit.ts';
import type { ApprovalDto, ChoiceDto } from '../../preload/contract/dto.ts';
import type { RuleDto } from '../../preload/contract/rules.ts';
import { approvalOf } from './household.ts';
import { ruleOf } from './household-rules.ts';

/** The hostile text of this number; the numbers go round. */
export type Words = (index: number) => string;

const optionsOf = (at: Words, index: number): ChoiceDto => ({
  options: [
    {
      id: at(index + 1),
      label: at(index + 2),
      pros: [at(index + 3), at(index + 4)],
      cons: [at(index + 5)],
    },
    { id: at(index + 6), label: at(index + 7), pros: [], cons: [at(index + 8)] },
  ],
  recommended: at(index + 6),
});

/** What makes a card one of its own kind. */
const KINDS: readonly ((at: Words, index: number) => Partial<ApprovalDto>)[] = [
  () => ({ risk_class: 'R3' }),
  () => ({ risk_class: 'R2' }),
  (at, index) => ({
    risk_class: 'R0',
    risk_reason: 'nothing_runs',
    to_agent: '',
    choice: optionsOf(at, index),
    wider: [],
  }),
  (at, index) => ({
    risk_class: 'R2',
    remote_question: {
      asker: at(index + 1),
      by_person: false,
      digest: at(index + 2),
      message_id: at(index + 3),
    },
  }),
  (at, index) => ({
    risk_class: 'R3',
    decided_by_hubs: [
      { id: 'ed25519.a', name: at(index + 1), person: at(index + 2), state: 'asked' },
      { id: 'ed25519.b', name: at(index + 3), person: null, state: 'away' },
    ],
  }),
  // What stands together shares these, whoever wrote them.
  (at) => ({
    risk_class: 'R1',
    peer_name: at(0),
    from_agent: at(1),
    to_agent: at(2),
    domain: at(3),
    leaves: 'nothing',
  }),
];

export function hostileRequests(words: readonly string[], at: Words): readonly ApprovalDto[] {
  return words.map((word, index) =>
    approvalOf(`hostile ${index}`, {
      text: word,
      fields: [[at(index + 1), at(index + 2)]],
      reason: at(index + 3),
      from_agent: at(index + 4),
      peer_name: at(index + 5),
      person: at(index + 6),
      to_agent: at(index + 7),
      domain: at(index + 8),
      conversation_id: at(index + 9),
      ...KINDS[index % KINDS.length]?.(at, index),
    }),
  );
}

/** Declined, answered in words, answered by a choice, and let in by a rule. */
export function hostileDecisions(words: readonly string[], at: Words): readonly ApprovalDto[] {
  return words.slice(0, 8).map((word, index) => {
    const said = {
      text: word,
      decided_by: at(index + 2),
      peer_name: at(index + 3),
      to_agent: at(index + 4),
      wider: [],
    };
    const kinds: readonly Partial<ApprovalDto>[] = [
      { state: 'declined', decline_reason: at(index + 1) },
      {
        state: 'answered',
        task_state: 'completed',
        own_answer: { text: at(index + 5), choice: null },
      },
      {
        state: 'answered',
        task_state: 'completed',
        choice: optionsOf(at, index),
        own_answer: { text: at(index + 2), choice: at(index + 1) },
      },
      { state: 'approved', task_state: 'completed', surface: 'rule', rule_id: at(index) },
    ];
    return approvalOf(`decided ${index}`, { ...said, ...kinds[index % kinds.length] });
  });
}

export function hostileRules(words: readonly string[], at: Words): readonly RuleDto[] {
  return words.map((word, index) =>
    ruleOf(`hostile ${index}`, {
      effect: index % 4 === 3 ? 'never' : 'allow',
      reach: RULE_REACHES[index % RULE_REACHES.length] ?? 'always',
      peer_name: word,
      agent: at(index + 1),
      domain: at(index + 2),
      asking_agent: at(index + 3),
      topic: at(index + 4),
      conversation_id: at(index + 5),
      conversation_title: at(index + 6),
      risk_max: index % 4 === 3 ? null : 'R1',
    }),
  );
}

const ACTIONS = [
  'agent.created',
  'registration.declined',
  'rule.made',
  'settings.changed',
  'token.revoked',
  'peer.revoked',
];

export function hostileRows(words: readonly string[], at: Words): readonly AuditRowDto[] {
  return words.map((word, index) => ({
    seq: index + 1,
    at: 0,
    monotonic_ms: null,
    actor: index % 2 === 0 ? word : `agent:${word}`,
    surface: 'http',
    action: index % 7 === 6 ? at(index + 1) : (ACTIONS[index % 7] ?? ''),
    object: at(index + 2),
    rule: at(index + 3),
    digest: at(index + 4),
    detail: { agent: at(index + 5), [at(index + 6)]: at(index + 7) },
  }));
}

/** What a check says of a log into which another program wrote. */
export function hostileCheck(words: readonly string[], at: Words): AuditCheckDto {
  return {
    state: 'done',
    rows: words.length,
    checked: words.length,
    signed_seq: 1,
    signatures: 1,
    counted: true,
    finished_at: 0,
    finding: { kind: 'changed', row: 1, up_to: 1, following: words.length },
    acknowledged: [{ row: 1, acknowledged_row: 2, at: 0, by: at(0) }],
    problem: null,
  };
}
