// What an inbox item is, and the interface of its stores: the database, or the memory of this run
// for questions whose asker waits. Types only; lifecycle.ts treats both alike.
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import type { AppError } from '../../lib/app-error.ts';
import type { Result } from '../../lib/result.ts';
import type { DeliveryRow, TaskRow } from '../../ports/store.ts';
import type { Untrusted } from '../tasks/approved-payload.ts';
import type { AgentReply } from './agent-reply.ts';

export type Item = DeliveryRow;
/** The hub, and its agent if one asked. */
export type Asker = Omit<Untrusted['origin'], 'peer_id'>;
export type ItemKinds = readonly DeliveryRow['kind'][] | null;
type ItemChange = Partial<
  Pick<DeliveryRow, 'state' | 'attempt' | 'leaseUntilWallMs' | 'finishedAt'>
>;

/** What an agent says as it begins. */
export interface Begun {
  readonly estimatedMs: number | null;
  /** false: it only hands it on. */
  readonly isAccepted: boolean;
}

/** An item that nobody has taken. */
export interface WaitingItem {
  readonly id: string;
  /** In the order of the inbox; 0: it is kept in memory alone. */
  readonly seq: number;
  /** The id of the hub that it is from; null: this one. */
  readonly hub: string | null;
}

export type ListedState = 'claimed' | 'running' | 'dead';

export interface ItemStore {
  /** A look before a step, so that nobody writes in vain. */
  isWaiting(agent: string, kinds: ItemKinds): boolean;
  /** Everything in it becomes true together, and before the promise settles. */
  step<T>(work: (step: Step) => T): Promise<T>;
  /** Above `afterSeq`, the oldest first. */
  list(agent: string, state: ListedState, afterSeq: number, limit: number): readonly Item[];
  leasedCount(agent: string): number;
  /** Of every agent, at the start. */
  leased(): readonly Item[];
  /**
   * As it is delivered; undefined when its words cannot be read.
   * @param words when they were read already
   * @param task the same
   */
  dto(item: Item, words?: Untrusted, task?: TaskRow): DeliveryDto | undefined;
}

/** One step in the life of items, and what hangs on them. */
export interface Step {
  /** Registers what follows once the step is done. */
  readonly after: (effect: () => void) => void;
  find(deliveryId: string): Item | undefined;
  /** What it ended as, where this agent answered it and it is not kept. */
  answeredBefore(agent: string, deliveryId: string): string | undefined;
  claimable(agent: string, kinds: ItemKinds, max: number): readonly Item[];
  put(item: Item, change: ItemChange): Item;
  /**
   * What its agent may read of it. The error says why nobody may; then it is over with this step.
   */
  words(item: Item): Result<Untrusted, AppError>;
  /** It was delivered. */
  claimed(item: Item): void;
  /** Whether somebody asked for it to stop; then it is over with this step. */
  endIfCancelled(item: Item, by: 'agent' | 'hub'): boolean;
  /** Its agent has it. */
  begun(item: Item, begun: Begun): void;
  /** Its agent, which has it already, says how long it takes. */
  estimated(item: Item, estimatedMs: number): void;
  /** It waits again, or is dead. */
  returned(item: Item): void;
  /** Nobody knows whether what was begun was done: it is over. */
  cutOff(item: Item): void;
  /**
   * The earlier answer, if this very reply was given already.
   * @throws AppError bad_request where none is wanted
   */
  answered(item: Item, reply: AgentReply): string | undefined;
  /**
   * Its agent is done with it. Returns the state that leaves the work in.
   * @throws AppError payload_too_large
   */
  replied(item: Item, reply: AgentReply): string;
  /** Who gets its reply. */
  askerOf(item: Item): Asker;
  /** The task that it is to be done; undefined where that is nobody's concern. */
  taskOf(item: Item): TaskRow | undefined;
}
