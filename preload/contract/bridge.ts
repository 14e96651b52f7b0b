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
} as const;

/** Where main asks the page to go: a native notification or the tray was used. */
export interface ShowRequest {
  readonly approval_id: string | null;
}

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
};
