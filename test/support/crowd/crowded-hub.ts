// A headless hub as a process, with as many hubs pinned as a test wants before it starts, a
// person's line and an agent that answers every question at once. Tells what its two processes use.
// Linux only: it reads /proc.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../../main/adapters/sqlite/open-store.ts';
import { HubClient, HubProblem } from '../../../main/cli/hub-client.ts';
import { OWNER_TOKEN_MAX_MS } from '../../../main/services/auth/limits.ts';
import type { Store } from '../../../main/ports/store.ts';
import type { DialTarget } from '../../../main/ports/transport.ts';
import { SILENT_LOG } from '../../fakes/memory-store.ts';
import { newIdentity, systemDeps, type Identity } from '../../integration/quic-test-hub.ts';
import { prepareHome } from '../prepared-home.ts';
import { startHeadless, type HeadlessHub } from '../programs.ts';
import { timesOf, waitsOf, type HealthTimes } from './health-times.ts';

const PASSPHRASE = 'a passphrase of the crowd';
const CLAIM_WAIT_MS = 20_000;
/** A fifth of the time after which an owner's login by passphrase ends. */
const LOGIN_AGAIN_MS = OWNER_TOKEN_MAX_MS / 5;

export class CrowdedHub {
  readonly identity: Identity;
  owner: HubClient;
  readonly peerPort: number;
  readonly #hub: HeadlessHub;
  #ownerToken: string;
  #loggedInAtMs = performance.now();
  readonly #line: HubClient;
  readonly #stopping = new AbortController();
  #agent: Promise<void> = Promise.resolve();
  #agentFailed: Error | undefined;
  answered = 0;

  private constructor(
    identity: Identity,
    hub: HeadlessHub,
    line: HubClient,
    ownerToken: string,
    peerPort: number,
  ) {
    this.identity = identity;
    this.#hub = hub;
    this.#line = line;
    this.owner = line.withToken(ownerToken);
    this.#ownerToken = ownerToken;
    this.peerPort = peerPort;
  }

  static async start(
    peers: readonly Identity[],
    flags: readonly string[] = [],
    variables: Readonly<Record<string, string>> = {},
  ): Promise<CrowdedHub> {
    const home = mkdtempSync(join(tmpdir(), 'axon-crowd-'));
    const identity = newIdentity();
    await prepareHome(
      home,
      identity,
      peers.map((peer, number) => ({ identity: peer, name: `Peer ${number}` })),
    );
    const hub = await startHeadless(home, ['--log-level', 'warn', ...flags], variables);
    try {
      const line = await HubClient.connect(home);
      await line.call('hub.setPassphrase', {
        passphrase: PASSPHRASE,
        boot_secret: line.facts.bootSecret,
      });
      const { token } = await line.call('hub.login', { passphrase: PASSPHRASE });
      const { hub: facts } = await line.withToken(token).call('hub.status', {});
      if (facts.peer_port === null) throw new Error('the hub has no port for other hubs');
      const crowded = new CrowdedHub(identity, hub, line, token, facts.peer_port);
      await crowded.#employ();
      return crowded;
    } catch (error) {
      hub.program.kill('SIGKILL');
      throw error;
    }
  }

  get target(): DialTarget {
    return {
      keyHex: this.identity.keyHex,
      agentId: this.identity.agentId,
      host: '127.0.0.1',
      port: this.peerPort,
    };
  }

  get processId(): number {
    return this.#hub.program.pid;
  }

  /** What the hub wrote to its log: warnings and errors. */
  get log(): string {
    return this.#hub.program.error;
  }

  get quicProcessId(): number {
    const children = readFileSync(`/proc/${this.processId}/task/${this.processId}/children`, 'utf8')
      .trim()
      .split(' ');
    const found = children
      .map(Number)
      .find(
        (child) => child > 0 && readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('quic'),
      );
    if (found === undefined) throw new Error('the hub has no QUIC process');
    return found;
  }

  /** Resident memory of the hub and of its QUIC process together. */
  memoryBytes(): number {
    return residentBytes(this.processId) + residentBytes(this.quicProcessId);
  }

  databaseBytes(): number {
    return ['hub.db', 'hub.db-wal'].reduce(
      (sum, name) =>
        sum + (statSync(join(this.#hub.home, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  }

  /**
   * How long /health took: by the clock, and without the time in which the hub or this process was
   * ready to go on and had no processor.
   */
  healthMs(): Promise<HealthTimes> {
    return this.#timed(async () => {
      const answer = await fetch(`http://127.0.0.1:${this.#hub.port}/health`);
      if (!answer.ok || !(await answer.text()).includes('running'))
        throw new Error('the hub does not say that it runs');
    });
  }

  /** One sample of the hub's own metrics; undefined where it has none. */
  async metric(name: string): Promise<number | undefined> {
    const answer = await fetch(`http://127.0.0.1:${this.#hub.port}/metrics`, {
      headers: { authorization: `Bearer ${this.#ownerToken}` },
    });
    const text = await answer.text();
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length));
  }

  /** Datagrams that reached the hub, by its own count. */
  async datagramsReceived(): Promise<number> {
    const { transport } = await this.owner.call('hub.status', {});
    return transport.counters['datagrams.received'] ?? 0;
  }

  /**
   * An owner's login by passphrase ends after some minutes: this makes a new one in time, and is
   * for work that lasts longer.
   */
  async stayLoggedIn(): Promise<void> {
    if (performance.now() - this.#loggedInAtMs < LOGIN_AGAIN_MS) return;
    this.#ownerToken = (await this.#line.call('hub.login', { passphrase: PASSPHRASE })).token;
    this.owner = this.#line.withToken(this.#ownerToken);
    this.#loggedInAtMs = performance.now();
  }

  /** How long the page's own call for what waits for a person takes. */
  approvalsMs(): Promise<HealthTimes> {
    return this.#timed(async () => void (await this.owner.call('approvals.list', {})));
  }

  /** Processor time of both processes since they began, seconds. */
  processorSeconds(): number {
    return processorSeconds(this.processId) + processorSeconds(this.quicProcessId);
  }

  /** How many paired hubs the hub itself counts as online. */
  async online(): Promise<number> {
    const { items } = await this.owner.call('peers.list', {});
    return items.filter(({ online, trust }) => online && trust === 'paired').length;
  }

  /** Stops in order, lets a reader look at the store, and removes everything. */
  async stop(look: (store: Store) => void = () => undefined): Promise<void> {
    this.#stopping.abort();
    await this.#agent;
    if (this.#agentFailed) throw this.#agentFailed;
    this.#line.close();
    this.#hub.program.kill('SIGTERM');
    await this.#hub.program.ended();
    const store = openStore({
      path: join(this.#hub.home, 'hub.db'),
      clock: systemDeps.clock,
      log: SILENT_LOG,
    });
    try {
      look(store);
    } finally {
      await store.close();
      rmSync(this.#hub.home, { recursive: true, force: true });
    }
  }

  /** For a test that ends early. Idempotent. */
  kill(): void {
    this.#stopping.abort();
    this.#hub.program.kill('SIGKILL');
  }

  async #timed(ask: () => Promise<void>): Promise<HealthTimes> {
    const waits = waitsOf([this.processId, process.pid]);
    const startedAt = performance.now();
    await ask();
    return timesOf(performance.now() - startedAt, waits());
  }

  async #employ(): Promise<void> {
    const { token } = await this.owner.call('agents.create', {
      name: 'clerk',
      domains: ['crowd.questions'],
    });
    await this.owner.call('agents.setClass', { name: 'clerk', risk_class: 'R0' });
    this.#agent = this.#work(this.#line.withToken(token)).catch((error: unknown) => {
      if (!this.#stopping.signal.aborted)
        this.#agentFailed = new Error('the agent of the crowded hub failed', { cause: error });
    });
  }

  async #work(agent: HubClient): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const { items } = await agent.call(
        'inbox.claim',
        { max: 32, wait_ms: CLAIM_WAIT_MS },
        this.#stopping.signal,
      );
      await Promise.all(
        items.map(async ({ delivery_id: delivery, kind }) => {
          try {
            await agent.call('inbox.ack', { delivery });
            await agent.call(
              'inbox.reply',
              kind === 'query' ? { delivery, summary: 'Yes.' } : { delivery },
            );
          } catch (error) {
            if (kind === 'query' && isGone(error)) return;
            throw error;
          }
          if (kind === 'query') this.answered += 1;
        }),
      );
    }
  }
}

/**
 * A question is gone from the inbox when its asker is: a killed line takes those that were being
 * answered with it.
 */
function isGone(error: unknown): boolean {
  return error instanceof HubProblem && error.problem.code === 'not_found';
}

function residentBytes(processId: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(
    readFileSync(`/proc/${processId}/status`, 'utf8'),
  )?.[1];
  if (kilobytes === undefined) throw new Error(`process ${processId} has no memory figure`);
  return Number(kilobytes) * 1024;
}

/** User and system time of all threads; the kernel counts in hundredths of a second. */
function processorSeconds(processId: number): number {
  const fields =
    readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  if (!Number.isFinite(user + system))
    throw new Error(`process ${processId} has no processor time`);
  return (user + system) / 100;
}
