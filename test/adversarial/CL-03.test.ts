// CL-03: what a secret leaves behind when it is used at a terminal: nothing on any command line of the computer, nothing in the history of the
// shell, and no way to give one as an argument.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasTerminals } from '../support/person.ts';
import { Program, axon, endAfterTest, endPrograms, startHeadless } from '../support/programs.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const PASSPHRASE = 'correct horse battery staple of the tests';
const WITHIN_MS = 30_000;
let home: string;
let token: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'axon-secrets-'));
  await startHeadless(home);
  writeFileSync(join(home, 'passphrase'), `${PASSPHRASE}\n`, { mode: 0o600 });
  expect(await axon(home, ['--passphrase-file', join(home, 'passphrase'), 'agents', 'add', 'bot'])).toMatchObject({ code: 0 });
  token = readFileSync(join(home, 'tokens/bot.token'), 'utf8').trim();
}, 60_000);
afterAll(async () => {
  await endPrograms();
  rmSync(home, { recursive: true, force: true });
});

/** The command line of every process of this computer that may be read. */
function commandLines(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8')];
      } catch {
        return [];
      }
    });
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

  test.runIf(process.platform === 'linux')('stands on no command line of the computer while programs use it', async () => {
    const listening = Program.start('cli', ['listen', '--as', 'bot', '--', 'true'], { AXON_HOME: home });
    const asking = axon(home, ['--passphrase-file', join(home, 'passphrase'), 'approvals']);
    await until('the agent to listen', WITHIN_MS, () => (listening.error.includes('Listening') ? true : undefined));
    const seen = commandLines();
    expect(seen.some((line) => line.includes('listen'))).toBe(true);
    expect(seen.filter((line) => line.includes(token.slice(-43)) || line.includes(PASSPHRASE))).toEqual([]);
    expect(await asking).toMatchObject({ code: 0 });
    listening.kill('SIGINT');
    expect(await listening.ended()).toMatchObject({ code: 0 });
  });

  test.runIf(hasTerminals)('typed at a prompt is neither shown nor in the history of the shell', async () => {
    const [history, rc] = [join(home, 'history'), join(home, 'bashrc')];
    writeFileSync(rc, "PS1='ready> '\n");
    const program = `${process.execPath} --import ${new URL('../support/raw-imports.mjs', import.meta.url).href} ${join(ROOT, 'main/entry/cli.ts')}`;
    const env = { ...process.env, AXON_HOME: home, HISTFILE: history, HISTCONTROL: '' };
    const shell = spawn('script', ['-qec', `bash --rcfile ${rc} -i`, '/dev/null'], {
      cwd: ROOT,
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    endAfterTest(shell);
    let screen = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => (screen += text));
    const shows = (text: string) => until(`"${text}" on the screen`, WITHIN_MS, () => (screen.includes(text) ? true : undefined));
    await shows('ready>');
    shell.stdin.write(`${program} approvals\n`);
    await shows('passphrase');
    shell.stdin.write(`${PASSPHRASE}\n`);
    await until('the end of the command', WITHIN_MS, () => (screen.split('ready>').length > 2 ? true : undefined));
    const ended = once(shell, 'close');
    shell.stdin.write('exit\n');
    await ended;
    expect(screen).not.toContain(PASSPHRASE);
    expect(existsSync(history)).toBe(true);
    const kept = readFileSync(history, 'utf8');
    expect(kept).toContain('approvals');
    expect(kept).not.toContain(PASSPHRASE);
  });
});
