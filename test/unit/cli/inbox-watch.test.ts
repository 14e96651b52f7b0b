// Which failures end the waiter of a wake hook, and which it waits out.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HubProblem, type HubClient } from '../../../main/cli/hub-client.ts';
import { watchInbox } from '../../../main/cli/inbox-watch.ts';
import { AppError } from '../../../main/lib/app-error.ts';
import { ERRORS, type ErrorCode } from '../../../preload/contract/errors.ts';

const WAITS = 'waits';

function refused(code: ErrorCode): HubProblem {
  const { status, title, retryable } = ERRORS[code];
  return new HubProblem({ type: code, title, status, detail: title, code, retryable });
}

/** What became of it a moment after its hub failed so. */
async function watched(failure: Error): Promise<unknown> {
  const client = { call: () => Promise.reject(failure) } as unknown as HubClient;
  const home = mkdtempSync(join(tmpdir(), 'axon-watch-'));
  const watch = { home, agent: 'sleeper', session: 's', isNew: false, isWanted: () => true };
  const stop = new AbortController();
  const ended = watchInbox(client, watch, stop.signal).catch((error: unknown) => error);
  const came = await Promise.race([ended, setTimeout(200, WAITS)]);
  stop.abort();
  await ended;
  return came;
}

test.each([
  refused('hub_locked'),
  refused('storage_failed'),
  new AppError('timeout', 'The hub did not answer in time.'),
  new AppError('hub_unreachable', 'Nothing answers.'),
])('waits out what passes: $message', async (failure) => {
  expect(await watched(failure)).toBe(WAITS);
});

test('ends at what no later look can mend', async () => {
  const failure = refused('unauthenticated');
  expect(await watched(failure)).toBe(failure);
});
