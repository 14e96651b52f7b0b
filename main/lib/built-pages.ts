// Which of the built files of the UI may be served, under which path and as what: the one list for
// the localhost door and for the window. Pure: whoever serves reads the disk. A path that is not in
// the map does not exist, so no path of a request ever touches the disk.
import { extname, join, relative, sep } from 'node:path';

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.woff2', 'font/woff2'],
  ['.txt', 'text/plain; charset=utf-8'],
]);

export interface BuiltFile {
  /** Absolute, on this computer. */
  readonly file: string;
  readonly mediaType: string;
}

/** What a listing of a folder says of one of its entries. */
interface ListedFile {
  readonly name: string;
  readonly parentPath: string;
  isFile(): boolean;
}

/**
 * Every listed file of a known type by its path from `directory`, with "/" before it; "/" itself is
 * the index.
 */
export function mapBuiltPages(
  directory: string,
  listed: Iterable<ListedFile>,
): ReadonlyMap<string, BuiltFile> {
  const pages = new Map<string, BuiltFile>();
  for (const entry of listed) {
    const mediaType = MEDIA_TYPES.get(extname(entry.name));
    if (!entry.isFile() || mediaType === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    pages.set(`/${relative(directory, file).split(sep).join('/')}`, { file, mediaType });
  }
  const index = pages.get('/index.html');
  if (index !== undefined) pages.set('/', index);
  return pages;
}
