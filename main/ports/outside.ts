// One HTTP call of a program that this hub does not run, here or elsewhere. The adapter says what
// came of it, and no more.

export interface OutsideCall {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
}

export type OutsideAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly body: Uint8Array }
  /** There was no connection: nothing was sent. */
  | { readonly kind: 'not_there' }
  /** Something was sent, and no whole answer came in time, or one that is too long. */
  | { readonly kind: 'unclear' };

/** Past every proxy, and after no redirect. Never rejects. */
export type CallOutside = (call: OutsideCall, signal: AbortSignal) => Promise<OutsideAnswer>;
