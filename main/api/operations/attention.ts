// The operations that say when a person is asked: pause, quiet hours, mutes and snoozed cards. For people only.
import type { DoNotDisturb } from '../../services/attention/do-not-disturb.ts';
import type { Holds } from '../../services/attention/holds.ts';
import type { HandlersOf } from '../caller.ts';
import { personOf } from './who.ts';

export function attentionHandlers({
  doNotDisturb,
  holds,
}: {
  readonly doNotDisturb: DoNotDisturb;
  readonly holds: Holds;
}): HandlersOf<'attention'> {
  return {
    'attention.get': async () => doNotDisturb.dto(),
    'attention.pause': ({ until }, caller) => doNotDisturb.pause(until, personOf(caller)),
    'attention.resume': (_params, caller) => doNotDisturb.resume(personOf(caller)),
    'attention.setQuietHours': ({ periods, urgent_peers }, caller) => doNotDisturb.setQuietHours(periods, urgent_peers, personOf(caller)),
    'attention.mute': ({ id, until }, caller) => doNotDisturb.mute(id, until, personOf(caller)),
    'attention.unmute': ({ id }, caller) => doNotDisturb.unmute(id, personOf(caller)),
    'attention.hold': ({ id, until }, caller) => holds.snooze(id, until, personOf(caller)),
    'attention.show': async ({ ids }, caller) => ({ shown: await holds.show(ids, personOf(caller)) }),
  };
}
