// The kinds of message, their streams and their replies (PROTOCOL.md, Kinds and payloads), and what
// this hub advertises in hello. Tables and lookups only.

import { DECISIONS } from './decision.ts';
import { REMOTE_APPROVAL } from './remote-approval.ts';

export type StreamType = 'bidirectional' | 'unidirectional';

interface KindEntry {
  /** The stream a message of this kind travels on; a reply travels on the stream of its request. */
  readonly stream: StreamType;
  /** True when a stream may begin with it; false for what is only ever a reply. */
  readonly opens: boolean;
  /** The reply a request of this kind gets (or `error`); null when it gets none. */
  readonly reply: string | null;
  /** True when every hub must know it; the others are advertised in hello's `features`. */
  readonly required: boolean;
  /** False when the payload is always empty, so that it may be left out. */
  readonly hasPayload: boolean;
}

export const KINDS = {
  hello: { stream: 'bidirectional', opens: true, reply: 'hello', required: true, hasPayload: true },
  ping: { stream: 'bidirectional', opens: true, reply: 'pong', required: true, hasPayload: false },
  pong: { stream: 'bidirectional', opens: false, reply: null, required: true, hasPayload: true },
  query: {
    stream: 'bidirectional',
    opens: true,
    reply: 'response',
    required: true,
    hasPayload: true,
  },
  response: {
    stream: 'bidirectional',
    opens: false,
    reply: null,
    required: true,
    hasPayload: true,
  },
  delegate: {
    stream: 'bidirectional',
    opens: true,
    reply: 'ack',
    required: false,
    hasPayload: true,
  },
  ack: { stream: 'bidirectional', opens: false, reply: null, required: false, hasPayload: true },
  result: { stream: 'unidirectional', opens: true, reply: null, required: false, hasPayload: true },
  notify: { stream: 'unidirectional', opens: true, reply: null, required: true, hasPayload: true },
  cancel: { stream: 'bidirectional', opens: true, reply: 'ack', required: false, hasPayload: true },
  discover: {
    stream: 'bidirectional',
    opens: true,
    reply: 'capabilities',
    required: false,
    hasPayload: false,
  },
  capabilities: {
    stream: 'bidirectional',
    opens: false,
    reply: null,
    required: false,
    hasPayload: true,
  },
  /**
   * On a stream of its own it is unsolicited; it may also stand in for the reply to any request.
   */
  error: { stream: 'unidirectional', opens: true, reply: null, required: true, hasPayload: true },
  pair: { stream: 'bidirectional', opens: true, reply: 'ack', required: false, hasPayload: true },
} as const satisfies Record<string, KindEntry>;

export type Kind = keyof typeof KINDS;

/** Reads `origin`, a message of a dialect beside its AXON fields. */
export const DIALECTS_EXTENSION = 'dialects/2';

/** What we advertise in hello's `features`: every optional kind. */
export const FEATURES: readonly string[] = Object.entries(KINDS)
  .filter(([, entry]) => !entry.required)
  .map(([kind]) => kind);

/** Known by a hub that gives no escalation to an agent; to another none is sent. */
export const ESCALATIONS = 'escalations/1';

/** A hub that says so when what its agents offer has changed. */
export const CAPABILITIES = 'capabilities/1';

/** What we advertise in hello's `extensions` (PROTOCOL.md, Extensions): only what this hub does. */
export const EXTENSIONS: readonly string[] = [
  'route/1',
  'conversation/1',
  'receipts/1',
  'progress/1',
  ESCALATIONS,
  ...REMOTE_APPROVAL,
  DECISIONS,
  'tag/1',
  CAPABILITIES,
  DIALECTS_EXTENSION,
];

/**
 * Topics of notifications that hubs send each other and no agent sees (PROTOCOL.md, Extensions): "I
 * have your result", how far it is, and "my agents offer something else now".
 */
export const RECEIPT_TOPIC = 'axon.receipt';
export const PROGRESS_TOPIC = 'axon.progress';
export const CAPABILITIES_TOPIC = 'axon.capabilities.changed';

/** Topics that begin so are the hubs' own: no agent or person sends one. */
export function isHubTopic(topic: string): boolean {
  return topic.startsWith('axon.');
}

export function isKnownKind(kind: string): kind is Kind {
  return Object.hasOwn(KINDS, kind);
}

/** The table's entry; undefined for a kind this version does not know. */
export function kindEntry(kind: string): KindEntry | undefined {
  return isKnownKind(kind) ? KINDS[kind] : undefined;
}

/** True when a stream of that type may begin with this kind. */
export function mayOpen(kind: string, stream: StreamType): boolean {
  const entry = kindEntry(kind);
  return entry !== undefined && entry.opens && entry.stream === stream;
}

/** True when `reply` is a proper answer to a request of kind `request`. */
export function mayAnswer(request: string, reply: string): boolean {
  const expected = kindEntry(request)?.reply ?? null;
  return expected !== null && (reply === expected || reply === 'error');
}
