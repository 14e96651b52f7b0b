// The settings file of another program: what that program writes meanwhile is never lost.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withHooks, withoutHooks } from '../../../main/cli/program-hooks.ts';
import { SettingsText } from '../../../main/cli/settings-text.ts';

const THEIRS = '{ "theirs": true }\n';
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-settings-'));
  file = join(folder, 'settings.json');
  writeFileSync(file, '{}\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

const changed = expect.objectContaining({
  message: expect.stringContaining('was changed meanwhile'),
});

test('what was written since it was read stays', () => {
  const settings = new SettingsText(file);
  writeFileSync(file, THEIRS);
  expect(() => settings.write('{ "ours": true }\n')).toThrow(changed);
  expect([readFileSync(file, 'utf8'), existsSync(`${file}.lock`)]).toEqual([THEIRS, false]);
});

test.runIf(process.platform !== 'win32')('what is written under its lock stays', () => {
  const settings = new SettingsText(file);
  mkdirSync(`${file}.lock`);
  const work = 'sleep 0.5; printf "%s" "$1" > "$2"; rmdir "$2.lock"';
  spawn('sh', ['-c', work, 'sh', THEIRS, file], { stdio: 'ignore' });
  expect(() => settings.write('{ "ours": true }\n')).toThrow(changed);
  expect(readFileSync(file, 'utf8')).toBe(THEIRS);
});

test('a lock that a killed program left holds nobody up', () => {
  const lock = `${file}.lock`;
  mkdirSync(lock);
  utimesSync(lock, 1, 1);
  new SettingsText(file).write('{ "ours": true }\n');
  expect([readFileSync(file, 'utf8'), existsSync(lock)]).toEqual(['{ "ours": true }\n', false]);
});

test('a comment between the hooks of a person and ours stays when ours go', () => {
  const ours = { events: ['Stop'], value: { args: ['/x/axon.cjs', 'inbox', '--watch'] } };
  const own = '{\n  "hooks": {\n    "Stop": [\n      { "hooks": [] }\n    ]\n  }\n}\n';
  const text = withHooks(own, [ours], file);
  expect(withoutHooks(text, file)).toBe(own);
  const comment = ' // says when it is done\n      ';
  const between = text.replace('{ "hooks": [] },\n      ', `{ "hooks": [] },${comment}`);
  expect(between).not.toBe(text);
  expect(withoutHooks(between, file)).toContain('// says when it is done');
  const behind = text.replace(/\}\n {4}\]/, '},\n      // mine\n      { "hooks": [1] }\n    ]');
  expect(withoutHooks(behind, file)).toMatch(
    /\{ "hooks": \[\] \},\s+\/\/ mine\n {6}\{ "hooks": \[1\] \}/,
  );
});
