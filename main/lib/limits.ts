// The limits of what stands here, one sentence each: what it bounds, and what happens beyond it.

/** Buckets kept; beyond it the least recently used is dropped (it starts full again, so the number is far above the peers that can connect). */
export const BUCKETS_MAX = 4_096;
