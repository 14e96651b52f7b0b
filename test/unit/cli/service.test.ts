// `axon hub install` and `axon hub uninstall`: what they write, what they tell the system, and what
// they say of it. The unit is read by the real systemd-analyze where there is one, the launch agent
// by a real reader of property lists.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { installedLines } from '../../../main/cli/commands/service.ts';
import { homeIn, launchAgent, personUnit, systemUnit } from '../../../main/cli/service-files.ts';
import {
  installService,
  startedHome,
  thisComputer,
  uninstallService,
  type Computer,
} from '../../../main/cli/service.ts';
import { hasRealPart } from '../../support/real-parts.ts';

const NASTY = `/srv/Mum's 100% "$HOME" & <hub>`;
let folder: string;
let ran: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axon-service-'));
  writeFileSync(join(folder, 'headless.js'), '');
  ran = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A computer whose programs of the system answer what is given, else nothing. */
function computer(given: Partial<Computer> = {}, answers: Record<string, string> = {}): Computer {
  return {
    platform: 'linux',
    env: {},
    userId: 1000,
    homeFolder: join(folder, 'person'),
    root: folder,
    node: process.execPath,
    program: join(folder, 'headless.js'),
    run: (words) => {
      ran.push(words.join(' '));
      return { status: 0, text: answers[words.at(-2) ?? ''] ?? '' };
    },
    pause: () => undefined,
    ...given,
  };
}

const person = { home: '/data/hub', flags: ['--name', 'Attic'], isForAll: false };
const everybody = { home: '/var/lib/axon-hub', flags: [], isForAll: true };
const unitFile = () => join(folder, 'person/.config/systemd/user/axon-hub.service');

describe('one person’s hub', () => {
  test('is a unit of that person, started and enabled, with its data folder named', () => {
    const home = join(folder, 'hub');
    mkdirSync(home);
    writeFileSync(join(home, 'hub.json'), 'of the hub before');
    const pause = () => writeFileSync(join(home, 'hub.json'), 'of this one');
    const done = installService(
      { ...person, home },
      computer({ pause }, { 'is-active': 'active' }),
    );
    expect(done).toMatchObject({ file: unitFile(), started: true, said: null });
    expect(readFileSync(unitFile(), 'utf8')).toContain(
      `ExecStart=${process.execPath} ${join(folder, 'headless.js')} --no-browser --name Attic --home ${home}\n`,
    );
    expect(ran).toEqual([
      'systemctl --user daemon-reload',
      'systemctl --user enable axon-hub.service',
      'systemctl --user restart axon-hub.service',
      'systemctl --user is-active axon-hub.service',
      'systemctl --user is-active axon-hub.service',
    ]);
  });

  test('is not said to be started where it did not come up, as with a port that is taken', () => {
    const answers = { 'is-active': 'active' };
    let looks = 0;
    const ended = computer({ pause: () => void (looks += 1) }, answers);
    expect(installService(person, ended)).toMatchObject({
      started: false,
      said: 'it did not come up; its log says why',
    });
    expect(looks).toBe(100);
  });

  test('says how its pages are opened, also where a whole computer has it', () => {
    const mine = installedLines(installService(person, computer()), false, 'axon --home /data/hub');
    expect(mine).toContain('To open its pages: axon --home /data/hub login');
    const ours = installedLines(installService(everybody, computer({ userId: 0 })), true, 'axon');
    expect(ours).toContain(
      'To open its pages: sudo -u axon-hub axon --home /var/lib/axon-hub login',
    );
  });

  test.skipIf(process.platform === 'win32')(
    'says in one line what the system said in several',
    () => {
      const said = thisComputer().run(['sh', '-c', 'echo Removed.; echo No bus. >&2; exit 1']);
      expect(said).toEqual({ status: 1, text: 'Removed.; No bus.' });
    },
  );

  test('is not said to be started where the system did not say so', () => {
    expect(installService(person, computer()).started).toBe(false);
    const refuses = computer({ run: () => ({ status: 1, text: 'Failed to connect to bus' }) });
    expect(installService(person, refuses)).toMatchObject({
      started: false,
      said: 'Failed to connect to bus',
      startLine: 'systemctl --user enable --now axon-hub.service',
    });
  });

  test('is taken out again; a file that somebody else wrote is neither replaced nor removed', () => {
    expect(uninstallService(false, computer())).toBeNull();
    expect(ran).toEqual([]);
    installService(person, computer());
    ran = [];
    expect(uninstallService(false, computer())).toEqual({ file: unitFile(), said: null });
    expect(existsSync(unitFile())).toBe(false);
    expect(ran).toEqual([
      'systemctl --user disable --now axon-hub.service',
      'systemctl --user daemon-reload',
    ]);
    installService(person, computer());
    const noBus = computer({ run: () => ({ status: 1, text: 'Failed to connect to bus' }) });
    expect(uninstallService(false, noBus)?.said).toBe('Failed to connect to bus');
    writeFileSync(unitFile(), '[Service]\n');
    ran = [];
    expect(() => installService(person, computer())).toThrow(/did not make it/);
    expect(() => uninstallService(false, computer())).toThrow(/did not make it/);
    expect(readFileSync(unitFile(), 'utf8')).toBe('[Service]\n');
    expect(ran).toEqual([]);
  });

  test('is a launch agent on macOS, and nothing on Windows', () => {
    const mac = computer({ platform: 'darwin', userId: 501 });
    const { file } = installService(person, mac);
    expect(file).toBe(join(folder, 'person/Library/LaunchAgents/dev.axon.hub.plist'));
    expect(ran).toContain(`launchctl bootstrap gui/501 ${file}`);
    expect(uninstallService(false, mac)).toEqual({ file, said: null });
    expect(ran.at(-1)).toBe('launchctl bootout gui/501/dev.axon.hub');
    const windows = computer({ platform: 'win32', userId: null });
    expect(() => installService(person, windows)).toThrow(/cannot be made to start by itself/);
  });
});

describe('the data folder of the hub that the system starts', () => {
  const HOMES = [
    '/data/hub',
    NASTY,
    '/srv/100%/hub',
    '/srv/Jürgen/Hub (neu)',
    '/a --home b',
    '/a\\',
    '/"',
    '/a&amp;b',
    '/$$',
  ];
  const command = (home: string) => ({
    node: '/usr/bin/node',
    program: '/srv/headless.js',
    flags: ['--name', 'x --home /y', '--home', home],
  });

  test.each([
    ['unit', personUnit],
    ['unit of the whole computer', systemUnit],
    ['launch agent', launchAgent],
  ])('is read back from the %s as it was given', (_what, text) => {
    expect(HOMES.map((home) => homeIn(text(command(home))))).toEqual(HOMES);
  });

  test('is known while the file is there, and none is named where somebody else wrote it', () => {
    expect(startedHome(false, computer())).toBeNull();
    installService(person, computer());
    expect(startedHome(false, computer())).toBe('/data/hub');
    writeFileSync(unitFile(), '[Service]\nExecStart=/bin/x --home /data/hub\n');
    expect(() => startedHome(false, computer())).toThrow(/did not make it/);
  });
});

describe('the hub of a whole computer', () => {
  const root = (given: Partial<Computer> = {}) =>
    computer({ userId: 0, node: '/usr/bin/node', ...given });

  test('belongs to a user of its own, and is for root to make', () => {
    const { file } = installService(everybody, root());
    expect(file).toBe(join(folder, 'etc/systemd/system/axon-hub.service'));
    expect(readFileSync(file, 'utf8')).toMatch(/^User=axon-hub$/m);
    expect(ran[0]).toBe('id -u axon-hub');
    expect(uninstallService(true, root())).toEqual({ file, said: null });
    expect(() => installService(everybody, computer())).toThrow(/Only root/);
    expect(() => installService(everybody, root({ platform: 'darwin' }))).toThrow(/on Linux only/);
  });

  test('makes that user where there is none, and nothing where it cannot', () => {
    const run = (words: readonly string[]) => {
      ran.push(words.join(' '));
      return { status: words[0] === 'systemctl' ? 0 : 1, text: 'no such program' };
    };
    expect(() => installService(everybody, root({ run }))).toThrow(
      /cannot be made: no such program/,
    );
    expect(ran[1]).toMatch(/^useradd --system --home-dir \/var\/lib\/axon-hub /);
    expect(existsSync(join(folder, 'etc'))).toBe(false);
  });

  test('does not start from what is one person’s', () => {
    const own = root({ node: '/home/mum/.nvm/bin/node' });
    expect(() => installService(everybody, own)).toThrow(/one person's/);
  });
});

describe.skipIf(!hasRealPart('systemd-analyze'))('systemd', () => {
  const command = (flags: readonly string[]) => ({
    node: process.execPath,
    program: join(folder, 'headless.js'),
    flags,
  });
  const analyze = (...words: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', words, {
      encoding: 'utf8',
      env: { ...process.env, XDG_RUNTIME_DIR: folder },
    });
    return { status, said: `${stdout}${stderr}` };
  };
  const written = (text: string) => {
    const file = join(folder, 'units/axon-hub.service');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };

  test.each([
    ['--user', personUnit, 80],
    ['--system', systemUnit, 20],
  ] as const)(
    'finds nothing wrong with the unit of %s, nor more exposed than told',
    (whose, unit, most) => {
      const file = written(unit(command(['--no-browser', '--home', NASTY])));
      expect(analyze(whose, 'verify', '--man=no', file)).toEqual({ status: 0, said: '' });
      const { status, said } = analyze(
        whose,
        'security',
        '--offline=yes',
        `--threshold=${most}`,
        '--no-pager',
        file,
      );
      expect(said).toMatch(/Overall exposure level/);
      expect(status, said).toBe(0);
    },
  );

  test('reads every word of the start as it was given', () => {
    const file = written(systemUnit(command(['--home', NASTY])));
    const line = /^ExecStart=.* --home (.*)$/m.exec(readFileSync(file, 'utf8'))?.[1];
    expect(line).toBe(`"/srv/Mum's 100%% \\"$$HOME\\" & <hub>"`);
  });
});

test.skipIf(!hasRealPart('python'))(
  'a launch agent is a property list that starts what it was given',
  () => {
    const file = join(folder, 'dev.axon.hub.plist');
    writeFileSync(
      file,
      launchAgent({ node: '/opt/node', program: '/a&b/headless.js', flags: ['--home', NASTY] }),
    );
    const { stdout } = spawnSync(
      'python3',
      [
        '-c',
        'import json,plistlib,sys; print(json.dumps(plistlib.load(open(sys.argv[1],"rb"))))',
        file,
      ],
      { encoding: 'utf8' },
    );
    expect(JSON.parse(stdout)).toEqual({
      Label: 'dev.axon.hub',
      ProgramArguments: ['/opt/node', '/a&b/headless.js', '--home', NASTY],
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ThrottleInterval: 10,
      Umask: 0o077,
      HardResourceLimits: { Core: 0 },
    });
  },
);
