// Holds by machine what can be held by machine: words, the shape of the house and the packages it
// stands on.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FLAGS } from '../../../preload/contract/settings.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((file) => statSync(join(ROOT, file), { throwIfNoEntry: false })?.isFile());
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const isSource = (file: string): boolean =>
  /^(main|preload|renderer)\/.*\.(ts|svelte|css)$/.test(file);
/** The comments of a source file, each on one line, so that no phrase hides at the end of a line. */
const commentsOf = (source: string): string =>
  source
    .replaceAll(/\s*\n\s*(?:\/\/|\*(?!\/))\s?/g, ' ')
    .match(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*|<!--[\s\S]*?-->/gm)
    ?.map((comment) => comment.replaceAll(/\s+/g, ' '))
    .join('\n') ?? '';
const CONTRIBUTING = 'resources/docs/contributing.md';
const OPERATING = 'resources/docs/operating.md';
const thisFile = 'test/unit/repository/house.test.ts';

/** Code is set at 140; a comment that passes this was never wrapped. */
const COMMENT_COLUMNS_MAX = 100;
/** Phrases that no reader should meet, each with the word that stands instead. */
const PHRASES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\blets? (it |them )?in(?! again| for)\b/i, 'allow'],
  [/\bturn(s|ed)? away\b/i, 'decline'],
  [/\bcall(s|ed|ing)? (it |one )?off\b/i, 'cancel'],
  [/\btak(es?|en|ing) (it |one |that )?back\b/i, 'cancel, undo or revoke'],
  [/\bhand(s|ed|ing)? out\b/i, 'deliver'],
  [/\bputs? back\b/i, 'restore'],
  [/\bopen lines?\b/i, 'open stream'],
  [/\bput(s)? away\b/i, 'dismiss or acknowledge'],
  [/\bis at it\b/i, 'is working on it'],
  [/\bstands? by\b|\bowed\b/i, 'a plain word'],
  [
    /\b(peer|hub) established\b|\bshelf\b|\bquery desk\b|\bhandover\b/i,
    'the word in contributing.md',
  ],
];
/** Names that the code had for what the field has a word for. */
const IDENTIFIERS: readonly (readonly [name: RegExp, instead: string])[] = [
  [/\bcall(ed)?Off|CALLED_OFF|CalledOff/, 'cancel'],
  [/[gG]reeted\b|\bgreeter/, 'established, hello handshake'],
  [/\bhandOut|\bhandover\b/, 'deliver, lease, approved payload'],
  [/\btakeBack|\bturnAway|\bletIn\b/, 'cancel or revoke, refuse, allow'],
  [
    /\b[aA]rmedBy\b|\bArming\b|PlaceWatch|StillRows?\b/,
    'activation delay, layout-shift guard, stable list',
  ],
  [/\bSlips?\b|\bSeals?\b|SEALS?\b/, 'quoted text, risk badge'],
  [/\bownCommand|\bbyHand\b|\btoPage\b/, 'invocation, manual, render'],
  [
    /\bisStranger\b|\bcomposeWork\b|\bonceOnly\b|\bputBack\b|\bmayBeDone\b/,
    'unpaired, task services, replay guard, restored',
  ],
  [
    /\bTold(State|Word|Task)\b|\bdoubtAll\b|AuditFlaw|HouseLayout|handingOut|LetsIn[A-Z]/,
    'reported state, check alive, mismatch, diagram, deliver, allow',
  ],
];
const TOP_LEVEL = new Set([
  'package.json',
  'package-lock.json',
  'electron-builder.yml',
  'electron.vite.config.ts',
  'tsconfig.json',
  'main',
  'renderer',
  'preload',
  'resources',
  'test',
  'README.md',
  'LICENSE',
  'SECURITY.md',
  'CONTRIBUTING.md',
]);

describe('the house', () => {
  test('no comment runs past its margin', () => {
    const wide = files.filter(isSource).flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line, index) =>
          line.length > COMMENT_COLUMNS_MAX && /^\s*(\/\/|\*|\/\*)/.test(line)
            ? [`${file}:${index + 1}`]
            : [],
        ),
    );
    expect(wide).toEqual([]);
  });

  test('no phrase of our own stands where the field has a word', () => {
    const shown = files.filter((file) =>
      /^(preload\/contract\/strings\/|main\/cli\/|README\.md$|resources\/docs\/)/.test(file),
    );
    const texts = [
      ...shown.map((file) => [file, read(file)] as const),
      ...files.filter(isSource).map((file) => [file, commentsOf(read(file))] as const),
    ];
    const found = texts.flatMap(([file, text]) =>
      PHRASES.flatMap(([phrase, instead]) =>
        phrase.test(text) ? [`${file}: ${phrase.source} -> ${instead}`] : [],
      ),
    );
    expect(found).toEqual([]);
  });

  test('no name of our own stands in the code where the field has a word', () => {
    const code = files.filter((file) => /^(main|preload|renderer)\/.*\.(ts|svelte)$/.test(file));
    const found = code.flatMap((file) =>
      IDENTIFIERS.flatMap(([name, instead]) =>
        name.test(read(file)) ? [`${file}: ${name.source} -> ${instead}`] : [],
      ),
    );
    expect(found).toEqual([]);
  });

  test('no bound or pattern that the contract or the wire has is written a second time in the command line or the pages', () => {
    const exported = files
      .filter(
        (file) => /^preload\/contract\/.*\.ts$/.test(file) || file === 'main/protocol/limits.ts',
      )
      .flatMap((file) => [
        ...read(file).matchAll(/^export (?:const ([A-Z][A-Z0-9_]+)|\{ ([A-Z0-9_, ]+) \})/gm),
      ])
      .flatMap(([, name, names]) => [name ?? '', ...(names ?? '').split(', ')]);
    const known = new Set(exported);
    const again = files
      .filter((file) => /^(main\/cli|renderer)\/.*\.(ts|svelte)$/.test(file))
      .flatMap((file) =>
        [...read(file).matchAll(/^\s*(?:export )?const ([A-Z][A-Z0-9_]+)/gm)].map(([, name]) => [
          file,
          name ?? '',
        ]),
      );
    expect(known.size).toBeGreaterThan(50);
    expect(again.filter(([, name]) => name !== undefined && known.has(name))).toEqual([]);
  });

  test('every TypeScript file of the product opens by saying what it owns', () => {
    const silent = files.filter(
      (file) =>
        /^(main|preload|renderer)\/.*\.ts$/.test(file) && !/^(\/\/|\/\*|#!)/.test(read(file)),
    );
    expect(silent).toEqual([]);
  });

  test('the top level holds only what belongs there', () => {
    const top = new Set(files.map((file) => file.split('/')[0] ?? ''));
    expect([...top].filter((name) => !TOP_LEVEL.has(name) && !name.startsWith('.'))).toEqual([]);
  });

  test('no drawer is called utils, helpers or manager', () => {
    expect(
      files.filter((file) => /(^|[/-])(utils?|helpers?|manager|misc|common)([./-]|$)/i.test(file)),
    ).toEqual([]);
  });

  test('the map of the house is the folders on disk', () => {
    const map = /```text house\n([\s\S]*?)```/.exec(read(CONTRIBUTING))?.[1] ?? '';
    const named = [...map.matchAll(/^(\S+)\/\s/gm)].map((match) => match[1]);
    const onDisk = ['main', 'preload', 'renderer'].flatMap((room) =>
      readdirSync(join(ROOT, room), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => `${room}/${entry.name}`),
    );
    expect(
      named.filter((name) => /^(main|preload|renderer)\//.test(name ?? '')).toSorted(),
    ).toEqual(onDisk.toSorted());
  });

  test('the map of the rooms is the folders of main/services, in the order of the import gate', () => {
    const map = /```text rooms\n([\s\S]*?)```/.exec(read(CONTRIBUTING))?.[1] ?? '';
    const named = [...map.matchAll(/^(\S+)\/\s/gm)].map((match) => match[1] ?? '');
    const onDisk = readdirSync(join(ROOT, 'main/services'), { withFileTypes: true });
    expect(onDisk.filter((entry) => !entry.isDirectory())).toEqual([]);
    expect(named.toSorted()).toEqual(onDisk.map(({ name }) => name).toSorted());
    const gate = /const ROOMS = (\[[\s\S]*?\n\]);/.exec(read('.dependency-cruiser.cjs'))?.[1] ?? '';
    expect([...gate.matchAll(/'([a-z-]+)'/g)].map((match) => match[1])).toEqual(named);
  });

  test('no command imports the program that runs it', () => {
    const commands = files.filter((file) => file.startsWith('main/cli/commands/'));
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((file) => /from '\.\.\/program\.ts'/.test(read(file)))).toEqual([]);
  });

  test('the page about operating a hub names every setting', () => {
    const names = FLAGS.map(({ name }) => name);
    expect(names).toContain('log-level');
    expect(names.filter((name) => !read(OPERATING).includes(`\`--${name}`))).toEqual([]);
  });

  test('nothing is left unfinished or muted', () => {
    const marks =
      /\b(TODO|FIXME|XXX|HACK)\b|eslint-disable|oxlint-disable|@ts-ignore|@ts-nocheck|\b(it|test|describe)\.(only|todo)\b/;
    expect(
      files.filter(
        (file) =>
          /\.(ts|svelte|mjs|cjs)$/.test(file) && file !== thisFile && marks.test(read(file)),
      ),
    ).toEqual([]);
  });

  test('E10: peer text is never rendered as markup', () => {
    expect(
      files.filter(
        (file) =>
          isSource(file) &&
          /\{@html|\.innerHTML\b|insertAdjacentHTML|document\.write/.test(read(file)),
      ),
    ).toEqual([]);
  });

  test('no file names a home folder that is none of the household’s in the examples, or the host that a package came from', () => {
    const foreign = /[/\\](?:home|Users)[/\\](?!(?:mum|dad|leo)\b)[a-z]|"resolved": "[a-z+]+:/i;
    expect(
      files.filter(
        (file) =>
          /\.(ts|svelte|md|json|yml|cjs|mjs|sh)$/.test(file) &&
          file !== thisFile &&
          foreign.test(read(file)),
      ),
    ).toEqual([]);
  });
});

describe('the packages', () => {
  const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
  const lock = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { version?: string; hasInstallScript?: boolean }>;
  };

  test('every version is pinned exactly', () => {
    const ranges = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
      Object.entries(manifest[kind] ?? {}).filter(
        ([, version]) => !/^(npm:@napi-rs\/keyring@)?\d+\.\d+\.\d+$/.test(version),
      ),
    );
    expect(ranges).toEqual([]);
  });

  test('the packages the product is built on are used by its code', () => {
    const source = files
      .filter(isSource)
      .map((file) => read(file))
      .join('\n');
    const named = [
      'electron',
      '@matrixai/quic',
      '@noble/ed25519',
      'keytar',
      'bonjour-service',
      'svelte',
      'better-sqlite3',
    ];
    expect(
      named.filter((name) => !new RegExp(`['"]${name.replace('/', '\\/')}['"/-]`).test(source)),
    ).toEqual([]);
  });

  test('E27: only the listed packages may run install scripts', () => {
    const allowed = Object.entries(manifest['allowScripts'] ?? {}).filter(
      ([, leave]) => String(leave) === 'true',
    );
    expect(allowed.map(([name]) => name)).toEqual(['node']);
    const decided = new Set(Object.keys(manifest['allowScripts'] ?? {}));
    const withScripts = Object.entries(lock.packages).filter(
      ([, entry]) => entry.hasInstallScript === true,
    );
    const undecided = withScripts
      .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 13))
      .filter((name) => !decided.has(name));
    expect(undecided.filter((name) => name !== 'fsevents')).toEqual([]);
  });

  test('the lock file names the QUIC binary of every supported system, so that npm ci works on each', () => {
    // npm leaves out what it cannot see on the registry it asked; an installation elsewhere would
    // then refuse to start.
    const version = lock.packages['node_modules/@matrixai/quic']?.version;
    const systems = ['linux-x64', 'darwin-arm64', 'darwin-x64', 'darwin-universal', 'win32-x64'];
    expect(
      systems.map((system) => lock.packages[`node_modules/@matrixai/quic-${system}`]?.version),
    ).toEqual(systems.map(() => version));
  });

  test('Electron is a supported major (E1)', () => {
    expect(
      Number(lock.packages['node_modules/electron']?.version?.split('.')[0]),
    ).toBeGreaterThanOrEqual(43);
  });
});
