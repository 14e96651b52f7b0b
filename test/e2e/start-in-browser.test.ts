// A hub that is started at a terminal opens its pages itself: the real program at a
// pseudo-terminal, an `xdg-open` that starts the real Chromium as that of a desktop does, and the
// file between them.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Person } from '../support/person.ts';
import { endPrograms, runtimeOf } from '../support/programs.ts';
import { chromiumPath, hasRealPart } from '../support/real-parts.ts';
import { until } from '../support/until.ts';
import { HouseholdPage } from './household-pages.ts';

const START_MS = 30_000;
const FLAGS = ['--api-port', '0', '--peer-port', '0', '--discovery', 'off'];
let folder: string;
let home: string;
let browser: Browser | undefined;

const inFolder = (name: string): string => join(folder, name);
const readIfThere = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-start-'));
  home = inFolder('home of mum');
});
afterEach(async () => {
  // Chromium was started by the hub and outlives it, as on a desktop.
  await (await browser?.newBrowserCDPSession())?.send('Browser.close').catch(() => undefined);
  browser = undefined;
  await endPrograms();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

/**
 * A desktop's opener. It keeps what it was given and how the file stood, then does what follows.
 */
function desktop(then: string): Readonly<Record<string, string>> {
  const script = [
    '#!/bin/sh',
    `printf '%s\\n' "$@" > '${inFolder('given')}'`,
    `cp "$1" '${inFolder('copy')}'`,
    `stat -c %a "$1" > '${inFolder('mode.new')}' && mv '${inFolder('mode.new')}' '${inFolder('mode')}'`,
    then,
  ];
  writeFileSync(inFolder('xdg-open'), script.join('\n'));
  chmodSync(inFolder('xdg-open'), 0o700);
  return {
    PATH: `${folder}:${process.env['PATH'] ?? ''}`,
    DISPLAY: ':99',
    CI: '',
    AXON_NO_BROWSER: 'off',
  };
}

/** The Chromium that the opener started. */
async function startedBrowser(): Promise<Browser> {
  const port = await until(
    'the browser',
    START_MS,
    () => readIfThere(inFolder('profile/DevToolsActivePort'))?.split('\n')[0],
  );
  browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
  return browser;
}

describe.skipIf(!hasRealPart('chromium') || !hasRealPart('terminals'))(
  'npm start at a terminal',
  () => {
    it('HT-13: opens the pages by a file that only its owner reads, with no code on a command line', async () => {
      const switches = `--headless --no-sandbox --disable-gpu --no-first-run --remote-debugging-port=0 --user-data-dir='${inFolder('profile')}'`;
      const person = Person.start(
        'headless',
        home,
        FLAGS,
        desktop(`exec '${chromiumPath()}' ${switches} "$1" 2>/dev/null`),
      );
      const [context] = (await startedBrowser()).contexts();
      const page = await until('the page', START_MS, () => context?.pages()[0]);
      await new HouseholdPage(page).shown();
      expect(page.url()).toBe(`http://127.0.0.1:${runtimeOf(home).port}/`);
      expect(readFileSync(inFolder('given'), 'utf8')).toBe(`${join(home, 'login.html')}\n`);
      expect(readFileSync(inFolder('mode'), 'utf8').trim()).toBe('600');
      const [, code = ''] =
        /url=http:\/\/127\.0\.0\.1:\d+\/#c=([\w-]{22})"/.exec(
          readFileSync(inFolder('copy'), 'utf8'),
        ) ?? [];
      expect(code).not.toBe('');
      expect(person.screen).toContain('Your browser opens it now.');
      // The link that is printed is another one, and still good.
      expect(person.screen).not.toContain(code);
      const second = await context?.newPage();
      await second?.goto(/http:\/\/127\.0\.0\.1:\d+\/#c=[\w-]+/.exec(person.screen)?.[0] ?? '');
      if (second !== undefined) await new HouseholdPage(second).shown();
    });

    it('removes the file when it stops, though no browser came', async () => {
      const person = Person.start('headless', home, FLAGS, desktop('exit 0'));
      await until('the opener', START_MS, () => readIfThere(inFolder('mode')));
      expect(existsSync(join(home, 'login.html'))).toBe(true);
      await until(
        'the greeting',
        START_MS,
        () => person.screen.includes('Stop: Ctrl+C') || undefined,
      );
      person.type('\u0003');
      expect(await person.ended()).toBe(0);
      expect(existsSync(join(home, 'login.html'))).toBe(false);
    });

    it('opens none with --no-browser, and removes what a killed hub left', async () => {
      const variables = desktop('exit 0');
      const killed = Person.start('headless', home, FLAGS, variables);
      await until('the opener', START_MS, () => readIfThere(inFolder('mode')));
      process.kill(runtimeOf(home).pid, 'SIGKILL');
      await killed.ended();
      expect(existsSync(join(home, 'login.html'))).toBe(true);
      for (const name of ['given', 'mode']) rmSync(inFolder(name));
      const person = Person.start('headless', home, [...FLAGS, '--no-browser'], {
        ...variables,
        AXON_NO_BROWSER: '',
      });
      await until(
        'the greeting',
        START_MS,
        () => person.screen.includes('Stop: Ctrl+C') || undefined,
      );
      expect(person.screen).toContain('Open this link once, within 90 seconds: http://127.0.0.1:');
      expect(existsSync(join(home, 'login.html'))).toBe(false);
      expect(existsSync(inFolder('given'))).toBe(false);
    });
  },
);
