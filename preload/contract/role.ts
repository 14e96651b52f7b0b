// What a hub is in the household, as it crosses a process boundary: the word of the person in
// charge here, never one of the other hub, and null where nobody has said. It lets nobody do
// anything by itself; only a hub of an adult may be named to decide in a child's place. Imports
// nothing.

/** shared: a computer that belongs to nobody. */
export const ROLES = ['adult', 'child', 'guest', 'shared'] as const;
export type Role = (typeof ROLES)[number];
