// A tool that waits long: a program that asked for progress hears that it goes on, others nothing.
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { mcpServer } from '../../../main/mcp/server.ts';

/** Longer than a program waits that hears nothing. */
const ANSWERED_AFTER_MS = 25_000;
const GIVES_UP_AFTER_MS = 18_000;
let client: Client;

beforeEach(async () => {
  const server = mcpServer({
    version: '1.0.0',
    call: () => new Promise((resolve) => setTimeout(resolve, ANSWERED_AFTER_MS, { state: 'ok' })),
    problemOf: () => undefined,
  });
  client = new Client({ name: 'test', version: '1.0.0' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there as never), client.connect(here)]);
});
afterEach(() => client.close());

it('outlasts the time a program waits, as long as it hears of progress', async () => {
  const heard: (string | undefined)[] = [];
  const asked = { name: 'axon_whoami', arguments: {} };
  const patient = client.callTool(asked, {
    timeout: GIVES_UP_AFTER_MS,
    resetTimeoutOnProgress: true,
    onprogress: ({ message }) => void heard.push(message),
  });
  const hasty = client.callTool(asked, { timeout: GIVES_UP_AFTER_MS });
  await expect(hasty).rejects.toThrow(/timed out/i);
  expect((await patient).structuredContent).toEqual({ state: 'ok' });
  expect(heard.length).toBeGreaterThanOrEqual(1);
  expect(new Set(heard)).toEqual(new Set(['Still waiting.']));
}, 60_000);
