// The limits that several services keep, one sentence each: what it bounds, and what happens beyond
// it.

/** Audit rows a minute about what one hub or caller may not do; more are left out. */
export const SECURITY_AUDIT = { burst: 10, perMinute: 10 } as const;
