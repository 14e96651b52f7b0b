// The words for how far a request is, as they cross the wire (PROTOCOL.md, Delegation states), and what they are called everywhere else. The one
// place that knows both; nothing else may spell the wire's.
import type { TaskState } from '../../core/task-state.ts';
import type { AckPayload } from '../../protocol/payloads.ts';

type WireState = NonNullable<AckPayload['state']>;
/** The states that another hub is told of before the end. */
export type ToldState = Extract<TaskState, 'awaiting_approval' | 'held' | 'queued' | 'running'>;
/** In an ack a held request is `pending_approval` with a field beside it, which hubs that know no `held` pass over. */
type ToldWord = WireState | 'held';

const WIRE = { awaiting_approval: 'pending_approval', held: 'held', queued: 'queued', running: 'working' } as const satisfies Readonly<
  Record<ToldState, ToldWord>
>;
const TOLD: Readonly<Record<ToldWord, ToldState>> = {
  pending_approval: 'awaiting_approval',
  held: 'held',
  queued: 'queued',
  working: 'running',
};

export function toWire<State extends ToldState>(state: State): (typeof WIRE)[State] {
  return WIRE[state];
}

export function fromWire(state: WireState): ToldState {
  return TOLD[state];
}

/** As `fromWire`, for a word from outside; undefined for one that is none of these. */
export function readWireState(word: unknown): ToldState | undefined {
  return typeof word === 'string' && Object.hasOwn(TOLD, word) ? TOLD[word as ToldWord] : undefined; // just looked up
}
