// Sixty-four paired hubs, and an agent of this one, ask as much as they may: the owner's cards and
// the pings of a hub that asks for nothing else are answered as on a quiet hub, and what memory that
// takes is given back or used again. Linux only: it looks at the hub's processes.
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { isLongRun, measured, rounds } from '../support/counts.ts';
import { Crowd, quantile } from '../support/crowd/crowd.ts';
import { inMebibytes, MEBIBYTE } from '../support/crowd/crowd-watch.ts';
import { CrowdedHub } from '../support/crowd/crowded-hub.ts';
import { newIdentity } from './quic-test-hub.ts';

const CLIENTS = 64;
/** Just within what a hub lets another one ask (PEER_RATES). */
const ALLOWED = { query: 260, notify: 260, delegate: 5_100, ping: 1_000, discover: 5_000 };
const SECONDS = rounds('seconds in which 64 hubs ask as much as they may', { short: 5, long: 60 });
const ROUNDS = rounds('rounds of that', { short: 1, long: 5 });
/**
 * A hub that has served a little: its code is compiled, and the pages of Node's own program that it
 * needs are read from the disk.
 */
const WARM_SECONDS = 5;
const REST_MS = isLongRun ? 120_000 : 2_000;
const LOOK_MS = 100;
/** In the short run it only has to be no hang. */
const LIMITS = isLongRun
  ? { slower: 3, p95Ms: 100, keptBytes: 40 * MEBIBYTE, secondBytes: 10 * MEBIBYTE }
  : { slower: Infinity, p95Ms: 2_000, keptBytes: 250 * MEBIBYTE, secondBytes: 250 * MEBIBYTE };

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Times {
  readonly approvals: number;
  readonly pings: number;
}

/** The p95 of the owner's call and of a quiet hub's pings, ms, while `work` goes on. */
async function timesDuring(
  hub: CrowdedHub,
  quiet: ReturnType<typeof newIdentity>,
  work: (seconds: number) => Promise<unknown>,
): Promise<Times> {
  const pinging = new Crowd(hub, [quiet], SECONDS, { ping: LOOK_MS });
  await pinging.connected();
  const approvals: number[] = [];
  const over = new AbortController();
  const looking = (async () => {
    while (!over.signal.aborted) {
      await hub.stayLoggedIn();
      const { byClock, ownMs } = await hub.approvalsMs();
      approvals.push(ownMs ?? byClock);
      await wait(LOOK_MS);
    }
  })();
  const [[report]] = await Promise.all([pinging.run(), work(SECONDS)]);
  over.abort();
  await looking;
  await pinging.end();
  expect(report?.unanswered).toEqual({});
  const pings = report?.latenciesMs['ping'] ?? [];
  return { approvals: quantile(approvals, 0.95), pings: quantile(pings, 0.95) };
}

const median = (values: readonly number[]): number => quantile(values, 0.5);

test.runIf(process.platform === 'linux')(
  `${CLIENTS} hubs that ask as much as they may leave the owner and others served, and memory as it was`,
  async () => {
    const clients = Array.from({ length: CLIENTS }, () => newIdentity());
    const quiet = newIdentity();
    const hub = await CrowdedHub.start([...clients, quiet], ['--request-rate', '5000']);
    ends.push(() => hub.kill());
    const warmUp = async (): Promise<void> => {
      const crowd = new Crowd(hub, clients, WARM_SECONDS, ALLOWED);
      await crowd.connected();
      await crowd.run();
      await crowd.end();
    };
    const round = async (): Promise<Times> => {
      const crowd = new Crowd(hub, clients, SECONDS, ALLOWED);
      ends.push(() => crowd.end());
      await crowd.connected();
      const times = await timesDuring(hub, quiet, () => crowd.run());
      await crowd.end();
      return times;
    };
    const fresh = hub.memoryBytes();
    await warmUp();
    await wait(REST_MS);
    const before = hub.memoryBytes();
    // Its cards wait from now on: the owner's list is as long on the quiet hub as on the busy one.
    await round();
    const idle = await timesDuring(hub, quiet, (seconds) => wait(seconds * 1_000));
    const busy: Times[] = [];
    for (let count = 0; count < ROUNDS; count += 1) busy.push(await round());
    await wait(REST_MS);
    const after = hub.memoryBytes();
    busy.push(await round());
    await wait(REST_MS);
    const again = hub.memoryBytes();
    const times = {
      approvals: median(busy.map(({ approvals }) => approvals)),
      pings: median(busy.map(({ pings }) => pings)),
    };
    measured(
      `${CLIENTS} hubs that ask as much as they may: the owner's cards p95 ${times.approvals.toFixed(1)} ms (${idle.approvals.toFixed(1)} idle), ` +
        `pings p95 ${times.pings.toFixed(1)} ms (${idle.pings.toFixed(1)} idle); memory ${inMebibytes(fresh)} MiB fresh, ${inMebibytes(before)} MiB before, ` +
        `+${inMebibytes(after - before)} after, +${inMebibytes(again - after)} after one more`,
    );
    expect(times.approvals).toBeLessThan(LIMITS.p95Ms);
    expect(times.pings).toBeLessThan(LIMITS.p95Ms);
    expect(times.approvals).toBeLessThan(LIMITS.slower * idle.approvals);
    expect(times.pings).toBeLessThan(LIMITS.slower * idle.pings);
    expect(after - before).toBeLessThan(LIMITS.keptBytes);
    expect(again - after).toBeLessThan(LIMITS.secondBytes);
    await hub.stop();
  },
  ((ROUNDS + 3) * (SECONDS + 20) + 60) * 1_000 + 3 * REST_MS,
);
