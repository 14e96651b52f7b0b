// Agents of elsewhere that speak A2A: a person enters the address of a card and confirms what it
// says, and from then on it is an agent of this hub like any other. This hub takes its items and
// calls it, and it alone, at the origin that was entered. Its card is read before each item; one
// that has changed gets nothing until a person has confirmed it again.
import type { A2aAgentDto, A2aCardDto } from '../../../preload/contract/a2a.ts';
import type { AgentDto } from '../../../preload/contract/dto.ts';
import type { OperationParams } from '../../../preload/contract/operations.ts';
import { AppError, inputError, messageOf } from '../../lib/app-error.ts';
import { Secret } from '../../lib/secret.ts';
import { SerialQueue } from '../../lib/serial-queue.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { CallOutside } from '../../ports/outside.ts';
import type { Reads, Store, Tables } from '../../ports/store.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { Actor, AuditTrail } from '../base/audit-trail.ts';
import type { SealedSecrets } from '../base/sealed-secrets.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import type { PeopleFeed } from '../tasks/people-feed.ts';
import type { Inbox } from '../inbox/inbox.ts';
import { A2aClient } from './a2a-client.ts';
import { cardAddress, type Card } from './card.ts';
import { A2A_AGENTS_MAX } from './limits.ts';
import { damagedRows, readRows, write, type A2aRow } from './rows.ts';
import { Worker } from './worker.ts';

interface Deps {
  readonly store: Pick<Store, 'read'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly unit: UnitOfWork;
  readonly audit: AuditTrail;
  readonly agents: AgentRegistry;
  readonly inbox: Inbox;
  readonly secrets: SealedSecrets;
  readonly feed: Pick<PeopleFeed, 'notice'>;
  readonly call: CallOutside;
  /** Where this hub itself listens. */
  readonly ownPorts: () => readonly number[];
}

export class A2aAgents {
  readonly #deps: Deps;
  readonly #workers = new Map<string, Worker>();
  /** What is ended and begun, one after the other. */
  readonly #changes = new SerialQueue();
  #isRunning = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.agents.onRemoving((tables, after, name) => this.agentRemoved(tables, after, name));
  }

  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { store, agents } = this.#deps;
    for (const row of this.#rows()) this.#open(row);
    for (const { agent } of damagedRows(store.read)) agents.presence.setWay(agent, 'called');
  }

  /** Settles once nothing of it is under way. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    const workers = [...this.#workers.values()];
    this.#workers.clear();
    await Promise.all([...workers.map((worker) => worker.stop()), this.#changes.idle()]);
  }

  /** Inside the commit in which the agent is removed. */
  agentRemoved(tables: Tables, after: After, name: string): void {
    const all = [...this.#rows(tables), ...damagedRows(tables)];
    if (!all.some(({ agent }) => agent === name)) return;
    write(tables, this.#rows(tables), name);
    after(() => void this.#settle(name));
  }

  /** Where what this agent is given goes; null: it is no agent of elsewhere. */
  hostOf(agent: string): string | null {
    const all = [...this.#rows(), ...damagedRows(this.#deps.store.read)];
    return all.find((row) => row.agent === agent)?.host ?? null;
  }

  list(): readonly A2aAgentDto[] {
    const { store, agents } = this.#deps;
    const here = new Set(agents.active().map(({ name }) => name));
    const ofAgents = damagedRows(store.read).filter(({ agent }) => here.has(agent));
    const damaged = ofAgents.map((row) => ({
      ...row,
      leaves_computer: true,
      has_token: false,
      state: 'away' as const,
      trouble: DAMAGED,
    }));
    const rows = this.#rows().map((row) => ({
      agent: row.agent,
      url: row.url,
      host: row.host,
      leaves_computer: row.leavesComputer,
      has_token: row.token !== null,
      ...(this.#workers.get(row.agent)?.standing ?? {
        state: 'away' as const,
        trouble:
          this.#isRunning && row.token !== null && this.#tokenOf(row) === undefined
            ? NO_TOKEN
            : null,
      }),
    }));
    return [...rows, ...damaged];
  }

  /** @throws AppError bad_request, peer_unreachable */
  async look(
    { url, token }: OperationParams<'a2a.look'>,
    signal: AbortSignal,
  ): Promise<A2aCardDto> {
    return (await this.#card(url, token, signal)).shown;
  }

  /** @throws AppError bad_request, conflict, request_changed, peer_unreachable, overloaded */
  async add(
    { name, url, digest, token, leaves_computer, risk_class }: OperationParams<'a2a.add'>,
    actor: Actor,
    signal: AbortSignal,
  ): Promise<AgentDto> {
    const { agents, unit, audit, secrets } = this.#deps;
    const { shown, endpoint } = await this.#card(url, token, signal);
    checkDigest(shown, digest);
    if (shown.leaves_computer && !leaves_computer)
      throw inputError(
        'bad_request',
        `What this agent is given leaves this computer, to ${shown.host}.`,
        {
          hint: 'Confirm it with leaves_computer.',
        },
      );
    const added = await unit.run((tables, after) => {
      const rows = this.#rows(tables);
      if (rows.length >= A2A_AGENTS_MAX)
        throw new AppError('overloaded', `This hub calls at most ${A2A_AGENTS_MAX} A2A agents.`);
      const { name: agent } = agents.add(tables, after, name, {}, risk_class);
      const row: A2aRow = {
        agent,
        url: shown.url,
        host: shown.host,
        leavesComputer: shown.leaves_computer,
        digest: shown.digest,
        endpoint,
        token: token === undefined ? null : secrets.seal(useOf(agent), new Secret(token)),
        tasks: {},
      };
      write(tables, [...rows, row]);
      audit.append(tables, { ...actor, action: 'agent.elsewhere_added', object: agent });
      return agent;
    });
    await this.#settle(added);
    return agents.get(added);
  }

  /** @throws AppError not_found, bad_request, request_changed, peer_unreachable */
  async confirm(
    { name, digest, token }: OperationParams<'a2a.confirm'>,
    actor: Actor,
    signal: AbortSignal,
  ): Promise<A2aAgentDto> {
    const { unit, audit, secrets } = this.#deps;
    const before = this.#rows().find(({ agent }) => agent === name);
    if (before === undefined) throw noSuch(name);
    const { shown, endpoint } = await this.#card(
      before.url,
      token ?? this.#tokenOf(before),
      signal,
    );
    checkDigest(shown, digest);
    await unit.run((tables) => {
      const rows = this.#rows(tables);
      const row = rows.find(({ agent }) => agent === name);
      if (row === undefined) throw noSuch(name);
      const sealed = token === undefined ? row.token : secrets.seal(useOf(name), new Secret(token));
      const next = { ...row, digest: shown.digest, endpoint, token: sealed };
      write(
        tables,
        rows.map((one) => (one.agent === name ? next : one)),
      );
      audit.append(tables, { ...actor, action: 'agent.elsewhere_confirmed', object: name });
    });
    await this.#settle(name);
    return this.list().find(({ agent }) => agent === name) ?? Promise.reject(noSuch(name));
  }

  #card(url: string, token: string | undefined, signal: AbortSignal): Promise<Card> {
    const { call, ownPorts } = this.#deps;
    const address = cardAddress(url, ownPorts());
    const secret = token === undefined ? null : new Secret(token);
    return new A2aClient(call, secret).card(address, signal);
  }

  #tokenOf({ agent, token }: A2aRow): string | undefined {
    if (token === null) return undefined;
    return this.#deps.secrets.open(useOf(agent), token)?.expose();
  }

  #open(row: A2aRow): void {
    if (!this.#isRunning) return;
    const { call, agents } = this.#deps;
    agents.presence.setWay(row.agent, 'called');
    const token = this.#tokenOf(row);
    // It is not asked without the token that it wants.
    if (row.token !== null && token === undefined) return;
    const client = new A2aClient(call, token === undefined ? null : new Secret(token));
    const keep = (delivery: string, task: string | null): Promise<void> =>
      this.#keep(row.agent, delivery, task);
    const cardChanged = (): void => void this.#tellChanged(row);
    const worker = new Worker({ ...this.#deps, client, keep, cardChanged }, row);
    this.#workers.set(row.agent, worker);
    worker.start();
  }

  async #tellChanged({ agent, host }: A2aRow): Promise<void> {
    const { agents, unit, feed, log } = this.#deps;
    try {
      const { display_name: shown } = agents.get(agent);
      const sentence = `The card of ${shown} at ${host} has changed. It gets nothing until you have looked at it and confirmed it, under Agents.`;
      await unit.run((tables, after) =>
        feed.notice(tables, after, 'axon.agents', 'high', sentence),
      );
    } catch (error) {
      log.warn('nobody was told of a changed card', { error: messageOf(error) });
    }
  }

  /** Ends its worker, and begins with what is confirmed by then: the tasks it named, too. */
  #settle(agent: string): Promise<void> {
    return this.#changes.run(async () => {
      const worker = this.#workers.get(agent);
      this.#workers.delete(agent);
      await worker?.stop();
      const row = this.#rows().find((one) => one.agent === agent);
      if (row !== undefined) this.#open(row);
    });
  }

  /** Of what is over nothing is kept, however it ended. */
  async #keep(agent: string, delivery: string, task: string | null): Promise<void> {
    const { unit, inbox } = this.#deps;
    await unit.run((tables) => {
      const open = new Set(inbox.open(agent).map(({ delivery_id: id }) => id));
      const rows = this.#rows(tables).map((row) => {
        if (row.agent !== agent) return row;
        const kept = Object.entries(row.tasks).filter(([id]) => open.has(id) && id !== delivery);
        const named = task === null ? [] : [[delivery, task] as const];
        return { ...row, tasks: Object.fromEntries([...kept, ...named]) };
      });
      write(tables, rows);
    });
  }

  #rows(reads: Pick<Reads, 'getMeta'> = this.#deps.store.read): readonly A2aRow[] {
    return readRows(reads);
  }
}

const NO_TOKEN =
  'Its token cannot be read: it was stored by another hub. Confirm its card with the token.';

const DAMAGED =
  'What this hub kept of it cannot be read, so it is not called. Remove the agent, and add it again.';

const useOf = (agent: string): string => `a2a ${agent}`;

function noSuch(name: string): AppError {
  return inputError('not_found', `No A2A agent here is called "${name}".`);
}

function checkDigest({ digest }: A2aCardDto, seen: string): void {
  if (digest === seen) return;
  throw inputError('request_changed', 'The card is not the one that was shown.', {
    hint: 'Look at it again.',
  });
}
