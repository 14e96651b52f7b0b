// Server-sent events: the frames, the heartbeats, and how many streams there may be. A reader that
// does not read is cut off and resumes from its last id; it never slows another one down. A stream
// ends in the turn in which its token ends.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SECURITY_HEADERS } from '../../../preload/contract/content-security.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { TokenService } from '../../services/auth/token-service.ts';
import type { Caller } from '../caller.ts';
import {
  STREAMS_MAX,
  STREAMS_PER_TOKEN_MAX,
  STREAM_BACKLOG_MAX_BYTES,
  STREAM_HEARTBEAT_MS,
} from './limits.ts';

type KnownCaller = Exclude<Caller, { kind: 'anonymous' }>;

interface EventStreamsDeps {
  readonly clock: Clock;
  readonly tokens: TokenService;
}

interface StreamFrame {
  readonly event?: string;
  readonly id?: number | string;
  /** Made with streamData(): one line. */
  readonly data: string;
}

/**
 * JSON on one line: the two separators that JSON leaves as they are would end a line for some
 * readers.
 */
export function streamData(value: unknown): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (character) =>
    character === '\u2028' ? '\\u2028' : '\\u2029',
  );
}

function frameText({ event, id, data }: StreamFrame): string {
  return `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;
}

export class EventStream {
  readonly tokenId: string;
  readonly isAgents: boolean;
  readonly #response: ServerResponse;
  readonly #onEnd: (() => void)[] = [];
  #ended = false;

  constructor(tokenId: string, response: ServerResponse, isAgents = false) {
    this.tokenId = tokenId;
    this.isAgents = isAgents;
    this.#response = response;
    response.on('close', () => this.end());
    response.on('error', () => this.end());
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Sends one frame; a reader too far behind is cut off instead. */
  send(frame: StreamFrame): void {
    if (this.#takesMore()) this.#response.write(frameText(frame));
  }

  /**
   * Sends these frames, in their order, as one write. However long they are together: a reader is
   * behind by what was there before them.
   */
  sendAll(frames: readonly StreamFrame[]): void {
    if (!this.#takesMore()) return;
    this.#response.cork();
    for (const frame of frames) this.#response.write(frameText(frame));
    this.#response.uncork();
  }

  comment(text: string): void {
    if (this.#takesMore()) this.#response.write(`: ${text}\n\n`);
  }

  /** The reader has not taken in what was sent. */
  get isBehind(): boolean {
    return !this.#ended && this.#response.writableNeedDrain;
  }

  /** Resolves when the reader has taken in what was sent, or the stream is over. */
  async drained(): Promise<void> {
    if (!this.isBehind) return;
    await new Promise<void>((resolve) => {
      this.#response.once('drain', resolve);
      this.onEnd(resolve);
    });
  }

  /** Runs once, when the stream is over for whatever reason; at once when it is over already. */
  onEnd(run: () => void): void {
    if (this.#ended) run();
    else this.#onEnd.push(run);
  }

  /** Nothing more comes: it ends once the reader has taken in what was sent. Idempotent. */
  finish(): void {
    if (!this.#ended) this.#response.end();
  }

  /** Ends the stream now, without waiting for the reader. Idempotent. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#response.destroy();
    for (const run of this.#onEnd) run();
  }

  /** Cuts a reader that is too far behind. */
  #takesMore(): boolean {
    if (!this.#ended && this.#response.writableLength > STREAM_BACKLOG_MAX_BYTES) this.end();
    return !this.#ended;
  }
}

export class EventStreams {
  readonly #deps: EventStreamsDeps;
  readonly #open = new Set<EventStream>();
  #heartbeat: TimerHandle | undefined;

  constructor(deps: EventStreamsDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#beatLater();
  }

  stop(): void {
    this.#heartbeat?.cancel();
    for (const stream of this.#open) stream.end();
  }

  /**
   * Throws `rate_limited` when this token, or all of its kind, have too many. Afterwards the
   * response belongs to the stream.
   */
  open(request: IncomingMessage, response: ServerResponse, caller: KnownCaller): EventStream {
    const isAgent = caller.kind === 'agent';
    const alike = [...this.#open].filter(({ isAgents }) => isAgents === isAgent);
    const ofToken = alike.filter(({ tokenId }) => tokenId === caller.tokenId);
    if (ofToken.length >= STREAMS_PER_TOKEN_MAX || alike.length >= STREAMS_MAX) {
      throw new AppError('rate_limited', 'Too many event streams are open.', {
        hint: `At most ${STREAMS_PER_TOKEN_MAX} for one token and ${STREAMS_MAX} for all ${isAgent ? 'agents' : 'pages'} together; close one first.`,
        retryAfterMs: STREAM_HEARTBEAT_MS,
        failedBy: 'input',
      });
    }
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.flushHeaders();
    request.socket.setNoDelay(true);
    const stream = new EventStream(caller.tokenId, response, isAgent);
    this.#open.add(stream);
    stream.onEnd(() => this.#open.delete(stream));
    return stream;
  }

  /** Also ends the streams of sessions that ran out of time: nobody says so aloud. */
  #beatLater(): void {
    this.#heartbeat = this.#deps.clock.setTimer(STREAM_HEARTBEAT_MS, () => {
      for (const stream of this.#open) {
        if (this.#deps.tokens.isIdAlive(stream.tokenId)) stream.comment('still here');
        else stream.end();
      }
      this.#beatLater();
    });
  }
}
