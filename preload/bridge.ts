// Builds the window's bridge from two primitives, so that the same object can be made over
// Electron's IPC or by a test.
import { IPC_CHANNELS } from './contract/bridge.ts';
import type { HubBridge, ShowRequest, SubscribeAnswer } from './contract/bridge.ts';
import type { UiEvent } from './contract/dto.ts';
import { WINDOW_OPERATIONS } from './contract/window-operations.ts';

interface IpcPrimitives {
  invoke(channel: string, ...parameters: readonly unknown[]): Promise<unknown>;
  listen(channel: string, listener: (value: unknown) => void): void;
}

/** One function per operation; callbacks receive plain values, never an Electron event. */
export function createBridge(ipc: IpcPrimitives): HubBridge {
  let onEvent: ((event: UiEvent) => void) | undefined;
  let onShow: ((request: ShowRequest) => void) | undefined;
  ipc.listen(IPC_CHANNELS.event, (value) => onEvent?.(value as UiEvent));
  ipc.listen(IPC_CHANNELS.show, (value) => onShow?.(value as ShowRequest));
  const operations = Object.fromEntries(
    WINDOW_OPERATIONS.map((name) => [
      name,
      (params: unknown) => ipc.invoke(IPC_CHANNELS.call, name, params),
    ]),
  );
  const streams = {
    subscribe: (fromSeq: number, listener: (event: UiEvent) => void): Promise<SubscribeAnswer> => {
      onEvent = listener;
      return ipc.invoke(IPC_CHANNELS.subscribe, fromSeq) as Promise<SubscribeAnswer>;
    },
    unsubscribe: async (): Promise<void> => {
      onEvent = undefined;
      await ipc.invoke(IPC_CHANNELS.unsubscribe);
    },
    onShow: (listener: (request: ShowRequest) => void): void => {
      onShow = listener;
    },
    leavePopover: async (place: string | null): Promise<void> => {
      await ipc.invoke(IPC_CHANNELS.leavePopover, place);
    },
  };
  return { ...operations, ...streams } as HubBridge;
}
