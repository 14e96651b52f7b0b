// Which tests exist and where each kind runs: Node for the system, real Chromium for components.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        root: '..',
        test: {
          name: 'node',
          environment: 'node',
          include: ['test/{unit,contract,sim,integration,adversarial}/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
});
