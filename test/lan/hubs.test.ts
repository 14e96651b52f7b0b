// Built hubs on the computers of the test network, from outside: found with nothing configured,
// killed, started again, opened in a browser; and of two homes, where nothing is found.
import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LossyLink } from '../bench/lossy-link.ts';
import { doWork, nextItem } from '../e2e/agent-line.ts';
import { online, pairByApi } from '../e2e/pair-by-api.ts';
import { measured } from '../support/counts.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { BareSocket } from './bare-socket.ts';
import { openBrowser } from './browser.ts';
import { advertBytes } from './dns-message.ts';
import { HubProcess } from './hub-process.ts';
import { Lan, LanHost } from './namespaces.ts';

interface Seen {
  readonly key: string;
  readonly address: string | null;
}

/** The hubs a hub shows, each with where it would be dialled. */
async function seenBy(hub: HubProcess): Promise<readonly Seen[]> {
  const { items } = await (await hub.owner()).call('peers.list', {});
  return items.map((peer) => ({ key: peer.public_key, address: peer.address }));
}

async function copyAt(hub: HubProcess): Promise<string | null> {
  return (await (await hub.owner()).call('hub.status', {})).hub.copy_at;
}

describe.skipIf(!hasRealPart('namespaces') || !hasRealPart('chromium'))(
  'built hubs on one home network',
  () => {
    let lan: Lan;
    let hubs: HubProcess[];
    beforeEach(() => {
      lan = new Lan(['dad', 'mum', 'kid']);
      hubs = [];
    });
    afterEach(async ({ task }) => {
      // What a hub saw and did cannot be asked once it is gone.
      if (task.result?.state === 'fail')
        for (const hub of hubs)
          console.error(hub.isRunning ? hub.transcript() : 'a hub that was killed');
      await Promise.all(hubs.map((hub) => hub.remove()));
      await lan.close();
    });

    async function start(name: 'dad' | 'mum', flags: readonly string[] = []): Promise<HubProcess> {
      const hub = await HubProcess.start(lan.host(name), { name: `${name}'s computer`, flags });
      hubs.push(hub);
      return hub;
    }

    it('one whose data folder was copied to another computer says so on both', async () => {
      const dad = await start('dad');
      const mum = await start('mum');
      await Promise.all([dad.kill('SIGTERM'), mum.kill('SIGTERM')]);
      await rm(mum.home, { recursive: true });
      await cp(dad.home, mum.home, { recursive: true });
      await dad.restart();
      // Its own announcements, and what is left of those before, raise nothing.
      expect(await copyAt(dad)).toBeNull();
      await mum.restart();
      const limits = { timeout: 20_000, interval: 200 };
      await expect.poll(() => copyAt(dad), limits).toMatch(/^10\.77\.0\.2:\d+$/);
      await expect.poll(() => copyAt(mum), limits).toMatch(/^10\.77\.0\.1:\d+$/);
    });

    it('one whose copy is announced before a stranger announces the same id, again and again, says so all the same', async () => {
      const dad = await start('dad');
      // It hears of nobody and so dials nobody, and is announced in its place.
      const mum = await start('mum', ['--discovery', 'off']);
      await Promise.all([dad.kill('SIGTERM'), mum.kill('SIGTERM')]);
      await rm(mum.home, { recursive: true });
      await cp(dad.home, mum.home, { recursive: true });
      await Promise.all([dad.restart(), mum.restart()]);
      const { hub } = await (await mum.owner()).call('hub.status', {});
      const announcer = async (name: 'mum' | 'kid'): Promise<(port: number) => Promise<void>> => {
        const socket = await BareSocket.open(lan.host(name));
        const { address } = lan.host(name);
        const key = Buffer.from(hub.public_key ?? '', 'hex').toString('base64');
        const txt = [`agent_id=${hub.agent_id}`, `pubkey=${key}`, 'v=1', 'fresh=0badc0de-1'];
        const advert = { label: name, host: `${name}.local`, address, txt };
        return (port) => socket.send([advertBytes({ ...advert, port })]);
      };
      const owner = await dad.owner();
      const heard = async (): Promise<string> =>
        (await owner.call('hub.status', {})).hub.discovery_status.state;
      await expect.poll(heard).toBe('working');
      const [copy, stranger] = [await announcer('mum'), await announcer('kid')];
      // Nobody answers there: each look at it takes its whole time.
      let port = 20_000;
      await stranger(port);
      await copy(hub.peer_port ?? 0);
      await expect
        .poll(
          async () => {
            port += 1;
            await stranger(port);
            return copyAt(dad);
          },
          { timeout: 20_000, interval: 200 },
        )
        .toBe(`10.77.0.2:${hub.peer_port}`);
    });

    it('each shows the other within 5 s, and a hub killed and started again is the same hub at its new port', async () => {
      const dad = await start('dad');
      const mum = await start('mum');
      await expect.poll(() => seenBy(dad), { timeout: 5_000, interval: 100 }).toHaveLength(1);
      await expect.poll(() => seenBy(mum), { timeout: 5_000, interval: 100 }).toHaveLength(1);
      const [before] = await seenBy(dad);
      expect(before?.address).toMatch(/^10\.77\.0\.2:\d+$/);
      await mum.kill();
      await mum.restart();
      // A start waits for the disk several times, and a login here once each: on a disk that
      // another program keeps busy that takes seconds.
      await expect
        .poll(async () => (await seenBy(dad))[0]?.address, { timeout: 20_000, interval: 100 })
        .not.toBe(before?.address);
      const after = await seenBy(dad);
      expect(after.map(({ key }) => key)).toEqual([before?.key]);
      expect(after[0]?.address).toMatch(/^10\.77\.0\.2:\d+$/);
    });

    it('MD-06: a hub nearby is told from others by a label that its own screen shows too, and by no name of a user or a machine', async () => {
      const [dad, mum] = [await start('dad'), await start('mum')];
      await expect.poll(() => seenBy(dad), { timeout: 5_000, interval: 100 }).toHaveLength(1);
      const { items } = await (await dad.owner()).call('peers.list', {});
      const { hub } = await (await mum.owner()).call('hub.whoami', {});
      expect(hub.name).toBe("mum's computer");
      expect(hub.label).toMatch(/^Hub [0-9a-f]{4} [0-9a-f]{4}$/);
      expect(items.map(({ label }) => label)).toEqual([hub.label]);
      expect(JSON.stringify(items).toLowerCase()).not.toContain('mum');
    });

    it('two hubs show each other the names their owners gave once both pages for adding are open; a closed page tells none', async () => {
      const [dad, mum] = [await start('dad'), await start('mum')];
      const owners = { dad: await dad.owner(), mum: await mum.owner() };
      const named = async (who: 'dad' | 'mum'): Promise<unknown> =>
        (await owners[who].call('peers.list', {})).items.map(
          ({ untrusted }) => untrusted.advertised_name,
        );
      for (const hub of [dad, mum])
        await expect.poll(() => seenBy(hub), { timeout: 5_000, interval: 100 }).toHaveLength(1);
      await owners.dad.call('pairings.window', { open: true });
      await expect
        .poll(() => named('mum'), { timeout: 2_000, interval: 50 })
        .toEqual(["dad's computer"]);
      expect(await named('dad'), 'the page of mum is closed').toEqual([null]);
      await owners.mum.call('pairings.window', { open: true });
      await expect
        .poll(() => named('dad'), { timeout: 2_000, interval: 50 })
        .toEqual(["mum's computer"]);
      expect(await named('mum')).toEqual(["dad's computer"]);
    });

    it('a hub says when it can find nobody, what to do about it, and when it can again', async () => {
      const dad = await start('dad');
      const owner = await dad.owner();
      const told = async (): Promise<unknown> =>
        (await owner.call('hub.status', {})).hub.discovery_status;
      await expect
        .poll(told, { timeout: 5_000, interval: 100 })
        .toEqual({ state: 'working', message: null, interfaces: ['eth0'] });
      lan.host('dad').setLink('down');
      const message = expect.stringMatching(/no network just now.*added by address/);
      await expect
        .poll(told, { timeout: 5_000, interval: 100 })
        .toEqual({ state: 'unusable', message, interfaces: [] });
      lan.host('dad').setLink('up');
      await expect
        .poll(told, { timeout: 5_000, interval: 100 })
        .toMatchObject({ state: 'working' });
      expect(dad.transcript()).toMatch(/"warn".*no network just now/);
    });

    it('an orderly stop is noticed by the other at once', async () => {
      const dad = await start('dad');
      const mum = await start('mum');
      await expect.poll(() => seenBy(dad), { timeout: 5_000, interval: 100 }).toHaveLength(1);
      expect(await mum.kill('SIGTERM')).toBe(0);
      await expect.poll(() => seenBy(dad), { timeout: 2_000, interval: 50 }).toEqual([]);
    });

    it('the login link opens the pages of a hub in a browser on its own computer', async () => {
      const dad = await start('dad');
      const browser = await openBrowser(lan.host('dad'));
      try {
        const page = await browser.newPage();
        await page.goto(await dad.loginLink());
        await page.getByRole('navigation').first().waitFor({ timeout: 20_000 });
        expect(new URL(page.url()).hash).not.toContain('c=');
        expect(await page.title()).toContain('AXON');
      } finally {
        await browser.close();
      }
    });

    it('an axon command on that computer finds its hub', async () => {
      const dad = await start('dad');
      const { code, output } = await dad.axon(['status']);
      expect([code, output]).toEqual([0, expect.stringContaining(`http://127.0.0.1:${dad.port}`)]);
    });
  },
);

const hasTunnel =
  hasRealPart('namespaces') && hasRealPart('c-compiler') && existsSync('/dev/net/tun');
if (!hasTunnel) process.stderr.write('SKIPPED: two homes need the device /dev/net/tun\n');

describe.skipIf(!hasTunnel)('hubs of two homes, joined by a tunnel of 80 ms there and back', () => {
  let tunnel: LossyLink;
  let homes: readonly LanHost[];
  const hubs: HubProcess[] = [];
  beforeAll(async () => {
    tunnel = await LossyLink.open({ delayMs: 40, lossPerTenThousand: 10, seed: 7 });
    const [nana = [], mum = []] = tunnel.places;
    homes = [
      new LanHost('nana', nana.at(-1) ?? '', tunnel.serverAddress),
      new LanHost('mum', mum.at(-1) ?? '', tunnel.clientAddress),
    ];
    for (const home of homes) {
      // As the tunnels of WireGuard are.
      home.run('ip', ['link', 'set', home.namespace, 'multicast', 'off']);
      hubs.push(await HubProcess.start(home, { name: `${home.name}'s computer` }));
    }
  });
  afterAll(async () => {
    await Promise.all(hubs.map((hub) => hub.remove()));
    await Promise.all(homes.map((home) => home.stopProcesses()));
    await tunnel.close();
  });

  it('find nobody by themselves, and work together once one was added by the link with its address', async () => {
    const [nana, mum] = hubs;
    if (nana === undefined || mum === undefined) throw new Error('two hubs were started');
    const [hers, ours] = [await nana.owner(), await mum.owner()];
    const { hub } = await hers.call('hub.whoami', {});
    const link = hub.share_tokens.find((token) => token.includes(`@${tunnel.serverAddress}:`));
    expect(link).toBeDefined();
    const finding = async () => (await ours.call('hub.status', {})).hub.discovery_status;
    await expect.poll(finding).toMatchObject({ state: 'unusable', interfaces: [] });
    expect([await seenBy(nana), await seenBy(mum)]).toEqual([[], []]);
    await pairByApi(ours, hers, { asking: 'Mum', asked: 'Nana' }, link);
    const [peer] = (await ours.call('peers.list', { trust: 'paired' })).items;
    expect(peer).toMatchObject({ how_found: 'static', same_network: false });

    const asking = await ours.call('agents.create', { name: 'claude-code', domains: ['travel'] });
    const working = await hers.call('agents.create', { name: 'helper', domains: ['garden'] });
    const sent = performance.now();
    const report = await ours.withToken(asking.token).call('send.delegate', {
      to: 'Nana',
      task: 'Water the roses',
      domain: 'garden',
    });
    expect(report.state).toBe('awaiting_approval');
    const tookMs = performance.now() - sent;
    expect(tookMs).toBeGreaterThan(70);
    measured(`two homes: a delegation was acknowledged over 80 ms in ${Math.round(tookMs)} ms`);
    const { items } = await hers.call('approvals.list', {});
    const [card] = items;
    if (card === undefined) throw new Error('nothing waits');
    const { id, revision, digest } = card;
    await hers.call('approvals.decide', { id, revision, digest, decision: 'allow' });
    const result = await doWork(hers.withToken(working.token), 'Watered.');
    expect(result.approval).not.toBeNull();
    expect(
      (await nextItem(ours.withToken(asking.token), 'result')).untrusted.payload,
    ).toMatchObject({ status: 'completed', outcome: 'Watered.' });
    const [known] = (await ours.call('peers.list', { trust: 'paired' })).items;
    expect(known?.round_trip_ms).toBeGreaterThanOrEqual(80);

    await mum.kill();
    await mum.restart();
    const again = await mum.owner();
    await online(again, hub.agent_id ?? '');
    expect(await seenBy(mum)).toHaveLength(1);
  });
});
