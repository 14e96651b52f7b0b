// One call of a webhook on this computer. The adapter says what came of it, and no more.

export interface WebhookCall {
  /** Of a literal loopback address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type WebhookAnswer =
  | { readonly kind: 'answered'; readonly status: number }
  /** There was no connection: nothing was sent. */
  | { readonly kind: 'not_there' }
  /** Something was sent, and no status came in time. */
  | { readonly kind: 'unclear' };

/** Never rejects. */
export type CallWebhook = (call: WebhookCall, signal: AbortSignal) => Promise<WebhookAnswer>;
