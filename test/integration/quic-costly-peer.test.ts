// One peer that costs the QUIC process milliseconds for each of its datagrams, among peers that only move much: it alone is closed, before
// the watchdog would end the process for everybody. Linux only: each peer has a loopback address of its own.
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUSY_BEATS_MAX, COSTLY_BEATS_MAX, HEARTBEAT_INTERVAL_MS } from '../../main/adapters/quic/limits.ts';
import { spawnNodeQuicProcess } from '../../main/adapters/quic/quic-process.ts';
import { createInProcessTransport, createQuicTransport } from '../../main/adapters/quic/quic-transport.ts';
import { CLOSE_CODES } from '../../main/ports/transport.ts';
import { timesOf, waitsOf } from '../support/crowd/health-times.ts';
import { Household, systemDeps, type TestHub } from './quic-test-hub.ts';

const COSTLY_ENTRY = fileURLToPath(new URL('quic-costly-entry.ts', import.meta.url));
/** The address that this entry takes long over. */
const COSTLY_HOST = '127.0.0.66';
const MESSAGE_BYTES = 60_000;
/** What a line of less than a tenth of a second brings: what it costs alone is a small share of the time between two looks. */
const SHORT_MESSAGE_BYTES = 20_000;
const SENDERS = 8;
const COMING_AND_GOING = 4;
/** Beyond what any of them needs, and far below what a line that never ends sends. */
const DATAGRAMS_OF_A_LINE_MAX = 100;
const HASTY_LINES = 10;

let hubs: Household;
let peers: Household;
let hubProcessId = 0;
beforeEach(() => {
  const spawnQuicProcess = () => {
    const child = spawnNodeQuicProcess(COSTLY_ENTRY);
    hubProcessId = child.processId ?? 0;
    return child;
  };
  hubs = new Household(() => createQuicTransport({ ...systemDeps, spawnQuicProcess }));
  peers = new Household(() => createInProcessTransport(systemDeps));
});
afterEach(async () => {
  await peers.stop();
  await hubs.stop();
});

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));

/** Sends as much as goes until `isOver`; how many messages left. */
async function pour(peer: TestHub, connectionId: number, isOver: () => boolean): Promise<number> {
  let sent = 0;
  const send = async (): Promise<void> => {
    while (!isOver()) {
      const { ok } = await peer.transport.send(connectionId, new Uint8Array(MESSAGE_BYTES));
      if (ok) sent += 1;
      // A line that is gone answers at once.
      else await pause();
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  return sent;
}

describe.runIf(process.platform === 'linux')('a peer that costs the QUIC process far more than it brings', () => {
  it('is closed alone and said to be too costly, while one that moves much and one that asks little stay and are served', async () => {
    const hub = await hubs.hub();
    const [costly, fair, quiet] = [await peers.hub(COSTLY_HOST), await peers.hub('127.0.0.67'), await peers.hub('127.0.0.68')];
    hub.trust(costly, fair, quiet);
    for (const peer of [costly, fair, quiet]) peer.trust(hub);
    const lines = { costly: await costly.connect(hub), fair: await fair.connect(hub), quiet: await quiet.connect(hub) };
    const seesEnd = (peer: TestHub) => peer.eventsOf('disconnected').length > 0;
    const pouring = pour(costly, lines.costly.connectionId, () => seesEnd(costly));
    let isOver = false;
    const moving = pour(fair, lines.fair.connectionId, () => isOver);
    const end = await costly.until('the end of its line', () => costly.eventsOf('disconnected')[0], 60_000);
    expect(end).toMatchObject({ code: CLOSE_CODES.overLimit, by: 'peer', reason: 'too much work for what it brought' });
    await pouring;
    // As long again as the watchdog needs: by then it would have acted on whoever is left.
    const startedAt = performance.now();
    while (performance.now() - startedAt < BUSY_BEATS_MAX * HEARTBEAT_INTERVAL_MS) {
      expect(await quiet.transport.request(lines.quiet.connectionId, new Uint8Array([1]), 30_000)).toMatchObject({ ok: true });
    }
    isOver = true;
    expect(await moving).toBeGreaterThan(100);
    expect([seesEnd(fair), seesEnd(quiet)]).toEqual([false, false]);
    expect(hub.eventsOf('violation').map(({ rule }) => rule)).toEqual(['too-costly']);
    const { counters, restarts } = await hub.transport.statistics();
    expect(counters).toMatchObject({ 'closed.too-costly': 1 });
    expect(restarts).toBe(0);
  }, 120_000);

  it('is closed and said to be too costly although it hangs up all the time and comes again', async () => {
    const hub = await hubs.hub();
    const costly = await peers.hub(COSTLY_HOST);
    hub.trust(costly);
    costly.trust(hub);
    const isFound = () => hub.eventsOf('violation').length > 0;
    let longestMs = 0;
    const comeAndGo = async (): Promise<void> => {
      while (!isFound()) {
        const dialled = await costly.transport.dial(hub.target, AbortSignal.timeout(30_000));
        if (!dialled.ok) {
          await pause();
          continue;
        }
        const { connectionId } = dialled.value;
        const waits = waitsOf([hubProcessId, process.pid]);
        const startedAt = performance.now();
        await costly.transport.request(connectionId, new Uint8Array(SHORT_MESSAGE_BYTES), 30_000);
        costly.transport.close(connectionId, CLOSE_CODES.done, 'done');
        const { byClock, ownMs } = timesOf(performance.now() - startedAt, waits());
        longestMs = Math.max(longestMs, ownMs ?? byClock);
      }
    };
    // One alone leaves the process idle for as long as it works itself.
    await Promise.all(Array.from({ length: COMING_AND_GOING }, comeAndGo));
    // No line was there at as many looks as it takes, but for what the computer made both sides wait: all of them together were found.
    const looksMissed = COSTLY_BEATS_MAX - Math.ceil(longestMs / HEARTBEAT_INTERVAL_MS);
    expect(looksMissed).toBeGreaterThan(0);
    expect(hub.eventsOf('violation')[0]).toMatchObject({ rule: 'too-costly' });
    expect((await hub.transport.statistics()).restarts).toBe(0);
  }, 60_000);

  it('hears of the end in a few datagrams, also from one that hangs up before its handshake is confirmed', async () => {
    const hub = await hubs.hub();
    const hasty = await peers.hub(COSTLY_HOST);
    hub.trust(hasty);
    hasty.trust(hub);
    const comeAndGo = async (): Promise<void> => {
      for (let lines = 0; lines < HASTY_LINES; lines++) {
        const dialled = await hasty.transport.dial(hub.target, AbortSignal.timeout(30_000));
        // A hub that is this slow does not take every dial.
        if (!dialled.ok) {
          await pause();
          continue;
        }
        await hasty.transport.send(dialled.value.connectionId, new Uint8Array(SHORT_MESSAGE_BYTES));
        hasty.transport.close(dialled.value.connectionId, CLOSE_CODES.done, 'done');
      }
    };
    await Promise.all(Array.from({ length: COMING_AND_GOING }, comeAndGo));
    const { counters } = await hasty.transport.statistics();
    expect(counters['datagrams.sent']).toBeLessThan(DATAGRAMS_OF_A_LINE_MAX * HASTY_LINES * COMING_AND_GOING);
  }, 120_000);
});
