// What a hub says of an answer to its question of consent that it did not use: somebody else was first, or the time was over. Whoever gave it
// is told in the feed, in this hub's own words, and the record keeps it (PROTOCOL.md, Consent). Changes nothing else.
import type { PartyKey, Store } from '../../ports/store.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import { questionIn } from '../../protocol/consent.ts';
import type { NotifyPayload } from '../../protocol/payloads.ts';
import type { IncomingMessage } from '../peer-messenger.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { Feed } from './feed.ts';
import { CONSENTS_TOLD_MAX } from './limits.ts';
import { readObject } from './task-views.ts';
import type { UnitOfWork } from './unit-of-work.ts';

interface Deps {
  readonly store: Store;
  readonly unit: UnitOfWork;
  readonly feed: Feed;
  readonly audit: AuditTrail;
}

export class ConsentNews {
  readonly #deps: Deps;
  readonly #told = new Set<string>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Only of a question that this very hub asked and that somebody here answered; once each. */
  async handle({ peer, envelope }: IncomingMessage, payload: NotifyPayload): Promise<void> {
    const { store, unit, feed, audit } = this.#deps;
    const party: PartyKey = peer.key;
    const task = envelope.ref === null ? undefined : store.read.taskByMessage('incoming', party, envelope.ref);
    if (task === undefined || !isJsonObject(payload.data) || payload.data.used !== false || this.#told.has(task.id)) return;
    const asked = questionIn(readObject(task.payload));
    if (asked === undefined || (task.state !== 'completed' && task.state !== 'declined')) return;
    const [oldest] = this.#told;
    if (this.#told.size >= CONSENTS_TOLD_MAX && oldest !== undefined) this.#told.delete(oldest);
    this.#told.add(task.id);
    const became = BECAME.get(payload.data.state) ?? 'it was decided or over already';
    await unit.run((tables, after) => {
      audit.append(tables, { actor: party, surface: 'peer', action: 'consent.unused', object: task.id, digest: asked.digest });
      feed.notice(tables, after, 'axon.consent', 'high', `What was answered here to ${peer.petname} was not used: ${became}.`);
    });
  }
}

const BECAME: ReadonlyMap<unknown, string> = new Map([
  ['approved', 'somebody else had allowed it first'],
  ['declined', 'somebody else had declined it first'],
  ['expired', 'its time was over'],
  ['cancelled', 'it had been called off'],
]);
