// The built UI, from a map made once at start: a path that is not in the map does not exist, so no path of a request ever touches the disk.
import { readFile, readdir } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { AppError } from '../../lib/app-error.ts';
import { problemAnswer } from './respond.ts';
import type { Answer } from './respond.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

export class StaticFiles {
  readonly #files: ReadonlyMap<string, string>;

  private constructor(files: ReadonlyMap<string, string>) {
    this.#files = files;
  }

  /** Maps every file under `directory` that has a known type; none when there is no such directory. */
  static async of(directory: string | null): Promise<StaticFiles> {
    const files = new Map<string, string>();
    if (directory !== null) {
      const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        if (!entry.isFile() || TYPES[extname(entry.name)] === undefined) continue;
        const file = join(entry.parentPath, entry.name);
        files.set(`/${relative(directory, file).split(sep).join('/')}`, file);
      }
      const index = files.get('/index.html');
      if (index !== undefined) files.set('/', index);
    }
    return new StaticFiles(files);
  }

  has(path: string): boolean {
    return path === '/' || this.#files.has(path);
  }

  async answer(path: string): Promise<Answer> {
    const file = this.#files.get(path);
    if (file === undefined) {
      return problemAnswer(
        new AppError('not_found', 'The pages of this hub are not built yet.', { hint: 'Run "npm run build", then start the hub again.' }),
      );
    }
    return { status: 200, type: TYPES[extname(file)] ?? 'application/octet-stream', body: await readFile(file) };
  }
}
