// A hand-off: an agent passes on what it was asked by a delegation of its own. That one names what
// it goes on with, and its end is the end of both; a cancel of the first is a cancel of the second
// (PROTOCOL.md, Dialects). Nothing is kept but who has it now.
import { OPEN_TASK_STATES } from '../../../preload/contract/closed-lists.ts';
import type { Surface } from '../../../preload/contract/dto.ts';
import type { EndedKind } from '../../../preload/contract/story.ts';
import { handedOnTo, type HandedOn, type StoryColumns } from '../../core/story-row.ts';
import type { Random } from '../../ports/clock.ts';
import { inputError, type AppError } from '../../lib/app-error.ts';
import { isJsonObject, readObject } from '../../lib/json-object.ts';
import type { Reads, Store, TaskRow, Tables } from '../../ports/store.ts';
import type { PartyKey } from '../../ports/transport.ts';
import { HAND_OFF } from '../../protocol/escalation.ts';
import type { After } from '../base/unit-of-work.ts';
import { agentOfParty, isLocal, OWNER_PARTY, partyOfAgent, type Parties } from './parties.ts';
import {
  isOffer,
  STOPPED_HERE,
  type Ended,
  type EndedTask,
  type Ending,
  type ResultWords,
  type TaskEndings,
} from './task-endings.ts';
import type { TaskEvents } from './task-events.ts';
import { answererOf, changeTask, isInHand, isOpen, isStoppedHere } from './task-moves.ts';
import type { AskedWork } from './work-request.ts';

/** Who asks for a stop, and why. */
export interface Stop {
  readonly messageId: string;
  /** Escaped. */
  readonly reason: string | null;
  /** A hub or an agent, or a person here, by name where there is one. */
  readonly asks: { readonly party: PartyKey } | { readonly person: string | null };
  readonly by: string;
  readonly surface: Surface;
  readonly from: 'asker' | 'hub';
}

/** The same as the row of a task has it. */
export function stopOf(
  asks: Stop['asks'],
): Pick<Partial<StoryColumns>, 'stopParty' | 'stopPerson'> {
  return 'party' in asks ? { stopParty: asks.party } : { stopPerson: asks.person };
}

interface Deps {
  readonly random: Random;
  readonly endings: TaskEndings;
  readonly events: TaskEvents;
  readonly store: Pick<Store, 'read'>;
  readonly parties: Pick<Parties, 'nameOf' | 'agentName'>;
  /** Tells whoever asked which agent has it now, without a name where it is not known; null: the
   * agent that had it before. */
  readonly tell: (task: TaskRow, handedOnTo: string | null) => void;
  /** The same of whom its agent wants to hand it on to, while that waits for a person. */
  readonly tellWanted: (task: TaskRow, agent: string) => void;
  readonly cancelHere: (tables: Tables, after: After, task: TaskRow, stop: Stop) => void;
  readonly cancelThere: (tables: Tables, after: After, task: TaskRow, stop: Stop) => void;
}

/** Tasks read at once. */
const TASKS_PAGE = 50;
/** Of an answer that is passed on, so that it fits again into one message. */
const PASSED_ON_MAX_BYTES = 60_000;
const BACK = 'It would go back to where it came from.';
const INSTEAD = 'Answer it instead, and say there who should do it.';
const IN_HAND = ['claimed', 'running'] as const;
const IN_HAND_MAX = 500;

/** What this delegation of an agent here goes on with, while that agent has it. */
export function handedOn(
  reads: Pick<Reads, 'deliveriesOfAgent' | 'task'>,
  { party, payload }: { readonly party: PartyKey; readonly payload: unknown },
): TaskRow | undefined {
  const agent = agentOfParty(party);
  if (!isJsonObject(payload) || payload['act'] !== HAND_OFF || agent === null) return undefined;
  const items = reads.deliveriesOfAgent(agent, IN_HAND, { limit: IN_HAND_MAX });
  for (const { kind, taskId } of items) {
    const one = kind === 'delegate' && taskId !== null ? reads.task(taskId) : undefined;
    if (one === undefined || one.direction === 'outgoing' || !isOnwards(payload, one)) continue;
    if (one.toAgent === agent && isInHand(one)) return one;
  }
  return undefined;
}

/**
 * What was handed on from here, here or by whoever this hub asked, does not come back on the way
 * round. @throws AppError conflict
 */
export function checkNoWayBack(
  reads: Pick<Reads, 'hasOpenTask' | 'tasks'>,
  { party, payload, conversationId }: Pick<AskedWork, 'party' | 'payload' | 'conversationId'>,
): void {
  if (isLocal(party) || payload['act'] !== HAND_OFF || conversationId === null) return;
  if (!conversationId.isWellFormed() || !reads.hasOpenTask(conversationId, null)) return;
  for (const one of ofConversation(reads, conversationId))
    if (one.handedOnTo !== null && isOpen(one)) throw refused(BACK, INSTEAD);
}

export class HandOffs {
  readonly #deps: Deps;
  /** Hand-offs that nobody has let through, and whether whoever asked first was told so. */
  #undecided: Map<string, boolean> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Inside the commit that ends what was handed on, or the hand-off. */
  ended(tables: Tables, after: After, ended: EndedTask): void {
    if (ended.task.kind !== 'delegate') return;
    this.#firstEnded(tables, after, ended);
    this.#handOffEnded(tables, after, ended);
  }

  /**
   * Inside the commit that makes the hand-off, after it is stored. Nothing, where it goes on with
   * nothing.
   * @throws AppError conflict
   */
  begun(tables: Tables, after: After, handOff: TaskRow): void {
    const first = this.#firstOf(tables, handOff);
    if (first === undefined) return;
    if (first.handedOnTo !== null)
      throw refused('It is handed on already.', 'Cancel the first hand-off, then hand it on anew.');
    if (first.stopAt !== null) throw refused('It was cancelled, so it is not handed on.');
    if (this.#isHeldBy(tables, first, handOff)) throw refused(BACK, INSTEAD);
    const to = { hub: hubOf(handOff), agent: handOff.toAgent };
    if (!isUndecided(handOff)) return this.#set(tables, after, first, to);
    const changed = changeTask(tables, first, { handedOnTo: handedOnTo(to) });
    after(() => {
      this.#lookAfter(handOff.id);
      this.#deps.events.changed(changed.id);
      this.#tellHow(handOff);
    });
  }

  /** Inside the commit that takes up the work of the run before. */
  resume(tables: Tables, after: After): void {
    for (const handOff of tables.tasksInStates([...UNDECIDED]))
      if (this.#firstOf(tables, handOff) !== undefined) after(() => this.#lookAfter(handOff.id));
  }

  #lookAfter(handOff: string): void {
    const { events, store } = this.#deps;
    this.#undecided?.set(handOff, false);
    if (this.#undecided !== undefined) return;
    const undecided = new Map([[handOff, false]]);
    this.#undecided = undecided;
    events.onChanged(({ taskId }) => {
      if (undecided.has(taskId)) this.#tellHow(store.read.task(taskId));
    });
  }

  /** It is handed on once it may be, and not as soon as somebody wants to. */
  #tellHow(handOff: TaskRow | undefined): void {
    if (handOff === undefined) return;
    const { events, store, tell, tellWanted } = this.#deps;
    const agent = handOff.toAgent ?? '';
    if (isUndecided(handOff)) {
      // Nobody is known to be asked yet.
      if (handOff.state === 'sending' || this.#undecided?.get(handOff.id) === true) return;
      this.#undecided?.set(handOff.id, true);
      const waiting = this.#firstOf(store.read, handOff);
      if (waiting !== undefined) tellWanted(waiting, agent);
      return;
    }
    this.#undecided?.delete(handOff.id);
    if (!isOpen(handOff)) return;
    const first = this.#firstOf(store.read, handOff);
    if (first === undefined || first.handedOnTo === null) return;
    events.changed(first.id);
    tell(first, agent);
  }

  /** A cancel of what was handed on, or a person's stop. */
  passOn(tables: Tables, after: After, first: TaskRow, stop: Stop): void {
    const handOff = handOffOf(tables, first);
    if (handOff === undefined) return;
    if (handOff.direction === 'outgoing') {
      if (handOff.state !== 'cancelling') this.#deps.cancelThere(tables, after, handOff, stop);
      return;
    }
    this.#deps.cancelHere(tables, after, handOff, stop);
  }

  /** Otherwise than by the hand-off: nobody waits for that any more. */
  #firstEnded(tables: Tables, after: After, { task, before }: EndedTask): void {
    if (before.handedOnTo === null || task.direction === 'outgoing') return;
    this.passOn(tables, after, task, {
      messageId: this.#deps.random.uuid(),
      reason: task.reason,
      asks: { party: task.party },
      by: 'hub',
      surface: 'hub',
      from: 'hub',
    });
  }

  #handOffEnded(tables: Tables, after: After, ended: EndedTask): void {
    const { task, ending, result } = ended;
    const first = this.#firstOf(tables, task);
    if (first === undefined || first.handedOnTo === null) return;
    // Its agent took it back, or was told at once that nobody took it: so it has it again.
    const isTakenBack =
      ending.from === 'asker' ||
      (task.stopParty === partyOfAgent(task.fromAgent) && !DONE.has(task.state));
    if (isTakenBack && first.stopAt === null) {
      this.#set(tables, after, first, null);
      return;
    }
    if (!isLocal(first.party) && task.direction === 'local')
      tables.addTokens(first.party, task.finishedAt ?? 0, 'here', result.tokens_used ?? 0);
    this.#deps.endings.end(
      tables,
      after,
      first,
      this.#neverHandedOn(ended) ?? endOfFirst(first, ended),
    );
  }

  /** Nobody let it through: what it was to be handed on to never had it. */
  #neverHandedOn({ task, ending }: EndedTask): Ending | undefined {
    if (task.state !== 'declined' && task.state !== 'expired') return undefined;
    const { parties } = this.#deps;
    const at = hubOf(task) ?? OWNER_PARTY;
    const hub = parties.nameOf(at);
    const never =
      task.toAgent === null ? '' : ` ${parties.agentName(at, task.toAgent)} never got it.`;
    const who = task.endedBy === 'person' || task.verdictAs !== null ? `A person at ${hub}` : hub;
    const isLate = task.state === 'expired';
    const reason = isLate
      ? `Nobody at ${hub} decided in time whether it may be handed on.`
      : `${who} declined that it is handed on.`;
    return {
      state: 'failed',
      code: 'unhandled',
      reason: `${reason}${never}`,
      by: ending.by,
      surface: ending.surface,
      from: 'hub',
      ended: { by: 'hub', kind: 'failed' },
      story: { handedOnTo: null },
    };
  }

  #set(tables: Tables, after: After, first: TaskRow, to: HandedOn | null): void {
    const changed = changeTask(tables, first, { handedOnTo: to && handedOnTo(to) });
    after(() => {
      this.#deps.events.changed(changed.id);
      this.#deps.tell(changed, to && (to.agent ?? ''));
    });
  }

  #firstOf(reads: Reads, { party, fromAgent, direction, payload }: TaskRow): TaskRow | undefined {
    if (direction === 'incoming' || fromAgent === null) return undefined;
    const by = direction === 'local' ? party : partyOfAgent(fromAgent);
    return handedOn(reads, { party: by, payload: readObject(payload) });
  }

  /** Whether one that waits for its end would get it. */
  #isHeldBy(reads: Reads, first: TaskRow, { direction, party, toAgent }: TaskRow): boolean {
    let holder: TaskRow | undefined = first;
    while (holder !== undefined) {
      const isAsker =
        direction === 'outgoing'
          ? holder.party === party
          : toAgent !== null && [holder.toAgent, askerHere(holder)].includes(toAgent);
      if (isAsker) return true;
      holder = this.#firstOf(reads, holder);
    }
    return false;
  }
}

/** The other hub that is asked by it. */
function hubOf({ direction, party }: TaskRow): PartyKey | null {
  return direction === 'outgoing' ? party : null;
}

/** The newest first. */
function* ofConversation(reads: Pick<Reads, 'tasks'>, conversationId: string): Generator<TaskRow> {
  for (let beforeSeq = Number.MAX_SAFE_INTEGER; ;) {
    const rows = reads.tasks({ limit: TASKS_PAGE, beforeSeq }, { conversationId });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    beforeSeq = last.seq;
  }
}

function askerHere({ direction, fromAgent }: TaskRow): string | null {
  return direction === 'local' ? fromAgent : null;
}

const UNDECIDED: ReadonlySet<TaskRow['state']> = new Set(['sending', 'awaiting_approval', 'held']);

/** Whether nobody has let it through, here or at the hub that was asked. */
function isUndecided({ state }: Pick<TaskRow, 'state'>): boolean {
  return UNDECIDED.has(state);
}

/** The hub where a hand-off of this waits for a decision; null: none does. */
export function handOnWaitsAt(reads: Reads, first: TaskRow): PartyKey | null {
  if (first.handedOnTo === null || first.direction === 'outgoing' || !isOpen(first)) return null;
  const handOff = handOffOf(reads, first);
  if (handOff === undefined || !isUndecided(handOff)) return null;
  return hubOf(handOff) ?? OWNER_PARTY;
}

/** The open one that goes on with this. */
function handOffOf(reads: Reads, first: TaskRow): TaskRow | undefined {
  return reads
    .tasksInStates(OPEN_TASK_STATES)
    .find(
      ({ direction, fromAgent, payload }) =>
        direction !== 'incoming' &&
        fromAgent === first.toAgent &&
        isOnwards(readObject(payload), first),
    );
}

/** Another hub may ask under the same id: so the conversation has to be the same, too. */
function isOnwards(
  { act, conversation }: Record<string, unknown>,
  { messageId, conversationId }: TaskRow,
): boolean {
  if (act !== HAND_OFF || !isJsonObject(conversation)) return false;
  return conversation['parent'] === messageId && conversation['id'] === conversationId;
}

const DONE: ReadonlySet<TaskRow['state']> = new Set(['completed', 'partial']);
const PASSED: ReadonlySet<EndedKind | null> = new Set([
  'completed',
  'partial',
  'failed',
  'refused',
  'offered',
  'not_understood',
]);

/** How what was asked first ends: in the words of whoever ended the hand-off, where they did. */
function endOfFirst(first: TaskRow, { task, ending, result }: EndedTask): Ending {
  const { by, surface, ended, code } = ending;
  const isWhole = Buffer.byteLength(JSON.stringify(result)) <= PASSED_ON_MAX_BYTES;
  if (PASSED.has(ended.kind) && ended.by !== 'hub' && ended.by !== 'clock' && isWhole) {
    const state = task.state === 'completed' || task.state === 'partial' ? task.state : 'failed';
    const { hub, agent } = answererOf(task);
    const story = { handedOnTo: handedOnTo({ hub: hub ?? hubOf(task), agent }) };
    const told = { code, reason: null, ...passedOn(result, ended), by, surface, story };
    return { ...told, state, from: 'runner' };
  }
  const hub = { by, surface, from: 'hub' } as const;
  if (first.stopAt !== null && !PASSED.has(ended.kind)) {
    const isObeyed = ended.by === 'agent' && ended.kind === 'stopped';
    const stopped: Ended = isObeyed
      ? { by: 'agent', kind: 'stopped' }
      : { by: 'hub', kind: 'cancelled' };
    return { ...(isStoppedHere(first) ? STOPPED : CANCELLED), ...hub, ended: stopped };
  }
  return {
    state: 'failed',
    code: 'unhandled',
    reason: isWhole ? `${NOT_DONE[task.state] ?? NOT_DONE.failed}` : TOO_LONG,
    ...hub,
    ended: { by: 'hub', kind: 'failed' },
  };
}

const STOPPED = { state: 'failed', code: 'rejected', reason: STOPPED_HERE } as const;
const CANCELLED = {
  state: 'cancelled',
  code: 'cancelled',
  reason: 'It was cancelled after it had been handed on.',
} as const;
const NOT_DONE: Partial<Record<TaskRow['state'], string>> & { readonly failed: string } = {
  cancelled: 'It was handed on, and that was cancelled.',
  failed: 'It was handed on, and no answer came of it.',
};
const TOO_LONG = 'It was handed on, and the answer is too long to be passed on.';

/**
 * Its message answers the hand-off, which whoever asked first never saw. An offer is one to the
 * agent that handed it on, and a plain refusal to others.
 */
function passedOn(
  { origin: _, ...result }: ResultWords,
  ended: Ended,
): Pick<Ending, 'ended'> & { readonly result: ResultWords } {
  if (!isOffer(result.data)) return { result, ended };
  return { result: { ...result, data: null }, ended: { by: ended.by, kind: 'refused' } };
}

function refused(sentence: string, hint?: string): AppError {
  return inputError('conflict', sentence, hint === undefined ? {} : { hint });
}
