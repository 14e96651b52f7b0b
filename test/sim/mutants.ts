// Hubs broken on purpose, each in one part that is given to them: what the simulation is there to
// find must be found in these.
import type { PeerMessenger } from '../../main/services/base/peer-messenger.ts';
import type { Chance } from './chance.ts';
import type { Mutant } from './sim-hub.ts';

/** The disk says that a commit is durable two seconds before it is. */
const ACKS_BEFORE_COMMIT: Mutant = {
  name: 'a disk that acknowledges before it has written',
  liesForMs: 2_000,
};

/** A delegation whose ack was lost is sent again as a new one. */
const FRESH_ID: Mutant = {
  name: 'a line that sends a delegation again under a fresh id',
  wrapMessenger: (messenger, chance: Chance) => {
    const sent = new Set<string>();
    return wrapped(messenger, {
      request: (peer, message, timeoutMs, signal) => {
        const isAgain = message.kind === 'delegate' && sent.has(message.id);
        sent.add(message.id);
        return messenger.request(
          peer,
          isAgain ? { ...message, id: chance.uuid() } : message,
          timeoutMs,
          signal,
        );
      },
    });
  },
};

/** What was answered to an id is forgotten. */
const NO_REPLAYS: Mutant = {
  name: 'a store without the table of answered ids',
  wrapTables: (tables) => ({ ...tables, replay: () => undefined, putReplay: () => undefined }),
};

/** A result counts as delivered once the transport has taken it. */
const NO_RECEIPTS: Mutant = {
  name: 'an outbox that does not wait for receipts',
  wrapMessenger: (messenger) =>
    wrapped(messenger, {
      extensions: (peer) =>
        messenger.extensions(peer).filter((extension) => extension !== 'receipts/1'),
    }),
};

/** An agent's "I have it" is kept as if it had said nothing. */
const FORGETS_ACKS: Mutant = {
  name: 'an inbox that forgets who has what',
  wrapTables: (tables) => ({
    ...tables,
    updateDelivery: (id, state, change) =>
      tables.updateDelivery(
        id,
        state,
        change.state === 'done' && tables.delivery(id)?.kind === 'result'
          ? { ...change, state: 'queued' }
          : change,
      ),
  }),
};

/** Whoever comes second still decides. */
const LATE_DECISIONS: Mutant = {
  name: 'a store that takes a decision about something else',
  wrapTables: (tables) => ({
    ...tables,
    decideApproval: (id, guard, change) => {
      const state = change.state === 'declined' ? 'approved' : change.state;
      return tables.decideApproval(id, guard, { ...change, state });
    },
  }),
};

export const MUTANTS: readonly Mutant[] = [
  ACKS_BEFORE_COMMIT,
  FRESH_ID,
  NO_REPLAYS,
  NO_RECEIPTS,
  FORGETS_ACKS,
  LATE_DECISIONS,
];

function wrapped(messenger: PeerMessenger, change: Partial<PeerMessenger>): PeerMessenger {
  return {
    isOnline: (peer) => messenger.isOnline(peer),
    isShutOut: (peer) => messenger.isShutOut(peer),
    pulse: (peer) => messenger.pulse(peer),
    features: (peer) => messenger.features(peer),
    extensions: (peer) => messenger.extensions(peer),
    acknowledges: (peer) => messenger.acknowledges(peer),
    request: (peer, message, timeoutMs, signal) =>
      messenger.request(peer, message, timeoutMs, signal),
    send: (peer, message) => messenger.send(peer, message),
    encode: (peer, message) => messenger.encode(peer, message),
    sendEncoded: (peer, raw) => messenger.sendEncoded(peer, raw),
    onRequest: (kind, handler) => messenger.onRequest(kind, handler),
    onMessage: (kind, handler) => messenger.onMessage(kind, handler),
    onPresence: (listener) => messenger.onPresence(listener),
    ...change,
  };
}
