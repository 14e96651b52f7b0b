// Removes the words of one conversation when a person wants that. Ids, digests and the audit log
// stay, as they do when old words expire (retention/).
import { inputError } from '../../lib/app-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventBus } from '../base/event-bus.ts';
import type { Actor, AuditTrail } from '../base/audit-trail.ts';
import type { UnitOfWork } from '../base/unit-of-work.ts';

interface Deps {
  readonly clock: Clock;
  readonly unit: UnitOfWork;
  readonly audit: AuditTrail;
  readonly events: EventBus;
}

export class ConversationRemoval {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @throws AppError not_found, conflict (something of it is under way) */
  async remove(id: string, actor: Actor): Promise<void> {
    const { clock, unit, audit, events } = this.#deps;
    await unit.run((tables, after) => {
      const messages = tables.purgeConversation(id, clock.wallMs());
      if (messages === null)
        throw inputError(
          'conflict',
          'Something here is under way, or was not taken by the agent or hub that it is for.',
          { hint: 'Wait until it is, cancel the task, or remove the agent that no longer looks.' },
        );
      if (messages === 0) throw inputError('not_found', 'There is no such conversation.');
      audit.append(tables, {
        ...actor,
        action: 'conversation.removed',
        object: id,
        detail: { messages },
      });
      after(() => events.publish({ type: 'conversation_gone', id }));
    });
  }
}
