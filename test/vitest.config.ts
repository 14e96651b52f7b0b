// Which tests exist, where each kind runs (Node for the system, real Chromium for components), and
// how many files at a time.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { temporaryFolder } from './support/memory-folder.ts';
import { chromiumPath } from './support/real-parts.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/**
 * Where Node keeps what it compiled: most of what a program that a test starts would do first is to
 * read the same sources again.
 */
const env = { NODE_COMPILE_CACHE: fileURLToPath(new URL('.output/compiled', import.meta.url)) };
// Read by every process that a test starts.
process.env['TMPDIR'] = temporaryFolder();
const maxWorkers = Math.max(2, availableParallelism());
/**
 * Many a test of the system waits more than it works: with one file for each processor the computer
 * would stand idle half of the time.
 */
const waitingWorkers = 2 * maxWorkers;
/** Waits end when what they wait for comes; the limit is for a computer that is busy elsewhere. */
const patient = { poll: { timeout: 15_000 } };
const system = {
  environment: 'node' as const,
  // Node's own loader: the sources are run as the program runs them, and compiled once for all.
  experimental: { viteModuleRunner: false },
  execArgv: ['--import', new URL('support/raw-imports.mjs', import.meta.url).href],
  testTimeout: 30_000,
  hookTimeout: 30_000,
  expect: patient,
  env,
};
/**
 * What measures how busy a process is, or how much the computer carries, runs after the others and
 * by itself.
 */
const ALONE = ['crowd', 'crowd-fair', 'crowd-flood', 'quic-faults-under-load', 'quic-watchdog'].map(
  (name) => `test/integration/${name}.test.ts`,
);
/** They measure how quick a thing is, or build the pages in another environment. */
const OWN_PROCESS = ['hidden-characters', 'names', 'search', 'outside-text', 'bundle'];
/**
 * Tests of parts that keep nothing outside what they make share their processes: to start one and
 * to read the sources again costs more than most of these files do.
 */
const PARTS = `test/unit/{api,core,dialects,lib,preload,protocol,renderer,services}/**/!(${OWN_PROCESS.join('|')}).test.ts`;

export default defineConfig({
  root,
  test: {
    reporters: ['default', './test/support/failures-reporter.ts'],
    maxWorkers,
    projects: [
      {
        root,
        test: {
          ...system,
          name: 'node',
          maxWorkers: waitingWorkers,
          include: ['test/{unit,contract,sim,integration,adversarial,conformance}/**/*.test.ts'],
          exclude: [...ALONE, PARTS],
        },
      },
      {
        root,
        test: {
          ...system,
          name: 'node-parts',
          maxWorkers: waitingWorkers,
          isolate: false,
          include: [PARTS],
        },
      },
      { root, test: { ...system, name: 'alone', include: ALONE, fileParallelism: false } },
      {
        root,
        plugins: [svelte({ configFile: false })],
        test: {
          name: 'browser',
          include: ['test/component/**/*.test.ts'],
          maxWorkers,
          testTimeout: 30_000,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            viewport: { width: 1280, height: 820 },
            provider: playwright({
              launchOptions: { executablePath: chromiumPath(), args: ['--no-sandbox'] },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
        optimizeDeps: {
          include: [
            'axe-core',
            'uqr',
            'valibot',
            'svelte',
            'vitest-browser-svelte',
            'eventsource-parser',
          ],
        },
      },
      {
        root,
        test: {
          name: 'lan',
          environment: 'node',
          include: ['test/lan/**/*.test.ts'],
          globalSetup: ['test/support/built.ts'],
          env,
          // One network at a time, and long enough for an announcement to be repeated or to run
          // out.
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        root,
        test: {
          name: 'e2e',
          environment: 'node',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/built.ts'],
          env,
          // Each has hubs, folders and browsers of its own, and waits more than it works.
          maxWorkers,
          expect: patient,
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
