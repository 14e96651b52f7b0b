// The life of the QUIC process: killed, hung, orphaned, and started again without the hub noticing
// more than lost connections.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { spawnNodeQuicProcess, type QuicChild } from '../../main/adapters/quic/quic-process.ts';
import { createQuicTransport } from '../../main/adapters/quic/process-transport.ts';
import { CLOSE_CODES } from '../../main/ports/transport.ts';
import type { DialTarget, Transport } from '../../main/ports/transport.ts';
import { Household, systemDeps } from './quic-test-hub.ts';
import { createInProcessTransport } from '../support/in-process-transport.ts';

/** A process can be stopped without ending it. */
const posix = it.skipIf(process.platform === 'win32');
/** A process shows its arguments and environment as files. */
const linux = it.runIf(process.platform === 'linux');

const children: QuicChild[] = [];
let household: Household;
let peers: Household;

function watchedTransport(): Transport {
  const spawnQuicProcess = (): QuicChild => {
    const child = spawnNodeQuicProcess();
    children.push(child);
    return child;
  };
  return createQuicTransport({ ...systemDeps, spawnQuicProcess });
}

function newestChildId(): number {
  const processId = children.at(-1)?.processId;
  if (processId === undefined) throw new Error('no QUIC process was started');
  return processId;
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

async function untilGone(processId: number): Promise<void> {
  await expect
    .poll(() => isAlive(processId), { message: `process ${processId} is gone` })
    .toBe(false);
}

beforeEach(() => {
  household = new Household(watchedTransport);
  peers = new Household(() => createInProcessTransport(systemDeps));
});
afterEach(async () => {
  await household.stop();
  await peers.stop();
  children.length = 0;
});

it('F-20: a killed QUIC process is started again on its port, and every connection was reported gone', async () => {
  const [hub, peer] = [await household.hub(), await peers.hub()];
  hub.trust(peer);
  peer.trust(hub);
  peer.answer = () => {};
  const connection = await hub.connect(peer);
  const waiting = hub.transport.request(connection.connectionId, new Uint8Array([1]), 10_000);
  await peer.event('request');
  process.kill(newestChildId(), 'SIGKILL');
  expect(await waiting).toMatchObject({ ok: false, error: { type: 'closed', by: 'local' } });
  expect(await hub.event('disconnected')).toMatchObject({ connection, code: null, by: 'local' });
  expect(await hub.event('restarted')).toEqual({ type: 'restarted', restarts: 1 });
  const back = await peer.connect(hub);
  expect(await peer.transport.request(back.connectionId, new Uint8Array([2]), 5_000)).toMatchObject(
    { ok: true },
  );
  // Admission survived, and no connection number is used twice.
  const incoming = await hub.event(
    'connected',
    (event) => event.connection.direction === 'incoming',
  );
  expect(incoming.connection.connectionId).toBeGreaterThan(connection.connectionId);
  expect((await hub.transport.statistics()).restarts).toBe(1);
});

posix(
  'F-20: a QUIC process that hangs is killed within five seconds and started again',
  async () => {
    const [hub, peer] = [await household.hub(), await peers.hub()];
    hub.trust(peer);
    peer.trust(hub);
    const hung = newestChildId();
    const startedAt = performance.now();
    process.kill(hung, 'SIGSTOP');
    await untilGone(hung);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await hub.event('restarted');
    const { connectionId } = await peer.connect(hub);
    expect(await peer.transport.request(connectionId, new Uint8Array([1]), 5_000)).toMatchObject({
      ok: true,
    });
  },
);

posix('calls made while the QUIC process is down fail at once', async () => {
  const hub = await household.hub();
  const gone = newestChildId();
  process.kill(gone, 'SIGSTOP');
  process.kill(gone, 'SIGKILL');
  await untilGone(gone);
  const [request, dial] = await Promise.all([
    hub.transport.request(1, new Uint8Array([1]), 5_000),
    hub.transport.dial({ ...hub.target, port: 9 }, AbortSignal.timeout(5_000)),
  ]);
  expect(request).toMatchObject({ ok: false, error: { type: 'closed' } });
  expect(dial).toMatchObject({ ok: false, error: { type: 'refused' } });
  await hub.event('restarted');
});

it('stopping the transport ends its process', async () => {
  const hub = await household.hub();
  const processId = newestChildId();
  expect(isAlive(processId)).toBe(true);
  await hub.transport.stop();
  await untilGone(processId);
  expect(hub.eventsOf('restarted')).toEqual([]);
});

it('F-20: the QUIC process of a hub that is killed says goodbye to its peers at once and ends', async () => {
  const parentFile = fileURLToPath(new URL('quic-orphan-parent.ts', import.meta.url));
  const parent = spawn(process.execPath, [parentFile], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: parent.stdout });
  const line = await new Promise<string>((resolve) => lines.once('line', resolve));
  const { processId, target } = JSON.parse(line) as { processId: number; target: DialTarget };
  const peer = await peers.hub();
  const dialled = await peer.transport.dial(target, AbortSignal.timeout(10_000));
  expect(dialled.ok).toBe(true);
  expect(isAlive(processId)).toBe(true);
  const startedAt = performance.now();
  parent.kill('SIGKILL');
  expect(await peer.event('disconnected')).toMatchObject({
    by: 'peer',
    code: CLOSE_CODES.shuttingDown,
  });
  // Its word came, not the silence that ends a line after 18 s.
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  await untilGone(processId);
  expect(isAlive(processId)).toBe(false);
});

linux('the seed is on no command line and in no environment', async () => {
  const hub = await household.hub();
  const processId = newestChildId();
  const shown = Buffer.concat([
    await readFile(`/proc/${processId}/cmdline`),
    await readFile(`/proc/${processId}/environ`),
  ]);
  const seed = Buffer.from(hub.identity.seed);
  expect(shown.length).toBeGreaterThan(0);
  for (const form of [
    seed,
    Buffer.from(seed.toString('hex')),
    Buffer.from(seed.toString('base64')),
  ])
    expect(shown.includes(form)).toBe(false);
});
