// What packages are made from, as far as no packing is needed: electron-builder takes the
// configuration, the files that it names are there, the workflow is one that GitHub runs, and a feed
// is signed by its key or not at all.
import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Parser from '@actions/workflow-parser';
import { getConfig, validateConfiguration } from 'app-builder-lib/out/util/config/config.js';
import { DebugLogger } from 'builder-util';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isSigned, nameLine, publicKey } from '../../../main/shell/update-manifest.ts';
import { feedWords } from '../../../resources/packaging/package.ts';
import { librariesIn, nativeFiles, unknownVersions } from '../../../resources/packaging/sbom.ts';
import { shrinkwrapOf } from '../../../resources/packaging/shrinkwrap.ts';
import { signManifests } from '../../../resources/packaging/sign-manifests.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const keys = generateKeyPairSync('ed25519');
const publicText = Buffer.from(
  keys.publicKey.export({ format: 'jwk' }).x ?? '',
  'base64url',
).toString('base64');
const privateText = keys.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const FEED = 'https://updates.example.invalid/axon-hub/';
let folder: string | undefined;

afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  folder = undefined;
});

describe('electron-builder', () => {
  const configuration = () => getConfig(ROOT, 'electron-builder.yml', null);
  const check = (config: object) => validateConfiguration(config, new DebugLogger(false));

  test('takes the configuration, with a feed and without, and nothing that it does not know', async () => {
    const config = await configuration();
    await check(config);
    await check({ ...config, publish: { provider: 'generic', url: FEED } });
    await expect(check({ ...config, nsis: { ...config.nsis, keepData: true } })).rejects.toThrow(
      /configuration\.nsis should be/,
    );
  });

  test('finds every file that the configuration names', async () => {
    const { beforePack, deb, linux, mac, nsis, win } = await configuration();
    const named = [
      beforePack,
      deb?.afterRemove,
      nsis?.include,
      mac?.entitlements,
      mac?.entitlementsInherit,
      linux?.icon,
      mac?.icon,
      win?.icon,
    ].map(String);
    expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  test('makes what the systems install', async () => {
    const { linux, mac, win } = await configuration();
    expect([linux?.target, mac?.target, win?.target]).toEqual([
      ['AppImage', 'deb'],
      ['dmg', 'zip'],
      ['nsis'],
    ]);
  });

  test('removes from a Debian what its own script does, and then says that the data stays', () => {
    const template = read('node_modules/app-builder-lib/templates/linux/after-remove.tpl');
    const ours = read('resources/packaging/after-remove.tpl');
    expect(ours.startsWith(template)).toBe(true);
    expect(ours.slice(template.length)).toMatch(/echo '.* stays in ~\/\.local\/share\/axon-hub\./);
    expect(ours.slice(template.length)).not.toMatch(/\brm\b/);
  });
});

describe('the environment of a build', () => {
  test('names no feed, and the app looks for no updates', () => {
    expect(feedWords({})).toEqual([]);
    expect(feedWords({ AXON_UPDATE_FEED: '', AXON_UPDATE_KEY: '' })).toEqual([]);
  });

  test('names a feed with its key, or the packaging fails', () => {
    expect(feedWords({ AXON_UPDATE_FEED: FEED, AXON_UPDATE_KEY: publicText })).toEqual([
      '-c.publish.provider=generic',
      `-c.publish.url=${FEED}`,
      `-c.extraMetadata.updates.feed=${FEED}`,
      `-c.extraMetadata.updates.key=${publicText}`,
    ]);
    const halves = [
      { AXON_UPDATE_FEED: FEED },
      { AXON_UPDATE_KEY: publicText },
      { AXON_UPDATE_FEED: FEED.replace('https', 'http'), AXON_UPDATE_KEY: publicText },
      { AXON_UPDATE_FEED: FEED.slice(0, -1), AXON_UPDATE_KEY: publicText },
      { AXON_UPDATE_FEED: FEED, AXON_UPDATE_KEY: 'AAAA' },
    ];
    for (const half of halves) expect(() => feedWords(half)).toThrow(/has to be an https address/);
  });
});

describe('the manifests of a feed', () => {
  const feed = (files: Readonly<Record<string, string>>): string => {
    folder = mkdtempSync(join(tmpdir(), 'axon-feed-'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return folder;
  };

  test('are signed by the key that the app has, and the files beside them are not', () => {
    const made = feed({ 'latest-linux.yml': 'version: 0.2.0\n', 'axon-hub.deb': 'package' });
    expect(signManifests(made, privateText, publicText)).toEqual(['latest-linux.yml']);
    expect(readdirSync(made)).toEqual(['axon-hub.deb', 'latest-linux.yml', 'latest-linux.yml.sig']);
    const signature = readFileSync(join(made, 'latest-linux.yml.sig'), 'utf8');
    const key = publicKey(publicText);
    // Its own name stands in it, so that it is no other system's.
    const manifest = `${nameLine('latest-linux.yml')}version: 0.2.0\n`;
    expect(readFileSync(join(made, 'latest-linux.yml'), 'utf8')).toBe(manifest);
    expect(isSigned(manifest, signature, key)).toBe(true);
    expect(isSigned(manifest.replace('0.2.0', '0.2.1'), signature, key)).toBe(false);
    expect(signature.trim()).toBe(
      sign(null, Buffer.from(manifest), keys.privateKey).toString('base64'),
    );
    expect(signManifests(made, privateText, publicText)).toEqual(['latest-linux.yml']);
    expect(readFileSync(join(made, 'latest-linux.yml'), 'utf8')).toBe(manifest);
  });

  test('are not signed by another key, nor is an empty folder called a feed', () => {
    const other = generateKeyPairSync('ed25519').privateKey.export({
      format: 'pem',
      type: 'pkcs8',
    });
    const made = feed({ 'latest.yml': 'version: 0.2.0\n' });
    expect(() => signManifests(made, other.toString(), publicText)).toThrow(/not the one/);
    expect(readdirSync(made)).toEqual(['latest.yml']);
    rmSync(join(made, 'latest.yml'));
    expect(() => signManifests(made, privateText, publicText)).toThrow(/no manifest/);
  });
});

test('the file of the headless hub pins every package that it installs, and none of the build', () => {
  const lock = JSON.parse(read('package-lock.json')) as Parameters<typeof shrinkwrapOf>[0];
  const { packages } = shrinkwrapOf(lock);
  const names = Object.keys(packages).map((path) => path.replace('node_modules/', ''));
  expect(names).toContain('@matrixai/quic-darwin-arm64');
  expect(names.filter((name) => /electron|vite|playwright|svelte/.test(name))).toEqual([]);
  expect(packages['']).not.toHaveProperty('devDependencies');
  expect(names.length).toBeLessThan(60);
});

test('E27: the native libraries are those that somebody looked into, and another version is noticed', () => {
  const found = new Set(nativeFiles().flatMap((file) => [...librariesIn(file)]));
  expect(unknownVersions(found)).toEqual([]);
  expect(unknownVersions(new Set([...found, 'quiche@0.17.2']))).toEqual(['quiche@0.17.2']);
  const without = [...found].filter((one) => !one.startsWith('sqlite@'));
  expect(unknownVersions(new Set(without))).toEqual(['sqlite, which no binary names']);
});

describe('the workflows', () => {
  const folder = join(ROOT, '.github/workflows');
  let parser: typeof Parser;
  beforeAll(async () => {
    // The parser imports its JSON as only a bundler can.
    const hooks = registerHooks({
      resolve: (specifier, context, next) => {
        const found = next(specifier, context);
        return specifier.endsWith('.json')
          ? { ...found, importAttributes: { type: 'json' } }
          : found;
      },
    });
    parser = await import('@actions/workflow-parser');
    hooks.deregister();
  });
  const read = async (name: string, content: string) => {
    const { context, value } = parser.parseWorkflow(
      { name, content },
      new parser.NoOperationTraceWriter(),
    );
    const template =
      value === undefined ? undefined : await parser.convertWorkflowTemplate(context, value);
    return { errors: context.errors.getErrors().map(({ message }) => message), template };
  };

  test.each(readdirSync(folder))('%s: GitHub’s own parser takes it', async (name) => {
    const { errors, template } = await read(name, readFileSync(join(folder, name), 'utf8'));
    expect(errors).toEqual([]);
    expect(template?.jobs?.length).toBeGreaterThan(0);
  });

  test('that GitHub would not run are not taken', async () => {
    const { errors } = await read(
      'wrong.yml',
      'on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - runs: "true"\n  b:\n    needs: c\n    runs-on: ubuntu-24.04\n    steps: [{ run: "${{ secret.A }}" }]\n',
    );
    expect(errors.join('\n')).toMatch(/Unexpected value 'runs'/);
    expect(errors.join('\n')).toMatch(/secret/);
  });

  test('give no variable to the specs that nothing of them reads', () => {
    const release = readFileSync(join(folder, 'release.yml'), 'utf8');
    const given = [...release.matchAll(/^ +(AXON_TEST_\w+|CHROMIUM_PATH):/gm)].map(
      ([, name]) => name,
    );
    const readers = ['test/support/real-parts.ts', 'test/support/built.ts']
      .map((file) => readFileSync(join(ROOT, file), 'utf8'))
      .join('');
    expect(given.length).toBeGreaterThan(2);
    expect(given.filter((name) => !readers.includes(`'${name}'`))).toEqual([]);
  });

  test('show the key that signs updates to one job alone, and that installs nothing', () => {
    const release = readFileSync(join(folder, 'release.yml'), 'utf8');
    const [before = '', feed = ''] = release.split(/^  feed:$/m);
    expect(before).not.toContain('SIGNING_KEY');
    expect(feed).toContain('secrets.AXON_UPDATE_SIGNING_KEY');
    expect(feed).not.toMatch(/npm |npx /);
  });
});
