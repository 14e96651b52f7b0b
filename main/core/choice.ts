// What a person is asked to choose from, as it stands in the view that the digest covers: the same
// reading as of the message, over the escaped text. Pure.
import { readEscalation, type Escalation } from '../protocol/escalation.ts';
import { Fields } from '../protocol/fields.ts';
import type { ApprovalView } from './approval-view.ts';

/** Escaping makes texts longer; how long they may be was checked as they came. */
const UNBOUNDED = { label: Number.POSITIVE_INFINITY, point: Number.POSITIVE_INFINITY } as const;

/** All texts escaped; null when nobody is asked to choose. */
export function choiceOf(view: Pick<ApprovalView, 'kind' | 'payload'>): Escalation | null {
  if (view.kind !== 'delegate') return null;
  const fields = new Fields(view.payload);
  const read = fields.finish(readEscalation(fields, UNBOUNDED));
  return read.ok ? read.value : null;
}
