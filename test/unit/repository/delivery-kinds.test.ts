// A new kind of inbox item must be thought of everywhere: the compiler says where.
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const LIST = join(ROOT, 'preload/contract/delivery-kind.ts');
const HANDLES_KINDS = [
  'preload/contract/delivery-kind.ts',
  'main/services/inbox/delivery-body.ts',
  'main/adapters/sqlite/tables/deliveries.ts',
];

/** Those of these files that do not compile, the list being patched. */
function broken(patch: (list: string) => string): readonly string[] {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(ROOT, 'tsconfig.json'),
    { noEmit: true, incremental: false },
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: () => undefined,
    },
  );
  if (config === undefined) throw new Error('tsconfig.json cannot be read');
  const host = ts.createCompilerHost(config.options);
  const { readFile } = host;
  host.readFile = (file) => (file === LIST ? patch(readFile(file) ?? '') : readFile(file));
  const program = ts.createProgram({
    rootNames: HANDLES_KINDS.map((file) => join(ROOT, file)),
    options: config.options,
    host,
  });
  return HANDLES_KINDS.filter((file) => {
    const source = program.getSourceFile(join(ROOT, file));
    if (source === undefined) throw new Error(`${file} is none of its files`);
    return program.getSemanticDiagnostics(source).length > 0;
  });
}

test(
  'a new kind of inbox item does not compile wherever kinds are handled',
  { timeout: 180_000 },
  () => {
    const another = (list: string) =>
      list.replace("'cancel'] as const", "'cancel', 'remind'] as const");
    expect(
      broken((list) => list),
      'as it is',
    ).toEqual([]);
    expect(broken(another)).toEqual(HANDLES_KINDS);
  },
);
