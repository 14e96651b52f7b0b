// The Transport port over a QUIC process that may die at any moment: it is started again on the
// same port, and everybody who depended on it is told. It holds what must survive such an end:
// admission, the port, which connections were reported.
import { AppError } from '../../lib/app-error.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
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
} from '../../ports/transport.ts';
import { Counters } from './counters.ts';
import { RESTART_FIRST_MS, RESTART_FORGIVEN_AFTER_MS, RESTART_MAX_MS } from './limits.ts';
import { PROCESS_GONE, ProcessLink } from './process-link.ts';
import { spawnNodeQuicProcess, type SpawnQuicProcess } from './quic-process.ts';

interface ProcessTransportDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Log;
  /** How a QUIC process is started; a child of plain Node unless given. */
  readonly spawnQuicProcess?: SpawnQuicProcess;
}

const NO_STATISTICS: TransportStatistics = {
  connections: 0,
  roundTripMs: {},
  counters: {},
  restarts: 0,
  processMemoryBytes: null,
};

/** The transport whose endpoint lives in a supervised process of its own. */
export function createQuicTransport(deps: ProcessTransportDeps): Transport {
  return new ProcessTransport(deps);
}

class ProcessTransport implements Transport {
  readonly #deps: ProcessTransportDeps;
  /**
   * What is counted on this side of the channel; the process counts the rest, from zero in each of
   * its lives.
   */
  readonly #counters = new Counters();
  readonly #connections = new Map<number, ConnectionInfo>();
  #admission: Admission = { paired: [], refused: [] };
  #kept: readonly KeyHex[] = [];
  #options: ListenOptions | null = null;
  #onEvent: (event: TransportEvent) => void = () => {};
  #link: ProcessLink | null = null;
  #startedAtMs = 0;
  #restarts = 0;
  #attempt = 0;
  #launching: Promise<unknown> | null = null;
  #restartTimer: TimerHandle | null = null;
  #highestConnectionId = 0;

  constructor(deps: ProcessTransportDeps) {
    this.#deps = deps;
  }

  async start(
    options: ListenOptions,
    onEvent: (event: TransportEvent) => void,
  ): Promise<{ readonly port: number }> {
    if (this.#options) return { port: this.#options.port };
    this.#onEvent = onEvent;
    const launch = this.#launch(options);
    this.#launching = launch;
    const { link, port } = await launch;
    // The port is ours from now on: a new process takes the very same.
    this.#options = { ...options, port };
    this.#take(link);
    return { port };
  }

  async stop(): Promise<void> {
    // A process that is just being started is waited for, so that none is left behind.
    await this.#launching?.catch(() => {});
    this.#restartTimer?.cancel();
    this.#options = null;
    const link = this.#link;
    this.#link = null;
    await link?.stop();
    this.#reportAllGone('shutting down');
  }

  setAdmission(admission: Admission): void {
    this.#admission = admission;
    this.#link?.command({ type: 'admission', admission });
  }

  keepPlaces(keys: readonly KeyHex[]): void {
    this.#kept = keys;
    this.#link?.command({ type: 'keep-places', keys });
  }

  async dial(
    target: DialTarget,
    signal: AbortSignal,
  ): Promise<Result<ConnectionInfo, DialFailure>> {
    if (signal.aborted) return err({ type: 'aborted' });
    return this.#link
      ? this.#link.dial(target, signal)
      : err({ type: 'refused', reason: 'the QUIC process is not running' });
  }

  close(connectionId: number, code: CloseCode, reason: string): void {
    this.#link?.command({ type: 'close', connectionId, code, reason });
  }

  checkAlive(connectionId: number): void {
    this.#link?.command({ type: 'checkAlive', connectionId });
  }

  request(
    connectionId: number,
    bytes: Uint8Array,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Result<Uint8Array, TransportFailure>> {
    return this.#link
      ? this.#link.request(connectionId, bytes, timeoutMs, signal)
      : Promise.resolve(err(PROCESS_GONE));
  }

  async send(connectionId: number, bytes: Uint8Array): Promise<Result<void, TransportFailure>> {
    const result = this.#link ? await this.#link.send(connectionId, bytes) : err(PROCESS_GONE);
    return result.ok ? ok() : result;
  }

  respond(connectionId: number, streamId: number, bytes: Uint8Array): void {
    this.#link?.respond(connectionId, streamId, bytes);
  }

  reset(connectionId: number, streamId: number, code: CloseCode): void {
    this.#link?.command({ type: 'reset', connectionId, streamId, code });
  }

  async statistics(): Promise<TransportStatistics> {
    const statistics = (await this.#link?.statistics()) ?? NO_STATISTICS;
    const { frames, batches } = this.#link?.traffic ?? { frames: 0, batches: 0 };
    const channel = { 'channel.frames': frames, 'channel.batches': batches };
    const counters = { ...statistics.counters, ...this.#counters.events(), ...channel };
    return {
      ...statistics,
      counters,
      restarts: this.#restarts,
      processMemoryBytes: this.#link?.memoryBytes ?? null,
    };
  }

  async #launch(options: ListenOptions): Promise<{ link: ProcessLink; port: number }> {
    const { spawnQuicProcess = spawnNodeQuicProcess } = this.#deps;
    const link: ProcessLink = new ProcessLink({
      child: spawnQuicProcess(),
      clock: this.#deps.clock,
      counters: this.#counters,
      onEvent: (event) => this.#event(event),
      onFault: (message) =>
        this.#deps.log?.error('A fault in the QUIC process ended a connection', { error: message }),
      onEnd: (reason) => this.#ended(link, reason),
    });
    try {
      return { link, port: await link.start(options, this.#highestConnectionId + 1) };
    } catch (error) {
      link.kill('it could not start');
      throw error;
    }
  }

  #take(link: ProcessLink): void {
    this.#link = link;
    this.#startedAtMs = this.#deps.clock.monotonicMs();
    link.command({ type: 'admission', admission: this.#admission });
    link.command({ type: 'keep-places', keys: this.#kept });
  }

  #event(event: TransportEvent): void {
    if (event.type === 'connected') {
      this.#connections.set(event.connection.connectionId, event.connection);
      this.#highestConnectionId = Math.max(
        this.#highestConnectionId,
        event.connection.connectionId,
      );
    } else if (event.type === 'disconnected') {
      this.#connections.delete(event.connection.connectionId);
    }
    this.#onEvent(event);
  }

  #ended(link: ProcessLink, reason: string): void {
    if (this.#link !== link) return;
    this.#link = null;
    this.#counters.add('process.ended');
    this.#deps.log?.warn('The QUIC process ended', { reason });
    this.#reportAllGone('the QUIC process ended');
    const livedMs = this.#deps.clock.monotonicMs() - this.#startedAtMs;
    if (livedMs >= RESTART_FORGIVEN_AFTER_MS) this.#attempt = 0;
    this.#scheduleRestart();
  }

  #reportAllGone(reason: string): void {
    const gone = [...this.#connections.values()];
    this.#connections.clear();
    for (const connection of gone)
      this.#onEvent({ type: 'disconnected', connection, code: null, by: 'local', reason });
  }

  #scheduleRestart(): void {
    if (!this.#options) return;
    const { clock, random } = this.#deps;
    const waits = { firstMs: RESTART_FIRST_MS, maxMs: RESTART_MAX_MS, jitter: 0.2 };
    const waitMs = backoffMs(this.#attempt, random.fraction(), waits);
    this.#attempt += 1;
    this.#restartTimer = clock.setTimer(waitMs, () => void this.#restart());
  }

  async #restart(): Promise<void> {
    const options = this.#options;
    if (!options) return;
    try {
      const launch = this.#launch(options);
      this.#launching = launch;
      const { link } = await launch;
      this.#restarts += 1;
      this.#take(link);
      this.#deps.log?.info('The QUIC process was started again', { restarts: this.#restarts });
      this.#onEvent({ type: 'restarted', restarts: this.#restarts });
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'internal';
      this.#deps.log?.error('The QUIC process could not be started again', { code });
      this.#scheduleRestart();
    }
  }
}
