// One life of the QUIC process, seen from the hub: the calls under way, the heartbeat, and its end,
// which fails every call at once. It never starts a process again; that is the transport's.
import { AppError } from '../../lib/app-error.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type {
  ConnectionInfo,
  DialFailure,
  DialTarget,
  ListenOptions,
  TransportEvent,
  TransportFailure,
  TransportStatistics,
} from '../../ports/transport.ts';
import type { Counters } from './counters.ts';
import { FrameChannel } from './frame-channel.ts';
import {
  CALLS_IN_FLIGHT_MAX,
  CHANNEL_WINDOW_BYTES,
  HEARTBEAT_CALM_INTERVAL_MS,
  HEARTBEAT_INTERVAL_MS,
  MESSAGE_SIZE_MAX_BYTES,
  START_LIMIT_MS,
  STOP_LIMIT_MS,
} from './limits.ts';
import { FRAMES, parseReport, type Command, type Report } from './process-messages.ts';
import type { QuicChild } from './quic-process.ts';
import { VERDICT_REASONS, Watchdog, type Verdict } from './watchdog.ts';

type MessageResult = Result<Uint8Array, TransportFailure>;
type DialResult = Result<ConnectionInfo, DialFailure>;

export const PROCESS_GONE: TransportFailure = {
  type: 'closed',
  code: null,
  by: 'local',
  reason: 'the QUIC process is not running',
};
const NOTHING = new Uint8Array(0);

/** A call number travels as 32 bits and comes round. */
const CALL_NUMBER_END = 2 ** 32;

export class ProcessLink {
  readonly #child: QuicChild;
  readonly #clock: Clock;
  readonly #onEvent: (event: TransportEvent) => void;
  readonly #onFault: (message: string) => void;
  readonly #onEnd: (reason: string) => void;
  readonly #counters: Counters;
  readonly #frames: FrameChannel;
  readonly #messages = new Map<number, (result: MessageResult) => void>();
  readonly #dials = new Map<number, (result: DialResult) => void>();
  readonly #statistics = new Map<number, (statistics: TransportStatistics | null) => void>();
  #started: { resolve: (port: number) => void; reject: (error: AppError) => void } | null = null;
  #stopped: (() => void) | null = null;
  #heartbeat: TimerHandle | null = null;
  readonly #watchdog = new Watchdog();
  #memoryBytes: number | null = null;
  #nextCall = 1;
  #endReason: string | null = null;
  #ended = false;

  constructor(deps: {
    readonly child: QuicChild;
    readonly clock: Clock;
    readonly counters: Counters;
    readonly onEvent: (event: TransportEvent) => void;
    /** A connection was lost to a fault inside the process. */
    readonly onFault: (message: string) => void;
    /** Called once when the process is gone, after every call was failed. */
    readonly onEnd: (reason: string) => void;
  }) {
    this.#child = deps.child;
    this.#clock = deps.clock;
    this.#counters = deps.counters;
    this.#onEvent = deps.onEvent;
    this.#onFault = deps.onFault;
    this.#onEnd = deps.onEnd;
    this.#frames = new FrameChannel(deps.child, deps.clock, CHANNEL_WINDOW_BYTES, {
      frame: (type, body) => this.#frame(type, body),
      caughtUp: () => {},
      broken: () => this.kill('its channel is broken'),
    });
    this.#frames.open();
    deps.child.onExit((reason) => this.#end(reason));
  }

  get memoryBytes(): number | null {
    return this.#memoryBytes;
  }

  /** Frames and the batches they travelled in, both ways. */
  get traffic(): { readonly frames: number; readonly batches: number } {
    return { frames: this.#frames.frames, batches: this.#frames.batches };
  }

  /**
   * Hands the seed over and waits until the process listens.
   * @throws AppError address_in_use, bad_configuration, unsupported_platform, internal
   */
  async start(options: ListenOptions, firstConnectionId: number): Promise<number> {
    const header = Buffer.alloc(6);
    header.writeUInt32BE(firstConnectionId, 0);
    header.writeUInt16BE(options.port, 4);
    const port = new Promise<number>((resolve, reject) => {
      this.#started = { resolve, reject };
    });
    const limit = this.#clock.setTimer(START_LIMIT_MS, () => this.kill('it did not start in time'));
    this.#frames.post(FRAMES.start, header, options.seed.expose(), Buffer.from(options.host));
    this.#frames.flush();
    try {
      const taken = await port;
      this.#beat();
      return taken;
    } finally {
      limit.cancel();
    }
  }

  /** Lets the process close its connections, then ends it. */
  async stop(): Promise<void> {
    if (this.#ended) return;
    this.#heartbeat?.cancel();
    const stopped = new Promise<void>((resolve) => {
      this.#stopped = resolve;
    });
    const limit = this.#clock.setTimer(STOP_LIMIT_MS, () => this.#stopped?.());
    this.command({ type: 'stop' });
    this.#frames.flush();
    await stopped;
    limit.cancel();
    this.kill('stopped');
  }

  kill(reason: string): void {
    this.#endReason ??= reason;
    this.#child.kill();
  }

  command(command: Command): void {
    this.#frames.post(FRAMES.control, Buffer.from(JSON.stringify(command)));
  }

  dial(target: DialTarget, signal: AbortSignal): Promise<DialResult> {
    if (this.#ended)
      return Promise.resolve(err({ type: 'refused', reason: 'the QUIC process is not running' }));
    const call = this.#takeCall();
    return new Promise((resolve) => {
      const abort = (): void => this.#abort(call);
      signal.addEventListener('abort', abort, { once: true });
      this.#dials.set(call, (result) => {
        signal.removeEventListener('abort', abort);
        resolve(result);
      });
      this.command({ type: 'dial', call, target });
    });
  }

  request(
    connectionId: number,
    bytes: Uint8Array,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<MessageResult> {
    const header = Buffer.allocUnsafe(12);
    header.writeUInt32BE(connectionId, 4);
    header.writeUInt32BE(Math.max(0, Math.round(timeoutMs)), 8);
    return this.#send(FRAMES.request, header, bytes, signal);
  }

  send(connectionId: number, bytes: Uint8Array): Promise<MessageResult> {
    const header = Buffer.allocUnsafe(8);
    header.writeUInt32BE(connectionId, 4);
    return this.#send(FRAMES.send, header, bytes);
  }

  respond(connectionId: number, streamId: number, bytes: Uint8Array): void {
    const header = Buffer.allocUnsafe(12);
    header.writeUInt32BE(connectionId, 0);
    header.writeDoubleBE(streamId, 4);
    this.#frames.post(FRAMES.respond, header, bytes);
  }

  /** The endpoint's statistics; null when the process ended instead of answering. */
  statistics(): Promise<TransportStatistics | null> {
    if (this.#ended) return Promise.resolve(null);
    const call = this.#takeCall();
    return new Promise((resolve) => {
      this.#statistics.set(call, resolve);
      this.command({ type: 'statistics', call });
    });
  }

  #send(
    type: number,
    header: Buffer,
    bytes: Uint8Array,
    signal?: AbortSignal,
  ): Promise<MessageResult> {
    if (this.#ended) return Promise.resolve(err(PROCESS_GONE));
    if (signal?.aborted) return Promise.resolve(err({ type: 'aborted' }));
    if (bytes.length > MESSAGE_SIZE_MAX_BYTES) return Promise.resolve(err({ type: 'too-large' }));
    if (this.#messages.size >= CALLS_IN_FLIGHT_MAX || this.#frames.isBehind) {
      this.#counters.add('channel.overloaded');
      return Promise.resolve(err({ type: 'overloaded' }));
    }
    const call = this.#takeCall();
    header.writeUInt32BE(call, 0);
    return new Promise((resolve) => {
      if (signal) {
        const abort = (): void => this.#abort(call);
        signal.addEventListener('abort', abort, { once: true });
        this.#messages.set(call, (result) => {
          signal.removeEventListener('abort', abort);
          resolve(result);
        });
      } else {
        this.#messages.set(call, resolve);
      }
      this.#frames.post(type, header, bytes);
    });
  }

  /** The process ends the call and says so; its answer may have been quicker. */
  #abort(call: number): void {
    const header = Buffer.allocUnsafe(4);
    header.writeUInt32BE(call, 0);
    this.#frames.post(FRAMES.abort, header);
  }

  #takeCall(): number {
    const call = this.#nextCall;
    this.#nextCall = (call + 1) % CALL_NUMBER_END;
    return call;
  }

  #frame(type: number, body: Buffer): void {
    if (type === FRAMES.answer && body.length >= 4) {
      const call = body.readUInt32BE(0);
      return this.#settleMessage(call, ok(body.length > 4 ? body.subarray(4) : NOTHING));
    }
    if (type === FRAMES.requestEvent && body.length >= 12) {
      const [connectionId, streamId] = [body.readUInt32BE(0), body.readDoubleBE(4)];
      return this.#onEvent({ type: 'request', connectionId, streamId, bytes: body.subarray(12) });
    }
    if (type === FRAMES.messageEvent && body.length >= 4) {
      return this.#onEvent({
        type: 'message',
        connectionId: body.readUInt32BE(0),
        bytes: body.subarray(4),
      });
    }
    const report = type === FRAMES.control ? parseReport(body.toString('utf8')) : undefined;
    if (report) this.#report(report);
    else this.kill('it sent what no QUIC process sends');
  }

  #report(report: Report): void {
    switch (report.type) {
      case 'event':
        return this.#onEvent(report.event);
      case 'failed':
        return this.#settleMessage(report.call, err(report.failure));
      case 'dialled':
        this.#dials.get(report.call)?.(report.result);
        return void this.#dials.delete(report.call);
      case 'statistics':
        this.#statistics.get(report.call)?.(report.statistics);
        return void this.#statistics.delete(report.call);
      case 'heartbeat':
        this.#memoryBytes = report.sign.memoryBytes;
        this.#condemn(this.#watchdog.heard(report.sign));
        if (this.#watchdog.isCalm) this.#beatIn(HEARTBEAT_CALM_INTERVAL_MS);
        return;
      case 'started':
        this.#started?.resolve(report.port);
        this.#started = null;
        return;
      case 'start-failed':
        this.#started?.reject(
          new AppError(
            report.code,
            report.message,
            report.hint === undefined ? {} : { hint: report.hint },
          ),
        );
        this.#started = null;
        return;
      case 'fault':
        return this.#onFault(report.message);
      case 'stopped':
        return this.#stopped?.();
    }
  }

  #settleMessage(call: number, result: MessageResult): void {
    const settle = this.#messages.get(call);
    this.#messages.delete(call);
    settle?.(result);
  }

  #beat(): void {
    if (this.#ended) return;
    const verdict = this.#watchdog.beat();
    if (verdict) return this.#condemn(verdict);
    this.command({ type: 'heartbeat' });
    this.#beatIn(HEARTBEAT_INTERVAL_MS);
  }

  #beatIn(waitMs: number): void {
    if (this.#ended) return;
    this.#heartbeat?.cancel();
    this.#heartbeat = this.#clock.setTimer(waitMs, () => this.#beat());
  }

  #condemn(verdict: Verdict | undefined): void {
    if (verdict === undefined || this.#endReason !== null) return;
    this.#counters.add(`process.killed-${verdict}`);
    this.kill(VERDICT_REASONS[verdict]);
  }

  #end(exitReason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    const reason = this.#endReason ?? exitReason;
    this.#heartbeat?.cancel();
    this.#frames.close();
    this.#started?.reject(new AppError('internal', `The QUIC process did not start: ${reason}.`));
    for (const settle of this.#messages.values()) settle(err(PROCESS_GONE));
    for (const settle of this.#dials.values())
      settle(err({ type: 'refused', reason: 'the QUIC process ended' }));
    for (const settle of this.#statistics.values()) settle(null);
    this.#messages.clear();
    this.#dials.clear();
    this.#statistics.clear();
    this.#stopped?.();
    this.#onEnd(reason);
  }
}
