// One QUIC connection around the native state machine: when it reads, writes, flushes, pings and
// ends. It checks the peer's key before the first stream is read (PROTOCOL.md, Connection); who may
// stay is the endpoint's decision.
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import {
  CLOSE_CODES,
  type CloseCode,
  type ConnectionInfo,
  type KeyHex,
  type TransportEvent,
} from '../../ports/transport.ts';
import type { Counters } from './counters.ts';
import { readEnd, type ConnectionEnd, type ConnectionOptions } from './connection-host.ts';
import { DueTimer } from './due-timer.ts';
import { ALERTS, judgeHandshake } from './handshake-check.ts';
import { IncomingRequests } from './incoming-requests.ts';
import {
  ACK_DEFER_MAX_PACKETS,
  ACK_DEFER_MS,
  BURST_MAX_DATAGRAMS,
  CLOSE_REASON_MAX_BYTES,
  HANDSHAKE_LIMIT_MS,
  LAST_WORDS_MAX_DATAGRAMS,
  MESSAGE_LEAVE_LIMIT_MS,
  STREAM_JUDGE_INTERVAL_MS,
} from './limits.ts';
import type { HostPort, Quiche, QuicheConnection } from './native-binding.ts';
import { OutgoingMessages } from './outgoing-messages.ts';
import { PeerAddress } from './peer-address.ts';
import { LastWord, Silence } from './silence.ts';
import { StreamReader, type UnfinishedBytes } from './stream-reader.ts';
import { StreamWriter } from './stream-writer.ts';

/** Transport error code of RFC 9000, Section 20.1. */
const NO_ERROR = 0;

type Status = 'handshake' | 'open' | 'closed' | 'gone';

/** What a connection needs of its endpoint. */
export interface ConnectionHost {
  readonly binding: Quiche;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly local: HostPort;
  readonly unfinished: UnfinishedBytes;
  /** Shared scratch space: one buffer to read streams into, one to write datagrams into. */
  readonly readBuffer: Buffer;
  readonly sendBuffer: Buffer;
  sendDatagram(bytes: Uint8Array, host: string, port: number): void;
  /** The peer's key is known; the host keeps the connection or closes it. */
  established(connection: QuicConnection): void;
  ended(connection: QuicConnection, end: ConnectionEnd): void;
  /** The peer is at another address now, which is validated. */
  moved(connection: QuicConnection): void;
  /** Nothing of it is left on the wire: its ids may be forgotten. */
  gone(connection: QuicConnection): void;
  /** Something threw that must not; the connection it happened on is gone. */
  failed(error: unknown): void;
  emit(event: TransportEvent): void;
  /**
   * False while whoever takes the messages is behind: nothing is read then, and flow control slows
   * the peer.
   */
  canDeliver(): boolean;
  isPaired(keyHex: KeyHex): boolean;
  /** True for a connection id that this endpoint gave itself. */
  isOwnId(id: Uint8Array): boolean;
}

export class QuicConnection {
  readonly connectionId: number;
  readonly direction: 'incoming' | 'outgoing';
  /** By the monotonic clock. */
  readonly startedAtMs: number;
  readonly routes: readonly string[];
  readonly outgoing: OutgoingMessages;
  readonly incoming: IncomingRequests;
  readonly peer: PeerAddress;
  readonly #host: ConnectionHost;
  readonly #native: QuicheConnection;
  readonly #reader: StreamReader;
  readonly #writer: StreamWriter;
  readonly #expectedKeyHex: KeyHex | null;
  #keyHex: KeyHex | null = null;
  #wrongKeyHex: KeyHex | null = null;
  #status: Status = 'handshake';
  readonly #turns = new Turns(() => this.#guarded(this.#takeTurn));
  #dirty = true;
  #unflushedPackets = 0;
  #strayAddress = false;
  #hasSentHandshake = false;
  readonly #silence: Silence;
  readonly #lastWord = new LastWord();
  readonly #timer: DueTimer;
  #ackTimer: TimerHandle | null = null;

  constructor(host: ConnectionHost, options: ConnectionOptions) {
    this.#host = host;
    this.#native = options.native;
    this.connectionId = options.connectionId;
    this.direction = options.expectedKeyHex === null ? 'incoming' : 'outgoing';
    this.routes = options.routes;
    this.#expectedKeyHex = options.expectedKeyHex;
    this.peer = new PeerAddress(options.native, host.local, options.host, options.port);
    this.startedAtMs = host.clock.monotonicMs();
    this.#silence = new Silence(this.startedAtMs);
    this.#timer = new DueTimer(host.clock, () => this.#guarded(this.#doWhatIsDue));
    const { native } = options;
    this.#reader = new StreamReader({
      native,
      clock: host.clock,
      total: host.unfinished,
      scratch: host.readBuffer,
      sink: {
        message: (streamId, bytes) => this.#message(streamId, bytes),
        reset: (streamId, code) => this.#reset(streamId, code),
        violation: (streamId, rule) => this.#violation(streamId, rule),
        expected: () => this.outgoing.expected,
      },
      isDialler: this.direction === 'outgoing',
    });
    this.#writer = new StreamWriter({ native, clock: host.clock });
    const wake = (): void => this.wake();
    this.outgoing = new OutgoingMessages({
      binding: host.binding,
      native,
      clock: host.clock,
      reader: this.#reader,
      writer: this.#writer,
      isDialler: this.direction === 'outgoing',
      counters: host.counters,
      wake,
    });
    this.incoming = new IncomingRequests({
      binding: host.binding,
      counters: host.counters,
      writer: this.#writer,
      wake,
    });
  }

  /** The peer's key; null until the handshake is done. */
  get keyHex(): KeyHex | null {
    return this.#keyHex;
  }

  get isOver(): boolean {
    return this.#status === 'closed' || this.#status === 'gone';
  }

  /** Bytes it has brought, without what could not be decrypted: that may come from anybody. */
  get decryptedBytes(): number {
    return this.#native.stats().recvBytes;
  }

  /** The key that answered a dial instead of the expected one. */
  get wrongKeyHex(): KeyHex | null {
    return this.#wrongKeyHex;
  }

  get info(): ConnectionInfo {
    const { connectionId, direction } = this;
    return {
      connectionId,
      keyHex: this.#keyHex ?? '',
      direction,
      host: this.peer.host,
      port: this.peer.port,
    };
  }

  receive(datagram: Buffer, host: string, port: number): void {
    if (this.#status === 'gone') return;
    if (!this.peer.is(host, port)) {
      // Dialled hubs do not move: a server that changes its address is none (RFC 9000, Section 9).
      if (this.direction === 'outgoing') return this.#host.counters.add('dropped.foreign-address');
      this.#strayAddress = true;
      this.#receive(datagram, this.peer.strayInfo(host, port));
      this.#dirty = true;
      // At once: the library ends the connection over a second packet from an address that failed
      // its validation, unless it could ask anew.
      return this.#guarded(this.#takeTurn);
    }
    this.#receive(datagram, this.peer.receiveInfo);
    this.#unflushedPackets += 1;
    this.#turns.later();
  }

  /** Asks the peer for a sign of life now; without one the connection is lost in seconds. */
  checkAlive(): void {
    if (this.#status !== 'open') return;
    if (!this.#silence.startCheck(this.#host.clock.monotonicMs(), () => this.peer.roundTripMs))
      return;
    this.#host.counters.add('connections.doubted');
    this.#turns.later();
    this.#dirty = true;
  }

  /** Asks for a turn that sends: something was written. */
  wake(): void {
    this.#dirty = true;
    this.#turns.soon();
  }

  /** Reads again after the host could not take messages for a while. */
  resumeReading(): void {
    this.#turns.later();
  }

  /**
   * Closes with an application code; the end is reported at once. A handshake, which knows no such
   * codes, is cancelled; one that brings too much brings it in its certificate.
   */
  close(code: CloseCode, reason: string): void {
    const alert = code === CLOSE_CODES.overLimit ? ALERTS.badCertificate : NO_ERROR;
    if (this.#status === 'handshake') this.#close(false, alert, '', { code, by: 'local', reason });
    else this.#close(true, code, reason, { code, by: 'local', reason });
  }

  /** Forgets a handshake without another word on the wire. */
  dropSilently(reason: string): void {
    this.#end({ code: null, by: 'local', reason });
    this.dispose();
  }

  #receive(datagram: Buffer, info: PeerAddress['receiveInfo']): void {
    try {
      this.#native.recv(datagram, info);
      this.#silence.heard(this.#host.clock.monotonicMs());
      this.#lastWord.heard();
    } catch {
      // Whatever it was, quiche has noted what it must answer; the flush sends it.
      this.#host.counters.add('dropped.undecryptable');
      this.#dirty = true;
    }
  }

  /** A fault while one connection is worked on ends that connection, not the endpoint. */
  #guarded(work: () => void): void {
    if (this.#status === 'gone') return;
    try {
      this.#turns.inside(work);
    } catch (error) {
      this.dropSilently('an internal fault');
      this.#host.failed(error);
    }
  }

  readonly #takeTurn = (): void => {
    this.#advance();
    const lone =
      this.#status === 'open' && !this.#dirty && this.#unflushedPackets < ACK_DEFER_MAX_PACKETS;
    if (!lone) return this.flush();
    // Nothing but an acknowledgement is due: give an answer the chance to carry it.
    this.#ackTimer ??= this.#host.clock.setTimer(ACK_DEFER_MS, this.#acknowledge);
  };

  readonly #acknowledge = (): void => this.#guarded(() => this.flush());

  #advance(): void {
    // A handshake can be complete and yet wrong: the library checks what it proved, such as the ids
    // of both sides, only then.
    const isDone = this.#native.isEstablished() && this.#native.localError() === null;
    if (this.#status === 'handshake' && isDone) this.#establish();
    if (this.#status === 'open') {
      if (this.#strayAddress) this.#followPath();
      if (this.#host.canDeliver()) this.#reader.readAll();
      if (this.#reader.unfinishedCount > 0) this.#limitStranger();
    }
    // Reading may have closed the connection.
    if (this.#status === 'open') {
      const resumed = this.#writer.resume();
      const opened = this.outgoing.pump();
      if (resumed || opened) this.#dirty = true;
    }
    if (this.#status === 'handshake' || this.#status === 'open') this.#noticeEnd();
  }

  #establish(): void {
    const verdict = judgeHandshake(this.#native, this.#expectedKeyHex);
    if (!verdict.accepted) {
      this.#wrongKeyHex = verdict.wrongKeyHex;
      this.#host.counters.add(`refused.${verdict.counter}`);
      const { alert, reason } = verdict;
      return this.#close(false, alert, reason, { code: null, by: 'local', reason });
    }
    if (this.#host.isOwnId(this.#native.destinationId())) {
      this.#host.counters.add('refused.own-end');
      return this.close(CLOSE_CODES.done, 'both ends are this hub itself');
    }
    this.#keyHex = verdict.keyHex;
    this.#status = 'open';
    this.#dirty = true;
    this.#host.established(this);
  }

  #noticeEnd(): void {
    const end = readEnd(this.#native);
    if (end) this.#end(end);
  }

  #message(streamId: number, bytes: Uint8Array): void {
    if (this.#status !== 'open') return;
    if (this.outgoing.owns(streamId))
      return this.outgoing.answered(streamId, { ok: true, value: bytes });
    const { connectionId } = this;
    if ((streamId & 2) !== 0) return this.#host.emit({ type: 'message', connectionId, bytes });
    this.incoming.arrived(streamId);
    this.#limitStranger();
    if (this.#status === 'open')
      this.#host.emit({ type: 'request', connectionId, streamId, bytes });
  }

  #reset(streamId: number, code: number): void {
    this.#host.counters.add('streams.reset-by-peer');
    if (this.outgoing.owns(streamId))
      this.outgoing.answered(streamId, { ok: false, error: { type: 'reset', code } });
    else this.incoming.refuse(streamId, CLOSE_CODES.done);
  }

  #violation(streamId: number, rule: 'too-large' | 'too-slow'): void {
    this.#host.counters.add(`streams.${rule}`);
    this.incoming.refuse(
      streamId,
      rule === 'too-large' ? CLOSE_CODES.overLimit : CLOSE_CODES.tooSlow,
    );
    if (this.outgoing.owns(streamId)) {
      const error =
        rule === 'too-large' ? ({ type: 'too-large' } as const) : ({ type: 'timeout' } as const);
      this.outgoing.answered(streamId, { ok: false, error });
    }
    this.#host.emit({ type: 'violation', connectionId: this.connectionId, rule });
  }

  /** PROTOCOL.md, Connection: a connection that is not paired has few streams. */
  #limitStranger(): void {
    if (this.#status !== 'open' || this.#keyHex === null || this.#host.isPaired(this.#keyHex))
      return;
    if (!this.incoming.exceedsStranger(this.#reader, (streamId) => this.outgoing.owns(streamId)))
      return;
    this.#host.counters.add('streams.too-many');
    this.#host.emit({
      type: 'violation',
      connectionId: this.connectionId,
      rule: 'too-many-streams',
    });
    this.close(CLOSE_CODES.overLimit, 'too many open streams');
  }

  /**
   * Follows a peer behind a NAT to its new address, once quiche has validated the path; what was
   * lost on the old one is asked for.
   */
  #followPath(): void {
    this.#strayAddress = false;
    if (!this.peer.follow()) return;
    this.#dirty = true;
    this.#host.counters.add('paths.followed');
    this.#host.moved(this);
  }

  #close(byApplication: boolean, code: number, reason: string, end: ConnectionEnd): void {
    if (this.isOver) return;
    // Whoever was dialled can read nothing of it before the end of our handshake.
    if (!this.#hasSentHandshake && this.direction === 'outgoing' && this.#native.isEstablished())
      this.peer.sendBurst(this.#host, BURST_MAX_DATAGRAMS);
    this.#lastWord.say(this.#host.clock.monotonicMs(), () => {
      try {
        this.#native.close(
          byApplication,
          code,
          Buffer.from(reason).subarray(0, CLOSE_REASON_MAX_BYTES),
        );
      } catch {
        // Already closing: the peer was first, or quiche found a protocol error.
      }
    });
    this.#end(end);
    this.wake();
  }

  #end(end: ConnectionEnd): void {
    if (this.isOver) return;
    this.#status = 'closed';
    this.#reader.clear();
    this.#writer.clear();
    this.incoming.clear();
    this.outgoing.failAll({ type: 'closed', ...end });
    this.#host.ended(this, end);
  }

  /** Ends everything without another word on the wire. */
  dispose(): void {
    if (this.#status === 'gone') return;
    this.#status = 'gone';
    this.#timer.cancel();
    this.#ackTimer?.cancel();
    this.#host.gone(this);
  }

  /**
   * Sends what is due now and arms the timer: turns do, and the endpoint for last words before its
   * socket closes.
   */
  flush(): void {
    this.#ackTimer?.cancel();
    this.#ackTimer = null;
    this.#dirty = false;
    this.#unflushedPackets = 0;
    if (this.#status === 'open') this.#hasSentHandshake = true;
    const max = this.#status === 'closed' ? LAST_WORDS_MAX_DATAGRAMS : BURST_MAX_DATAGRAMS;
    if (this.peer.sendBurst(this.#host, max)) {
      if (this.#status === 'closed') return this.dispose();
      this.#dirty = true;
      this.#turns.later();
    }
    this.#arm();
  }

  #arm(): void {
    if (this.#status === 'gone') return;
    if (this.#native.isClosed()) {
      if (this.#status !== 'closed') this.#noticeEnd();
      return this.dispose();
    }
    // What was just sent may have been the library's own last word.
    if (this.#status !== 'closed' && this.#native.isDraining()) this.#noticeEnd();
    const nowMs = this.#host.clock.monotonicMs();
    const timeoutMs = this.#native.timeout();
    // The library cuts its wait to whole milliseconds; one more keeps us from asking too early.
    let dueMs = timeoutMs === null ? Infinity : nowMs + timeoutMs + 1;
    if (this.#status === 'handshake' && this.direction === 'incoming')
      dueMs = Math.min(dueMs, this.startedAtMs + HANDSHAKE_LIMIT_MS);
    if (this.#status === 'open') {
      dueMs = Math.min(dueMs, this.#silence.dueMs);
      const streams = this.#reader.unfinishedCount + this.#writer.unwrittenCount;
      if (streams > 0) dueMs = Math.min(dueMs, nowMs + STREAM_JUDGE_INTERVAL_MS);
    }
    this.#timer.arm(nowMs, Math.min(dueMs, this.#lastWord.dueMs));
  }

  readonly #doWhatIsDue = (): void => {
    const nowMs = this.#host.clock.monotonicMs();
    if (nowMs >= this.#lastWord.dueMs) return this.dispose();
    if (this.#native.timeout() === 0) {
      this.#native.onTimeout();
      this.peer.recoverLost();
      this.#dirty = true;
    }
    if (
      this.#status === 'handshake' &&
      this.direction === 'incoming' &&
      nowMs - this.startedAtMs >= HANDSHAKE_LIMIT_MS
    ) {
      this.#host.counters.add('handshakes.too-slow');
      return this.dropSilently('the handshake took too long');
    }
    if (this.#status === 'open') this.#keepAlive(nowMs);
    this.#advance();
    // After reading: a stream whose bytes lay waiting here is not slow.
    if (this.#status === 'open') this.#judgeStreams(nowMs);
    this.flush();
  };

  #judgeStreams(nowMs: number): void {
    // While nothing is read, a stream that stands still is not the peer's fault.
    if (this.#host.canDeliver()) this.#reader.judge();
    if (!this.#writer.judge(nowMs, MESSAGE_LEAVE_LIMIT_MS)) return;
    this.#host.counters.add('messages.not-taken');
    this.#lost('a message did not leave in time');
  }

  /** The line is of no use; a new connection is. */
  #lost(reason: string): void {
    this.#close(true, CLOSE_CODES.done, reason, { code: null, by: 'network', reason });
  }

  #keepAlive(nowMs: number): void {
    const due = this.#silence.judge(nowMs);
    if (due === 'lost') {
      this.#lost('nothing was heard any more');
    } else if (due === 'ping') {
      this.#native.sendAckEliciting();
      this.#dirty = true;
    }
  }
}

/**
 * When a connection gets its next turn: at once or after what has come in, never twice for the
 * same, and never inside another.
 */
class Turns {
  readonly #work: () => void;
  #scheduled = false;
  #inside = false;

  constructor(work: () => void) {
    this.#work = work;
  }

  /**
   * A turn as soon as whoever asks is done, with all that he does until then. Whoever asks inside a
   * turn has it already.
   */
  soon(): void {
    if (this.#scheduled || this.#inside) return;
    this.#scheduled = true;
    process.nextTick(this.#run);
  }

  /** A turn once everything that has come by now was taken in: datagrams come in bursts. */
  later(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#run);
  }

  /** Does something that counts as a turn now, and what it takes into account. */
  inside(work: () => void): void {
    this.#inside = true;
    try {
      work();
    } finally {
      this.#inside = false;
    }
  }

  readonly #run = (): void => {
    this.#scheduled = false;
    this.#work();
  };
}
