// One request that has passed the guard: which route it is, whether this caller may use it, its parameters, the operation, the answer.
// Without a token every path but the tokenless ones gives the same 401, so that nobody learns what exists here.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OPERATIONS } from '../../../preload/contract/operations.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { EventBus } from '../../services/base/event-bus.ts';
import type { CallContext, Caller } from '../caller.ts';
import { requireAccess } from '../dispatch.ts';
import type { Dispatcher } from '../dispatch.ts';
import { METRICS_TYPE } from '../metrics-text.ts';
import { appErrorOf } from '../problem.ts';
import { parseBody, readBody } from './body.ts';
import type { Callers } from './callers.ts';
import type { EventStreams } from './event-streams.ts';
import { hasBody, pathOf } from './guard.ts';
import { Idempotency, readIdempotencyKey } from './idempotency.ts';
import { followInbox } from './inbox-events.ts';
import type { InboxReader } from '../../services/inbox/channel.ts';
import { followPageEvents, readFromSeq } from './page-events.ts';
import { jsonAnswer, problemAnswer, send } from './respond.ts';
import type { Answer } from './respond.ts';
import { Router, mergeParams } from './router.ts';
import type { RouteMatch } from './router.ts';
import type { StaticFiles } from './static-files.ts';

export interface RequestServices {
  readonly dispatcher: Dispatcher;
  readonly callers: Callers;
  readonly streams: EventStreams;
  readonly events: EventBus;
  readonly inbox: InboxReader;
  /** Told of every call with an agent's token. */
  readonly agentCalled: (agent: string) => void;
  readonly files: StaticFiles;
  readonly clock: Clock;
  readonly log: Log;
  /** What /health says of the hub: no secret, nothing about people or peers. */
  readonly health: () => { readonly status: 'ok'; readonly state: string };
}

/**
 * Without a token these cost no more than their refusal would (one hash), or wait in lines of their own (a passphrase): the proof of the
 * hub, its state for who can read hub.json, logging in, the passphrase.
 */
const OWN_PACE: ReadonlySet<string> = new Set(['hub.proof', 'hub.localStatus', 'hub.login', 'hub.setPassphrase']);

export class RequestRun {
  readonly #services: RequestServices;
  readonly #router = new Router();
  readonly #idempotency: Idempotency;

  constructor(services: RequestServices) {
    this.#services = services;
    this.#idempotency = new Idempotency(services.clock);
  }

  /** Answers, or throws what the door then answers with. */
  async answer(request: IncomingMessage, response: ServerResponse, caller: Caller, expectsContinue: boolean): Promise<void> {
    const method = request.method ?? '';
    const path = pathOf(request.url);
    const match = this.#router.match(method, path);
    const reads = method === 'GET' || method === 'HEAD';
    const isOpen = match?.access === 'none' || (reads && (path === '/health' || this.#services.files.has(path)));
    if (caller.kind === 'anonymous' && !isOpen) return this.#refuse(request, response);
    if (reads && path === '/health') return send(response, jsonAnswer(this.#services.health()));
    if (reads && this.#services.files.has(path)) return send(response, await this.#services.files.answer(path));
    const enter = (): unknown => response.once('close', this.#services.callers.enter(caller));
    // Places without a token are everybody's: they are for whole requests, so that half-sent ones take none. The owner's ways in need none, so
    // that nobody who fills them keeps the owner out.
    if (caller.kind !== 'anonymous') enter();
    if (method === 'GET' && path === '/v1/events') return this.#pageEvents(request, response, caller);
    if (method === 'GET' && path === '/v1/inbox/stream') return this.#inboxEvents(request, response, caller);
    if (match === undefined) throw this.#noRoute(path);
    this.#services.dispatcher.checkOpen(match.name, caller);
    if (caller.kind === 'agent') this.#services.agentCalled(caller.agent);
    requireAccess(match.access, caller);
    const begin = (): void => void (expectsContinue && response.writeContinue());
    const body = hasBody(request) ? await readBody(request, begin) : new Uint8Array();
    if (caller.kind === 'anonymous' && !OWN_PACE.has(match.name)) enter();
    send(response, await this.#operation(request, response, caller, match, body));
  }

  async #operation(
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
    match: RouteMatch,
    body: Uint8Array,
  ): Promise<Answer> {
    const query = (request.url ?? '').slice(pathOf(request.url).length + 1);
    const others = OPERATIONS[match.name].method === 'GET' ? this.#router.readQuery(match.name, query) : parseBody(body);
    const params = mergeParams(match.pathParams, others);
    const gone = new AbortController();
    const forget = this.#services.callers.whenEnded(caller, () => gone.abort());
    response.once('close', () => {
      forget();
      gone.abort();
    });
    const key = readIdempotencyKey(request.headers['idempotency-key']);
    const context: CallContext = {
      signal: gone.signal,
      idempotencyKey: key,
      fromPage: request.headers['sec-fetch-site'] === 'same-origin',
    };
    const run = async (): Promise<Answer> => {
      const result = await this.#services.dispatcher.call(match.name, params, caller, context);
      // Only the end of the token aborts while the client is still there. Ending one's own session is answered all the same.
      if (gone.signal.aborted && !response.closed && match.name !== 'sessions.revoke') throw tokenNeeded();
      // A claim that its caller gave up took nothing: a repeat of it is a new one.
      if (gone.signal.aborted && isEmptyClaim(match.name, result)) throw new AppError('cancelled', 'The caller went away.');
      return match.name === 'metrics.read' ? textAnswer(result) : answerOf(result);
    };
    try {
      if (key === null || caller.kind === 'anonymous' || request.method !== 'POST') return await run();
      const who = caller.kind === 'agent' ? `agent:${caller.agent}` : caller.tokenId;
      return await this.#idempotency.once(who, pathOf(request.url), key, body, run);
    } catch (error) {
      return problemAnswer(appErrorOf(error, this.#services.log));
    }
  }

  /** The same 401 for a missing, wrong, revoked or foreign token, on every path; the pace of refusals is held down. */
  async #refuse(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (hasBody(request)) response.setHeader('connection', 'close');
    if (!(await this.#services.callers.slowDownRefusal())) {
      response.destroy();
      return;
    }
    send(response, problemAnswer(tokenNeeded()));
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

  #pageEvents(request: IncomingMessage, response: ServerResponse, caller: Caller): void {
    requireAccess('owner', caller);
    if (caller.kind === 'anonymous') return;
    const from = new URLSearchParams((request.url ?? '').slice(pathOf(request.url).length)).get('from') ?? undefined;
    const seq = readFromSeq(from, headerText(request.headers['last-event-id']));
    followPageEvents(this.#services.streams.open(request, response, caller.tokenId), this.#services.events, seq);
  }

  #inboxEvents(request: IncomingMessage, response: ServerResponse, caller: Caller): void {
    requireAccess('inbox', caller);
    if (caller.kind !== 'agent') {
      throw new AppError('forbidden', 'An inbox belongs to an agent: use the token of one.', { failedBy: 'input' });
    }
    this.#services.dispatcher.checkOpen('inbox.claim', caller);
    const seq = readFromSeq(undefined, headerText(request.headers['last-event-id']));
    followInbox(this.#services.streams.open(request, response, caller.tokenId), this.#services.inbox, caller.agent, seq);
  }
}

function tokenNeeded(): AppError {
  return new AppError('unauthenticated', 'This needs a token that works.', {
    hint: 'Send "Authorization: Bearer <token>". A new agent gets one from POST /v1/agents.',
    failedBy: 'input',
  });
}

function headerText(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

/** 202 with the task's address for what was only accepted (a task that is followed elsewhere); 200 for everything else. */
function answerOf(result: unknown): Answer {
  if (typeof result === 'object' && result !== null && 'task_url' in result && typeof result.task_url === 'string') {
    const answered = 'untrusted' in result && result.untrusted !== null;
    if (!answered) return jsonAnswer(result, 202, { location: result.task_url });
  }
  return jsonAnswer(result);
}

/** A collector reads the text itself, not JSON around it. */
function textAnswer(result: unknown): Answer {
  const text = typeof result === 'object' && result !== null && 'text' in result ? String(result.text) : '';
  return { status: 200, type: METRICS_TYPE, body: text };
}

function isEmptyClaim(name: string, result: unknown): boolean {
  if (name !== 'inbox.claim' || typeof result !== 'object' || result === null || !('items' in result)) return false;
  return Array.isArray(result.items) && result.items.length === 0;
}
