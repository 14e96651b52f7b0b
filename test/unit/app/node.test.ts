// The node's life: what opens when, what stays shut without an identity, and that every end is a
// clean one.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { FileVault } from '../../../main/adapters/keyvault/file-vault.ts';
import { SystemClock } from '../../../main/adapters/clock/system-clock.ts';
import { EventLoopLag } from '../../../main/app/event-loop-lag.ts';
import { Home } from '../../../main/app/home.ts';
import { openStore } from '../../../main/adapters/sqlite/open-store.ts';
import type { KeyVault } from '../../../main/ports/key-vault.ts';
import { MemoryCounter } from '../../fakes/audit-house.ts';
import { SILENT_LOG } from '../../fakes/memory-store.ts';
import { peerRow } from '../../fakes/sample-rows.ts';
import { EventReader } from '../../support/event-reader.ts';
import { TestHub } from '../../support/test-hub.ts';

/** A real vault behind a lock that the test turns. */
class LockedVault implements KeyVault {
  readonly kind = 'file';
  isLocked = true;
  /** It is read no sooner. */
  opens: Promise<void> = Promise.resolve();
  readonly #vault: FileVault;

  constructor(home: string) {
    this.#vault = new FileVault(join(home, 'identity.key'));
  }

  async read(signal: AbortSignal): ReturnType<KeyVault['read']> {
    await this.opens;
    return this.isLocked
      ? { state: 'locked', reason: 'The keychain waits for its password.' }
      : this.#vault.read(signal);
  }

  write(...parameters: Parameters<KeyVault['write']>): Promise<void> {
    return this.#vault.write(...parameters);
  }
}

const stateOf = async (hub: TestHub): Promise<string> =>
  JSON.parse((await hub.ask('/health')).text).state;

describe('the node', () => {
  test('F-16: opens its API without an identity, says so, and opens the rest after the unlock', async () => {
    const vaults: LockedVault[] = [];
    const hub = await TestHub.start({
      vaults: (home) => {
        vaults.push(new LockedVault(home));
        return vaults;
      },
    });
    expect(await stateOf(hub)).toBe('identity_locked');
    const page = await hub.page();
    const snapshot = JSON.parse((await hub.ask('/v1/snapshot', { token: page })).text);
    expect(snapshot.hub).toMatchObject({
      state: 'identity_locked',
      agent_id: null,
      peer_port: null,
      state_detail: expect.stringContaining('password'),
    });
    expect(existsSync(join(hub.home, 'identity.key'))).toBe(false);

    const stillLocked = await hub.ask('/v1/unlock', { method: 'POST', token: page, body: {} });
    expect(JSON.parse(stillLocked.text)).toMatchObject({ state: 'identity_locked' });
    const events = await EventReader.open(hub.port, '/v1/events', page);
    for (const vault of vaults) vault.isLocked = false;
    const unlocked = JSON.parse(
      (await hub.ask('/v1/unlock', { method: 'POST', token: page, body: {} })).text,
    );
    expect(unlocked).toMatchObject({
      state: 'running',
      agent_id: expect.stringMatching(/^ed25519\./),
      peer_port: expect.any(Number),
    });
    await events.next(({ data }) => JSON.stringify(data).includes('"running"'), 'the new state');
    expect((await hub.ask('/v1/peers', { token: page })).status).toBe(200);
    events.close();
    await hub.stop();
  });

  test('F-16: knows whom it is paired with before the identity is there, and tells an agent to come again', async () => {
    let isLocked = false;
    const hub = await TestHub.start({
      vaults: (home) => [Object.assign(new LockedVault(home), { isLocked })],
    });
    const token = await hub.agent('bot');
    await hub.node.stop();
    const store = openStore({
      path: join(hub.home, 'hub.db'),
      clock: new SystemClock(),
      log: SILENT_LOG,
    });
    await store.write((tables) => tables.putPeer(peerRow()));
    await store.close();
    isLocked = true;
    const node = await hub.restart();
    await node.start();
    const body = { to: 'Mum PC', task: 'Say hello' };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${node.apiPort}/v1/delegate`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await answer.json()).toMatchObject({
      code: 'hub_locked',
      retryable: true,
      detail: expect.stringContaining('cannot read its key vault'),
    });
    await node.stop();
    await hub.stop();
  });

  test('says that its keychain is locked when that gives the identity and not the counter, and opens after the unlock', async () => {
    const counter = Object.assign(new MemoryCounter(), { trouble: 'locked' });
    const hub = await TestHub.start({
      vaults: (home) => [Object.assign(new LockedVault(home), { isLocked: false, counter })],
    });
    expect(await stateOf(hub)).toBe('identity_locked');
    const page = await hub.page();
    const unlock = async (): Promise<unknown> =>
      JSON.parse((await hub.ask('/v1/unlock', { method: 'POST', token: page, body: {} })).text);
    expect(await unlock()).toMatchObject({
      state: 'identity_locked',
      state_detail: 'It is locked.',
      audit: 'unchecked',
      peer_port: null,
    });
    const pause = await hub.node.invoke('attention.pause', { until: null });
    expect(pause).toMatchObject({
      ok: false,
      problem: { code: 'hub_locked', detail: expect.stringContaining('cannot read its key vault') },
    });
    Object.assign(counter, { trouble: undefined });
    expect(await unlock()).toMatchObject({
      state: 'running',
      state_detail: null,
      audit: 'ok',
      peer_port: expect.any(Number),
    });
    await hub.stop();
  });

  test('tells agents to come again in a moment while the vault is still being read, and people see everything', async () => {
    let opens = Promise.resolve();
    const hub = await TestHub.start({
      vaults: (home) => [Object.assign(new LockedVault(home), { isLocked: false, opens })],
    });
    const token = await hub.agent('bot');
    await hub.node.stop();
    let open: () => void = () => undefined;
    opens = new Promise((resolve) => (open = resolve));
    const node = await hub.restart();
    const started = node.start();
    await expect.poll(() => node.apiPort, { timeout: 20_000 }).toBeGreaterThan(0);
    const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`http://127.0.0.1:${node.apiPort}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      });
    for (const [path, init] of [
      ['/v1/peers', {}],
      ['/v1/inbox/stream', {}],
      ['/v1/inbox/claim', { method: 'POST', body: '{}' }],
      ['/v1/agents', { method: 'POST', body: '{"name":"new"}' }],
    ] as const) {
      const answer = await ask(path, init);
      expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '1']);
      expect(await answer.json()).toMatchObject({ code: 'hub_locked' });
    }
    expect(await node.invoke('hub.snapshot', {})).toMatchObject({ ok: true });
    open();
    await started;
    expect((await ask('/v1/peers')).status).toBe(200);
    await node.stop();
    await hub.stop();
  });

  test('leaves nothing open and nothing behind but its record when it stops, however often that is asked', async () => {
    const hub = await TestHub.start();
    const page = await hub.page();
    const stream = await EventReader.open(hub.port, '/v1/events', page);
    const waiting = hub
      .ask('/v1/inbox/claim', {
        method: 'POST',
        token: await hub.agent('bot'),
        body: { wait_ms: 55_000 },
      })
      .catch(() => 'ended');
    await Promise.all([hub.node.stop(), hub.node.stop()]);
    await stream.ended;
    await waiting;
    expect(readdirSync(hub.home).sort()).toEqual([
      'audit.counter',
      'hub.db',
      'hub.lock.db',
      'identity.key',
    ]);
    await expect(hub.ask('/health')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await hub.stop();
  });

  test('measures its lag no more once it stopped, though it was read just before', async () => {
    const stops = vi.spyOn(EventLoopLag.prototype, 'stop');
    const hub = await TestHub.start();
    expect((await hub.ask('/metrics', { token: await hub.page() })).status).toBe(200);
    expect(stops).not.toHaveBeenCalled();
    await hub.stop();
    expect(stops).toHaveBeenCalledOnce();
    stops.mockRestore();
  });

  test('that is stopped while it starts ends closed', async () => {
    const running = await TestHub.start();
    await running.node.stop();
    const again = await running.restart();
    const starting = again.start();
    await again.stop();
    await starting;
    expect(readdirSync(running.home).sort()).toEqual([
      'audit.counter',
      'hub.db',
      'hub.lock.db',
      'identity.key',
    ]);
    await running.stop();
  });

  test('that cannot start says why and frees its folder', async () => {
    const first = await TestHub.start();
    const second = await TestHub.start();
    await second.node.stop();
    const again = await second.restart({ apiPort: first.port });
    await expect(again.start()).rejects.toMatchObject({ code: 'address_in_use' });
    Home.open(second.home).close();
    await first.stop();
    await second.stop();
  });
});
