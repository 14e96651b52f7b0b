// Operations on the settings a person may change while the hub runs.
import type { SettingsService } from '../../services/auth/settings-service.ts';
import { actorOf } from '../actor.ts';
import type { HandlersOf } from '../caller.ts';

export function settingsHandlers({ settings }: { readonly settings: SettingsService }): HandlersOf<'settings'> {
  return {
    'settings.get': async () => settings.current(),
    'settings.update': async (change, caller) => settings.update(change, actorOf(caller)),
  };
}
