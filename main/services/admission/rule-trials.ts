// What a draft rule would do to the last requests if they came now: with today's agents, classes
// and rules, with it and without it. Reads only; nothing is made, sent or counted.
import type { RuleTrialDto } from '../../../preload/contract/rules.ts';
import type { Rule } from '../../core/rules.ts';
import { escapeText } from '../../core/text-escape.ts';
import { AppError } from '../../lib/app-error.ts';
import { readObject } from '../../lib/json-object.ts';
import type { Store, TaskRow } from '../../ports/store.ts';
import type { Assessment } from '../tasks/verdict.ts';
import { type AskedWork, readWorkRequest } from '../tasks/work-request.ts';
import type { Admission } from './admission.ts';
import { isTrusted, type Parties } from '../tasks/parties.ts';
import { isPermission } from '../tasks/task-moves.ts';
import type { TaskViews } from '../tasks/task-views.ts';
import { TRIAL_TEXT_MAX_CHARACTERS, TRIALS_MAX } from './limits.ts';
import { firstWords } from '../rules/rule-views.ts';

interface Deps {
  readonly store: Store;
  readonly admission: Admission;
  readonly parties: Parties;
  readonly tasks: TaskViews;
}

export class RuleTrials {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The last requests, newest first, except those of a removed hub or for a removed agent. */
  of(rule: Rule): readonly RuleTrialDto[] {
    const { read } = this.#deps.store;
    return read.lastRequests(TRIALS_MAX).flatMap((id) => {
      const task = read.task(id);
      return task === undefined || !isTrusted(read, task.party) ? [] : this.#trial(task, rule);
    });
  }

  #trial(task: TaskRow, rule: Rule): readonly RuleTrialDto[] {
    const asked = askedAgain(task);
    if (asked === undefined) return [];
    const without = this.#assess(asked);
    const tried = this.#assess(asked, rule);
    if (without === undefined || tried === undefined) return [];
    const { parties, tasks } = this.#deps;
    return [
      {
        task_id: task.id,
        received_at: task.receivedAt,
        kind: task.kind,
        peer_name: parties.nameOf(task.party),
        from_agent: task.fromAgent,
        from_name: task.fromAgent === null ? null : parties.agentName(task.party, task.fromAgent),
        to_agent: tried.agent?.name ?? null,
        to_name: tried.agent?.displayName ?? null,
        domain: task.domain === null ? null : escapeText(task.domain),
        text: firstWords(tasks.text(task), TRIAL_TEXT_MAX_CHARACTERS),
        without: without.verdict.ruling.decision,
        with: tried.verdict.ruling.decision,
        ground: tried.verdict.ruling.ground,
        miss:
          tried.verdict.ruling.considered.find(({ rule: { id } }) => id === rule.id)?.miss ?? null,
      },
    ];
  }

  /** undefined where nobody here would get it any more. */
  #assess(asked: AskedWork, tried?: Rule): Assessment | undefined {
    try {
      return this.#deps.admission.assess(this.#deps.store.read, asked, tried);
    } catch (error) {
      if (error instanceof AppError && error.failedBy === 'input') return undefined;
      throw error;
    }
  }
}

/** The same request to the agent that it went to, in its own conversation. */
function askedAgain(task: TaskRow): AskedWork | undefined {
  const { kind, direction, party, messageId, payload, toAgent, conversationId } = task;
  if (direction === 'outgoing' || isPermission(task)) return undefined;
  const request = readWorkRequest({
    kind,
    direction,
    party,
    messageId,
    payload: readObject(payload),
    receivedMonotonicMs: 0,
  });
  return request.ok
    ? { ...request.value, routeTo: toAgent ?? request.value.routeTo, conversationId }
    : undefined;
}
