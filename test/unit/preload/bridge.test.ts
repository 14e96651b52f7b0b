import { expect, test } from 'vitest';
import { createBridge } from '../../../preload/bridge.ts';
import { OPERATIONS } from '../../../preload/contract/operations.ts';
import { WINDOW_OPERATIONS } from '../../../preload/contract/window-operations.ts';

const bridge = createBridge({
  invoke: async (...parameters) => parameters,
  listen: () => undefined,
});

test('RI-02, E4: the bridge is exactly the listed functions', () => {
  expect(Object.keys(bridge).toSorted()).toEqual(
    [...WINDOW_OPERATIONS, 'leavePopover', 'onShow', 'subscribe', 'unsubscribe'].toSorted(),
  );
  expect(Object.values(bridge).every((value) => typeof value === 'function')).toBe(true);
});

test('no operation that agents use, or that needs no login, can be called from a window', () => {
  const open = WINDOW_OPERATIONS.filter(
    (name) =>
      name.startsWith('inbox.') ||
      name.startsWith('send.') ||
      (OPERATIONS[name].access as string) === 'none',
  );
  expect(open).toEqual(['hub.setPassphrase']);
});

test('a page cannot choose the channel', async () => {
  await expect(bridge['hub.snapshot']({})).resolves.toEqual(['axon-hub:call', 'hub.snapshot', {}]);
});
