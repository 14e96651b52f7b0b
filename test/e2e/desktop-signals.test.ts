// The desktop app that is told to stop by a terminal, a system that shuts down, or a program between: once or again and again.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasRealPart } from '../support/real-parts.ts';
import { until } from '../support/until.ts';
import { DesktopComputer } from './desktop-computer.ts';

describe.skipIf(!hasRealPart('chromium') || process.platform === 'win32')('a desktop app that is told to stop', () => {
  let computer: DesktopComputer;
  beforeEach(async () => {
    computer = await DesktopComputer.start('Mum’s PC');
  });
  afterEach(() => computer.remove(), 60_000);

  it.each(['SIGINT', 'SIGHUP', 'SIGTERM'] as const)('stops its hub in order although %s comes again and again', async (signal) => {
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
  });
});
