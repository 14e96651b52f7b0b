// The states of a delegation (PROTOCOL.md, Delegation states) and of a query that waits for a
// person. Terminal states never change. This file says which moves exist; who may make one, and
// when, is decided elsewhere.

import {
  TERMINAL_TASK_STATES,
  type TaskDirection,
  type TaskState,
} from '../../preload/contract/closed-lists.ts';

export type { TaskState };

const TERMINAL: ReadonlySet<TaskState> = new Set(TERMINAL_TASK_STATES);

/**
 * For work that runs here. Nothing reaches an agent's queue except through `approved`, by a person
 * or by a rule; what a person answers without an agent is `completed` at once.
 */
const MOVES_HERE: Readonly<Record<TaskState, readonly TaskState[]>> = {
  sending: [],
  cancelling: [],
  received: ['awaiting_approval', 'approved', 'failed', 'declined', 'expired', 'cancelled'],
  awaiting_approval: [
    'held',
    'approved',
    'completed',
    'failed',
    'declined',
    'expired',
    'cancelled',
  ],
  held: [
    'awaiting_approval',
    'approved',
    'completed',
    'failed',
    'declined',
    'expired',
    'cancelled',
  ],
  approved: ['queued', 'failed', 'cancelled'],
  queued: ['claimed', 'failed', 'cancelled'],
  // An agent may answer at once, without saying first that it has begun; an expired lease puts the
  // work back, and so does an agent that gives back what it had begun.
  claimed: ['queued', 'running', 'completed', 'partial', 'failed', 'cancelled'],
  running: ['queued', 'completed', 'partial', 'failed', 'cancelled'],
  completed: [],
  partial: [],
  failed: [],
  declined: [],
  expired: [],
  cancelled: [],
};

/**
 * What is seen from afar may skip steps and come out of order, but never begins again and never
 * leaves its end. Once it is being cancelled only its end counts: how far it had come is old news.
 */
function canObserve(from: TaskState, to: TaskState): boolean {
  if (from === 'cancelling') return TERMINAL.has(to);
  return !TERMINAL.has(from) && to !== 'sending' && from !== to;
}

export function isTerminal(state: TaskState): boolean {
  return TERMINAL.has(state);
}

/**
 * True when a task may go from one state to another.
 * @param direction `outgoing` for a task another hub runs, of which we see only what it tells; else
 * it runs here
 */
export function canMove(
  from: TaskState,
  to: TaskState,
  direction: TaskDirection = 'incoming',
): boolean {
  return direction === 'outgoing' ? canObserve(from, to) : MOVES_HERE[from].includes(to);
}
