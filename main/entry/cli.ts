#!/usr/bin/env node
// The command `axon`: a client of the localhost API. Only `axon hub` loads the hub itself.
import { runProgram } from '../cli/program.ts';
import { VERSION } from '../lib/version.ts';

process.exitCode = await runProgram(process.argv.slice(2), {
  version: VERSION,
  runHub: async (flags) => (await import('../app/headless.ts')).runHeadless(flags),
});
