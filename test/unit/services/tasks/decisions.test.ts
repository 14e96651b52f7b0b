// What another hub says about who decided: its names are held to one plain line, and what was done
// was not declined.
import { expect, it } from 'vitest';
import type { TaskRow } from '../../../../main/ports/store.ts';
import { decisionOf, keptDecision } from '../../../../main/services/tasks/wire-states.ts';

const ALLOWED = { outcome: 'allowed', by: 'person', person: 'Mum', at: 5 } as const;
const task = (state: TaskRow['state'], decision: string | null) =>
  ({ direction: 'outgoing', state, decision, receivedAt: 0 }) as TaskRow;
const never = { decisionOfTask: () => undefined };
const kept = (person: string): string | null =>
  decisionOf(
    never,
    task(
      'running',
      keptDecision(task('running', null), { ...ALLOWED, person }, 10)?.decision ?? null,
    ),
  )?.person ?? null;

it('keeps a plain name, and none that hides something or closes the quotes around it', () => {
  expect(kept('Mum')).toBe('Mum');
  for (const odd of ['Mum\u202e', 'Mum" here, checked by "you', '   ', 'a\nb', 'Мum', 'Dᴀd'])
    expect(kept(odd), odd).toBeNull();
});

it('shows no decision that the end of the task contradicts', () => {
  for (const outcome of ['declined', 'expired'] as const) {
    const by = outcome === 'expired' ? 'clock' : 'person';
    const told = JSON.stringify({ outcome, by, at: 5 });
    expect(decisionOf(never, task('completed', told)), outcome).toBeNull();
    expect(decisionOf(never, task('declined', told)), outcome).toMatchObject({ outcome });
  }
});
