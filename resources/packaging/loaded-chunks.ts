// Which files of out/main an entry loads, at once or later: its own imports and those of what it
// imports. Reads the bundles, runs nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** `import ... from "./x.js"`, `export ... from`, `import "./x.js"` and `import("./x.js")`. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*["'](\.{1,2}\/[^"']+\.js)["']/g;

/**
 * @param main the folder out/main
 * @param entries as "quic.js"
 * @returns paths from `main`, with "/" between
 */
export function loadedBy(main: string, entries: readonly string[]): ReadonlySet<string> {
  const loaded = new Set<string>();
  const next = [...entries];
  for (let file = next.pop(); file !== undefined; file = next.pop()) {
    if (loaded.has(file)) continue;
    loaded.add(file);
    const folder = posix.dirname(file);
    for (const [, path = ''] of readFileSync(join(main, file), 'utf8').matchAll(IMPORT))
      next.push(posix.join(folder, path));
  }
  return loaded;
}

/** The chunks that none of the entries loads. */
export function chunksBeside(main: string, entries: readonly string[]): readonly string[] {
  const loaded = loadedBy(main, entries);
  return readdirSync(join(main, 'chunks'))
    .map((name) => `chunks/${name}`)
    .filter((path) => !loaded.has(path));
}
