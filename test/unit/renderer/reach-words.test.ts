// What is said of how an agent is reached says no more than what was seen: what the hub would do
// for it but cannot just now, it does not do.
import { expect, test } from 'vitest';
import { reachOf } from '../../../preload/contract/strings/reach.ts';

test.each(['runner', 'called'] as const)('an agent that is %s, and cannot be just now', (reach) => {
  const told = (presence: 'online' | 'away'): string =>
    reachOf({ reach, presence, webhook: null, last_call_at: 1 }, String);
  expect(told('away')).toContain('cannot just now');
  expect(told('online')).not.toContain('cannot');
});
