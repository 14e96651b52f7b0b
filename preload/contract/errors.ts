// The closed catalogue of operating errors: what a client may branch on, and what each means at
// every door. A test proves it total. Nothing here may import anything.

interface ErrorEntry {
  /** HTTP status of the problem document. */
  readonly status: number;
  /**
   * Exit code of `axon`: 1 failed on this computer, 2 wrongly typed, 3 refused, 4 failed or
   * cancelled, 5 too late.
   */
  readonly exit: 1 | 2 | 3 | 4 | 5;
  readonly retryable: boolean;
  /** Short title for people, plain words. */
  readonly title: string;
  /** True when the code travels between hubs (PROTOCOL.md, Errors). */
  readonly wire?: true;
}

export const ERRORS = {
  not_authorized: { status: 403, exit: 3, retryable: false, title: 'Not allowed', wire: true },
  unknown_domain: {
    status: 404,
    exit: 3,
    retryable: false,
    title: 'Nobody there handles that',
    wire: true,
  },
  overloaded: { status: 429, exit: 3, retryable: true, title: 'Too much at once', wire: true },
  internal: { status: 500, exit: 1, retryable: true, title: 'Something broke', wire: true },
  timeout: { status: 504, exit: 5, retryable: true, title: 'It took too long', wire: true },
  cancelled: { status: 409, exit: 4, retryable: false, title: 'Cancelled', wire: true },
  incompatible_version: {
    status: 502,
    exit: 3,
    retryable: false,
    title: 'The hubs speak different versions',
    wire: true,
  },
  unknown_kind: {
    status: 400,
    exit: 3,
    retryable: false,
    title: 'Not a kind of message this hub knows',
    wire: true,
  },
  peer_not_found: { status: 404, exit: 2, retryable: false, title: 'No such hub', wire: true },
  invalid_envelope: {
    status: 400,
    exit: 3,
    retryable: false,
    title: 'Not a valid message',
    wire: true,
  },
  not_understood: { status: 422, exit: 3, retryable: false, title: 'Not understood', wire: true },
  rejected: { status: 403, exit: 3, retryable: false, title: 'Declined', wire: true },
  blocked: { status: 403, exit: 3, retryable: false, title: 'Stopped by a rule', wire: true },
  rate_limited: {
    status: 429,
    exit: 3,
    retryable: true,
    title: 'Too many in a short time',
    wire: true,
  },
  conflict: {
    status: 409,
    exit: 3,
    retryable: false,
    title: 'It clashes with something that is there already',
    wire: true,
  },
  approval_expired: {
    status: 504,
    exit: 5,
    retryable: true,
    title: 'Nobody answered in time',
    wire: true,
  },
  pairing_required: {
    status: 403,
    exit: 3,
    retryable: false,
    title: 'The hubs are not paired',
    wire: true,
  },
  unhandled: {
    status: 502,
    exit: 3,
    retryable: false,
    title: 'Delivered, but nobody answers there',
    wire: true,
  },
  /** An agent says so of its own work, and names no code. */
  agent_failed: { status: 502, exit: 4, retryable: false, title: 'The agent could not do it' },
  bad_request: { status: 400, exit: 2, retryable: false, title: 'The request does not fit' },
  bad_host: { status: 403, exit: 3, retryable: false, title: 'Wrong Host' },
  bad_origin: { status: 403, exit: 3, retryable: false, title: 'Wrong origin' },
  unauthenticated: { status: 401, exit: 2, retryable: false, title: 'Not logged in' },
  forbidden: { status: 403, exit: 3, retryable: false, title: 'This token may not do that' },
  not_found: { status: 404, exit: 2, retryable: false, title: 'Not found' },
  method_not_allowed: { status: 405, exit: 2, retryable: false, title: 'Not done this way' },
  gone: { status: 410, exit: 3, retryable: false, title: 'No longer there' },
  already_decided: { status: 409, exit: 3, retryable: false, title: 'No longer open' },
  request_changed: { status: 409, exit: 3, retryable: false, title: 'This request changed' },
  unsupported_feature: {
    status: 409,
    exit: 3,
    retryable: false,
    title: 'That hub does not do this',
  },
  payload_too_large: { status: 413, exit: 2, retryable: false, title: 'Too long' },
  unsupported_media_type: { status: 415, exit: 2, retryable: false, title: 'JSON only' },
  headers_too_large: { status: 431, exit: 2, retryable: false, title: 'Headers too long' },
  idempotency_mismatch: {
    status: 422,
    exit: 2,
    retryable: false,
    title: 'The same key with another body',
  },
  peer_unreachable: { status: 503, exit: 4, retryable: true, title: 'That hub cannot be reached' },
  identity_locked: { status: 503, exit: 1, retryable: true, title: 'The keychain is locked' },
  /**
   * For a moment at every start, while the keychain is locked, and until the owner has confirmed
   * that the hub was restored.
   */
  hub_locked: { status: 503, exit: 1, retryable: true, title: 'The hub is locked' },
  hub_unreachable: { status: 503, exit: 1, retryable: true, title: 'The hub is not running' },
  passphrase_required: {
    status: 401,
    exit: 2,
    retryable: false,
    title: 'The owner passphrase is needed',
  },
  /**
   * Not 401: the token that came with it is as good as before, and a page that is logged in stays
   * so.
   */
  wrong_passphrase: { status: 403, exit: 3, retryable: false, title: 'Not the owner passphrase' },
  address_in_use: { status: 500, exit: 1, retryable: false, title: 'The port is taken' },
  home_in_use: { status: 500, exit: 1, retryable: false, title: 'Another hub uses this folder' },
  bad_configuration: { status: 500, exit: 1, retryable: false, title: 'A setting is wrong' },
  storage_failed: { status: 503, exit: 1, retryable: true, title: 'The disk did not take it' },
  unsupported_platform: { status: 500, exit: 1, retryable: false, title: 'Not on this system' },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
export type WireErrorCode = {
  [Code in ErrorCode]: (typeof ERRORS)[Code] extends { wire: true } ? Code : never;
}[ErrorCode];

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERRORS, value);
}

/** A code from a peer that this version does not know reads as `internal` (PROTOCOL.md, Errors). */
export function readWireErrorCode(value: unknown): WireErrorCode {
  return isErrorCode(value) && 'wire' in ERRORS[value] ? (value as WireErrorCode) : 'internal';
}

/** What crosses a process when something failed (RFC 9457 over HTTP). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance?: string;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly hint?: string;
  readonly retry_after_ms?: number;
  readonly data?: Readonly<Record<string, unknown>>;
}
