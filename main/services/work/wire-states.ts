// The words for how far a request is, as they cross the wire (PROTOCOL.md, Delegation states), and what they are called everywhere else. The one
// place that knows both; nothing else may spell the wire's.
import type { TaskState } from '../../core/task-state.ts';
import type { AckPayload } from '../../protocol/payloads.ts';

export type WireState = NonNullable<AckPayload['state']>;
/** The states that another hub is told of before the end. */
export type ToldState = Extract<TaskState, 'awaiting_approval' | 'queued' | 'running'>;

const WIRE: Readonly<Record<ToldState, WireState>> = { awaiting_approval: 'pending_approval', queued: 'queued', running: 'working' };
const TOLD: Readonly<Record<WireState, ToldState>> = { pending_approval: 'awaiting_approval', queued: 'queued', working: 'running' };

export function toWire(state: ToldState): WireState {
  return WIRE[state];
}

export function fromWire(state: WireState): ToldState {
  return TOLD[state];
}

/** As `fromWire`, for a word from outside; undefined for one that is none of these. */
export function readWireState(word: unknown): ToldState | undefined {
  return typeof word === 'string' && Object.hasOwn(TOLD, word) ? TOLD[word as WireState] : undefined; // just looked up
}
