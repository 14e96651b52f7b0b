// HE-09 outside the window of the built desktop app: another key answers in the place of a paired
// hub, over real QUIC, and the tray menu and one notification say so until a person has answered,
// also when the app was started anew and nobody has seen its window.
import { afterEach, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import { stopNotification, trayTitle, trayWords } from '../../preload/contract/desktop-strings.ts';
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { HubStack } from '../fakes/hub-stack.ts';
import { newIdentity, systemDeps } from '../integration/quic-test-hub.ts';
import { createInProcessTransport } from '../support/in-process-transport.ts';
import { prepareHome } from '../support/prepared-home.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { callFromWindow, DesktopComputer } from './desktop-computer.ts';
import { SHOWN_WITHIN_MS } from './household-pages.ts';

const MUM = 'Mum’s PC';
/** The app starts, and its hub dials what should be the other one. */
const STOP_WITHIN_MS = 60_000;
const { keyChanged } = ENGLISH.people;

interface Outside {
  readonly toolTip: string | undefined;
  /** As far as the line on what waits. */
  readonly menu: readonly (string | undefined)[];
  readonly icon: 'waiting' | 'quiet';
  readonly badge: number;
  readonly notifications: readonly {
    readonly title: string;
    readonly body: string;
    readonly open: boolean;
  }[];
}

async function outside({ app }: DesktopComputer): Promise<Outside> {
  const { tray, badge, notifications } = await app.state();
  const labels = tray?.menu.map(({ label }) => label) ?? [];
  return {
    toolTip: tray?.toolTip,
    menu: labels.slice(0, labels.indexOf(trayWords.waiting(0)) + 1),
    icon: tray?.image.includes('waiting') === true ? 'waiting' : 'quiet',
    badge,
    notifications: notifications.map(({ title, body, shown, closed }) => ({
      title,
      body,
      open: shown && !closed,
    })),
  };
}

const STOPPED: Outside = {
  toolTip: `${trayTitle(0)}. ${trayWords.stopped([MUM])}`,
  menu: [trayWords.stopped([MUM]), '', trayWords.waiting(0)],
  icon: 'waiting',
  badge: 0,
  notifications: [{ ...stopNotification(MUM), open: true }],
};

describe.skipIf(!hasRealPart('chromium'))(
  'where another key answers in the place of a paired hub',
  () => {
    let twin: HubStack;
    let computer: DesktopComputer;

    beforeEach(async () => {
      twin = new HubStack({
        clock: systemDeps.clock,
        name: 'Mum',
        transport: createInProcessTransport(systemDeps),
      });
      await twin.start();
      const [own, mum] = [newIdentity(), newIdentity()];
      const place = { host: '127.0.0.1', port: twin.port };
      computer = await DesktopComputer.start('Dad’s laptop', (home) =>
        prepareHome(home, own, [{ identity: mum, name: MUM, place }]),
      );
      onTestFailed(() => void process.stderr.write(computer.app.output.join('')));
    });
    afterEach(async () => {
      await computer.remove();
      await twin.stop();
    }, 60_000);

    const stands = async (wanted: Outside): Promise<void> => {
      await expect.poll(() => outside(computer), { timeout: STOP_WITHIN_MS }).toEqual(wanted);
    };
    const window = async () =>
      (await computer.app.state()).windows.map(({ visible, raised }) => ({ visible, raised }));

    it('HE-09: the tray and one notification say so and lead to the page that stops, and both end with the answer given there', async () => {
      await stands(STOPPED);
      const page = await computer.app.page();
      page.setDefaultTimeout(SHOWN_WITHIN_MS);
      await page.getByRole('heading', { name: keyChanged.title(MUM) }).waitFor();
      await expect.poll(window).toMatchObject([{ visible: true }]);
      const [before] = await window();
      await computer.app.ask('window-close');
      await computer.app.ask('menu-click', trayWords.stopped([MUM]));
      await expect.poll(window).toEqual([{ visible: true, raised: (before?.raised ?? 0) + 1 }]);
      await computer.app.ask('window-close');
      await computer.app.ask('notification-click', 0);
      await expect.poll(window).toEqual([{ visible: true, raised: (before?.raised ?? 0) + 2 }]);
      // Nothing was answered by being looked at.
      expect(await outside(computer)).toEqual(STOPPED);
      await page.getByRole('button', { name: keyChanged.keep }).click();
      await stands({
        toolTip: trayTitle(0),
        menu: [trayWords.waiting(0)],
        icon: 'quiet',
        badge: 0,
        notifications: [{ ...stopNotification(MUM), open: false }],
      });
      const { items } = await callFromWindow(page, 'peers.list', { trust: 'paired' });
      expect(items).toMatchObject([
        { name: MUM, trust: 'paired', key_change: { kept_at: expect.any(Number) } },
      ]);
    }, 180_000);

    it('HE-09: an app that is started hidden says it before any window is seen, though the other key is gone by then', async () => {
      await stands(STOPPED);
      await computer.app.page();
      await computer.app.quit();
      await twin.halt();
      computer.restart(['--hidden']);
      await stands(STOPPED);
      expect((await window()).filter(({ visible, raised }) => visible || raised > 0)).toEqual([]);
    }, 180_000);
  },
);
