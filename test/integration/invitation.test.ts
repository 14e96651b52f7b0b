// An invitation at the terminals of two real hubs: made on one, brought to the other in a file or
// pasted at a prompt, and never on a command line, where every program of the computer could read
// it.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeText } from '../../main/lib/decode-text.ts';
import { Person } from '../support/person.ts';
import { hasRealPart } from '../support/real-parts.ts';
import {
  Program,
  axon,
  choosePassphrase,
  endPrograms,
  startHeadless,
} from '../support/programs.ts';
import { until } from '../support/until.ts';

const WITHIN_MS = 30_000;
const homes: string[] = [];
let mum: string;
let dad: string;
/** Hubs that are paired with nobody until a test pairs them. */
let ben: string;
let gran: string;

const passphraseOf = (home: string): string => join(home, 'passphrase');
const owner = (home: string, ...parameters: readonly string[]) =>
  axon(home, ['--passphrase-file', passphraseOf(home), ...parameters]);

async function hub(name: string): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'axon-invitation-'));
  homes.push(home);
  await startHeadless(home, ['--name', name]);
  await choosePassphrase(home);
  expect(await owner(home, 'agents', 'add', 'asker')).toMatchObject({ code: 0 });
  return home;
}

beforeAll(async () => {
  [mum, dad, ben, gran] = [await hub('Mum'), await hub('Dad'), await hub('Ben'), await hub('Gran')];
}, 60_000);
afterAll(async () => {
  await endPrograms();
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

test('"axon invite" and "axon join" pair two hubs without a digit, and the link is worth nothing afterwards', async () => {
  const made = await owner(mum, 'invite', '--json');
  const { link, invitation } = JSON.parse(made.out) as { link: string; invitation: { id: string } };
  expect(link).toMatch(/^axon:\/\/pair\?v=1&k=[\w-]{43}(&a=[\d.]+:\d+){1,3}&s=[\w-]{22}&n=Mum$/);
  const listed = await owner(mum, 'invite', 'list');
  expect(listed.out).toContain(invitation.id);
  expect(listed.out).not.toContain(link);
  const file = join(dad, 'link');
  // As a Windows program writes it.
  const text = encodeText(`${link} \r\n`, { encoding: 'utf-16le', hasMark: true });
  writeFileSync(file, text, { mode: 0o600 });
  expect(await owner(dad, 'join', '--link-file', file, '--name', 'Her hub')).toMatchObject({
    code: 0,
    out: expect.stringContaining('Paired with Her hub.'),
  });
  await until('both to be online', WITHIN_MS, async () => {
    const outs = await Promise.all(
      [mum, dad].map(async (home) => (await axon(home, ['peers'])).out),
    );
    return outs.every((out) => out.includes('online')) ? true : undefined;
  });
  expect((await axon(dad, ['peers', 'show', 'Her hub'])).out).toContain(
    'by the other hub’s invitation, which you used on the command line.',
  );
  const { items } = JSON.parse((await axon(mum, ['peers', '--json'])).out) as {
    readonly items: readonly unknown[];
  };
  expect(items).toMatchObject([
    { introduced_by: { way: 'invitation_made_here', surface: 'command_line' } },
  ]);
  expect(await owner(mum, 'invite', 'list')).toMatchObject({
    code: 0,
    out: 'No invitation is out.\n',
  });
  const again = await owner(dad, 'join', '--link-file', file);
  expect(again).toMatchObject({
    code: 3,
    error: expect.stringContaining('Her hub is paired already.'),
  });
  const another = await owner(ben, 'join', '--link-file', file);
  expect(another).toMatchObject({
    code: 3,
    error: expect.stringContaining('no longer works there'),
  });
  // Its secret is in no file of the hub that made it, and in no log.
  const secret = /s=([\w-]{22})/.exec(link)?.[1] ?? 'no secret';
  const kept = readdirSync(mum, { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(kept.length).toBeGreaterThan(2);
  const bytes = Buffer.from(secret, 'base64url');
  expect(bytes).toHaveLength(16);
  // As it travels, as bytes, and as other programs write bytes; base64 without its padding, which
  // may be left out.
  const forms = [
    secret,
    bytes,
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    bytes.toString('base64').replace(/=+$/, ''),
  ];
  const holds = (file: Buffer): boolean => forms.some((form) => file.includes(form));
  expect(
    kept.filter(({ parentPath, name }) => holds(readFileSync(join(parentPath, name)))),
  ).toEqual([]);
});

test('an invitation that was taken back is refused, with words that say what to do', async () => {
  const { link, invitation } = JSON.parse((await owner(mum, 'invite', '--json')).out) as {
    link: string;
    invitation: { id: string };
  };
  expect(await owner(mum, 'invite', 'revoke', invitation.id)).toMatchObject({ code: 0 });
  const file = join(ben, 'revoked');
  writeFileSync(file, link, { mode: 0o600 });
  const refused = await owner(ben, 'join', '--link-file', file);
  expect(refused).toMatchObject({ code: 3, error: expect.stringContaining('Ask for a new one') });
});

test('the link is printed for a person at a terminal, or for a script that asked for it as JSON, and is made for nobody else', async () => {
  const { items: before } = JSON.parse((await owner(mum, 'invite', 'list', '--json')).out) as {
    items: readonly unknown[];
  };
  const piped = await owner(mum, 'invite', '--qr');
  expect(piped).toMatchObject({
    code: 2,
    out: '',
    error: expect.stringContaining('printed at a terminal only'),
  });
  expect(piped.error).toContain('--json');
  expect(JSON.parse((await owner(mum, 'invite', 'list', '--json')).out)).toMatchObject({
    items: before,
  });
});

test.skipIf(!hasRealPart('terminals'))(
  'the picture of a link is drawn at a terminal, where it is asked for',
  async () => {
    const screenOf = async (...parameters: readonly string[]): Promise<string> => {
      const person = Person.start('cli', mum, [
        '--passphrase-file',
        passphraseOf(mum),
        'invite',
        ...parameters,
      ]);
      expect(await person.ended()).toBe(0);
      return person.screen;
    };
    expect(await screenOf('--qr')).toMatch(/[\u2580\u2584\u2588]{8}/);
    const plain = await screenOf();
    expect(plain).toContain('axon://pair?');
    expect(plain).not.toMatch(/[\u2580\u2584\u2588]/);
  },
);

test('CL-03: an invitation as an argument is refused without being repeated, and none stands on a command line while it is used', async () => {
  const { link } = JSON.parse((await owner(mum, 'invite', '--json')).out) as { link: string };
  for (const parameters of [
    ['join', link],
    ['peers', 'add', link],
    ['pair', 'start', link],
    [link],
  ]) {
    const refused = await owner(ben, ...parameters);
    expect(refused).toMatchObject({
      code: 2,
      error: expect.stringContaining('every program on this computer can read its secret'),
    });
    expect(refused.out + refused.error).not.toContain(link);
  }
  expect(await owner(ben, 'join')).toMatchObject({
    code: 2,
    error: expect.stringContaining('--link-file'),
  });
  const file = join(ben, 'used');
  writeFileSync(file, link, { mode: 0o600 });
  const joining = Program.start(
    'cli',
    ['--passphrase-file', passphraseOf(ben), 'join', '--link-file', file],
    { AXON_HOME: ben },
  );
  if (process.platform === 'linux')
    expect(readFileSync(`/proc/${joining.pid}/cmdline`, 'utf8')).not.toContain('s=');
  expect(await joining.ended()).toMatchObject({ code: 0 });
});

test.skipIf(!hasRealPart('terminals'))('at a terminal it is pasted unseen', async () => {
  const { link } = JSON.parse((await owner(mum, 'invite', '--json')).out) as { link: string };
  const person = Person.start('cli', gran, ['--passphrase-file', passphraseOf(gran), 'join']);
  await until('the question', WITHIN_MS, () =>
    person.screen.includes('Paste the invitation') ? true : undefined,
  );
  person.type(`${link}\r`);
  expect(await person.ended()).toBe(0);
  expect(person.screen).toContain('Paired with');
  expect(person.screen).not.toContain(link);
});

test('brought by a hub that was removed waits for a person, who is told so and types that it is meant', async () => {
  const linkOf = async () =>
    (JSON.parse((await owner(gran, 'invite', '--json')).out) as { link: string }).link;
  const file = join(ben, 'link-again');
  writeFileSync(file, await linkOf(), { mode: 0o600 });
  expect(await owner(ben, 'join', '--link-file', file, '--name', 'Grannie')).toMatchObject({
    code: 0,
  });
  expect(await owner(gran, 'peers', 'remove', 'Ben', '--yes')).toMatchObject({ code: 0 });
  await until('ben to know', WITHIN_MS, async () => {
    const { items } = JSON.parse((await axon(ben, ['peers', '--json'])).out) as {
      readonly items: readonly { readonly not_trusted_there: boolean }[];
    };
    return items.some((item) => item.not_trusted_there) ? true : undefined;
  });
  writeFileSync(file, await linkOf(), { mode: 0o600 });
  const joined = owner(ben, 'join', '--link-file', file, '--name', 'Gran again');
  const waits = until('it to wait at gran’s', WITHIN_MS, async () => {
    const { out } = await owner(gran, 'pair', 'list');
    return out.includes('offered') ? out : undefined;
  });
  const ends = joined.then(({ out, error }) => {
    throw new Error(`it ended before a person opened: ${out}${error}`);
  });
  const waiting = await Promise.race([waits, ends]);
  expect(waiting).toMatch(/Ben was removed here on .+\. It comes back as a new hub/);
  const unread = await owner(gran, 'pair', 'open');
  expect(unread).toMatchObject({ code: 3, error: expect.stringContaining('--again') });
  expect(unread.error).toContain('Ben was removed here on');
  expect((await axon(gran, ['peers'])).out).not.toContain('Ben');
  expect(await owner(gran, 'pair', 'open', '--again')).toMatchObject({ code: 0 });
  expect(await joined).toMatchObject({ code: 0 });
  expect((await axon(gran, ['peers'])).out).toContain('Ben');
}, 120_000);
