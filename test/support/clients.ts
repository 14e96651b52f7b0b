// The real clients of agents, installed in test/clients alone, and how a test runs one of them.
// Without them its tests are skipped, with a loud line; where AXON_TEST_REQUIRE_ALL is 1 they fail.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { endAfterTest, type Ended } from './programs.ts';

const FOLDER = join(import.meta.dirname, '../clients');

/** Where this program of the clients stands; undefined where it is not installed. */
export function clientPath(name: string): string | undefined {
  const path = join(FOLDER, 'node_modules/.bin', name);
  if (existsSync(path)) return path;
  const line = `SKIPPED: tests with the real ${name} need "npm ci" in test/clients`;
  if (process.env['AXON_TEST_REQUIRE_ALL'] === '1')
    throw new Error(`${line}; nothing may be skipped in this run`);
  process.stderr.write(`\n${line}\n`);
  const list = process.env['AXON_TEST_SKIPS'];
  if (list !== undefined) appendFileSync(list, `${line}\n`);
  return undefined;
}

/** Runs a client that is a Node program to its end, with `home` as its user's folder. */
export async function runClient(
  name: string,
  home: string,
  parameters: readonly string[],
): Promise<Ended> {
  const path = clientPath(name) ?? '';
  const child = spawn(process.execPath, [path, ...parameters], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, USERPROFILE: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endAfterTest(child);
  const said = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (said.out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said.error += part));
  await once(child, 'close');
  return { code: child.exitCode, ...said };
}
