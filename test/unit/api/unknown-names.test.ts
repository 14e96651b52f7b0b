// A field that an operation does not know is refused by its name: whoever misspells one notices.
import { expect, test } from 'vitest';
import type { Caller, Handlers } from '../../../main/api/caller.ts';
import { Dispatcher } from '../../../main/api/dispatch.ts';
import { OPERATIONS } from '../../../preload/contract/operations.ts';

const PERSON: Caller = { kind: 'ui', tokenId: 'ui-1', surface: 'browser' };
const CONTEXT = {
  signal: new AbortController().signal,
  idempotencyKey: null,
};
/** A message of another language may hold anything; a login is one of two forms, whole. */
const OTHERS = ['send.message', 'hub.login'];
const calls: string[] = [];
const handlers = Object.fromEntries(
  Object.keys(OPERATIONS).map((name) => [name, async () => void calls.push(name)]),
) as unknown as Handlers; // every operation, alike
const dispatcher = new Dispatcher(handlers);

test.each(Object.keys(OPERATIONS).filter((name) => !OTHERS.includes(name)))(
  '%s takes no field that nobody knows',
  async (name) => {
    const asked = dispatcher.call(name, { nobodyKnows: 1 }, PERSON, CONTEXT);
    await expect(asked).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('nobodyKnows: nothing of this name is taken here'),
      hint: expect.stringContaining('This takes '),
    });
    expect(calls).toEqual([]);
  },
);

test.each([
  ['send.delegate', { to: 'mum', task: 'Cook', deadlineMs: 5 }, 'deadlineMs: '],
  ['send.query', { to: 'mum', question: 'When?', conversation: { ID: 'c' } }, 'conversation.ID: '],
  ['send.notify', { to: 'mum', topic: 'dinner', route: { too: 'jules' } }, 'route.too: '],
])('%s: %j', async (name, params, words) => {
  const asked = dispatcher.call(name, params, PERSON, CONTEXT);
  await expect(asked).rejects.toThrow(`${words}nothing of this name is taken here.`);
});
