// npm run screenshots [state ...] [--look=NAME]: every state of every screen in light, dark,
// contrast and forced colours, at six widths, at 200 % zoom and without motion, into
// test/.output/screenshots. Fails when a page logs an error or breaks its content security policy.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { chromiumPath } from '../support/real-parts.ts';
import { buildPage, servePage } from './serve.ts';
import { STATES } from './states.ts';
import { visit } from './visit.ts';

const ROOT = join(import.meta.dirname, '../..');
const OUT = join(ROOT, 'test/.output/screenshots');

interface Look {
  readonly name: string;
  readonly theme: 'light' | 'dark' | 'contrast';
  readonly width: number;
  readonly height: number;
  readonly scale?: number;
  /** What the system asks of every page. */
  readonly system?: { readonly forcedColors?: 'active'; readonly reducedMotion?: 'reduce' };
}

const LOOKS: readonly Look[] = [
  { name: 'light', theme: 'light', width: 1280, height: 820 },
  { name: 'dark', theme: 'dark', width: 1280, height: 820 },
  { name: 'contrast', theme: 'contrast', width: 1280, height: 820 },
  { name: 'forced', theme: 'light', width: 1280, height: 820, system: { forcedColors: 'active' } },
  { name: 'still', theme: 'light', width: 1280, height: 820, system: { reducedMotion: 'reduce' } },
  { name: 'wide', theme: 'light', width: 1920, height: 1080 },
  { name: '1200', theme: 'light', width: 1200, height: 820 },
  { name: '360', theme: 'light', width: 360, height: 740 },
  { name: '480', theme: 'light', width: 480, height: 820 },
  { name: 'zoom', theme: 'light', width: 640, height: 410, scale: 2 },
];
const POPOVER_SIZE = { width: 380, height: 720 };
/** Most of a picture is waiting for the page: a few at a time. */
const AT_A_TIME = 3;

async function take(browser: Browser, origin: string, name: string, look: Look): Promise<string[]> {
  const state = STATES[name];
  if (state === undefined) return [`there is no state "${name}"`];
  const context = await browser.newContext({
    viewport: state.isPopover === true ? POPOVER_SIZE : { width: look.width, height: look.height },
    deviceScaleFactor: look.scale ?? 1,
    ...look.system,
  });
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.text().includes('Content Security Policy'))
      wrong.push(`${name} ${look.name}: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`${name} ${look.name}: ${error.message}`));
  await visit(page, origin, name, state, `&theme=${look.theme}`);
  if (state.show !== undefined)
    await page
      .locator(state.show)
      .first()
      .evaluate((node) => node.scrollIntoView({ block: 'center' }));
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({
    path: join(OUT, `${name}.${look.name}.png`),
    animations: state.early === true ? 'allow' : 'disabled',
  });
  await context.close();
  return wrong;
}

const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const looks = LOOKS.filter(
  (look) =>
    !process.argv.some((word) => word.startsWith('--look=')) ||
    process.argv.includes(`--look=${look.name}`),
);
const built = join(ROOT, 'test/.output/screenshot-page');
await mkdir(OUT, { recursive: true });
await buildPage(import.meta.dirname, 'page.html', built);
const server = await servePage(built);
const browser = await chromium.launch({
  executablePath: chromiumPath(),
  args: ['--no-sandbox'],
  // A scroll bar takes its room from the page, as it does at most people's.
  ignoreDefaultArgs: ['--hide-scrollbars'],
});
const problems: string[] = [];
const pictures = (wanted.length === 0 ? Object.keys(STATES) : wanted)
  .flatMap((name) => looks.map((look) => ({ name, look })))
  .values();
await Promise.all(
  Array.from({ length: AT_A_TIME }, async () => {
    for (const { name, look } of pictures)
      problems.push(...(await take(browser, server.origin, name, look)));
  }),
);
await browser.close();
await server.close();
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
