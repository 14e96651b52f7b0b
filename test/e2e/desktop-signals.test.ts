// A desktop app that cannot start, and one that a terminal, a system that shuts down, or a program
// between tells to stop: once or often.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasRealPart } from '../support/real-parts.ts';
import { until } from '../support/until.ts';
import { DesktopApp } from './desktop-app.ts';
import { DesktopComputer } from './desktop-computer.ts';

describe('a desktop app that is started with a flag that is none', () => {
  it('ends with a sentence and exit code 2, and makes no data folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'axon-flag-'));
    try {
      const home = join(folder, 'home');
      const app = DesktopApp.launch({ home, parameters: ['--colour', 'red'] });
      expect(await app.exited).toBe(2);
      expect(app.output.join('')).toMatch(
        /^Unknown option '--colour'\.\nThe flags are --name, [^\n]*\n/m,
      );
      expect(existsSync(home)).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a packaged desktop app', () => {
  it('RI-06, E18: does not start with its pages open to another program, whatever else it is told', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'axon-open-'));
    try {
      const home = join(folder, 'home');
      const app = DesktopApp.launch({
        home,
        parameters: ['--hidden', '--remote-debugging-port=0'],
        environment: { ELECTRON_DOUBLE_PACKAGED: '1' },
      });
      expect(await app.exited).toBe(2);
      expect(app.output.join('')).toBe('AXON Hub does not start with --remote-debugging-port.\n');
      expect(existsSync(home)).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a desktop app whose database is damaged', () => {
  it('says so in a box, because nobody reads its terminal, and ends', async () => {
    const home = mkdtempSync(join(tmpdir(), 'axon-damaged-'));
    try {
      writeFileSync(join(home, 'hub.db'), 'This is a letter to Mum. '.repeat(400), { mode: 0o600 });
      const app = DesktopApp.launch({ home });
      expect(await app.exited).toBe(1);
      expect(app.output.join('')).toMatch(
        /^\[AXON Hub did not start\] The database ".*hub\.db" is damaged \(it is not a database\).*\nPut the whole data folder back/m,
      );
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});

describe.skipIf(!hasRealPart('chromium') || process.platform === 'win32')(
  'a desktop app that is told to stop',
  () => {
    let computer: DesktopComputer;
    beforeEach(async () => {
      computer = await DesktopComputer.start('Mum’s PC');
    });
    afterEach(() => computer.remove(), 60_000);

    it.each(['SIGINT', 'SIGHUP', 'SIGTERM'] as const)(
      'stops its hub in order although %s comes again and again',
      async (signal) => {
        await computer.window();
        const runtime = join(computer.home, 'hub.json');
        const { pid, exited } = computer.app;
        if (pid === undefined) throw new Error('the app has no process');
        expect(existsSync(runtime)).toBe(true);
        await until('the runtime file to be gone', 30_000, () => {
          if (!existsSync(runtime)) return true;
          process.kill(pid, signal);
          return undefined;
        });
        expect(await exited, computer.app.output.join('')).toBe(0);
      },
    );
  },
);
