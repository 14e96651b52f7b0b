// A page's line to its hub over HTTP and SSE, when there is no Electron bridge. Owns the page's
// token (sessionStorage: it belongs to this origin and port alone, which a cookie would not) and
// the one-time login code of the address, which leaves the address before it is used.
import { createParser } from 'eventsource-parser';
import { isProblem, localProblem } from './api.ts';
import type { EventHandlers, HubTransport } from './api.ts';
import type { UiEvent } from './contract/dto.ts';
import type { Problem } from './contract/errors.ts';
import { httpRequestOf } from './contract/http-form.ts';
import type { CallOutcome } from './contract/hub-api.ts';
import type { OperationName } from './contract/operations.ts';

const TOKEN_KEY = 'axon-hub.token';
/** Longer than the longest wait an operation can ask the hub for (55 s). */
const CALL_TIMEOUT_MS = 65_000;
/** The hub sends a heartbeat every 15 s: two missed ones mean that the line is dead. */
const SILENCE_MAX_MS = 35_000;
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 15_000;
/** Bounds one event of the stream; a snapshot never travels there. */
const EVENT_SIZE_MAX = 1_048_576;

/** The parts of a window that this line needs; a test hands in its own. */
export interface PageEnvironment {
  readonly fetch: typeof fetch;
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState'>;
  /** "" for the page's own origin. */
  readonly baseUrl: string;
  now(): number;
  setTimer(delayMs: number, run: () => void): () => void;
}

export function pageEnvironment(page: Window & typeof globalThis): PageEnvironment {
  return {
    fetch: page.fetch.bind(page),
    storage: page.sessionStorage,
    location: page.location,
    history: page.history,
    baseUrl: '',
    now: () => Date.now(),
    setTimer: (delayMs, run) => {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  };
}

/**
 * Takes `#c=<code>` out of the address at once, so that neither history, nor a bookmark, nor a
 * screenshot keeps it.
 */
export function takeLoginCode({
  location,
  history,
}: Pick<PageEnvironment, 'location' | 'history'>): string | null {
  const code = /^#c=([A-Za-z0-9_-]{1,64})$/.exec(location.hash)?.[1] ?? null;
  if (location.hash.startsWith('#c='))
    history.replaceState(null, '', `${location.pathname}${location.search}`);
  return code;
}

export class HttpTransport implements HubTransport {
  readonly surface = 'browser' as const;
  readonly #page: PageEnvironment;
  readonly #streams = new Set<EventStream>();
  /**
   * Settled once the code of the address was spent; every call waits for it. Holds what went wrong
   * with it.
   */
  readonly #loggedIn: Promise<Problem | null>;

  constructor(page: PageEnvironment) {
    this.#page = page;
    const code = takeLoginCode(page);
    this.#loggedIn = code === null ? Promise.resolve(null) : this.#spendCode(code);
  }

  async invoke(name: OperationName, params: unknown): Promise<CallOutcome<unknown>> {
    const codeProblem = await this.#loggedIn;
    const outcome = await this.#send(name, isRecord(params) ? params : {});
    if (outcome.ok || outcome.problem.code !== 'unauthenticated' || name === 'hub.login')
      return outcome;
    this.#page.storage.removeItem(TOKEN_KEY);
    for (const stream of this.#streams) stream.loggedOut();
    return codeProblem === null
      ? outcome
      : { ok: false, problem: { ...outcome.problem, detail: codeProblem.detail } };
  }

  subscribe(fromSeq: number, handlers: EventHandlers): () => void {
    const stream = new EventStream(this.#page, fromSeq, handlers, () => this.#token());
    this.#streams.add(stream);
    void this.#loggedIn.then(() => stream.connect());
    return () => {
      this.#streams.delete(stream);
      stream.stop();
    };
  }

  async #spendCode(code: string): Promise<Problem | null> {
    const outcome = await this.#send('hub.login', { code });
    return outcome.ok ? null : outcome.problem;
  }

  async #send(
    name: OperationName,
    params: Readonly<Record<string, unknown>>,
  ): Promise<CallOutcome<unknown>> {
    const { method, path, body } = httpRequestOf(name, params);
    const token = this.#token();
    let answer: unknown;
    let accepted: boolean;
    try {
      const response = await this.#page.fetch(`${this.#page.baseUrl}${path}`, {
        method,
        body,
        headers: {
          ...(body === null ? {} : { 'content-type': 'application/json' }),
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        credentials: 'omit',
        cache: 'no-store',
        redirect: 'error',
        signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      });
      accepted = response.ok;
      answer = await response.json();
    } catch {
      return {
        ok: false,
        problem: localProblem(
          'hub_unreachable',
          'The hub on this computer does not answer. Is it running?',
        ),
      };
    }
    if (!accepted) {
      return {
        ok: false,
        problem: isProblem(answer)
          ? answer
          : localProblem('internal', 'The hub gave an answer that this page cannot read.'),
      };
    }
    if (name === 'hub.login' && isRecord(answer) && typeof answer['token'] === 'string') {
      this.#page.storage.setItem(TOKEN_KEY, answer['token']);
      for (const stream of this.#streams) stream.connect();
    }
    return { ok: true, value: answer };
  }

  #token(): string | null {
    return this.#page.storage.getItem(TOKEN_KEY);
  }
}

/** One subscription: connects, reads, and connects again for ever until it is stopped. */
class EventStream {
  readonly #page: PageEnvironment;
  readonly #handlers: EventHandlers;
  readonly #token: () => string | null;
  #seq: number;
  #attempt = 0;
  #running: AbortController | null = null;
  #cancelTimer: () => void = () => {};
  #stopped = false;

  constructor(
    page: PageEnvironment,
    fromSeq: number,
    handlers: EventHandlers,
    token: () => string | null,
  ) {
    this.#page = page;
    this.#seq = fromSeq;
    this.#handlers = handlers;
    this.#token = token;
  }

  connect(): void {
    if (this.#stopped || this.#running !== null) return;
    this.#cancelTimer();
    const token = this.#token();
    if (token === null) {
      this.#handlers.onLink({ state: 'logged_out', since: this.#page.now(), retry_in_ms: null });
      return;
    }
    const running = new AbortController();
    this.#running = running;
    void this.#read(token, running).then((status) => {
      if (this.#stopped || this.#running !== running) return;
      this.#cancelTimer();
      this.#running = null;
      if (status === 401) this.loggedOut();
      else this.#retryLater();
    });
  }

  loggedOut(): void {
    if (this.#stopped) return;
    this.#end();
    this.#handlers.onLink({ state: 'logged_out', since: this.#page.now(), retry_in_ms: null });
  }

  stop(): void {
    this.#stopped = true;
    this.#end();
  }

  #end(): void {
    this.#cancelTimer();
    this.#running?.abort();
    this.#running = null;
  }

  /** Reads until the line ends. Resolves with the HTTP status, 0 when there was no answer. */
  async #read(token: string, running: AbortController): Promise<number> {
    this.#watchSilence(running);
    try {
      const response = await this.#page.fetch(`${this.#page.baseUrl}/v1/events?from=${this.#seq}`, {
        headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
        credentials: 'omit',
        cache: 'no-store',
        redirect: 'error',
        signal: running.signal,
      });
      if (!response.ok || response.body === null) return response.status;
      this.#attempt = 0;
      this.#handlers.onLink({ state: 'live', since: this.#page.now(), retry_in_ms: null });
      const parser = createParser({
        onEvent: ({ event, data }) => this.#take(event, data),
        maxBufferSize: EVENT_SIZE_MAX,
      });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        if (running.signal.aborted) break;
        this.#watchSilence(running);
        parser.feed(chunk.value);
      }
      return response.status;
    } catch {
      return 0;
    }
  }

  #take(type: string | undefined, data: string): void {
    const read = readJson(data);
    if (type === 'gap') {
      // The hub may have been started anew and count differently: go on from its number.
      this.#seq = isRecord(read) && typeof read['seq'] === 'number' ? read['seq'] : 0;
      this.#handlers.onGap();
      return;
    }
    const event = isUiEvent(read) ? read : undefined;
    if (event === undefined || event.seq <= this.#seq) return;
    this.#seq = event.seq;
    this.#handlers.onEvent(event);
  }

  #watchSilence(running: AbortController): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#page.setTimer(SILENCE_MAX_MS, () => running.abort());
  }

  #retryLater(): void {
    const full = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** Math.min(this.#attempt++, 10));
    const delayMs = Math.round(full * (1 - Math.random() / 4));
    this.#handlers.onLink({ state: 'lost', since: this.#page.now(), retry_in_ms: delayMs });
    this.#cancelTimer = this.#page.setTimer(delayMs, () => this.connect());
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/**
 * The hub is this page's own server: number and type are checked, the rest is what the contract
 * says.
 */
function isUiEvent(value: unknown): value is UiEvent {
  return isRecord(value) && typeof value['seq'] === 'number' && typeof value['type'] === 'string';
}
