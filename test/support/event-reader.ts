// Reads a hub's event stream as a program would, over a real connection, and can also refuse to
// read.
import { request } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';

export interface SeenEvent {
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly data: unknown;
}

type StreamTarget =
  { readonly host: string; readonly port: number } | { readonly socketPath: string };

export class EventReader {
  readonly events: SeenEvent[] = [];
  readonly comments: string[] = [];
  /** Settles when the stream is over, whoever ended it. */
  readonly ended: Promise<void>;
  readonly #request: ClientRequest;
  readonly #answer: IncomingMessage;
  readonly #wake = new Set<() => void>();

  private constructor(sent: ClientRequest, answer: IncomingMessage) {
    this.#request = sent;
    this.#answer = answer;
    this.ended = new Promise((resolve) => answer.once('close', resolve));
    answer.on('error', () => undefined);
    sent.on('error', () => undefined);
  }

  static open(
    port: number,
    path: string,
    token: string,
    headers: Readonly<Record<string, string>> = {},
    reads = true,
  ): Promise<EventReader> {
    return EventReader.openAt({ host: '127.0.0.1', port }, path, token, headers, reads);
  }

  /**
   * The same for a hub that is reached by another way than its port; `headers` must then name its
   * Host.
   */
  static openAt(
    target: StreamTarget,
    path: string,
    token: string,
    headers: Readonly<Record<string, string>> = {},
    reads = true,
  ): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const all = { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...headers };
      const sent = request({ ...target, path, headers: all, agent: false }, (answer) => {
        const reader = new EventReader(sent, answer);
        if (answer.statusCode !== 200 || reads) reader.read();
        resolve(reader);
      });
      sent.once('error', reject);
      sent.end();
    });
  }

  get status(): number {
    return this.#answer.statusCode ?? 0;
  }

  get headers(): IncomingMessage['headers'] {
    return this.#answer.headers;
  }

  /** Waits for the first event that fits, from the beginning on. */
  async next(fits: (event: SeenEvent) => boolean, what: string): Promise<SeenEvent> {
    let over = false;
    void this.ended.then(() => {
      over = true;
      this.#tell();
    });
    for (;;) {
      const found = this.events.find(fits);
      if (found !== undefined) return found;
      if (over) throw new Error(`the stream ended before ${what}`);
      await new Promise<void>((resolve) => this.#wake.add(resolve));
    }
  }

  close(): void {
    this.#request.destroy();
  }

  /** Begins to read, where opening did not. */
  read(): void {
    const parser = createParser({
      onEvent: ({ event, id, data }) => {
        this.events.push({ event, id, data: JSON.parse(data) });
        this.#tell();
      },
      onComment: (comment) => this.comments.push(comment),
    });
    this.#answer.setEncoding('utf8');
    this.#answer.on('data', (text: string) => parser.feed(text));
  }

  #tell(): void {
    for (const wake of this.#wake) wake();
    this.#wake.clear();
  }
}
