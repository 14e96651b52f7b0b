// The machine of a task's states: walked at random, it keeps what the protocol promises.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canMove, isTerminal } from '../../../main/core/task-state.ts';
import { TASK_STATES, type TaskState } from '../../../preload/contract/closed-lists.ts';

const state = fc.constantFrom(...TASK_STATES);

/**
 * Every state that can be reached from `start` by moves here, optionally without passing through
 * `without`.
 */
function reachable(start: TaskState, without?: TaskState): ReadonlySet<TaskState> {
  const seen = new Set<TaskState>([start]);
  const open: TaskState[] = [start];
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    for (const to of TASK_STATES) {
      if (canMove(from, to) && to !== without && !seen.has(to)) {
        seen.add(to);
        open.push(to);
      }
    }
  }
  return seen;
}

describe('task states', () => {
  it('end as completed, partial, failed, declined, expired or cancelled, and nothing else is an end', () => {
    expect(TASK_STATES.filter(isTerminal)).toEqual([
      'completed',
      'partial',
      'failed',
      'declined',
      'expired',
      'cancelled',
    ]);
  });

  it('never leave their end, seen from here or from afar', () => {
    fc.assert(
      fc.property(
        state.filter(isTerminal),
        state,
        fc.constantFrom('incoming' as const, 'outgoing' as const, 'local' as const),
        (from, to, direction) => {
          expect(canMove(from, to, direction)).toBe(false);
        },
      ),
    );
  });

  it('reach an agent only through approval: without it the only work that gets done is a person’s answer', () => {
    const unapproved = reachable('received', 'approved');
    for (const done of ['queued', 'claimed', 'running', 'partial'] as const)
      expect(unapproved).not.toContain(done);
    for (const undone of ['declined', 'expired', 'cancelled', 'failed', 'completed'] as const)
      expect(unapproved).toContain(undone);
  });

  it('can always come to an end, and from received all can be reached that is of work done here', () => {
    expect([...reachable('received')].sort()).toEqual(TASK_STATES.filter(isHere).sort());
    for (const from of TASK_STATES.filter((name) => !isTerminal(name) && isHere(name))) {
      expect([...reachable(from)].some(isTerminal), from).toBe(true);
      expect(canMove(from, 'cancelled'), from).toBe(true);
      expect(canMove(from, 'failed'), from).toBe(true);
    }
  });

  it('are declined or expired only while nobody has approved', () => {
    for (const from of ['approved', 'queued', 'claimed', 'running'] as const) {
      expect(canMove(from, 'declined')).toBe(false);
      expect(canMove(from, 'expired')).toBe(false);
    }
  });

  it('go back only from an agent’s hands to queued and from held to awaiting approval', () => {
    const order = TASK_STATES.filter((name) => !isTerminal(name));
    const back = order.flatMap((from, index) =>
      order
        .slice(0, index + 1)
        .filter((to) => canMove(from, to))
        .map((to) => `${from}>${to}`),
    );
    expect(back).toEqual(['held>awaiting_approval', 'claimed>queued', 'running>queued']);
  });

  it('of a task that another hub runs may skip steps, but never begin again', () => {
    expect(canMove('sending', 'completed', 'outgoing')).toBe(true);
    expect(canMove('awaiting_approval', 'running', 'outgoing')).toBe(true);
    fc.assert(
      fc.property(state, (from) => {
        expect(canMove(from, 'sending', 'outgoing')).toBe(false);
        expect(canMove(from, from, 'outgoing')).toBe(false);
      }),
    );
  });

  it('of a task that is being called off moves to its end only, whatever is told of it meanwhile', () => {
    fc.assert(
      fc.property(state, (to) => {
        expect(canMove('cancelling', to, 'outgoing')).toBe(isTerminal(to));
        expect(canMove('cancelling', to)).toBe(false);
      }),
    );
    expect(canMove('sending', 'cancelling', 'outgoing')).toBe(true);
  });

  it('of a local task follow the same road as those from other hubs', () => {
    fc.assert(
      fc.property(state, state, (from, to) => {
        expect(canMove(from, to, 'local')).toBe(canMove(from, to, 'incoming'));
      }),
    );
  });
});

/** False for what is only seen of work that another hub does. */
function isHere(name: TaskState): boolean {
  return name !== 'sending' && name !== 'cancelling';
}
