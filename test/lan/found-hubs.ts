// A discovery program in a computer of the test network, and what it has told so far, as typed
// events to wait for.
import { createHash } from 'node:crypto';
import type { DiscoveryCondition, FoundHub } from '../../main/ports/discovery.ts';
import type { LineProcess } from './line-process.ts';
import type { LanHost } from './namespaces.ts';

export interface HubIdentity {
  readonly agentId: string;
  readonly keyHex: string;
  readonly publicKeyBase64: string;
}

/**
 * The identity of the discovery program started with `seedText`. The key need not be on the curve
 * to be announced.
 */
export function identityOf(seedText: string): HubIdentity {
  const key = createHash('sha256').update(seedText).digest();
  const agentId = `ed25519.${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
  return { agentId, keyHex: key.toString('hex'), publicKeyBase64: key.toString('base64') };
}

interface DiscoveryOptions {
  readonly port?: number;
  readonly interfaces?: string;
}

export class DiscoveryProgram {
  readonly identity: HubIdentity;
  readonly process: LineProcess;

  private constructor(identity: HubIdentity, process: LineProcess) {
    this.identity = identity;
    this.process = process;
  }

  /** Starts it; resolves once it has announced, or found nothing to announce on. */
  static async start(
    host: LanHost,
    seedText: string,
    options: DiscoveryOptions = {},
  ): Promise<DiscoveryProgram> {
    const started = host.startNode('test/lan/discovery-process.ts', [
      seedText,
      String(options.port ?? 7100),
      options.interfaces ?? '-',
    ]);
    await started.until((line) => eventOf(line).type === 'started', 20_000);
    return new DiscoveryProgram(identityOf(seedText), started);
  }

  /** A mark for `from` below: what was told up to now does not count. */
  get mark(): number {
    return this.process.lines.length;
  }

  /** Waits until it tells of that hub, in a state that `fits`. */
  async found(
    agentId: string,
    timeoutMs: number,
    from = 0,
    fits: (hub: FoundHub) => boolean = () => true,
  ): Promise<FoundHub> {
    const line = await this.process.until(
      (said) => {
        const { hub } = eventOf(said);
        return hub?.agentId === agentId && fits(hub);
      },
      timeoutMs,
      from,
    );
    const { hub } = eventOf(line);
    if (hub === undefined) throw new Error('the line that was waited for tells of no hub');
    return hub;
  }

  async lost(agentId: string, timeoutMs: number, from = 0): Promise<void> {
    await this.process.until(
      (line) => eventOf(line).type === 'lost' && eventOf(line).agentId === agentId,
      timeoutMs,
      from,
    );
  }

  async networkChanged(timeoutMs: number, from = 0): Promise<void> {
    await this.process.until((line) => eventOf(line).type === 'network-changed', timeoutMs, from);
  }

  /** Waits until it tells exactly this of the computer's networks. */
  async condition(expected: DiscoveryCondition, timeoutMs: number, from = 0): Promise<void> {
    const text = JSON.stringify(expected);
    await this.process.until(
      (line) => JSON.stringify(eventOf(line).condition) === text,
      timeoutMs,
      from,
    );
  }

  /** Agent ids found so far, in order, with repetitions. */
  get foundIds(): readonly string[] {
    return this.process.lines.flatMap((line) => eventOf(line).hub?.agentId ?? []);
  }

  /** What its process threw outside of every handler. */
  get crashes(): readonly string[] {
    return this.process.lines.filter((line) => eventOf(line).type === 'crash');
  }

  /** Asks it to stop; resolves with its exit code once it has ended by itself. */
  async stop(): Promise<number | null> {
    this.process.write('stop');
    return await this.process.ended;
  }
}

interface ToldEvent {
  readonly type: string;
  readonly agentId?: string;
  readonly hub?: FoundHub;
  readonly condition?: DiscoveryCondition;
}

function eventOf(line: string): ToldEvent {
  const value: ToldEvent = JSON.parse(line);
  return value;
}
