// What a running hub opens to the world, in both ways it can be run and after a restart.
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { HubDto } from '../../preload/contract/dto.ts';
import { HubProcess } from '../lan/hub-process.ts';
import { ThisComputer } from '../lan/this-computer.ts';
import { listeningOf, unixSocketsOf, type Listening } from '../support/listening.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { until } from '../support/until.ts';
import { callFromWindow, DesktopComputer } from './desktop-computer.ts';

const LOOPBACK = ['127.0.0.1', '[::1]'];
const MDNS_PORT = 5353;

interface Ports {
  readonly apiPort: number;
  readonly peerPort: number;
}

/** The hub's ports, once the one for other hubs is open. */
async function openPorts(whoami: () => Promise<HubDto>): Promise<Ports> {
  return await until('the port for other hubs', 20_000, async () => {
    const { api_port: apiPort, peer_port: peerPort } = await whoami();
    return peerPort === null ? undefined : { apiPort, peerPort };
  });
}

function check(listening: readonly Listening[], { apiPort, peerPort }: Ports): void {
  const tcp = listening.filter(({ protocol }) => protocol === 'tcp');
  expect(tcp).toContainEqual({ protocol: 'tcp', address: '127.0.0.1', port: apiPort });
  expect(tcp.filter(({ address }) => !LOOPBACK.includes(address))).toEqual([]);
  const udp = new Set(
    listening.filter(({ protocol }) => protocol === 'udp').map(({ port }) => port),
  );
  expect(udp).toContain(peerPort);
  expect([...udp].filter((port) => port !== peerPort && port !== MDNS_PORT)).toEqual([]);
}

describe.skipIf(!hasRealPart('socket-list'))('open ports', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  it('HT-11: headless, and after a kill and a restart, TCP is open on the loopback only, UDP on the hub’s own ports only, and one socket in its folder', async () => {
    const computer = new ThisComputer('this computer');
    closing.push(() => computer.close());
    const hub = await HubProcess.start(computer, {
      name: 'Mum’s PC',
      flags: ['--interface', 'lo'],
    });
    closing.push(() => hub.remove());
    for (const _ of ['first', 'restarted']) {
      const owner = await hub.owner();
      const ports = await openPorts(async () => (await owner.call('hub.whoami', {})).hub);
      check(listeningOf(hub.pid), ports);
      expect(unixSocketsOf(hub.pid)).toEqual([join(hub.home, 'hub.sock')]);
      await hub.kill();
      await hub.restart();
    }
  });

  it.skipIf(!hasRealPart('chromium'))(
    'HT-11: as a desktop app, and after a restart, TCP is open on the loopback only',
    async () => {
      const computer = await DesktopComputer.start('Mum’s PC');
      closing.push(() => computer.remove());
      for (const _ of ['first', 'restarted']) {
        const { page } = await computer.window();
        const ports = await openPorts(
          async () => (await callFromWindow(page, 'hub.whoami', {})).hub,
        );
        // The browser in the window's place is not the app; its own UDP sockets are left out.
        const own = listeningOf(computer.app.pid ?? 0).filter(
          ({ protocol, port }) => protocol === 'tcp' || port === ports.peerPort,
        );
        check(own, ports);
        await computer.app.quit();
        computer.restart();
      }
    },
  );
});
