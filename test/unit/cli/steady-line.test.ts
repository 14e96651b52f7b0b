// When the line of a listener is made anew: once the hub cannot be reached, not when it answers.
import { expect, test } from 'vitest';
import { HubProblem, type HubClient } from '../../../main/cli/hub-client.ts';
import { SteadyLine, valueOf } from '../../../main/cli/steady-line.ts';
import { AppError } from '../../../main/lib/app-error.ts';
import { ERRORS } from '../../../preload/contract/errors.ts';

const { status, title, retryable } = ERRORS.hub_locked;
const LOCKED = {
  type: 'locked',
  title,
  status,
  detail: title,
  code: 'hub_locked',
  retryable,
} as const;

test.each([
  ['kept where the hub says to come back', new HubProblem(LOCKED), []],
  ['made anew where nobody answers', new AppError('hub_unreachable', 'Gone.'), ['again', 'close']],
])('the connection is %s', async (_, failure, made) => {
  const done: string[] = [];
  let failures = 1;
  const client = {
    call: () => (failures-- > 0 ? Promise.reject(failure) : Promise.resolve({ wake: true })),
    close: () => done.push('close'),
    again: () => {
      done.push('again');
      return Promise.resolve(client);
    },
  };
  const line = new SteadyLine(client as unknown as HubClient, { note: () => undefined });
  const called = await line.call('inbox.wake', { items: [] }, new AbortController().signal);
  expect(valueOf(called)).toEqual({ wake: true });
  expect(done).toEqual(made);
});
