// The loop behind `axon listen`: claims an item, says "I have it", has it worked on, and replies
// with what came of that. One item at a time; a cancel of it ends the work. What the hub does not
// take is told again with less, and work that is done is told however often the hub was away. Asked
// to stop, it tells what is done and gives back what is not.
import { DELIVERY_KINDS, isWork, type DeliveryKind } from '../../preload/contract/delivery-kind.ts';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import { ERRORS, type ErrorCode, type Problem } from '../../preload/contract/errors.ts';
import type { OperationResult } from '../../preload/contract/operations.ts';
import { repliedOf } from '../../preload/contract/strings/receipts.ts';
import type { JsonObject } from '../lib/json-object.ts';
import type { HubClient } from './hub-client.ts';
import { INTERRUPTED_EXIT_CODE, interruptible } from './context.ts';
import { failedAnswer, type Answer, type FittingAnswer } from './fitting-answers.ts';
import { isHandOff } from './native-answer.ts';
import { nameOfOffer, type OfferedDomain } from './option-values.ts';
import { refusal } from './refusal.ts';
import { CLAIM_WAIT_MS, leaseOf, SteadyLine, valueOf, type Called } from './steady-line.ts';
import type { Terminal } from './terminal.ts';

export const WORK_KINDS = DELIVERY_KINDS.filter(isWork);
/** Refusals of an answer that one with less in it may not meet. */
const LESS_MAY_FIT: ReadonlySet<ErrorCode> = new Set(['bad_request', 'payload_too_large']);
/** How long what is done is told, and what is not is given back, once it was asked to stop. */
const TELL_MAX_MS = 10_000;

/** Which attempt at which item. */
export type Lease = ReturnType<typeof leaseOf>;

/** What came of the work on an item; of a notice nobody is told. */
export interface Worked {
  /** In the language of its agent; told first. */
  readonly native?: JsonObject | undefined;
  /** The whole first, then ever less. */
  readonly answers: readonly FittingAnswer[];
}

export interface Worker {
  readonly kinds: readonly DeliveryKind[];
  /** What the process before this one had in hand when it was killed. */
  readonly left?: { readonly lease: Lease; readonly mayHaveRun: boolean } | undefined;
  /** Before the hub hears that this listener has it. */
  taking?(lease: Lease): void;
  /** Whatever it had in hand is told, given back or not its own. */
  settled?(): void;
  /**
   * undone: another one may do it. may have run: nobody knows, and nobody does it again. told: what
   * it said has ended the item.
   * @param stopped the work is to end @param cancelled nobody wants it any more
   * @param say tells a message of the agent's language meanwhile, until its signal
   */
  work(
    item: DeliveryDto,
    stopped: AbortSignal,
    cancelled: AbortSignal,
    say: (
      message: JsonObject,
      signal: AbortSignal,
    ) => Promise<Called<OperationResult<'send.message'>>>,
  ): Promise<Worked | 'undone' | 'may have run' | 'told'>;
}

export interface ListenOptions {
  readonly worker: Worker;
  readonly domains: readonly OfferedDomain[];
  readonly once: boolean;
  /** Ends it as Ctrl+C does. */
  readonly gone?: AbortSignal;
}

/** What the hub made of an item that this listener is not done with. */
export const GIVEN_BACK: Readonly<Record<OperationResult<'inbox.nack'>['state'], string>> = {
  queued: 'given back, not done',
  dead: 'given back too often, so nobody gets it again',
  done: 'over, and given to nobody again',
};
export const NO_ANSWER = { detail: 'The program printed a message that answers nothing.' };

/** Runs until it is interrupted, or after one item with `once`. Returns the exit code. */
export async function listen(
  client: HubClient,
  terminal: Terminal,
  options: ListenOptions,
): Promise<number> {
  const { token } = await client.call('hub.whoami', {});
  if (token.agent === null) throw refusal('forbidden', 'Only an agent can listen.');
  const added = await offerDomains(client, token.agent, options.domains);
  if (added.length > 0)
    terminal.note(
      `${token.agent} did not offer ${added.join(', ')} until now; it does from now on.`,
    );
  terminal.note(`Listening as ${token.agent}. Stop with Ctrl+C.`);
  const { gone } = options;
  const run = (signal: AbortSignal): Promise<number> => {
    const ended = gone === undefined ? signal : AbortSignal.any([signal, gone]);
    return new Listener(client, terminal, options, ended).run();
  };
  return interruptible(run);
}

/** Exported for tests: in a process of its own it takes a second to start. */
export class Listener {
  readonly #terminal: Pick<Terminal, 'note'>;
  readonly #line: SteadyLine;
  readonly #options: Pick<ListenOptions, 'worker' | 'once'>;
  /** Aborted: it takes nothing more. */
  readonly #signal: AbortSignal;
  /** Aborted a while later: now it tells nothing more, either. */
  readonly #telling = new AbortController();

  constructor(
    client: HubClient,
    terminal: Pick<Terminal, 'note'>,
    options: Pick<ListenOptions, 'worker' | 'once'>,
    signal: AbortSignal,
  ) {
    this.#line = new SteadyLine(client, terminal);
    this.#terminal = terminal;
    this.#options = options;
    this.#signal = signal;
    const end = (): void => this.#telling.abort();
    signal.addEventListener('abort', () => setTimeout(end, TELL_MAX_MS).unref(), { once: true });
  }

  /**
   * The exit code. With `once`: of that one item, or that it was interrupted. Else 0, unless the
   * work in which it was stopped could be neither told nor given back.
   */
  async run(): Promise<number> {
    let exitCode = 0;
    const { worker } = this.#options;
    const wanted = {
      max: 1,
      wait_ms: CLAIM_WAIT_MS,
      kinds: [...worker.kinds, 'cancel' as const],
    };
    try {
      if (worker.left !== undefined)
        await this.#giveBack(worker.left.lease, worker.left.mayHaveRun, this.#signal);
      while (!this.#signal.aborted) {
        const claimed = await this.#line.call('inbox.claim', wanted, this.#signal);
        for (const item of valueOf(claimed)?.items ?? []) {
          if (item.kind === 'cancel') await this.#line.settle(item, this.#signal);
          else {
            const ended = await this.#handle(item);
            if (ended === undefined) continue;
            if (this.#options.once) return ended === 'given back' ? INTERRUPTED_EXIT_CODE : ended;
            exitCode = ended === 'given back' || !this.#signal.aborted ? 0 : ended;
          }
        }
      }
      return this.#options.once ? INTERRUPTED_EXIT_CODE : exitCode;
    } finally {
      this.#line.close();
    }
  }

  /** The exit code of telling it; undefined: it was not this listener's to do. */
  async #handle(item: DeliveryDto): Promise<number | 'given back' | undefined> {
    const { worker } = this.#options;
    worker.taking?.(leaseOf(item));
    const taken = valueOf(await this.#line.call('inbox.ack', leaseOf(item), this.#signal));
    // Asked to stop meanwhile, it does not know whether the hub has heard it.
    if (this.#signal.aborted) return this.#giveBack(leaseOf(item));
    if (taken === undefined) {
      worker.settled?.();
      return undefined;
    }
    this.#terminal.note(`${item.kind} from ${item.trust.peer_name} (${item.delivery_id})`);
    const over = new AbortController();
    const cancelled = new AbortController();
    // A failure here shows in the next call too, where it is told.
    const watching = AbortSignal.any([over.signal, this.#signal]);
    const watch = this.#line.watchForCancel(item, cancelled, watching).catch(() => undefined);
    const stopped = AbortSignal.any([cancelled.signal, this.#signal]);
    const worked = await worker.work(item, stopped, cancelled.signal, (message, signal) =>
      this.#say(message, signal),
    );
    over.abort();
    await watch;
    const isForgotten = item.kind === 'query' && cancelled.signal.aborted;
    if (!isWork(item.kind) || worked === 'told' || isForgotten) {
      worker.settled?.();
      return isForgotten ? ERRORS.gone.exit : 0;
    }
    if (worked === 'undone' || worked === 'may have run')
      return this.#giveBack(leaseOf(item), worked === 'may have run');
    const { native, answers } = worked;
    return native === undefined ? this.tell(item, answers) : this.#post(item, native);
  }

  /**
   * What was said in the language of its agent; that it failed where the hub does not take it, or
   * where it neither answers nor hands on. Returns the exit code of telling it.
   */
  async #post(item: DeliveryDto, message: JsonObject): Promise<number> {
    const called = await this.#say(message);
    const taken = valueOf(called);
    const isHandedOn = taken !== undefined && isHandOff(item, message);
    if (isHandedOn) this.#terminal.note('handed on');
    if (isHandedOn || taken?.replied !== undefined) {
      this.#options.worker.settled?.();
      return 0;
    }
    const problem = called !== undefined && 'refused' in called ? called.refused : NO_ANSWER;
    return this.tell(item, [{ answer: failedAnswer(problem), less: null }]);
  }

  async #say(
    message: JsonObject,
    signal = this.#telling.signal,
  ): Promise<Called<OperationResult<'send.message'>>> {
    const called = await this.#line.call('send.message', message, signal);
    const { replied, untrusted: { came_of_it: came } = {} } = valueOf(called) ?? {};
    if (replied !== undefined)
      this.#terminal.note(came === undefined ? 'replied' : `replied: ${came}`);
    return called;
  }

  /**
   * Work that is done must be told, however often the hub is away in between: the first of these
   * answers that the hub takes, else that there is none. Returns the exit code.
   */
  async tell(item: DeliveryDto, answers: readonly FittingAnswer[]): Promise<number> {
    let why: Problem | undefined;
    for (const { answer, less } of answers) {
      if (less !== null) this.#terminal.note(`the answer is told ${less}`);
      const called = await this.#reply(item, answer);
      if (called === undefined) return ERRORS.hub_unreachable.exit;
      if ('value' in called) return 0;
      why = called.refused;
      if (!LESS_MAY_FIT.has(why.code)) return ERRORS[why.code].exit;
    }
    const failed = failedAnswer(why ?? { detail: 'It is too long.' });
    await this.#reply(item, failed);
    return ERRORS.payload_too_large.exit;
  }

  async #reply(item: DeliveryDto, answer: Answer): Promise<Called<OperationResult<'inbox.reply'>>> {
    const params = { ...leaseOf(item), ...answer };
    const called = await this.#line.call('inbox.reply', params, this.#telling.signal);
    if (called === undefined) this.#terminal.note('the answer could not be told before the end');
    else if ('value' in called) this.#terminal.note(`replied: ${repliedOf(called.value)}`);
    if (called !== undefined) this.#options.worker.settled?.();
    return called;
  }

  /** What was begun and is not done is another one's to do, or this one's after its next start. */
  async #giveBack(
    lease: Lease,
    mayHaveRun = false,
    signal = this.#telling.signal,
  ): Promise<number | 'given back'> {
    const given = mayHaveRun ? { ...lease, may_have_run: true } : lease;
    const called = await this.#line.call('inbox.nack', given, signal);
    if (called === undefined) {
      this.#terminal.note(`${lease.delivery} could not be given back before the end`);
      return ERRORS.hub_unreachable.exit;
    }
    if ('value' in called)
      this.#terminal.note(`${GIVEN_BACK[called.value.state]}: ${lease.delivery}`);
    this.#options.worker.settled?.();
    return 'given back';
  }
}

/** Offers these too, and leaves hidden what else the agent does not offer. Returns what is new. */
async function offerDomains(
  client: HubClient,
  agent: string,
  domains: readonly OfferedDomain[],
): Promise<readonly string[]> {
  if (domains.length === 0) return [];
  const now = await client.call('agents.get', { name: agent });
  const offered = now.domains
    .filter((entry) => entry.offered !== false)
    .map(({ domain }) => domain);
  const isNew = (domain: string): boolean => !offered.includes(domain);
  if (domains.some((offer) => typeof offer !== 'string' || isNew(offer)))
    await client.call('agents.update', { name: agent, domains: [...offered, ...domains] });
  return [...new Set(domains.map(nameOfOffer))].filter(isNew);
}
