// The limits that several services keep, one sentence each: what it bounds, and what happens beyond
// it.

/**
 * Audit rows about what one hub or caller tried and may not do, a minute; more are only counted.
 */
export const SECURITY_AUDIT = { burst: 10, perMinute: 10 } as const;
