// The page that screenshots and page-wide tests open: the real app over a hub in memory. `?state=` names what is shown, `&theme=` the looks.
import { mount } from 'svelte';
import App from '../../renderer/app/App.svelte';
import '../../renderer/styles/all.css';
import type { FakeHubApi } from '../fakes/fake-hub-api.ts';
import { STATES } from './states.ts';

declare global {
  interface Window {
    fakeHub?: FakeHubApi;
  }
}

const params = new URLSearchParams(location.search);
const state = STATES[params.get('state') ?? ''];
const target = document.getElementById('app');
if (state === undefined || target === null) throw new Error('no such state');
const hub = state.hub();
const theme = params.get('theme');
if (theme === 'light' || theme === 'dark' || theme === 'contrast') {
  if (hub.snapshot.settings.theme !== theme) hub.emitUnheard({ type: 'settings', settings: { ...hub.snapshot.settings, theme } });
  document.documentElement.dataset['theme'] = theme;
}
window.fakeHub = hub;
location.hash = `#/${state.place}`;
mount(App, { target, props: { api: hub } });
if (state.then !== undefined) {
  const happens = state.then;
  setTimeout(() => happens(hub), 900);
}
