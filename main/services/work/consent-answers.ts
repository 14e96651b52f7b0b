// The adult's side of consent: what is asked, read from exactly what the person's own decision covers, and the words that the asking hub gets.
// Pure (PROTOCOL.md, Consent).
import { readApprovalView, type ApprovalView } from '../../core/approval-view.ts';
import { viewOfConsent } from '../../core/consent-view.ts';
import { escapeObject } from '../../core/text-escape.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import { AppError } from '../../lib/app-error.ts';
import type { ApprovalRow, PartyKey, TaskRow } from '../../ports/store.ts';
import { labelOf, questionIn, type ConsentChoice } from '../../protocol/consent.ts';
import { failure, type ResultWords } from './task-endings.ts';
import { readObject } from './task-views.ts';

/** A request of another hub, about which a person here is asked. */
export interface AskedConsent {
  /** The request as the asking hub keeps it. */
  readonly view: ApprovalView;
  /** What the asking hub knows it by, and what the answer is bound to. */
  readonly digest: string;
}

/** What an adult's hub says of a request of this one (PROTOCOL.md, Consent). */
export interface AdultsWord {
  readonly choice: ConsentChoice;
  /** The digest that the answer is bound to. */
  readonly digest: string;
  /** Its person's own words why not. */
  readonly reason: string | null;
  /** The key of the hub. */
  readonly hub: PartyKey;
  readonly who: string;
}

/** What stands where the person at a hub has no name; older hubs send it, too. */
export const NOBODY_NAMED = 'owner';

/** By whom an answer is signed. */
export interface Signature {
  /** The person, or the hub where nobody is named there. */
  readonly who: string;
  /** null: nobody is named there. */
  readonly person: string | null;
}

/**
 * The person and the hub, as the record names them: "Mum, Mum's PC"; only the hub where nobody is named there, or by one of its own names.
 * @param person null where that hub says that nobody is @param said what that hub calls itself, which older ones sign with
 */
export function adultOf(person: string | null, hub: string, said: string | null): string {
  const isNobody = person === null || person === hub || person === said || person === NOBODY_NAMED;
  return isNobody ? hub : `${person}, ${hub}`;
}

/** null for every other request. What is drawn must stand in the view that this hub's own digest covers, or nothing is drawn. */
export function consentOf(task: TaskRow, row: Pick<ApprovalRow, 'view'>): AskedConsent | null {
  if (task.kind !== 'delegate' || task.toAgent !== null || task.direction !== 'incoming') return null;
  const payload = readObject(task.payload);
  const question = questionIn(payload);
  if (question === undefined) return null;
  const covered = readApprovalView(row.view);
  const sent = isJsonObject(payload.consent) ? payload.consent : {};
  if (!covered.ok || canonicalJson(covered.value.payload.consent) !== canonicalJson(escapeObject(sent))) return null;
  const view = viewOfConsent(question);
  return view.ok ? { view: view.value, digest: question.digest } : null;
}

/** The result of a decision. */
export function consentResult(asked: AskedConsent, choice: ConsentChoice, { who, person }: Signature): ResultWords {
  const data = { choice, digest: asked.digest, decided_by: person };
  return { status: 'completed', outcome: labelOf(choice), data, error: null, answered_by: who };
}

/** As every declined request, with what the answer is bound to. @param reason the person's own words, empty when there are none */
export function consentDeclined(asked: AskedConsent, told: string, reason: string, { who, person }: Signature): ResultWords {
  const choice: ConsentChoice = 'decline';
  const data = { choice, digest: asked.digest, decided_by: person, ...(reason === '' ? {} : { reason }) };
  return { ...failure({ code: 'rejected', reason: told }), data, answered_by: who };
}

/** Another hub does it or leaves it: there is nothing to be said in its agent's place. */
export function noAnswerToConsent(): AppError {
  return new AppError('bad_request', 'This asks whether another hub may do something: allow it once or decline it.', { failedBy: 'input' });
}
