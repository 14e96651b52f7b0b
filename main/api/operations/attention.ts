// The operations that say when a person is asked: pause, quiet hours, mutes, and cards that are put off. For people only.
import type { CalmKeeper } from '../../services/attention/calm-keeper.ts';
import type { Holds } from '../../services/attention/holds.ts';
import type { HandlersOf } from '../caller.ts';
import { personOf } from './who.ts';

export function attentionHandlers({ calm, holds }: { readonly calm: CalmKeeper; readonly holds: Holds }): HandlersOf<'attention'> {
  return {
    'attention.get': async () => calm.dto(),
    'attention.pause': ({ until }, caller) => calm.pause(until, personOf(caller)),
    'attention.resume': (_params, caller) => calm.resume(personOf(caller)),
    'attention.setQuietHours': ({ periods, urgent_peers }, caller) => calm.setQuietHours(periods, urgent_peers, personOf(caller)),
    'attention.mute': ({ id, until }, caller) => calm.mute(id, until, personOf(caller)),
    'attention.unmute': ({ id }, caller) => calm.unmute(id, personOf(caller)),
    'attention.hold': ({ id, until }, caller) => holds.hold(id, until, personOf(caller)),
    'attention.show': async ({ ids }, caller) => ({ shown: await holds.show(ids, personOf(caller)) }),
  };
}
