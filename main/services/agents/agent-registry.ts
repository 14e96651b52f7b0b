// The agents of this computer: who they are, what they do and how much harm each could do (a class
// only the owner sets). Never decides about requests, and never sees a token.
import * as v from 'valibot';
import { DELIVERY_STATES } from '../../../preload/contract/closed-lists.ts';
import type { AgentDto, ReachedDto, RiskClass } from '../../../preload/contract/dto.ts';
import { AppError } from '../../lib/app-error.ts';
import { foldName, readableHandle } from '../../../preload/contract/agent-name.ts';
import { AGENT_NAME_MAX } from '../../../preload/contract/limits.ts';
import { beginning } from '../../lib/shortened.ts';
import { StoredValue } from '../../lib/stored-value.ts';
import type { Clock } from '../../ports/clock.ts';
import type { AgentRow, Reads, Store, Tables } from '../../ports/store.ts';
import { escapeText } from '../../core/text-escape.ts';
import type { EventBus } from '../base/event-bus.ts';
import {
  displayNameOf,
  givenName,
  knownDialect,
  mergeDomains,
  noSuchArea,
  ownersAreas,
  withArea,
  type AreaChoice,
  type Namesakes,
  type OfferedArea,
} from './agent-profile.ts';
import type { Actor, AuditTrail } from '../base/audit-trail.ts';
import { AGENTS_MAX } from './limits.ts';
import { AgentPresence } from './agent-presence.ts';
import {
  askedNameOf,
  generationOf,
  partyOfAgent,
  putGeneration,
  readGenerations,
  type AgentGeneration,
} from '../tasks/parties.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';

/** What a program says of itself; the owner's classes are not in it. */
export interface AgentProfile {
  /** What it would like to be called. Heard when it is new; from then on the owner names it. */
  readonly display_name?: string | undefined;
  readonly dialect?: string | undefined;
  readonly domains?: readonly OfferedArea[] | undefined;
  readonly capabilities?: readonly string[] | undefined;
  readonly channels?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly topics?: readonly string[] | undefined;
  /** false: it gets no message that is for everybody. */
  readonly broadcasts?: boolean | undefined;
  readonly model?: string | undefined;
  readonly concurrency?: number | undefined;
}

interface OwnerChoice {
  readonly riskClass: RiskClass;
  readonly domains?: readonly AreaChoice[] | undefined;
  readonly isDefault?: boolean | undefined;
}

/** What else may forbid a change of an agent. */
export interface AgentsGate {
  /** The class of a new agent of which nobody has said anything. */
  newAgentClass(reads: Pick<Reads, 'getMeta'>, riskClass: RiskClass): RiskClass;
  /**
   * Asked before each write of an agent. @param before undefined: it is new @param after undefined:
   * it is removed
   * @throws AppError blocked
   */
  checkAgent(
    reads: Pick<Reads, 'getMeta'>,
    before: AgentRow | undefined,
    after: AgentRow | undefined,
  ): void;
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly unit: UnitOfWork;
  readonly audit: AuditTrail;
  readonly gate: AgentsGate;
  /** Names that hubs have here. */
  readonly hubNames: (reads: Reads) => readonly string[];
}

/** The handles of those that get no message that is for everybody. */
const WITHOUT_BROADCASTS = new StoredValue<readonly string[]>(
  'agents_without_broadcasts',
  v.array(v.string()),
  [],
);

/** What the records call people here and the hub itself. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['owner', 'hub', 'local']);

export class AgentRegistry {
  readonly #deps: Deps;
  readonly #onRemoving = new Set<(tables: Tables, after: After, name: string) => void>();
  readonly #onReturning = new Set<
    (tables: Tables, after: After, before: string, name: string) => void
  >();
  readonly #onWritten = new Set<() => void>();
  readonly presence: AgentPresence;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { store, clock } = deps;
    this.presence = new AgentPresence({ store, clock, changed: (name) => this.changed(name) });
  }

  list(): readonly AgentDto[] {
    return this.#active(this.#deps.store.read).map((row) => this.toDto(row));
  }

  get(name: string): AgentDto {
    return this.toDto(this.#row(this.#deps.store.read, name));
  }

  /** null: there is none of that name. */
  reached(name: string): ReachedDto | null {
    const row = this.#deps.store.read.agent(name);
    if (row?.state !== 'active') return null;
    const { reach, webhook, asks_model, presence, last_call_at } = this.presence.view(row);
    return { reach, webhook, asks_model, presence, last_call_at };
  }

  /** Agents that may be given work. */
  active(reads: Reads = this.#deps.store.read): readonly AgentRow[] {
    return this.#active(reads);
  }

  /** Whether it gets messages that are for everybody. */
  takesBroadcasts(name: string, reads: Reads = this.#deps.store.read): boolean {
    return !WITHOUT_BROADCASTS.read(reads).includes(name);
  }

  /** The handle of the agent here that was connected under this name; without one, the name. */
  handleOf(reads: Reads, asked: string): string {
    if (reads.agent(asked) !== undefined) return asked;
    const one = readGenerations(reads).find(
      (known) => known.asked === asked && known.removed === null,
    );
    return one?.handle ?? asked;
  }

  /** When the last agent of this name was removed; null: none was, or there is one again. */
  removedAt(reads: Reads, asked: string): number | null {
    if (reads.agent(this.handleOf(reads, asked)) !== undefined) return null;
    return lastRemoved(reads, asked)?.removed?.at ?? null;
  }

  /** @throws AppError conflict where an agent has that name, or none may have it */
  checkName(reads: Reads, name: string): void {
    if (RESERVED_NAMES.has(name)) {
      throw new AppError('conflict', `No agent can be called "${name}".`, {
        failedBy: 'input',
        hint: 'Choose another name.',
      });
    }
    if (reads.agent(this.handleOf(reads, name))) {
      throw new AppError('conflict', `There is an agent named "${name}" already.`, {
        failedBy: 'input',
        hint: 'Choose another name, or remove that agent first.',
      });
    }
    const named = this.#active(reads).find(({ displayName }) => foldName(displayName) === name);
    if (named !== undefined) {
      throw new AppError(
        'conflict',
        `An agent here is shown as "${named.displayName}", so no other one can be typed as "${name}".`,
        {
          failedBy: 'input',
          hint: 'Choose another name, or remove that agent first.',
        },
      );
    }
  }

  /**
   * The handle of a new agent: its name, or the next number of it where an agent of that name was
   * removed. What is kept under a handle belongs to the agent that had it, here and at other hubs.
   */
  #freeHandle(reads: Reads, asked: string): string {
    const names = this.#active(reads).map(({ displayName }) => foldName(displayName));
    for (let number = 1; ; number++) {
      const end = number === 1 ? '' : `-${number}`;
      const handle = beginning(asked, AGENT_NAME_MAX - end.length).replace(/[._-]+$/, '') + end;
      const isTaken = reads.agent(handle) !== undefined || (end !== '' && names.includes(handle));
      if (!isTaken && !wasUsed(reads, handle)) return handle;
    }
  }

  /**
   * Adds the agent inside a commit, at R2 where its owner says nothing of it; the first one becomes
   * the default. @throws AppError conflict, overloaded
   */
  add(
    tables: Tables,
    after: After,
    asked: string,
    profile: AgentProfile,
    choice: RiskClass | undefined,
  ): AgentRow {
    const riskClass = choice ?? this.#deps.gate.newAgentClass(tables, NEW_AGENT_CLASS);
    const others = tables.agents();
    this.checkName(tables, asked);
    const name = this.#freeHandle(tables, asked);
    if (others.length >= AGENTS_MAX)
      throw new AppError(
        'overloaded',
        `This hub keeps at most ${AGENTS_MAX} agents. Remove one first.`,
      );
    const row: AgentRow = {
      name,
      displayName: this.nameOfNew(tables, asked, profile),
      dialect: knownDialect(profile.dialect),
      state: 'active',
      riskClass,
      classByOwner: choice !== undefined,
      domains: mergeDomains({ name, riskClass, domains: [] }, profile.domains ?? [], others, false),
      capabilities: unique(profile.capabilities ?? []),
      channels: unique(profile.channels ?? []),
      tools: unique(profile.tools ?? []),
      topics: unique(profile.topics ?? []),
      model: profile.model ?? null,
      concurrency: profile.concurrency ?? 4,
      isDefault: !others.some((other) => other.isDefault),
      createdAt: this.#deps.clock.wallMs(),
      lastCallAt: null,
    };
    this.#put(tables, undefined, row);
    setTakesBroadcasts(tables, name, profile.broadcasts);
    if (name !== asked) this.#succeed(tables, after, asked, name);
    after(() => this.#written(name));
    return row;
  }

  /** It takes the place of a removed agent of that name, and nothing of what that one had. */
  #succeed(tables: Tables, after: After, asked: string, name: string): void {
    const before = lastRemoved(tables, asked) ?? removedUnnoted(tables, asked);
    putGeneration(tables, before);
    putGeneration(tables, { handle: name, asked, removed: null });
    for (const tell of this.#onReturning) tell(tables, after, before.handle, name);
    after(() => this.#deps.events.skip());
  }

  /** What a new agent is called. */
  nameOfNew(reads: Reads, asked: string, { display_name }: AgentProfile): string {
    return displayNameOf(display_name, asked, this.#namesakes(reads));
  }

  async create(
    asked: string,
    profile: AgentProfile,
    riskClass: RiskClass | undefined,
    actor: Actor,
  ): Promise<AgentDto> {
    const name = await this.#deps.unit.run((tables, after) => {
      // What a program only suggests, a person chose.
      if (profile.display_name !== undefined)
        givenName(profile.display_name, asked, this.#namesakes(tables));
      const row = this.add(tables, after, asked, profile, riskClass);
      this.#note(tables, actor, 'agent.created', row.name, { risk_class: row.riskClass });
      return row.name;
    });
    return this.get(name);
  }

  /**
   * Changes what a program says of itself. A domain that an agent adds by itself starts at R2 at
   * least, whatever the agent's own class: classes are the owner's to lower.
   */
  async update(name: string, profile: AgentProfile, actor: Actor): Promise<AgentDto> {
    await this.#deps.unit.run((tables, after) => {
      const row = this.#row(tables, name);
      const next: AgentRow = {
        ...row,
        dialect: knownDialect(profile.dialect ?? row.dialect),
        domains:
          profile.domains === undefined
            ? row.domains
            : mergeDomains(row, profile.domains, tables.agents(), actor.surface === 'agent'),
        capabilities: unique(profile.capabilities ?? row.capabilities),
        channels: unique(profile.channels ?? row.channels),
        tools: unique(profile.tools ?? row.tools),
        topics: unique(profile.topics ?? row.topics),
        model: profile.model ?? row.model,
        concurrency: profile.concurrency ?? row.concurrency,
      };
      this.#put(tables, row, next);
      setTakesBroadcasts(tables, name, profile.broadcasts);
      this.#note(tables, actor, 'agent.updated', name);
      after(() => this.#written(name));
    });
    return this.get(name);
  }

  /** Whether an agent of this name is known here and holds no token. */
  isWithoutToken(reads: Reads, name: string): boolean {
    return reads.agent(name)?.state === 'active' && newestToken(reads, name) === null;
  }

  /** Inside the commit that connects such an agent again: areas are added, all else stays. */
  reconnect(tables: Tables, after: After, name: string, { domains = [] }: AgentProfile): AgentRow {
    const row = this.#row(tables, name);
    const offered = row.domains.filter(({ isOffered }) => isOffered);
    const areas = [...offered, ...domains];
    const next = { ...row, domains: mergeDomains(row, areas, tables.agents(), true) };
    this.#put(tables, row, next);
    after(() => this.#written(name));
    return next;
  }

  /**
   * The owner's name for an agent: looks like no other agent's and no hub's. @throws AppError
   * not_found, bad_request, conflict
   */
  async rename(name: string, displayName: string, actor: Actor): Promise<AgentDto> {
    await this.#deps.unit.run((tables, after) => {
      const row = this.#row(tables, name);
      this.#put(tables, row, {
        ...row,
        displayName: givenName(displayName, name, this.#namesakes(tables)),
      });
      this.#note(tables, actor, 'agent.renamed', name);
      // The name stands on cards, rules and notices, too.
      after(() => this.#deps.events.skip());
      after(() => this.#written(name));
    });
    return this.get(name);
  }

  /**
   * The owner's word about an agent: its class, the classes of its domains, whether it takes what
   * nobody else claims.
   */
  async setClass(name: string, choice: OwnerChoice, actor: Actor): Promise<AgentDto> {
    await this.#deps.unit.run((tables, after) => {
      const row = this.#row(tables, name);
      const isDefault = choice.isDefault ?? row.isDefault;
      const noLonger =
        isDefault && !row.isDefault ? tables.agents().filter((agent) => agent.isDefault) : [];
      const classByOwner = row.classByOwner || isSpoken(row, choice);
      const next: AgentRow = {
        ...row,
        riskClass: choice.riskClass,
        classByOwner,
        domains: ownersAreas(row, choice),
        isDefault,
      };
      for (const other of noLonger) {
        this.#put(tables, other, { ...other, isDefault: false });
        after(() => this.#written(other.name));
      }
      this.#put(tables, row, next);
      this.#note(tables, actor, 'agent.class_set', name, {
        risk_class: choice.riskClass,
        is_default: isDefault,
      });
      after(() => this.#written(name));
    });
    return this.get(name);
  }

  /**
   * The owner gives it one more area, which stays until the owner takes it away; without a class it
   * has that of the agent, or what the owner said about an area like it, whichever is more careful.
   * @throws AppError not_found, conflict where it has the area, or too many; blocked
   */
  async addArea(name: string, area: AreaChoice, actor: Actor): Promise<AgentDto> {
    await this.#deps.unit.run((tables, after) => {
      const row = this.#row(tables, name);
      const next = { ...row, domains: withArea(row, area, tables.agents()) };
      this.#put(tables, row, next);
      this.#note(tables, actor, 'agent.area_added', name, { area: area.domain });
      after(() => this.#written(name));
    });
    return this.get(name);
  }

  /**
   * The owner takes one area away, with what was said of its class, and nothing else changes. A
   * program that offers it anew gets it back as any area it adds by itself. @throws AppError
   * not_found, blocked
   */
  async removeArea(name: string, area: string, actor: Actor): Promise<AgentDto> {
    await this.#deps.unit.run((tables, after) => {
      const row = this.#row(tables, name);
      const domains = row.domains.filter(({ domain }) => domain !== area);
      if (domains.length === row.domains.length)
        throw noSuchArea(row.displayName, area, row.domains);
      this.#put(tables, row, { ...row, domains });
      this.#note(tables, actor, 'agent.area_removed', name, { area });
      after(() => this.#written(name));
    });
    return this.get(name);
  }

  /** Called after each commit that changed what an agent is or offers, and not for its removal. */
  onWritten(listener: () => void): void {
    this.#onWritten.add(listener);
  }

  #written(name: string): void {
    this.changed(name);
    for (const listener of this.#onWritten) listener();
  }

  /** Called inside the commit that connects an agent under the name of a removed one, `before`. */
  onReturning(tell: (tables: Tables, after: After, before: string, name: string) => void): void {
    this.#onReturning.add(tell);
  }

  /** Called inside the commit that removes an agent, while it is still there. */
  onRemoving(end: (tables: Tables, after: After, name: string) => void): void {
    this.#onRemoving.add(end);
  }

  /**
   * Takes the agent away in one commit, with its tokens and all that was meant for it. Where it
   * stays, its program goes on as before.
   * @throws AppError not_found, blocked
   */
  async remove(name: string, actor: Actor): Promise<void> {
    await this.#deps.unit.run((tables, after) => this.#remove(tables, after, name, actor));
  }

  #remove(tables: Tables, after: After, name: string, actor: Actor): void {
    const row = this.#row(tables, name);
    this.#deps.gate.checkAgent(tables, row, undefined);
    for (const end of this.#onRemoving) end(tables, after, name);
    const removed = { shown: row.displayName, at: this.#deps.clock.wallMs() };
    putGeneration(tables, { handle: name, asked: askedNameOf(tables, name), removed });
    tables.deleteAgent(name);
    setTakesBroadcasts(tables, name, true);
    this.#note(tables, actor, 'agent.removed', name);
    after(() => {
      this.presence.forget(name);
      this.#deps.events.publish({ type: 'agent_gone', name });
      // Cards, rules and notices tell of it as one that is gone.
      this.#deps.events.skip();
    });
  }

  /** Tells the pages that something about this agent changed: its row, its presence or its load. */
  changed(name: string): void {
    const row = this.#deps.store.read.agent(name);
    if (row?.state === 'active')
      this.#deps.events.publish({ type: 'agent', agent: this.toDto(row) });
  }

  toDto(row: AgentRow): AgentDto {
    const { read } = this.#deps.store;
    return {
      name: row.name,
      connected_as: askedNameOf(read, row.name),
      display_name: row.displayName,
      dialect: row.dialect,
      state: row.state,
      risk_class: row.riskClass,
      domains: row.domains.map(({ domain, riskClass, isOffered, example }) => ({
        domain,
        risk_class: riskClass,
        ...(isOffered ? {} : { offered: false }),
        ...(example === undefined ? {} : { example: escapeText(example) }),
      })),
      capabilities: row.capabilities.map(escapeText),
      channels: row.channels.map(escapeText),
      tools: row.tools.map(escapeText),
      topics: row.topics.map(escapeText),
      broadcasts: this.takesBroadcasts(row.name),
      model: row.model === null ? null : escapeText(row.model),
      concurrency: row.concurrency,
      is_default: row.isDefault,
      ...this.presence.view(row),
      active_tasks: read.countDeliveries(row.name, ['claimed', 'running']),
      queued: read.countDeliveries(row.name, ['queued']),
      created_at: row.createdAt,
      token_created_at: newestToken(read, row.name),
    };
  }

  #namesakes(reads: Reads): Namesakes {
    return { agents: reads.agents(), hubs: this.#deps.hubNames(reads) };
  }

  /** @throws AppError blocked */
  #put(tables: Tables, before: AgentRow | undefined, after: AgentRow): void {
    this.#deps.gate.checkAgent(tables, before, after);
    tables.putAgent(after);
  }

  #active(reads: Reads): readonly AgentRow[] {
    return reads.agents().filter((row) => row.state === 'active');
  }

  #row(reads: Reads, name: string): AgentRow {
    const row = reads.agent(name);
    if (row?.state === 'active') return row;
    const names = this.#active(reads).map((agent) => agent.name);
    throw new AppError('not_found', `There is no agent named "${name}" on this hub.`, {
      failedBy: 'input',
      hint:
        names.length > 0
          ? `Agents here: ${names.join(', ')}.`
          : 'No agent is connected yet: "axon agents connect NAME" connects one.',
    });
  }

  #note(
    tables: Tables,
    actor: Actor,
    action: string,
    name: string,
    detail: Readonly<Record<string, string | boolean>> = {},
  ): void {
    this.#deps.audit.append(tables, {
      actor: actor.actor,
      surface: actor.surface,
      action,
      object: name,
      detail,
    });
  }
}

/** Until its owner has spoken. */
const NEW_AGENT_CLASS: RiskClass = 'R2';

/** Whether an agent had this handle. */
function wasUsed(reads: Reads, name: string): boolean {
  const one = { limit: 1 };
  return (
    generationOf(reads, name) !== undefined ||
    reads.tasks(one, { agent: name }).length > 0 ||
    reads.deliveriesOfAgent(name, DELIVERY_STATES, one).length > 0 ||
    reads.isKnownParty(partyOfAgent(name))
  );
}

/** Undefined where none of this name was, or nobody noted it. */
function lastRemoved(reads: Reads, asked: string): AgentGeneration | undefined {
  return readGenerations(reads).findLast((one) => one.asked === asked && one.removed !== null);
}

/** One that went before anybody noted when: its tokens ended then. */
function removedUnnoted(reads: Reads, handle: string): AgentGeneration {
  const ends = reads
    .tokens()
    .flatMap(({ agent, revokedAt }) => (agent === handle && revokedAt !== null ? [revokedAt] : []));
  const at = ends.length === 0 ? null : Math.max(...ends);
  return { handle, asked: handle, removed: { shown: readableHandle(handle), at } };
}

function newestToken(reads: Reads, agent: string): number | null {
  const times = reads
    .tokens()
    .flatMap((token) =>
      token.agent === agent && token.revokedAt === null ? [token.createdAt] : [],
    );
  return times.length === 0 ? null : Math.max(...times);
}

/** @param takes undefined: as before */
function setTakesBroadcasts(tables: Tables, agent: string, takes: boolean | undefined): void {
  const without = WITHOUT_BROADCASTS.read(tables);
  if (takes === undefined || takes !== without.includes(agent)) return;
  const others = without.filter((name) => name !== agent);
  WITHOUT_BROADCASTS.write(tables, takes ? others : [...others, agent]);
}

/** Why a message for everybody does not reach an agent. @param name as people read it */
export function noBroadcasts(name: string): string {
  return `${name} does not take broadcasts.`;
}

function unique(words: readonly string[]): readonly string[] {
  return [...new Set(words)];
}

/**
 * Whether the owner speaks of the agent's own class, or only repeats it beside a word about its
 * areas.
 */
function isSpoken(row: AgentRow, choice: OwnerChoice): boolean {
  return (
    choice.riskClass !== row.riskClass ||
    (choice.domains === undefined && choice.isDefault === undefined)
  );
}
