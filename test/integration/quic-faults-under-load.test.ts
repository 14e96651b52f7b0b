// The QUIC process of a running hub is killed, stopped or caught in an endless loop while paired
// hubs work with it: the localhost API goes on, every peer is back within ten seconds, and no
// delegation that was accepted is lost or doubled.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { PENDING_PER_PARTY_MAX } from '../../main/services/approvals/limits.ts';
import { HubStack, MemoryVault } from '../fakes/hub-stack.ts';
import { CrowdedHub } from '../support/crowd/crowded-hub.ts';
import { NO_TIME, slowest, tooSlow } from '../support/crowd/health-times.ts';
import { createInProcessTransport } from '../support/in-process-transport.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { newIdentity, systemDeps, type Identity } from './quic-test-hub.ts';
import { pinOf } from '../fakes/sample-rows.ts';

const PEERS = 6;
/** A peer's place is empty no longer than this after the fault. */
const BACK_LIMIT_MS = 10_000;
const ASK_LIMIT_MS = 10_000;
const PAUSE_MS = 100;
/** Between two delegations of a peer: the fault falls among them. */
const DELEGATE_EVERY_MS = 500;

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const pause = (waitMs = PAUSE_MS): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, waitMs));

async function startPeer(identity: Identity, hub: CrowdedHub): Promise<HubStack> {
  const peer = new HubStack({
    clock: systemDeps.clock,
    name: 'Peer',
    transport: createInProcessTransport(systemDeps),
    vault: new MemoryVault(identity.seed),
  });
  ends.push(() => peer.stop());
  await peer.start();
  const { keyHex: key, agentId } = hub.identity;
  const pin = pinOf(key, 'The hub');
  await peer.store.write((tables) => peer.directory.pinInside(tables, pin));
  peer.directory.pinned(key);
  peer.directory.foundNearby({
    agentId,
    keyHex: key,
    port: hub.peerPort,
    addresses: ['127.0.0.1'],
    label: 'The hub',
  });
  return peer;
}

/** What the peers did, and the ids that the hub said it had accepted. */
class Load {
  readonly accepted = new Map<string, string>();
  slowestHealth = NO_TIME;
  slowestAckMs = 0;
  isOver = false;
  readonly #hub: CrowdedHub;
  readonly #running: Promise<readonly PromiseSettledResult<void>[]>;
  #isGivenUp = false;

  constructor(hub: CrowdedHub, peers: readonly HubStack[]) {
    this.#hub = hub;
    this.#running = Promise.allSettled([
      ...peers.flatMap((peer) => [this.#ask(peer), this.#delegate(peer)]),
      this.#watchHealth(),
    ]);
  }

  /** Until every peer has had the ack of every delegation; throws what failed meanwhile. */
  async finish(): Promise<void> {
    this.isOver = true;
    for (const end of await this.#running) if (end.status === 'rejected') throw end.reason;
  }

  async giveUp(): Promise<void> {
    this.isOver = true;
    this.#isGivenUp = true;
    await this.#running;
  }

  async #ask(peer: HubStack): Promise<void> {
    while (!this.isOver) {
      const query = {
        id: randomUUID(),
        kind: 'query',
        ref: null,
        payload: { question: 'Is the door shut?', domain: 'crowd.questions' },
      };
      await peer.links.request(this.#hub.identity.keyHex, query, ASK_LIMIT_MS);
      await pause();
    }
  }

  /** As a hub does: the same id again until there is an ack. */
  async #delegate(peer: HubStack): Promise<void> {
    for (let number = 0; number < PENDING_PER_PARTY_MAX; number += 1) {
      const delegation = {
        id: randomUUID(),
        kind: 'delegate',
        ref: null,
        payload: { task: `Job ${number}`, domain: 'crowd.questions' },
      };
      const startedAt = performance.now();
      while (!this.#isGivenUp) {
        const answered = await peer.links.request(
          this.#hub.identity.keyHex,
          delegation,
          ASK_LIMIT_MS,
        );
        if (answered.ok) {
          expect(answered.value.payload).toMatchObject({ accepted: true });
          this.accepted.set(delegation.id, peer.key);
          break;
        }
        await pause();
      }
      this.slowestAckMs = Math.max(this.slowestAckMs, performance.now() - startedAt);
      await pause(DELEGATE_EVERY_MS);
    }
  }

  async #watchHealth(): Promise<void> {
    while (!this.isOver) {
      this.slowestHealth = slowest(this.slowestHealth, await this.#hub.healthMs());
      await pause();
    }
  }
}

async function allAnswer(hub: CrowdedHub, peers: readonly HubStack[]): Promise<boolean> {
  const answers = await Promise.all(
    peers.map((peer) => peer.links.ping(hub.identity.keyHex, AbortSignal.timeout(1_000))),
  );
  return answers.every(({ ok }) => ok) && (await hub.online()) === peers.length;
}

/** Until every peer has an answer and the hub shows them all. */
async function untilAllAnswer(hub: CrowdedHub, peers: readonly HubStack[]): Promise<void> {
  const startedAt = performance.now();
  while (!(await allAnswer(hub, peers))) {
    if (performance.now() - startedAt > 2 * BACK_LIMIT_MS)
      throw new Error(`not everybody came back:\n${hub.log}`);
    await pause();
  }
}

async function hold(
  fault: (quicProcessId: number) => void,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  const identities = Array.from({ length: PEERS }, newIdentity);
  const hub = await CrowdedHub.start(identities, [], variables);
  ends.push(() => hub.kill());
  const peers = await Promise.all(identities.map((identity) => startPeer(identity, hub)));
  await untilAllAnswer(hub, peers);
  const load = new Load(hub, peers);
  ends.push(() => load.giveUp());
  while (load.accepted.size < 2 * PEERS) await pause();

  const victim = hub.quicProcessId;
  const startedAt = performance.now();
  fault(victim);
  expect(load.accepted.size).toBeLessThan(PEERS * PENDING_PER_PARTY_MAX);
  while (!hub.log.includes('The QUIC process ended')) await pause();
  await untilAllAnswer(hub, peers);
  expect(performance.now() - startedAt).toBeLessThan(BACK_LIMIT_MS);
  expect(hub.quicProcessId).not.toBe(victim);

  await load.finish();
  expect(tooSlow(load.slowestHealth)).toEqual([]);
  expect(load.slowestAckMs).toBeLessThan(BACK_LIMIT_MS);
  expect(load.accepted.size).toBe(PEERS * PENDING_PER_PARTY_MAX);
  await hub.stop((store) => {
    for (const [id, key] of load.accepted)
      expect(store.read.taskByMessage('incoming', key, id)).toBeDefined();
    expect(
      store.read.tasks({ limit: 1_000 }).filter(({ kind }) => kind === 'delegate'),
    ).toHaveLength(load.accepted.size);
  });
}

describe.runIf(process.platform === 'linux')('F-20: a hub under load', () => {
  test(
    'F-20: loses its QUIC process to kill -9 and nothing else',
    () => hold((id) => void process.kill(id, 'SIGKILL')),
    60_000,
  );

  test(
    'F-20: ends a QUIC process that stands still',
    () => hold((id) => void process.kill(id, 'SIGSTOP')),
    60_000,
  );

  test.skipIf(!hasRealPart('c-compiler'))(
    'F-20: ends a QUIC process that is caught in an endless loop of native code',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'axon-loop-'));
      ends.push(() => rmSync(folder, { recursive: true, force: true }));
      const library = join(folder, 'endless-loop.so');
      const source = join(import.meta.dirname, 'endless-loop.c');
      expect(
        spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source], { encoding: 'utf8' })
          .stderr,
      ).toBe('');
      await hold((id) => void process.kill(id, 'SIGUSR2'), { LD_PRELOAD: library });
    },
    60_000,
  );
});
