// One hop of the A2A SDK for JavaScript: its own client, its own server in Express, and an agent
// that echoes. Stores nothing.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentCard, Role, type Message } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  type AgentExecutor,
} from '@a2a-js/sdk/server';
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import type { Address, Subject } from './subject.ts';

const TEXT = 'text/plain';

function cardOf({ host, port }: Address): AgentCard {
  return AgentCard.fromJSON({
    name: 'echo',
    description: 'Says what it was told.',
    version: '1',
    supportedInterfaces: [
      { url: `http://${host}:${port}/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
    capabilities: {},
    defaultInputModes: [TEXT],
    defaultOutputModes: [TEXT],
    skills: [],
  });
}

function messageOf(text: string): Message {
  return {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [
      {
        content: { $case: 'text', value: text },
        metadata: undefined,
        filename: '',
        mediaType: TEXT,
      },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

const ECHO: AgentExecutor = {
  execute: async ({ userMessage, contextId }, bus) => {
    bus.publish(
      AgentEvent.message({
        ...userMessage,
        messageId: randomUUID(),
        role: Role.ROLE_AGENT,
        contextId,
      }),
    );
    bus.finished();
  },
  cancelTask: async () => undefined,
};

export const a2aHop: Subject = {
  async serve(host) {
    const app = express();
    const server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    const { port } = server.address() as AddressInfo; // a TCP server that listens
    const requestHandler = new DefaultRequestHandler(
      cardOf({ host, port }),
      new InMemoryTaskStore(),
      ECHO,
    );
    app.use('/', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
    return { host, port };
  },
  async connect(address) {
    const client = await new ClientFactory().createFromAgentCard(cardOf(address));
    return {
      ask: async (body) => {
        const answer = await client.sendMessage({
          tenant: '',
          message: messageOf(body.toString()),
          configuration: undefined,
          metadata: undefined,
        });
        const part = 'parts' in answer ? answer.parts[0]?.content : undefined;
        return Buffer.from(part?.$case === 'text' ? part.value : '');
      },
      close: () => Promise.resolve(),
    };
  },
};
