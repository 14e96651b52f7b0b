// What follows for the next questions where one brought no answer, by why: what that hub takes of nobody just now holds all back from it, what it
// made of this one question that one alone, and what failed here says nothing of that hub. Never asks anything itself (PROTOCOL.md, Consent, Pace).
import type { AppError } from '../../lib/app-error.ts';
import type { KeyHex } from '../../ports/transport.ts';
import type { ConsentPace } from './consent-pace.ts';
import type { ConsentRetries } from './consent-retries.ts';
import type { ConsentTurns } from './consent-turns.ts';
import { RESEND_BACKOFF } from './limits.ts';
import type { OpenConsent, OpenConsents } from './open-consents.ts';
import type { AskingPace } from './outgoing-delegations.ts';
import type { Ending } from './task-endings.ts';

interface Parts {
  readonly open: OpenConsents;
  readonly pace: ConsentPace;
  readonly retries: ConsentRetries;
  readonly turns: ConsentTurns;
  /** A question that was sent already waits, which its card says; another may have its place. */
  readonly onPutOff: (question: OpenConsent) => void;
}

export class ConsentRefusals implements AskingPace {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** It ended there without a person's word: it expired, or was not taken. */
  notAnswered(id: string, { approvalId, hub, asker }: OpenConsent, { code, isOfAsker }: Ending): void {
    const { pace, retries, turns } = this.#parts;
    if (code === 'overloaded' && isOfAsker !== true) return pace.full(hub);
    if (code !== 'rate_limited') return retries.later(approvalId, hub, code === 'invalid_envelope' ? 'refused' : 'unanswered');
    pace.tooFast(hub);
    turns.hadNone(hub, asker, id);
  }

  /** It never left this hub. */
  failedHere(id: string, { approvalId, hub, asker }: OpenConsent): void {
    this.#parts.retries.soon(approvalId, hub);
    this.#parts.turns.hadNone(hub, asker, id);
  }

  resendIn(taskId: string): number {
    const { open, pace, retries, turns } = this.#parts;
    const question = open.get(taskId);
    if (question === undefined) return 0;
    const { approvalId, hub, asker } = question;
    const hasPlace = !open.isPutOff(taskId) || turns.hasRoom(open.out(hub), asker);
    const aloneMs = retries.waits(approvalId, hub) || !hasPlace ? RESEND_BACKOFF.maxMs : 0;
    const waitMs = Math.max(pace.waitMs(hub), aloneMs);
    if (waitMs > 0) return waitMs;
    open.sentAgain(taskId);
    pace.asked(hub);
    return 0;
  }

  /**
   * What counts where a hub is to be asked something new: what is there or on its way, and what goes before it as soon as it may. What that hub is
   * left alone about for now keeps no place from others.
   */
  placed(hub: KeyHex): readonly OpenConsent[] {
    const { open, retries } = this.#parts;
    return [...open.out(hub), ...open.putOffAt(hub).filter(({ approvalId }) => !retries.waits(approvalId, hub))];
  }

  resendRefused(taskId: string, { code, data }: AppError): void {
    const { open, pace, retries, onPutOff } = this.#parts;
    const question = open.get(taskId);
    if (question === undefined) return;
    if (code === 'rate_limited') pace.tooFast(question.hub);
    else if (code === 'overloaded' && data.of_asker !== true) pace.full(question.hub);
    else retries.later(question.approvalId, question.hub, 'unanswered');
    open.putOff(taskId);
    onPutOff(question);
  }
}
