// CL-03: what a secret leaves behind when it is used at a terminal: nothing on any command line of
// the computer, nothing in the history of the shell, and no way to give one as an argument.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasRealPart } from '../support/real-parts.ts';
import {
  Program,
  axon,
  choosePassphrase,
  endAfterTest,
  endPrograms,
  startHeadless,
  wordsOf,
  type Ended,
} from '../support/programs.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const PASSPHRASE = 'correct horse battery staple of the tests';
const WITHIN_MS = 30_000;
let home: string;
let token: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'axon-secrets-'));
  await startHeadless(home);
  await choosePassphrase(home, join(home, 'passphrase'), PASSPHRASE);
  expect(
    await axon(home, ['--passphrase-file', join(home, 'passphrase'), 'agents', 'add', 'bot']),
  ).toMatchObject({ code: 0 });
  token = readFileSync(join(home, 'tokens/bot.token'), 'utf8').trim();
}, 60_000);
afterAll(async () => {
  await endPrograms();
  rmSync(home, { recursive: true, force: true });
});

/**
 * By its number, the command line of every process of this computer that may be read; that of one
 * that has ended is empty.
 */
function commandLines(): ReadonlyMap<number, string> {
  const lines = new Map<number, string>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      lines.set(Number(name), readFileSync(`/proc/${name}/cmdline`, 'utf8'));
    } catch {
      // It has ended since, or is another user's.
    }
  }
  return lines;
}

function lineOf(seen: ReadonlyMap<number, string>, { pid }: Program): string {
  return seen.get(pid) ?? '';
}

describe('CL-03: a secret', () => {
  test.each([
    ['a passphrase', ['--passphrase', PASSPHRASE, 'approvals']],
    ['a passphrase after an equals sign', [`--passphrase=${PASSPHRASE}`, 'approvals']],
    ['a token by a name of its own', ['--token', 'TOKEN', 'peers']],
    ['a token among other words', ['notify', 'Test hub', 'topic', 'my token is TOKEN']],
    ['a token as the name of an agent', ['--as', 'TOKEN', 'peers']],
  ])('given as an argument is refused: %s', async (_what, parameters) => {
    const refused = await axon(
      home,
      parameters.map((word) => word.replace('TOKEN', token)),
    );
    expect(refused.code).toBe(2);
    expect(refused.out + refused.error).not.toContain(token);
    expect(refused.out).toBe('');
  });

  test.runIf(process.platform === 'linux')(
    'stands on no command line of the computer while programs use it',
    async () => {
      const listening = Program.start('cli', ['listen', '--as', 'bot', '--', 'true'], {
        AXON_HOME: home,
      });
      await until('the agent to listen', WITHIN_MS, () =>
        listening.error.includes('Listening') ? true : undefined,
      );
      const asking = Program.start(
        'cli',
        ['--passphrase-file', join(home, 'passphrase'), 'approvals'],
        { AXON_HOME: home },
      );
      let ended: Ended | undefined;
      void asking.ended().then((end) => (ended = end));
      const looks: ReadonlyMap<number, string>[] = [];
      // From its start to its end, so that it is seen while it has the passphrase.
      await until('the command to end', WITHIN_MS, () => {
        looks.push(commandLines());
        return ended;
      });
      expect(looks.filter((seen) => !lineOf(seen, listening).includes('\0listen\0'))).toEqual([]);
      expect(
        looks.filter((seen) => lineOf(seen, asking).includes('\0--passphrase-file\0')).length,
      ).toBeGreaterThan(1);
      const lines = new Set(looks.flatMap((seen) => [...seen.values()]));
      expect(
        [...lines].filter((line) => line.includes(token.slice(-43)) || line.includes(PASSPHRASE)),
      ).toEqual([]);
      expect(ended).toMatchObject({ code: 0 });
      listening.kill('SIGINT');
      expect(await listening.ended()).toMatchObject({ code: 0 });
    },
  );

  test.skipIf(!hasRealPart('terminals'))(
    'typed at a prompt is neither shown nor in the history of the shell',
    async () => {
      const [history, rc] = [join(home, 'history'), join(home, 'bashrc')];
      writeFileSync(rc, "PS1='ready> '\n");
      const program = [process.execPath, ...wordsOf('cli', [])].join(' ');
      const env = { ...process.env, AXON_HOME: home, HISTFILE: history, HISTCONTROL: '' };
      const shell = spawn('script', ['-qec', `bash --rcfile ${rc} -i`, '/dev/null'], {
        cwd: ROOT,
        env,
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      endAfterTest(shell);
      let screen = '';
      shell.stdout.setEncoding('utf8').on('data', (text: string) => (screen += text));
      const shows = (text: string) =>
        until(`"${text}" on the screen`, WITHIN_MS, () =>
          screen.includes(text) ? true : undefined,
        );
      await shows('ready>');
      shell.stdin.write(`${program} approvals\n`);
      await shows('passphrase');
      shell.stdin.write(`${PASSPHRASE}\n`);
      await until('the end of the command', WITHIN_MS, () =>
        screen.split('ready>').length > 2 ? true : undefined,
      );
      const ended = once(shell, 'close');
      shell.stdin.write('exit\n');
      await ended;
      expect(screen).not.toContain(PASSPHRASE);
      expect(existsSync(history)).toBe(true);
      const kept = readFileSync(history, 'utf8');
      expect(kept).toContain('approvals');
      expect(kept).not.toContain(PASSPHRASE);
    },
  );
});
