// A tool that waits long: a program that asked for progress hears that it goes on, others nothing.
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { mcpServer } from '../../../main/mcp/server.ts';

const EVERY_MS = 10_000;
/** Of the calls under way. */
let finish: ((result: unknown) => void)[] = [];
let client: Client;

beforeEach(async () => {
  finish = [];
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const server = mcpServer({
    version: '1.0.0',
    call: () => new Promise((resolve) => finish.push(resolve)),
    problemOf: () => undefined,
  });
  client = new Client({ name: 'test', version: '1.0.0' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there as never), client.connect(here)]);
});
afterEach(async () => {
  await client.close();
  vi.useRealTimers();
});

const ask = (options: object) =>
  client.callTool(
    { name: 'axon_task', arguments: { id: '00000000-0000-4000-8000-000000000000' } },
    options,
  );

it('outlasts the time a program waits, as long as it hears of progress, and then is silent', async () => {
  const heard: (string | undefined)[] = [];
  const answer = ask({
    timeout: 2_000,
    resetTimeoutOnProgress: true,
    onprogress: ({ message }: { message?: string }) => void heard.push(message),
  });
  await vi.waitFor(() => expect(finish).toHaveLength(1));
  for (let told = 1; told <= 3; told++) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    vi.advanceTimersByTime(EVERY_MS);
    await vi.waitFor(() => expect(heard).toHaveLength(told));
  }
  expect(new Set(heard)).toEqual(new Set(['Still waiting.']));
  finish[0]?.({ untrusted: {} });
  expect(await answer).not.toHaveProperty('isError', true);
  vi.advanceTimersByTime(10 * EVERY_MS);
  expect(vi.getTimerCount()).toBe(0);
  expect(heard).toHaveLength(3);
});

it('tells nothing to a program that did not ask', async () => {
  const answer = ask({ timeout: 5_000 });
  await vi.waitFor(() => expect(finish).toHaveLength(1));
  expect(vi.getTimerCount()).toBe(0);
  finish[0]?.({ untrusted: {} });
  await answer;
});
