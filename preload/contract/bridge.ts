// What the preload puts on the window: functions only, one per operation, plus the event stream. A
// golden test lists every key.
import type { CallOutcome } from './hub-api.ts';
import type { UiEvent } from './dto.ts';
import type { OperationInput, OperationResult } from './operations.ts';
import type { WindowOperation } from './window-operations.ts';

export const BRIDGE_NAME = 'axonHub';

/** Channels between preload and main. Nothing else is listened to. */
export const IPC_CHANNELS = {
  call: 'axon-hub:call',
  subscribe: 'axon-hub:subscribe',
  unsubscribe: 'axon-hub:unsubscribe',
  event: 'axon-hub:event',
  show: 'axon-hub:show',
  leavePopover: 'axon-hub:leave-popover',
} as const;

/** Where main asks the page to go: a notification, the tray, the popover or a link was used. */
export interface ShowRequest {
  /** As in the address of a page, from "#/" on. */
  readonly place: string;
  /**
   * An `axon://` link that somebody opened: it stands in the form that takes one, and nothing else
   * happens.
   */
  readonly link: string | null;
}

/** The address of the popover has this query, and that of the window has none. */
export const POPOVER_QUERY = '?popover';

export type SubscribeAnswer =
  { readonly gap: true } | { readonly gap: false; readonly events: readonly UiEvent[] };

export type HubBridge = {
  readonly [Name in WindowOperation]: (
    params: OperationInput<Name>,
  ) => Promise<CallOutcome<OperationResult<Name>>>;
} & {
  /** Starts the event stream after `fromSeq`; at most one stream a page. */
  readonly subscribe: (
    fromSeq: number,
    onEvent: (event: UiEvent) => void,
  ) => Promise<SubscribeAnswer>;
  readonly unsubscribe: () => Promise<void>;
  readonly onShow: (listener: (request: ShowRequest) => void) => void;
  /** Hides the popover. @param place what the window shows then; null: it is left as it is */
  readonly leavePopover: (place: string | null) => Promise<void>;
};
