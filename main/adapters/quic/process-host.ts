// The QUIC process's side of the channel: an endpoint, driven by frames. It owns the socket and the
// identity key it signs with, keeps no record of anything, and ends when the hub does.
import { AppError } from '../../lib/app-error.ts';
import { Secret } from '../../lib/secret.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { TransportEvent } from '../../ports/transport.ts';
import { Endpoint } from './endpoint.ts';
import { FrameChannel, type ByteChannel } from './frame-channel.ts';
import { DELIVERY_WINDOW_BYTES, SEND_LIMIT_MS } from './limits.ts';
import type { Answer, Settle } from './outgoing-messages.ts';
import { FRAMES, parseCommand, type Command, type Report } from './process-messages.ts';
import type { SignOfLife } from './watchdog.ts';

const SEED_LENGTH_BYTES = 32;
const SEED_OFFSET = 6;

interface ProcessHostDeps {
  readonly channel: ByteChannel;
  readonly clock: Clock;
  readonly random: Random;
  /** What this process uses: memory now, and times since its start. */
  readonly usage: () => Pick<SignOfLife, 'memoryBytes' | 'processorMs' | 'activeMs'>;
  readonly exit: (code: number) => void;
}

/**
 * Serves the hub over `channel` until it says stop. `abandoned` is for the end of the channel: the
 * hub died without a word.
 */
export function serveTransport(deps: ProcessHostDeps): { readonly abandoned: () => void } {
  const host = new ProcessHost(deps);
  host.open();
  return { abandoned: () => void host.leave() };
}

class ProcessHost {
  readonly #deps: ProcessHostDeps;
  readonly #frames: FrameChannel;
  /** How each call under way is given up. */
  readonly #cancels = new Map<number, () => void>();
  #endpoint: Endpoint | null = null;

  constructor(deps: ProcessHostDeps) {
    this.#deps = deps;
    this.#frames = new FrameChannel(deps.channel, deps.clock, DELIVERY_WINDOW_BYTES, {
      frame: (type, body) => this.#frame(type, body),
      caughtUp: () => this.#endpoint?.resumeReading(),
      broken: () => deps.exit(1),
    });
  }

  open(): void {
    this.#frames.open();
  }

  /**
   * Says goodbye to every peer in the hub's place, so that none waits for an answer, and ends the
   * process.
   */
  async leave(): Promise<void> {
    this.#frames.close();
    await this.#endpoint?.stop().catch(() => {});
    this.#deps.exit(0);
  }

  #frame(type: number, body: Buffer): void {
    switch (type) {
      case FRAMES.control:
        return this.#command(parseCommand(body.toString('utf8')));
      case FRAMES.start:
        return void this.#start(body);
      case FRAMES.request: {
        const [call, connectionId, timeoutMs] = [
          body.readUInt32BE(0),
          body.readUInt32BE(4),
          body.readUInt32BE(8),
        ];
        return this.#call(call, (endpoint, settle) =>
          endpoint.begin('bidirectional', connectionId, body.subarray(12), timeoutMs, settle),
        );
      }
      case FRAMES.send: {
        const [call, connectionId] = [body.readUInt32BE(0), body.readUInt32BE(4)];
        return this.#call(call, (endpoint, settle) =>
          endpoint.begin('unidirectional', connectionId, body.subarray(8), SEND_LIMIT_MS, settle),
        );
      }
      case FRAMES.respond:
        return this.#endpoint?.respond(
          body.readUInt32BE(0),
          body.readDoubleBE(4),
          body.subarray(12),
        );
      case FRAMES.abort:
        return this.#cancels.get(body.readUInt32BE(0))?.();
    }
  }

  #command(command: Command): void {
    const endpoint = this.#endpoint;
    if (command.type === 'heartbeat') return this.#giveSign();
    if (command.type === 'stop') return void this.#stop();
    if (!endpoint) return;
    switch (command.type) {
      case 'admission':
        return endpoint.setAdmission(command.admission);
      case 'keep-places':
        return endpoint.keepPlaces(command.keys);
      case 'close':
        return endpoint.close(command.connectionId, command.code, command.reason);
      case 'checkAlive':
        return endpoint.checkAlive(command.connectionId);
      case 'reset':
        return endpoint.reset(command.connectionId, command.streamId, command.code);
      case 'statistics':
        return void endpoint
          .statistics()
          .then((statistics) =>
            this.#report({ type: 'statistics', call: command.call, statistics }),
          );
      case 'dial': {
        const { call, target } = command;
        const abort = new AbortController();
        this.#cancels.set(call, () => abort.abort());
        return void endpoint.dial(target, abort.signal).then((result) => {
          this.#cancels.delete(call);
          this.#report({ type: 'dialled', call, result });
        });
      }
    }
  }

  #giveSign(): void {
    const work = this.#frames.frames + (this.#endpoint?.datagrams ?? 0);
    this.#report({
      type: 'heartbeat',
      sign: { ...this.#deps.usage(), atMs: this.#deps.clock.monotonicMs(), work },
    });
  }

  async #start(body: Buffer): Promise<void> {
    const seed = Uint8Array.from(body.subarray(SEED_OFFSET, SEED_OFFSET + SEED_LENGTH_BYTES));
    body.fill(0, SEED_OFFSET, SEED_OFFSET + SEED_LENGTH_BYTES);
    const { clock, random } = this.#deps;
    const firstConnectionId = body.readUInt32BE(0);
    const endpoint = new Endpoint({
      clock,
      random,
      firstConnectionId,
      canDeliver: () => !this.#frames.isBehind,
      onFault: (error) =>
        this.#report({
          type: 'fault',
          message: error instanceof Error ? error.message : 'unknown',
        }),
    });
    this.#endpoint = endpoint;
    try {
      const host = body.toString('utf8', SEED_OFFSET + SEED_LENGTH_BYTES);
      const options = { seed: new Secret(seed), host, port: body.readUInt16BE(4) };
      const { port } = await endpoint.start(options, (event) => this.#event(event));
      this.#report({ type: 'started', port });
    } catch (error) {
      const failure =
        error instanceof AppError
          ? error
          : new AppError('internal', 'The QUIC process could not start.', { cause: error });
      this.#report({
        type: 'start-failed',
        code: failure.code,
        message: failure.message,
        hint: failure.hint,
      });
    } finally {
      seed.fill(0);
    }
  }

  async #stop(): Promise<void> {
    await this.#endpoint?.stop();
    this.#report({ type: 'stopped' });
    this.#frames.flush();
  }

  /** Runs a call without promises: this is where most messages pass. */
  #call(call: number, begin: (endpoint: Endpoint, settle: Settle) => () => void): void {
    const endpoint = this.#endpoint;
    if (!endpoint) return;
    let settled = false;
    const cancel = begin(endpoint, (answer) => {
      settled = true;
      this.#cancels.delete(call);
      this.#answer(call, answer);
    });
    if (!settled) this.#cancels.set(call, cancel);
  }

  #answer(call: number, answer: Answer): void {
    if (!answer.ok) return this.#report({ type: 'failed', call, failure: answer.error });
    const header = Buffer.allocUnsafe(4);
    header.writeUInt32BE(call, 0);
    this.#frames.post(FRAMES.answer, header, answer.value);
  }

  #event(event: TransportEvent): void {
    switch (event.type) {
      case 'request': {
        const header = Buffer.allocUnsafe(12);
        header.writeUInt32BE(event.connectionId, 0);
        header.writeDoubleBE(event.streamId, 4);
        return this.#frames.post(FRAMES.requestEvent, header, event.bytes);
      }
      case 'message': {
        const header = Buffer.allocUnsafe(4);
        header.writeUInt32BE(event.connectionId, 0);
        return this.#frames.post(FRAMES.messageEvent, header, event.bytes);
      }
      case 'restarted':
        return;
      default:
        this.#report({ type: 'event', event });
    }
  }

  #report(report: Report): void {
    this.#frames.post(FRAMES.control, Buffer.from(JSON.stringify(report)));
  }
}
