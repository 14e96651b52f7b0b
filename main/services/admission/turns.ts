// How often two agents have gone back and forth: a turn is a request or a notice that goes the
// other way than the last one between them, in whatever conversation. Their answers are none, nor
// is a notice about an open task of the two, so whoever only asks takes no turn. Too many within an
// hour, and a person is asked once whether they go on. The agents of another hub have one count
// with each agent here, since that hub may call them what it likes. A hub that starts counts what
// stands in its record.
import * as v from 'valibot';
import type { Clock } from '../../ports/clock.ts';
import { inputError } from '../../lib/app-error.ts';
import { StoredValue } from '../../lib/stored-value.ts';
import type { Reads, Store, Tables, TaskRow } from '../../ports/store.ts';
import type { PartyKey } from '../../ports/transport.ts';
import { isLocal, OWNER_PARTY, partyOfAgent } from '../tasks/parties.ts';
import { isOpen } from '../tasks/task-moves.ts';
import type { Gate, JudgedRequest, Verdict } from '../tasks/verdict.ts';
import { isWaiting } from '../tasks/waiting.ts';
import {
  TURN_DECISIONS_READ_MAX,
  TURN_NAMES_MAX,
  TURN_PAIRS_MAX,
  TURNS_KEPT_MAX,
  TURNS_READ_MAX,
  TURNS_WINDOW_MS,
} from './limits.ts';

/** One that asks another. */
export interface Asking {
  readonly party: PartyKey;
  /** The agent there; null: none is named. Within this hub the party says it. */
  readonly agentThere: string | null;
  readonly agentHere: string;
  readonly way: 'in' | 'out';
}

/** An agent here and another one here, or all of one hub. */
interface Between {
  /** Who spoke last, of all of them. */
  last: string;
  /** The same with each that was named. */
  readonly lastWith: Map<string, string>;
  /** When they took turns, monotonic ms. */
  turns: number[];
}

/** The requests about which a person is asked because of so many turns. */
const ASKED = new StoredValue<readonly { readonly task: string; readonly turns: number }[]>(
  'turns_asked',
  v.array(v.object({ task: v.string(), turns: v.number() })),
  [],
);

/** Whoever names no agent may be any of its hub. */
const NOBODY_NAMED = '';

interface Deps {
  readonly clock: Pick<Clock, 'monotonicMs' | 'wallMs'>;
  readonly store: Pick<Store, 'read'>;
  /** How many turns go on by themselves. */
  readonly turnsMax: () => number;
}

export class Turns implements Gate {
  readonly #deps: Deps;
  readonly #pairs = new Map<string, Between>();

  constructor(deps: Deps) {
    this.#deps = deps;
    const [wall, now] = [deps.clock.wallMs(), deps.clock.monotonicMs()];
    for (const { asking, at, isYes } of saidSince(deps.store.read, wall - TURNS_WINDOW_MS))
      if (isYes) this.#goOn(asking);
      else this.#take(asking, now - Math.max(0, wall - at));
  }

  /** After what lets a request through; what a person is asked anyway stays as it is. */
  judge(_: Reads, { party, fromAgent, agent }: JudgedRequest, verdict: Verdict): Verdict {
    if (verdict.decision !== 'deliver' || agent === null || party === OWNER_PARTY) return verdict;
    const turns = this.#tooMany({
      party,
      agentThere: fromAgent,
      agentHere: agent.name,
      way: 'in',
    });
    if (turns === null) return verdict;
    const ruling = { ...verdict.ruling, decision: 'ask', ground: 'turns' } as const;
    return { ...verdict, decision: 'ask', rule: null, ruling, turns };
  }

  /** A notice, which nobody can be asked about. True when it is one turn too many. */
  isTooMany(asking: Asking): boolean {
    return this.#tooMany(asking) !== null;
  }

  /** Somebody asked, or was told something. */
  took(asking: Asking): void {
    this.#take(asking, this.#deps.clock.monotonicMs());
  }

  /** A person is asked about it because of so many turns. Within the commit that puts it there. */
  asked(tables: Tables, task: string, turns: number): void {
    const waiting = ASKED.read(tables).filter((one) => waitingTask(tables, one.task) !== undefined);
    ASKED.write(tables, [...waiting, { task, turns }]);
  }

  #take(asking: Asking, at: number): void {
    const { pair, name, speaker } = placeOf(asking);
    const known = this.#pairs.get(pair);
    const between = known ?? this.#begun(pair, speaker);
    if (lastOf(between, name) !== speaker)
      between.turns = [...recent(between.turns, at), at].slice(-TURNS_KEPT_MAX);
    between.last = speaker;
    const { lastWith } = between;
    // Each may be the one that is not named.
    const meant = name === NOBODY_NAMED ? [...lastWith.keys()] : [name];
    for (const one of meant)
      if (lastWith.has(one) || lastWith.size < TURN_NAMES_MAX) lastWith.set(one, speaker);
  }

  /**
   * A person is asked once: while that card waits, no other of the two is put beside it.
   * @throws AppError overloaded
   */
  checkAskedOnce(reads: Reads, asking: Asking): void {
    const { pair } = placeOf(asking);
    const isAsked = ASKED.read(reads).some((asked) => {
      const task = waitingTask(reads, asked.task);
      const about = task === undefined ? null : askingOf(task);
      return about !== null && placeOf(about).pair === pair;
    });
    if (!isAsked) return;
    throw inputError(
      'overloaded',
      'These two agents have gone back and forth many times, and a person is asked whether they go on.',
      { hint: 'Wait until that is answered, then try again.', retryAfterMs: 60_000 },
    );
  }

  /** Why a person was asked about it; null: for another reason. */
  askedAbout(task: TaskRow): number | null {
    const asked = ASKED.read(this.#deps.store.read).find((one) => one.task === task.id);
    return asked?.turns ?? null;
  }

  /** A person said yes to one of the two: as many turns again. */
  goOn(task: TaskRow): void {
    const asking = askingOf(task);
    if (asking !== null) this.#goOn(asking);
  }

  #goOn(asking: Asking): void {
    const between = this.#pairs.get(placeOf(asking).pair);
    if (between) between.turns = [];
  }

  /** How many they took, when one more is too many. */
  #tooMany(asking: Asking): number | null {
    const { pair, name, speaker } = placeOf(asking);
    const between = this.#pairs.get(pair);
    if (between === undefined) return null;
    const taken = recent(between.turns, this.#deps.clock.monotonicMs()).length;
    const isTurn = lastOf(between, name) !== speaker;
    const max = this.#deps.turnsMax();
    return taken + (isTurn ? 1 : 0) > max ? Math.min(taken, max) : null;
  }

  #begun(pair: string, speaker: string): Between {
    // The first of a map is the oldest.
    const oldest = this.#pairs.keys().next().value;
    if (oldest !== undefined && this.#pairs.size >= TURN_PAIRS_MAX) this.#pairs.delete(oldest);
    const between = { last: speaker, lastWith: new Map<string, string>(), turns: [] };
    this.#pairs.set(pair, between);
    return between;
  }
}

type Both = Omit<Asking, 'way'>;

/** What was said, or that a person let the two go on. */
interface Said {
  readonly asking: Asking;
  readonly at: number;
  /** Its place among what was said at the same time. */
  readonly seq: number;
  readonly isYes: boolean;
}

/** In its order. */
function saidSince(reads: Reads, since: number): readonly Said[] {
  const said: Said[] = [];
  for (const { seq, at, kind, ref, ...between } of reads.askedSince(since, TURNS_READ_MAX)) {
    const asking = askingOf(between);
    const isNotice = kind === 'notify';
    if (asking === null || (isNotice && openTaskOf(reads, asking, ref, at) !== undefined)) continue;
    said.push({ asking, at, seq, isYes: false });
  }
  const decided = reads.decidedApprovals({ limit: TURN_DECISIONS_READ_MAX }, 'people');
  for (const { taskId, state, surface, decidedAt } of decided) {
    const isYes = (state === 'approved' && surface !== 'rule') || state === 'answered';
    const task = isYes && decidedAt !== null && decidedAt >= since ? reads.task(taskId) : undefined;
    const asking = task === undefined || task.direction === 'outgoing' ? null : askingOf(task);
    if (task !== undefined && asking !== null)
      said.push({ asking, at: decidedAt ?? since, seq: task.seq, isYes: true });
  }
  return said.toSorted((one, other) => one.at - other.at || one.seq - other.seq);
}

function waitingTask(reads: Reads, id: string): TaskRow | undefined {
  const task = reads.task(id);
  return task !== undefined && isWaiting(task) ? task : undefined;
}

/**
 * The open task of these two that a notice names, whoever of them asked for it.
 * @param at a moment in which it was open, if it is not any more
 */
export function openTaskOf(
  reads: Reads,
  both: Both,
  ref: string | null,
  at = Number.POSITIVE_INFINITY,
): TaskRow | undefined {
  if (ref === null) return undefined;
  const { party } = both;
  // Within this hub a task has the id of its message.
  const named = isLocal(party)
    ? [reads.task(ref)]
    : [reads.taskByMessage('outgoing', party, ref), reads.taskByMessage('incoming', party, ref)];
  const wasOpen = (task: TaskRow): boolean => isOpen(task) || (task.finishedAt ?? 0) > at;
  return named.find((task) => task !== undefined && wasOpen(task) && isOfBoth(task, both));
}

/** Whoever is not named may be the one. */
export function isOfBoth(task: TaskRow, { party, agentThere, agentHere }: Both): boolean {
  const { direction, fromAgent, toAgent, handedOnTo } = task;
  const isDoer = isSame(toAgent, agentThere) || handedOnTo === agentThere;
  const isAsked = fromAgent === agentHere && isDoer;
  const asks = [toAgent, handedOnTo].includes(agentHere) && isSame(fromAgent, agentThere);
  if (isLocal(party)) return direction === 'local' && (isAsked || asks);
  return task.party === party && (direction === 'outgoing' ? isAsked : asks);
}

function isSame(one: string | null, other: string | null): boolean {
  return one === null || other === null || one === other;
}

/** Of what came in as far as an agent runs it, of what went out as far as an agent sent it. */
function askingOf({
  party,
  fromAgent,
  toAgent,
  direction,
}: Pick<TaskRow, 'party' | 'fromAgent' | 'toAgent' | 'direction'>): Asking | null {
  if (direction === 'outgoing')
    return fromAgent === null
      ? null
      : { party, agentThere: toAgent, agentHere: fromAgent, way: 'out' };
  return toAgent === null ? null : { party, agentThere: fromAgent, agentHere: toAgent, way: 'in' };
}

/** Where the two stand, whoever of them asks, and which of them it is. */
function placeOf({ party, agentThere, agentHere, way }: Asking): {
  readonly pair: string;
  readonly name: string;
  readonly speaker: string;
} {
  const here = partyOfAgent(agentHere);
  const speaker = way === 'in' ? party : here;
  return isLocal(party)
    ? { pair: [party, here].toSorted().join(' '), name: NOBODY_NAMED, speaker }
    : { pair: `${party} ${here}`, name: agentThere ?? NOBODY_NAMED, speaker };
}

/** With one that is new, as with all of them. */
function lastOf({ last, lastWith }: Between, name: string): string {
  return lastWith.get(name) ?? last;
}

function recent(turns: readonly number[], now: number): number[] {
  return turns.filter((at) => now - at < TURNS_WINDOW_MS);
}
