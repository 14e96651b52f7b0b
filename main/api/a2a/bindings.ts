// JSON-RPC and REST: how a call of A2A comes in over each, and how an answer, an event of a stream
// and a failure go out. Both come to the same methods.
import type { OperationName } from '../../../preload/contract/operations.ts';
import type { AppError } from '../../lib/app-error.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { jsonAnswer, type Answer } from '../http/respond.ts';
import { A2aRefusal, restError, rpcError } from './failures.ts';
import { listingIn, noPush } from './requests.ts';

/** What each method asks of the table; a caller who may not call all of it gets nothing. */
export const METHODS = {
  SendMessage: ['send.delegate', 'tasks.get'],
  SendStreamingMessage: ['send.delegate', 'tasks.get'],
  GetTask: ['tasks.get'],
  ListTasks: ['tasks.list', 'tasks.get'],
  CancelTask: ['tasks.cancel', 'tasks.get'],
  SubscribeToTask: ['tasks.get'],
} as const satisfies Record<string, readonly OperationName[]>;

export type Method = keyof typeof METHODS;

export interface Binding {
  answer(result: JsonObject): Answer;
  failure(error: AppError): Answer;
  /** The data of an event. */
  event(result: JsonObject): JsonObject;
  failureEvent(error: AppError): { readonly event?: string; readonly data: JsonObject };
}

export interface Invocation {
  readonly binding: Binding;
  /** @throws A2aRefusal for what this hub does not do */
  read(): { readonly method: Method; readonly params: unknown };
}

function jsonRpc(id: unknown): Binding {
  const head = { jsonrpc: '2.0', id };
  const failed = (error: AppError): JsonObject => ({ ...head, error: rpcError(error) });
  return {
    answer: (result) => jsonAnswer({ ...head, result }),
    failure: (error) => jsonAnswer(failed(error)),
    event: (result) => ({ ...head, result }),
    failureEvent: (error) => ({ data: failed(error) }),
  };
}

const REST: Binding = {
  answer: (result) => jsonAnswer(result),
  failure: (error) => {
    const { http, body } = restError(error);
    return jsonAnswer(body, http);
  },
  event: (result) => result,
  failureEvent: (error) => ({ event: 'error', data: restError(error).body }),
};

/** A call that was posted to the path of the agent itself. */
export function rpcInvocation(body: JsonObject | undefined): Invocation {
  const { jsonrpc, id = null, method, params } = body ?? {};
  const isId = id === null || typeof id === 'string' || Number.isSafeInteger(id);
  return {
    binding: jsonRpc(isId ? id : null),
    read: () => {
      if (jsonrpc !== '2.0' || typeof method !== 'string' || !isId)
        throw new A2aRefusal('INVALID_REQUEST', 'This is no request of JSON-RPC 2.0.');
      if (isMethod(method)) return { method, params: isJsonObject(params) ? params : null };
      throw (
        UNSUPPORTED.get(method)?.() ??
        new A2aRefusal(
          'METHOD_NOT_FOUND',
          'There is no such method.',
          `This hub speaks A2A 1.0: ${Object.keys(METHODS).join(', ')}.`,
        )
      );
    },
  };
}

/** undefined: nothing stands there. @param below the path below that of the agent */
export function restInvocation(
  http: string,
  { below, query }: { readonly below: string; readonly query: URLSearchParams },
  body: JsonObject | undefined,
): Invocation | undefined {
  const call = (method: Method, params: unknown): Invocation => ({
    binding: REST,
    read: () => ({ method, params }),
  });
  const refuse = (refusal: () => A2aRefusal): Invocation => ({
    binding: REST,
    read: () => {
      throw refusal();
    },
  });
  if (http === 'POST' && below === '/message:send') return call('SendMessage', body);
  if (http === 'POST' && below === '/message:stream') return call('SendStreamingMessage', body);
  if (http === 'GET' && below === '/tasks') return call('ListTasks', listingIn(query));
  if (below === '/extendedAgentCard') return refuse(noMoreCards);
  const [, id = '', action] = /^\/tasks\/([^/:]+)(.*)$/.exec(below) ?? [];
  if (id === '') return undefined;
  if (action?.startsWith('/pushNotificationConfigs') === true) return refuse(noPush);
  if (http === 'GET' && action === '') return call('GetTask', { id });
  if (http === 'POST' && action === ':cancel') return call('CancelTask', { id });
  if (action === ':subscribe') return call('SubscribeToTask', { id });
  return undefined;
}

function isMethod(method: string): method is Method {
  return Object.hasOwn(METHODS, method);
}

function noMoreCards(): A2aRefusal {
  return new A2aRefusal('EXTENDED_AGENT_CARD_NOT_CONFIGURED', 'The card is all there is.');
}

const UNSUPPORTED: ReadonlyMap<string, () => A2aRefusal> = new Map([
  ['GetExtendedAgentCard', noMoreCards],
  ['CreateTaskPushNotificationConfig', noPush],
  ['GetTaskPushNotificationConfig', noPush],
  ['ListTaskPushNotificationConfigs', noPush],
  ['DeleteTaskPushNotificationConfig', noPush],
]);
