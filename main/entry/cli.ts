#!/usr/bin/env node
// The command `axon`: a client of the localhost API. Only `axon hub` loads the hub itself.
import { join } from 'node:path';
import { startEarly } from '../adapters/quic/quic-process.ts';
import { needsBuild } from '../app/build.ts';
import { holdHeapGrowth } from '../app/heap-growth.ts';
import { runProgram } from '../cli/program.ts';
import { VERSION } from '../lib/version.ts';

const isBuilt = import.meta.dirname.endsWith(join('out', 'main'));
// A program that reads standard error has no use for it.
if (isBuilt && process.stderr.isTTY && needsBuild(join(import.meta.dirname, '../..')) !== null) {
  process.stderr.write(
    'The sources changed since the command was built: "npm run build" brings it up to date.\n',
  );
}

process.exitCode = await runProgram(process.argv.slice(2), {
  version: VERSION,
  runHub: async (start) => {
    holdHeapGrowth();
    const quic = startEarly();
    return (await import('../app/headless.ts')).runHeadless(start, quic);
  },
  checkStoppedAudit: async (...given) =>
    (await import('../app/stopped-audit.ts')).checkStoppedAudit(...given),
  removeData: async (...given) => (await import('../app/remove-data.ts')).removeData(...given),
});
