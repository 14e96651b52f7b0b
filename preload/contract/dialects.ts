// The languages that agents may speak to this hub besides AXON, by the names that stand on the wire
// (PROTOCOL.md, Dialects). Imports nothing.
export const DIALECTS = ['claude-crunch', 'fipa-acl', 'elizaos', 'acp-draft'] as const;
export type DialectName = (typeof DIALECTS)[number];
