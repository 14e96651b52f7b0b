// Small requests of one kind as a group: what is shown of each, when one press may decide them all,
// and what becomes of each by itself.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { NOW, approvalOf, peerOf, snapshotOf } from '../fakes/household.ts';
import type { ApprovalDto } from '../../preload/contract/dto.ts';
import { ARM_MS, callsOf, expectAccessible, press, showApp } from './support/page.ts';

const MINUTE_MS = 60_000;
const button = (name: string) => page.getByRole('button', { name, exact: true });
const allow = (count: number) => button(`Allow these ${count}`);
const decided = (hub: FakeHubApi) => callsOf(hub, 'approvals.decide');
const groups = () => [...document.querySelectorAll('.batch')];
const standing = () =>
  [...document.querySelectorAll('[data-card]:not(.do)')].map((element) =>
    element.getAttribute('data-card'),
  );

const LEO = peerOf('leo', { name: 'Leo’s tablet' });

/** A small errand of Dad's hub. */
const errand = (seed: string, over: Partial<ApprovalDto> = {}) =>
  approvalOf(seed, {
    risk_class: 'R1',
    domain: 'lists.groceries',
    text: `Put ${seed} on the list.`,
    ...over,
  });
const SALT = errand('salt', { expires_at: NOW + 8 * MINUTE_MS });
const MILK = errand('milk', { expires_at: NOW + 9 * MINUTE_MS, reason: 'The bottle is empty.' });
const TEA = errand('tea', {
  expires_at: NOW + 10 * MINUTE_MS,
  fields: [['context.sort', 'green']],
});
const ERRANDS = [SALT, MILK, TEA];
const sentFor = ({ id, revision, digest }: ApprovalDto, decision = 'allow') => ({
  id,
  revision,
  digest,
  decision,
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function show(hub: FakeHubApi): Promise<void> {
  await showApp(hub);
  // Where the pointer was left by the test before must not count as somebody being there.
  await userEvent.hover(document.body, { position: { x: 1, y: 1 } });
  await vi.advanceTimersByTimeAsync(ARM_MS);
}
const hubOf = (
  approvals: readonly ApprovalDto[],
  over: ConstructorParameters<typeof FakeHubApi>[1] = {},
) => new FakeHubApi(snapshotOf({ approvals }), over);

describe('what stands together', () => {
  test('small requests of the same hub, agent and area are one group, with every word of each', async () => {
    await show(hubOf(ERRANDS));
    const group = page.getByRole('article', {
      name: 'Dad’s laptop wants Claude Code to do 3 tasks in Lists groceries',
    });
    await expect.element(group).toBeInTheDocument();
    expect(groups()).toHaveLength(1);
    for (const words of [
      'Put salt on the list.',
      'Put milk on the list.',
      'Put tea on the list.',
      'The bottle is empty.',
      'green',
    ]) {
      await expect.element(group.getByText(words)).toBeVisible();
    }
    expect(standing()).toEqual([SALT.id, MILK.id, TEA.id]);
    for (const place of [1, 2, 3]) {
      await expect
        .element(page.getByRole('heading', { name: `Request ${place} of 3 from Dad’s laptop` }))
        .toBeVisible();
    }
    await expectAccessible();
  });

  test.each<[string, Partial<ApprovalDto>]>([
    ['what others see', { risk_class: 'R2' }],
    ['what is dangerous', { risk_class: 'R3' }],
    ['what only looks beside what changes something', { risk_class: 'R0' }],
    ['another hub', { peer_id: LEO.id, peer_name: LEO.name }],
    ['another agent of that hub, in whose name the group would speak', { from_agent: 'planner' }],
    ['another agent here', { to_agent: 'Household lists' }],
    ['another area', { domain: 'lists.chores' }],
    ['a question beside a task', { kind: 'query' }],
    ['something of which another answer leaves', { leaves: 'nothing', report_back: false }],
    ['no area', { domain: null }],
  ])('%s does not', async (_what, over) => {
    await show(hubOf([SALT, errand('other', over)]));
    expect(groups()).toEqual([]);
    expect(standing()).toHaveLength(2);
  });

  test('two requests of the dangerous class are two cards, whatever else they share', async () => {
    await show(hubOf([errand('one', { risk_class: 'R3' }), errand('two', { risk_class: 'R3' })]));
    expect(groups()).toEqual([]);
  });

  test('agents of this computer are each their own', async () => {
    const here = { peer_id: null, peer_name: 'Mum’s PC' };
    await show(
      hubOf([
        errand('a', { ...here, from_agent: 'planner' }),
        errand('b', { ...here, from_agent: 'scribe' }),
      ]),
    );
    expect(groups()).toEqual([]);
  });

  test('one can be taken out, and has all that a card offers', async () => {
    await show(hubOf(ERRANDS));
    await button('Show it alone: request 2 of 3, with all choices').click();
    expect(groups()).toHaveLength(1);
    await expect.element(allow(2)).toHaveAttribute('aria-disabled', 'true');
    await expect.element(button('Allow once')).toHaveAttribute('aria-disabled', 'true');
    expect(document.activeElement?.id).toBe(`approval-${MILK.id}`);
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await expect.element(page.getByRole('button', { name: /^With a reason/ })).toBeVisible();
    await button('Show it alone: request 1 of 2, with all choices').click();
    expect(groups()).toEqual([]);
    expect(standing()).toEqual([SALT.id, MILK.id, TEA.id]);
  });
});

describe('when a group may be pressed', () => {
  test('RI-07: inert for 700 ms after it appears, and an early press begins the wait again for all of it', async () => {
    const hub = hubOf(ERRANDS);
    await showApp(hub);
    await vi.advanceTimersByTimeAsync(ARM_MS - 1);
    await expect.element(allow(3)).toHaveAttribute('aria-disabled', 'true');
    await allow(3).click({ force: true });
    await vi.advanceTimersByTimeAsync(ARM_MS - 1);
    await allow(3).click({ force: true });
    expect(decided(hub)).toEqual([]);
    await press(allow(3));
    expect(decided(hub)).toEqual(ERRANDS.map((card) => sentFor(card)));
  });

  test('RI-07: pushed down by something above, or with the window gaining focus, it is inert again', async () => {
    const hub = hubOf(ERRANDS);
    await show(hub);
    const above = document.createElement('div');
    above.className = 'pushed';
    above.append(document.createElement('p'), 'something new');
    document.querySelector('.page')?.prepend(above);
    await allow(3).click({ force: true });
    expect(decided(hub)).toEqual([]);
    await vi.advanceTimersByTimeAsync(ARM_MS);
    window.dispatchEvent(new Event('focus'));
    await allow(3).click({ force: true });
    expect(decided(hub)).toEqual([]);
  });

  test('RI-07: its button moving because the last request grew makes it inert, too', async () => {
    const hub = hubOf(ERRANDS);
    await show(hub);
    document
      .querySelector('.batched:last-child')
      ?.append(Object.assign(document.createElement('pre'), { textContent: '\n\n\n\n\n\n\n\n\n' }));
    await allow(3).click({ force: true });
    expect(decided(hub)).toEqual([]);
  });

  test('Enter does nothing until a button has the focus, and no button is the default', async () => {
    const hub = hubOf(ERRANDS);
    await show(hub);
    expect(document.querySelector('.batch form, .batch [type=submit]')).toBeNull();
    document.getElementById(`approval-${MILK.id}`)?.focus();
    await userEvent.keyboard('{Enter}');
    expect(decided(hub)).toEqual([]);
  });

  test('by keyboard alone: A allows all while the focus is in the group, and Enter does on its button', async () => {
    const hub = hubOf(ERRANDS);
    await show(hub);
    document.getElementById(`approval-${MILK.id}`)?.focus();
    await userEvent.keyboard('a');
    expect(decided(hub)).toHaveLength(3);
    const other = hubOf(ERRANDS);
    await show(other);
    const [target] = [...document.querySelectorAll('.batch .in.do .btn')];
    if (target instanceof HTMLElement) target.focus();
    await userEvent.keyboard('{Enter}');
    expect(decided(other)).toHaveLength(3);
  });

  test('it opens only when every one of them has been read to its end', async () => {
    const long = errand('long', {
      text: 'One line of eight short words and no more.\n'.repeat(60),
    });
    const hub = hubOf([SALT, long]);
    await show(hub);
    await expect
      .element(page.getByText('Opens when you have read each one to the end'))
      .toBeVisible();
    await allow(2).click({ force: true });
    expect(decided(hub)).toEqual([]);
    const boxes = [...document.querySelectorAll('.batch .scroll')];
    for (const box of boxes) box.scrollTop = box.scrollHeight;
    await expect
      .element(page.getByText('Opens when you have read each one to the end'))
      .not.toBeInTheDocument();
    await press(allow(2));
    expect(decided(hub)).toHaveLength(2);
  });

  test('RI-07: a request that comes while somebody is there stands at the end, and joins once nobody is', async () => {
    const hub = hubOf([SALT, MILK]);
    await show(hub);
    document.getElementById(`approval-${MILK.id}`)?.focus();
    hub.emit({ type: 'approval', approval: { ...TEA, expires_at: NOW + MINUTE_MS } });
    await expect.element(page.getByText('Put tea on the list.')).toBeVisible();
    expect(standing()).toEqual([SALT.id, MILK.id, TEA.id]);
    await expect.element(allow(2)).not.toHaveAttribute('aria-disabled');
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    await expect.element(allow(3)).toHaveAttribute('aria-disabled', 'true');
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await expect.element(allow(3)).not.toHaveAttribute('aria-disabled');
  });

  test('RI-07: going from one request to another by keyboard is being there: nothing joins in between', async () => {
    const hub = hubOf([SALT, MILK]);
    await show(hub);
    document.getElementById(`approval-${MILK.id}`)?.focus();
    hub.emit({ type: 'approval', approval: TEA });
    await expect.element(page.getByText('Put tea on the list.')).toBeVisible();
    const salt = document.getElementById(`approval-${SALT.id}`);
    salt?.focus();
    await expect.element(allow(2)).not.toHaveAttribute('aria-disabled');
    expect(document.activeElement).toBe(salt);
    expect(groups()).toHaveLength(1);
  });

  test('RI-07: one that was put off and comes back stands at the end, too, while somebody is there', async () => {
    const hub = hubOf(ERRANDS);
    await show(hub);
    document.getElementById(`approval-${TEA.id}`)?.focus();
    hub.emit({
      type: 'approval',
      approval: { ...SALT, held: { why: 'person', until: NOW + MINUTE_MS } },
    });
    await expect.element(allow(2)).toBeVisible();
    hub.emit({ type: 'approval', approval: SALT });
    await expect.element(page.getByText('Put salt on the list.')).toBeVisible();
    expect(standing()).toEqual([MILK.id, TEA.id, SALT.id]);
    await expect.element(allow(2)).toBeVisible();
  });

  test('a card on which somebody writes is not taken into a group', async () => {
    const hub = hubOf([SALT]);
    await show(hub);
    await press(page.getByRole('button', { name: /^With a reason/ }));
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    await userEvent.hover(document.body, { position: { x: 1, y: 1 } });
    hub.emit({ type: 'approval', approval: MILK });
    await expect.element(page.getByText('Put milk on the list.')).toBeVisible();
    expect(groups()).toEqual([]);
  });
});

describe('what becomes of a group', () => {
  test('each is decided by a call of its own, and says so in a row of its own', async () => {
    const hub = hubOf(ERRANDS);
    await show(hub);
    await press(allow(3));
    expect(decided(hub)).toEqual(ERRANDS.map((card) => sentFor(card)));
    await expect.element(page.getByText('3 requests allowed.')).toBeInTheDocument();
    expect(groups()).toEqual([]);
    expect(document.querySelectorAll('.row-form.let')).toHaveLength(3);
  });

  test('all of them can be declined with one press', async () => {
    const hub = hubOf(ERRANDS);
    await show(hub);
    await press(button('Decline these 3'));
    expect(decided(hub)).toEqual(ERRANDS.map((card) => sentFor(card, 'decline')));
    await expect.element(page.getByText('3 requests declined.')).toBeInTheDocument();
  });

  test('one that changed meanwhile is refused by itself, stays with its new words, and it is said', async () => {
    const changed = {
      ...MILK,
      text: 'Put champagne on the list.',
      revision: 2,
      digest: 'c'.repeat(64),
    };
    const hub: FakeHubApi = hubOf(ERRANDS, {
      'approvals.decide': ({ id, digest }) => {
        const card = ERRANDS.find((errandOf) => errandOf.id === id) ?? SALT;
        if (card === MILK && digest === MILK.digest)
          return { ok: false, problem: problemOf('request_changed', 'It is another one.') };
        return {
          ok: true,
          value: {
            ...card,
            state: 'approved',
            decided_at: NOW,
            decided_by: 'Mum',
            surface: 'browser',
          },
        };
      },
      'approvals.get': () => ({ ok: true, value: changed }),
    });
    await show(hub);
    await press(allow(3));
    await expect
      .element(
        page.getByText('2 requests allowed. 1 may not have been allowed here. Look at it again.'),
      )
      .toBeInTheDocument();
    await expect.element(page.getByText('changed while you read')).toBeVisible();
    expect(document.querySelectorAll('.row-form.let')).toHaveLength(2);
    await expect.element(button('Allow once')).toHaveAttribute('aria-disabled', 'true');
    expect(document.activeElement?.id).toBe(`approval-${MILK.id}`);
    expect(decided(hub)).toHaveLength(3);
  });

  test('RI-07: one that changes while it is read makes the group inert, until its new words are read', async () => {
    const hub = hubOf(ERRANDS);
    await show(hub);
    hub.emit({
      type: 'approval',
      approval: { ...MILK, text: 'Put cream on the list.', revision: 2, digest: 'd'.repeat(64) },
    });
    await allow(3).click({ force: true });
    expect(decided(hub)).toEqual([]);
    await expect.element(page.getByText('changed while you read')).toBeVisible();
    await press(allow(3));
    expect(decided(hub)).toEqual([
      sentFor(SALT),
      { ...sentFor(MILK), revision: 2, digest: 'd'.repeat(64) },
      sentFor(TEA),
    ]);
  });

  test('one that turns out to be of a higher class leaves the group', async () => {
    const hub = hubOf(ERRANDS);
    await show(hub);
    hub.emit({
      type: 'approval',
      approval: { ...MILK, risk_class: 'R3', revision: 2, digest: 'e'.repeat(64) },
    });
    await expect.element(allow(2)).toHaveAttribute('aria-disabled', 'true');
    await expect.element(page.getByText(/type the last word of the text/)).toBeVisible();
  });

  test('RI-07: one that somebody else decides leaves, and the others wait again', async () => {
    const hub = hubOf(ERRANDS);
    await show(hub);
    hub.emit({
      type: 'approval',
      approval: {
        ...SALT,
        state: 'declined',
        decided_at: NOW,
        decided_by: 'Dad',
        surface: 'browser',
      },
    });
    await allow(2).click({ force: true });
    expect(decided(hub)).toEqual([]);
    await press(allow(2));
    expect(decided(hub)).toEqual([sentFor(MILK), sentFor(TEA)]);
  });

  test('what the hub did not take stays, says why, and can be tried again', async () => {
    let full = true;
    const hub = hubOf([SALT, MILK], {
      'approvals.decide': ({ id }) => {
        if (full) return { ok: false, problem: problemOf('storage_failed', 'The disk is full.') };
        return {
          ok: true,
          value: {
            ...(id === SALT.id ? SALT : MILK),
            state: 'approved',
            decided_at: NOW,
            surface: 'browser',
          },
        };
      },
      'approvals.get': ({ id }) => ({ ok: true, value: id === SALT.id ? SALT : MILK }),
    });
    await show(hub);
    await press(allow(2));
    await expect.element(page.getByText(/The disk is full/).first()).toBeVisible();
    expect(groups()).toHaveLength(1);
    full = false;
    await press(allow(2));
    await expect.element(page.getByText('2 requests allowed.')).toBeInTheDocument();
  });
});
