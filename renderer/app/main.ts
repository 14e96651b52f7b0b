// Where the page begins: finds the line to its hub (the window's bridge, or HTTP in a browser) and
// draws the app. Nothing else.
import { mount } from 'svelte';
import { createHubApi } from '../../preload/api.ts';
import { createBridgeTransport } from '../../preload/bridge-transport.ts';
import { BRIDGE_NAME, POPOVER_QUERY } from '../../preload/contract/bridge.ts';
import type { HubBridge, ShowRequest } from '../../preload/contract/bridge.ts';
import { HttpTransport, pageEnvironment } from '../../preload/http-transport.ts';
import '../styles/all.css';
import App from './App.svelte';

declare global {
  interface Window {
    /** There in the desktop app only. */
    readonly [BRIDGE_NAME]?: HubBridge;
  }
}

const target = document.getElementById('app');
if (target === null) throw new Error('the page has no place for the app');
// Seen before the transport takes the code out of the address: only then is a refused login worth a
// word.
const cameByLink = location.hash.startsWith('#c=');
const bridge = window[BRIDGE_NAME];
const transport =
  bridge === undefined
    ? new HttpTransport(pageEnvironment(window))
    : createBridgeTransport(bridge, () => Date.now());
mount(App, {
  target,
  props: {
    cameByLink,
    api: createHubApi(transport),
    onShow:
      bridge === undefined
        ? undefined
        : (listener: (request: ShowRequest) => void) => bridge.onShow(listener),
    leavePopover:
      bridge !== undefined && location.search === POPOVER_QUERY
        ? (place: string | null) => void bridge.leavePopover(place)
        : undefined,
  },
});
