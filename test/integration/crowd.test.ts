// As many paired hubs as one hub takes, all working at once, and one that floods: everybody is connected, answered and served alike, the
// localhost API stays quick, memory and disk stay bounded. Linux only: it looks at the hub's processes.
import { afterEach, describe, expect, test } from 'vitest';
import { PEER_RATES } from '../../main/services/links/limits.ts';
import { PENDING_TOTAL_MAX } from '../../main/services/work/limits.ts';
import { measured, rounds } from '../support/counts.ts';
import { Crowd, quantile } from '../support/crowd/crowd.ts';
import type { PeerReport } from '../support/crowd/crowd-process.ts';
import { CrowdedHub } from '../support/crowd/crowded-hub.ts';
import { NO_TIME, slowest as slowestOf, tooSlow, type HealthTimes } from '../support/crowd/health-times.ts';
import { LightPeer } from '../support/crowd/light-peer.ts';
import { newIdentity, type Identity } from './quic-test-hub.ts';

const MEBIBYTE = 1024 * 1024;
const MEMORY_MAX_BYTES = 500 * MEBIBYTE;
const MEMORY_GROWTH_MAX_BYTES = 50 * MEBIBYTE;
/** What memory may still grow by in the second half of a run: the garbage of a moment, however long the run. */
const LATE_GROWTH_MAX_BYTES = 48 * MEBIBYTE;
/** Nobody may wait longer than this for the usual answer, with everybody else at work. */
const ANSWER_P95_LIMIT_MS = 2_000;
/** The agent's two calls for every question, and the test's own. */
const QUICK_AGENT = ['--request-rate', '5000'];
const SAMPLE_MS = 250;

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function startHub(identities: readonly Identity[]): Promise<CrowdedHub> {
  const hub = await CrowdedHub.start(identities, QUICK_AGENT);
  ends.push(() => hub.kill());
  return hub;
}

function crowd(hub: CrowdedHub, identities: readonly Identity[], seconds: number, plan: ConstructorParameters<typeof Crowd>[3]): Crowd {
  const made = new Crowd(hub, identities, seconds, plan);
  ends.push(() => made.end());
  return made;
}

interface Watched<Result> {
  readonly result: Result;
  /** By the clock, and of the hub itself: a computer that is busy elsewhere makes the first long. */
  readonly slowestHealth: HealthTimes;
  readonly memory: readonly number[];
}

const most = (values: readonly number[]): number => values.reduce((one, other) => Math.max(one, other), 0);

/** By how much the middle of the last quarter is above that of the quarter before the half: single peaks say nothing. */
function lateGrowthBytes(memory: readonly number[]): number {
  const quarter = (number: number) => memory.slice((number * memory.length) / 4, ((number + 1) * memory.length) / 4);
  return quantile(quarter(3), 0.5) - quantile(quarter(1), 0.5);
}

const inMebibytes = (bytes: number): number => Math.round(bytes / MEBIBYTE);

/** Looks at the hub's health and memory again and again until the work is over. */
async function watch<Result>(hub: CrowdedHub, work: Promise<Result>): Promise<Watched<Result>> {
  const over = new AbortController();
  let slowestHealth = NO_TIME;
  const memory: number[] = [];
  const watching = (async (): Promise<void> => {
    while (!over.signal.aborted) {
      slowestHealth = slowestOf(slowestHealth, await hub.healthMs());
      memory.push(hub.memoryBytes());
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  try {
    const result = await Promise.race([work, watching.then(() => work)]);
    return { result, slowestHealth, memory };
  } finally {
    over.abort();
    await watching;
  }
}

function said({ byClock, ownMs }: HealthTimes): string {
  return `${Math.round(byClock)} ms (${ownMs === null ? 'unknown' : Math.round(ownMs)} ms without waiting for a processor)`;
}

function total(reports: readonly PeerReport[], read: (report: PeerReport) => number): number {
  return reports.reduce((sum, report) => sum + read(report), 0);
}

const answersOf = ({ answers }: PeerReport): number => Object.values(answers).reduce((sum, count) => sum + count, 0);

/** What all peers got, by kind. */
function sums(reports: readonly PeerReport[]): Readonly<Record<string, number>> {
  const all: Record<string, number> = {};
  for (const { answers } of reports) for (const [name, count] of Object.entries(answers)) all[name] = (all[name] ?? 0) + count;
  return all;
}

describe.runIf(process.platform === 'linux')('a hub among many', () => {
  const peers = rounds('F-17 paired hubs', { short: 32, long: 128 });
  const seconds = rounds('F-17 seconds of mixed traffic', { short: 10, long: 600 });
  test(
    'F-17: paired hubs in their number with mixed traffic are all connected, answered and served alike',
    async () => {
      const identities = Array.from({ length: peers }, () => newIdentity());
      const hub = await startHub(identities);
      const plan = { query: 2_000, notify: 2_000, ping: 2_000, delegate: 6_000, discover: 5_000 };
      const processes = peers > 64 ? 4 : 2;
      const share = Math.ceil(peers / processes);
      const crowds = Array.from({ length: processes }, (_, number) =>
        crowd(hub, identities.slice(number * share, (number + 1) * share), seconds, plan),
      );
      await Promise.all(crowds.map((each) => each.connected()));
      while ((await hub.online()) < peers) await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));

      const work = Promise.all(crowds.map((each) => each.run())).then((all) => all.flat());
      const { result: reports, slowestHealth, memory } = await watch(hub, work);
      const slowest = reports.map(({ latenciesMs }) => quantile([...(latenciesMs['query'] ?? []), ...(latenciesMs['ping'] ?? [])], 0.95));
      measured(
        `F-17: ${JSON.stringify(sums(reports))}, p95 of the worst served ${Math.round(Math.max(...slowest))} ms, ` +
          `/health at most ${said(slowestHealth)}, memory at most ${inMebibytes(most(memory))} MiB, ` +
          `${inMebibytes(lateGrowthBytes(memory))} MiB more in the second half`,
      );
      expect(reports).toHaveLength(peers);
      for (const { unanswered } of reports) expect(unanswered).toEqual({});
      expect(total(reports, ({ reconnects }) => reconnects)).toBe(0);
      expect(await hub.online()).toBe(peers);
      // Everybody is paced alike: whoever got much less than the others was kept waiting.
      const counts = reports.map(answersOf);
      expect(Math.min(...counts)).toBeGreaterThan(quantile(counts, 0.5) / 2);
      expect(Math.max(...slowest)).toBeLessThan(ANSWER_P95_LIMIT_MS);
      expect(sums(reports)['response']).toBeGreaterThan((peers * seconds) / 4);
      expect(sums(reports)['ack accepted']).toBeGreaterThan(0);
      expect(sums(reports)['ack accepted']).toBeLessThanOrEqual(PENDING_TOTAL_MAX);
      expect(tooSlow(slowestHealth)).toEqual([]);
      expect(most(memory)).toBeLessThan(MEMORY_MAX_BYTES);
      expect(lateGrowthBytes(memory)).toBeLessThan(LATE_GROWTH_MAX_BYTES);
      expect(hub.log).not.toMatch(/unhandled|uncaught/);
    },
    (seconds + 120) * 1_000,
  );

  test('a peer may ask as much at once as its rate says, and is told to wait beyond', async () => {
    const identity = newIdentity();
    const hub = await startHub([identity]);
    const peer = await new LightPeer(identity, '127.0.9.1', hub.target).start();
    ends.push(() => peer.stop());
    await peer.connected();
    const startedAt = performance.now();
    const { burst, perMinute } = PEER_RATES.query;
    const question = { question: 'Is the garden gate closed?', domain: 'crowd.questions' };
    const replies = await Promise.all(Array.from({ length: 2 * burst }, () => peer.ask('query', question, 20_000)));
    const answered = replies.filter((reply) => typeof reply !== 'string' && reply.kind === 'response').length;
    const refused = replies.filter((reply) => typeof reply !== 'string' && reply.payload['code'] === 'rate_limited').length;
    expect(answered + refused).toBe(replies.length);
    expect(answered).toBeGreaterThanOrEqual(burst);
    expect(answered).toBeLessThanOrEqual(burst + ((performance.now() - startedAt) / 60_000) * perMinute);
  });

  const flooded = rounds('F-18 seconds of flood', { short: 5, long: 60 });
  test(
    'F-18: ten thousand notifications a second from one hub are shed, and the others are served',
    async () => {
      const [flooder = newIdentity(), ...others] = Array.from({ length: 9 }, () => newIdentity());
      const hub = await startHub([flooder, ...others]);
      const quiet = crowd(hub, others, flooded, { delegate: 1_000, query: 1_000, ping: 500 });
      const flood = crowd(hub, [flooder], flooded, { flood: 10_000 });
      await Promise.all([quiet.connected(), flood.connected()]);
      const [databaseBefore, memoryBefore] = [hub.databaseBytes(), hub.memoryBytes()];
      const { result, slowestHealth, memory } = await watch(hub, Promise.all([quiet.run(), flood.run()]));
      const memoryGrowth = most(memory) - memoryBefore;
      const [served, [flooding]] = result;
      const delegations = served.flatMap(({ latenciesMs }) => latenciesMs['delegate'] ?? []);
      const databaseGrowth = hub.databaseBytes() - databaseBefore;
      measured(
        `F-18: ${flooding?.sent} notifications in ${flooded} s, delegate p95 ${Math.round(quantile(delegations, 0.95))} ms, ` +
          `${JSON.stringify(sums(served))}, memory +${inMebibytes(memoryGrowth)} MiB, ` +
          `/health at most ${said(slowestHealth)}, database +${Math.round(databaseGrowth / 1024)} KiB`,
      );
      const taken = PEER_RATES.notify.burst + (PEER_RATES.notify.perMinute * (flooded + 5)) / 60;
      expect(flooding?.sent).toBeGreaterThan(10 * taken);
      for (const { unanswered } of served) expect(unanswered).toEqual({});
      expect(delegations.length).toBeGreaterThan(others.length * 4);
      expect(sums(served)['ack accepted']).toBeGreaterThanOrEqual(others.length * 4);
      expect(quantile(delegations, 0.95)).toBeLessThan(ANSWER_P95_LIMIT_MS);
      expect(tooSlow(slowestHealth)).toEqual([]);
      expect(memoryGrowth).toBeLessThan(MEMORY_GROWTH_MAX_BYTES);
      expect(databaseGrowth).toBeLessThan(8 * MEBIBYTE);
      await Promise.all([quiet.end(), flood.end()]);
      await hub.stop((store) => {
        const notes = store.read.messages({ limit: 100_000 }, { party: flooder.keyHex });
        expect(notes.length).toBeGreaterThanOrEqual(PEER_RATES.notify.burst);
        expect(notes.length).toBeLessThan(taken);
      });
    },
    (flooded + 90) * 1_000,
  );
});
