// The operations of pairing and of invitations. Every one of them is a person's: the guard lets no
// agent token near them.
import type { HubStatus } from '../../services/pages/hub-status.ts';
import type { PairingService } from '../../services/pairing/pairing-service.ts';
import { actorOf } from '../actor.ts';
import type { HandlersOf } from '../caller.ts';

interface PairingsHandlersDeps {
  readonly pairing: PairingService;
  readonly hub: Pick<HubStatus, 'places'>;
}

export function pairingsHandlers({
  pairing,
  hub,
}: PairingsHandlersDeps): HandlersOf<'pairings' | 'invitations'> {
  return {
    'pairings.list': () => Promise.resolve({ window: pairing.window, items: pairing.list() }),
    'pairings.window': async ({ open, minutes }) => pairing.setWindow(open, minutes),
    'pairings.start': async ({ peer, name }) => pairing.begin(peer, name ?? null),
    'pairings.join': async ({ link, name }, caller) =>
      pairing.join(link, name ?? null, actorOf(caller)),
    'invitations.list': async () => ({ items: pairing.invitations(), next: null }),
    'invitations.create': async (_none, caller) => pairing.invite(hub.places(), actorOf(caller)),
    'invitations.revoke': async ({ id }) => {
      pairing.revoke(id);
      return { revoked: true };
    },
    'pairings.open': async ({ id }) => pairing.open(id),
    'pairings.digits': ({ id, digits }, caller) => pairing.type(id, digits, actorOf(caller)),
    'pairings.cancel': ({ id }) => pairing.cancel(id),
  };
}
