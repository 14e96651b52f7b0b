// A data folder that was copied, and both hubs run: each says so on its page and in its status, and
// goes on saying so until the other one is gone. Real QUIC; one of the two hears the other announce
// its id, as on one network.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HubDto } from '../../preload/contract/dto.ts';
import type { Discovery, DiscoveryEvent } from '../../main/ports/discovery.ts';
import type { HubNode } from '../../main/app/node.ts';
import { axon } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';
import { UdpLine } from '../support/udp-line.ts';

/** The network of one hub, in which a test says what is announced. */
class SaidDiscovery implements Discovery {
  say: (event: DiscoveryEvent) => void = () => undefined;
  start(_own: unknown, onEvent: (event: DiscoveryEvent) => void): Promise<void> {
    this.say = onEvent;
    return Promise.resolve();
  }
  stop(): Promise<void> {
    return Promise.resolve();
  }
}

let elsewhere: string;
let network: SaidDiscovery;
let original: TestHub;
let copy: TestHub;
const relays: UdpLine[] = [];
beforeEach(async () => {
  elsewhere = mkdtempSync(join(tmpdir(), 'axon-copied-'));
  network = new SaidDiscovery();
  const first = await TestHub.start({ discovery: network, interfaces: ['lo'] });
  await first.node.stop();
  const folder = join(elsewhere, 'copy');
  cpSync(first.home, folder, { recursive: true });
  original = await TestHub.start({ home: first.home, discovery: network, interfaces: ['lo'] });
  copy = await TestHub.start({ home: folder, interfaces: ['lo'] });
});
afterEach(async () => {
  for (const relay of relays.splice(0)) relay.close();
  await Promise.all([original.stop(), copy.stop()]);
  rmSync(elsewhere, { recursive: true, force: true });
});

const portOf = (node: HubNode): number => node.services.peers.port ?? 0;

async function shown(hub: TestHub): Promise<HubDto> {
  const outcome = await hub.node.invoke('hub.snapshot', {});
  if (!outcome.ok) throw new Error('the page got nothing');
  return (outcome.value as { readonly hub: HubDto }).hub;
}

function announced(...ports: readonly number[]): void {
  network.say({ type: 'own-id', places: ports.map((port) => ({ host: '127.0.0.1', port })) });
}

/** A stranger's port, which passes every datagram on to that hub. */
async function relayTo(hub: TestHub): Promise<{ readonly line: UdpLine; readonly port: number }> {
  const line = new UdpLine(portOf(hub.node));
  relays.push(line);
  return { line, port: await line.open() };
}

test('both hubs say so on their pages, at the terminal and in the log', async () => {
  expect((await shown(copy)).public_key).toBe((await shown(original)).public_key);
  expect((await shown(original)).copy_at).toBeNull();
  announced(portOf(copy.node));
  const at = {
    original: `127.0.0.1:${portOf(copy.node)}`,
    copy: `127.0.0.1:${portOf(original.node)}`,
  };
  await expect.poll(async () => (await shown(original)).copy_at).toBe(at.original);
  await expect.poll(async () => (await shown(copy)).copy_at).toBe(at.copy);
  for (const [hub, place] of [
    [original, at.original],
    [copy, at.copy],
  ] as const) {
    const said = `Another hub with the key of this one was met at ${place}.`;
    expect((await axon(hub.home, ['status'])).out).toContain(said);
    expect(hub.logLines.join('')).toContain('another hub with the key of this one was met');
  }
});

test('a stranger that passes the hub’s own traffic back to it raises nothing, and hides no copy', async () => {
  const { line, port } = await relayTo(original);
  announced(port);
  // The whole handshake passes, and the words that end it.
  await expect
    .poll(async () => (await original.node.services.transport.statistics()).counters)
    .toMatchObject({ 'refused.own-end': 2 });
  expect(line.counts.passed).toBeGreaterThan(0);
  announced(port, portOf(copy.node));
  await expect
    .poll(async () => (await shown(original)).copy_at, { timeout: 15_000 })
    .toBe(`127.0.0.1:${portOf(copy.node)}`);
  expect(original.logLines.filter((words) => words.includes('was met'))).toHaveLength(1);
});

test('a copy that is reached through a relay only is met there', async () => {
  const { port } = await relayTo(copy);
  announced(port);
  await expect.poll(async () => (await shown(original)).copy_at).toBe(`127.0.0.1:${port}`);
  await expect.poll(async () => (await shown(copy)).copy_at).toMatch(/^127\.0\.0\.1:\d+$/);
});
