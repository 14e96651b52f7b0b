// A bare mDNS socket in a computer of the test network, for lawless packets and for listening in.
import type { LineProcess } from './line-process.ts';
import type { LanHost } from './namespaces.ts';

const START_MS = 20_000;
const SEND_MS = 10_000;

interface Captured {
  readonly from: string;
  readonly bytes: Buffer;
}

export interface Outgoing {
  readonly bytes: Uint8Array;
  /** Where to; the mDNS group when undefined. */
  readonly address?: string | undefined;
  readonly source?: string;
}

export class BareSocket {
  readonly #process: LineProcess;

  private constructor(process: LineProcess) {
    this.#process = process;
  }

  /** Opens it on the computer's card, sending from `address`. */
  static async open(host: LanHost, address = host.address): Promise<BareSocket> {
    const started = host.startNode('test/lan/multicast-process.ts', [address]);
    await started.until((line) => line === '{"ready":true}', START_MS);
    return new BareSocket(started);
  }

  /**
   * Sends packets in order, to the mDNS group or to one address. Resolves when the last has left.
   */
  async send(packets: readonly Uint8Array[], address?: string): Promise<void> {
    await this.sendEach(packets.map((bytes) => ({ bytes, address })));
  }

  /** As send(), each packet from a `source` of its own: another address of the same computer. */
  async sendEach(packets: readonly Outgoing[]): Promise<void> {
    const answers = (): number =>
      this.#process.lines.filter((line) => line.startsWith('{"sent"')).length;
    const before = answers();
    for (const { bytes, ...way } of packets)
      this.#process.write(
        JSON.stringify({ base64: Buffer.from(bytes).toString('base64'), ...way }),
      );
    await this.#process.until(
      (line) => line.startsWith('{"sent"') && answers() >= before + packets.length,
      SEND_MS,
      this.#process.lines.length,
    );
  }

  /** What came from `address` so far. */
  captured(address: string): readonly Captured[] {
    return this.#process.lines
      .flatMap((line) => packetOf(line) ?? [])
      .filter((packet) => packet.from === address);
  }

  /** Waits for a packet that fits. */
  async until(fits: (packet: Captured) => boolean, timeoutMs: number): Promise<void> {
    await this.#process.until((line) => {
      const packet = packetOf(line);
      return packet !== undefined && fits(packet);
    }, timeoutMs);
  }
}

function packetOf(line: string): Captured | undefined {
  const { from, base64 }: { readonly from?: string; readonly base64?: string } = JSON.parse(line);
  return from === undefined || base64 === undefined
    ? undefined
    : { from, bytes: Buffer.from(base64, 'base64') };
}
