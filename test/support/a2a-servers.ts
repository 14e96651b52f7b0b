// An A2A agent of the official SDK, in Express, as a program of somebody else: it does what the text
// of a message says. And the same place turned hostile.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { AgentCard, Role, TaskState, type Message, type TaskStatusUpdateEvent } from '@a2a-js/sdk';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  type AgentExecutor,
  type ExecutionEventBus,
} from '@a2a-js/sdk/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler } from '@a2a-js/sdk/server/express';
import express from 'express';
import { textOf, textPart } from './a2a-clients.ts';

/** What answers in the place of the agent: undefined leaves it to the agent. */
type Instead = (request: IncomingMessage, response: ServerResponse) => boolean;

interface Open {
  readonly bus: ExecutionEventBus;
  readonly context: string;
  readonly over: () => void;
}

export class A2aServer implements AgentExecutor {
  /** The messages that came, by their id: how often. */
  readonly messages = new Map<string, number>();
  readonly texts: string[] = [];
  readonly authorizations = new Set<string>();
  readonly cancelled: string[] = [];
  /** Or else it goes on, whoever cancels it. */
  obeys = true;
  /** Of the card. */
  skillCount = 1;
  description = 'Counts.';
  /** null: where it is. */
  endpoint: string | null = null;
  instead: Instead = () => false;
  /** How long each call takes at least, ms. */
  delayMs: () => number = () => 0;
  /** How long it takes to say that it has a message, ms; and how many it is about to say it of. */
  beginMs: () => number = () => 0;
  beginning = 0;
  /** How long it works on what begins with "Later". */
  workMs: () => number = () => 0;
  readonly #server: Server;
  readonly #open = new Map<string, Open>();

  private constructor() {
    const app = express();
    app.use((request, response, next) => {
      const { authorization } = request.headers;
      if (authorization !== undefined) this.authorizations.add(authorization);
      if (!this.instead(request, response)) setTimeout(next, this.delayMs());
    });
    const card = agentCardHandler({ agentCardProvider: async () => this.card() });
    app.use('/.well-known/agent-card.json', card);
    let handler: ReturnType<typeof jsonRpcHandler> | undefined;
    app.use('/', (request, response, next) => {
      handler ??= jsonRpcHandler({
        requestHandler: new DefaultRequestHandler(this.card(), new InMemoryTaskStore(), this),
        userBuilder: UserBuilder.noAuthentication,
      });
      return handler(request, response, next);
    });
    this.#server = createServer(app);
  }

  static async start(): Promise<A2aServer> {
    const server = new A2aServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // a TCP server that listens
  }

  get url(): string {
    return `http://${this.host}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  card(): AgentCard {
    return AgentCard.fromJSON({
      name: 'Counter',
      description: this.description,
      version: '1',
      supportedInterfaces: [
        {
          url: this.endpoint ?? `${this.url}/`,
          protocolBinding: 'JSONRPC',
          protocolVersion: '1.0',
        },
      ],
      capabilities: { streaming: false },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: Array.from({ length: this.skillCount }, (_, index) => ({
        id: `count-${index}`,
        name: 'Counting',
        description: 'Counts things.',
        tags: ['count'],
      })),
    });
  }

  async execute(
    { userMessage, taskId, contextId }: Parameters<AgentExecutor['execute']>[0],
    bus: ExecutionEventBus,
  ): Promise<void> {
    const { messageId, parts } = userMessage;
    const text = textOf(parts[0] ?? textPart(''));
    this.messages.set(messageId, (this.messages.get(messageId) ?? 0) + 1);
    this.texts.push(text);
    this.beginning += 1;
    await wait(this.beginMs());
    this.beginning -= 1;
    if (text.startsWith('Say')) {
      bus.publish(AgentEvent.message(said(text.slice(4), contextId)));
      return bus.finished();
    }
    bus.publish(
      AgentEvent.task({
        id: taskId,
        contextId,
        status: { state: TaskState.TASK_STATE_WORKING, message: undefined, timestamp: undefined },
        artifacts: [],
        history: [],
        metadata: undefined,
      }),
    );
    const over = Promise.withResolvers<void>();
    this.#open.set(taskId, { bus, context: contextId, over: () => over.resolve() });
    if (text.startsWith('Ask')) {
      this.#update(taskId, contextId, bus, TaskState.TASK_STATE_INPUT_REQUIRED, 'Which plates?');
      return bus.finished();
    }
    // Until it is ended, it works.
    if (text.startsWith('Wait')) return over.promise;
    if (text.startsWith('Later')) {
      setTimeout(
        () => this.end(taskId, TaskState.TASK_STATE_COMPLETED, `${text}: 3`),
        this.workMs(),
      );
      return over.promise;
    }
    const fails = text.startsWith('Fail');
    this.end(
      taskId,
      fails ? TaskState.TASK_STATE_FAILED : TaskState.TASK_STATE_COMPLETED,
      fails ? 'It is locked.' : `${text}: 3`,
    );
  }

  async cancelTask(taskId: string): Promise<void> {
    this.cancelled.push(taskId);
    if (this.obeys) this.end(taskId, TaskState.TASK_STATE_CANCELED, 'I stopped.');
  }

  /** Ends what waits. */
  endAll(words: string): void {
    for (const taskId of this.#open.keys()) this.end(taskId, TaskState.TASK_STATE_COMPLETED, words);
  }

  end(taskId: string, state: TaskState, words: string): void {
    const open = this.#open.get(taskId);
    if (open === undefined) return;
    this.#open.delete(taskId);
    this.#update(taskId, open.context, open.bus, state, words);
    open.bus.finished();
    open.over();
  }

  #update(
    taskId: string,
    contextId: string,
    bus: ExecutionEventBus,
    state: TaskState,
    words: string,
  ): void {
    const update: TaskStatusUpdateEvent = {
      taskId,
      contextId,
      status: { state, message: said(words, contextId), timestamp: undefined },
      metadata: undefined,
    };
    bus.publish(AgentEvent.statusUpdate(update));
  }
}

function said(text: string, contextId: string): Message {
  return {
    messageId: crypto.randomUUID(),
    contextId,
    taskId: '',
    role: Role.ROLE_AGENT,
    parts: [textPart(text)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}
