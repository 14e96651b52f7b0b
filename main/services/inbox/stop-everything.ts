// A person stops everything at this hub. In one commit what waits here is declined, what no agent
// has ends, what an agent has is asked to stop, and from then on no request gets in.
import { OPEN_TASK_STATES } from '../../../preload/contract/closed-lists.ts';
import type { AttentionDto } from '../../../preload/contract/attention.ts';
import type { Random } from '../../ports/clock.ts';
import type { DoNotDisturb } from '../attention/do-not-disturb.ts';
import type { Decider } from '../base/audit-trail.ts';
import type { UnitOfWork } from '../base/unit-of-work.ts';
import type { TaskEvents } from '../tasks/task-events.ts';
import type { Cancelling } from './cancelling.ts';
import type { OpenQueries } from './open-queries.ts';

interface Deps {
  readonly random: Random;
  readonly personName: () => string | null;
  readonly unit: UnitOfWork;
  readonly doNotDisturb: DoNotDisturb;
  readonly cancelling: Cancelling;
  readonly queries: Pick<OpenQueries, 'stopAll'>;
  readonly events: TaskEvents;
}

export async function stopEverything(deps: Deps, person: Decider): Promise<AttentionDto> {
  const { random, personName, unit, doNotDisturb, cancelling, queries, events } = deps;
  await unit.run((tables, after) => {
    doNotDisturb.setStopped(tables, after, person);
    for (const { id, direction } of tables.tasksInStates(OPEN_TASK_STATES)) {
      if (direction === 'outgoing') continue;
      // As it is now: the end of one may end another.
      cancelling.cancel(tables, after, tables.task(id), {
        messageId: random.uuid(),
        reason: null,
        origin: null,
        asks: { person: personName() },
        by: personName() ?? 'owner',
        surface: person.surface,
        from: 'hub',
      });
      after(() => events.changed(id));
    }
    // Questions about which nobody was asked stand in no table while they are open.
    after(() => queries.stopAll(personName()));
  });
  return doNotDisturb.dto();
}
