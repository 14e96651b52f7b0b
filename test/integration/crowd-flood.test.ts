// Paired hubs that flood one hub, one alone and a hundred together: what goes beyond the rates is
// shed early, everybody else is served, the hub's own process comes to what is due in time, memory
// and disk stay bounded. Linux only: it looks at the hub's processes.
import { afterEach, describe, expect, test } from 'vitest';
import { PEER_RATES } from '../../main/services/links/limits.ts';
import { isLongRun, measured, rounds } from '../support/counts.ts';
import { Crowd, quantile } from '../support/crowd/crowd.ts';
import {
  answersOfAll,
  inMebibytes,
  MEBIBYTE,
  most,
  said,
  total,
  warmGrowthBytes,
  watch,
} from '../support/crowd/crowd-watch.ts';
import { CrowdedHub } from '../support/crowd/crowded-hub.ts';
import { slowdownOf, tooSlow } from '../support/crowd/health-times.ts';
import { newIdentity } from './quic-test-hub.ts';

/**
 * Of one flooder; a hundred of them have windows and notes of their own, and are bounded by the
 * whole.
 */
const MEMORY_GROWTH_MAX_BYTES = 50 * MEBIBYTE;
/** Of any number of flooders, over the hub that had them all connected and was idle. */
const FIRST_FLOOD_GROWTH_MAX_BYTES = 150 * MEBIBYTE;
const MEMORY_MAX_BYTES = 500 * MEBIBYTE;
const LAG = 'axon_hub_event_loop_lag_p99_seconds';
/**
 * What must have reached the hub of that, on a computer that others keep busy: hundreds of times
 * what the rates of one hub let in.
 */
const REACHED_RATE_MIN = 1_000;
/** Of the hub itself: the waits for a processor are taken out, since those are the computer's. */
const LIMITS = isLongRun
  ? { delegateP95Ms: 500, lagP99Ms: 100 }
  : { delegateP95Ms: 1_000, lagP99Ms: 1_000 };
const QUIET = 8;

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

describe.runIf(process.platform === 'linux')('a hub that is flooded', () => {
  const seconds = rounds('F-18 seconds of flood', { short: 5, long: 60 });
  // All of them together: a hundred send as many as one where the computer has nothing else to do.
  const floods = [
    { flooders: 1, rate: 10_000 },
    {
      flooders: 100,
      rate: rounds('F-18 notifications a second of a hundred hubs', { short: 2_000, long: 10_000 }),
    },
  ];
  for (const { flooders, rate } of floods) {
    const who = flooders === 1 ? 'one hub' : `${flooders} hubs`;
    test(
      `F-18: ${rate} notifications a second from ${who} are shed, and the others are served`,
      async () => {
        const flooding = Array.from({ length: flooders }, () => newIdentity());
        const others = Array.from({ length: QUIET }, () => newIdentity());
        const hub = await CrowdedHub.start([...flooding, ...others], ['--request-rate', '5000']);
        ends.push(() => hub.kill());
        const quiet = new Crowd(hub, others, seconds, { delegate: 1_000, query: 1_000, ping: 500 });
        const flood = new Crowd(hub, flooding, seconds, { flood: rate / flooders });
        ends.push(
          () => quiet.end(),
          () => flood.end(),
        );
        await Promise.all([quiet.connected(), flood.connected()]);

        const [databaseBefore, reachedBefore] = [
          hub.databaseBytes(),
          await hub.datagramsReceived(),
        ];
        // It is measured from its first reading on, and tells of the last minute: of the flood,
        // which lasts no longer.
        expect(await hub.metric(LAG)).toBeUndefined();
        const memoryBefore = hub.memoryBytes();
        const slowdown = slowdownOf([hub.processId, hub.quicProcessId]);
        const { result, slowestHealth, memory } = await watch(
          hub,
          Promise.all([quiet.run(), flood.run()]),
        );
        const slowed = slowdown();
        const lagP99Ms = ((await hub.metric(LAG)) ?? Number.NaN) * 1_000;
        const [served, flooded] = result;
        const memoryGrowth = warmGrowthBytes(memory);
        const databaseGrowth = hub.databaseBytes() - databaseBefore;
        const reached = (await hub.datagramsReceived()) - reachedBefore;
        const delegations = served.flatMap(({ latenciesMs }) => latenciesMs['delegate'] ?? []);
        const delegateP95Ms = quantile(delegations, 0.95);
        measured(
          `F-18 from ${who}: ${total(flooded, ({ sent }) => sent)} notifications sent and ${reached} datagrams received in ${seconds} s ` +
            `(${Math.round(reached / seconds)} a second of ${rate} offered), delegate p95 ${Math.round(delegateP95Ms)} ms, ` +
            `event loop p99 ${Math.round(lagP99Ms)} ms late, ${slowed.toFixed(1)} times slower for want of a processor, ` +
            `${JSON.stringify(answersOfAll(served))}, memory at most ${inMebibytes(most(memory))} MiB, +${inMebibytes(memoryGrowth)} once warm, /health at most ${said(slowestHealth)}, ` +
            `database +${Math.round(databaseGrowth / 1024)} KiB`,
        );
        expect(reached / seconds).toBeGreaterThan(REACHED_RATE_MIN);
        for (const { unanswered } of served) expect(unanswered).toEqual({});
        // Who asks once a second asks less often where the answers take longer for want of a
        // processor.
        expect(delegations.length * slowed).toBeGreaterThan(others.length * 4);
        expect((answersOfAll(served)['ack accepted'] ?? 0) * slowed).toBeGreaterThanOrEqual(
          others.length * 4,
        );
        expect(delegations.length).toBeGreaterThan(others.length);
        expect(delegateP95Ms / slowed).toBeLessThan(LIMITS.delegateP95Ms);
        expect(lagP99Ms / slowed).toBeLessThan(LIMITS.lagP99Ms);
        expect(tooSlow(slowestHealth)).toEqual([]);
        if (flooders === 1) expect(memoryGrowth).toBeLessThan(MEMORY_GROWTH_MAX_BYTES);
        expect(most(memory) - memoryBefore).toBeLessThan(FIRST_FLOOD_GROWTH_MAX_BYTES);
        expect(most(memory)).toBeLessThan(MEMORY_MAX_BYTES);

        const taken = PEER_RATES.notify.burst + (PEER_RATES.notify.perMinute * (seconds + 5)) / 60;
        // A note takes under two KiB with its place in the index and in the journal; what the
        // others did is in the rest.
        expect(databaseGrowth).toBeLessThan(8 * MEBIBYTE + flooders * taken * 2_048);
        await Promise.all([quiet.end(), flood.end()]);
        await hub.stop((store) => {
          for (const flooder of flooding) {
            const notes = store.read
              .messages({ limit: 100_000 }, {})
              .filter(({ party }) => party === flooder.keyHex);
            expect(notes.length).toBeGreaterThan(0);
            expect(notes.length).toBeLessThan(taken);
          }
        });
      },
      (seconds + 90) * 1_000,
    );
  }
});
