// A person connects another agent under the name of one that was removed, at a hub's door: it has a
// handle of its own, and the token that it is given is its own.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestHub } from '../support/test-hub.ts';

let hub: TestHub;
beforeAll(async () => {
  hub = await TestHub.start();
});
afterAll(() => hub.stop());

it('gives the next agent of that name a token that works', async () => {
  const first = await hub.agent('claude');
  const token = await hub.page();
  const removed = await hub.ask('/v1/agents/claude', { method: 'DELETE', token });
  expect(removed.status, removed.text).toBe(200);
  const second = await hub.agent('claude');
  expect((await hub.ask('/v1/whoami', { token: first })).status).toBe(401);
  const { status, text } = await hub.ask('/v1/whoami', { token: second });
  expect([status, text.includes('"claude-2"')], text).toEqual([200, true]);
});
