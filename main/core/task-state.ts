// The states of a delegation (PROTOCOL.md, Delegation states) and of a query that waits for a person. Terminal states never change.

export const TASK_STATES = [
  'sending',
  'received',
  'awaiting_approval',
  'held',
  'approved',
  'queued',
  'claimed',
  'running',
  'completed',
  'partial',
  'failed',
  'declined',
  'expired',
  'cancelled',
] as const;
export type TaskState = (typeof TASK_STATES)[number];
