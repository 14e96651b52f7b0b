// However the demo ends, its hubs end with it and their keys are gone.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeDemoFolder, removeHomeOfDemo } from '../../main/cli/demo/demo-folder.ts';
import { Person } from '../support/person.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { endPrograms, Program } from '../support/programs.ts';
import { until } from '../support/until.ts';

const HUBS = ['dad', 'leo', 'mum'];
let temporary: string;
beforeEach(() => (temporary = mkdtempSync(join(tmpdir(), 'axon-demos-'))));
afterEach(async () => {
  await endPrograms();
  rmSync(temporary, { recursive: true, force: true });
});

/** The process ids of the three hubs, once they run. */
function hubsRunning(): Promise<readonly number[]> {
  return until('three hubs', 30_000, () => {
    const [demo] = readdirSync(temporary).filter((name) => name.startsWith('axon-demo-'));
    const files = HUBS.map((hub) => join(temporary, demo ?? '', hub, 'hub.json'));
    if (!files.every((file) => existsSync(file))) return undefined;
    const pids = files.map((file) =>
      Number(/"pid":([0-9]+)/.exec(readFileSync(file, 'utf8'))?.[1]),
    );
    return pids.every((pid) => pid > 0) ? pids : undefined;
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function expectNothingLeft(hubs: readonly number[]): Promise<void> {
  await until('the hubs to end', 30_000, () => (hubs.some(isRunning) ? undefined : true));
  await until('the folder to be gone', 10_000, () =>
    readdirSync(temporary).length === 0 ? true : undefined,
  );
}

describe.skipIf(process.platform === 'win32')('a demo', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'that gets %s ends its hubs and keeps nothing',
    async (signal) => {
      const demo = Program.start('cli', ['demo'], { TMPDIR: temporary });
      const hubs = await hubsRunning();
      demo.kill(signal);
      expect(await demo.ended()).toMatchObject({
        code: 0,
        error: expect.stringContaining('nothing of it was kept'),
      });
      await expectNothingLeft(hubs);
    },
    90_000,
  );

  test('that is killed takes its hubs along, and they their folders', async () => {
    const demo = Program.start('cli', ['demo'], { TMPDIR: temporary });
    const hubs = await hubsRunning();
    demo.kill('SIGKILL');
    await expectNothingLeft(hubs);
  }, 90_000);

  test.skipIf(!hasRealPart('terminals'))(
    'whose terminal is closed ends its hubs and keeps nothing',
    async () => {
      const person = Person.start('cli', temporary, ['demo'], { TMPDIR: temporary });
      const hubs = await hubsRunning();
      person.closeTerminal();
      await expectNothingLeft(hubs);
    },
    90_000,
  );
});

test('a data folder that is of no demo is never taken away', () => {
  const folder = makeDemoFolder(temporary);
  const homes = [join(folder, 'mum'), join(temporary, 'mum')];
  for (const home of homes) mkdirSync(home);
  for (const home of homes) removeHomeOfDemo(home);
  expect(readdirSync(temporary)).toEqual(['mum']);
});
