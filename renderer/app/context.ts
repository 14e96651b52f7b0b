// What the app hands down to its screens, typed. Set once in App.svelte.
import { createContext } from 'svelte';
import type { HubApi } from '../../preload/contract/hub-api.ts';
import type { HubState } from './HubState.svelte.ts';
import type { Navigation } from './Navigation.svelte.ts';
import type { Ticker } from './Ticker.svelte.ts';

interface AppContext {
  readonly api: HubApi;
  readonly hub: HubState;
  readonly navigation: Navigation;
  readonly ticker: Ticker;
}

export const [getApp, setApp] = createContext<AppContext>();
