// Questions to peers of the reference profile. The answer comes later, as a message of its own with
// the question's id as ref. They outlive their connection and end with their answer, their time or
// their asker. Nothing of them is stored.
import { AppError } from '../../../lib/app-error.ts';
import { err, ok, type Result } from '../../../lib/result.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { KeyHex } from '../../../ports/transport.ts';
import { answerOf, type Reply } from '../../../protocol/reference/reference-mapping.ts';
import type { ReferenceEnvelope } from '../../../protocol/reference/reference-envelope.ts';
import { REFERENCE_QUESTIONS_MAX } from '../limits.ts';
import { transportError } from '../link-trouble.ts';

export interface Answered {
  /** The id of the message that brought the answer. */
  readonly id: string;
  readonly reply: Reply;
}

export interface Question {
  readonly key: KeyHex;
  /** Of the message that asks. */
  readonly id: string;
  readonly kind: string;
  readonly timeoutMs: number;
  /** The owner's name for whoever is asked, for sentences. */
  readonly name: string;
}

interface OpenQuestion {
  readonly answer: Promise<Result<Answered, AppError>>;
  /** The other side has said that it has the question: nothing else is proof of that. */
  delivered(): void;
  /** Stops waiting; the promise may stay open. */
  close(): void;
}

interface Waiting {
  readonly key: KeyHex;
  readonly kind: string;
  readonly settle: (outcome: Result<Answered, AppError>) => void;
}

export class PendingReplies {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits for the answer to a request of that kind; the error is `timeout`, `cancelled`, or
   * `overloaded` when too many wait.
   */
  open({ key, id, kind, timeoutMs, name }: Question, signal?: AbortSignal): OpenQuestion {
    const place = placeOf(key, id);
    const pending = Promise.withResolvers<Result<Answered, AppError>>();
    if (this.#waiting.size >= REFERENCE_QUESTIONS_MAX) {
      pending.resolve(
        err(
          new AppError('overloaded', 'Too many questions wait for an answer already.', {
            failedBy: 'local',
          }),
        ),
      );
      return { answer: pending.promise, delivered: () => undefined, close: () => undefined };
    }
    let isDelivered = false;
    const close = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', abort);
      this.#waiting.delete(place);
    };
    const settle = (outcome: Result<Answered, AppError>): void => {
      close();
      pending.resolve(outcome);
    };
    const abort = (): void =>
      settle(
        err(
          new AppError('cancelled', 'The call was given up before an answer came.', {
            failedBy: 'local',
          }),
        ),
      );
    const timer = this.#clock.setTimer(timeoutMs, () =>
      settle(err(isDelivered ? unanswered() : transportError(name, { type: 'timeout' }))),
    );
    signal?.addEventListener('abort', abort, { once: true });
    this.#waiting.set(place, { key, kind, settle });
    if (signal?.aborted === true) abort();
    return { answer: pending.promise, delivered: () => (isDelivered = true), close };
  }

  /**
   * True when the message answers an open question of ours to this very key, which is settled by
   * it.
   */
  take(key: KeyHex, envelope: ReferenceEnvelope): boolean {
    const waiting =
      envelope.ref === null ? undefined : this.#waiting.get(placeOf(key, envelope.ref));
    const reply = waiting === undefined ? undefined : answerOf(waiting.kind, envelope);
    if (waiting === undefined || reply === undefined) return false;
    waiting.settle(ok({ id: envelope.id, reply }));
    return true;
  }

  /** This key is not to answer any more: all questions that wait for it get this error. */
  closeKey(key: KeyHex, error: AppError): void {
    for (const waiting of this.#waiting.values())
      if (waiting.key === key) waiting.settle(err(error));
  }

  /** Nobody waits any more. */
  stop(): void {
    const gone = new AppError('cancelled', 'This hub is stopping.', { failedBy: 'local' });
    for (const waiting of this.#waiting.values()) waiting.settle(err(gone));
  }
}

function placeOf(key: KeyHex, id: string): string {
  return `${key} ${id}`;
}

function unanswered(): AppError {
  return new AppError('timeout', 'The question was delivered, but nobody there answered in time.', {
    failedBy: 'timeout',
    hint: 'Ask again with a longer deadline_ms, or look whether an agent listens there.',
  });
}
