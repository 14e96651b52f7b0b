// Ctrl+C at a real hub, as a terminal and the programs between hand it on: to the whole group at
// once, and more than once.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startHeadless, type Program } from '../support/programs.ts';
import { until } from '../support/until.ts';

let home: string;
let program: Program | undefined;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'axon-signals-'));
});
afterEach(async () => {
  program?.kill('SIGKILL');
  await program?.ended();
  program = undefined;
  rmSync(home, { recursive: true, force: true });
});

describe.skipIf(process.platform === 'win32')('a hub that is told to stop', () => {
  test.each(['SIGINT', 'SIGHUP', 'SIGTERM'] as const)(
    'stops in order although %s comes again and again',
    async (signal) => {
      const hub = (await startHeadless(home)).program;
      program = hub;
      await until('the runtime file to be gone', 20_000, () => {
        if (!existsSync(join(home, 'hub.json'))) return true;
        hub.kill(signal);
        return undefined;
      });
      expect(await hub.ended()).toMatchObject({ code: 0 });
    },
    60_000,
  );
});
