// One request that has passed the guard: finds its route, checks the caller, reads its parameters,
// runs the operation and answers. Without a token every path but the tokenless ones gives the same
// 401, so nobody learns what exists here.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { operationEntry } from '../../../preload/contract/operations.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Log } from '../../ports/log.ts';
import type { EventBus } from '../../services/base/event-bus.ts';
import type { Caller } from '../caller.ts';
import { tokenNeeded, type Door } from '../door/door.ts';
import { requireAccess } from '../dispatch.ts';
import { METRICS_TYPE } from '../metrics-text.ts';
import { appErrorOf } from '../problem.ts';
import type { AgentLine } from '../../services/agents/agent-presence.ts';
import { parseBody, readBody } from './body.ts';
import type { EventStream, EventStreams } from './event-streams.ts';
import { hasBody, pathOf } from './guard.ts';
import { followInbox, readLastItem } from './inbox-events.ts';
import { IDEMPOTENCY_KEY_LENGTH_MAX } from './limits.ts';
import type { Mount } from './mount.ts';
import type { Inbox } from '../../services/inbox/inbox.ts';
import { followPageEvents, readFromSeq } from './page-events.ts';
import { jsonAnswer, problemAnswer, send } from './respond.ts';
import type { Answer } from './respond.ts';
import { isSelfDescription, selfDescription } from './self-description.ts';
import { Router, mergeParams } from './router.ts';
import type { RouteMatch } from './router.ts';
import type { StaticFiles } from './static-files.ts';

export interface RequestServices {
  readonly door: Door;
  readonly streams: EventStreams;
  readonly events: EventBus;
  readonly inbox: Inbox;
  readonly mounts: readonly Mount[];
  readonly files: StaticFiles;
  readonly log: Log;
  /** What /health says of the hub: no secret, nothing about people or peers. */
  readonly health: () => { readonly status: 'ok'; readonly state: string };
}

export class RequestRun {
  readonly #services: RequestServices;
  readonly #router = new Router();

  constructor(services: RequestServices) {
    this.#services = services;
  }

  /** Answers, or throws what the door then answers with. */
  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
    expectsContinue: boolean,
  ): Promise<void> {
    const method = request.method ?? '';
    const path = pathOf(request.url);
    const match = this.#router.match(method, path);
    const reads = method === 'GET' || method === 'HEAD';
    const isOpen =
      match?.access === 'none' ||
      (reads && (path === '/health' || isSelfDescription(path) || this.#services.files.has(path)));
    if (caller.kind === 'anonymous' && !isOpen) return this.#refuse(request, response);
    if (reads && path === '/health') return send(response, jsonAnswer(this.#services.health()));
    if (reads && isSelfDescription(path)) return send(response, await selfDescription(path));
    if (reads && this.#services.files.has(path))
      return send(response, await this.#services.files.answer(path));
    const { door } = this.#services;
    const enter = (): unknown => response.once('close', door.callers.enter(caller));
    // Places without a token are everybody's: they are for whole requests, so that half-sent ones
    // take none. The owner's ways in need none, so that nobody who fills them keeps the owner out.
    if (caller.kind !== 'anonymous') enter();
    if (method === 'GET' && path === '/v1/events')
      return this.#pageEvents(request, response, caller);
    if (method === 'GET' && path === '/v1/inbox/stream')
      return this.#inboxEvents(request, response, caller);
    const begin = (): void => void (expectsContinue && response.writeContinue());
    const mount = this.#mountOf(path);
    if (mount !== undefined && caller.kind !== 'anonymous') {
      const body = hasBody(request)
        ? parseBody(await this.#body(request, caller, begin))
        : undefined;
      const stream = (): EventStream => this.#stream(request, response, caller);
      return mount.answer({ request, response, caller, body, stream });
    }
    if (match === undefined) throw this.#noRoute(path);
    door.heard(caller, lineOf(request));
    door.checkAccess(match.name, caller);
    const body = hasBody(request) ? await this.#body(request, caller, begin) : new Uint8Array();
    if (caller.kind === 'anonymous' && operationEntry(match.name).ownPace !== true) enter();
    send(response, await this.#operation(request, response, caller, match, body));
  }

  /** The answer to what was not taken. Without a good token it is the same at every path. */
  refusal(request: IncomingMessage, caller: Caller, error: AppError): Answer {
    const isKnown = caller.kind === 'agent' && error.code !== 'unauthenticated';
    const mount = isKnown ? this.#mountOf(pathOf(request.url)) : undefined;
    return mount?.refusal?.(error) ?? problemAnswer(error);
  }

  /** @throws AppError unauthenticated: its token ended while it came */
  async #body(request: IncomingMessage, caller: Caller, begin: () => void): Promise<Uint8Array> {
    let hasEnded = false;
    const forget = this.#services.door.callers.whenEnded(caller, () => (hasEnded = true));
    try {
      const body = await readBody(request, begin);
      if (hasEnded) throw tokenNeeded();
      return body;
    } finally {
      forget();
    }
  }

  async #operation(
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
    match: RouteMatch,
    body: Uint8Array,
  ): Promise<Answer> {
    const query = queryOf(request);
    const { method, answersText } = operationEntry(match.name);
    if (method !== 'GET' && query !== '')
      throw new AppError('bad_request', `A ${method} takes nothing in the query of its address.`, {
        hint: 'Write it in the body.',
        failedBy: 'input',
      });
    const others = method === 'GET' ? this.#router.readQuery(match.name, query) : parseBody(body);
    const params = mergeParams(match.pathParams, others);
    const gone = new AbortController();
    response.once('close', () => (response.writableFinished ? undefined : gone.abort()));
    const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
    const fromPage = request.headers['sec-fetch-site'] === 'same-origin';
    const { host = '' } = request.headers;
    try {
      const result = await this.#services.door.call(match.name, params, caller, {
        gone,
        idempotencyKey,
        fromPage,
        host,
      });
      return answersText === true ? textAnswer(result) : answerOf(result);
    } catch (error) {
      return problemAnswer(appErrorOf(error, this.#services.log));
    }
  }

  /**
   * The same 401 for a missing, wrong, revoked or foreign token, whether or not the path exists;
   * only the hint depends on the door. Refusals are slowed down.
   */
  async #refuse(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (hasBody(request)) response.setHeader('connection', 'close');
    if (!(await this.#services.door.callers.slowDownRefusal())) {
      response.destroy();
      return;
    }
    const hint = this.#mountOf(pathOf(request.url))?.tokenHint;
    send(response, problemAnswer(tokenNeeded(hint)));
  }

  #mountOf(path: string): Mount | undefined {
    return this.#services.mounts.find((mount) => mount.takes(path));
  }

  #noRoute(path: string): AppError {
    const methods = this.#router.methodsOf(path);
    if (methods.length === 0) {
      return new AppError('not_found', 'There is nothing at this path.', {
        hint: 'GET /v1/examples shows what there is.',
        failedBy: 'input',
      });
    }
    return new AppError('method_not_allowed', `Here only ${methods.join(', ')} is possible.`, {
      data: { allow: methods.join(', ') },
      failedBy: 'input',
    });
  }

  #stream(
    request: IncomingMessage,
    response: ServerResponse,
    caller: Exclude<Caller, { kind: 'anonymous' }>,
  ): EventStream {
    const { streams, door } = this.#services;
    const stream = streams.open(request, response, caller);
    stream.onEnd(door.callers.whenEnded(caller, () => stream.end()));
    return stream;
  }

  #pageEvents(request: IncomingMessage, response: ServerResponse, caller: Caller): void {
    requireAccess('owner', caller);
    if (caller.kind === 'anonymous') return;
    const { from } = fieldsOf(request, ['from']);
    const seq = readFromSeq(from, headerText(request.headers['last-event-id']));
    followPageEvents(this.#stream(request, response, caller), this.#services.events, seq);
  }

  #inboxEvents(request: IncomingMessage, response: ServerResponse, caller: Caller): void {
    this.#services.door.heard(caller, lineOf(request));
    this.#services.door.checkAccess('inbox.claim', caller);
    if (caller.kind !== 'agent') {
      throw new AppError('forbidden', 'An inbox belongs to an agent: use the token of one.', {
        failedBy: 'input',
      });
    }
    fieldsOf(request, []);
    const last = readLastItem(headerText(request.headers['last-event-id']));
    followInbox(this.#stream(request, response, caller), this.#services.inbox, caller.agent, last);
  }
}

function queryOf({ url = '' }: IncomingMessage): string {
  return url.slice(pathOf(url).length + 1);
}

/** The query of an event stream. @throws AppError bad_request: another field than these */
function fieldsOf(
  request: IncomingMessage,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const given = Object.fromEntries(new URLSearchParams(queryOf(request)));
  const other = Object.keys(given).find((name) => !names.includes(name));
  if (other === undefined) return given;
  throw new AppError('bad_request', `${other}: nothing of this name is taken here.`, {
    failedBy: 'input',
  });
}

/** What `axon mcp` calls itself, with the program that started it. */
const STDIO = /^axon-mcp\/\S+(?: \((.*)\))?$/;

/** How an agent reaches the hub, by its User-Agent. Nobody checks what it says of itself. */
function lineOf({ headers }: IncomingMessage): AgentLine {
  const said = headers['user-agent'] ?? null;
  const stdio = STDIO.exec(said ?? '');
  if (stdio !== null) return { door: 'mcp', program: stdio[1] ?? null };
  if (said?.startsWith('axon/') === true) return { door: 'terminal', program: null };
  return { door: 'http', program: said };
}

function headerText(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

/**
 * 202 with the task's address for what was only accepted (a task that is followed elsewhere); 200
 * for everything else.
 */
function answerOf(result: unknown): Answer {
  if (
    typeof result === 'object' &&
    result !== null &&
    'task_url' in result &&
    typeof result.task_url === 'string'
  ) {
    const answered = 'untrusted' in result && result.untrusted !== null;
    if (!answered) return jsonAnswer(result, 202, { location: result.task_url });
  }
  return jsonAnswer(result);
}

/** A collector reads the text itself, not JSON around it. */
function textAnswer(result: unknown): Answer {
  const text =
    typeof result === 'object' && result !== null && 'text' in result ? String(result.text) : '';
  return { status: 200, type: METRICS_TYPE, body: text };
}

/**
 * The header's value, or null without one. Throws `bad_request` for one that is too long or not
 * plain.
 */
function readIdempotencyKey(value: string | string[] | undefined): string | null {
  if (value === undefined) return null;
  if (
    typeof value !== 'string' ||
    value.length > IDEMPOTENCY_KEY_LENGTH_MAX ||
    !/^[\x21-\x7e]+$/.test(value)
  ) {
    throw new AppError(
      'bad_request',
      `An Idempotency-Key is 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} visible ASCII characters.`,
      {
        failedBy: 'input',
      },
    );
  }
  return value;
}
