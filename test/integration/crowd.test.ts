// As many paired hubs as one hub takes, all working at once: everybody is connected, answered and
// served alike, the localhost API stays quick, memory and disk stay bounded. Linux only: it looks
// at the hub's processes.
import { afterEach, describe, expect, test } from 'vitest';
import { PEER_RATES } from '../../main/services/links/limits.ts';
import { PENDING_TOTAL_MAX } from '../../main/services/approvals/limits.ts';
import { isLongRun, measured, rounds } from '../support/counts.ts';
import { Crowd, quantile } from '../support/crowd/crowd.ts';
import {
  answersOf,
  answersOfAll,
  inMebibytes,
  lateGrowthBytes,
  MEBIBYTE,
  most,
  said,
  total,
  watch,
} from '../support/crowd/crowd-watch.ts';
import { CrowdedHub } from '../support/crowd/crowded-hub.ts';
import { tooSlow } from '../support/crowd/health-times.ts';
import { LightPeer } from '../support/crowd/light-peer.ts';
import { newIdentity, type Identity } from './quic-test-hub.ts';

const MEMORY_MAX_BYTES = 500 * MEBIBYTE;
/**
 * What memory may still grow by in the second half of a run: the garbage of a moment, however long
 * the run.
 */
const LATE_GROWTH_MAX_BYTES = 48 * MEBIBYTE;
/** Nobody may wait longer than this for the usual answer, with everybody else at work. */
const ANSWER_P95_LIMIT_MS = 2_000;
/** The agent's two calls for every question, and the test's own. */
const QUICK_AGENT = ['--request-rate', '5000'];
const SAMPLE_MS = 250;

/** Both processes together, of one core, with everybody connected and nobody asking. */
const CALM_PROCESSOR_SHARE_MAX = 0.6;
const CALM_MS = isLongRun ? 30_000 : 2_000;

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function startHub(identities: readonly Identity[]): Promise<CrowdedHub> {
  const hub = await CrowdedHub.start(identities, QUICK_AGENT);
  ends.push(() => hub.kill());
  return hub;
}

function crowd(
  hub: CrowdedHub,
  identities: readonly Identity[],
  seconds: number,
  plan: ConstructorParameters<typeof Crowd>[3],
): Crowd {
  const made = new Crowd(hub, identities, seconds, plan);
  ends.push(() => made.end());
  return made;
}

/** What both processes of the hub use of one core while this time passes. */
async function processorShare(hub: CrowdedHub, forMs: number): Promise<number> {
  const [before, startedAt] = [hub.processorSeconds(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, forMs));
  return (hub.processorSeconds() - before) / ((performance.now() - startedAt) / 1_000);
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

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
      while ((await hub.online()) < peers)
        await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));

      const calmShare = await processorShare(hub, CALM_MS);
      const busyFrom = { atMs: performance.now(), seconds: hub.processorSeconds() };
      const work = Promise.all(crowds.map((each) => each.run())).then((all) => all.flat());
      const { result: reports, slowestHealth, slowestApprovals, memory } = await watch(hub, work);
      const busyShare =
        (hub.processorSeconds() - busyFrom.seconds) / ((performance.now() - busyFrom.atMs) / 1_000);
      const slowest = reports.map(({ latenciesMs }) =>
        quantile([...(latenciesMs['query'] ?? []), ...(latenciesMs['ping'] ?? [])], 0.95),
      );
      measured(
        `F-17: ${JSON.stringify(answersOfAll(reports))}, p95 of the worst served ${Math.round(Math.max(...slowest))} ms, ` +
          `/health at most ${said(slowestHealth)}, /v1/approvals at most ${said(slowestApprovals)}, ` +
          `processor ${percent(calmShare)} of one core calm and ${percent(busyShare)} with the traffic, memory at most ${inMebibytes(most(memory))} MiB, ` +
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
      expect(answersOfAll(reports)['response']).toBeGreaterThan((peers * seconds) / 4);
      expect(answersOfAll(reports)['ack accepted']).toBeGreaterThan(0);
      expect(answersOfAll(reports)['ack accepted']).toBeLessThanOrEqual(PENDING_TOTAL_MAX);
      expect(calmShare).toBeLessThan(CALM_PROCESSOR_SHARE_MAX);
      expect([...tooSlow(slowestHealth), ...tooSlow(slowestApprovals, '/v1/approvals')]).toEqual(
        [],
      );
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
    const replies = await Promise.all(
      Array.from({ length: 2 * burst }, () => peer.ask('query', question, 20_000)),
    );
    const answered = replies.filter(
      (reply) => typeof reply !== 'string' && reply.kind === 'response',
    ).length;
    const refused = replies.filter(
      (reply) => typeof reply !== 'string' && reply.payload['code'] === 'rate_limited',
    ).length;
    expect(answered + refused).toBe(replies.length);
    expect(answered).toBeGreaterThanOrEqual(burst);
    expect(answered).toBeLessThanOrEqual(
      burst + ((performance.now() - startedAt) / 60_000) * perMinute,
    );
  });
});
