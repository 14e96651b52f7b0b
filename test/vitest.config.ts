// Which tests exist and where each kind runs: Node for the system, real Chromium for components.
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));

export default defineConfig({
  root,
  test: {
    reporters: ['default', './test/support/failures-reporter.ts'],
    projects: [
      {
        root,
        test: {
          name: 'node',
          environment: 'node',
          include: ['test/{unit,contract,sim,integration,adversarial}/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
          // Waits end when what they wait for comes; the limit is for a computer that is busy elsewhere.
          expect: { poll: { timeout: 15_000 } },
        },
      },
      {
        root,
        plugins: [svelte({ configFile: false })],
        test: {
          name: 'browser',
          include: ['test/component/**/*.test.ts'],
          testTimeout: 30_000,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            viewport: { width: 1280, height: 820 },
            provider: playwright({
              launchOptions: { executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: ['--no-sandbox'] },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
        optimizeDeps: { include: ['axe-core', 'uqr', 'valibot', 'svelte', 'vitest-browser-svelte', 'eventsource-parser'] },
      },
      {
        root,
        test: {
          name: 'lan',
          environment: 'node',
          include: ['test/lan/**/*.test.ts'],
          globalSetup: ['test/support/built.ts'],
          // One network at a time, and long enough for an announcement to be repeated or to run out.
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
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
