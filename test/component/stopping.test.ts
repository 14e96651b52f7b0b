// Stopping what runs here, cancelling what was asked of others, and the way to the conversation.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import type { ApprovalDto, TaskDto } from '../../preload/contract/dto.ts';
import type { StoryDto } from '../../preload/contract/story.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { DINNER, DINNER_THREAD, NOW, snapshotOf } from '../fakes/household.ts';
import { story } from '../fakes/stories.ts';
import { ARM_MS, callsOf, expectAccessible, press, showApp } from './support/page.ts';

const STOP = { name: 'Stop the request from Dad’s laptop', exact: true };
const stop = () => page.getByRole('button', STOP);
const RUNNING: ApprovalDto = {
  ...DINNER,
  state: 'approved',
  decided_at: NOW,
  decided_by: 'Mum',
  surface: 'window',
  task_state: 'running',
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function taskOf(told: StoryDto, over: Partial<TaskDto> = {}): TaskDto {
  return {
    id: DINNER.task_id,
    direction: told.direction,
    kind: 'delegate',
    state: 'running',
    peer_id: DINNER.peer_id,
    peer_name: 'Dad’s laptop',
    from_agent: 'openclaw',
    to_agent: 'chat',
    domain: null,
    conversation_id: DINNER.conversation_id,
    message_id: DINNER.message_id,
    text: 'Bring the tent',
    created_at: NOW,
    deadline_at: NOW + 60_000,
    held_until: null,
    finished_at: null,
    estimated_ms: null,
    code: null,
    reason: null,
    story: told,
    decision: null,
    untrusted: null,
    ...over,
  };
}

const allowed = { verdict: 'allowed', verdictBy: 'Mum', verdictAt: NOW, toAgent: 'chat' } as const;
const runs = story({ ...allowed, state: 'running', handedAt: NOW });
const stopAsked = { stopPerson: 'Mum', stopAt: NOW } as const;
const STOPPED = {
  'asked, it still runs': [
    story({ ...allowed, ...stopAsked, state: 'running', handedAt: NOW }),
    'Asked Chat to stop; it still runs.',
  ],
  'nothing had begun': [
    story({
      ...allowed,
      ...stopAsked,
      state: 'cancelled',
      endedKind: 'stopped',
      endedBy: 'person',
    }),
    'Stopped by Mum on Mum’s PC: nothing ran.',
  ],
} as const;

/** A hub where a stop comes to this. */
function hubWith(told: StoryDto, recently: readonly ApprovalDto[], waiting: ApprovalDto[] = []) {
  const hub: FakeHubApi = new FakeHubApi(
    snapshotOf({ approvals: waiting, recently_decided: recently }),
    {
      'tasks.cancel': () => ({ ok: true, value: taskOf(told) }),
      'approvals.get': () => ({ ok: true, value: { ...RUNNING, story: told } }),
    },
  );
  return hub;
}

describe('what was allowed here', () => {
  test.each(Object.entries(STOPPED))(
    'can be stopped from the row of what was decided lately, which then says what came of it: %s',
    async (_what, [told, said]) => {
      const hub = hubWith(told, [RUNNING]);
      await showApp(hub);
      await vi.advanceTimersByTimeAsync(ARM_MS);
      await press(stop());
      expect(callsOf(hub, 'tasks.cancel')).toEqual([{ id: DINNER.task_id }]);
      await expect.element(page.getByText(said)).toBeVisible();
      await expect.element(stop()).not.toBeInTheDocument();
      await expectAccessible();
    },
  );

  test('can be stopped from the decided card, at the earliest 700 ms after that has come', async () => {
    const [told, said] = STOPPED['nothing had begun'];
    const hub = hubWith(told, [], [DINNER]);
    await showApp(hub);
    hub.emit({ type: 'approval', approval: RUNNING });
    await stop().click({ force: true });
    expect(callsOf(hub, 'tasks.cancel')).toEqual([]);
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await press(stop());
    expect(callsOf(hub, 'tasks.cancel')).toEqual([{ id: DINNER.task_id }]);
    await expect.element(page.getByText(said).first()).toBeVisible();
  });

  test('can be stopped where it stands in its conversation, which is read again', async () => {
    const [told, said] = STOPPED['asked, it still runs'];
    const [request] = DINNER_THREAD.entries;
    if (request === undefined) throw new Error('no request');
    let now = runs;
    const hub = new FakeHubApi(snapshotOf(), {
      'conversations.get': () => ({
        ok: true,
        value: {
          ...DINNER_THREAD,
          entries: [{ ...request, kind: 'delegate', state: 'running', story: now }],
          tasks: [taskOf(now, { message_id: request.message_id ?? '' })],
        },
      }),
      'tasks.cancel': () => {
        now = told;
        return { ok: true, value: taskOf(told) };
      },
    });
    await showApp(hub, `conversations/${DINNER_THREAD.conversation.id}`);
    await expect.element(stop()).toBeVisible();
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await press(stop());
    await expect.element(page.getByText(said)).toBeVisible();
    await expect.element(stop()).not.toBeInTheDocument();
  });

  test('offers no stop once it has ended, and says why where the hub refuses one', async () => {
    await showApp(hubWith(runs, [{ ...RUNNING, task_state: 'completed' }]));
    await expect.element(page.getByText('Mum allowed it, on Mum’s PC. Done.')).toBeVisible();
    await expect.element(stop()).not.toBeInTheDocument();
    const hub = new FakeHubApi(snapshotOf({ recently_decided: [RUNNING] }), {
      'tasks.cancel': () => ({ ok: false, problem: problemOf('conflict', 'It has ended.') }),
    });
    await showApp(hub);
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await press(stop());
    await expect.element(page.getByText(/It has ended\./)).toBeVisible();
  });

  test('leads to its conversation, at that request', async () => {
    const [, , request] = DINNER_THREAD.entries;
    const at = {
      conversation_id: DINNER_THREAD.conversation.id,
      message_id: request?.message_id ?? '',
    };
    await showApp(new FakeHubApi(snapshotOf({ recently_decided: [{ ...RUNNING, ...at }] })));
    await page
      .getByRole('link', { name: 'Conversation with Dad’s laptop, at this request' })
      .click();
    await expect
      .poll(() => document.activeElement?.closest('.thread li')?.textContent)
      .toContain('dinner is at 7');
  });
});

describe('what runs here', () => {
  const local = story({ ...allowed, direction: 'local', state: 'running', handedAt: NOW });
  const waits = story({ state: 'awaiting_approval', toAgent: 'chat' });
  const asks = story({ direction: 'outgoing', fromAgent: 'openclaw', toAgent: 'chat' });
  const rows = () => {
    const heading = [...document.querySelectorAll('h2')].find(
      ({ textContent }) => textContent === 'What runs here',
    );
    return [...(heading?.parentElement?.querySelectorAll('li') ?? [])].map((row) =>
      (row.querySelector('div')?.textContent ?? '').replaceAll(/\s+/g, ' ').trim(),
    );
  };

  test('stands on Now: whose request, what, who has it since when; not what waits or is asked of others', async () => {
    const items = [
      taskOf(runs),
      taskOf(local, { id: 'own', peer_name: 'OpenClaw', text: 'Find the stove', created_at: 1 }),
      taskOf(waits, { id: 'waits' }),
      taskOf(asks, { id: 'asks' }),
    ];
    const hub = new FakeHubApi(snapshotOf(), {
      'tasks.list': () => ({ ok: true, value: { items, next: null } }),
    });
    await showApp(hub);
    await expect.poll(rows).toHaveLength(2);
    expect(rows()[0]).toBe(
      'Dad’s laptop Bring the tent OpenClaw on Dad’s laptop gives Chat a task. Chat is working on it. Chat got it, 18:04.',
    );
    expect(rows()[1]).toContain('Find the stove');
    await expect.element(stop()).toBeVisible();
    await expect
      .element(page.getByRole('button', { name: 'Stop the request from OpenClaw' }))
      .toBeVisible();
    await expectAccessible();
  });

  test.each(Object.entries(STOPPED))(
    'can be stopped there, and the row says what came of it: %s',
    async (_what, [told, said]) => {
      let open: readonly TaskDto[] = [taskOf(runs)];
      const hub = new FakeHubApi(snapshotOf(), {
        'tasks.list': () => ({ ok: true, value: { items: open, next: null } }),
        'tasks.cancel': () => {
          open = told.end === null ? [taskOf(told)] : [];
          return { ok: true, value: taskOf(told) };
        },
      });
      await showApp(hub);
      await expect.element(stop()).toBeVisible();
      await stop().click({ force: true });
      expect(callsOf(hub, 'tasks.cancel')).toEqual([]);
      await vi.advanceTimersByTimeAsync(ARM_MS);
      await press(stop());
      expect(callsOf(hub, 'tasks.cancel')).toEqual([{ id: DINNER.task_id }]);
      await expect.poll(() => rows().join('')).toContain(said);
      await expect.element(stop()).not.toBeInTheDocument();
    },
  );
});

describe('what agents here ask of others', () => {
  const waits = story({ direction: 'outgoing', fromAgent: 'openclaw', toAgent: 'chat' });
  const asked = taskOf(waits, { state: 'awaiting_approval' });
  const cancel = () => page.getByRole('button', { name: 'Cancel what was asked of Dad’s laptop' });

  test('stands on Now with whom it is asked of and how it stands, and not what comes in or what this hub asks an adult’s', async () => {
    const decision = story({ direction: 'outgoing', toAgent: null }, { kind: 'decision' });
    const items = [asked, taskOf(runs, { id: 'in' }), taskOf(decision, { id: 'adult' })];
    const hub = new FakeHubApi(snapshotOf(), {
      'tasks.list': ({ state }) => ({
        ok: true,
        value: { items: state === 'open' ? items : [], next: null },
      }),
    });
    await showApp(hub);
    const section = page.getByRole('heading', { name: 'What my agents ask of others' });
    await expect.element(section).toBeVisible();
    const rows = section.element().parentElement?.querySelectorAll('li');
    expect(rows).toHaveLength(1);
    const shown = rows?.[0]?.textContent.replaceAll(/\s+/g, ' ');
    expect(shown).toContain('Bring the tent');
    expect(shown).toContain('OpenClaw on Mum’s PC gives Chat on Dad’s laptop a task.');
    expect(shown).toContain('Waits until a person decides for Dad’s laptop.');
    await expectAccessible();
  });

  test('can be cancelled there, and the row says what came of that', async () => {
    let open: readonly TaskDto[] = [asked];
    const over = story({
      direction: 'outgoing',
      state: 'cancelled',
      stopAt: NOW,
      stopParty: 'agent:openclaw',
      endedKind: 'cancelled',
      endedBy: 'agent',
    });
    const hub = new FakeHubApi(snapshotOf(), {
      'tasks.list': () => ({ ok: true, value: { items: open, next: null } }),
      'tasks.cancel': () => {
        open = [];
        return { ok: true, value: taskOf(over, { state: 'cancelled' }) };
      },
    });
    await showApp(hub);
    await expect.element(cancel()).toBeVisible();
    await vi.advanceTimersByTimeAsync(ARM_MS);
    await press(cancel());
    expect(callsOf(hub, 'tasks.cancel')).toEqual([{ id: asked.id }]);
    await expect.element(page.getByText(/Cancelled: nobody had begun\./)).toBeVisible();
    await expect.element(cancel()).not.toBeInTheDocument();
  });
});
