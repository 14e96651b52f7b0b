// What the doors share that are called with tokens, whatever words they speak: who calls and how
// often, whether the operation may be called now, one answer for one key, and the end of all that a
// token began when the token ends. A door adds how a request comes in and how an answer goes out.
import { operationEntry, type OperationName } from '../../../preload/contract/operations.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { TokenService } from '../../services/auth/token-service.ts';
import type { AgentLine } from '../../services/agents/agent-presence.ts';
import type { CallContext, Caller } from '../caller.ts';
import type { Dispatcher } from '../dispatch.ts';
import { AgentTurns } from './agent-turns.ts';
import { Callers } from './callers.ts';
import { AnswerCache } from './answer-cache.ts';
import { CURSOR_KEY_BYTES, SealedCursors } from './sealed-cursors.ts';

interface DoorDeps {
  readonly clock: Clock;
  readonly random: Pick<Random, 'bytes'>;
  readonly tokens: TokenService;
  readonly dispatcher: Dispatcher;
  readonly agentCalled: (agent: string, line: AgentLine) => void;
  /** Requests of one token a second; four times as many may come at once. */
  readonly requestsPerSecond: number;
}

interface DoorCall {
  /**
   * Aborted by the door that takes the call when its client goes away, and by this one when its
   * token ends.
   */
  readonly gone: AbortController;
  readonly idempotencyKey: string | null;
  readonly fromPage: boolean;
  readonly host?: string;
}

export class Door {
  readonly callers: Callers;
  readonly #deps: DoorDeps;
  readonly #idempotency: AnswerCache;
  readonly #turns = new AgentTurns();
  readonly #cursors: SealedCursors;

  constructor(deps: DoorDeps) {
    this.#deps = deps;
    this.callers = new Callers(deps);
    this.#idempotency = new AnswerCache(deps.clock);
    this.#cursors = new SealedCursors(deps.random.bytes(CURSOR_KEY_BYTES));
  }

  /** Each door reports each request: an agent that calls is online. */
  heard(caller: Caller, line: AgentLine): void {
    if (caller.kind === 'agent') this.#deps.agentCalled(caller.agent, line);
  }

  /**
   * Whether this caller may call it now: for a door that refuses before it reads the parameters.
   * @throws AppError
   */
  checkAccess(name: OperationName, caller: Caller): void {
    this.#deps.dispatcher.checkAccess(name, caller);
  }

  /** @throws AppError, as the operation does; unauthenticated when the token ended meanwhile */
  async call(
    name: OperationName,
    params: unknown,
    caller: Caller,
    { gone, idempotencyKey, ...asked }: DoorCall,
  ): Promise<unknown> {
    const { method, outlivesToken = false, emptyIsNoAnswer = false } = operationEntry(name);
    // It may have ended since the door read it: MCP takes its time before it gets here.
    if (!this.callers.isAlive(caller)) throw tokenNeeded();
    let hasEnded = false;
    const forget = this.callers.whenEnded(caller, () => {
      hasEnded = true;
      gone.abort();
    });
    const run = async (signal: AbortSignal): Promise<unknown> => {
      const context = { signal, idempotencyKey, ...asked };
      const result =
        caller.kind === 'agent'
          ? await this.#callOfAgent(name, params, caller, context)
          : await this.#deps.dispatcher.call(name, params, caller, context);
      // What its caller gave up took nothing: a repeat of it is a new one.
      if (signal.aborted && emptyIsNoAnswer && isEmpty(result))
        throw new AppError('cancelled', 'The caller went away.');
      return result;
    };
    const isOnce = idempotencyKey !== null && caller.kind !== 'anonymous' && method === 'POST';
    const called = isOnce
      ? this.#idempotency.once(
          { who: scopeOf(caller), operation: name, key: idempotencyKey, params, gone: gone.signal },
          run,
        )
      : run(gone.signal);
    const [outcome] = await Promise.allSettled([called]);
    forget();
    // What was done is kept: the same agent gets it under this key with its next token.
    if (hasEnded && !outlivesToken) throw tokenNeeded();
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  async #callOfAgent(
    name: OperationName,
    params: unknown,
    caller: Extract<Caller, { kind: 'agent' }>,
    context: CallContext,
  ): Promise<unknown> {
    this.#deps.dispatcher.checkAccess(name, caller);
    const list = { agent: caller.agent, operation: name, params };
    const opened = this.#cursors.opened(list);
    const read = (): Promise<unknown> => this.#deps.dispatcher.call(name, opened, caller, context);
    const { readsMuch = false } = operationEntry(name);
    const answer = readsMuch
      ? await this.#turns.run(caller.agent, context.signal, read)
      : await read();
    return this.#cursors.sealed(list, answer);
  }
}

/** There is none, or none that works any more. @param hint undefined: the usual one of the door */
export function tokenNeeded(hint?: string): AppError {
  return new AppError('unauthenticated', 'This needs a token that works.', {
    failedBy: 'input',
    ...(hint === undefined ? {} : { hint }),
  });
}

function scopeOf(caller: Exclude<Caller, { kind: 'anonymous' }>): string {
  return caller.kind === 'agent' ? `agent:${caller.agent}` : caller.tokenId;
}

function isEmpty(result: unknown): boolean {
  return (
    typeof result === 'object' &&
    result !== null &&
    'items' in result &&
    Array.isArray(result.items) &&
    result.items.length === 0
  );
}
