// A line of the Agent Client Protocol: JSON-RPC 2.0 over the pipes of a program, a message a line.
// What is no message is no fault: some programs print other lines, too.
import type { Readable, Writable } from 'node:stream';
import { LineReader, type TextLine } from '../../lib/decode-text.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { parseStrictJson } from '../../lib/strict-json.ts';

/** A longer line ends the connection: nobody could say what stands in it. */
const LINE_MAX_BYTES = 16 * 1024 * 1024;
/** What a person may read of a message must be what its program has. */
const LIMITS = {
  sizeMaxBytes: LINE_MAX_BYTES,
  depthMax: 64,
  nodesMax: 1_000_000,
  keysPerObjectMax: 65_536,
} as const;
/** Whoever has not read that much of what was answered is not read from either. */
const UNREAD_MAX_BYTES = 1024 * 1024;
/** By JSON-RPC: what cannot be read as it is. */
const INVALID_REQUEST = -32_600;
/** By JSON-RPC: what a client does not offer. */
const METHOD_NOT_FOUND = -32_601;
/** By the protocol: its person has to sign in first. */
const AUTH_REQUIRED = -32_000;

/** The program refused a call, or is gone. */
export class AcpError extends Error {
  override readonly name = 'AcpError';
  readonly needsSignIn: boolean;
  /** It ended, or speaks something else. */
  readonly isGone: boolean;

  constructor(message: string, code: number | null) {
    super(message);
    this.needsSignIn = code === AUTH_REQUIRED;
    this.isGone = code === null;
  }
}

interface Answering {
  /** What the program asks; undefined: not offered. */
  readonly request: (method: string, params: JsonObject) => Promise<JsonObject> | undefined;
  /** @param params null: they cannot be read as they are */
  readonly notice: (method: string, params: JsonObject | null) => void;
}

interface Waiting {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
}

export class AcpConnection {
  readonly #output: Writable;
  readonly #answering: Answering;
  readonly #waiting = new Map<number, Waiting>();
  readonly #lines = new LineReader(LINE_MAX_BYTES);
  #lastId = 0;
  #gone: AcpError | undefined;

  constructor(input: Readable, output: Writable, answering: Answering) {
    this.#output = output;
    this.#answering = answering;
    // A program that has closed its input is about to end; that is told by its end.
    output.on('error', () => undefined);
    input.on('data', (part: Buffer) => {
      for (const line of this.#lines.push(part)) this.#take(line);
      if (output.writableLength <= UNREAD_MAX_BYTES) return;
      input.pause();
      output.once('drain', () => input.resume());
    });
    input.on('close', () => this.close('The program ended.'));
  }

  /** @throws AcpError */
  call(method: string, params: JsonObject): Promise<JsonObject> {
    if (this.#gone !== undefined) return Promise.reject(this.#gone);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  notify(method: string, params: JsonObject): void {
    if (this.#gone === undefined) this.#send({ method, params });
  }

  /** What waits for an answer fails. */
  close(why: string): void {
    this.#gone ??= new AcpError(why, null);
    for (const { reject } of this.#waiting.values()) reject(this.#gone);
    this.#waiting.clear();
  }

  #send(message: JsonObject): void {
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #take({ text, flaw, isCut }: TextLine): void {
    if (isCut) return this.close(`It sent a line of more than ${LINE_MAX_BYTES} bytes.`);
    if (this.#gone !== undefined || flaw !== null) return;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    if (!isJsonObject(message)) return;
    const { id, method } = message;
    if (typeof method !== 'string') return this.#answered(message);
    const read = parseStrictJson(text, LIMITS);
    const isRequest = typeof id === 'number' || typeof id === 'string';
    if (!read.ok) {
      if (!isRequest) return this.#answering.notice(method, null);
      return this.#send({ id, error: { code: INVALID_REQUEST, message: read.error } });
    }
    const { params } = isJsonObject(read.value) ? read.value : {};
    const given = isJsonObject(params) ? params : {};
    if (isRequest) void this.#answer(id, method, given);
    else this.#answering.notice(method, given);
  }

  #answered({ id, result, error }: JsonObject): void {
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (waiting === undefined || typeof id !== 'number') return;
    this.#waiting.delete(id);
    if (!isJsonObject(error)) return waiting.resolve(isJsonObject(result) ? result : {});
    const message = typeof error.message === 'string' ? error.message : 'It gave no reason.';
    waiting.reject(new AcpError(message, typeof error.code === 'number' ? error.code : 0));
  }

  async #answer(id: number | string, method: string, params: JsonObject): Promise<void> {
    const answer = this.#answering.request(method, params);
    if (answer === undefined) {
      const error = { code: METHOD_NOT_FOUND, message: 'This client does not offer it.' };
      return this.#send({ id, error });
    }
    const result = await answer;
    if (this.#gone === undefined) this.#send({ id, result });
  }
}
