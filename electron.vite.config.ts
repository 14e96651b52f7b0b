// How the sources become out/: the hub's processes (Electron's main, headless, the QUIC process,
// the command line), the preload script of the sandboxed window, and the pages. Native packages
// stay outside the bundles; everything else goes in, because a start that loads one file is several
// times faster than one that loads hundreds.
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'electron-vite';
import type { UserConfig } from 'vite';

const root = import.meta.dirname;
/**
 * A build that shall not disturb the one in use is made elsewhere and moved (main/app/build.ts).
 */
const out = process.env['AXON_BUILD_FOLDER'] ?? join(root, 'out');
/** Packages with binaries, or that find their own files; they are loaded from node_modules. */
const OUTSIDE = ['@matrixai/quic', 'better-sqlite3', 'keytar'];
const ENTRIES = ['electron', 'headless', 'quic', 'cli'];

/** The packages inside a bundle ask that their licences travel with it. */
const LICENCES = { fileName: 'licences.txt' };

const outside = OUTSIDE.map((name) => new RegExp(`^${name}(?:[/-].*)?$`));

/** `npx axon` runs the built file itself. */
const executableCli = {
  name: 'axon:executable-cli',
  writeBundle: () => chmodSync(join(out, 'main/cli.js'), 0o755),
};

/** The pages. Apart from the rest, so that a test builds exactly what ships. */
export const rendererConfig = {
  root: join(root, 'renderer'),
  base: './',
  plugins: [svelte({ configFile: false })],
  build: {
    outDir: join(out, 'renderer'),
    emptyOutDir: true,
    // Everything is a file of our own: no inline script or data that the content security policy
    // would have to allow.
    assetsInlineLimit: 0,
    minify: true,
    license: LICENCES,
    modulePreload: false,
    // How long plugins took is of no use to whoever starts the hub.
    rollupOptions: {
      input: { index: join(root, 'renderer/index.html') },
      checks: { bundlerTimings: false },
    },
  },
} satisfies UserConfig;

export default defineConfig({
  main: {
    plugins: [executableCli],
    build: {
      outDir: join(out, 'main'),
      target: 'node20.19',
      externalizeDeps: false,
      minify: false,
      license: LICENCES,
      rollupOptions: {
        input: Object.fromEntries(
          ENTRIES.map((name): [string, string] => [
            name,
            join(root, 'main/entry', `${name}.ts`),
          ]).filter(([, file]) => existsSync(file)),
        ),
        external: outside,
        output: {
          format: 'es',
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
        },
      },
    },
  },
  preload: {
    build: {
      outDir: join(out, 'preload'),
      target: 'node20.19',
      externalizeDeps: false,
      minify: false,
      rollupOptions: {
        input: { index: join(root, 'preload/index.ts') },
        // A sandboxed preload script is one CommonJS file.
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: rendererConfig,
});
