// One item of an agent of elsewhere, from the moment it is taken until it is over. It is sent once:
// what may have arrived is never sent again. Once the agent there has named its task, that is kept,
// and asked for after a restart.
import type { DeliveryDto } from '../../../preload/contract/dto.ts';
import { AppError, messageOf } from '../../lib/app-error.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { shortened } from '../../lib/shortened.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { AgentReply } from '../inbox/agent-reply.ts';
import type { Inbox } from '../inbox/inbox.ts';
import type { A2aClient } from './a2a-client.ts';
import { everLess, sentOf, taskOf, type Standing } from './answers.ts';
import { ERROR_MAX_CHARACTERS, STOP_GRACE_MS, TASK_BACKOFF } from './limits.ts';

export interface ItemCallDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly inbox: Inbox;
  readonly client: A2aClient;
  readonly agent: string;
  readonly host: string;
  readonly endpoint: string;
  /** Writes down which task there it is, or that it is over. */
  readonly keep: (delivery: string, task: string | null) => Promise<void>;
}

export class ItemCall {
  readonly #deps: ItemCallDeps;
  readonly #item: DeliveryDto;
  /** Aborted when the hub stops: what is under way there is asked for at the next start. */
  readonly #stopping: AbortSignal;
  #task: string | null;
  #isCancelled = false;
  #wake: () => void = () => undefined;

  /** @param task the task there, where it was named in the run before */
  constructor(deps: ItemCallDeps, item: DeliveryDto, task: string | null, stopping: AbortSignal) {
    this.#deps = deps;
    this.#item = item;
    this.#task = task;
    this.#stopping = stopping;
  }

  get taskId(): string | null {
    return this.#item.task_id;
  }

  /** Takes it, sends it, and follows it. Never rejects. */
  async run(): Promise<void> {
    const { inbox, agent, log } = this.#deps;
    const { delivery_id: id, attempt } = this.#item;
    try {
      // From here on it is never delivered again by itself.
      await inbox.ack(agent, id, null, attempt);
      await this.#send();
    } catch (error) {
      log.debug('an item for an agent of elsewhere is over', { error: messageOf(error) });
    }
  }

  /** What the run before had begun: its task is asked for, or nobody knows. Never rejects. */
  async resume(): Promise<void> {
    try {
      if (this.#task === null) await this.#unclear();
      else await this.#follow(this.#task);
    } catch (error) {
      this.#deps.log.debug('an item of the run before is over', { error: messageOf(error) });
    }
  }

  /** Whoever asked wants it stopped: that is passed on, and its answer ends it. */
  cancel(): void {
    this.#isCancelled = true;
    this.#wake();
  }

  async #send(): Promise<void> {
    const { client, endpoint, host } = this.#deps;
    const { signal, done } = this.#patiently();
    const called = await client.rpc(endpoint, 'SendMessage', this.#message(), signal);
    done();
    switch (called.kind) {
      case 'result':
        return this.#standing(sentOf(called.result));
      case 'refused':
        return this.#reply({
          status: 'failed',
          error: refusalWords(host, called.code, called.words),
          code: called.code === 401 || called.code === 403 ? 'not_authorized' : 'internal',
          truncated: false,
        });
      case 'not_there':
        return this.#reply({
          status: 'failed',
          error: `${host} could not be reached; nothing was sent.`,
          code: 'unhandled',
          truncated: false,
        });
      case 'unclear':
        return this.#unclear();
    }
  }

  /** A hub that stops waits a moment for the answer: else nobody would know what became of it. */
  #patiently(): { readonly signal: AbortSignal; readonly done: () => void } {
    const { clock } = this.#deps;
    const given = new AbortController();
    const stopping = this.#stopping;
    const wait = (): unknown => clock.setTimer(STOP_GRACE_MS, () => given.abort());
    if (stopping.aborted) given.abort();
    else stopping.addEventListener('abort', wait, { once: true });
    return { signal: given.signal, done: () => stopping.removeEventListener('abort', wait) };
  }

  #message(): JsonObject {
    const { delivery_id: messageId, conversation_id: contextId, untrusted } = this.#item;
    const { text, payload } = untrusted;
    const context = isJsonObject(payload) && isJsonObject(payload.context) ? payload.context : null;
    return {
      message: {
        messageId,
        role: 'ROLE_USER',
        ...(contextId === null ? {} : { contextId }),
        parts: [{ text: text ?? '' }, ...(context === null ? [] : [{ data: context }])],
      },
      configuration: { returnImmediately: true },
    };
  }

  async #standing(standing: Standing): Promise<void> {
    if (standing.kind === 'over') return this.#reply(standing.report);
    if (standing.kind === 'unreadable') return this.#unclear();
    await this.#deps.keep(this.#item.delivery_id, standing.id);
    this.#task = standing.id;
    await this.#follow(standing.id);
  }

  /** Asks for it until it is over there, or here. */
  async #follow(task: string): Promise<void> {
    const { client, endpoint, random } = this.#deps;
    let isPassedOn = false;
    for (let looks = 0; !this.#stopping.aborted; looks += 1) {
      await this.#pause(backoffMs(looks, random.fraction(), TASK_BACKOFF));
      if (this.#stopping.aborted) return;
      const stops = this.#isCancelled && !isPassedOn;
      const method = stops ? 'CancelTask' : 'GetTask';
      const called = await client.rpc(endpoint, method, { id: task }, this.#stopping);
      // What it refuses to cancel goes on, and is asked for again.
      if (stops && called.kind !== 'not_there') {
        isPassedOn = true;
        looks = 0;
      }
      if (called.kind === 'result') {
        const standing = taskOf(called.result, task);
        if (standing.kind !== 'open') return this.#standing(standing);
        if (standing.asks && !this.#isCancelled) return this.#cannotAnswer(task, standing.says);
        await this.#tell(standing.says);
      } else if (called.kind === 'refused' && !stops && called.code === TASK_NOT_FOUND)
        return this.#unclear();
      if (this.#isOpen()) continue;
      // It ended here meanwhile, as by its deadline: nobody waits for it there either.
      if (!isPassedOn) await client.rpc(endpoint, 'CancelTask', { id: task }, this.#stopping);
      return;
    }
  }

  /** Nobody here can answer what it asks: it is cancelled there, and ends with its words. */
  async #cannotAnswer(task: string, says: string): Promise<void> {
    const { client, endpoint, host } = this.#deps;
    await client.rpc(endpoint, 'CancelTask', { id: task }, this.#stopping);
    await this.#reply({
      status: 'failed',
      error: `${host} asks for more, which this hub cannot give. ${says}`.trim(),
      code: 'not_understood',
      truncated: false,
    });
  }

  /** Nobody knows whether it was done, so nobody does it again. */
  async #unclear(): Promise<void> {
    const { inbox, agent } = this.#deps;
    const { delivery_id: id, attempt } = this.#item;
    await inbox.nack(agent, id, attempt, true);
    await this.#deps.keep(id, null);
  }

  async #reply(report: AgentReply): Promise<void> {
    const { inbox, agent } = this.#deps;
    const { delivery_id: id, attempt } = this.#item;
    const isUnasked = report.status === 'cancelled' && !this.#isCancelled;
    const meant: AgentReply = isUnasked ? { ...report, status: 'failed' } : report;
    let refused: unknown;
    for (const told of everLess(meant)) {
      try {
        await inbox.reply(agent, id, told, attempt);
        return await this.#deps.keep(id, null);
      } catch (error) {
        if (!(error instanceof AppError) || !UNFIT.has(error.code)) throw error;
        refused = error;
      }
    }
    throw refused;
  }

  #said = '';
  async #tell(says: string): Promise<void> {
    if (says === '' || says === this.#said) return;
    this.#said = says;
    const { inbox, agent } = this.#deps;
    const { delivery_id: id, attempt } = this.#item;
    // It may have ended meanwhile, which is seen next.
    await inbox.extend(agent, id, 60_000, says, attempt).catch(() => undefined);
  }

  #isOpen(): boolean {
    const { inbox, agent } = this.#deps;
    return inbox.open(agent).some(({ delivery_id: id }) => id === this.#item.delivery_id);
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.#deps.clock.setTimer(ms, resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
      this.#stopping.addEventListener('abort', this.#wake, { once: true });
    });
    this.#stopping.removeEventListener('abort', this.#wake);
    this.#wake = () => undefined;
  }
}

const TASK_NOT_FOUND = -32001;
/** Refusals of an answer for what is in it. */
const UNFIT: ReadonlySet<string> = new Set(['payload_too_large', 'bad_request']);

function refusalWords(host: string, code: number, words: string): string {
  if (words !== '') return shortened(words, ERROR_MAX_CHARACTERS);
  const isElsewhere = code >= 300 && code < 400;
  return isElsewhere
    ? `${host} sends its callers elsewhere, which this hub does not follow.`
    : `${host} refused it with the status ${code}.`;
}
