// Puts items into agents' inboxes, inside the commit of what caused them. Tells the inbox at once,
// so that a waiting reader can claim in the same commit, and again after it. When a task ends,
// closes its item and tells its agents. Owns nothing of claiming.
import { rankIn } from '../../dialects/origin.ts';
import { readObject, type JsonObject } from '../../lib/json-object.ts';
import { DELIVERY_STATES } from '../../../preload/contract/closed-lists.ts';
import { isTask } from '../../../preload/contract/delivery-kind.ts';
import type { EndedKind } from '../../../preload/contract/story.ts';
import { TASK_ACCEPTED } from '../../dialects/dialect.ts';
import { given } from '../../dialects/members.ts';
import { readOrigin } from '../../dialects/origin.ts';
import { escapeJson, escapeText } from '../../core/text-escape.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { ApprovalRow, DeliveryRow, Reads, TaskRow, Tables } from '../../ports/store.ts';
import { approvedView, wordsOfView, type Untrusted } from '../tasks/approved-payload.ts';
import type { EndedTask, TaskEndings } from '../tasks/task-endings.ts';
import { answererHere, answererOf, isInHand, isOpen } from '../tasks/task-moves.ts';
import type { Asker, Item } from './items.ts';
import { readDeliveryBody, type DeliveryBody } from './delivery-body.ts';
import { isLocal, OWNER_PARTY, type Parties } from '../tasks/parties.ts';
import type { After } from '../base/unit-of-work.ts';
import type { PartyKey } from '../../ports/transport.ts';

interface NewDelivery {
  readonly agent: string;
  readonly kind: DeliveryRow['kind'];
  readonly taskId: string | null;
  readonly urgency: DeliveryRow['urgency'];
  readonly body: DeliveryBody;
}

/** Outside words as they came; they are escaped here, once. */
interface OutsideWords {
  readonly party: PartyKey;
  readonly fromAgent: string | null;
  readonly kind: string;
  readonly text: string | null;
  readonly payload: unknown;
}

export const URGENCY = { low: 0, normal: 1, urgent: 2 } as const;

export class Deliveries {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #parties: Parties;
  readonly #listeners = new Set<(agent: string) => void>();

  constructor(deps: {
    readonly clock: Clock;
    readonly random: Random;
    readonly parties: Parties;
    readonly endings: TaskEndings;
  }) {
    this.#clock = deps.clock;
    this.#random = deps.random;
    this.#parties = deps.parties;
    deps.endings.onEnding((tables, after, ended) => this.#taskEnded(tables, after, ended));
  }

  put(tables: Tables, after: After, item: NewDelivery): DeliveryRow {
    const row = tables.insertDelivery({
      deliveryId: this.#random.uuid(),
      agent: item.agent,
      kind: item.kind,
      state: 'queued',
      taskId: item.taskId,
      // Only work makes others of its conversation wait: a notification beside it must not.
      conversationId: isTask(item.kind) ? item.body.conversation_id : null,
      urgency: item.urgency,
      body: JSON.stringify(item.body),
      attempt: 0,
      leaseUntilWallMs: null,
      createdAt: this.#clock.wallMs(),
      finishedAt: null,
    });
    // A reader that asks now is served right after this work, in its transaction. That saves a
    // commit between a person's decision and the agent.
    this.announce(row);
    after(() => this.announce(row));
    return row;
  }

  /** Tells the inbox that this item waits (again), or will once the running commit is durable. */
  announce(row: Item): void {
    for (const listener of this.#listeners) listener(row.agent);
  }

  onQueued(listener: (agent: string) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Puts an allowed delegation into its agent's inbox. The words themselves are read from the
   * approval each time it is delivered.
   */
  putTask(tables: Tables, after: After, task: TaskRow, approval: ApprovalRow): void {
    if (task.toAgent === null) return;
    const rank = rankIn(readObject(task.payload));
    this.put(tables, after, {
      agent: task.toAgent,
      kind: 'delegate',
      taskId: task.id,
      urgency: rank === 'low' ? URGENCY.low : task.urgent ? URGENCY.urgent : URGENCY.normal,
      body: { ...this.bodyOf(task, approval), ...(rank === 'critical' ? { first: true } : {}) },
    });
  }

  bodyOf(task: TaskRow, approval: ApprovalRow | null): DeliveryBody {
    return {
      conversation_id: task.conversationId,
      trust: this.#parties.trustOf(task.party),
      approval: approval && {
        by: approval.decidedBy ?? 'hub',
        surface: approval.surface ?? 'hub',
        digest: approval.digest,
        at: approval.decidedAt ?? task.receivedAt,
      },
      envelope: { id: task.messageId, kind: task.kind, ref: null, received_at: task.receivedAt },
      untrusted: null,
    };
  }

  /**
   * What the agent may read of this item now. The error says what does not fit: then the item is
   * handed to nobody.
   */
  wordsOf(
    reads: Reads,
    row: Pick<DeliveryRow, 'agent' | 'body' | 'kind'>,
    task: TaskRow | undefined,
  ): Result<Untrusted, string> {
    const body = readDeliveryBody(row);
    if (body === undefined) return err('the item cannot be read');
    // Work has no words but those that were allowed, whatever else stands in its row.
    if (!isTask(row.kind))
      return body.untrusted === null ? err('it has no words') : ok(body.untrusted);
    const approval = task && reads.approvalOfTask(task.id);
    if (task === undefined || approval === undefined) return err('there is no approval for it');
    if (row.agent !== task.toAgent) return err('it was allowed for another agent');
    if (approval.state !== 'approved') return err(`its approval is ${approval.state}`);
    if (body.approval?.digest !== approval.digest)
      return err('it was allowed under another digest');
    return this.approvedWords(approval, task);
  }

  /**
   * The words that were allowed. The error says what does not fit: then the task is handed to
   * nobody.
   */
  approvedWords(
    approval: Pick<ApprovalRow, 'view' | 'digest'>,
    task: TaskRow,
  ): Result<Untrusted, string> {
    const view = approvedView(approval, task);
    return view.ok ? ok(wordsOfView(this.#parties, view.value, approval.digest)) : view;
  }

  /** The outcome of a task for the agent that asked for it; nothing when nobody here asked. */
  putResult(
    tables: Tables,
    after: After,
    task: TaskRow,
    messageId: string,
    payload: Readonly<Record<string, unknown>>,
  ): void {
    const agent = task.fromAgent;
    if (agent === null || task.direction === 'incoming' || !tables.agent(agent)) return;
    const text = [payload.outcome, payload.error].find(
      (words) => typeof words === 'string' && words !== '',
    );
    this.put(tables, after, {
      agent,
      kind: 'result',
      taskId: task.id,
      urgency: task.urgent ? URGENCY.urgent : URGENCY.normal,
      body: this.#body(task, messageId, 'result', {
        party: task.party,
        fromAgent: task.toAgent,
        kind: 'result',
        text: typeof text === 'string' ? text : null,
        payload,
      }),
    });
  }

  /** Tells the agent that runs a task to stop. */
  putCancel(
    tables: Tables,
    after: After,
    task: TaskRow,
    {
      messageId,
      reason,
      origin,
      by,
    }: {
      readonly by: 'asker' | 'person' | 'hub';
      readonly messageId: string;
      readonly reason: string | null;
      readonly origin: JsonObject | null;
    },
  ): void {
    if (task.toAgent === null || task.direction === 'outgoing') return;
    if (tables.deliveryOfTask(task.id, 'cancel')) return;
    const party = by === 'asker' ? task.party : OWNER_PARTY;
    const work = isOpen(task) ? tables.deliveryOfTask(task.id, 'delegate') : undefined;
    this.put(tables, after, {
      agent: task.toAgent,
      kind: 'cancel',
      taskId: task.id,
      urgency: URGENCY.urgent,
      body: {
        ...this.#body({ ...task, party }, messageId, 'cancel', {
          party,
          fromAgent: by === 'asker' ? task.fromAgent : null,
          kind: 'cancel',
          text: reason,
          payload: origin === null ? { reason } : { reason, origin },
        }),
        ...(work === undefined ? {} : { stops: work.deliveryId }),
        ...(by === 'asker' ? {} : { stopped_by: by }),
      },
    });
  }

  askerOf({ party, fromAgent }: TaskRow): Asker {
    return { peer_name: this.#parties.nameOf(party), ...this.#parties.named(party, fromAgent) };
  }

  untrusted(words: OutsideWords): Untrusted {
    const { peer_name, peer_id } = this.#parties.trustOf(words.party);
    return {
      origin: { peer_name, peer_id, ...this.#parties.named(words.party, words.fromAgent) },
      kind: words.kind,
      text: words.text === null ? null : escapeText(words.text),
      payload: escapeJson(words.payload),
      digest: null,
    };
  }

  /** Inside the commit that removes an agent: nobody takes what waits for it. */
  agentRemoved(tables: Tables, agent: string): void {
    const finishedAt = this.#clock.wallMs();
    for (const row of notDoneOf(tables, agent)) {
      tables.updateDelivery(row.deliveryId, row.state, {
        state: 'done',
        leaseUntilWallMs: null,
        finishedAt,
      });
    }
  }

  #taskEnded(tables: Tables, after: After, { task, before, ending, result }: EndedTask): void {
    this.#close(tables, task, 'delegate');
    // Nobody has it in hand any more who would have to stop.
    if (!isInHand(before) || ending.from === 'runner') this.#close(tables, task, 'cancel');
    // Whoever holds a question learns of its end by its answer.
    if (task.kind === 'query') return;
    if (isInHand(before) && ending.from !== 'runner')
      this.putCancel(tables, after, task, {
        messageId: this.#random.uuid(),
        reason: ending.reason,
        origin: null,
        by: ending.from === 'asker' ? 'asker' : 'hub',
      });
    const isWanted =
      task.direction === 'outgoing' ||
      (task.direction === 'local' && (task.reportBack || ending.from !== 'runner'));
    if (!isWanted || ending.from === 'asker') return;
    // What a person or a hub says is told in no agent's name.
    const isAgents =
      result.answered_by === undefined &&
      ending.result !== undefined &&
      ending.ended.by !== 'hub' &&
      (task.direction === 'outgoing' ? ending.ended.by === 'agent' : ending.from === 'runner');
    const { hub, agent } = answererOf(task);
    const told = {
      ...task,
      // Words of another hub that it was handed on to are not those of this one.
      party: ending.from === 'runner' ? (hub ?? task.party) : task.party,
      toAgent: isAgents ? agent : null,
    };
    const messageId = this.#random.uuid();
    const here = { ...task, toAgent: isAgents ? answererHere(task) : null };
    if (isLocal(task.party)) this.#recordLocal(tables, here, messageId);
    const isDone = ending.ended.by === 'agent' && TAKEN_ON.has(ending.ended.kind);
    // One that begins says how it is told, so here it is of one that nobody heard of before.
    const isUnheard = before.state !== 'running' && task.stopAt === null;
    if (isAgents && isDone && isUnheard) this.putAcceptance(tables, after, told, null);
    this.putResult(tables, after, told, messageId, { ...result });
  }

  /** Of some languages: that it was taken on. Once, whoever says it. */
  putAcceptance(tables: Tables, after: After, task: TaskRow, estimatedMs: number | null): void {
    const { fromAgent, party, toAgent, kind, direction, reportBack } = task;
    if (kind !== 'delegate' || direction === 'incoming' || !reportBack) return;
    if (readOrigin(readObject(task.payload))?.dialect.hasAcceptance !== true) return;
    if (fromAgent === null || !tables.agent(fromAgent)) return;
    if (tables.deliveryOfTask(task.id, 'notify') !== undefined) return;
    const payload = { topic: TASK_ACCEPTED, data: given({ estimated_ms: estimatedMs }) };
    const words = { party, fromAgent: toAgent, kind: 'notify', text: null, payload };
    this.put(tables, after, {
      agent: fromAgent,
      kind: 'notify',
      // By which it is known that it was told.
      taskId: task.id,
      urgency: task.urgent ? URGENCY.urgent : URGENCY.normal,
      body: this.#body(task, this.#random.uuid(), 'notify', words),
    });
  }

  #close(tables: Tables, task: TaskRow, kind: 'delegate' | 'cancel'): void {
    const row = tables.deliveryOfTask(task.id, kind);
    if (!row || row.state === 'done') return;
    tables.updateDelivery(row.deliveryId, row.state, {
      state: 'done',
      leaseUntilWallMs: null,
      finishedAt: this.#clock.wallMs(),
    });
  }

  #recordLocal(tables: Tables, task: TaskRow, messageId: string): void {
    const { id, toAgent: fromAgent } = task;
    tables.answerTask(id, { messageId, kind: 'result', fromAgent, at: this.#clock.wallMs() });
  }

  #body(task: TaskRow, messageId: string, kind: string, words: OutsideWords): DeliveryBody {
    return {
      conversation_id: task.conversationId,
      trust: this.#parties.trustOf(task.party),
      approval: null,
      envelope: { id: messageId, kind, ref: task.messageId, received_at: this.#clock.wallMs() },
      untrusted: this.untrusted(words),
    };
  }
}

/** Ends of what an agent had taken on. */
const TAKEN_ON: ReadonlySet<EndedKind | null> = new Set(['completed', 'partial', 'failed']);
const NOT_DONE = DELIVERY_STATES.filter((state) => state !== 'done');
/** Items read at once. */
const DELIVERIES_PAGE = 500;

function* notDoneOf(reads: Reads, agent: string): Generator<DeliveryRow> {
  for (let afterSeq = 0; ;) {
    const rows = reads.deliveriesOfAgent(agent, NOT_DONE, { limit: DELIVERIES_PAGE, afterSeq });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    afterSeq = last.seq;
  }
}
