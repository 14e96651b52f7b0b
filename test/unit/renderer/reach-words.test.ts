// What is said of how an agent is reached says no more than what was seen: what the hub would do
// for it but cannot just now, it does not do.
import { expect, test } from 'vitest';
import { reachOf } from '../../../preload/contract/strings/reach.ts';

test.each(['runner', 'called', 'file'] as const)(
  'an agent that is %s, and cannot be just now',
  (reach) => {
    const told = (presence: 'online' | 'away'): string =>
      reachOf({ reach, presence, webhook: null, asks_model: null, last_call_at: 1 }, String);
    expect(told('away')).toContain('cannot just now');
    expect(told('online')).not.toContain('cannot');
  },
);

test.each([
  [null, false, 'This hub runs it. It asks qwen3:8b on this computer.'],
  [
    'models.example',
    true,
    'This hub runs it. It asks qwen3:8b; what it is asked goes to models.example. Its tokens of today are used up, so it refuses until tomorrow, by UTC.',
  ],
])(
  'an agent from a file asks a model, and %j gets what it is asked',
  (leaves_to, used_up, said) => {
    const asks_model = { model: 'qwen3:8b', leaves_to, used_up };
    const agent = { reach: 'file', presence: 'online', webhook: null, asks_model } as const;
    expect(reachOf({ ...agent, last_call_at: 1 }, String)).toBe(said);
  },
);

test('an agent whose starts of today are used up is not started for each request', () => {
  const agent = { reach: 'runner_used', presence: 'online', webhook: null } as const;
  expect(reachOf({ ...agent, asks_model: null, last_call_at: 1 }, String)).toContain(
    'not before tomorrow',
  );
});
