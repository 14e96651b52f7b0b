// The words that start this program, in the places where it can lie.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dataFolder } from '../../../main/lib/data-folder.ts';
import {
  curlWords,
  invocation,
  invocationAnywhere,
  withInvocation,
} from '../../../main/cli/invocation.ts';
import type { Surroundings } from '../../../main/cli/invocation.ts';

const USUAL = dataFolder(undefined, {});
let folder: string;
let root: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'axon-place-')));
  root = checkout(join(folder, 'axon-hub'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function checkout(place: string): string {
  mkdirSync(join(place, 'main/entry'), { recursive: true });
  mkdirSync(join(place, 'out/main'), { recursive: true });
  writeFileSync(join(place, 'main/entry/axon.cjs'), '');
  writeFileSync(join(place, 'package.json'), '{"name":"axon-hub"}');
  return place;
}

function here(given: Partial<Surroundings> = {}): Surroundings {
  return {
    codeFolder: join(root, 'out/main'),
    workingFolder: root,
    env: { PATH: '/usr/bin' },
    platform: 'linux',
    ...given,
  };
}

describe('the command', () => {
  test('is npx in the folder of a checkout', () => {
    expect(invocation(USUAL, here())).toBe('npx axon');
  });

  test('names the file in every other folder: npx would ask there for a stranger of that name', () => {
    const named = `node ${join(root, 'main/entry/axon.cjs')}`;
    expect(invocation(USUAL, here({ workingFolder: folder }))).toBe(named);
    expect(invocationAnywhere(USUAL, here())).toBe(named);
  });

  test('names the data folder where it is not the usual one, in quotes where a shell would split it', () => {
    expect(invocation('/data/hub', here())).toBe('npx axon --home /data/hub');
    expect(invocation("/data/Mum's hub", here())).toBe(`npx axon --home '/data/Mum'\\''s hub'`);
    expect(invocation('C:\\My hubs\\mum', here({ platform: 'win32' }))).toBe(
      'npx axon --home "C:\\My hubs\\mum"',
    );
    expect(invocationAnywhere('/data/hub', here())).toMatch(/ --home \/data\/hub$/);
  });

  test.each(['C:\\$(calc)', 'C:\\%X%\\hub', 'C:\\a`b', 'C:\\a!X!', 'C:\\a\u201d; calc'])(
    'never shows %s to be pasted on Windows, where double quotes would not hold it',
    (home) => {
      expect(invocation(home, here({ platform: 'win32' }))).toBe('npx axon --home DATA_FOLDER');
      expect(invocationAnywhere(home, here({ platform: 'win32' }))).toBeNull();
    },
  );

  test('does not name a program on Windows whose path double quotes would not hold', () => {
    const code = checkout(join(folder, '$(calc)'));
    expect(invocationAnywhere(USUAL, here({ codeFolder: code, platform: 'win32' }))).toBeNull();
    expect(invocation(USUAL, here({ codeFolder: code, platform: 'win32' }))).toBe('axon');
  });

  test('is not taken for installed by the folders that npm and npx put on its PATH', () => {
    const bin = join(folder, '_npx/1/node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    symlinkSync(join(root, 'main/entry/axon.cjs'), join(bin, 'axon'));
    const named = `node ${join(root, 'main/entry/axon.cjs')}`;
    expect(invocationAnywhere(USUAL, here({ env: { PATH: `${bin}:/usr/bin` } }))).toBe(named);
  });

  test('does not take AXON_HOME for granted: another terminal may not have it', () => {
    expect(invocation('/data/hub', here({ env: { PATH: '', AXON_HOME: '/data/hub' } }))).toBe(
      'npx axon --home /data/hub',
    );
  });

  test('quotes the path of the program', () => {
    const spaced = checkout(join(folder, 'my hub'));
    expect(invocationAnywhere(USUAL, here({ codeFolder: spaced }))).toBe(
      `node '${spaced}/main/entry/axon.cjs'`,
    );
  });

  test('does not exist inside the packaged desktop app', () => {
    const packed = join(folder, 'resources/app.asar/out/main');
    mkdirSync(packed, { recursive: true });
    writeFileSync(join(folder, 'resources/app.asar/package.json'), '{"name":"axon-hub"}');
    expect(invocationAnywhere(USUAL, here({ codeFolder: packed, workingFolder: '/' }))).toBeNull();
  });

  test('stands in hints, and in nothing that merely looks like one', () => {
    const hint = 'Get one with "axon login", or "axon pair". The axon command is "axonal".';
    expect(withInvocation(hint, 'npx axon --home /d$&')).toBe(
      'Get one with "npx axon --home /d$& login", or "npx axon --home /d$& pair". The axon command is "axonal".',
    );
  });
});

test.skipIf(process.platform === 'win32')(
  'a line with curl asks by the socket, in quotes that hold, else by the port and past proxies',
  () => {
    expect(curlWords(7117, "/srv/mum's $HOME/hub.sock")).toBe(
      String.raw`curl -sS --unix-socket '/srv/mum'\''s $HOME/hub.sock' http://localhost`,
    );
    expect(curlWords(7117, null)).toBe("curl -sS --noproxy '*' http://127.0.0.1:7117");
  },
);
