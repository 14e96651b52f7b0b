// The operations of pairing. Every one of them is a person's: the guard lets no agent token near them.
import type { PairingService } from '../../services/pairing/pairing-service.ts';
import { actorOf } from '../actor.ts';
import type { HandlersOf } from '../caller.ts';

export function pairingsHandlers({ pairing }: { readonly pairing: PairingService }): HandlersOf<'pairings'> {
  return {
    'pairings.list': () => Promise.resolve({ window: pairing.window, items: pairing.list() }),
    'pairings.window': async ({ open, minutes }) => pairing.setWindow(open, minutes),
    'pairings.start': async ({ peer, name }) => pairing.begin(peer, name ?? null),
    'pairings.open': async ({ id }) => pairing.open(id),
    'pairings.digits': ({ id, digits }, caller) => pairing.type(id, digits, actorOf(caller)),
    'pairings.cancel': ({ id }) => pairing.cancel(id),
  };
}
