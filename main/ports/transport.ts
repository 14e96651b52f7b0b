// The wire between hubs, as the node sees it: authenticated connections that carry whole messages
// of bytes. It knows keys and bytes; it knows nothing of envelopes, trust states beyond places, or
// people.
import type { Result } from '../lib/result.ts';
import type { Secret } from '../lib/secret.ts';

/**
 * Raw 32-byte Ed25519 public key as 64 lower-case hex digits: the identity (PROTOCOL.md, Identity).
 */
export type KeyHex = string;
/** The other side of a conversation: a hub's key, or an agent of this hub as `agent:<name>`. */
export type PartyKey = KeyHex | `agent:${string}`;

/** Application codes of PROTOCOL.md, Connection; for connections and streams alike. */
export const CLOSE_CODES = {
  done: 0,
  malformed: 1,
  overLimit: 2,
  tooSlow: 3,
  notTrusted: 4,
  revoked: 5,
  duplicate: 6,
  shuttingDown: 7,
} as const;
export type CloseCode = (typeof CLOSE_CODES)[keyof typeof CLOSE_CODES];

export interface DialTarget {
  readonly keyHex: KeyHex;
  readonly agentId: string;
  /** An IP address literal. Names are resolved by the caller. */
  readonly host: string;
  readonly port: number;
}

export interface ConnectionInfo {
  readonly connectionId: number;
  readonly keyHex: KeyHex;
  readonly direction: 'incoming' | 'outgoing';
  readonly host: string;
  readonly port: number;
}

export type TransportFailure =
  /** The connection was lost or closed before an answer came. */
  | {
      readonly type: 'closed';
      readonly code: number | null;
      readonly by: 'local' | 'peer' | 'network';
      readonly reason: string;
    }
  | { readonly type: 'timeout' }
  | { readonly type: 'reset'; readonly code: number }
  | { readonly type: 'overloaded' }
  | { readonly type: 'too-large' }
  | { readonly type: 'aborted' };

export type DialFailure =
  | { readonly type: 'timeout' }
  | { readonly type: 'refused'; readonly reason: string }
  /** Another key answered at that address. */
  | { readonly type: 'wrong-key'; readonly keyHex: KeyHex }
  | { readonly type: 'busy' }
  | { readonly type: 'aborted' };

export type TransportEvent =
  | { readonly type: 'connected'; readonly connection: ConnectionInfo }
  | {
      readonly type: 'disconnected';
      readonly connection: ConnectionInfo;
      readonly code: number | null;
      readonly by: 'local' | 'peer' | 'network';
      readonly reason: string;
    }
  /** A whole message on a bidirectional stream; answer it once with respond() or reset it. */
  | {
      readonly type: 'request';
      readonly connectionId: number;
      readonly streamId: number;
      readonly bytes: Uint8Array;
    }
  /** A whole message on a unidirectional stream. */
  | { readonly type: 'message'; readonly connectionId: number; readonly bytes: Uint8Array }
  /**
   * A stream that broke a limit (too large, too slow) and was reset by us; or a connection that
   * did, and is closed.
   */
  | {
      readonly type: 'violation';
      readonly connectionId: number;
      readonly rule: 'too-large' | 'too-slow' | 'too-many-streams';
    }
  | { readonly type: 'path-changed'; readonly connection: ConnectionInfo }
  /**
   * The process behind the transport died and was started again: every connection is gone (each was
   * reported).
   */
  | { readonly type: 'restarted'; readonly restarts: number };

/**
 * Who may take which places (PROTOCOL.md, hello). Keys in neither set are unknown and meet the
 * quarantine limits.
 */
export interface Admission {
  readonly paired: readonly KeyHex[];
  readonly refused: readonly KeyHex[];
}

export interface TransportStatistics {
  readonly connections: number;
  readonly roundTripMs: Readonly<Record<number, number>>;
  readonly counters: Readonly<Record<string, number>>;
  readonly restarts: number;
  readonly processMemoryBytes: number | null;
}

export interface ListenOptions {
  readonly seed: Secret<Uint8Array>;
  /** Address to bind; "0.0.0.0" or "::" for all. */
  readonly host: string;
  /** UDP port; 0 picks a free one. */
  readonly port: number;
}

export interface Transport {
  /** Binds the UDP socket. Rejects with AppError address_in_use when the port is taken. */
  start(
    options: ListenOptions,
    onEvent: (event: TransportEvent) => void,
  ): Promise<{ readonly port: number }>;
  /** Closes every connection with `shuttingDown` and frees the port. Idempotent. */
  stop(): Promise<void>;
  setAdmission(admission: Admission): void;
  /**
   * With these keys a pairing is under way: though they are not paired yet, nobody takes their
   * places. Replaces the keys of before.
   */
  keepPlaces(keys: readonly KeyHex[]): void;
  /**
   * Connects and checks that the key is the expected one. Resolves after the handshake; hello is
   * the caller's business.
   */
  dial(target: DialTarget, signal: AbortSignal): Promise<Result<ConnectionInfo, DialFailure>>;
  close(connectionId: number, code: CloseCode, reason: string): void;
  /**
   * Something says that the other side may have lost this connection: it is asked for a sign of
   * life at once, beside whatever is under way, and the connection ends in seconds (by `network`)
   * when nothing at all is heard. One that is heard goes on as it was.
   */
  checkAlive(connectionId: number): void;
  /**
   * Opens a bidirectional stream, writes the message with FIN and waits for the whole answer, which
   * has to begin within `timeoutMs`. How long it may take from there is a matter of its pace
   * (PROTOCOL.md, Streams and frames): a minute at most.
   */
  request(
    connectionId: number,
    bytes: Uint8Array,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Result<Uint8Array, TransportFailure>>;
  /**
   * Opens a unidirectional stream and writes the message with FIN. Resolves when the transport has
   * taken the bytes.
   */
  send(connectionId: number, bytes: Uint8Array): Promise<Result<void, TransportFailure>>;
  respond(connectionId: number, streamId: number, bytes: Uint8Array): void;
  /** Gives up on an incoming request without an answer. */
  reset(connectionId: number, streamId: number, code: CloseCode): void;
  statistics(): Promise<TransportStatistics>;
}
