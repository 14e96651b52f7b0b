// A stranger's packets against the built desktop app: its window, its hub and its QUIC process live
// on, and a paired hub has its ack in time.
import { afterEach, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import { trayWords } from '../../preload/contract/desktop-strings.ts';
import { RawSocket } from '../adversarial/PW-lawless-peer.ts';
import { longHeader, sendCounted } from '../adversarial/PW-storms.ts';
import { newIdentity } from '../integration/quic-test-hub.ts';
import { LightPeer } from '../support/crowd/light-peer.ts';
import { expectPromptAck } from '../support/crowd/prompt-ack.ts';
import { prepareHome } from '../support/prepared-home.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { until } from '../support/until.ts';
import { callFromWindow, DesktopComputer } from './desktop-computer.ts';

const COUNTED_WITHIN_MS = 15_000;

describe.skipIf(!hasRealPart('chromium') || process.platform !== 'linux')(
  'a desktop app under attack',
  () => {
    const [own, friend] = [newIdentity(), newIdentity()];
    /** What was opened, to be closed in the other order: also where only a part of it could be. */
    const ends: (() => Promise<unknown>)[] = [];
    let computer: DesktopComputer;

    beforeEach(async () => {
      computer = await DesktopComputer.start('Mum’s PC', (home) =>
        prepareHome(home, own, [{ identity: friend, name: 'Dad' }]),
      );
      ends.push(() => computer.remove());
      onTestFailed(() => void process.stderr.write(computer.app.output.join('')));
    });
    afterEach(async () => {
      for (const end of ends.splice(0).reverse()) await end();
    }, 60_000);

    it('PW-01: counts a thousand 57-byte 0-RTT packets and nothing else, and a paired hub has its ack in time', async () => {
      const attacker = new RawSocket();
      await attacker.bind('127.0.0.2');
      ends.push(() => attacker.close());
      const { page } = await computer.window();
      await callFromWindow(page, 'agents.create', { name: 'clerk', domains: ['crowd.questions'] });
      const status = () => callFromWindow(page, 'hub.status', {});
      const { peer_port: port } = (await status()).hub;
      if (port === null || computer.app.pid === undefined)
        throw new Error('the app has no port for other hubs');
      const control = await new LightPeer(friend, '127.0.9.1', {
        ...own,
        host: '127.0.0.1',
        port,
      }).start();
      ends.push(() => control.stop());
      await expectPromptAck(control, [computer.app.pid]);
      const before = (await status()).transport;

      const received = async () => (await status()).transport.counters['datagrams.received'] ?? 0;
      await sendCounted(
        attacker,
        { host: '127.0.0.1', port },
        1_000,
        () => longHeader('zero-rtt', 57),
        received,
      );
      await until('the packets to be counted', COUNTED_WITHIN_MS, async () =>
        (await status()).transport.counters['dropped.zero-rtt'] === 1_000 ? true : undefined,
      );
      await expectPromptAck(control, [computer.app.pid]);
      const after = (await status()).transport;
      expect(attacker.receivedBytes).toBe(0);
      expect([after.restarts, after.connections]).toEqual([before.restarts, before.connections]);
      expect(control.greetings).toBe(1);
      expect(computer.app.output.join('')).not.toMatch(/unhandled|uncaught/);
    });

    it('says in the tray, its menu and on the page that another hub runs with its key, as a copied folder does', async () => {
      const page = await computer.window();
      const { peer_port: port } = (await callFromWindow(page.page, 'hub.status', {})).hub;
      if (port === null) throw new Error('the app has no port for other hubs');
      const tray = async () => {
        const { tray: shown } = await computer.app.state();
        const { toolTip = '', image = '', menu = [] } = shown ?? {};
        return {
          first: menu[0]?.label,
          isSaid: toolTip.includes(trayWords.copied),
          isWaiting: image.endsWith('waiting.png'),
        };
      };
      expect(await tray()).toEqual({
        first: trayWords.waiting(0),
        isSaid: false,
        isWaiting: false,
      });
      const copy = await new LightPeer(own, '127.0.9.2', {
        ...own,
        host: '127.0.0.1',
        port,
      }).start();
      ends.push(() => copy.stop());
      await expect.poll(tray).toEqual({ first: trayWords.copied, isSaid: true, isWaiting: true });
      await computer.app.ask('window-close');
      const { windows } = await computer.app.state();
      await computer.app.ask('menu-click', trayWords.copied);
      await expect
        .poll(async () => (await computer.app.state()).windows[0]?.raised)
        .toBe((windows[0]?.raised ?? 0) + 1);
      await page.page.getByText(/^Another hub with the key of this one was met at /).waitFor();
    });
  },
);
