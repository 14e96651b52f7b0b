// The page's line to the hub inside Electron: the preload's functions, seen as the transport that
// createHubApi() takes.
import type { EventHandlers, HubTransport } from './api.ts';
import { localProblem } from './api.ts';
import type { HubBridge } from './contract/bridge.ts';
import { isOneOf } from './contract/closed-lists.ts';
import { WINDOW_OPERATIONS } from './contract/window-operations.ts';

export function createBridgeTransport(bridge: HubBridge, now: () => number): HubTransport {
  return {
    surface: 'window',
    invoke: async (name, params) => {
      if (!isOneOf(WINDOW_OPERATIONS, name))
        return {
          ok: false,
          problem: localProblem('forbidden', 'A window may not call this operation.'),
        };
      const call: (params: never) => Promise<unknown> = bridge[name];
      return call(params as never);
    },
    subscribe: (fromSeq, handlers) => follow(bridge, fromSeq, handlers, now),
  };
}

function follow(
  bridge: HubBridge,
  fromSeq: number,
  handlers: EventHandlers,
  now: () => number,
): () => void {
  let stopped = false;
  let caughtUp = false;
  const early: Parameters<EventHandlers['onEvent']>[0][] = [];
  const answer = bridge.subscribe(fromSeq, (event) => {
    if (stopped) return;
    if (caughtUp) handlers.onEvent(event);
    else early.push(event);
  });
  answer
    .then((start) => {
      if (stopped) return;
      handlers.onLink({ state: 'live', since: now(), retry_in_ms: null });
      if (start.gap) handlers.onGap();
      else for (const event of start.events) handlers.onEvent(event);
      caughtUp = true;
      for (const event of early.splice(0)) handlers.onEvent(event);
    })
    .catch(() => {
      if (!stopped) handlers.onLink({ state: 'lost', since: now(), retry_in_ms: null });
    });
  return () => {
    stopped = true;
    void bridge.unsubscribe();
  };
}
