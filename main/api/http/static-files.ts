// The built UI over HTTP, from a map made once at start (lib/built-pages): no path of a request
// ever touches the disk.
import { readFile, readdir } from 'node:fs/promises';
import { AppError } from '../../lib/app-error.ts';
import { mapBuiltPages } from '../../lib/built-pages.ts';
import type { BuiltFile } from '../../lib/built-pages.ts';
import { problemAnswer } from './respond.ts';
import type { Answer } from './respond.ts';

export class StaticFiles {
  readonly #files: ReadonlyMap<string, BuiltFile>;

  private constructor(files: ReadonlyMap<string, BuiltFile>) {
    this.#files = files;
  }

  /**
   * Maps every file under `directory` that has a known type; none when there is no such directory.
   */
  static async of(directory: string | null): Promise<StaticFiles> {
    if (directory === null) return new StaticFiles(new Map());
    return new StaticFiles(
      mapBuiltPages(
        directory,
        await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []),
      ),
    );
  }

  has(path: string): boolean {
    return path === '/' || this.#files.has(path);
  }

  async answer(path: string): Promise<Answer> {
    const built = this.#files.get(path);
    if (built === undefined) {
      return problemAnswer(
        new AppError('not_found', 'The pages of this hub are not built yet.', {
          hint: 'Run "npm run build", then start the hub again.',
        }),
      );
    }
    return { status: 200, type: built.mediaType, body: await readFile(built.file) };
  }
}
