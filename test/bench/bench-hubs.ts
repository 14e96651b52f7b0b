// Built hubs on this computer, as rows hold them: alone, or two that are paired, with an agent that
// asks at one and one that answers at the other. Their limits are raised by the options for
// measurements; all else is as it comes.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pairByApi } from '../e2e/pair-by-api.ts';
import { newIdentity } from '../integration/quic-test-hub.ts';
import { HubProcess, type HubApi, type HubOptions } from '../lan/hub-process.ts';
import type { Environment } from '../lan/line-process.ts';
import { ThisComputer } from '../lan/this-computer.ts';
import { LightPeer } from '../support/crowd/light-peer.ts';
import { until } from '../support/until.ts';
import type { PairedKey } from './pairing-worker.ts';
import { DOMAIN } from './subjects/hub-query.ts';
import type { Told } from './subjects/local-api.ts';

/** How the limits of every hub here are raised. */
export const RAISED = ['--peer-rate-factor', '1000', '--request-rate', '100000'];
const UNFOUND = ['--discovery', 'off'];
const CONNECTED_WITHIN_MS = 60_000;
const PAIRING_WORKER = join(import.meta.dirname, 'pairing-worker.ts');
const HOOKS = new URL('../support/raw-imports.mjs', import.meta.url).href;

/** Of a hub that does not run. */
export async function pairInFolder(home: string, peers: readonly PairedKey[]): Promise<void> {
  const flags = ['--no-warnings', '--import', HOOKS, PAIRING_WORKER, home, JSON.stringify(peers)];
  await promisify(execFile)(process.execPath, flags);
}

/** Hubs, and all that is to be ended with them, the last first. */
export class BenchHubs {
  readonly computer = new ThisComputer('bench');
  readonly #ends: (() => Promise<unknown>)[] = [() => this.computer.close()];

  /** Runs the work, and ends everything that it opened. */
  static async run<T>(work: (hubs: BenchHubs) => Promise<T>): Promise<T> {
    const hubs = new BenchHubs();
    try {
      return await work(hubs);
    } finally {
      for (const end of hubs.#ends.toReversed()) await end();
    }
  }

  /** Ended with the hubs, before those that were opened before it. */
  async keep<Kept extends { close(): Promise<unknown> }>(opened: Promise<Kept>): Promise<Kept> {
    const kept = await opened;
    this.#ends.push(() => kept.close());
    return kept;
  }

  async start(name: string, options: Partial<HubOptions> = {}): Promise<HubProcess> {
    const flags = [...RAISED, ...(options.flags ?? UNFOUND)];
    const hub = await HubProcess.start(this.computer, { ...options, name, flags });
    this.#ends.push(() => hub.remove());
    return hub;
  }

  /**
   * Pairs so many further hubs with this one, reduced to their manners on the wire, and connects
   * them. The hub is started again. @param agentsEach how many agents each of them offers
   */
  async connect(hub: HubProcess, count: number, agentsEach: number): Promise<void> {
    const identities = Array.from({ length: count }, () => newIdentity());
    await hub.kill('SIGTERM');
    await pairInFolder(
      hub.home,
      identities.map(({ keyHex }, number) => ({ keyHex, name: `Peer ${number}` })),
    );
    await hub.restart();
    const owner = await hub.owner();
    const { hub: facts } = await until('the port between hubs', CONNECTED_WITHIN_MS, async () => {
      const known = await owner.call('hub.whoami', {});
      return known.hub.peer_port === null ? undefined : known;
    });
    const target = {
      keyHex: facts.public_key ?? '',
      agentId: facts.agent_id ?? '',
      host: '127.0.0.1',
      port: facts.peer_port ?? 0,
    };
    const agents = Array.from({ length: agentsEach }, (_, number) => ({
      name: `helper-${number}`,
      domains: [DOMAIN],
      capabilities: [],
      channels: [],
      tools: [],
    }));
    for (const identity of identities) {
      const peer = new LightPeer(identity, '127.0.0.1', target, agents);
      this.#ends.push(() => peer.stop());
      await (await peer.start()).connected();
    }
    await until('all capabilities', CONNECTED_WITHIN_MS, async () => {
      const { items } = await owner.call('peers.list', { trust: 'paired' });
      const known = items.filter(
        ({ online, capabilities }) =>
          online && capabilities?.untrusted.agents.length === agentsEach,
      );
      return known.length === count ? known : undefined;
    });
  }

  /** @param environments of the hub that asks, and of the other */
  async household(environments: readonly Environment[] = []): Promise<BenchHousehold> {
    const [ofAsking = {}, ofWorking = {}] = environments;
    const asking = await this.start('asking', { environment: ofAsking });
    return BenchHousehold.of(asking, await this.start('working', { environment: ofWorking }));
  }
}

/** Two hubs that call each other Asking and Working. */
export class BenchHousehold {
  readonly asking: HubProcess;
  readonly working: HubProcess;
  /** By the agent that asks, and by the one that answers. */
  readonly told: { readonly asking: Told; readonly working: Told };
  /** The working hub as the asking one names it. */
  readonly peer: string;

  private constructor(
    hubs: { readonly asking: HubProcess; readonly working: HubProcess },
    told: BenchHousehold['told'],
    peer: string,
  ) {
    ({ asking: this.asking, working: this.working } = hubs);
    this.told = told;
    this.peer = peer;
  }

  /**
   * Pairs them and connects an agent to each. Questions to the answering one need nobody's word; a
   * rule lets in what is delegated to it. @param idleAgents so many more at the working hub
   */
  static async of(
    asking: HubProcess,
    working: HubProcess,
    { idleAgents = 0 } = {},
  ): Promise<BenchHousehold> {
    const [one, other] = [await asking.owner(), await working.owner()];
    for (let number = 0; number < idleAgents; number += 1)
      await other.call('agents.create', { name: `helper-${number}`, domains: [DOMAIN] });
    const asker = await one.call('agents.create', { name: 'asker' });
    const reader = await other.call('agents.create', {
      name: 'reader',
      domains: [DOMAIN],
      risk_class: 'R0',
    });
    await pairByApi(one, other, { asking: 'Asking', asked: 'Working' });
    await allow(other);
    const { items } = await one.call('peers.list', { trust: 'paired' });
    const peer = items.find(({ name }) => name === 'Working');
    if (peer === undefined) throw new Error('the hub Working is not there');
    const told = {
      asking: { port: asking.port, token: asker.token },
      working: { port: working.port, token: reader.token },
    };
    return new BenchHousehold({ asking, working }, told, peer.id);
  }

  get hubs(): readonly HubProcess[] {
    return [this.asking, this.working];
  }

  /** Of both mains; their QUIC processes are others. */
  get mains(): readonly number[] {
    return this.hubs.map(({ pid }) => pid);
  }

  /** The words for a half that answers, and for one that asks. */
  get toldEach(): readonly [string, string] {
    return [JSON.stringify(this.told.working), JSON.stringify(this.told.asking)];
  }

  /** The same for halves that know both hubs. */
  get toldBoth(): readonly [string, string] {
    const both = JSON.stringify(this.told);
    return [both, both];
  }
}

async function allow(working: HubApi): Promise<void> {
  const about = { peer: 'Asking', agent: 'reader', domain: DOMAIN, kind: 'delegate' } as const;
  await working.call('rules.create', { effect: 'allow', ...about });
}
