import { join, sep } from 'node:path';
import { expect, test } from 'vitest';
import { mapBuiltPages } from '../../../main/lib/built-pages.ts';

const SITE = join(sep, 'srv', 'site');
const listed = (name: string, ...folders: string[]) => ({
  name,
  parentPath: join(SITE, ...folders),
  isFile: () => true,
});

test('every built file of a known type has a path from the folder, and "/" is the index', () => {
  const pages = mapBuiltPages(SITE, [
    listed('index.html'),
    listed('app.js', 'assets'),
    listed('licences.txt'),
  ]);
  expect([...pages.keys()]).toEqual(['/index.html', '/assets/app.js', '/licences.txt', '/']);
  expect(pages.get('/')).toEqual({
    file: join(SITE, 'index.html'),
    mediaType: 'text/html; charset=utf-8',
  });
  expect(pages.get('/assets/app.js')?.mediaType).toBe('text/javascript; charset=utf-8');
});

test('a file of another type, a folder and a folder without an index are not served', () => {
  const folder = { ...listed('looks-like.js'), isFile: () => false };
  expect([
    ...mapBuiltPages(SITE, [
      folder,
      listed('app.js.map', 'assets'),
      listed('.env'),
      listed('key.pem'),
    ]).keys(),
  ]).toEqual([]);
});
