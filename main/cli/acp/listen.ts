// The loop behind `axon listen --acp`: takes an item that may be done, starts the program for it
// alone, wakes it with one fixed sentence, and ends it with all that it started. No session sees
// two items, so none sees two askers or two conversations. What was begun is written down before
// the program hears of it: if this process is killed, it ends as possibly executed, and nobody does
// it again. What was not begun is given back.
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import type { RunnerSaid } from '../../../preload/contract/runners.ts';
import { WAKE_SENTENCE } from '../../../preload/contract/wake.ts';
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { HubProblem, type HubClient } from '../hub-client.ts';
import { DayTokens, hashed, privateFolder, readKept, replaceKept } from '../kept-json.ts';
import { GIVEN_BACK, WORK_KINDS } from '../listen.ts';
import { endLeft } from '../program-run.ts';
import type { RunnerLine } from '../runner-line.ts';
import { CLAIM_WAIT_MS, leaseOf, SteadyLine, valueOf } from '../steady-line.ts';
import type { Terminal } from '../terminal.ts';
import { AcpError } from './connection.ts';
import { AcpSession, NotStarted, notSignedIn, type OwnServer } from './session.ts';

/** Said to a model that ended its turn and did not answer, as some do after each refusal. */
const REMIND_SENTENCE = 'What you took from your AXON inbox is not answered yet. Use axon_reply.';
const REMINDERS_MAX = 3;
/** Longer than a program takes to start: then it says that it has it, or gives it back. */
const LEASE_MS = 180_000;
/** How long a person here is waited for. */
const ASK_MAX_MS = 600_000;
/** The longest turn; then it is ended. */
const TURN_MAX_MS = 3_600_000;
const LATE_MS = 2_000;
/** After a start that failed; longer each time. */
const PAUSE_FIRST_MS = 60_000;
const PAUSE_MAX_MS = 3_600_000;
/** How long what became of it is told, once it was asked to stop. */
const TELL_MAX_MS = 10_000;
/** Progress is told no more often. */
const PROGRESS_EVERY_MS = 5_000;

/** What whoever asked reads meanwhile; never a word of what the agent does it with. */
const DOES: Readonly<Record<string, string>> = {
  read: 'It reads.',
  edit: 'It changes something.',
  delete: 'It deletes something.',
  move: 'It moves something.',
  search: 'It searches.',
  execute: 'It runs a command.',
  think: 'It thinks.',
  fetch: 'It fetches something.',
};
const ASKS = 'It waits for a person there to allow something.';

const FAILED = {
  unanswered: { status: 'failed', error: 'It ended its turn without an answer.' },
  gave_up: { status: 'failed', error: 'Its program gave up before it had begun.' },
} as const;

export interface AcpOptions {
  readonly agent: string;
  readonly home: string;
  readonly words: readonly string[];
  readonly folder: string;
  readonly once: boolean;
  readonly server: (item: { readonly delivery: string; readonly attempt: number }) => OwnServer;
}

type Ended = 'told' | 'not started' | 'nothing';

export class AcpListener {
  readonly #terminal: Pick<Terminal, 'note'>;
  readonly #line: SteadyLine;
  readonly #options: AcpOptions;
  readonly #runner: RunnerLine;
  readonly #signal: AbortSignal;
  readonly #telling = new AbortController();
  readonly #tokens: DayTokens;
  /** What is under way, for whoever comes after this process. */
  readonly #record: string;
  #failures = 0;
  /** Why it could not be started the last time. */
  #trouble: Pick<RunnerSaid, 'state' | 'why'> | undefined;

  constructor(
    client: HubClient,
    terminal: Pick<Terminal, 'note'>,
    options: AcpOptions,
    runner: RunnerLine,
    signal: AbortSignal,
  ) {
    this.#line = new SteadyLine(client, terminal);
    this.#terminal = terminal;
    this.#options = options;
    this.#runner = runner;
    this.#signal = signal;
    this.#tokens = new DayTokens(options.home, options.agent);
    const folder = privateFolder(options.home, 'runners');
    this.#record = join(folder, `${hashed(options.agent)}.json`);
    const end = (): void => this.#telling.abort();
    signal.addEventListener('abort', () => setTimeout(end, TELL_MAX_MS).unref(), { once: true });
  }

  async run(): Promise<void> {
    try {
      await this.#endOld();
      if (this.#runner.isKept) await this.#tryOut();
      for (let known: number | undefined; !this.#signal.aborted;) {
        const look = { known, wait_ms: known === undefined ? 0 : CLAIM_WAIT_MS, work: true };
        const found = valueOf(await this.#line.call('inbox.waiting', look, this.#signal));
        known = found?.waiting;
        if (found === undefined || !(await this.#mayWake(found.items))) continue;
        known = undefined;
        const ended = await this.#next();
        if (this.#options.once && ended !== 'nothing') return;
        if (ended === 'not started') await this.#pause();
      }
    } finally {
      this.#line.close();
    }
  }

  /** Takes the next item, with what is left of those before. */
  async #next(): Promise<Ended> {
    const settled = { max: 32, kinds: ['cancel' as const] };
    const cancels = valueOf(await this.#line.call('inbox.claim', settled, this.#signal));
    for (const item of cancels?.items ?? []) await this.#line.settle(item, this.#signal);
    const wanted = { max: 1, lease_ms: LEASE_MS, kinds: WORK_KINDS };
    const claimed = valueOf(await this.#line.call('inbox.claim', wanted, this.#signal));
    const [item] = claimed?.items ?? [];
    return item === undefined ? 'nothing' : this.#handle(item);
  }

  /** So that a missing sign-in is known before something waits. Nothing is prompted. */
  async #tryOut(): Promise<void> {
    const { words, folder } = this.#options;
    const nobody = { ask: () => Promise.resolve(false), does: () => undefined };
    try {
      const sitting = { words, folder, server: null, ...nobody };
      const session = await AcpSession.start(sitting, this.#signal);
      await session.end();
      if (session.isSignedOut) throw notSignedIn(words[0] ?? '');
    } catch (error) {
      if (!(error instanceof NotStarted)) throw error;
      if (!this.#signal.aborted) this.#tellTrouble(error);
    }
  }

  /** What the process before this one had begun may have been done. */
  async #endOld(): Promise<void> {
    const { delivery, attempt, pid, born } = readKept(this.#record);
    if (typeof pid === 'number' && typeof born === 'string') endLeft({ pid, born });
    if (typeof delivery !== 'string' || typeof attempt !== 'number') return;
    this.#terminal.note(`${delivery} was under way when this ended`);
    await this.#unsure({ delivery, attempt }, this.#signal);
  }

  /** The hub counts it, with all else that wakes this agent. */
  async #mayWake(items: readonly string[]): Promise<boolean> {
    const tokens = this.#tokens.today();
    this.#runner.tell({ ...(this.#trouble ?? { state: 'waits', why: null }), tokens });
    if (items.length === 0) return false;
    const asked = await this.#line.call('inbox.wake', { items: [...items] }, this.#signal);
    const may = valueOf(asked)?.wake;
    if (may === false) this.#runner.tell({ state: 'day_used', why: null, tokens });
    return may === true;
  }

  async #pause(): Promise<void> {
    const waitMs = Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** this.#failures++);
    await wait(waitMs, undefined, { signal: this.#signal }).catch(() => undefined);
  }

  async #handle(item: DeliveryDto): Promise<Ended> {
    // Whoever comes after this process gives it back at once, as long as it is not begun.
    replaceKept(this.#record, leaseOf(item));
    const cancelled = new AbortController();
    let progress: Progress | undefined;
    const sitting = {
      words: this.#options.words,
      folder: this.#options.folder,
      server: this.#options.server(leaseOf(item)),
      ask: (wanted: Wanted, signal: AbortSignal) => {
        progress?.say(ASKS);
        return this.#ask(wanted, signal);
      },
      does: (kind: string) => progress?.say(DOES[kind]),
    };
    let session: AcpSession;
    try {
      session = await AcpSession.start(sitting, this.#signal);
    } catch (error) {
      if (!(error instanceof NotStarted)) throw error;
      return this.#notStarted(item, error);
    }
    this.#failures = 0;
    this.#trouble = undefined;
    const over = new AbortController();
    const watching = AbortSignal.any([over.signal, this.#signal]);
    try {
      if (!(await this.#begin(item, session))) return 'nothing';
      progress = new Progress(this.#line, item, over.signal);
      // A failure here shows in the next call too, where it is told.
      void this.#line.watchForCancel(item, cancelled, watching).catch(() => undefined);
      const why = await this.#turn(session, item, cancelled.signal);
      over.abort();
      await session.end();
      this.#tokens.spend(session.tokens);
      return await this.#tell(item, why);
    } finally {
      over.abort();
      await session.end();
    }
  }

  /** Whether it is this runner's to do, and may be woken. From here on it may have been done. */
  async #begin(item: DeliveryDto, { mark }: AcpSession): Promise<boolean> {
    const lease = leaseOf(item);
    if (this.#signal.aborted) {
      await this.#line.call('inbox.nack', lease, this.#telling.signal);
      this.#done(item);
      return false;
    }
    replaceKept(this.#record, { ...lease, ...mark });
    const taken = await this.#line.call('inbox.ack', lease, this.#signal);
    if (valueOf(taken) !== undefined) {
      this.#terminal.note(`${item.kind} from ${item.trust.peer_name} (${item.delivery_id})`);
      this.#runner.tell({ state: 'works', why: null, tokens: this.#tokens.today() });
      return true;
    }
    // Asked to stop meanwhile, it does not know whether the hub has heard it.
    if (taken === undefined) await this.#line.call('inbox.nack', lease, this.#telling.signal);
    this.#done(item);
    return false;
  }

  /** Until the program has answered, or something ends it. */
  async #turn(session: AcpSession, item: DeliveryDto, cancelled: AbortSignal): Promise<Why> {
    const late = AbortSignal.timeout(turnMs(item));
    const stopped = whichever({ called_off: cancelled, late, stopped: this.#signal });
    for (let turns = 0; turns <= REMINDERS_MAX; turns++) {
      const sentence = turns === 0 ? WAKE_SENTENCE : REMIND_SENTENCE;
      const turned = session.prompt(sentence).then(
        () => 'turned' as const,
        (error: unknown) => error,
      );
      const why = await Promise.race([turned, stopped]);
      if (why === 'called_off') return item.kind === 'query' ? 'over' : why;
      if (why === 'late' || why === 'stopped') return why;
      if (why !== 'turned') {
        if (!(why instanceof AcpError)) throw why;
        this.#terminal.note(`the program gave up: ${why.message}`);
        if (session.hasBegun) return 'unsure';
        return why.needsSignIn ? 'not_signed_in' : why.isGone ? 'unsure' : 'gave_up';
      }
      if (await this.#isOver(item)) return 'over';
    }
    return 'unanswered';
  }

  /** Whether it is answered, or has ended otherwise. */
  async #isOver(item: DeliveryDto): Promise<boolean> {
    const lease = leaseOf(item);
    const called = await this.#line.call('inbox.extend', lease, this.#telling.signal);
    return called !== undefined && 'refused' in called;
  }

  async #tell(item: DeliveryDto, why: Why): Promise<Ended> {
    const lease = leaseOf(item);
    const { signal } = this.#telling;
    if (why === 'not_signed_in')
      return this.#notStarted(item, notSignedIn(this.#options.words[0] ?? ''));
    this.#terminal.note(`it ended: ${why}`);
    if (why === 'called_off')
      await this.#line.call('inbox.reply', { ...lease, status: 'cancelled' }, signal);
    else if (why === 'gave_up' || why === 'unanswered')
      await this.#line.call('inbox.reply', { ...lease, ...FAILED[why] }, signal);
    else if (why !== 'over') return this.#unsure(lease, signal);
    this.#done(item);
    return 'told';
  }

  /** Nobody knows whether it was done. The hub says what is so; what it refuses is over. */
  async #unsure(
    lease: { readonly delivery: string; readonly attempt: number },
    signal: AbortSignal,
  ): Promise<Ended> {
    const told = await this.#line.call('inbox.nack', { ...lease, may_have_run: true }, signal);
    if (told !== undefined) this.#done({ delivery_id: lease.delivery });
    return 'told';
  }

  async #notStarted(item: DeliveryDto, error: NotStarted): Promise<Ended> {
    const called = await this.#line.call('inbox.nack', leaseOf(item), this.#telling.signal);
    this.#done(item);
    const given = valueOf(called);
    if (!this.#signal.aborted) {
      this.#terminal.note(error.message);
      this.#tellTrouble(error);
    }
    if (given !== undefined) this.#terminal.note(`${GIVEN_BACK[given.state]}: ${item.delivery_id}`);
    return 'not started';
  }

  #tellTrouble({ message, needsSignIn }: NotStarted): void {
    this.#trouble = { state: needsSignIn ? 'needs_sign_in' : 'cannot_start', why: message };
    this.#runner.tell({ ...this.#trouble, tokens: this.#tokens.today() });
  }

  /** The one that the hub started after this one may have begun another by now. */
  #done({ delivery_id: delivery }: Pick<DeliveryDto, 'delivery_id'>): void {
    if (readKept(this.#record).delivery === delivery) replaceKept(this.#record, {});
  }

  /** Never where the hub is away, or says something odd. */
  async #ask({ tool, input }: Wanted, signal: AbortSignal): Promise<boolean> {
    const { folder } = this.#options;
    const wanted = { tool, input, folder, deadline_ms: ASK_MAX_MS };
    try {
      const { decision } = await this.#line.client.call('send.permission', wanted, signal);
      return decision === 'allow';
    } catch (error) {
      if (error instanceof AppError || error instanceof HubProblem)
        this.#terminal.note(`"${tool}" is not allowed: ${error.message}`);
      return false;
    }
  }
}

interface Wanted {
  readonly tool: string;
  readonly input: JsonObject;
}

/** Why a turn is over. */
type Why =
  'over' | keyof typeof FAILED | 'unsure' | 'called_off' | 'late' | 'stopped' | 'not_signed_in';

/** Tells whoever asked what the program does, now and then. */
class Progress {
  readonly #line: SteadyLine;
  readonly #item: DeliveryDto;
  readonly #over: AbortSignal;
  #said = '';
  #isQuiet = false;

  constructor(line: SteadyLine, item: DeliveryDto, over: AbortSignal) {
    this.#line = line;
    this.#item = item;
    this.#over = over;
  }

  say(text: string | undefined): void {
    if (text === undefined || text === this.#said || this.#isQuiet) return;
    this.#said = text;
    this.#isQuiet = true;
    void this.#tell(text).catch(() => undefined);
  }

  async #tell(progress: string): Promise<void> {
    await this.#line.call('inbox.extend', { ...leaseOf(this.#item), progress }, this.#over);
    await wait(PROGRESS_EVERY_MS, undefined, { signal: this.#over, ref: false });
    this.#isQuiet = false;
  }
}

/** A little more than the hub gives it, so that the hub says that its time ran out. */
function turnMs({ deadline_at: deadline }: DeliveryDto): number {
  const left = deadline === null ? TURN_MAX_MS : deadline - Date.now() + LATE_MS;
  return Math.max(0, Math.min(TURN_MAX_MS, left));
}

/** The name of the first signal that comes. */
function whichever<Name extends string>(signals: Record<Name, AbortSignal>): Promise<Name> {
  return new Promise((resolve) => {
    for (const [name, signal] of Object.entries(signals) as [Name, AbortSignal][]) {
      if (signal.aborted) resolve(name);
      else signal.addEventListener('abort', () => resolve(name), { once: true });
    }
  });
}
