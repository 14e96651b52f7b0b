// One connection of the scripted reference daemon: the native library driven by hand, whole
// messages in and out, nothing decided.
import type { QuicheConnection } from '../../main/adapters/quic/native-binding.ts';

export interface WireMessage {
  readonly id: string;
  readonly kind: string;
  readonly ref?: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

interface DaemonConnectionDeps {
  readonly native: QuicheConnection;
  readonly direction: 'incoming' | 'outgoing';
  readonly local: { readonly host: string; readonly port: number };
  readonly remotePort: number;
  readonly send: (bytes: Buffer) => void;
  /** The error to close with, once the handshake is done; undefined lets it in. */
  readonly judge: () => number | undefined;
  readonly request: (bytes: Buffer, answer: (message: WireMessage | undefined) => void) => void;
  readonly message: (bytes: Buffer) => void;
  /** How many streams of the other side are open. */
  readonly opened: (counts: {
    readonly bidirectional: number;
    readonly unidirectional: number;
  }) => void;
}

interface Asked {
  /** Set once the answer is whole: the message, or undefined for an empty one. */
  answer: readonly [WireMessage | undefined] | undefined;
}

export class DaemonConnection {
  readonly direction: 'incoming' | 'outgoing';
  isOpen = false;
  isGone = false;
  #isJudged = false;
  readonly #deps: DaemonConnectionDeps;
  readonly #out = Buffer.alloc(65_536);
  readonly #in = Buffer.alloc(1 << 18);
  readonly #parts = new Map<number, Buffer[]>();
  readonly #asked = new Map<number, Asked>();
  /** Streams of the other side whose end we have not said. */
  readonly #unanswered = new Set<number>();
  readonly #unsent = new Map<number, Buffer>();
  readonly #next: { bidirectional: number; unidirectional: number };

  constructor(deps: DaemonConnectionDeps) {
    this.#deps = deps;
    this.direction = deps.direction;
    this.#next =
      deps.direction === 'outgoing'
        ? { bidirectional: 0, unidirectional: 2 }
        : { bidirectional: 1, unidirectional: 3 };
  }

  receive(datagram: Buffer, fromPort: number): void {
    const { native, local } = this.#deps;
    try {
      native.recv(datagram, { from: { host: local.host, port: fromPort }, to: local });
    } catch {
      // Its own close follows with the next turn.
    }
    this.turn();
  }

  /** Judges, reads, writes and sends what is due. */
  turn(): void {
    const { native } = this.#deps;
    if (this.isGone) return;
    if (native.timeout() === 0) native.onTimeout();
    if (!this.#isJudged && native.isEstablished()) this.#establish();
    if (this.isOpen) {
      for (const streamId of native.readable()) this.#read(streamId);
      for (const streamId of this.#unsent.keys()) this.#write(streamId);
    }
    for (;;) {
      const part = native.send(this.#out);
      if (part === null) break;
      this.#deps.send(Buffer.from(this.#out.subarray(0, part[0])));
    }
    if (native.isClosed() || native.isDraining()) {
      this.isOpen = false;
      this.isGone = true;
    }
  }

  close(isApplication: boolean, code: number): void {
    try {
      this.#deps.native.close(isApplication, code, Buffer.from(''));
    } catch {
      // It is closing already.
    }
    this.turn();
  }

  ask(message: unknown): Asked {
    const asked: Asked = { answer: undefined };
    const streamId = this.#next.bidirectional;
    this.#next.bidirectional += 4;
    this.#asked.set(streamId, asked);
    this.#say(streamId, message);
    return asked;
  }

  tell(message: unknown): void {
    const streamId = this.#next.unidirectional;
    this.#next.unidirectional += 4;
    this.#say(streamId, message);
  }

  #establish(): void {
    this.#isJudged = true;
    const code = this.#deps.judge();
    if (code === undefined) this.isOpen = true;
    else this.close(false, code);
  }

  /** A text is sent as it is. */
  #say(streamId: number, message: unknown): void {
    this.#unsent.set(
      streamId,
      Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)),
    );
    this.turn();
  }

  #write(streamId: number): void {
    const bytes = this.#unsent.get(streamId);
    if (bytes === undefined) return;
    try {
      const taken = this.#deps.native.streamSend(streamId, bytes, true) ?? 0;
      if (taken === bytes.length) this.#unsent.delete(streamId);
      else this.#unsent.set(streamId, bytes.subarray(taken));
    } catch (error) {
      // No credit yet: the next turn tries again. A stream that was stopped takes nothing any more.
      if (!String(error).includes('StreamLimit')) this.#unsent.delete(streamId);
    }
  }

  #read(streamId: number): void {
    const isOurs = (streamId & 1) === (this.#next.bidirectional & 1);
    if (!isOurs && !this.#parts.has(streamId)) {
      this.#unanswered.add(streamId);
      this.#count();
    }
    const parts = this.#parts.get(streamId) ?? [];
    this.#parts.set(streamId, parts);
    for (;;) {
      let part: [number, boolean] | null;
      try {
        part = this.#deps.native.streamRecv(streamId, this.#in);
      } catch {
        this.#unanswered.delete(streamId);
        return;
      }
      if (part === null) return;
      parts.push(Buffer.from(this.#in.subarray(0, part[0])));
      if (!part[1]) continue;
      this.#parts.delete(streamId);
      return this.#whole(streamId, Buffer.concat(parts), isOurs);
    }
  }

  #whole(streamId: number, bytes: Buffer, isOurs: boolean): void {
    if (isOurs) {
      const asked = this.#asked.get(streamId);
      const text = bytes.toString('utf8');
      if (asked !== undefined)
        asked.answer = [text === '' ? undefined : (JSON.parse(text) as WireMessage)];
    } else if ((streamId & 2) !== 0) {
      this.#unanswered.delete(streamId);
      this.#deps.message(bytes);
    } else {
      this.#deps.request(bytes, (message) => {
        this.#unanswered.delete(streamId);
        this.#say(streamId, message ?? '');
      });
    }
  }

  #count(): void {
    const unidirectional = [...this.#unanswered].filter((streamId) => (streamId & 2) !== 0).length;
    this.#deps.opened({ bidirectional: this.#unanswered.size - unidirectional, unidirectional });
  }
}
