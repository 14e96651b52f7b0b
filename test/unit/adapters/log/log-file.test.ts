import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LogFile } from '../../../../main/adapters/log/log-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the log file', () => {
  test('is private, and goes on where it ended', () => {
    for (const line of ['one\n', 'two\n']) {
      const log = new LogFile(folder);
      log.write(line);
      log.close();
    }
    const path = join(folder, 'logs', 'hub.log');
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'logs')).mode & 0o777).toBe(0o700);
  });

  test('never takes more than twice its size', () => {
    const log = new LogFile(folder, 1_000);
    for (let count = 0; count < 500; count++) log.write(`line ${count}\n`);
    log.close();
    const [now, before] = ['hub.log', 'hub.log.1'].map((name) =>
      readFileSync(join(folder, 'logs', name), 'utf8'),
    );
    expect(now?.length).toBeLessThanOrEqual(1_000);
    expect(before?.length).toBeLessThanOrEqual(1_000);
    expect(now).toContain('line 499\n');
  });

  test('ST-03: writes through no link', () => {
    const elsewhere = join(folder, 'elsewhere');
    writeFileSync(elsewhere, 'untouched');
    mkdirSync(join(folder, 'logs'));
    symlinkSync(elsewhere, join(folder, 'logs', 'hub.log'));
    new LogFile(folder).write('a line\n');
    expect(readFileSync(elsewhere, 'utf8')).toBe('untouched');
    expect(existsSync(join(folder, 'logs', 'hub.log.1'))).toBe(false);
  });
});
