// The double of Electron as one file of JavaScript: what Node makes of TypeScript while it loads would
// count as memory and as time of the app that is measured.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const FAKES = join(import.meta.dirname, '../fakes/electron');
const BUILT = join(import.meta.dirname, '../.output/double');

/** Returns the file, for ELECTRON_DOUBLE. */
export async function buildDouble(): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: join(FAKES, 'double.ts'),
      outDir: BUILT,
      emptyOutDir: true,
      rolldownOptions: { output: { entryFileNames: 'double.mjs' } },
    },
  });
  copyFileSync(join(FAKES, 'parent-port.mjs'), join(BUILT, 'parent-port.mjs'));
  return join(BUILT, 'double.mjs');
}
