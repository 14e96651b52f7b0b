import { describe, expect, test } from 'vitest';
import type { DesktopNode } from '../../../main/shell/desktop-node.ts';
import { listenToWindows } from '../../../main/shell/window-ipc.ts';
import { IPC_CHANNELS } from '../../../preload/contract/bridge.ts';
import { SILENT_LOG } from '../../fakes/memory-store.ts';

type Answer = (event: unknown, ...parameters: unknown[]) => unknown;

function door() {
  const handlers = new Map<string, Answer>();
  const calls: unknown[] = [];
  const listeners = new Set<unknown>();
  const node: DesktopNode = {
    log: SILENT_LOG,
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
  const ends: unknown[] = [];
  const once = (name: string) => ends.push(name);
  const ours = { id: 1, isDestroyed: () => false, once, send: () => undefined };
  const left: unknown[] = [];
  const stop = listenToWindows(
    {
      handle: (channel: string, answer: Answer) => handlers.set(channel, answer),
      removeHandler: (channel: string) => handlers.delete(channel),
    } as never,
    node,
    {
      isOurs: (contents) => (contents as unknown) === ours,
      leavePopover: (place) => left.push(place),
    },
  );
  return { handlers, calls, listeners, ours, stop, left, ends };
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
      const { handlers, calls, listeners, left, ours: contents } = door();
      expect(handlers.size).toBe(4);
      for (const channel of handlers.keys()) {
        const answer = await handlers.get(channel)?.(
          { sender: ours ? contents : {}, senderFrame },
          'approvals.decide',
          {},
        );
        expect(answer).toMatchObject({ ok: false, problem: { code: 'bad_origin' } });
      }
      expect(calls).toEqual([]);
      expect([listeners.size, left]).toEqual([0, []]);
    },
  );

  test('leaves the popover for a place of the page, and for none where that is no place', async () => {
    const { handlers, ours, left } = door();
    const event = { sender: ours, senderFrame: ourFrame };
    const places = ['#/now', '#/conversations/a%20b/c', '#/people/hub/~x'];
    const none = [null, undefined, 7, {}, '', '#', 'https://example.org/', '#/a b', '#/<x>'];
    for (const place of [...places, ...none, `#/${'a'.repeat(600)}`])
      await handlers.get(IPC_CHANNELS.leavePopover)?.(event, place);
    expect(left).toEqual([...places, ...none.map(() => null), null]);
  });

  test('passes the window’s own calls on, and keeps one stream a page', async () => {
    const { handlers, calls, listeners, ours, stop, ends } = door();
    const event = { sender: ours, senderFrame: ourFrame };
    await handlers.get(IPC_CHANNELS.call)?.(event, 'hub.snapshot', {});
    expect(calls).toEqual([['hub.snapshot', {}]]);
    expect(await handlers.get(IPC_CHANNELS.subscribe)?.(event, 7)).toEqual({
      gap: false,
      events: [],
    });
    expect(await handlers.get(IPC_CHANNELS.subscribe)?.(event, 'x')).toEqual({ gap: true });
    expect([listeners.size, ends]).toEqual([1, ['destroyed']]);
    stop();
    expect(listeners.size).toBe(0);
    expect(handlers.size).toBe(0);
  });
});
