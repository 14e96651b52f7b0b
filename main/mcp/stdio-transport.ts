// MCP over standard input and output: one message on each line. A line that is no message, or is
// longer than any message need be, gets an error, and the next one is read as if it had not been
// there. Holds one line at most. Knows no tool.
import {
  PARSE_ERROR,
  INVALID_REQUEST,
  parseJSONRPCMessage,
  serializeMessage,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { LineReader, type TextLine } from '../lib/decode-text.ts';

/** The hub takes 256 kB in a call; every character of it may stand there as `\u0000`. */
const LINE_SIZE_MAX_BYTES = 4_194_304;
/** Whoever has not read that much of what was answered is not read from either. */
const UNREAD_MAX_BYTES = 4_194_304;

/**
 * How long is worked on what was asked when the input ends: the official clients kill a server that
 * takes longer to end.
 */
const ANSWERED_WITHIN_MS = 2_000;
const NOT_ANSWERED =
  'The input ended before this was answered. What it asked for may have been done all the same.';
/** As the official clients call it. */
const CONNECTION_CLOSED = -32_000;

export class StdioTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  /**
   * Resolves once the input has ended and what it asked is answered, or was given long enough; once
   * the output cannot be written; or once `close` was called.
   */
  readonly ended: Promise<void>;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #lines = new LineReader(LINE_SIZE_MAX_BYTES);
  /** Requests whose answer is not fully written. */
  readonly #open = new Map<RequestId, 'asked' | 'answering'>();
  readonly #over = new AbortController();
  #isClosed = false;
  #hasInput = true;
  #tellEnd = (): void => undefined;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
    this.ended = new Promise((resolve) => (this.#tellEnd = resolve));
  }

  start(): Promise<void> {
    for (const event of ['end', 'close', 'error']) this.#input.once(event, this.#inputEnded);
    this.#output.once('error', () => void this.close());
    this.#input.on('data', this.#take);
    return Promise.resolve();
  }

  /** Waits for a slow reader. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    const answers = 'id' in message && !('method' in message) ? message.id : undefined;
    if (answers !== undefined) this.#open.set(answers, 'answering');
    await this.#write(serializeMessage(message));
    if (answers !== undefined) this.#settled(answers);
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#over.abort();
      this.#input.off('data', this.#take).destroy();
      this.onclose?.();
      this.#tellEnd();
    }
    return Promise.resolve();
  }

  readonly #inputEnded = (): void => {
    if (!this.#hasInput) return;
    this.#hasInput = false;
    if (this.#open.size === 0) void this.close();
    else void this.#waitForAnswers();
  };

  /** Never rejects. */
  async #waitForAnswers(): Promise<void> {
    const { signal } = this.#over;
    await setTimeout(ANSWERED_WITHIN_MS, undefined, { signal }).catch(() => undefined);
    const error = { code: CONNECTION_CLOSED, message: NOT_ANSWERED };
    for (const [id, state] of this.#open)
      if (state === 'asked') this.send({ jsonrpc: '2.0', id, error }).catch(() => undefined);
    await this.close();
  }

  #settled(id: RequestId): void {
    this.#open.delete(id);
    if (!this.#hasInput && this.#open.size === 0) void this.close();
  }

  readonly #take = (chunk: Buffer): void => {
    for (const line of this.#lines.push(chunk)) this.#read(line);
    if (this.#output.writableLength > UNREAD_MAX_BYTES) {
      this.#input.pause();
      this.#output.once('drain', () => this.#input.resume());
    }
  };

  #read({ text, flaw, isCut }: TextLine): void {
    if (isCut) {
      this.#refuse(INVALID_REQUEST, `A message may be ${LINE_SIZE_MAX_BYTES} bytes long.`);
      return;
    }
    if (text.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      flaw ??= 'is not JSON';
    }
    if (flaw !== null) {
      this.#refuse(PARSE_ERROR, 'This line is not JSON in UTF-8.');
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      this.#refuse(INVALID_REQUEST, 'This line is not one message of JSON-RPC 2.0.');
      return;
    }
    this.#note(message);
    this.onmessage?.(message);
  }

  /** What was asked, and what of it nobody waits for any more: that is not answered. */
  #note(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) this.#open.set(message.id, 'asked');
    const { requestId } = message.params ?? {};
    if (message.method === 'notifications/cancelled' && isRequestId(requestId))
      this.#settled(requestId);
  }

  /** Which request it was meant to be cannot be told: JSON-RPC has null for its id then. */
  #refuse(code: number, message: string): void {
    const error = { jsonrpc: '2.0', id: null, error: { code, message } };
    this.#write(`${JSON.stringify(error)}\n`).catch(() => undefined);
  }

  async #write(text: string): Promise<void> {
    if (!this.#output.write(text)) await Promise.race([once(this.#output, 'drain'), this.ended]);
  }
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || typeof id === 'number';
}
