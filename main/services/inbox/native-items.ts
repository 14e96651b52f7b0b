// An inbox item in the dialect of the agent that gets it: the message itself if it was written in
// that dialect, else one made of its AXON fields. Reads only what is delivered anyway.
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import type { AxonMessage, Dialect, Reading } from '../../dialects/dialect.ts';
import { dialectNamed } from '../../dialects/index.ts';
import { given } from '../../dialects/members.ts';
import { readOrigin, workIn } from '../../dialects/origin.ts';
import { isJsonObject, readObject, type JsonObject } from '../../lib/json-object.ts';
import type { Store, TaskRow } from '../../ports/store.ts';
import { askedIdsOf, idsOf } from '../tasks/acceptance.ts';
import { OWN_TASKS_LOOKED_THROUGH } from './limits.ts';

interface Deps {
  readonly store: Pick<Store, 'read'>;
}

type Origin = DeliveryDto['untrusted']['origin'];

/** What an answer is about, by the hub, and of a notice who said it. */
interface Answered {
  readonly ids: readonly string[];
  readonly task?: TaskRow | undefined;
  readonly by?: Origin | undefined;
}

export class NativeItems {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** undefined: the agent speaks AXON. */
  dialectOf(agent: string): Dialect | undefined {
    return dialectNamed(this.#deps.store.read.agent(agent)?.dialect);
  }

  /** Adds `untrusted.native` where the agent speaks a dialect. */
  show(agent: string, item: DeliveryDto): DeliveryDto {
    const dialect = this.dialectOf(agent);
    if (dialect === undefined) return item;
    const native = this.nativeOf(dialect, agent, item);
    return { ...item, untrusted: { ...item.untrusted, native } };
  }

  nativeOf(dialect: Dialect, agent: string, item: DeliveryDto): JsonObject {
    const { untrusted, kind, envelope } = item;
    // The answer to a question was written when it came.
    if (isJsonObject(untrusted.native)) return untrusted.native;
    const whole = isJsonObject(untrusted.payload) ? untrusted.payload : {};
    const origin = readOrigin(whole);
    const task = this.#taskOf(item);
    if (origin?.dialect === dialect) {
      const isAnswer = kind === 'result' || kind === 'notify';
      const by = kind === 'notify' ? untrusted.origin : undefined;
      const asked = { ids: task === undefined ? [] : idsOf(task), task, by };
      if (!isAnswer || !this.answersAnother(dialect, agent, origin.message, asked))
        return origin.message;
    }
    const { origin: _, accepts, ...fields } = whole;
    // A language without a word for it finds what is accepted, and why it is asked, with the task.
    const { reason } = kind === 'delegate' ? fields : {};
    const beside = given({ accepts, reason });
    const context = isJsonObject(fields['context']) ? fields['context'] : {};
    const isMore = Object.keys(beside).length > 0;
    const payload = isMore ? { ...fields, context: { ...beside, ...context } } : fields;
    const { from_agent: from, peer_name: hub } = untrusted.origin;
    return dialect.write({
      kind,
      id: envelope.id,
      at: envelope.received_at,
      from: from ?? hub,
      to: agent,
      conversation: item.conversation_id ?? envelope.id,
      payload,
      answers: answeredIn(dialect, task),
      work: kind === 'delegate' ? workIn(whole) : undefined,
      isTakenOn: task !== undefined && failedAtIt(task),
    });
  }

  /** What an agent sent: as it wrote it, or made of its AXON fields. @param about its request */
  writtenBy(
    dialect: Dialect,
    { about, ...message }: Omit<AxonMessage, 'answers'> & { readonly about: TaskRow | undefined },
  ): JsonObject {
    const { origin: _, ...payload } = message.payload;
    const origin = readOrigin(message.payload);
    if (origin?.dialect === dialect) return origin.message;
    const isTakenOn = about !== undefined && failedAtIt(about);
    return dialect.write({ ...message, payload, answers: answeredIn(dialect, about), isTakenOn });
  }

  /**
   * Whether an answer's message names another request of the agent as the one that it answers:
   * whoever had the one could settle the other by that. It may go on with what the same agent asked
   * of the same hub in the same conversation, and whoever has a request may say something of it.
   */
  answersAnother(
    dialect: Dialect,
    agent: string,
    message: JsonObject,
    { ids, task, by }: Answered,
  ): boolean {
    const read = dialect.read(message, true);
    const replyTo = read.ok ? read.value.replyTo : null;
    if (replyTo === null || ids.includes(replyTo)) return false;
    const named = this.own(agent, { replyTo, conversation: null });
    return (
      named.length > 0 &&
      !named.some(
        (one) =>
          (one.party === task?.party && one.conversationId === task.conversationId) ||
          (by !== undefined && this.#isWith(one, by)),
      )
    );
  }

  #isWith({ party, toAgent }: TaskRow, { peer_id: hub, from_agent: agent }: Origin): boolean {
    const there = this.#deps.store.read.peer(party)?.agentId ?? null;
    return toAgent !== null && toAgent === agent && there === hub;
  }

  /** An agent's own requests that a message refers to, the newest first. */
  own(
    agent: string,
    { replyTo, conversation }: Pick<Reading, 'replyTo' | 'conversation'>,
  ): readonly TaskRow[] {
    const page = { limit: OWN_TASKS_LOOKED_THROUGH };
    const all = this.#deps.store.read
      .tasks(page, { agent })
      .filter(({ direction, fromAgent }) => direction !== 'incoming' && fromAgent === agent);
    if (replyTo === null) return all.filter((one) => one.conversationId === conversation);
    // Whoever answers chooses the id of the answer, and not that of another request.
    const asked = all.filter((one) => askedIdsOf(one).includes(replyTo));
    return asked.length > 0 ? asked : all.filter((one) => idsOf(one).includes(replyTo));
  }

  #taskOf({ kind, task_id, envelope, trust }: DeliveryDto): TaskRow | undefined {
    const { read } = this.#deps.store;
    if (kind === 'result' || kind === 'cancel')
      return task_id === null ? undefined : read.task(task_id);
    if (kind !== 'notify' || envelope.ref === null) return undefined;
    const peer = read.peers().find(({ agentId }) => agentId === trust.peer_id);
    return peer === undefined
      ? read.task(envelope.ref)
      : (read.taskByMessage('outgoing', peer.key, envelope.ref) ??
          // What an agent there asked of the people here, of which this one is told.
          read.taskByMessage('incoming', peer.key, envelope.ref));
  }
}

/** Whether its agent had it, and says that it failed: it refused nothing, whatever its code. */
function failedAtIt({ endedBy, endedKind }: Pick<TaskRow, 'endedBy' | 'endedKind'>): boolean {
  return endedBy === 'agent' && endedKind === 'failed';
}

/** The request that an answer, a cancel or a notice is about, as the agent wrote or read it. */
function answeredIn(dialect: Dialect, task: TaskRow | undefined): AxonMessage['answers'] {
  if (task === undefined) return null;
  const origin = readOrigin(readObject(task.payload));
  return {
    id: task.messageId,
    at: task.receivedAt,
    message: origin?.dialect === dialect ? origin.message : null,
  };
}
