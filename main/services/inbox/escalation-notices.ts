// A person decides about an escalation, and no agent does. Where a message of a language names an
// agent here, that one is told of it by a notice, and of what came of it (PROTOCOL.md, Dialects).
import { NOTICES_QUEUED_MAX } from './limits.ts';
import { readOrigin } from '../../dialects/origin.ts';
import { isJsonObject, readObject, type JsonObject } from '../../lib/json-object.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { TaskRow, Tables } from '../../ports/store.ts';
import { ESCALATE } from '../../protocol/escalation.ts';
import { routeTo } from '../tasks/work-request.ts';
import type { After } from '../base/unit-of-work.ts';
import { OWNER_PARTY, partyOfAgent, type Parties } from '../tasks/parties.ts';
import type { EndedTask } from '../tasks/task-endings.ts';
import { URGENCY, type Deliveries } from './deliveries.ts';

/** The topic of both notices. */
const TOPIC = 'escalation';

interface Deps {
  readonly clock: Clock;
  readonly random: Random;
  readonly parties: Parties;
  readonly deliveries: Deliveries;
}

export class EscalationNotices {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Inside the commit that ends it. */
  ended(tables: Tables, after: After, { task, ending, result }: EndedTask): void {
    const { status, outcome, data, code } = result;
    if (ending.from === 'asker') {
      // Why is the asker's word, and this notice is the hub's.
      this.#tell(
        tables,
        after,
        task,
        { data: { status, code, outcome: 'It was cancelled.' } },
        true,
      );
      return;
    }
    const isChoice = isJsonObject(data) && typeof data['choice'] === 'string';
    // An agent knows the options by their words.
    const decision = isChoice ? { ...data, option: outcome } : data;
    const told = { status, outcome, decision, ...(code === undefined ? {} : { code }) };
    this.#tell(tables, after, task, { data: told }, true);
  }

  /** Inside the commit that takes it in. */
  asked(tables: Tables, after: After, task: TaskRow): void {
    const { task: text, reason, options, context, origin } = readObject(task.payload);
    this.#tell(tables, after, task, { data: { task: text, reason, options, context }, origin });
  }

  /** @param isHubs what came of it, which this hub tells */
  #tell(tables: Tables, after: After, task: TaskRow, words: JsonObject, isHubs = false): void {
    const { clock, random, parties, deliveries } = this.#deps;
    const { party, direction } = task;
    const payload = readObject(task.payload);
    if (direction === 'outgoing' || payload['act'] !== ESCALATE) return;
    const agent = readOrigin(payload) === undefined ? null : routeTo(payload);
    if (agent === null || tables.agent(agent) === undefined) return;
    if (partyOfAgent(agent) === party) return;
    if (tables.countDeliveries(agent, ['queued']) >= NOTICES_QUEUED_MAX) return;
    const id = random.uuid();
    const ref = isHubs ? task.id : task.messageId;
    const sender = isHubs ? OWNER_PARTY : party;
    deliveries.put(tables, after, {
      agent,
      kind: 'notify',
      taskId: null,
      urgency: task.urgent ? URGENCY.urgent : URGENCY.normal,
      body: {
        conversation_id: task.conversationId,
        trust: parties.trustOf(sender),
        approval: null,
        envelope: { id, kind: 'notify', ref, received_at: clock.wallMs() },
        untrusted: deliveries.untrusted({
          party: sender,
          fromAgent: isHubs ? null : task.fromAgent,
          kind: 'notify',
          text: null,
          payload: { topic: TOPIC, importance: 'high', ...words },
        }),
      },
    });
  }
}
