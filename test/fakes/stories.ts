// Stories of requests for tests of what shows them: made by core/story.ts from a row of which a
// test names only what it is about.
import { storyOf } from '../../main/core/story.ts';
import {
  UNTOLD,
  type StoryApproval,
  type StoryContext,
  type StoryRow,
} from '../../main/core/story-row.ts';
import {
  isOneOf,
  TASK_STATES,
  TERMINAL_TASK_STATES,
  type ApprovalState,
  type TaskState,
} from '../../preload/contract/closed-lists.ts';
import type { ApprovalDto } from '../../preload/contract/dto.ts';
import type { PlaceDto, StoryDto, StoryKind, StoryRuleDto } from '../../preload/contract/story.ts';

const ASKED_AT = 1_800_000_000_000;
const MINUTE = 60_000;

export const HERE: PlaceDto = { here: true, hub_id: null, hub_name: 'Mum’s PC' };
export const DADS: PlaceDto = { here: false, hub_id: 'dad', hub_name: 'Dad’s laptop' };
export const LEOS: PlaceDto = { here: false, hub_id: 'leo', hub_name: 'Leo’s tablet' };

/** A task from Dad's laptop to Chat here, which waits for a person. */
export function storyRow(row: Partial<StoryRow> = {}): StoryRow {
  return {
    ...UNTOLD,
    direction: 'incoming',
    kind: 'delegate',
    party: 'dad',
    state: 'awaiting_approval',
    fromAgent: 'openclaw',
    toAgent: 'chat',
    reportBack: true,
    receivedAt: ASKED_AT,
    finishedAt: null,
    result: null,
    code: null,
    reason: null,
    decision: null,
    cancelCause: null,
    cancelAnswer: null,
    heldUntil: null,
    heldWhy: null,
    ...row,
  };
}

const AGENTS: Readonly<Record<string, string>> = { openclaw: 'OpenClaw', chat: 'Chat' };
const PLACES: Readonly<Record<string, PlaceDto>> = { dad: DADS, leo: LEOS };
const PEOPLE: Readonly<Record<string, string>> = { dad: 'Dad', leo: 'Leo' };

export function storyContext(context: Partial<StoryContext> = {}): StoryContext {
  return {
    here: HERE,
    person: 'Mum',
    place: (party) => PLACES[party] ?? HERE,
    personAt: (party) => PEOPLE[party] ?? null,
    agentName: (_, handle) => AGENTS[handle] ?? handle,
    isOwner: false,
    isForAgent: false,
    rule: () => null,
    away: () => null,
    adults: null,
    handOnWaits: null,
    kind: 'task',
    onBehalfOf: null,
    until: ASKED_AT + 60 * MINUTE,
    waitsUntil: ASKED_AT + 15 * MINUTE,
    ...context,
  };
}

export function story(
  row: Partial<StoryRow> = {},
  context: Partial<StoryContext> = {},
  approval?: StoryApproval,
): StoryDto {
  return storyOf(storyRow(row), approval, storyContext(context));
}

const ENDED: Readonly<Record<Exclude<ApprovalState, 'pending' | 'approved'>, TaskState>> = {
  answered: 'completed',
  declined: 'declined',
  expired: 'expired',
  cancelled: 'cancelled',
};
const WAITING: readonly string[] = ['awaiting_approval', 'held'];
type Card = Omit<ApprovalDto, 'story'>;
/** Those that a test did not tell itself. */
const derived = new WeakSet<StoryDto>();
const derivedFromState = new WeakSet<StoryDto>();

/** Where the task of this card stands, whatever the card was copied from. */
function taskStateOf({ state, task_state: task, remote_question: asked, held }: Card): TaskState {
  if (state === 'pending') return held === null ? 'awaiting_approval' : 'held';
  if (state !== 'approved') return ENDED[state];
  if (asked !== null) return 'completed';
  return isOneOf(TASK_STATES, task) && !WAITING.includes(task) ? task : 'queued';
}

function kindOf({ remote_question: asked, choice, kind, permission }: Card): StoryKind {
  if (permission !== null) return 'permission';
  if (asked !== null) return 'decision';
  if (choice !== null) return 'choice';
  return kind === 'query' ? 'question' : 'task';
}

/** What was answered by a person here, as the hub keeps it. */
function answerOf({ own_answer: own, decided_by: by }: Card): string | null {
  if (own === null) return null;
  const data = own.choice === null ? null : { choice: own.choice };
  return JSON.stringify({ status: 'completed', outcome: own.text, data, answered_by: by ?? 'Mum' });
}

/** As the hub tells it beside this card. */
export function storyOfApproval(card: Card, rules: readonly StoryRuleDto[] = []): StoryDto {
  const { peer_id: peer, to_agent: to, decided_by_hubs: adults } = card;
  const there = { here: false, hub_id: peer, hub_name: card.peer_name };
  const state = taskStateOf(card);
  const isEnded = isOneOf(TERMINAL_TASK_STATES, state);
  const isPersons = isEnded && (card.state !== 'approved' || card.remote_question !== null);
  const row: Partial<StoryRow> = {
    direction: peer === null ? 'local' : 'incoming',
    kind: card.kind,
    party: 'dad',
    state,
    fromAgent: card.from_agent,
    toAgent: to === '' || card.remote_question !== null ? null : to,
    receivedAt: card.received_at,
    finishedAt: card.decided_at,
    heldUntil: card.held?.until ?? null,
    heldWhy: card.held?.why ?? null,
    reason: card.decline_reason,
    result: answerOf(card),
    ...(isPersons ? { endedBy: 'person' } : {}),
    ...(isPersons && state === 'completed' ? { endedKind: 'completed' } : {}),
  };
  const approval: StoryApproval = {
    state: card.state,
    digest: card.digest,
    decidedAt: card.decided_at,
    decidedBy: card.decided_by,
    surface: card.surface,
    ruleId: card.rule_id,
    reason: card.decline_reason,
  };
  const made = story(
    row,
    {
      place: (party) => (party === 'dad' && peer !== null ? there : HERE),
      personAt: () => card.person,
      rule: (id) => rules.find((rule) => rule.id === id) ?? null,
      agentName: (_, handle) => (handle === to ? card.to_name : (card.from_name ?? handle)),
      kind: kindOf(card),
      adults: adults?.map(({ name }) => ({ ...there, hub_name: name })) ?? null,
      until: card.deadline_at,
      waitsUntil: card.expires_at,
    },
    approval,
  );
  derived.add(made);
  return made;
}

/** The same card with the story that it has by now, unless a test told one itself. */
export function inStep(card: ApprovalDto, rules: readonly StoryRuleDto[] = []): ApprovalDto {
  return derived.has(card.story) ? { ...card, story: storyOfApproval(card, rules) } : card;
}

/** Of a task that stands so, as far as its state tells; null: it has none that is known. */
export function storyIn(state: string | null): StoryDto | null {
  const finishedAt = isOneOf(TERMINAL_TASK_STATES, state) ? ASKED_AT : null;
  if (!isOneOf(TASK_STATES, state)) return null;
  const verdict = state === 'declined' || state === 'expired' ? state : null;
  const made = story({ state, finishedAt, verdict });
  derivedFromState.add(made);
  return made;
}

/** The same entry or conversation with the story of its state, unless a test told one itself. */
export function inStepWithState<T extends { readonly state: string | null }>(
  of: T & { readonly story: StoryDto | null },
): T & { readonly story: StoryDto | null } {
  const isTold = of.story !== null && !derivedFromState.has(of.story);
  return isTold ? of : { ...of, story: storyIn(of.state) };
}
