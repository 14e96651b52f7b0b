// The envelope every message travels in (PROTOCOL.md, Envelope). This file owns its shape; parsing
// and encoding stand beside it.

export interface Envelope {
  readonly v: number;
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** The sender's wall clock, ms. For display only. */
  readonly ts: number;
  readonly kind: string;
  readonly ref: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}
