// A2A 1.0 at /a2a: each agent of this hub and of each paired one is an agent of A2A, for the agents
// of this hub, over JSON-RPC and REST. What is asked becomes a request like any other, and waits
// for a person like any other. A small mapping of its own and not the official SDK: of its server
// only the JSON-RPC part stands without Express, it reads whatever comes as a text of the right
// type, and it would keep tasks beside those of the hub.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Door } from '../door/door.ts';
import { streamData, type EventStream } from '../http/event-streams.ts';
import { pathOf as requestPath } from '../http/guard.ts';
import type { Mount, MountCall } from '../http/mount.ts';
import { jsonAnswer, send } from '../http/respond.ts';
import { appErrorOf } from '../problem.ts';
import { A2A_PATH, pathOf, placeOf, type Address } from './addresses.ts';
import { AgentCalls, type AgentCaller, type CallsDeps } from './agent-calls.ts';
import {
  METHODS,
  restInvocation,
  rpcInvocation,
  type Invocation,
  type Method,
} from './bindings.ts';
import { A2A_VERSION, CARD_PATH, cardOf, listedFrom, shownHere } from './cards.ts';
import { A2aRefusal, nothingThere } from './failures.ts';
import { readListing, readMessage, readTaskId } from './requests.ts';
import { isOver, type A2aTask } from './task-form.ts';

interface A2aDoorDeps extends CallsDeps {
  readonly door: Door;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
}

export class A2aDoor implements Mount {
  readonly tokenHint = 'Send "Authorization: Bearer <token>", with the token of an agent here.';
  readonly #deps: A2aDoorDeps;

  constructor(deps: A2aDoorDeps) {
    this.#deps = deps;
  }

  takes(path: string): boolean {
    return path === A2A_PATH || path.startsWith(`${A2A_PATH}/`);
  }

  /** @throws AppError forbidden for a person; not_found */
  async answer(call: MountCall): Promise<void> {
    const { request, response, caller, body } = call;
    if (caller.kind !== 'agent')
      throw new AppError('forbidden', 'A2A is for agents: use the token of one.', {
        failedBy: 'input',
      });
    const program = request.headers['user-agent'] ?? null;
    this.#deps.door.heard(caller, { door: 'a2a', program });
    const gone = new AbortController();
    response.once('close', () => (response.writableFinished ? undefined : gone.abort()));
    const { method = '' } = request;
    const origin = `http://${request.headers.host ?? ''}`;
    const path = requestPath(request.url);
    const place = placeOf(path);
    if (method === 'GET' && path === A2A_PATH)
      return send(response, jsonAnswer(await this.#list(caller, origin, gone)));
    if (place === undefined) throw nothingThere(path);
    const { address, below } = place;
    const calls = new AgentCalls(this.#deps, caller, address, gone);
    if (method === 'GET' && below === CARD_PATH)
      return send(response, jsonAnswer(await this.#card(calls, address, origin)));
    const isRpc = method === 'POST' && (below === '' || below === '/');
    const invocation = isRpc
      ? rpcInvocation(body)
      : restInvocation(method, { below, query: queryOf(request) }, body);
    if (invocation === undefined) throw nothingThere(path);
    await this.#invoke(invocation, { ...call, caller }, calls);
  }

  async #list(caller: AgentCaller, origin: string, gone: AbortController): Promise<JsonObject> {
    const nobody: Address = { at: 'here', agent: caller.agent };
    const calls = new AgentCalls(this.#deps, caller, nobody, gone);
    const agents = await calls.call('agents.list', {});
    const peers = await calls.call('peers.list', { trust: 'paired' });
    return {
      items: listedFrom(agents.items, peers.items, caller.agent).map(({ name, address }) => ({
        name,
        card: `${origin}${pathOf(address)}${CARD_PATH}`,
      })),
      next: null,
    };
  }

  /** @throws AppError not_found, peer_not_found, forbidden */
  async #card(calls: AgentCalls, address: Address, origin: string): Promise<JsonObject> {
    const { version } = this.#deps;
    if (address.at === 'here') {
      const agent = await calls.call('agents.get', { name: address.agent });
      const { hub } = await calls.call('hub.whoami', {});
      return cardOf(shownHere(agent, hub.name), address, origin, version);
    }
    return cardOf(await calls.shownThere(address), address, origin, version);
  }

  async #invoke(
    { binding, read }: Invocation,
    { request, response, caller, stream }: MountCall & { readonly caller: AgentCaller },
    calls: AgentCalls,
  ): Promise<void> {
    try {
      checkVersion(request.headers);
      const { method, params } = read();
      for (const operation of METHODS[method]) this.#deps.door.checkAccess(operation, caller);
      const events = await prepared(method, params, calls);
      if (events === undefined)
        return send(response, binding.answer(await answerOf(method, params, calls)));
      const opened = stream();
      await this.#tell(events, opened, binding);
    } catch (error) {
      const failure = appErrorOf(error, this.#deps.log);
      // The same answer as at any other path.
      if (failure.code === 'unauthenticated') throw failure;
      send(response, binding.failure(failure));
    }
  }

  /** Nothing is sent before there is room for the stream. */
  async #tell(events: Events, stream: EventStream, binding: Invocation['binding']): Promise<void> {
    const over = new AbortController();
    stream.onEnd(() => over.abort());
    try {
      for await (const event of events(over.signal))
        stream.send({ data: streamData(binding.event(event)) });
    } catch (error) {
      const { event, data } = binding.failureEvent(appErrorOf(error, this.#deps.log));
      stream.send({ ...(event === undefined ? {} : { event }), data: streamData(data) });
    }
    stream.finish();
  }
}

type Events = (over: AbortSignal) => AsyncGenerator<JsonObject>;

/** What a method will tell as a stream; undefined: it has one answer. */
async function prepared(
  method: Method,
  params: unknown,
  calls: AgentCalls,
): Promise<Events | undefined> {
  if (method === 'SendStreamingMessage') {
    const asked = readMessage(params);
    return async function* told(over) {
      const sent = await calls.begin(asked);
      if ('message' in sent) yield sent;
      else yield* eventsOf(calls.changes(sent.task.id, over));
    };
  }
  if (method !== 'SubscribeToTask') return undefined;
  const task = await calls.task(readTaskId(params));
  if (isOver(task))
    throw new A2aRefusal('UNSUPPORTED_OPERATION', 'This task is over.', 'Ask for it with GetTask.');
  return (over) => eventsOf(calls.changes(task.id, over));
}

async function answerOf(method: Method, params: unknown, calls: AgentCalls): Promise<JsonObject> {
  if (method === 'ListTasks') return calls.list(readListing(params));
  if (method === 'SendMessage') return { ...(await calls.send(readMessage(params))) };
  const id = readTaskId(params);
  return { ...(method === 'CancelTask' ? await calls.cancel(id) : await calls.task(id)) };
}

/** The task first, then what changes of it. */
async function* eventsOf(tasks: AsyncIterable<A2aTask>): AsyncGenerator<JsonObject> {
  let before: A2aTask | undefined;
  for await (const task of tasks) {
    const { id: taskId, contextId, status, artifacts = [] } = task;
    if (before === undefined) yield { task };
    else if (JSON.stringify(before.status) !== JSON.stringify(status)) {
      for (const artifact of artifacts)
        yield { artifactUpdate: { taskId, contextId, artifact, lastChunk: true } };
      yield { statusUpdate: { taskId, contextId, status } };
    }
    before = task;
  }
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  return new URLSearchParams(url.slice(requestPath(url).length));
}

/** Without the header it is what the names of the methods say: several clients leave it out. */
function checkVersion(headers: IncomingHttpHeaders): void {
  const version = headers['a2a-version'];
  if (version === undefined || version === '' || version === A2A_VERSION) return;
  throw new A2aRefusal('VERSION_NOT_SUPPORTED', `This hub speaks A2A ${A2A_VERSION}.`);
}
