// A group of small requests while something else happens: somebody else decides one of them,
// another group is decided, or a time is over.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { ApprovalDto } from '../../preload/contract/dto.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { NOW, approvalOf, snapshotOf } from '../fakes/household.ts';
import { ARM_MS, press, showApp } from './support/page.ts';

const MINUTE_MS = 60_000;
const button = (name: string) => page.getByRole('button', { name, exact: true });
const allow = (count: number) => button(`Allow these ${count}`);
const groups = () => [...document.querySelectorAll('.batch')];

/** A small errand of Dad's hub. */
const errand = (seed: string, over: Partial<ApprovalDto> = {}) =>
  approvalOf(seed, {
    risk_class: 'R1',
    domain: 'lists.groceries',
    text: `Put ${seed} on the list.`,
    ...over,
  });
const SALT = errand('salt', { expires_at: NOW + 8 * MINUTE_MS });
const MILK = errand('milk', { expires_at: NOW + 9 * MINUTE_MS });
const TEA = errand('tea', { expires_at: NOW + 10 * MINUTE_MS });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function show(
  approvals: readonly ApprovalDto[],
  over: ConstructorParameters<typeof FakeHubApi>[1] = {},
): Promise<FakeHubApi> {
  const hub = new FakeHubApi(snapshotOf({ approvals }), over);
  await showApp(hub);
  // Where the pointer was left by the test before must not count as somebody being there.
  await userEvent.hover(document.body, { position: { x: 1, y: 1 } });
  await vi.advanceTimersByTimeAsync(ARM_MS);
  return hub;
}

describe('where the focus is while others decide', () => {
  const elsewhere = {
    state: 'declined',
    decided_at: NOW,
    decided_by: 'Dad',
    surface: 'browser',
  } as const;
  const focused = () => document.activeElement?.id;

  test('somebody else deciding one of them takes nobody from another one', async () => {
    const hub = await show([SALT, MILK, TEA]);
    document.getElementById(`approval-${TEA.id}`)?.focus();
    hub.emit({ type: 'approval', approval: { ...SALT, ...elsewhere } });
    await expect.element(allow(2)).toBeVisible();
    expect(focused()).toBe(`approval-${TEA.id}`);
    // The row of the decided one leaves.
    await vi.advanceTimersByTimeAsync(6_000);
    await expect.poll(() => document.querySelectorAll('.row-form').length).toBe(0);
    expect(focused()).toBe(`approval-${TEA.id}`);
  });

  test('the group becoming one card leaves them on the request they read', async () => {
    const hub = await show([SALT, MILK]);
    document.getElementById(`approval-${MILK.id}`)?.focus();
    hub.emit({ type: 'approval', approval: { ...SALT, ...elsewhere } });
    await expect.element(button('Allow once')).toBeVisible();
    await expect.poll(focused).toBe(`approval-${MILK.id}`);
  });

  test('a request that is put off leaves them on the other one, too', async () => {
    const hub = await show([SALT, MILK]);
    document.getElementById(`approval-${MILK.id}`)?.focus();
    hub.emit({
      type: 'approval',
      approval: { ...SALT, held: { why: 'person', until: NOW + MINUTE_MS } },
    });
    await expect.element(button('Allow once')).toBeVisible();
    await expect.poll(focused).toBe(`approval-${MILK.id}`);
  });

  test('whoever stood on the button of a group that falls apart goes on at what is left of it', async () => {
    const hub = await show([SALT, MILK]);
    const [target] = document.querySelectorAll<HTMLElement>('.batch .in.do .btn');
    target?.focus();
    hub.emit({ type: 'approval', approval: { ...SALT, ...elsewhere } });
    await expect.poll(focused).toBe(`approval-${MILK.id}`);
  });
});

describe('two groups at once', () => {
  const COAL = errand('coal', { domain: 'lists.garden', expires_at: NOW + 11 * MINUTE_MS });
  const SEED = errand('seed', { domain: 'lists.garden', expires_at: NOW + 12 * MINUTE_MS });
  const all = [SALT, MILK, COAL, SEED];
  const taken = (id: string) => {
    const card = all.find((one) => one.id === id) ?? SALT;
    return {
      ok: true,
      value: { ...card, state: 'approved', decided_at: NOW, decided_by: 'Mum', surface: 'browser' },
    } as const;
  };

  test('a press about the second leaves the first standing until all of its answers are there', async () => {
    const answers = new Map<string, () => void>();
    await show(all, {
      'approvals.decide': ({ id }) =>
        new Promise((resolve) => answers.set(id, () => resolve(taken(id)))),
    });
    await press(allow(2).nth(0));
    await press(allow(2).nth(1));
    expect(answers.size).toBe(4);
    answers.get(SALT.id)?.();
    answers.get(COAL.id)?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(groups()).toHaveLength(2);
    answers.get(SEED.id)?.();
    await expect.poll(() => document.querySelectorAll('.row-form.let').length).toBe(2);
    expect(groups()).toHaveLength(1);
    answers.get(MILK.id)?.();
    await expect.poll(() => groups()).toEqual([]);
    expect(document.querySelectorAll('.row-form.let')).toHaveLength(4);
  });

  test('one whose time was over is not said to be allowed', async () => {
    await show([SALT, MILK], {
      'approvals.decide': ({ id }) =>
        id === MILK.id ? { ok: false, problem: problemOf('gone', 'Its time is over.') } : taken(id),
      'approvals.get': () => ({ ok: true, value: { ...MILK, state: 'expired', decided_at: NOW } }),
    });
    await press(allow(2));
    await expect
      .element(
        page.getByText('1 request allowed. 1 may not have been allowed here. Look at it again.'),
      )
      .toBeInTheDocument();
  });
});
