// The means by which a page of a hub is opened and its API is called on a computer of the test
// network.
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasRealPart } from '../support/real-parts.ts';
import { openBrowser } from './browser.ts';
import { LoopbackClient } from './loopback-client.ts';
import { Lan, type LanHost } from './namespaces.ts';

async function servePage(host: LanHost): Promise<number> {
  const server = host.startNode('test/lan/page-process.ts', [host.name]);
  return Number(
    (await server.until((line) => line.startsWith('port '), 20_000)).slice('port '.length),
  );
}

describe.skipIf(!hasRealPart('namespaces') || !hasRealPart('chromium'))(
  'a browser on each computer',
  () => {
    let lan: Lan;
    beforeEach(() => {
      lan = new Lan(['dad', 'mum']);
    });
    afterEach(async () => {
      await lan.close();
    });

    it('Chromium on a computer opens, shows and presses a page of its own loopback, which nobody else can reach', async () => {
      for (const host of lan.hosts) {
        const port = await servePage(host);
        const browser = await openBrowser(host);
        try {
          const page = await browser.newPage();
          await page.goto(`http://127.0.0.1:${port}/`);
          expect(await page.title()).toBe(host.name);
          await page.getByRole('button').click();
          expect(await page.getByRole('button').textContent()).toBe('pressed');
        } finally {
          await browser.close();
        }
        const fromOutside = new Promise((resolve, reject) =>
          request({ host: '127.0.0.1', port }, resolve).on('error', reject).end(),
        );
        await expect(fromOutside).rejects.toThrow('ECONNREFUSED');
      }
    });

    it('a client outside reaches the loopback of one computer, and only by its own door', async () => {
      const port = await servePage(lan.host('mum'));
      const client = await LoopbackClient.open(lan.host('mum'), port);
      const answer = await client.send({ method: 'GET', path: '/' });
      expect([answer.status, answer.body.includes('<h1>mum</h1>')]).toEqual([200, true]);
      await client.close();
      const atDad = await LoopbackClient.open(lan.host('dad'), port);
      await expect(atDad.send({ method: 'GET', path: '/' })).rejects.toThrow();
      await atDad.close();
    });
  },
);
