// From a token to a Caller, and the pace of callers: how many requests a token may have under way
// and per second, and how refused tokens are slowed down. A valid token never waits for somebody
// else's wrong ones. Must never log a token.
import { AppError } from '../../lib/app-error.ts';
import { TokenBuckets } from '../../lib/token-buckets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TokenRow } from '../../ports/store.ts';
import type { TokenService } from '../../services/auth/token-service.ts';
import type { Caller } from '../caller.ts';
import {
  CONCURRENT_AGENTS_MAX,
  CONCURRENT_ANONYMOUS_MAX,
  CONCURRENT_PER_TOKEN_MAX,
  REFUSALS_HELD_MAX,
  REFUSAL_DELAY_MS,
  REFUSAL_RATE,
  TOKEN_BURST_SECONDS,
} from './limits.ts';

const ANONYMOUS = 'anonymous';

interface CallersDeps {
  readonly tokens: TokenService;
  readonly clock: Clock;
  /** Requests of one token a second; four times as many may come at once. */
  readonly requestsPerSecond: number;
}

export class Callers {
  readonly #deps: CallersDeps;
  readonly #rates: TokenBuckets;
  readonly #underWay = new Map<string, number>();
  #underWayOfAgents = 0;
  /** What to do when a token ends, for requests that are under way. */
  readonly #onEnd = new Map<string, Set<() => void>>();
  #refusalsHeld = 0;

  constructor(deps: CallersDeps) {
    this.#deps = deps;
    this.#rates = new TokenBuckets(deps.clock);
    deps.tokens.onRevoked((tokenId) => {
      for (const run of this.#onEnd.get(tokenId) ?? []) run();
    });
  }

  /** Whose token it is; anonymous when there is none or it is worth nothing. */
  identify(token: string | undefined): Caller {
    const row = token === undefined ? undefined : this.#deps.tokens.authenticate(token);
    return row === undefined ? { kind: 'anonymous' } : callerOf(row);
  }

  /** Takes a place for one request. Returns the way to give it back. Throws `rate_limited`. */
  enter(caller: Caller): () => void {
    const key = caller.kind === 'anonymous' ? ANONYMOUS : caller.tokenId;
    const { requestsPerSecond } = this.#deps;
    const waitMs = this.#rates.take(key, {
      burst: requestsPerSecond * TOKEN_BURST_SECONDS,
      perMinute: requestsPerSecond * 60,
    });
    if (waitMs > 0)
      throw new AppError('rate_limited', 'Too many requests in a short time.', {
        retryAfterMs: waitMs,
        failedBy: 'input',
      });
    const count = this.#underWay.get(key) ?? 0;
    const isAgent = caller.kind === 'agent';
    const isFull = isAgent && this.#underWayOfAgents >= CONCURRENT_AGENTS_MAX;
    if (
      isFull ||
      count >= (caller.kind === 'anonymous' ? CONCURRENT_ANONYMOUS_MAX : CONCURRENT_PER_TOKEN_MAX)
    ) {
      throw new AppError('rate_limited', 'Too many requests are under way at once.', {
        retryAfterMs: 1_000,
        failedBy: 'input',
      });
    }
    this.#underWay.set(key, count + 1);
    if (isAgent) this.#underWayOfAgents += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      if (isAgent) this.#underWayOfAgents -= 1;
      const now = (this.#underWay.get(key) ?? 1) - 1;
      if (now > 0) this.#underWay.set(key, now);
      else this.#underWay.delete(key);
    };
  }

  /** False once the caller's token has ended. */
  isAlive(caller: Caller): boolean {
    return caller.kind === 'anonymous' || this.#deps.tokens.isIdAlive(caller.tokenId);
  }

  /** Calls `run` when the caller's token ends before the returned function is called. */
  whenEnded(caller: Caller, run: () => void): () => void {
    if (caller.kind === 'anonymous') return () => undefined;
    const { tokenId } = caller;
    const waiting = this.#onEnd.get(tokenId) ?? new Set();
    this.#onEnd.set(tokenId, waiting.add(run));
    return () => {
      waiting.delete(run);
      if (waiting.size === 0 && this.#onEnd.get(tokenId) === waiting) this.#onEnd.delete(tokenId);
    };
  }

  /** Waits as long as a refused token has to. False: too many wait already, cut this one off. */
  async slowDownRefusal(): Promise<boolean> {
    if (this.#rates.take('refusals', REFUSAL_RATE) === 0) return true;
    if (this.#refusalsHeld >= REFUSALS_HELD_MAX) return false;
    this.#refusalsHeld += 1;
    await new Promise<void>((resolve) => this.#deps.clock.setTimer(REFUSAL_DELAY_MS, resolve));
    this.#refusalsHeld -= 1;
    return true;
  }
}

function callerOf(row: TokenRow): Caller {
  if (row.kind === 'agent') {
    return row.agent === null
      ? { kind: 'anonymous' }
      : { kind: 'agent', tokenId: row.id, agent: row.agent, scopes: row.scopes };
  }
  return {
    kind: row.kind,
    tokenId: row.id,
    surface: row.kind === 'ui' ? 'browser' : 'command_line',
  };
}
