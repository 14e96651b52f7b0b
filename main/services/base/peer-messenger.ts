// Separates connections from the meaning of messages: services that work with messages use this
// interface, and PeerLinks provides it.
import type { AppError } from '../../lib/app-error.ts';
import type { Result } from '../../lib/result.ts';
import type { Envelope } from '../../protocol/envelope.ts';
import type { PeerRow } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';

export interface OutgoingMessage {
  /** A fresh UUID v4 made by the caller, so that it can be stored before it is sent. */
  readonly id: string;
  readonly kind: string;
  readonly ref: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** What a request handler answers with; the messenger adds id, from, to, ts and ref. */
export interface ReplyDraft {
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface IncomingMessage {
  readonly peer: PeerRow;
  /** Valid, `from` equal to the connection's key and `to` ours, the peer paired. */
  readonly envelope: Envelope;
  /** The message as it came, for the record. */
  readonly raw: string;
  /** Aborted when the stream or its connection is gone. */
  readonly signal: AbortSignal;
}

/** What the last ping of a peer told; null: nothing yet. */
export interface Pulse {
  readonly load: 'idle' | 'busy' | 'overloaded' | null;
  readonly roundTripMs: number | null;
}

export interface PeerMessenger {
  isOnline(peer: KeyHex): boolean;
  /**
   * On the last contact it refused this hub's key: suspended there, removed, or never added. It
   * does not say which.
   */
  isShutOut(peer: KeyHex): boolean;
  /** How busy and how far away the peer was at its last ping. */
  pulse(peer: KeyHex): Pulse;
  /** Features the peer advertised in hello; empty while unknown. */
  features(peer: KeyHex): readonly string[];
  extensions(peer: KeyHex): readonly string[];
  /**
   * False for a peer of the reference profile: its ack says only that a delegation was delivered
   * (PROTOCOL.md, Reference profile).
   */
  acknowledges(peer: KeyHex): boolean;
  /**
   * Sends a request and waits for its one reply. An `error` reply and a dead line are both the
   * error outcome (`peer_unreachable` when there was no connection: fail-fast, nothing is queued).
   */
  request(
    peer: KeyHex,
    message: OutgoingMessage,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Result<Envelope, AppError>>;
  /** One-way. Resolves when the transport took it; that is no promise that it was received. */
  send(peer: KeyHex, message: OutgoingMessage): Promise<Result<void, AppError>>;
  /** The bytes as they will be sent, to store them and to send the very same message again. */
  encode(peer: KeyHex, message: OutgoingMessage): string;
  /** Sends a message that was encoded before, for example from the outbox. */
  sendEncoded(peer: KeyHex, raw: string): Promise<Result<void, AppError>>;
  /**
   * One handler a kind. A thrown AppError becomes the error reply; anything else becomes
   * `internal`.
   */
  onRequest(kind: string, handler: (message: IncomingMessage) => Promise<ReplyDraft>): void;
  onMessage(kind: string, handler: (message: IncomingMessage) => Promise<void>): void;
  /**
   * Called after hello each time a paired peer comes online, comes back on another line while the
   * old one still counts, or goes.
   */
  onPresence(listener: (peer: KeyHex, online: boolean) => void): () => void;
}
