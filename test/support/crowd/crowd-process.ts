// A process full of light peers: told once whom to be and what to send, it reports when all are
// connected, and at the end what each of its peers asked, got and waited. Traffic is paced, so that
// whoever got less than the others was served less.
import { randomUUID } from 'node:crypto';
import type { DialTarget } from '../../../main/ports/transport.ts';
import { newIdentity } from '../../integration/quic-test-hub.ts';
import { LightPeer } from './light-peer.ts';

export interface CrowdOrder {
  readonly hub: DialTarget;
  readonly seeds: readonly Uint8Array[];
  /**
   * A loopback address of its own for each peer: the hub bounds what one address may ask before it
   * is known.
   */
  readonly hosts: readonly string[];
  readonly seconds: number;
  readonly plan: CrowdPlan;
}

/** How often each peer sends what, in ms; left out means never. */
export interface CrowdPlan {
  readonly query?: number;
  readonly notify?: number;
  readonly ping?: number;
  readonly delegate?: number;
  readonly discover?: number;
  /** One-way messages a second, as many as the transport takes, instead of all of the above. */
  readonly flood?: number;
}

export interface PeerReport {
  /** Answers by the kind of the answer; for an ack and an error also what they say. */
  readonly answers: Readonly<Record<string, number>>;
  /** Requests without an answer, by reason. */
  readonly unanswered: Readonly<Record<string, number>>;
  readonly sent: number;
  readonly latenciesMs: Readonly<Record<string, readonly number[]>>;
  readonly reconnects: number;
}

export type CrowdReport =
  { readonly type: 'connected' } | { readonly type: 'done'; readonly peers: readonly PeerReport[] };

const ASK_LIMIT_MS = 10_000;
const FLOOD_TURN_MS = 10;

const REQUESTS = {
  query: () => ({ question: 'Is the garden gate closed?', domain: 'crowd.questions' }),
  ping: () => ({}),
  discover: () => ({}),
  delegate: () => ({ task: 'Close the garden gate', domain: 'crowd.questions' }),
} as const;

class Member {
  readonly answers: Record<string, number> = {};
  readonly unanswered: Record<string, number> = {};
  readonly latenciesMs: Record<string, number[]> = {};
  sent = 0;
  readonly #peer: LightPeer;

  constructor(peer: LightPeer) {
    this.#peer = peer;
  }

  async run(plan: CrowdPlan, untilMs: number): Promise<void> {
    if (plan.flood !== undefined) return this.#flood(plan.flood, untilMs);
    const kinds = ['query', 'ping', 'discover', 'delegate'] as const;
    const asking = kinds.map((kind) => this.#every(plan[kind], untilMs, () => this.#ask(kind)));
    await Promise.all([...asking, this.#every(plan.notify, untilMs, () => this.#notify())]);
  }

  report(): PeerReport {
    const { answers, unanswered, sent, latenciesMs } = this;
    return { answers, unanswered, sent, latenciesMs, reconnects: this.#peer.greetings - 1 };
  }

  async #ask(kind: keyof typeof REQUESTS): Promise<void> {
    const startedAt = performance.now();
    const reply = await this.#peer.ask(kind, REQUESTS[kind](), ASK_LIMIT_MS, randomUUID());
    if (typeof reply === 'string') return count(this.unanswered, `${kind}: ${reply}`);
    (this.latenciesMs[kind] ??= []).push(performance.now() - startedAt);
    const { accepted, code } = reply.payload;
    const words = accepted === true ? ' accepted' : typeof code === 'string' ? ` ${code}` : '';
    count(this.answers, `${reply.kind}${words}`);
  }

  async #notify(): Promise<void> {
    if (await this.#peer.send('notify', { topic: 'gate.opened', data: 'at noon' })) this.sent += 1;
  }

  /** Once an interval from a random moment on; a late answer makes no burst. */
  async #every(
    intervalMs: number | undefined,
    untilMs: number,
    work: () => Promise<void>,
  ): Promise<void> {
    if (intervalMs === undefined) return;
    await pause(Math.random() * intervalMs);
    while (performance.now() < untilMs) {
      const startedAt = performance.now();
      await work();
      await pause(Math.max(0, intervalMs - (performance.now() - startedAt)));
    }
  }

  async #flood(perSecond: number, untilMs: number): Promise<void> {
    const startedAt = performance.now();
    let offered = 0;
    while (performance.now() < untilMs) {
      const due = ((performance.now() - startedAt) / 1_000) * perSecond;
      const turn: Promise<void>[] = [];
      for (; offered < due; offered += 1) turn.push(this.#notify());
      await Promise.all([...turn, pause(FLOOD_TURN_MS)]);
    }
  }
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

async function serve({ hub, seeds, hosts, seconds, plan }: CrowdOrder): Promise<void> {
  const peers = seeds.map(
    (seed, number) => new LightPeer(newIdentity(seed), hosts[number] ?? '127.0.0.1', hub),
  );
  for (const peer of peers) await peer.start();
  await Promise.all(peers.map((peer) => peer.connected()));
  say({ type: 'connected' });
  await new Promise((resolve) => process.once('message', resolve));
  const members = peers.map((peer) => new Member(peer));
  const untilMs = performance.now() + seconds * 1_000;
  await Promise.all(members.map((member) => member.run(plan, untilMs)));
  say({ type: 'done', peers: members.map((member) => member.report()) });
  await new Promise((resolve) => process.once('message', resolve));
  await Promise.all(peers.map((peer) => peer.stop()));
}

function say(report: CrowdReport): void {
  process.send?.(report);
}

process.once('disconnect', () => process.exit(0));
process.once('message', (order: CrowdOrder) => void serve(order).then(() => process.exit(0)));
