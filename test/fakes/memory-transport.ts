// The Transport port over a network in memory: hubs find one another by port on 127.0.0.1, keys are
// checked, places are given by the same rules as over QUIC, and a test can cut lines, let a hub
// fall silent, or put somebody in the middle.
import { isIP } from 'node:net';
import { LOST_AFTER_CHECK_MS } from '../../main/adapters/quic/limits.ts';
import {
  changed,
  decidePlace,
  NO_STANDING,
  type PlaceHolder,
  type Standing,
} from '../../main/adapters/quic/places.ts';
import { AppError } from '../../main/lib/app-error.ts';
import { toHex } from '../../main/lib/bytes.ts';
import { err, ok, type Result } from '../../main/lib/result.ts';
import type { Clock, TimerHandle } from '../../main/ports/clock.ts';
import { CLOSE_CODES } from '../../main/ports/transport.ts';
import type {
  Admission,
  CloseCode,
  ConnectionInfo,
  DialFailure,
  DialTarget,
  KeyHex,
  ListenOptions,
  Transport,
  TransportEvent,
  TransportFailure,
  TransportStatistics,
} from '../../main/ports/transport.ts';
import { publicKeyOfSeed } from '../../main/protocol/signature.ts';

const MESSAGE_SIZE_MAX_BYTES = 65_536;
const CONNECT_LIMIT_MS = 10_000;
/** Nothing heard for so long is the end of a connection. */
const SILENCE_LIMIT_MS = 18_000;
const UNPAIRED_STREAMS_MAX = 4;
const FIRST_FREE_PORT = 40_000;

type RequestResult = Result<Uint8Array, TransportFailure>;

interface End {
  readonly owner: MemoryTransport;
  readonly info: ConnectionInfo;
  readonly sinceMs: number;
  readonly pending: Map<number, (result: RequestResult) => void>;
  other: End | undefined;
  isOpen: boolean;
  /** Requests of the other side that wait for our answer. */
  readonly unanswered: Set<number>;
}

export class MemoryNetwork {
  readonly clock: Clock;
  readonly #hosts = new Map<number, MemoryTransport>();
  #nextPort = FIRST_FREE_PORT;
  #nextConnectionId = 1;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  create(): MemoryTransport {
    return new MemoryTransport(this);
  }

  hostAt(port: number): MemoryTransport | undefined {
    return this.#hosts.get(port);
  }

  takePort(wanted: number, transport: MemoryTransport): number {
    const port = wanted === 0 ? this.#nextPort++ : wanted;
    if (this.#hosts.has(port)) throw new AppError('address_in_use', `UDP port ${port} is taken.`);
    this.#hosts.set(port, transport);
    return port;
  }

  freePort(port: number): void {
    this.#hosts.delete(port);
  }

  nextConnectionId(): number {
    return this.#nextConnectionId++;
  }
}

export class MemoryTransport implements Transport {
  /** Messages and answers sent, for tests that count. */
  sentCount = 0;
  /** Where its connections come from, as the hubs it dials see it. */
  sourceHost = '127.0.0.1';
  /** What it says its connections measure. */
  roundTripMs = 0;
  readonly #network: MemoryNetwork;
  readonly #ends = new Map<number, End>();
  readonly #timers = new Set<TimerHandle>();
  readonly #counters = new Map<string, number>();
  #port: number | undefined;
  #keyHex: KeyHex = '';
  #emit: (event: TransportEvent) => void = () => undefined;
  #standing: Standing = NO_STANDING;
  #isSilent = false;
  #nextStreamId = 0;

  constructor(network: MemoryNetwork) {
    this.#network = network;
  }

  start(
    { seed, port }: ListenOptions,
    onEvent: (event: TransportEvent) => void,
  ): Promise<{ readonly port: number }> {
    if (this.#port !== undefined) return Promise.resolve({ port: this.#port });
    try {
      this.#port = this.#network.takePort(port, this);
    } catch (error) {
      return Promise.reject(
        error instanceof Error ? error : new Error('the port could not be taken'),
      );
    }
    this.#keyHex = toHex(publicKeyOfSeed(seed.expose()));
    this.#emit = onEvent;
    return Promise.resolve({ port: this.#port });
  }

  stop(): Promise<void> {
    for (const end of this.#ends.values())
      this.#close(end, CLOSE_CODES.shuttingDown, 'shutting down');
    this.#leave();
    return Promise.resolve();
  }

  /**
   * The process behind it is killed: nobody is told anything, and the others notice by the silence.
   */
  crash(): void {
    const others = [...this.#ends.values()].flatMap(({ other }) =>
      other === undefined ? [] : [other],
    );
    this.#isSilent = true;
    for (const other of others) other.owner.#loseAfterSilence(other);
    this.#leave();
    this.#ends.clear();
    this.#emit = () => undefined;
  }

  /**
   * Gives up every connection at this end alone, as a hub does whose peer has not been heard for
   * long: the other side slept and knows nothing.
   */
  forget(): void {
    for (const end of this.#ends.values())
      this.#ended(end, null, 'network', 'nothing was heard for too long');
  }

  /** Every connection is lost at both ends, as when a cable is pulled for long. */
  cut(): void {
    for (const end of this.#ends.values()) {
      const { other } = end;
      if (other !== undefined)
        other.owner.#ended(other, null, 'network', 'nothing was heard for too long');
      this.#ended(end, null, 'network', 'nothing was heard for too long');
    }
  }

  setAdmission(admission: Admission): void {
    this.#standing = changed(this.#standing, admission);
    for (const end of this.#ends.values()) {
      if (this.#standing.refused.has(end.info.keyHex))
        this.#close(end, CLOSE_CODES.revoked, 'this key is no longer trusted');
    }
  }

  keepPlaces(keys: readonly KeyHex[]): void {
    this.#standing = changed(this.#standing, { pairing: keys });
  }

  async dial(
    target: DialTarget,
    signal: AbortSignal,
  ): Promise<Result<ConnectionInfo, DialFailure>> {
    if (signal.aborted) return err({ type: 'aborted' });
    if (this.#port === undefined || isIP(target.host) !== 4)
      return err({ type: 'refused', reason: 'the address cannot be used' });
    if (this.#standing.refused.has(target.keyHex))
      return err({ type: 'refused', reason: 'this key is no longer trusted' });
    await new Promise((resolve) => setImmediate(resolve));
    if (signal.aborted) return err({ type: 'aborted' });
    const far = this.#network.hostAt(target.port);
    if (far === undefined || far.#isSilent || this.#isSilent) return this.#noAnswer(signal);
    if (far.#keyHex !== target.keyHex) return err({ type: 'wrong-key', keyHex: far.#keyHex });
    if (far === this) return err({ type: 'refused', reason: 'both ends are this hub itself' });
    const near = this.#end(far.#keyHex, 'outgoing', target.host, target.port);
    if (!this.#admit(near)) return err({ type: 'refused', reason: 'no place left' });
    this.#ends.set(near.info.connectionId, near);
    this.#emit({ type: 'connected', connection: near.info });
    const there = far.#end(this.#keyHex, 'incoming', this.sourceHost, this.#port);
    near.other = there;
    there.other = near;
    setImmediate(() => far.#accept(there));
    return ok(near.info);
  }

  close(connectionId: number, code: CloseCode, reason: string): void {
    const end = this.#ends.get(connectionId);
    if (end !== undefined) this.#close(end, code, reason);
  }

  checkAlive(connectionId: number): void {
    const end = this.#ends.get(connectionId);
    if (end === undefined) return;
    this.#count('connections.doubted');
    this.#timer(LOST_AFTER_CHECK_MS, () => {
      const isHeard = end.other?.isOpen === true && !this.#isSilent && !end.other.owner.#isSilent;
      if (!isHeard) this.#ended(end, null, 'network', 'nothing was heard any more');
    });
  }

  request(
    connectionId: number,
    bytes: Uint8Array,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<RequestResult> {
    const end = this.#ends.get(connectionId);
    if (end === undefined) return Promise.resolve(err(NO_CONNECTION));
    if (bytes.byteLength > MESSAGE_SIZE_MAX_BYTES)
      return Promise.resolve(err({ type: 'too-large' }));
    if (signal?.aborted === true) return Promise.resolve(err({ type: 'aborted' }));
    const streamId = (this.#nextStreamId += 4);
    this.sentCount++;
    return new Promise((resolve) => {
      const abort = (): void => settle(err({ type: 'aborted' }));
      const timer = this.#timer(timeoutMs, () => settle(err({ type: 'timeout' })));
      const settle = (result: RequestResult): void => {
        end.pending.delete(streamId);
        timer.cancel();
        signal?.removeEventListener('abort', abort);
        end.other?.unanswered.delete(streamId);
        resolve(result);
      };
      signal?.addEventListener('abort', abort, { once: true });
      end.pending.set(streamId, settle);
      this.#deliver(end, (other) => other.owner.#receiveRequest(other, streamId, bytes));
    });
  }

  send(connectionId: number, bytes: Uint8Array): Promise<Result<void, TransportFailure>> {
    const end = this.#ends.get(connectionId);
    if (end === undefined) return Promise.resolve(err(NO_CONNECTION));
    if (bytes.byteLength > MESSAGE_SIZE_MAX_BYTES)
      return Promise.resolve(err({ type: 'too-large' }));
    this.sentCount++;
    this.#deliver(end, (other) =>
      other.owner.#emit({ type: 'message', connectionId: other.info.connectionId, bytes }),
    );
    return Promise.resolve(ok());
  }

  respond(connectionId: number, streamId: number, bytes: Uint8Array): void {
    this.#answer(connectionId, streamId, ok(bytes));
  }

  reset(connectionId: number, streamId: number, code: CloseCode): void {
    this.#answer(connectionId, streamId, err({ type: 'reset', code }));
  }

  statistics(): Promise<TransportStatistics> {
    const roundTripMs = Object.fromEntries(
      [...this.#ends.keys()].map((id) => [id, this.roundTripMs]),
    );
    return Promise.resolve({
      connections: this.#ends.size,
      roundTripMs,
      counters: Object.fromEntries(this.#counters),
      restarts: 0,
      processMemoryBytes: null,
    });
  }

  /** What an endpoint says of a stream of this key that broke a limit and was reset. */
  reportViolation(keyHex: string, rule: 'too-large' | 'too-slow'): void {
    for (const { info } of [...this.#ends.values()].filter((end) => end.info.keyHex === keyHex)) {
      this.#emit({ type: 'violation', connectionId: info.connectionId, rule });
    }
  }

  #answer(connectionId: number, streamId: number, result: RequestResult): void {
    const end = this.#ends.get(connectionId);
    if (end?.unanswered.delete(streamId) !== true) return;
    this.#deliver(end, (other) => other.pending.get(streamId)?.(result));
  }

  #deliver(end: End, run: (other: End) => void): void {
    setImmediate(() => {
      const { other } = end;
      if (other?.isOpen === true && !this.#isSilent && !other.owner.#isSilent) run(other);
    });
  }

  #receiveRequest(end: End, streamId: number, bytes: Uint8Array): void {
    end.unanswered.add(streamId);
    if (!this.#standing.paired.has(end.info.keyHex) && end.unanswered.size > UNPAIRED_STREAMS_MAX) {
      this.#emit({
        type: 'violation',
        connectionId: end.info.connectionId,
        rule: 'too-many-streams',
      });
      this.#close(end, CLOSE_CODES.overLimit, 'too many streams before pairing');
      return;
    }
    this.#emit({ type: 'request', connectionId: end.info.connectionId, streamId, bytes });
  }

  #accept(end: End): void {
    const { other } = end;
    if (other?.isOpen !== true) return;
    if (this.#isSilent) return other.owner.#loseAfterSilence(other);
    if (this.#port === undefined)
      return other.owner.#ended(other, CLOSE_CODES.shuttingDown, 'peer', 'shutting down');
    // Whoever dials is asked to prove its address first; here the port it listens on is the proof.
    this.#count('retries.sent');
    if (!this.#admit(end)) {
      this.#count(this.#standing.refused.has(end.info.keyHex) ? 'refused.key' : 'refused.no-place');
      other.owner.#ended(
        other,
        this.#standing.refused.has(end.info.keyHex) ? CLOSE_CODES.revoked : CLOSE_CODES.overLimit,
        'peer',
        'refused',
      );
      return;
    }
    this.#ends.set(end.info.connectionId, end);
    this.#emit({ type: 'connected', connection: end.info });
  }

  #admit(end: End): boolean {
    const place = ({ info, sinceMs }: End): PlaceHolder => ({ ...info, sinceMs });
    const nowMs = this.#network.clock.monotonicMs();
    const decision = decidePlace(
      place(end),
      [...this.#ends.values()].map(place),
      this.#standing,
      nowMs,
    );
    if (!decision.admitted) return false;
    for (const { connectionId, code, reason } of decision.evicted)
      this.close(connectionId, code, reason);
    return true;
  }

  #end(keyHex: KeyHex, direction: ConnectionInfo['direction'], host: string, port: number): End {
    const info: ConnectionInfo = {
      connectionId: this.#network.nextConnectionId(),
      keyHex,
      direction,
      host,
      port,
    };
    const sinceMs = this.#network.clock.monotonicMs();
    return {
      owner: this,
      info,
      sinceMs,
      pending: new Map(),
      unanswered: new Set(),
      other: undefined,
      isOpen: true,
    };
  }

  #close(end: End, code: CloseCode, reason: string): void {
    const { other } = end;
    this.#ended(end, code, 'local', reason);
    if (other === undefined || this.#isSilent) return;
    setImmediate(() => other.owner.#ended(other, code, 'peer', reason));
  }

  #ended(end: End, code: number | null, by: 'local' | 'peer' | 'network', reason: string): void {
    if (!end.isOpen) return;
    end.isOpen = false;
    for (const settle of end.pending.values()) settle(err({ type: 'closed', code, by, reason }));
    if (this.#ends.delete(end.info.connectionId))
      this.#emit({ type: 'disconnected', connection: end.info, code, by, reason });
  }

  #loseAfterSilence(end: End): void {
    this.#timer(SILENCE_LIMIT_MS, () =>
      this.#ended(end, null, 'network', 'nothing was heard for too long'),
    );
  }

  #noAnswer(signal: AbortSignal): Promise<Result<ConnectionInfo, DialFailure>> {
    return new Promise((resolve) => {
      const abort = (): void => {
        timer.cancel();
        resolve(err({ type: 'aborted' }));
      };
      const timer = this.#timer(CONNECT_LIMIT_MS, () => {
        signal.removeEventListener('abort', abort);
        resolve(err({ type: 'timeout' }));
      });
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  #timer(delayMs: number, run: () => void): TimerHandle {
    const timer = this.#network.clock.setTimer(delayMs, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
    return timer;
  }

  #count(name: string): void {
    this.#counters.set(name, (this.#counters.get(name) ?? 0) + 1);
  }

  #leave(): void {
    if (this.#port !== undefined) this.#network.freePort(this.#port);
    this.#port = undefined;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }
}

const NO_CONNECTION: TransportFailure = {
  type: 'closed',
  code: null,
  by: 'local',
  reason: 'there is no such connection',
};
