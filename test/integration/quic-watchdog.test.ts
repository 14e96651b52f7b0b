// The watch over the QUIC process: a loop that still answers, memory without end, a process that
// cannot live, a hub that talks faster than the process listens, and a debugger that somebody wants
// to open.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  BUSY_BEATS_MAX,
  CALLS_IN_FLIGHT_MAX,
  HEARTBEAT_INTERVAL_MS,
  RESTART_FIRST_MS,
} from '../../main/adapters/quic/limits.ts';
import { spawnNodeQuicProcess, type QuicChild } from '../../main/adapters/quic/quic-process.ts';
import { createQuicTransport } from '../../main/adapters/quic/process-transport.ts';
import { listeningOf } from '../support/listening.ts';
import { createInProcessTransport } from '../support/in-process-transport.ts';
import { startHeadless } from '../support/programs.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { until } from '../support/until.ts';
import { Household, systemDeps, type TestHub } from './quic-test-hub.ts';

const FAULTY_ENTRY = fileURLToPath(new URL('quic-faulty-entry.ts', import.meta.url));
/** Waits before a restart vary by this share. */
const JITTER = 0.2;

let children: QuicChild[] = [];
let hubs: Household;
let peers: Household;
let entry: string | undefined;
let started: (child: QuicChild) => void;
beforeEach(() => {
  children = [];
  entry = FAULTY_ENTRY;
  started = () => {};
  const spawnQuicProcess = (): QuicChild => {
    const child = spawnNodeQuicProcess(entry);
    children.push(child);
    started(child);
    return child;
  };
  hubs = new Household(() => createQuicTransport({ ...systemDeps, spawnQuicProcess }));
  peers = new Household(() => createInProcessTransport(systemDeps));
});
afterEach(async () => {
  await hubs.stop();
  await peers.stop();
});

const processId = (): number => children.at(-1)?.processId ?? 0;

async function acquainted(): Promise<{ hub: TestHub; peer: TestHub }> {
  const [hub, peer] = [await hubs.hub(), await peers.hub()];
  hub.trust(peer);
  peer.trust(hub);
  return { hub, peer };
}

async function expectAnswer(peer: TestHub, hub: TestHub): Promise<void> {
  const { connectionId } = await peer.connect(hub);
  expect(await peer.transport.request(connectionId, new Uint8Array([1]), 5_000)).toMatchObject({
    ok: true,
  });
}

/**
 * Resolves once the same signal has opened a debugger in a Node that does nothing about it: what
 * was signalled before has had its time.
 */
async function debuggerOpenedElsewhere(): Promise<void> {
  const idle = "process.stderr.write('up\\n'); setInterval(() => {}, 60_000)";
  const node = spawn(process.execPath, ['--inspect-port=0', '-e', idle], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    let told = '';
    node.stderr.setEncoding('utf8').on('data', (text: string) => (told += text));
    await until('the other program to be up', 30_000, () => told.includes('up') || undefined);
    node.kill('SIGUSR1');
    await until(
      'its debugger to listen',
      30_000,
      () => told.includes('Debugger listening') || undefined,
    );
  } finally {
    node.kill('SIGKILL');
  }
}

describe.skipIf(process.platform === 'win32')('the watch over the QUIC process', () => {
  test('F-20: a process that spins while it answers heartbeats is ended and started again', async () => {
    const { hub, peer } = await acquainted();
    const spinning = processId();
    process.kill(spinning, 'SIGUSR2');
    const { restarts } = await hub.until('the restart', () => hub.eventsOf('restarted')[0], 30_000);
    expect(restarts).toBe(1);
    expect(processId()).not.toBe(spinning);
    const { counters } = await hub.transport.statistics();
    expect(counters).toMatchObject({ 'process.killed-busy': 1, 'process.ended': 1 });
    await expectAnswer(peer, hub);
  }, 60_000);

  // A signal that the faulty process answers with abort(), and one that no process survives.
  test.each([
    ['aborts', 'SIGHUP'],
    ['breaks its own memory', 'SIGSEGV'],
  ] as const)(
    'F-20: a process that %s is started again at once, and peers come back',
    async (_, signal) => {
      const { hub, peer } = await acquainted();
      await expectAnswer(peer, hub);
      const broken = processId();
      process.kill(broken, signal);
      const { restarts } = await hub.until(
        'the restart',
        () => hub.eventsOf('restarted')[0],
        30_000,
      );
      expect(restarts).toBe(1);
      expect(processId()).not.toBe(broken);
      const { counters } = await hub.transport.statistics();
      expect(counters).toMatchObject({ 'process.ended': 1 });
      expect(counters['process.killed-busy'] ?? 0).toBe(0);
      await expectAnswer(peer, hub);
    },
    60_000,
  );

  test('F-11: a process whose memory grows without end is ended and started again', async () => {
    const { hub, peer } = await acquainted();
    process.kill(processId(), 'SIGWINCH');
    await hub.until('the restart', () => hub.eventsOf('restarted')[0], 30_000);
    expect((await hub.transport.statistics()).counters).toMatchObject({
      'process.killed-memory': 1,
    });
    // The new process has told of its memory only once its first heartbeat came back.
    const memoryBytes = await until('the memory of the new process', 30_000, async () => {
      return (await hub.transport.statistics()).processMemoryBytes ?? undefined;
    });
    expect(memoryBytes).toBeLessThan(200 * 1024 * 1024);
    await expectAnswer(peer, hub);
  }, 60_000);

  test('F-20: a process that ends as soon as it is started is tried again after longer and longer waits', async () => {
    const { hub, peer } = await acquainted();
    const starts: number[] = [];
    started = (child) => {
      starts.push(performance.now());
      if (starts.length <= 4) child.kill();
    };
    children.at(-1)?.kill();
    await hub.until('the restart', () => hub.eventsOf('restarted')[0], 30_000);
    expect(starts).toHaveLength(5);
    const waits = starts.slice(1).map((atMs, index) => atMs - (starts[index] ?? 0));
    for (const [index, waitMs] of waits.entries())
      expect(waitMs).toBeGreaterThan(RESTART_FIRST_MS * 2 ** (index + 1) * (1 - JITTER) - 1);
    await expectAnswer(peer, hub);
  }, 60_000);

  test('a sender is told that the process is overloaded when it does not listen, and memory stays bounded', async () => {
    const { hub, peer } = await acquainted();
    const { connectionId } = await hub.connect(peer);
    process.kill(processId(), 'SIGSTOP');
    const ends = new Map<string, number>();
    const calls: Promise<void>[] = [];
    const message = new Uint8Array(65_000);
    for (let count = 0; count < 1_000; count += 1) {
      const call = hub.transport.send(connectionId, message);
      calls.push(
        call.then((result) => {
          const end = result.ok ? 'sent' : result.error.type;
          ends.set(end, (ends.get(end) ?? 0) + 1);
        }),
      );
      // What one turn of the loop posts leaves at its end.
      if (count % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await hub.until('the restart', () => hub.eventsOf('restarted')[0], 30_000);
    await Promise.all(calls);
    // Eight megabytes were under way and lost with the process; the rest was refused at once.
    expect(ends.get('overloaded')).toBeGreaterThan(800);
    expect(ends.get('sent')).toBeUndefined();
    expect((await hub.transport.statistics()).counters['channel.overloaded']).toBe(
      ends.get('overloaded'),
    );
  }, 60_000);

  test('a process that has much to do is left alone, however busy', async () => {
    const { hub, peer } = await acquainted();
    const { connectionId } = await hub.connect(peer);
    const busy = processId();
    const untilMs = performance.now() + (BUSY_BEATS_MAX + 3) * HEARTBEAT_INTERVAL_MS;
    let answered = 0;
    const ask = async (): Promise<void> => {
      while (performance.now() < untilMs) {
        expect(
          await hub.transport.request(connectionId, new Uint8Array(10_000), 30_000),
        ).toMatchObject({ ok: true });
        answered += 1;
      }
    };
    await Promise.all(Array.from({ length: 32 }, ask));
    expect(answered).toBeGreaterThan(100);
    expect(processId()).toBe(busy);
    expect((await hub.transport.statistics()).restarts).toBe(0);
  }, 60_000);

  test('calls are refused as overloaded beyond their number, however small', async () => {
    const { hub, peer } = await acquainted();
    const { connectionId } = await hub.connect(peer);
    process.kill(processId(), 'SIGSTOP');
    const calls = Array.from({ length: CALLS_IN_FLIGHT_MAX + 10 }, () =>
      hub.transport.request(connectionId, new Uint8Array([1]), 60_000),
    );
    const refused = await Promise.all(calls.slice(CALLS_IN_FLIGHT_MAX));
    for (const answer of refused)
      expect(answer).toEqual({ ok: false, error: { type: 'overloaded' } });
    for (const answer of await Promise.all(calls.slice(0, 3)))
      expect(answer).toMatchObject({ ok: false, error: { type: 'closed' } });
  }, 60_000);

  test.skipIf(!hasRealPart('socket-list'))(
    'RI-06: the signal that opens a debugger elsewhere opens none in the QUIC process',
    async () => {
      entry = undefined;
      const { hub, peer } = await acquainted();
      process.kill(processId(), 'SIGUSR1');
      await debuggerOpenedElsewhere();
      await expectAnswer(peer, hub);
      await hub.counter('channel.frames', (count) => count > 0);
      expect(listeningOf(processId()).filter(({ protocol }) => protocol === 'tcp')).toEqual([]);
      expect(children).toHaveLength(1);
    },
    60_000,
  );

  test.skipIf(!hasRealPart('socket-list'))(
    'RI-06: nor does it in the hub itself',
    async () => {
      const home = mkdtempSync(join(tmpdir(), 'axon-signal-'));
      const { program, port } = await startHeadless(home);
      try {
        program.kill('SIGUSR1');
        await debuggerOpenedElsewhere();
        const answer = await fetch(`http://127.0.0.1:${port}/health`);
        expect(await answer.json()).toMatchObject({ status: 'ok' });
        const listening = listeningOf(program.pid).filter(({ protocol }) => protocol === 'tcp');
        expect(listening.map((socket) => socket.port)).toEqual([port]);
        expect(program.error).not.toContain('Debugger');
      } finally {
        program.kill('SIGTERM');
        await program.ended();
        rmSync(home, { recursive: true, force: true });
      }
    },
    60_000,
  );
});
