import { describe, expect, test } from 'vitest';
import type { DesktopNode } from '../../../main/shell/desktop-node.ts';
import { listenToWindows } from '../../../main/shell/window-ipc.ts';
import { IPC_CHANNELS } from '../../../preload/contract/bridge.ts';

type Answer = (event: unknown, ...parameters: unknown[]) => unknown;

function door() {
  const handlers = new Map<string, Answer>();
  const calls: unknown[] = [];
  const listeners = new Set<unknown>();
  const node: DesktopNode = {
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    invoke: async (name, params) => {
      calls.push([name, params]);
      return { ok: true, value: null };
    },
    events: {
      seq: 0,
      since: (seq) => (seq === 7 ? [] : undefined),
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  };
  const ours = { id: 1, isDestroyed: () => false, once: () => undefined, send: () => undefined };
  const stop = listenToWindows(
    {
      handle: (channel: string, answer: Answer) => handlers.set(channel, answer),
      removeHandler: (channel: string) => handlers.delete(channel),
    } as never,
    node,
    (contents) => (contents as unknown) === ours,
  );
  return { handlers, calls, listeners, ours, stop };
}

const ourFrame = { url: 'app://hub/', parent: null };

describe('the IPC door', () => {
  test.each([
    ['a null frame', null, true],
    ['a subframe', { url: 'app://hub/', parent: {} }, true],
    ['a foreign document', { url: 'https://example.org/', parent: null }, true],
    ['a look-alike origin', { url: 'app://hub.example.org/', parent: null }, true],
    ['another window', ourFrame, false],
  ])(
    'RI-03, E5: refuses %s on every channel before reading anything',
    async (_name, senderFrame, ours) => {
      const { handlers, calls, listeners, ours: contents } = door();
      for (const channel of [IPC_CHANNELS.call, IPC_CHANNELS.subscribe, IPC_CHANNELS.unsubscribe]) {
        const answer = await handlers.get(channel)?.(
          { sender: ours ? contents : {}, senderFrame },
          'approvals.decide',
          {},
        );
        expect(answer).toMatchObject({ ok: false, problem: { code: 'bad_origin' } });
      }
      expect(calls).toEqual([]);
      expect(listeners.size).toBe(0);
    },
  );

  test('passes the window’s own calls on, and keeps one stream a page', async () => {
    const { handlers, calls, listeners, ours, stop } = door();
    const event = { sender: ours, senderFrame: ourFrame };
    await handlers.get(IPC_CHANNELS.call)?.(event, 'hub.snapshot', {});
    expect(calls).toEqual([['hub.snapshot', {}]]);
    expect(await handlers.get(IPC_CHANNELS.subscribe)?.(event, 7)).toEqual({
      gap: false,
      events: [],
    });
    expect(await handlers.get(IPC_CHANNELS.subscribe)?.(event, 'x')).toEqual({ gap: true });
    expect(listeners.size).toBe(1);
    stop();
    expect(listeners.size).toBe(0);
    expect(handlers.size).toBe(0);
  });
});
