// The webhooks that wake agents: their owner sets one, and it is called when something new waits
// and nobody takes it. A call is written down before it is made and never made twice for the same
// items, unless it is certain that it woke nobody. Started for every agent here and nowhere else.
import * as v from 'valibot';
import { WEBHOOK_OUTCOMES, WEBHOOK_PRESETS } from '../../../preload/contract/closed-lists.ts';
import type { AgentDto, WebhookCallDto, WebhookDto } from '../../../preload/contract/dto.ts';
import type { OperationParams, OperationResult } from '../../../preload/contract/operations.ts';
import { inputError, messageOf } from '../../lib/app-error.ts';
import { backoffMs } from '../../lib/backoff.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { Secret } from '../../lib/secret.ts';
import { StoredRows } from '../../lib/stored-value.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Reads, Store, Tables } from '../../ports/store.ts';
import type { CallOutside, OutsideAnswer } from '../../ports/outside.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { Actor, AuditTrail } from '../base/audit-trail.ts';
import type { SealedSecrets } from '../base/sealed-secrets.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import type { Inbox } from './inbox.ts';
import type { WaitingItem } from './items.ts';
import { WEBHOOK_BACKOFF, WEBHOOK_LOOK_AGAIN_MS, WEBHOOK_SETTLE_MS } from './limits.ts';
import type { WakeUp, WakeUps } from './wake-ups.ts';
import { portOf, wakeIdOf, webhookAddress, webhookCall, webhookSecret } from './webhook-forms.ts';

const ROW = v.object({
  agent: v.string(),
  preset: v.picklist(WEBHOOK_PRESETS),
  address: v.string(),
  /** Sealed; null: it needs none. */
  secret: v.nullable(v.string()),
  /** Of what is stored in the inbox, up to which item it was called. */
  announced: v.number(),
  /** When the call was begun that has not ended; null: there is none. */
  calling: v.nullable(v.number()),
  last: v.nullable(
    v.object({
      at: v.number(),
      outcome: v.picklist(WEBHOOK_OUTCOMES),
      status: v.nullable(v.number()),
    }),
  ),
});
type Row = v.InferOutput<typeof ROW>;
const ROWS = new StoredRows<'agent', Row>('webhooks', 'agent', ROW);

interface Deps {
  readonly store: Pick<Store, 'read'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly unit: UnitOfWork;
  readonly audit: AuditTrail;
  readonly agents: AgentRegistry;
  readonly inbox: Pick<Inbox, 'waiting' | 'onChange'>;
  readonly wakeUps: Pick<WakeUps, 'count' | 'revoke'>;
  readonly secrets: SealedSecrets;
  readonly call: CallOutside;
  /** Where this hub itself listens. */
  readonly ownPorts: () => readonly number[];
}

/** What is known of one channel while the hub runs. */
interface Channel {
  readonly stop: () => void;
  readonly ended: AbortController;
  timer: { readonly handle: TimerHandle; readonly atMs: number } | undefined;
  isCalling: boolean;
  /** Calls in a row that did not wake it. */
  failures: number;
  /** None before, monotonic ms. */
  nextMs: number;
  /** Questions kept in memory for which it was called. */
  announced: ReadonlySet<string>;
}

export class Webhooks {
  readonly #deps: Deps;
  readonly #channels = new Map<string, Channel>();
  #isRunning = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.agents.onRemoving((tables, after, name) => this.agentRemoved(tables, after, name));
  }

  /** What was under way when the run before ended is not known, and is not called again. */
  async start(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { unit, store } = this.#deps;
    if (ROWS.read(store.read).some(({ calling }) => calling !== null))
      await unit.run((tables) => ROWS.write(tables, ROWS.read(tables).map(interrupted)));
    for (const { agent } of ROWS.read(store.read)) this.#open(agent);
    for (const { agent } of ROWS.damaged(store.read)) this.#show(agent);
  }

  stop(): void {
    this.#isRunning = false;
    for (const name of this.#channels.keys()) this.#close(name);
  }

  /** @throws AppError not_found, bad_request, identity_locked */
  async set(
    { name, preset, address: typed, secret: given }: OperationParams<'agents.setWebhook'>,
    actor: Actor,
  ): Promise<OperationResult<'agents.setWebhook'>> {
    const { agents, unit, audit, random, secrets, ownPorts } = this.#deps;
    agents.get(name);
    const address = webhookAddress(preset, typed, ownPorts());
    const { secret, isMade } = webhookSecret(preset, given, (length) => random.bytes(length));
    const row: Row = {
      agent: name,
      preset,
      address,
      secret: secret === null ? null : secrets.seal(useOf(name), new Secret(secret)),
      announced: 0,
      calling: null,
      last: null,
    };
    await unit.run((tables) => {
      ROWS.write(tables, [...ROWS.read(tables).filter(({ agent }) => agent !== name), row]);
      audit.append(tables, { ...actor, action: 'agent.webhook_set', object: name });
    });
    this.#close(name);
    this.#open(name);
    return { agent: agents.get(name), secret: isMade ? secret : null };
  }

  /** @throws AppError not_found */
  async remove(name: string, actor: Actor): Promise<AgentDto> {
    const { agents, unit, audit } = this.#deps;
    const { display_name: shown } = agents.get(name);
    await unit.run((tables, after) => {
      if (this.#shown(name, tables) === null)
        throw inputError('not_found', `${shown} has no webhook.`);
      this.agentRemoved(tables, after, name);
      audit.append(tables, { ...actor, action: 'agent.webhook_removed', object: name });
    });
    return agents.get(name);
  }

  /** Inside the commit in which the agent, or its webhook, is removed. */
  agentRemoved(tables: Tables, after: After, name: string): void {
    if (this.#shown(name, tables) === null) return;
    ROWS.write(tables, ROWS.read(tables), name);
    after(() => {
      this.#close(name);
      this.#deps.agents.presence.setWebhook(name, null);
    });
  }

  #open(name: string): void {
    const { inbox } = this.#deps;
    this.#show(name);
    if (!this.#isRunning) return;
    const stop = inbox.onChange(name, () => this.#lookIn(name, WEBHOOK_SETTLE_MS));
    this.#channels.set(name, {
      stop,
      ended: new AbortController(),
      timer: undefined,
      isCalling: false,
      failures: 0,
      nextMs: 0,
      announced: new Set(),
    });
    this.#lookIn(name, WEBHOOK_SETTLE_MS);
  }

  #close(name: string): void {
    const channel = this.#channels.get(name);
    channel?.stop();
    channel?.timer?.handle.cancel();
    channel?.ended.abort();
    this.#channels.delete(name);
  }

  #show(name: string): void {
    this.#deps.agents.presence.setWebhook(name, this.#shown(name));
  }

  /** null: it has none. */
  #shown(name: string, reads: Pick<Reads, 'getMeta'> = this.#deps.store.read): WebhookDto | null {
    const row = this.#row(name, reads);
    if (row !== undefined) return dtoOf(row);
    const said = ROWS.damaged(reads).find(({ agent }) => agent === name)?.said;
    return said === undefined ? null : damagedDto(said, this.#deps.clock.wallMs());
  }

  /** What is sooner counts; nothing before the pause after a failure. */
  #lookIn(name: string, ms: number): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    const { clock, log } = this.#deps;
    const atMs = Math.max(clock.monotonicMs() + ms, channel.nextMs);
    if (channel.timer !== undefined && channel.timer.atMs <= atMs) return;
    channel.timer?.handle.cancel();
    const handle = clock.setTimer(atMs - clock.monotonicMs(), () => {
      channel.timer = undefined;
      this.#look(name, channel).catch((error: unknown) => {
        channel.isCalling = false;
        log.error('a webhook was not looked after', { error: messageOf(error) });
        this.#lookIn(name, WEBHOOK_LOOK_AGAIN_MS);
      });
    });
    channel.timer = { handle, atMs };
  }

  async #look(name: string, channel: Channel): Promise<void> {
    const { agents, inbox, unit, clock } = this.#deps;
    const row = this.#row(name);
    if (row === undefined || channel.isCalling) return;
    const items = inbox.waiting(name).filter((item) => isNew(item, row, channel));
    if (items.length === 0) return;
    // One is enough.
    if (agents.presence.isWoken(name)) return this.#lookIn(name, WEBHOOK_LOOK_AGAIN_MS);
    channel.isCalling = true;
    const begun = await unit.run((tables) => this.#begin(tables, name, items));
    if (begun === null) {
      channel.isCalling = false;
      this.#show(name);
      return this.#lookIn(name, WEBHOOK_LOOK_AGAIN_MS);
    }
    const before = channel.announced;
    channel.announced = new Set(inMemory(items, before, inbox.waiting(name)));
    // The newest comes first.
    const id = wakeIdOf(name, items.at(-1)?.id ?? '');
    const last = await this.#call(row, id, channel.ended.signal);
    const hasNotWoken = isCertainlyNot(last);
    await unit.run((tables) => {
      const now = this.#row(name, tables);
      // Another one, or none, may be set by now.
      if (now?.calling !== begun.at) return;
      const announced = hasNotWoken ? row.announced : now.announced;
      this.#put(tables, { ...now, calling: null, announced, last });
      if (hasNotWoken) this.#deps.wakeUps.revoke(tables, begun.wakeUp);
    });
    channel.isCalling = false;
    if (this.#channels.get(name) !== channel) return;
    if (hasNotWoken) channel.announced = before;
    channel.failures = last.outcome === 'taken' ? 0 : channel.failures + 1;
    if (channel.failures > 0) channel.nextMs = clock.monotonicMs() + this.#pauseMs(channel);
    this.#show(name);
    this.#lookIn(name, WEBHOOK_SETTLE_MS);
  }

  #pauseMs({ failures }: Channel): number {
    return backoffMs(failures - 1, this.#deps.random.fraction(), WEBHOOK_BACKOFF);
  }

  /** Before the call, so that one that was killed is not made again. null: none is made. */
  #begin(
    tables: Tables,
    name: string,
    items: readonly WaitingItem[],
  ): { readonly at: number; readonly wakeUp: WakeUp } | null {
    const row = this.#row(name, tables);
    if (row === undefined) return null;
    const at = this.#deps.clock.wallMs();
    const wakeUp = this.#deps.wakeUps.count(tables, name, items);
    if (wakeUp === null) {
      if (row.last?.outcome !== 'limit')
        this.#put(tables, { ...row, last: { at, outcome: 'limit', status: null } });
      return null;
    }
    const announced = Math.max(row.announced, ...items.map(({ seq }) => seq));
    this.#put(tables, { ...row, announced, calling: at });
    return { at, wakeUp };
  }

  async #call(row: Row, id: string, signal: AbortSignal): Promise<WebhookCallDto> {
    const { clock, secrets, call, ownPorts, log } = this.#deps;
    const { agent, preset, address } = row;
    const at = clock.wallMs();
    const secret = row.secret === null ? null : secrets.open(useOf(agent), row.secret);
    if (secret === undefined) return { at, outcome: 'unreadable', status: null };
    // This hub may have come to stand where that program stood.
    if (ownPorts().includes(portOf(new URL(address))))
      return { at, outcome: 'not_there', status: null };
    const wake = { id, at, secret };
    const answer = await call(webhookCall(preset, address, wake), signal);
    const last = { at, ...outcomeOf(answer) };
    log.info('a webhook was called', { agent, outcome: last.outcome });
    return last;
  }

  #put(tables: Tables, row: Row): void {
    const rows = ROWS.read(tables).map((other) => (other.agent === row.agent ? row : other));
    ROWS.write(tables, rows);
  }

  #row(name: string, reads: Pick<Reads, 'getMeta'> = this.#deps.store.read): Row | undefined {
    return ROWS.read(reads).find(({ agent }) => agent === name);
  }
}

/** What its secret is sealed for. */
function useOf(agent: string): string {
  return `webhook ${agent}`;
}

function dtoOf({ preset, address, last }: Row): WebhookDto {
  return { preset, address, last };
}

/** Of one that is not called: its row cannot be read. */
function damagedDto({ preset, address }: JsonObject, at: number): WebhookDto {
  return {
    preset: v.is(ROW.entries.preset, preset) ? preset : 'generic',
    address: typeof address === 'string' ? address : '',
    last: { at, outcome: 'unreadable', status: null },
  };
}

function interrupted(row: Row): Row {
  const { calling: at } = row;
  return at === null
    ? row
    : { ...row, calling: null, last: { at, outcome: 'unclear', status: null } };
}

function isNew({ id, seq }: WaitingItem, row: Row, { announced }: Channel): boolean {
  return seq === 0 ? !announced.has(id) : seq > row.announced;
}

/** Of those that were announced, what still waits. */
function inMemory(
  items: readonly WaitingItem[],
  before: ReadonlySet<string>,
  waiting: readonly WaitingItem[],
): readonly string[] {
  const known = waiting.map(({ id }) => id).filter((id) => before.has(id));
  return [...known, ...items.flatMap(({ id, seq }) => (seq === 0 ? [id] : []))];
}

function outcomeOf(answer: OutsideAnswer): Pick<WebhookCallDto, 'outcome' | 'status'> {
  if (answer.kind !== 'answered') return { outcome: answer.kind, status: null };
  const { status } = answer;
  if (status >= 200 && status < 300) return { outcome: 'taken', status };
  // A program that failed may have begun before.
  return { outcome: status >= 500 ? 'unclear' : 'refused', status };
}

/** Then the same items may be called for again. */
function isCertainlyNot({ outcome }: WebhookCallDto): boolean {
  return outcome === 'not_there' || outcome === 'refused' || outcome === 'unreadable';
}
