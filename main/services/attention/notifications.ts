// Notifies the people here that a request waits for them: at most once a minute for each hub, later
// while they do not want to be disturbed, and not at all for a hub that is muted or floods.
import type { Clock } from '../../ports/clock.ts';
import type { Store, TaskRow, Tables } from '../../ports/store.ts';
import type { EventBus } from '../base/event-bus.ts';
import type { Parties } from '../tasks/parties.ts';
import type { After } from '../base/unit-of-work.ts';
import type { DoNotDisturb } from './do-not-disturb.ts';
import { ATTENTION_INTERVAL_MS } from './limits.ts';
import type { PartyKey } from '../../ports/transport.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly parties: Parties;
  readonly doNotDisturb: Pick<DoNotDisturb, 'mayNotify' | 'isSilenced' | 'setPendingNotification'>;
}

export class Notifications {
  readonly #deps: Deps;
  /** When each party last caused a notification, within the last minute. */
  readonly #notifiedAt = new Map<PartyKey, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Inside the commit in which people are asked: they are notified after it. A request that is
   * silenced leaves a notification pending instead.
   */
  asked(tables: Tables, after: After, task: TaskRow): void {
    const { doNotDisturb } = this.#deps;
    if (doNotDisturb.isSilenced(tables, task)) doNotDisturb.setPendingNotification(tables);
    else after(() => this.notifyOnce([task]));
  }

  /** One notification, about the newest of these whose hub may notify. */
  notifyOnce(waiting: readonly TaskRow[]): void {
    const { clock, store, events, parties, doNotDisturb } = this.#deps;
    const now = clock.monotonicMs();
    for (const [party, at] of this.#notifiedAt)
      if (now - at >= ATTENTION_INTERVAL_MS) this.#notifiedAt.delete(party);
    const task = waiting.findLast(
      ({ party }) => doNotDisturb.mayNotify(party) && !this.#notifiedAt.has(party),
    );
    const approval = task && store.read.approvalOfTask(task.id);
    if (!approval) return;
    this.#notifiedAt.set(task.party, now);
    events.publish({
      type: 'attention',
      approval_id: approval.id,
      peer_name: parties.nameOf(task.party),
    });
  }
}
