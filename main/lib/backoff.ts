// Waiting times between tries: doubling, capped, with jitter. Pure arithmetic; the caller owns the
// clock and the chance.

interface BackoffOptions {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Share of the wait that chance may take away, 0 to 1. */
  readonly jitter: number;
}

/**
 * The wait in ms before try number `attempt` (0 = first retry).
 * @param fraction chance in [0, 1)
 */
export function backoffMs(attempt: number, fraction: number, options: BackoffOptions): number {
  const full = Math.min(options.maxMs, options.firstMs * 2 ** Math.min(attempt, 30));
  return Math.round(full * (1 - options.jitter * fraction));
}
