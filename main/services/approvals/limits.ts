// The numbers that bound what waits for people, with what happens beyond each. Values only.

/** Requests of one party, queries and delegations together, that may wait for a person; then `overloaded`. */
export const PENDING_PER_PARTY_MAX = 5;
/** Requests of everybody that may wait for a person; the next is answered `overloaded`. */
export const PENDING_TOTAL_MAX = 50;
