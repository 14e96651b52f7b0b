// The Transport port over the simulated network, for one run of a hub. Gives places by the same
// rules as over QUIC and reports what QUIC reports; a killed one says nothing more to anybody, in
// either direction.
import { LOST_AFTER_CHECK_MS } from '../../main/adapters/quic/limits.ts';
import {
  changed,
  decidePlace,
  NO_STANDING,
  type PlaceHolder,
  type Standing,
} from '../../main/adapters/quic/places.ts';
import { assert } from '../../main/lib/assert.ts';
import { toHex } from '../../main/lib/bytes.ts';
import { err, ok, type Result } from '../../main/lib/result.ts';
import type { Clock } from '../../main/ports/clock.ts';
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
import type { Network } from './network.ts';

const MESSAGE_SIZE_MAX_BYTES = 65_536;
const CONNECT_LIMIT_MS = 10_000;
const STREAMS_OPEN_MAX = 128;
const DIALS_MAX = 32;

type RequestResult = Result<Uint8Array, TransportFailure>;
type Settle = (result: RequestResult) => void;

/** One side of a connection. */
export class End {
  readonly owner: SimTransport;
  readonly info: ConnectionInfo;
  readonly pending = new Map<number, Settle>();
  /** Requests of the other side that wait for our answer. */
  readonly unanswered = new Set<number>();
  other: End | undefined;
  isOpen = true;

  constructor(owner: SimTransport, info: ConnectionInfo) {
    this.owner = owner;
    this.info = info;
  }

  /** Nothing was heard for too long. The other side will come to hear nothing either. */
  lose(): void {
    this.owner.ended(this, null, 'network', 'nothing was heard for too long');
  }
}

export class SimTransport implements Transport {
  readonly host: string;
  /** The most streams that were open at once, on one connection. */
  streamsMost = 0;
  readonly #network: Network;
  readonly #clock: Clock;
  readonly #ends = new Map<number, End>();
  readonly #keys: Map<string, KeyHex>;
  #emit: (event: TransportEvent) => void = () => undefined;
  #standing: Standing = NO_STANDING;
  #keyHex: KeyHex = '';
  #state: 'new' | 'open' | 'stopped' | 'dead' = 'new';
  #nextStreamId = 0;
  #dials = 0;
  #restarts = 0;
  /** Dials under way on this run of the process behind the transport. */
  #run = 0;

  /** @param keys keys of seeds worked out before */
  constructor(network: Network, clock: Clock, host: string, keys: Map<string, KeyHex>) {
    this.#network = network;
    this.#clock = clock;
    this.host = host;
    this.#keys = keys;
  }

  get keyHex(): KeyHex {
    return this.#keyHex;
  }

  get isUp(): boolean {
    return this.#state === 'open';
  }

  start(
    { seed, port }: ListenOptions,
    onEvent: (event: TransportEvent) => void,
  ): Promise<{ readonly port: number }> {
    assert(this.#state === 'new', 'a transport starts once');
    const text = toHex(seed.expose());
    this.#keyHex = this.#keys.get(text) ?? toHex(publicKeyOfSeed(seed.expose()));
    this.#keys.set(text, this.#keyHex);
    this.#emit = onEvent;
    this.#state = 'open';
    this.#network.join(this.host, this);
    return Promise.resolve({ port });
  }

  stop(): Promise<void> {
    if (this.#state !== 'open') return Promise.resolve();
    for (const end of this.#ends.values())
      this.#close(end, CLOSE_CODES.shuttingDown, 'shutting down');
    this.#state = 'stopped';
    this.#network.leave(this.host, this);
    return Promise.resolve();
  }

  /** The computer lost its power, or the program its life: the others notice by the silence. */
  kill(): void {
    this.#state = 'dead';
    this.#emit = () => undefined;
    this.#network.leave(this.host, this);
    for (const end of this.#ends.values()) {
      end.isOpen = false;
      this.#orphan(end.other);
    }
    this.#ends.clear();
  }

  /** The process behind the transport dies and is started again. */
  restartProcess(): void {
    if (this.#state !== 'open') return;
    this.#run++;
    for (const end of this.#ends.values())
      this.ended(end, null, 'network', 'the transport was started again');
    this.#emit({ type: 'restarted', restarts: ++this.#restarts });
  }

  endsTo(host: string): readonly End[] {
    return [...this.#ends.values()].filter((end) => end.other?.owner.host === host);
  }

  ends(): readonly End[] {
    return [...this.#ends.values()];
  }

  setAdmission(admission: Admission): void {
    this.#standing = changed(this.#standing, admission);
  }

  keepPlaces(keys: readonly KeyHex[]): void {
    this.#standing = changed(this.#standing, { pairing: keys });
  }

  async dial(
    target: DialTarget,
    signal: AbortSignal,
  ): Promise<Result<ConnectionInfo, DialFailure>> {
    if (this.#state !== 'open')
      return this.#state === 'dead'
        ? never()
        : err({ type: 'refused', reason: 'the port is closed' });
    if (signal.aborted) return err({ type: 'aborted' });
    if (this.#dials >= DIALS_MAX) return err({ type: 'busy' });
    this.#dials++;
    const outcome = await new Promise<Result<ConnectionInfo, DialFailure>>((resolve) =>
      this.#shake(target, signal, resolve),
    );
    this.#dials--;
    return outcome;
  }

  close(connectionId: number, code: CloseCode, reason: string): void {
    const end = this.#ends.get(connectionId);
    if (end !== undefined) this.#close(end, code, reason);
  }

  checkAlive(connectionId: number): void {
    const end = this.#ends.get(connectionId);
    const other = end?.other;
    if (end === undefined || other === undefined) return;
    let isHeard = false;
    const wanted = (): boolean => end.isOpen && !isHeard;
    this.#network.carry(this.host, other.owner.host, wanted, () => {
      if (other.isOpen && other.owner.isUp)
        this.#network.carry(other.owner.host, this.host, wanted, () => (isHeard = true));
    });
    this.#network.world.after(LOST_AFTER_CHECK_MS, () => {
      if (!isHeard) end.lose();
    });
  }

  request(
    connectionId: number,
    bytes: Uint8Array,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<RequestResult> {
    const end = this.#ends.get(connectionId);
    if (end === undefined)
      return this.#state === 'dead' ? never() : Promise.resolve(err(NO_CONNECTION));
    if (bytes.byteLength > MESSAGE_SIZE_MAX_BYTES)
      return Promise.resolve(err({ type: 'too-large' }));
    if (signal?.aborted === true) return Promise.resolve(err({ type: 'aborted' }));
    if (end.pending.size >= STREAMS_OPEN_MAX) return Promise.resolve(err({ type: 'overloaded' }));
    const streamId = (this.#nextStreamId += 4);
    return new Promise((resolve) => {
      const abort = (): void => settle(err({ type: 'aborted' }));
      const timer = this.#clock.setTimer(timeoutMs, () => settle(err({ type: 'timeout' })));
      const settle = (result: RequestResult): void => {
        if (!end.pending.delete(streamId)) return;
        timer.cancel();
        signal?.removeEventListener('abort', abort);
        resolve(result);
      };
      end.pending.set(streamId, settle);
      this.streamsMost = Math.max(this.streamsMost, end.pending.size);
      signal?.addEventListener('abort', abort, { once: true });
      this.#carry(
        end,
        'request',
        bytes,
        (there) => there.owner.receiveRequest(there, streamId, bytes),
        () => {
          settle(err({ type: 'reset', code: CLOSE_CODES.tooSlow }));
        },
      );
    });
  }

  send(connectionId: number, bytes: Uint8Array): Promise<Result<void, TransportFailure>> {
    const end = this.#ends.get(connectionId);
    if (end === undefined)
      return this.#state === 'dead' ? never() : Promise.resolve(err(NO_CONNECTION));
    if (bytes.byteLength > MESSAGE_SIZE_MAX_BYTES)
      return Promise.resolve(err({ type: 'too-large' }));
    this.#carry(
      end,
      'message',
      bytes,
      (there) => there.owner.receiveMessage(there, bytes),
      () => undefined,
    );
    return Promise.resolve(ok());
  }

  respond(connectionId: number, streamId: number, bytes: Uint8Array): void {
    this.#answer(connectionId, streamId, bytes);
  }

  reset(connectionId: number, streamId: number, code: CloseCode): void {
    this.#answer(connectionId, streamId, undefined, code);
  }

  statistics(): Promise<TransportStatistics> {
    return Promise.resolve({
      connections: this.#ends.size,
      roundTripMs: {},
      counters: {},
      restarts: this.#restarts,
      processMemoryBytes: null,
    });
  }

  /**
   * A message that this hub was sent before comes once more, over a connection of the same sender.
   */
  receiveAgain(end: End, type: 'request' | 'message', bytes: Uint8Array): void {
    this.#nextStreamId += 4;
    if (type === 'request') this.receiveRequest(end, -this.#nextStreamId, bytes);
    else this.receiveMessage(end, bytes);
  }

  receiveRequest(end: End, streamId: number, bytes: Uint8Array): void {
    if (!end.isOpen) return;
    end.unanswered.add(streamId);
    this.#note('takes request', end, bytes);
    this.#emit({ type: 'request', connectionId: end.info.connectionId, streamId, bytes });
  }

  receiveMessage(end: End, bytes: Uint8Array): void {
    if (!end.isOpen) return;
    this.#note('takes message', end, bytes);
    this.#emit({ type: 'message', connectionId: end.info.connectionId, bytes });
  }

  /** This side of a connection is over. When nobody told the other side, silence will. */
  ended(end: End, code: number | null, by: 'local' | 'peer' | 'network', reason: string): void {
    if (!end.isOpen) return;
    end.isOpen = false;
    this.#ends.delete(end.info.connectionId);
    this.#network.world.trace(
      `${this.host} connection ${end.info.connectionId} over, by ${by} ${code ?? '-'}`,
    );
    if (by === 'network') this.#orphan(end.other);
    for (const settle of end.pending.values()) settle(err({ type: 'closed', code, by, reason }));
    this.#emit({ type: 'disconnected', connection: end.info, code, by, reason });
  }

  #shake(
    target: DialTarget,
    signal: AbortSignal,
    resolve: (outcome: Result<ConnectionInfo, DialFailure>) => void,
  ): void {
    const network = this.#network;
    const run = this.#run;
    let isOver = false;
    const settle = (outcome: Result<ConnectionInfo, DialFailure>): void => {
      if (isOver) return;
      isOver = true;
      timer.cancel();
      signal.removeEventListener('abort', abort);
      resolve(outcome);
    };
    const abort = (): void => settle(err({ type: 'aborted' }));
    const timer = this.#clock.setTimer(CONNECT_LIMIT_MS, () => settle(err({ type: 'timeout' })));
    signal.addEventListener('abort', abort, { once: true });
    const wanted = (): boolean => !isOver && this.#state === 'open' && this.#run === run;
    network.carry(this.host, target.host, wanted, () => {
      const far = network.hostAt(target.host);
      if (far === undefined) return;
      network.carry(target.host, this.host, wanted, () => {
        if (!far.isUp) return;
        if (far.#keyHex !== target.keyHex)
          return settle(err({ type: 'wrong-key', keyHex: far.#keyHex }));
        const near = this.#end(far.#keyHex, 'outgoing', target.host, target.port);
        if (!this.#admit(near)) return settle(err({ type: 'refused', reason: 'no place left' }));
        near.other = far.#end(this.#keyHex, 'incoming', this.host, target.port);
        near.other.other = near;
        near.other.isOpen = false;
        this.#ends.set(near.info.connectionId, near);
        this.#emit({ type: 'connected', connection: near.info });
        settle(ok(near.info));
        const there = near.other;
        network.carry(
          this.host,
          target.host,
          () => near.isOpen,
          () => far.#accept(there, near),
        );
        network.world.after(network.silenceMs(), () => {
          if (!there.isOpen) near.lose();
        });
      });
    });
  }

  #accept(end: End, near: End): void {
    if (this.#state !== 'open') return;
    end.isOpen = true;
    if (!this.#admit(end)) {
      end.isOpen = false;
      this.#network.carry(
        this.host,
        near.owner.host,
        () => true,
        () => near.owner.ended(near, CLOSE_CODES.overLimit, 'peer', 'refused'),
      );
      return;
    }
    this.#ends.set(end.info.connectionId, end);
    this.#network.world.trace(
      `${this.host} connection ${end.info.connectionId} from ${near.owner.host} ${near.info.connectionId}`,
    );
    this.#emit({ type: 'connected', connection: end.info });
  }

  #admit(end: End): boolean {
    // Everybody here is paired: how long a stranger has had its place does not count.
    const place = ({ info }: End): PlaceHolder => ({ ...info, sinceMs: 0 });
    const decision = decidePlace(
      place(end),
      [...this.#ends.values()].map(place),
      this.#standing,
      0,
    );
    if (!decision.admitted) return false;
    for (const { connectionId, code, reason } of decision.evicted)
      this.close(connectionId, code, reason);
    return true;
  }

  #end(keyHex: KeyHex, direction: ConnectionInfo['direction'], host: string, port: number): End {
    return new End(this, {
      connectionId: this.#network.nextConnectionId(),
      keyHex,
      direction,
      host,
      port,
    });
  }

  #carry(
    end: End,
    type: 'request' | 'message',
    bytes: Uint8Array,
    arrive: (there: End) => void,
    onReset: () => void,
  ): void {
    const { other } = end;
    assert(other !== undefined, 'a connection has two ends');
    const isReset = this.#network.isReset();
    // Only what has arrived may come again: of a stream that was reset QUIC delivers nothing any
    // more.
    const take = (): void => {
      this.#network.remember({ from: this.host, to: other.owner.host, type, bytes });
      arrive(other);
    };
    // What overtakes the end of the handshake waits for it, as packets of a connection that is not
    // there yet do.
    const deliver = (): void => {
      if (isReset) onReset();
      else if (other.isOpen) take();
      else if (end.info.direction === 'outgoing' && end.isOpen)
        this.#network.world.after(5, () => (other.isOpen ? take() : undefined));
    };
    this.#network.carry(this.host, other.owner.host, () => end.isOpen, deliver);
  }

  #answer(
    connectionId: number,
    streamId: number,
    bytes: Uint8Array | undefined,
    code: CloseCode = CLOSE_CODES.done,
  ): void {
    const end = this.#ends.get(connectionId);
    if (end?.unanswered.delete(streamId) !== true) return;
    const { other } = end;
    const isReset = this.#network.isReset();
    this.#network.carry(
      this.host,
      other?.owner.host ?? '',
      () => end.isOpen,
      () => {
        if (other?.isOpen !== true) return;
        if (bytes !== undefined) other.owner.#note('takes answer', other, bytes);
        other.pending.get(streamId)?.(
          bytes === undefined || isReset ? err({ type: 'reset', code }) : ok(bytes),
        );
      },
    );
  }

  #close(end: End, code: CloseCode, reason: string): void {
    const { other } = end;
    this.ended(end, code, 'local', reason);
    if (other === undefined) return;
    // One packet says it; where that is lost, silence does.
    const { world } = this.#network;
    if (this.#network.isShut(this.host, other.owner.host) || this.#network.isReset())
      this.#orphan(other);
    else world.after(this.#network.delayMs(), () => other.owner.ended(other, code, 'peer', reason));
  }

  #orphan(end: End | undefined): void {
    if (end !== undefined) this.#network.world.after(this.#network.silenceMs(), () => end.lose());
  }

  #note(what: string, end: End, bytes: Uint8Array): void {
    this.#network.world.trace(`${this.host} ${what} on ${end.info.connectionId}`);
    this.#network.world.traceBytes(bytes);
  }
}

const NO_CONNECTION: TransportFailure = {
  type: 'closed',
  code: null,
  by: 'local',
  reason: 'there is no such connection',
};

function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}
