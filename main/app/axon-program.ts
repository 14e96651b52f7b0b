// How the hub starts the command `axon` for a runner: with the Node that it runs on itself. Inside
// Electron, which runs no Node programs, with the Node that npm brought along.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { programFile } from '../cli/invocation.ts';

/** null: this copy has no command, or no Node to start it with. */
export function axonProgram(): readonly [string, ...string[]] | null {
  const program = programFile();
  if (program === null) return null;
  if (process.versions['electron'] === undefined) return [process.execPath, program];
  const root = dirname(dirname(dirname(program)));
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const node = join(root, 'node_modules', 'node', 'bin', name);
  return existsSync(node) ? [node, program] : null;
}
