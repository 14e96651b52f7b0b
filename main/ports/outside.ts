// One HTTP call of a program that this hub does not run, here or elsewhere. The adapter says what
// came of it, and no more.

export interface OutsideCall {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** Bytes of the answer that are read; of a longer one the status is all that is told. */
  readonly answerMaxBytes: number;
}

export type OutsideAnswer =
  /** `body` null: it did not come whole in time, or is too long. */
  | { readonly kind: 'answered'; readonly status: number; readonly body: Uint8Array | null }
  /** There was no connection: nothing was sent. */
  | { readonly kind: 'not_there' }
  /** Something may have been sent, and no answer came in time. */
  | { readonly kind: 'unclear' };

/** Past every proxy, and after no redirect. Never rejects. */
export type CallOutside = (call: OutsideCall, signal: AbortSignal) => Promise<OutsideAnswer>;
