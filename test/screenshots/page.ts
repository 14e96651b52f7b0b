// The page that screenshots and page-wide tests open: the real app over a hub in memory. `?state=`
// names what is shown, `&theme=` the looks.
import { mount } from 'svelte';
import type { ShowRequest } from '../../preload/contract/bridge.ts';
import App from '../../renderer/app/App.svelte';
import '../../renderer/styles/all.css';
import type { FakeHubApi } from '../fakes/fake-hub-api.ts';
import { hostileHub, POPOVER } from '../fakes/hostile-household.ts';
import { HOSTILE_TEXTS } from '../fakes/hostile-texts.ts';
import { STATES } from './states.ts';
import type { ScreenState } from './states.ts';

declare global {
  interface Window {
    fakeHub?: FakeHubApi;
  }
}

const params = new URLSearchParams(location.search);
const state = readState();
const target = document.getElementById('app');
if (state === undefined || target === null) throw new Error('no such state');
const hub = state.hub();
const theme = params.get('theme');
if (theme === 'light' || theme === 'dark' || theme === 'contrast') {
  if (hub.snapshot.settings.theme !== theme)
    hub.emitUnheard({ type: 'settings', settings: { ...hub.snapshot.settings, theme } });
  document.documentElement.dataset['theme'] = theme;
}
window.fakeHub = hub;
location.hash = `#/${state.place}`;
mount(App, {
  target,
  props: {
    api: hub,
    leavePopover: state.isPopover === true ? () => undefined : undefined,
    onShow: (listener: (request: ShowRequest) => void) => {
      const { link } = state;
      if (link !== undefined) listener({ place: `#/${state.place}`, link });
    },
  },
});
if (state.after !== undefined) {
  const happens = state.after;
  setTimeout(() => happens(hub), 900);
}

/**
 * `state=hostile&from=50&count=25&place=feed`: a slice of the hostile texts in every field; `tame`
 * puts harmless words in their place.
 */
function readState(): ScreenState | undefined {
  const name = params.get('state') ?? '';
  if (name !== 'hostile' && name !== 'tame') return STATES[name];
  const from = Number(params.get('from'));
  const texts = HOSTILE_TEXTS.slice(from, from + Number(params.get('count')));
  const place = params.get('place') ?? 'now';
  // The comma keeps them from being names that a field offers and hostile ones are not.
  return {
    place: place === POPOVER ? 'now' : place,
    isPopover: place === POPOVER,
    hub: () =>
      hostileHub(name === 'tame' ? texts.map((_, index) => `words, ${index}`) : texts, place),
  };
}
