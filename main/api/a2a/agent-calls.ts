// One client's calls of one agent: each is a few operations of the table, called through the door
// as at any other. None of them decides anything.
import type { AgentDto, TaskDto } from '../../../preload/contract/dto.ts';
import type {
  OperationInput,
  OperationName,
  OperationResult,
} from '../../../preload/contract/operations.ts';
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Clock } from '../../ports/clock.ts';
import { labelOf } from '../../services/tasks/conversation-ids.ts';
import { partyOfAgent } from '../../services/tasks/parties.ts';
import type { Caller } from '../caller.ts';
import type { Door } from '../door/door.ts';
import { pathOf, recipientOf, type Address } from './addresses.ts';
import { shownThere, type Shown } from './cards.ts';
import { A2aRefusal, nothingThere } from './failures.ts';
import { LISTED_TASKS_MAX, WAIT_MS_MAX } from './limits.ts';
import { noSuchTask, type Asked, type Listing } from './requests.ts';
import {
  a2aState,
  a2aTask,
  dataPart,
  endsWait,
  isOver,
  untrusted,
  type A2aTask,
} from './task-form.ts';

export type AgentCaller = Extract<Caller, { kind: 'agent' }>;

export interface CallsDeps {
  readonly door: Door;
  readonly clock: Clock;
  /** Calls `changed` after each change of the task, until the returned function is called. */
  readonly followTask: (taskId: string, changed: () => void) => () => void;
}

type Parties = Pick<TaskDto, 'from_agent' | 'direction' | 'peer_id' | 'to_agent'>;
type Listed = Pick<TaskDto, 'id' | 'conversation_id' | 'story'>;

/** A question is answered with a message, anything else is a task. */
export type Sent = { readonly message: JsonObject } | { readonly task: A2aTask };

export class AgentCalls {
  readonly #deps: CallsDeps;
  readonly #caller: AgentCaller;
  readonly #address: Address;
  readonly #gone: AbortController;

  /** @param gone aborted when the client goes away */
  constructor(deps: CallsDeps, caller: AgentCaller, address: Address, gone: AbortController) {
    this.#deps = deps;
    this.#caller = caller;
    this.#address = address;
    this.#gone = gone;
  }

  /** @throws AppError, as the operations do */
  async call<Name extends OperationName>(
    name: Name,
    params: OperationInput<Name>,
    idempotencyKey: string | null = null,
  ): Promise<OperationResult<Name>> {
    const asked = { gone: this.#gone, idempotencyKey, fromPage: false };
    const answer = await this.#deps.door.call(name, params, this.#caller, asked);
    return answer as OperationResult<Name>; // of this operation
  }

  /** Sends it and, where the client waits, answers when it is over or waits for a person. */
  async send(asked: Asked): Promise<Sent> {
    const sent = await this.begin(asked);
    if ('message' in sent || !asked.waits) return sent;
    return { task: await this.#settled(sent.task.id) };
  }

  /** Sends it: once for each messageId. */
  async begin(asked: Asked): Promise<Sent> {
    const { text, data, domain, conversation, messageId } = asked;
    const to = recipientOf(this.#address);
    const key = `a2a ${pathOf(this.#address)} ${messageId}`;
    const about = {
      ...(domain === undefined ? {} : { domain }),
      ...(conversation === undefined ? {} : { conversation }),
    };
    if (this.#address.at === 'peer') await this.shownThere(this.#address);
    if (await this.#onlyLooks(asked)) {
      const question = { to, question: text, deadline_ms: WAIT_MS_MAX, ...about };
      return answered(await this.call('send.query', question, key), conversation?.id);
    }
    const context = data.length === 0 ? {} : { context: { data } };
    const report = await this.call('send.delegate', { to, task: text, ...context, ...about }, key);
    return { task: await this.task(report.id) };
  }

  /** A task of this client at this agent. @throws A2aRefusal */
  async task(id: string): Promise<A2aTask> {
    const task = await this.#own(id);
    return a2aTask({ ...task, conversation_id: this.#labelOf(task) });
  }

  /** As this client calls it. */
  #labelOf({ conversation_id: id }: Pick<TaskDto, 'conversation_id'>): string {
    return labelOf(id, partyOfAgent(this.#caller.agent));
  }

  /** Its tasks at this agent, what changed last first. @throws A2aRefusal */
  async list({ isWanted, size, after, hasArtifacts }: Listing): Promise<JsonObject> {
    const found = (await this.#newest()).filter(({ task }) =>
      isWanted(this.#labelOf(task), a2aState(task.story)),
    );
    const ids = found.toSorted((one, other) => other.at - one.at).map(({ task }) => task.id);
    const from = after === '' ? 0 : ids.indexOf(after) + 1;
    if (after !== '' && from === 0)
      throw new A2aRefusal('INVALID_PARAMS', 'pageToken: there is no such page any more.');
    const tasks: A2aTask[] = [];
    for (const id of ids.slice(from, from + size)) {
      const { artifacts = [], ...task } = await this.task(id);
      tasks.push(hasArtifacts && artifacts.length > 0 ? { ...task, artifacts } : task);
    }
    const hasMore = from + size < ids.length;
    return {
      tasks,
      nextPageToken: hasMore ? (tasks.at(-1)?.id ?? '') : '',
      pageSize: size,
      totalSize: ids.length,
    };
  }

  async #newest(): Promise<readonly { readonly task: Listed; readonly at: number }[]> {
    const found: { readonly task: Listed; readonly at: number }[] = [];
    let cursor: string | undefined;
    for (let seen = 0; seen < LISTED_TASKS_MAX;) {
      const limit = Math.min(200, LISTED_TASKS_MAX - seen);
      const page = { limit, ...(cursor === undefined ? {} : { cursor }) };
      const { items, next } = await this.call('tasks.list', page);
      // Words would take much room, and are not needed yet.
      for (const { id, conversation_id, story, ...task } of items)
        if (task.kind === 'delegate' && this.#isOwn(task))
          found.push({
            task: { id, conversation_id, story },
            at: task.finished_at ?? task.created_at,
          });
      if (next === null) break;
      seen += Math.max(1, items.length);
      cursor = next;
    }
    return found;
  }

  async cancel(id: string): Promise<A2aTask> {
    await this.#own(id);
    try {
      await this.call('tasks.cancel', { id });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
      throw new A2aRefusal('TASK_NOT_CANCELABLE', error.message, error.hint);
    }
    return this.task(id);
  }

  /** The task now, and after each change until it is over or `signal` says so. */
  async *changes(id: string, signal: AbortSignal): AsyncGenerator<A2aTask> {
    let changed = Promise.withResolvers<void>();
    const ring = (): void => changed.resolve();
    const stop = this.#deps.followTask(id, ring);
    signal.addEventListener('abort', ring, { once: true });
    try {
      while (!signal.aborted) {
        changed = Promise.withResolvers<void>();
        const task = await this.task(id);
        yield task;
        if (isOver(task)) return;
        await changed.promise;
      }
    } finally {
      stop();
      signal.removeEventListener('abort', ring);
    }
  }

  async #settled(id: string): Promise<A2aTask> {
    const over = new AbortController();
    const end = (): void => over.abort();
    const timer = this.#deps.clock.setTimer(WAIT_MS_MAX, end);
    this.#gone.signal.addEventListener('abort', end, { once: true });
    try {
      for await (const task of this.changes(id, over.signal)) if (endsWait(task)) return task;
      return await this.task(id);
    } finally {
      timer.cancel();
      this.#gone.signal.removeEventListener('abort', end);
    }
  }

  async #own(id: string): Promise<TaskDto> {
    let task: TaskDto;
    try {
      task = await this.call('tasks.get', { id });
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') throw noSuchTask();
      throw error;
    }
    if (!this.#isOwn(task)) throw noSuchTask();
    return task;
  }

  #isOwn({ from_agent: asker, direction, peer_id: hub, to_agent: agent }: Parties): boolean {
    if (asker !== this.#caller.agent) return false;
    const address = this.#address;
    if (address.at === 'here') return direction === 'local' && agent === address.agent;
    const isThere = direction === 'outgoing' && hub === address.hub;
    return isThere && (address.agent === null || agent === address.agent);
  }

  /**
   * What the card says of the agent of another hub. Each has one path: what was sent to it by
   * another name would not be found again.
   * @throws AppError not_found, peer_not_found
   */
  async shownThere({ hub, agent }: Extract<Address, { at: 'peer' }>): Promise<Shown> {
    const peer = await this.call('peers.get', { id: hub });
    const shown = peer.id === hub ? shownThere(peer, agent) : undefined;
    if (shown === undefined) throw nothingThere();
    return shown;
  }

  /** Whether nobody has to be asked: then the answer comes at once, and needs no task. */
  async #onlyLooks({ domain, data, waits }: Asked): Promise<boolean> {
    if (this.#address.at !== 'here') return false;
    const agent = await this.call('agents.get', { name: this.#address.agent });
    return waits && data.length === 0 && domain !== undefined && looksOnly(agent, domain);
  }
}

function looksOnly({ risk_class: own, domains }: AgentDto, domain: string): boolean {
  const area = domains.find((one) => one.domain === domain && one.offered !== false);
  return area !== undefined && (area.risk_class ?? own) === 'R0';
}

function answered(
  { id, untrusted: answer }: OperationResult<'send.query'>,
  contextId: string | undefined,
): Sent {
  const by = answer?.answered_by ?? null;
  return {
    message: {
      messageId: id,
      role: 'ROLE_AGENT',
      ...(contextId === undefined ? {} : { contextId }),
      parts: [{ text: answer?.summary ?? '' }, ...dataPart(answer?.data)],
      metadata: untrusted(by === null ? {} : { by }),
    },
  };
}
