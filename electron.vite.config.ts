// How the sources become out/: the hub's processes (Electron's main, headless, the QUIC process,
// the command line), the preload script of the sandboxed window, and the pages. Native packages
// stay outside the bundles; everything else goes in, because a start that loads one file is several
// times faster than one that loads hundreds.
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'electron-vite';
import type { Rolldown, UserConfig } from 'vite';

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

/** `{ a, b as c }` of an import, as a pattern of a declaration. */
function patternOf(names: string): string {
  // It would be undefined: Node's own modules have none.
  if (/\bdefault\b/.test(names))
    throw new Error(`import a module of Node by its names, not ${names}`);
  return names.replaceAll(/ as /g, ': ');
}

/**
 * Takes Node's own modules as they are. To import one, Node makes a second module of it and reads
 * everything it exports; with node:http that loads the whole of fetch, which no hub uses: 40 ms of
 * a start.
 */
export function takeNodeModules(code: string): string {
  return code.replaceAll(
    /^import (?:(?:\* as )?([\w$]+))?(?:, )?(\{[^}]*\})? from "(node:[\w/]+)";$/gm,
    (_whole, name: string | undefined, names: string | undefined, from: string) =>
      [name, names === undefined ? undefined : patternOf(names)]
        .filter((pattern) => pattern !== undefined)
        .map((pattern) => `var ${pattern} = globalThis.process.getBuiltinModule("${from}");`)
        .join(' '),
  );
}

/**
 * Writes every other character as an escape, which it may be wherever our bundles have one: in
 * strings and patterns. V8 keeps a source of plain ASCII in half the memory, and reads it sooner.
 */
export function inAscii(code: string): string {
  return code.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const fastToLoad = {
  name: 'axon:fast-to-load',
  // Once the imports of a chunk stand as they ship; the shims of electron-vite come later and stay.
  renderChunk: { order: 'post', handler: (code: string) => ({ code: takeNodeModules(code) }) },
  // Escapes are undone until the very end.
  generateBundle: (_options: object, bundle: Rolldown.OutputBundle) => {
    for (const file of Object.values(bundle))
      if (file.type === 'chunk') file.code = inAscii(file.code);
  },
} as const;

/** One file is quick to load from a disk. How large that of the pages may be is held by a test. */
const CHUNK_WARNING_KB = 4_000;

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
    chunkSizeWarningLimit: CHUNK_WARNING_KB,
    // How long plugins took is of no use to whoever starts the hub.
    rollupOptions: {
      input: { index: join(root, 'renderer/index.html') },
      checks: { bundlerTimings: false },
    },
  },
} satisfies UserConfig;

export default defineConfig({
  main: {
    plugins: [fastToLoad, executableCli],
    build: {
      outDir: join(out, 'main'),
      target: 'node20.19',
      externalizeDeps: false,
      minify: false,
      license: LICENCES,
      chunkSizeWarningLimit: CHUNK_WARNING_KB,
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
          comments: false,
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
