// The figures of a small tree whose numbers are known.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'axon-figures-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const FILES = {
  'main/services/a/one.ts':
    "import type { Two } from './two.ts';\nexport interface Deps {\n  two: Two;\n  more: () => void;\n}\n",
  'main/services/a/two.ts': "export type Two = import('../three.ts').Three;\n",
  'main/services/three.ts': "export * from './a/one.ts';\nexport type Three = string;\n",
  'main/lib/long.ts': `export function long(): void {\n${'  // a line\n'.repeat(400)}}\n`,
  'renderer/Page.svelte':
    '<script lang="ts">\n  const far = () => {\n    return 1;\n  };\n</script>\n',
  'test/.output/left.txt': 'what a run left behind',
};

test('sizes, small and large files, circles of imports, long functions and large Deps are those of the tree', () => {
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const script = join(import.meta.dirname, '..', '..', 'figures.ts');
  const lines = execFileSync(process.execPath, [script, folder], { encoding: 'utf8' })
    .replaceAll(/ +/g, ' ')
    .split('\n');
  const services = FILES['main/services/a/one.ts'].length + FILES['main/services/a/two.ts'].length;
  expect(lines).toEqual(
    expect.arrayContaining([
      ` main/services ${services + FILES['main/services/three.ts'].length} bytes 3 files`,
      ` a ${services} bytes 2 files`,
      ' test 0 bytes 0 files',
      'Sources under 30 lines: 4',
      'Sources above 400 lines: 1',
      ' main/lib: long.ts (402)',
      'Circles of imports, types counted: 1',
      ' main/services: three.ts',
      ' main/services/a: one.ts, two.ts',
      ' 402 lines: long in main/lib/long.ts',
      ' 3 lines: far in renderer/Page.svelte',
      ' 2 members: Deps in main/services/a/one.ts',
    ]),
  );
});
