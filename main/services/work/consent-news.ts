// What a hub says of an answer to its question of consent that it did not use: somebody else was first, or the time was over. Whoever gave it
// is told in the feed, in this hub's own words, and the record keeps it, once for each answer that a person here gave (PROTOCOL.md, Consent).
// Changes nothing else.
import type { PartyKey, Store } from '../../ports/store.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NotifyPayload } from '../../protocol/payloads.ts';
import type { IncomingMessage } from '../peer-messenger.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { Feed } from './feed.ts';
import { isAPersons, questionOfTask } from './consent-question.ts';
import { unusedMark } from './consent-told.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import type { WorkEvents } from './work-events.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly unit: UnitOfWork;
  readonly feed: Feed;
  readonly audit: AuditTrail;
  readonly events: Pick<WorkEvents, 'taskChanged'>;
}

export class ConsentNews {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Only of a question that this very hub asked and that a person here answered; once each, over restarts too. */
  async handle({ peer, envelope }: IncomingMessage, payload: NotifyPayload): Promise<void> {
    const { store, clock, unit, feed, audit, events } = this.#deps;
    const party: PartyKey = peer.key;
    const task = envelope.ref === null ? undefined : store.read.taskByMessage('incoming', party, envelope.ref);
    if (task === undefined || !isJsonObject(payload.data) || payload.data.used !== false || !isAPersons(task)) return;
    const asked = questionOfTask(task);
    if (asked === undefined) return;
    const became = becameOf(payload.data);
    const mark = unusedMark(task.messageId);
    if (store.read.replay(party, mark) !== undefined) return;
    await unit.run((tables, after) => {
      if (tables.replay(party, mark) !== undefined) return;
      tables.putReplay({ party, messageId: mark, contentDigest: asked.digest, reply: null, at: clock.wallMs() });
      audit.append(tables, { actor: party, surface: 'peer', action: 'consent.unused', object: task.id, digest: asked.digest });
      feed.notice(tables, after, 'axon.consent', 'high', `What was answered here to ${peer.petname} was not used: ${became}.`);
      after(() => events.taskChanged(task.id));
    });
  }
}

/** By the reason that is given, else by what the request has become there. */
function becameOf({ why, state }: JsonObject): string {
  return BECAUSE.get(why) ?? BECAME.get(state) ?? 'it was decided or over already';
}

/** Where it still waits, it is not said to be over. */
const BECAUSE: ReadonlyMap<unknown, string> = new Map([
  ['changed', 'the request there is not the one that was shown here'],
  ['expired', 'its time was over'],
  ['not_named', 'this hub does not decide there any more'],
]);
const BECAME: ReadonlyMap<unknown, string> = new Map([
  ['approved', 'somebody else had allowed it first'],
  ['declined', 'somebody else had declined it first'],
  ['expired', 'its time was over'],
  ['cancelled', 'it had been called off'],
]);
