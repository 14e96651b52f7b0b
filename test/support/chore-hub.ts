// One of two paired hubs as a real process, with its person, who allows whatever waits, and an
// agent that asks the other hub or does what it is asked. Everything that was run, taken and told
// is written down, so that a second time would be seen.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PairedTrustState } from '../../preload/contract/closed-lists.ts';
import { openStore } from '../../main/adapters/sqlite/open-store.ts';
import { HubClient, HubProblem } from '../../main/cli/hub-client.ts';
import type { Store } from '../../main/ports/store.ts';
import type { DeliveryDto, PeerDto } from '../../preload/contract/dto.ts';
import { SILENT_LOG } from '../fakes/memory-store.ts';
import { newIdentity, systemDeps, type Identity } from '../integration/quic-test-hub.ts';
import { prepareHome, type PairedPeer } from './prepared-home.ts';
import { startHeadless, type Ended, type HeadlessHub } from './programs.ts';
import { until } from './until.ts';

/** The owner passphrase of each of them. */
export const CHORE_PASSPHRASE = 'a passphrase for chores';
const CLAIM_WAIT_MS = 2_000;
const LOOK_AGAIN_MS = 50;
const ONLINE_WITHIN_MS = 60_000;
/** Chores come faster than a peer may ask by default. */
const QUICK = ['--peer-rate-factor', '100', '--request-rate', '5000', '--log-level', 'warn'];

export interface Chore {
  readonly task: string;
  readonly outcome: string;
}

export class ChoreHub {
  readonly identity: Identity;
  readonly home = mkdtempSync(join(tmpdir(), 'axon-chores-'));
  /** Texts in the order in which the agent here ran them. */
  readonly ran: string[] = [];
  peerPort = 0;
  #hub: HeadlessHub | undefined;
  #line: HubClient | undefined;
  #owner: HubClient | undefined;
  #token: string | undefined;
  #stopping = new AbortController();
  #working: Promise<unknown> = Promise.resolve();
  /** Texts that were asked, by the id of their task. */
  readonly #asked = new Map<string, string>();
  readonly #results: { readonly taskId: string; readonly outcome: string }[] = [];

  constructor(identity: Identity = newIdentity()) {
    this.identity = identity;
  }

  /** Once, before the first start. */
  prepare(peers: readonly PairedPeer[]): Promise<void> {
    return prepareHome(this.home, this.identity, peers);
  }

  /** Starts the program; again at the port it had, once it was stopped. */
  async start(): Promise<void> {
    this.#stopping = new AbortController();
    this.#hub = await startHeadless(this.home, [...QUICK, '--peer-port', String(this.peerPort)]);
    const line = await HubClient.connect(this.home);
    this.#line = line;
    const isNew = this.#token === undefined;
    if (isNew)
      await line.call('hub.setPassphrase', {
        passphrase: CHORE_PASSPHRASE,
        boot_secret: line.facts.bootSecret,
      });
    const owner = line.withToken(
      (await line.call('hub.login', { passphrase: CHORE_PASSPHRASE })).token,
    );
    this.#owner = owner;
    this.peerPort = (await owner.call('hub.status', {})).hub.peer_port ?? 0;
    this.#token ??= (
      await owner.call('agents.create', { name: 'helper', domains: ['household.chores'] })
    ).token;
    this.#working = Promise.all([
      this.#allowAll(owner),
      this.#takeAll(line.withToken(this.#token)),
    ]);
    this.#working.catch(() => undefined);
  }

  /** Stops it in order; throws what went wrong meanwhile. */
  async stop(): Promise<Ended> {
    await this.#settle();
    this.#hub?.program.kill('SIGTERM');
    return (await this.#hub?.program.ended()) ?? { code: null, out: '', error: '' };
  }

  /** For a test that ends early: everything goes, at once. Idempotent. */
  async remove(): Promise<void> {
    await this.#settle().catch(() => undefined);
    this.#hub?.program.kill('SIGKILL');
    await this.#hub?.program.ended();
    rmSync(this.home, { recursive: true, force: true });
  }

  /** What the program wrote to its log: warnings and errors. */
  get log(): string {
    return this.#hub?.program.error ?? '';
  }

  /** Waits until there is a line to the other hub. */
  async online(): Promise<PeerDto> {
    return await until('a line to the other hub', ONLINE_WITHIN_MS, async () => {
      const [peer] = (await this.#asOwner().call('peers.list', { trust: 'paired' })).items;
      return peer?.online === true ? peer : undefined;
    });
  }

  /** Waits until the line is gone. */
  async offline(withinMs: number): Promise<PeerDto> {
    return await until('the line to be gone', withinMs, async () => {
      const [peer] = (await this.#asOwner().call('peers.list', { trust: 'paired' })).items;
      return peer?.online === false ? peer : undefined;
    });
  }

  async trust(trust: PairedTrustState): Promise<void> {
    const [peer] = (await this.#asOwner().call('peers.list', {})).items;
    await this.#asOwner().call('peers.update', { id: peer?.id ?? '', trust });
  }

  /** Has the agent here ask the other hub, once; the hub itself sends again what was not heard. */
  async delegate(task: string): Promise<void> {
    const agent = this.#asOwner().withToken(this.#token ?? '');
    const { id } = await agent.call('send.delegate', {
      to: 'Other',
      task,
      domain: 'household.chores',
    });
    this.#asked.set(id, task);
  }

  /**
   * What the agent here was told, in that order. A result may overtake the word that the task was
   * taken.
   */
  get told(): readonly Chore[] {
    return this.#results.map(({ taskId, outcome }) => ({
      task: this.#asked.get(taskId) ?? 'not asked yet',
      outcome,
    }));
  }

  /** Looks into the store of a hub that was stopped. */
  async look<Seen>(see: (store: Store) => Seen): Promise<Seen> {
    const store = openStore({
      path: join(this.home, 'hub.db'),
      clock: systemDeps.clock,
      log: SILENT_LOG,
    });
    try {
      return see(store);
    } finally {
      await store.close();
    }
  }

  #asOwner(): HubClient {
    if (this.#owner === undefined) throw new Error('the hub was not started');
    return this.#owner;
  }

  async #settle(): Promise<void> {
    this.#stopping.abort();
    try {
      await this.#working;
    } finally {
      this.#line?.close();
    }
  }

  async #allowAll(owner: HubClient): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const { items } = await owner.call('approvals.list', { state: 'pending' });
      for (const { id, revision, digest } of items)
        await owner.call('approvals.decide', { id, revision, digest, decision: 'allow' });
      if (items.length === 0) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  async #takeAll(agent: HubClient): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const claimed = await agent
        .call('inbox.claim', { max: 8, wait_ms: CLAIM_WAIT_MS })
        .catch((error: unknown) => {
          if (error instanceof HubProblem || !signal.aborted) throw error;
          return { items: [] };
        });
      for (const item of claimed.items) await this.#take(agent, item);
    }
  }

  async #take(agent: HubClient, item: DeliveryDto): Promise<void> {
    const delivery = item.delivery_id;
    const text = item.untrusted.text ?? '';
    await agent.call('inbox.ack', { delivery });
    if (item.kind === 'result') {
      this.#results.push({ taskId: item.task_id ?? '', outcome: text });
    } else if (item.kind === 'delegate') {
      this.ran.push(text);
      await agent.call('inbox.reply', { delivery, outcome: outcomeOf(text) });
    }
  }
}

/** What the helper reports of a chore. */
export function outcomeOf(task: string): string {
  return `Done: ${task.slice(0, 60)}`;
}
