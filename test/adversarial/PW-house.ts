// The house under attack: one hub in a process of its own, and a paired control peer that must
// always get its answer within two seconds.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SystemClock } from '../../main/adapters/clock/system-clock.ts';
import { spawnNodeQuicProcess, type QuicChild } from '../../main/adapters/quic/quic-process.ts';
import { createQuicTransport } from '../../main/adapters/quic/process-transport.ts';
import type { TimerHandle } from '../../main/ports/clock.ts';
import { Household, systemDeps, type TestHub } from '../integration/quic-test-hub.ts';
import { createInProcessTransport } from '../support/in-process-transport.ts';
import { RawSocket } from './PW-lawless-peer.ts';

/**
 * The control peer has its answer, attack or not. A hub that serves takes milliseconds; the rest is
 * for a computer that is busy elsewhere.
 */
const CONTROL_LIMIT_MS = 15_000;

/** Attackers have loopback addresses of their own, and memory is read from /proc. */
export const attack = it.runIf(process.platform === 'linux');

/**
 * A clock on which no second ever ends: it stands still, and only what is due within a second
 * comes.
 */
class FirstSecond extends SystemClock {
  readonly #startedAtMs = super.monotonicMs();

  override monotonicMs(): number {
    return this.#startedAtMs;
  }

  override setTimer(delayMs: number, run: () => void): TimerHandle {
    return delayMs < 1_000 ? super.setTimer(delayMs, run) : { cancel: () => {} };
  }
}

export class House {
  readonly #underAttack = new Household(() =>
    createQuicTransport({ ...systemDeps, spawnQuicProcess: () => this.#spawn() }),
  );
  readonly #peers = new Household(() => createInProcessTransport(systemDeps));
  readonly #ofOneSecond = new Household(() =>
    createInProcessTransport({ ...systemDeps, clock: new FirstSecond() }),
  );
  readonly #sockets: RawSocket[] = [];
  readonly #cleanups: (() => void)[] = [];
  #processId = 0;

  /** The hub that is attacked. */
  async open(): Promise<{ hub: TestHub; control: TestHub }> {
    const hub = await this.#underAttack.hub('127.0.0.1');
    const control = await this.#peers.hub('127.0.0.1');
    hub.trust(control);
    control.trust(hub);
    return { hub, control };
  }

  peer(host?: string): Promise<TestHub> {
    return this.#peers.hub(host);
  }

  /**
   * A hub in this process on whose own clock no second ever ends: no longer limit of time is
   * reached.
   */
  hubOfOneSecond(): Promise<TestHub> {
    return this.#ofOneSecond.hub('127.0.0.1');
  }

  async socket(host: string): Promise<RawSocket> {
    const socket = await new RawSocket().bind(host);
    this.#sockets.push(socket);
    return socket;
  }

  /** Resident memory of the QUIC process under attack, at this moment. */
  memoryBytes(): number {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(
      readFileSync(`/proc/${this.#processId}/status`, 'utf8'),
    )?.[1];
    if (kilobytes === undefined) throw new Error('the QUIC process has no memory figure');
    return Number(kilobytes) * 1024;
  }

  #spawn(): QuicChild {
    const child = spawnNodeQuicProcess();
    this.#processId = child.processId ?? 0;
    return child;
  }

  atEnd(cleanup: () => void): void {
    this.#cleanups.push(cleanup);
  }

  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0)) cleanup();
    await this.#underAttack.stop();
    await this.#ofOneSecond.stop();
    await this.#peers.stop();
    await Promise.all(this.#sockets.splice(0).map((socket) => socket.close()));
  }
}

/** Connects afresh and completes a request; the hub's process is the one it always was. */
export async function expectService(hub: TestHub, control: TestHub): Promise<void> {
  const { connectionId } = await control.connect(hub);
  const answer = await control.transport.request(
    connectionId,
    new TextEncoder().encode('still there?'),
    CONTROL_LIMIT_MS,
  );
  expect(answer).toMatchObject({ ok: true });
  expect((await hub.transport.statistics()).restarts).toBe(0);
}
