// An agent as a careful program is written: it says "I have it" before it works, writes down what
// it began so that it never works an item twice, and repeats what it was not answered. It is its
// own process: it may die, and its journal outlives it.
import type { AnswerCache } from '../../main/api/door/answer-cache.ts';
import { AppError } from '../../main/lib/app-error.ts';
import type { AgentReply } from '../../main/services/inbox/agent-reply.ts';
import type { TaskServices } from '../../main/app/task-services.ts';
import type { DeliveryDto, SendReportDto } from '../../preload/contract/dto.ts';
import type { OperationParams } from '../../preload/contract/operations.ts';
import type { Chance } from './chance.ts';
import type { Ledger } from './ledger.ts';
import { AGENTS, HubGone, type Ask, type SimHub } from './sim-hub.ts';
import type { World } from './world.ts';

const CLAIM_PAUSE_MS = 2_000;
const ASK_PAUSE_MS = 9_000;

/** This life of the program is over. */
class Died extends Error {}

interface Begun {
  reply: AgentReply | undefined;
  isTold: boolean;
}

interface Asking {
  readonly key: string;
  readonly params: OperationParams<'send.delegate'>;
  taskId: string | undefined;
}

export interface Household {
  readonly world: World;
  readonly ledger: Ledger;
  readonly hubs: readonly SimHub[];
  /** Nothing new is asked any more. */
  isClosing: boolean;
  number: number;
}

export class AgentProgram {
  readonly #household: Household;
  readonly #hub: SimHub;
  readonly #name: string;
  readonly #chance: Chance;
  /** Outlives the program: what it began, and what it asked without having been answered. */
  readonly #journal = new Map<string, Begun>();
  readonly #asking = new Map<string, Asking>();
  readonly #cancelled = new Set<string>();
  #toAsk: number;
  #life = 0;
  #away = new AbortController();

  constructor(household: Household, hub: SimHub, name: string) {
    this.#household = household;
    this.#hub = hub;
    this.#name = name;
    this.#chance = household.world.chance.fork();
    this.#toAsk = this.#chance.whole(1, 4);
  }

  start(): void {
    const life = ++this.#life;
    this.#away = new AbortController();
    this.#spawn(this.#resume(life));
    this.#spawn(this.#claimOn(life));
    this.#spawn(this.#askOn(life));
  }

  /** What it still means to tell or to ask; the sentence says so. */
  get unrest(): string | undefined {
    const name = `${this.#hub.name}/${this.#name}`;
    if (this.#asking.size > 0) return `${name} has not been answered`;
    const untold = [...this.#journal.values()].some(
      ({ reply, isTold }) => reply !== undefined && !isTold,
    );
    return untold ? `${name} has not reported` : undefined;
  }

  /** Dies, and is started again after a while. */
  crash(): void {
    this.#life++;
    this.#away.abort();
    this.#household.world.trace(`${this.#hub.name}/${this.#name} dies`);
    this.#household.world.after(this.#chance.between(100, 10_000), () => this.start());
  }

  #spawn(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (error instanceof Died) return;
      this.#household.world.found(
        `${this.#hub.name}/${this.#name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    });
  }

  async #claimOn(life: number): Promise<void> {
    for (;;) {
      await this.#sleep(life, this.#chance.wait(CLAIM_PAUSE_MS));
      const max = this.#chance.whole(1, 4);
      const leaseMs = this.#chance.whole(2_000, 20_000);
      const request = { max, wait_ms: this.#chance.whole(2_000, 40_000), lease_ms: leaseMs };
      const items = this.#chance.maybe(0.15)
        ? await this.#ask(life, 'claim', (work) => work.inbox.claim(this.#name, max, leaseMs))
        : await this.#ask(life, 'claimWaiting', (work, signal) =>
            work.inbox.claimWaiting(this.#name, request, signal),
          );
      for (const item of items ?? []) this.#spawn(this.#take(life, item));
    }
  }

  async #take(life: number, item: DeliveryDto): Promise<void> {
    this.#household.ledger.handed(this.#hub, item);
    if (item.kind === 'delegate') return this.#work(life, item);
    if (item.kind === 'query') return this.#answer(life, item);
    if (item.kind === 'cancel' && item.task_id !== null) this.#cancelled.add(item.task_id);
    await this.#sleep(life, this.#chance.wait(200));
    if (this.#chance.maybe(0.05)) return;
    await this.#acknowledge(life, item);
  }

  async #answer(life: number, item: DeliveryDto): Promise<void> {
    await this.#sleep(life, this.#chance.wait(1_000));
    if (this.#chance.maybe(0.2)) return;
    const reply: AgentReply = { status: 'completed', summary: 'Yes.', truncated: false };
    await this.#ask(life, 'answer', (work) =>
      work.inbox.reply(this.#name, item.delivery_id, reply),
    );
  }

  async #work(life: number, item: DeliveryDto): Promise<void> {
    const chance = this.#chance;
    const plan = chance.weighted({ work: 80, forget: 7, giveBack: 6, refuse: 5, die: 2 });
    await this.#sleep(life, chance.wait(500));
    if (plan === 'forget') return;
    if (plan === 'die') return this.crash();
    if (plan === 'giveBack')
      return void (await this.#ask(life, 'nack', (work) =>
        work.inbox.nack(this.#name, item.delivery_id),
      ));
    if (plan === 'refuse') {
      const refusal: AgentReply = {
        status: 'failed',
        error: 'Not now.',
        code: 'rejected',
        truncated: false,
      };
      return void (await this.#ask(life, 'refuse', (work) =>
        work.inbox.reply(this.#name, item.delivery_id, refusal),
      ));
    }
    if (chance.maybe(0.1)) {
      await this.#ask(life, 'extend', (work) =>
        work.inbox.extend(this.#name, item.delivery_id, 5_000, null),
      );
      await this.#sleep(life, chance.wait(1_000));
    }
    if (!(await this.#acknowledge(life, item)) || this.#journal.has(item.delivery_id)) return;
    const begun: Begun = { reply: undefined, isTold: false };
    this.#journal.set(item.delivery_id, begun);
    this.#household.ledger.executes(this.#hub, item);
    await this.#sleep(life, chance.wait(4_000));
    if (chance.maybe(0.2)) {
      await this.#ask(life, 'progress', (work) =>
        work.inbox.extend(this.#name, item.delivery_id, 5_000, 'half of it'),
      );
      await this.#sleep(life, chance.wait(2_000));
    }
    if (chance.maybe(0.05)) return this.crash();
    begun.reply = this.#outcome(item);
    if (chance.maybe(0.05)) return this.crash();
    await this.#tell(life, item.delivery_id, begun);
  }

  #outcome(item: DeliveryDto): AgentReply {
    if (item.task_id !== null && this.#cancelled.has(item.task_id) && this.#chance.maybe(0.7)) {
      return { status: 'failed', error: 'Stopped.', code: 'cancelled', truncated: false };
    }
    const status = this.#chance.weighted({ completed: 8, partial: 1, failed: 1 });
    return { status, outcome: `did ${item.untrusted.text ?? ''}`, truncated: false };
  }

  /** Reports until the hub has answered, whatever it answers. */
  async #tell(life: number, deliveryId: string, begun: Begun): Promise<void> {
    const { reply } = begun;
    if (reply === undefined) return;
    while (!begun.isTold) {
      const answered = await this.#ask(
        life,
        'reply',
        async (work) => work.inbox.reply(this.#name, deliveryId, reply),
        true,
      );
      if (answered === undefined) {
        await this.#sleep(life, this.#chance.wait(3_000));
        continue;
      }
      begun.isTold = true;
      if (!('state' in answered)) return;
      const { state } = answered;
      const what = `${this.#hub.name}: the task of ${deliveryId} is ${state}`;
      this.#household.ledger.promised(
        what,
        () =>
          this.#hub.reads.task(this.#hub.reads.delivery(deliveryId)?.taskId ?? '')?.state === state,
      );
    }
  }

  /** "I have it", until the hub has answered. True when it is this agent's to do now. */
  async #acknowledge(life: number, item: DeliveryDto): Promise<boolean> {
    for (;;) {
      const answered = await this.#ask(
        life,
        'ack',
        (work) => work.inbox.ack(this.#name, item.delivery_id, null),
        true,
      );
      if (answered === undefined) {
        await this.#sleep(life, this.#chance.wait(3_000));
        continue;
      }
      if (answered instanceof AppError) return false;
      this.#household.ledger.acked(item);
      const what = `${this.#hub.name}: ${item.kind} ${item.delivery_id} is taken`;
      this.#household.ledger.promised(
        what,
        () =>
          !['queued', 'claimed'].includes(
            this.#hub.reads.delivery(item.delivery_id)?.state ?? 'queued',
          ),
      );
      return true;
    }
  }

  /**
   * What the life before left open: reports that were not answered, items that were held, requests
   * whose fate is not known.
   */
  async #resume(life: number): Promise<void> {
    for (const [deliveryId, begun] of this.#journal)
      if (!begun.isTold) this.#spawn(this.#tell(life, deliveryId, begun));
    for (const asking of this.#asking.values()) this.#spawn(this.#send(life, asking));
    await this.#ask(life, 'give back', (work) => work.inbox.giveBack(this.#name, '0', 10));
  }

  async #askOn(life: number): Promise<void> {
    while (this.#toAsk > 0) {
      await this.#sleep(life, this.#chance.wait(ASK_PAUSE_MS));
      if (this.#household.isClosing) return;
      this.#toAsk--;
      const what = this.#chance.weighted({ delegate: 82, query: 10, notify: 8 });
      if (what === 'delegate') this.#spawn(this.#delegate(life));
      else if (what === 'query') await this.#query(life);
      else
        await this.#ask(life, 'notify', (work) =>
          work.sender.notify(
            { to: this.#recipient(), topic: 'news', data: 1, importance: 'low' },
            this.#name,
          ),
        );
    }
  }

  async #query(life: number): Promise<void> {
    this.#household.ledger.counts.queries += 1;
    const params: OperationParams<'send.query'> = {
      to: this.#recipient(),
      question: `question ${++this.#household.number}`,
      deadline_ms: this.#chance.whole(2_000, 20_000),
    };
    await this.#ask(life, 'query', (work, signal) => work.sender.query(params, this.#name, signal));
  }

  async #delegate(life: number): Promise<void> {
    const chance = this.#chance;
    const number = ++this.#household.number;
    const text = `task ${number} from ${this.#hub.name} ${this.#name}, word${number}`;
    const params: OperationParams<'send.delegate'> = {
      to: this.#recipient(),
      task: text,
      priority: chance.maybe(0.2) ? 'urgent' : 'normal',
      report_back: chance.maybe(0.85),
      deadline_ms: Math.round(chance.between(2_000, 20_000) + chance.wait(25_000)),
      ...(chance.maybe(0.1) ? { domain: `${chance.pick(AGENTS)}.danger` } : {}),
      ...(chance.maybe(0.3) ? { conversation: { id: `talk ${chance.whole(1, 3)}` } } : {}),
    };
    this.#household.ledger.asked(text);
    const asking: Asking = { key: `key ${number}`, params, taskId: undefined };
    this.#asking.set(asking.key, asking);
    await this.#send(life, asking);
  }

  /** Asks under one key until there is an answer. */
  async #send(life: number, asking: Asking): Promise<void> {
    const { ledger } = this.#household;
    for (;;) {
      const report = await this.#ask(
        life,
        'delegate',
        (work, _signal, door) => this.#post(work, door, asking),
        true,
      );
      if (report === undefined) {
        await this.#sleep(life, this.#chance.wait(2_000));
        continue;
      }
      if (report instanceof AppError) {
        if (report.code === 'idempotency_mismatch')
          this.#household.world.found(
            `${this.#hub.name}: one key, one request, and yet a mismatch`,
          );
        if (
          ERRORS_TO_REPEAT.has(report.code) &&
          !this.#household.isClosing &&
          this.#chance.maybe(0.5)
        ) {
          await this.#sleep(life, this.#chance.wait(5_000));
          continue;
        }
        this.#asking.delete(asking.key);
        return;
      }
      ledger.promised(
        `${this.#hub.name}: task ${report.id} is there`,
        () => this.#hub.reads.task(report.id) !== undefined,
      );
      if (asking.taskId !== undefined && asking.taskId !== report.id && !ledger.isLate) {
        this.#household.world.found(
          `${this.#hub.name}: one key, one request, and two tasks: ${asking.taskId} and ${report.id}`,
        );
      }
      const isFirst = asking.taskId === undefined;
      asking.taskId = report.id;
      if (isFirst && this.#chance.maybe(0.15)) {
        // It lost the answer, or did not trust it.
        await this.#sleep(life, this.#chance.wait(10_000));
        continue;
      }
      this.#asking.delete(asking.key);
      return this.#follow(life, report);
    }
  }

  async #post(
    work: TaskServices,
    door: AnswerCache,
    { key, params }: Asking,
  ): Promise<SendReportDto> {
    const call = {
      who: `agent:${this.#name}`,
      operation: 'send.delegate',
      key,
      params,
      gone: this.#away.signal,
    };
    return door.once(call, () => work.sender.delegate(params, this.#name, key));
  }

  /** Sometimes it is called off after all. */
  async #follow(life: number, report: SendReportDto): Promise<void> {
    if (!this.#chance.maybe(0.2)) return;
    await this.#sleep(life, this.#chance.wait(6_000));
    const done = await this.#ask(life, 'cancel', (work) =>
      work.tasks.cancel(report.id, { agent: this.#name }, 'changed my mind'),
    );
    if (done?.state !== 'cancelled') return;
    this.#household.ledger.promised(
      `${this.#hub.name}: task ${report.id} is cancelled`,
      () => this.#hub.reads.task(report.id)?.state === 'cancelled',
    );
  }

  #recipient(): string {
    const agent = this.#chance.pick(AGENTS);
    const other = AGENTS.find((name) => name !== this.#name) ?? agent;
    const hub = this.#chance.pick(this.#household.hubs);
    return hub === this.#hub ? `local/${other}` : `${hub.name}/${agent}`;
  }

  async #sleep(life: number, delayMs: number): Promise<void> {
    await this.#household.world.sleep(delayMs);
    if (life !== this.#life) throw new Died();
  }

  /**
   * The hub's answer; undefined when there was none. A refusal is undefined too, unless the caller
   * wants it.
   */
  async #ask<T>(life: number, what: string, ask: Ask<T>): Promise<T | undefined>;
  async #ask<T>(
    life: number,
    what: string,
    ask: Ask<T>,
    wantsRefusal: true,
  ): Promise<T | AppError | undefined>;
  async #ask<T>(
    life: number,
    what: string,
    ask: Ask<T>,
    wantsRefusal = false,
  ): Promise<T | AppError | undefined> {
    const answer = await this.#answerOrRefusal(what, ask);
    if (life !== this.#life) throw new Died();
    return answer instanceof AppError && !wantsRefusal ? undefined : answer;
  }

  async #answerOrRefusal<T>(what: string, ask: Ask<T>): Promise<T | AppError | undefined> {
    try {
      return await this.#hub.call(`${this.#name} ${what}`, ask, this.#away.signal);
    } catch (error) {
      if (error instanceof AppError) return error.code === 'storage_failed' ? undefined : error;
      if (error instanceof HubGone) return undefined;
      throw error;
    }
  }
}

const ERRORS_TO_REPEAT: ReadonlySet<string> = new Set([
  'peer_unreachable',
  'overloaded',
  'rate_limited',
  'peer_not_found',
]);
