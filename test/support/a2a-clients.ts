// The official client of A2A, as a program of this computer uses it: with the token of an agent, over
// JSON-RPC or REST.
import { Role, TaskState, type Message, type StreamResponse, type Task } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from '@a2a-js/sdk/client';

export const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const;
export type BindingName = (typeof BINDINGS)[number];

/** A client of the agent whose card stands at `card`. */
export function a2aClient(card: string, token: string, binding: BindingName): Promise<Client> {
  return factoryOf(token, binding).createFromUrl(card, '');
}

/** One that was given the address of the agent, and looks for the card itself. */
export function a2aClientAt(address: string, token: string, binding: BindingName): Promise<Client> {
  return factoryOf(token, binding).createFromUrl(address);
}

function factoryOf(token: string, binding: BindingName): ClientFactory {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [
      new JsonRpcTransportFactory({ fetchImpl }),
      new RestTransportFactory({ fetchImpl }),
    ],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    preferredTransports: [binding],
  });
  return new ClientFactory(options);
}

export function userMessage(
  text: string,
  more: Partial<Pick<Message, 'messageId' | 'contextId' | 'taskId' | 'metadata' | 'parts'>> = {},
): Message {
  return {
    messageId: crypto.randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [textPart(text)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  };
}

export function textPart(text: string): Message['parts'][number] {
  return {
    content: { $case: 'text', value: text },
    metadata: undefined,
    filename: '',
    mediaType: 'text/plain',
  };
}

/** What a client sends; `returns`: it does not wait for the end. */
export function sending(message: Message, returns = false) {
  return {
    tenant: '',
    message,
    configuration: returns
      ? {
          acceptedOutputModes: [],
          returnImmediately: true,
          historyLength: undefined,
          taskPushNotificationConfig: undefined,
        }
      : undefined,
    metadata: undefined,
  };
}

export function isTask(sent: Message | Task): sent is Task {
  return 'status' in sent;
}

/** The state without its beginning, and the words of the hub and of others. */
export function toldBy(task: Task): string {
  const words = (task.status?.message?.parts ?? []).map(textOf);
  return [stateName(task.status?.state), ...words].join(' | ');
}

export function resultOf(task: Task): string {
  return task.artifacts.flatMap(({ parts }) => parts.map(textOf)).join(' | ');
}

export function textOf({ content }: Message['parts'][number]): string {
  if (content?.$case === 'text') return content.value;
  return content?.$case === 'data' ? JSON.stringify(content.value) : '';
}

/** Each event of a stream in a few words. */
export function eventWords({ payload }: StreamResponse): string {
  switch (payload?.$case) {
    case 'task':
      return `task ${toldBy(payload.value)}`;
    case 'statusUpdate': {
      const { status } = payload.value;
      const words = (status?.message?.parts ?? []).map(textOf);
      return [stateName(status?.state), ...words].join(' | ');
    }
    case 'artifactUpdate':
      return `artifact ${(payload.value.artifact?.parts ?? []).map(textOf).join(' | ')}`;
    case 'message':
      return `message ${payload.value.parts.map(textOf).join(' | ')}`;
    default:
      return 'nothing';
  }
}

function stateName(state: TaskState | undefined): string {
  return (TaskState[state ?? TaskState.TASK_STATE_UNSPECIFIED] ?? '').replace('TASK_STATE_', '');
}
