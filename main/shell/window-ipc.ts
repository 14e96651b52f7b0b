// The window's door: the only place that listens on IPC. Every call is checked for its sender
// before anything is read, and its arguments go to the node as unknown. Replies carry outcomes
// only, never a stack.
import type { IpcMain, IpcMainInvokeEvent, WebContents } from 'electron';
import { IPC_CHANNELS } from '../../preload/contract/bridge.ts';
import type { SubscribeAnswer } from '../../preload/contract/bridge.ts';
import type { CallOutcome } from '../../preload/contract/hub-api.ts';
import type { DesktopNode } from './desktop-node.ts';
import { isAppUrl } from './hardening.ts';

const NOT_OUR_PAGE: CallOutcome<never> = {
  ok: false,
  problem: {
    type: 'about:blank',
    title: 'Not allowed',
    status: 403,
    detail: 'Only the hub’s own window may call the hub.',
    code: 'bad_origin',
    retryable: false,
  },
};

/** True when the call comes from the top frame of one of our windows, showing our own document. */
function isOurs(
  event: IpcMainInvokeEvent,
  isOurContents: (contents: WebContents) => boolean,
): boolean {
  const frame = event.senderFrame;
  return (
    frame !== null && frame.parent === null && isAppUrl(frame.url) && isOurContents(event.sender)
  );
}

/** What a page may name as its place: what it would write into its own address. */
const PLACE = /^#\/[\w%.~!*'()/-]{0,512}$/;

interface Windows {
  isOurs(contents: WebContents): boolean;
  /** @param place what the window shows then; null: it is left as it is */
  leavePopover(place: string | null): void;
}

export function listenToWindows(ipcMain: IpcMain, node: DesktopNode, windows: Windows): () => void {
  const streams = new Map<number, () => void>();
  /** Pages come and go in one window, whose end is heard of once. */
  const watched = new WeakSet<WebContents>();

  const stop = (contentsId: number): void => {
    streams.get(contentsId)?.();
    streams.delete(contentsId);
  };

  const subscribe = (contents: WebContents, fromSeq: unknown): SubscribeAnswer => {
    stop(contents.id);
    const events =
      typeof fromSeq === 'number' && Number.isSafeInteger(fromSeq)
        ? node.events.since(fromSeq)
        : undefined;
    const leave = node.events.subscribe((event) => {
      if (!contents.isDestroyed()) contents.send(IPC_CHANNELS.event, event);
    });
    streams.set(contents.id, leave);
    if (!watched.has(contents)) contents.once('destroyed', () => stop(contents.id));
    watched.add(contents);
    return events === undefined ? { gap: true } : { gap: false, events };
  };

  const listened: string[] = [];
  const handle = (
    channel: string,
    answer: (event: IpcMainInvokeEvent, ...parameters: readonly unknown[]) => unknown,
  ): void => {
    listened.push(channel);
    ipcMain.handle(channel, (event, ...parameters: unknown[]) =>
      isOurs(event, windows.isOurs) ? answer(event, ...parameters) : NOT_OUR_PAGE,
    );
  };
  handle(IPC_CHANNELS.call, (_event, name, params) => node.invoke(name, params));
  handle(IPC_CHANNELS.subscribe, (event, fromSeq) => subscribe(event.sender, fromSeq));
  handle(IPC_CHANNELS.unsubscribe, (event) => stop(event.sender.id));
  handle(IPC_CHANNELS.leavePopover, (_event, place) => {
    windows.leavePopover(typeof place === 'string' && PLACE.test(place) ? place : null);
  });

  return () => {
    for (const contentsId of streams.keys()) stop(contentsId);
    for (const channel of listened) ipcMain.removeHandler(channel);
  };
}
