// E25: fixed words, few in a minute, and no name on a locked screen.
import type { Notification, NotificationConstructorOptions } from 'electron';
import { expect, test } from 'vitest';
import { Notifications } from '../../../main/shell/notifications.ts';

function rung() {
  const shown: { options: NotificationConstructorOptions; open: boolean; click: () => void }[] = [];
  const state = { now: 0, enabled: true, locked: false, opened: [] as (string | null)[] };
  const notifications = new Notifications({
    create: (options) => {
      const handlers = new Map<string, () => void>();
      const entry = { options, open: false, click: () => handlers.get('click')?.() };
      shown.push(entry);
      const native = {
        on: (name: string, handler: () => void) => handlers.set(name, handler),
        show: () => (entry.open = true),
        close: () => {
          entry.open = false;
          handlers.get('close')?.();
        },
      };
      return native as unknown as Notification;
    },
    isSupported: () => true,
    enabled: () => state.enabled,
    isLocked: () => state.locked,
    now: () => state.now,
    onOpen: (approvalId) => state.opened.push(approvalId),
  });
  const open = () => shown.filter((entry) => entry.open).map(({ options }) => options.body);
  return { notifications, shown, state, open };
}

test('E25: says fixed words and the owner’s name for the hub, has no buttons, and a click only opens the page', () => {
  const { notifications, shown, state } = rung();
  notifications.notify('a', 'Dad’s laptop');
  expect(shown.map(({ options }) => options)).toEqual([
    { title: 'AXON Hub', body: 'New request from Dad’s laptop', silent: false },
  ]);
  shown[0]?.click();
  notifications.notifyStop('x', 'Attic');
  shown[1]?.click();
  expect(state.opened).toEqual(['a', null]);
  state.enabled = false;
  notifications.notify('b', 'Dad’s laptop');
  expect(shown).toHaveLength(2);
});

test('rings three times a minute, however many hubs ask, and says the rest in one silent line that goes with the last request', () => {
  const { notifications, shown, state, open } = rung();
  notifications.showCount(6);
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) notifications.notify(id, `Hub ${id}`);
  expect(open()).toEqual([
    'New request from Hub a',
    'New request from Hub b',
    'New request from Hub c',
    'Something waits for your decision',
  ]);
  expect(shown.at(-1)?.options.silent).toBe(true);
  state.now = 60_001;
  notifications.notify('g', 'Hub g');
  expect(open()).toContain('New request from Hub g');
  for (const id of ['a', 'b', 'c', 'g']) notifications.withdraw(id);
  expect(open()).toEqual(['Something waits for your decision']);
  notifications.showCount(0);
  expect(open()).toEqual([]);
});

test('names nobody on a locked screen, and says in one silent line what still waits once it is unlocked', () => {
  const { notifications, shown, open } = rung();
  notifications.showCount(1);
  notifications.notify('a', 'Dad’s laptop');
  notifications.notifyStop('x', 'Attic');
  notifications.lock();
  // Sleep and a lock by hand each tell of one.
  notifications.lock();
  expect(open()).toEqual([]);
  notifications.notify('b', 'Dad’s laptop');
  notifications.notifyStop('y', 'Attic');
  expect(open()).toEqual(['New request', 'Stop: a hub has a new identity']);
  notifications.showCount(2);
  notifications.unlock();
  expect(open().at(-1)).toBe('Something waits for your decision');
  expect(shown.at(-1)?.options.silent).toBe(true);
  notifications.notify('c', 'Dad’s laptop');
  expect(open().at(-1)).toBe('New request from Dad’s laptop');
});

test('a screen that was locked while nothing stood there says nothing afterwards', () => {
  const { notifications, open } = rung();
  notifications.showCount(3);
  notifications.lock();
  notifications.unlock();
  expect(open()).toEqual([]);
});

test('names nobody where the screen was locked before the app came, or without its being told', () => {
  const { notifications, state, open } = rung();
  state.locked = true;
  notifications.notify('a', 'Dad’s laptop');
  state.locked = false;
  notifications.notify('b', 'Dad’s laptop');
  expect(open()).toEqual(['New request', 'New request from Dad’s laptop']);
});
