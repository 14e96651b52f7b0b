// How a person starts this very program at a terminal: every line that is shown to be typed or
// pasted begins with what stands here, with the data folder where it is not the usual one. Looks at
// paths only, starts nothing.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { dataFolder } from '../lib/data-folder.ts';

/** The file that package.json names as the command. */
const PROGRAM = 'main/entry/axon.cjs';
/** The built hub without a window, as a system starts it. */
const HUB_PROGRAM = 'out/main/headless.js';
/** Needs no quotes in any shell. */
const PLAIN_WORD = /^[\w./:@%+,=-]+$/;
const PLAIN_WINDOWS_WORD = /^[\w./:@+,=\\-]+$/;
/**
 * cmd or PowerShell gives these a meaning inside double quotes as well, and no other quotes hold in
 * both.
 */
const UNQUOTABLE_ON_WINDOWS = /["$`%!\u201c-\u201f]/;
/** On the PATH of what npm and npx start. */
const NPM_FOLDER = /\/node_modules\/\.bin\/?$/;
/** Stands for a data folder that cannot be named safely: a person types it. */
const HOME_TO_TYPE = 'DATA_FOLDER';

/** What the answer depends on; the present process unless a test says otherwise. */
export interface Surroundings {
  /** Where this code lies. */
  readonly codeFolder: string;
  /** Where the terminal stands. */
  readonly workingFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/**
 * For the terminal this process runs at: the shortest form that works in its folder. A data folder
 * that no quotes hold stands as DATA_FOLDER.
 * @param home the data folder, absolute
 */
export function invocation(home: string, here: Surroundings = surroundings()): string {
  const root = packageFolder(here.codeFolder);
  const isHere =
    root !== null && real(here.workingFolder) === root && existsSync(join(root, PROGRAM));
  const program = isHere ? 'npx axon' : programAnywhere(root, here);
  return `${program ?? 'axon'}${homeWords(home, here) ?? ` --home ${HOME_TO_TYPE}`}`;
}

/**
 * For a terminal in any folder; null where the program came without a command, as in the packaged
 * desktop app, or no quotes hold a path.
 */
export function invocationAnywhere(
  home: string,
  here: Surroundings = surroundings(),
): string | null {
  const program = programAnywhere(packageFolder(here.codeFolder), here);
  const words = homeWords(home, here);
  return program === null || words === null ? null : `${program}${words}`;
}

/** The file of the command, for a program that starts it without a shell; null as above. */
export function programFile(here: Surroundings = surroundings()): string | null {
  const root = packageFolder(here.codeFolder);
  return root === null ? null : join(root, PROGRAM);
}

/** The file of the hub without a window; null as above. */
export function hubProgramFile(here: Surroundings = surroundings()): string | null {
  const root = packageFolder(here.codeFolder);
  return root === null ? null : join(root, HUB_PROGRAM);
}

/**
 * How a line with curl begins that asks the hub there, up to the path.
 * @param socket the path of its socket; null: it has none
 */
export function curlWords(port: number, socket: string | null): string {
  const word = socket === null ? null : shellWord(socket, process.platform);
  return word === null
    ? `curl -sS --noproxy '*' http://127.0.0.1:${port}`
    : `curl -sS --unix-socket ${word} http://localhost`;
}

/** The option as it was typed; none where no quotes hold the path. */
export function passphraseWords(file: string | undefined): string {
  const word = file === undefined ? null : shellWord(file, process.platform);
  return word === null ? '' : ` --passphrase-file ${word}`;
}

/**
 * Hints name commands as "axon ..." in double quotes: the same text with the words that work here.
 */
export function withInvocation(text: string, command: string): string {
  return text.replaceAll('"axon ', () => `"${command} `);
}

function surroundings(): Surroundings {
  return {
    codeFolder: import.meta.dirname,
    workingFolder: process.cwd(),
    env: process.env,
    platform: process.platform,
  };
}

/**
 * Outside its folder `npx axon` would ask the package registry for a stranger's program of that
 * name, so the file is named instead.
 */
function programAnywhere(root: string | null, here: Surroundings): string | null {
  if (root === null) return null;
  const program = join(root, PROGRAM);
  if (isCalledAxon(program, here)) return 'axon';
  const word = existsSync(program) ? shellWord(program, here.platform) : null;
  return word === null ? null : `node ${word}`;
}

/**
 * True where the command `axon` of this PATH is this very file, as after `npm install -g`. npm and
 * npx put folders of their own before it, which the shell of a person does not have.
 */
function isCalledAxon(program: string, { env, platform }: Surroundings): boolean {
  if (platform === 'win32') return false;
  const first = (env['PATH'] ?? '')
    .split(':')
    .filter((folder) => folder.startsWith('/') && !NPM_FOLDER.test(folder))
    .map((folder) => join(folder, 'axon'))
    .find((file) => existsSync(file));
  return first !== undefined && real(first) === program;
}

function homeWords(home: string, { env, platform }: Surroundings): string | null {
  if (home === dataFolder(undefined, { ...env, AXON_HOME: undefined })) return '';
  const word = shellWord(home, platform);
  return word === null ? null : ` --home ${word}`;
}

/**
 * The word in quotes where it needs them; null when none keep the shells of the system from
 * expanding it.
 */
export function shellWord(word: string, platform: NodeJS.Platform): string | null {
  if (platform !== 'win32')
    return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
  if (PLAIN_WINDOWS_WORD.test(word)) return word;
  return UNQUOTABLE_ON_WINDOWS.test(word) ? null : `"${word}"`;
}

/**
 * The folder of the package this code belongs to; null inside an archive, which no shell can enter.
 */
function packageFolder(codeFolder: string): string | null {
  if (codeFolder.split(sep).some((name) => name.endsWith('.asar'))) return null;
  for (let folder = codeFolder; ; folder = dirname(folder)) {
    if (packageName(join(folder, 'package.json')) === 'axon-hub') return real(folder);
    if (dirname(folder) === folder) return null;
  }
}

function packageName(path: string): unknown {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof manifest === 'object' && manifest !== null && 'name' in manifest
      ? manifest.name
      : null;
  } catch {
    return null;
  }
}

function real(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
