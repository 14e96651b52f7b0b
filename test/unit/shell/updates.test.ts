// Updates of the desktop app: from where, signed by whom, never an older one, and not while a request
// waits. The feed is a real server, and electron-updater reads it, checks it and fetches from it.
import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer,
  get,
  type ClientRequest,
  type RequestListener,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  configureRequestOptions,
  configureRequestUrl,
  HttpExecutor,
  type DownloadOptions,
} from 'builder-util-runtime';
import { AppImageUpdater } from 'electron-updater';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  isNewer,
  isSigned,
  manifestName,
  nameLine,
  readUpdateSource,
} from '../../../main/shell/update-manifest.ts';
import { signedUpdater } from '../../../main/shell/updater.ts';
import { Updates, type Updater } from '../../../main/shell/updates.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';

const HOUR_MS = 3_600_000;
const keys = generateKeyPairSync('ed25519');
const publicText = Buffer.from(
  keys.publicKey.export({ format: 'jwk' }).x ?? '',
  'base64url',
).toString('base64');

describe('where updates come from', () => {
  const FEED = 'https://updates.example.invalid/axon-hub/';
  const read = (updates: unknown) => readUpdateSource({ updates });

  test('is what the build put into the app, or nowhere', () => {
    expect(read({ feed: FEED, key: publicText })?.feed.href).toBe(FEED);
    expect(readUpdateSource({})).toBeNull();
    expect(readUpdateSource(null)).toBeNull();
  });

  test.each([
    ['no key', { feed: FEED }],
    ['no https', { feed: FEED.replace('https', 'http'), key: publicText }],
    ['a user in it', { feed: FEED.replace('://', '://a@'), key: publicText }],
    ['a question in it', { feed: `${FEED}?a/`, key: publicText }],
    ['no folder', { feed: `${FEED}x`, key: publicText }],
    ['a short key', { feed: FEED, key: publicText.slice(4) }],
  ])('is nowhere for a feed with %s', (_what, updates) => expect(read(updates)).toBeNull());

  test('has a manifest for each system', () => {
    expect(manifestName('linux', 'x64')).toBe('latest-linux.yml');
    expect(manifestName('linux', 'arm64')).toBe('latest-linux-arm64.yml');
    expect(manifestName('win32', 'x64')).toBe('latest.yml');
    expect(manifestName('darwin', 'arm64')).toBe('latest-mac-arm64.yml');
  });
});

test.each([
  ['0.2.0', '0.1.0', true],
  ['0.1.10', '0.1.9', true],
  ['1.0.0', '0.99.99', true],
  ['0.1.0', '0.1.0', false],
  ['0.1.0', '0.2.0', false],
  ['0.1.9', '0.1.10', false],
  ['0.2.0-beta.1', '0.1.0', false],
  ['0.2.0 ', '0.1.0', false],
  ['00.2.0', '0.1.0', false],
  ['', '0.1.0', false],
  ['0.2.0', '0.1.0-test', false],
])('%s is newer than %s: %s', (offered, running, expected) => {
  expect(isNewer(offered, running)).toBe(expected);
});

describe('an update', () => {
  let clock: ManualClock;
  let offers: string | Error;
  let did: string[];
  let shown: (string | null)[];
  let updates: Updates;

  beforeEach(() => {
    [clock, offers, did, shown] = [new ManualClock(), '0.2.0', [], []];
    const updater: Updater = {
      look: () => {
        did.push('look');
        return offers instanceof Error ? Promise.reject(offers) : Promise.resolve(offers);
      },
      fetch: () => Promise.resolve(void did.push('fetch')),
      install: () => void did.push('install'),
    };
    updates = new Updates({
      clock,
      updater,
      running: '0.1.0',
      show: (version) => void shown.push(version),
      report: (error) => void did.push(String(error)),
    });
    updates.start();
  });

  test('is looked for a minute after the start and every six hours, and fetched once', async () => {
    await clock.advance(59_000);
    expect(did).toEqual([]);
    await clock.advance(1_000);
    expect([did, shown]).toEqual([['look', 'fetch'], ['0.2.0']]);
    await clock.advance(6 * HOUR_MS);
    expect(did).toEqual(['look', 'fetch', 'look']);
    offers = '0.3.0';
    await clock.advance(6 * HOUR_MS);
    expect(shown).toEqual(['0.2.0', '0.3.0']);
    updates.stop();
    expect(clock.timers).toBe(0);
  });

  test.each(['0.1.0', '0.0.9', '0.2.0-beta.1', 'latest'])(
    'to %s is not fetched',
    async (version) => {
      offers = version;
      await clock.advance(60_000);
      expect([did, shown]).toEqual([['look'], []]);
    },
  );

  test('is not offered while a request waits, and is when none does any more', async () => {
    updates.waitFor(2);
    await clock.advance(60_000);
    expect([updates.ready, shown]).toEqual([null, []]);
    updates.waitFor(0);
    expect([updates.ready, shown]).toEqual(['0.2.0', ['0.2.0']]);
    updates.waitFor(1);
    expect([updates.ready, shown]).toEqual([null, ['0.2.0', null]]);
    expect(did).not.toContain('install');
  });

  test('that cannot be had is reported, and looked for again', async () => {
    offers = new Error('the feed is away');
    await clock.advance(60_000);
    expect(did).toEqual(['look', 'Error: the feed is away']);
    offers = '0.2.0';
    await clock.advance(6 * HOUR_MS);
    expect(shown).toEqual(['0.2.0']);
  });
});

/** What electron-updater asks with inside Electron, by Node's own client. */
class NodeExecutor extends HttpExecutor<ClientRequest> {
  createRequest(options: object, callback: (response: unknown) => void): ClientRequest {
    return get(options, callback);
  }

  download(url: URL, destination: string, options: DownloadOptions): Promise<string> {
    return options.cancellationToken.createPromise<string>((resolve, reject, onCancel) => {
      const request = { headers: { ...options.headers } };
      configureRequestUrl(url, request);
      const callback = (error?: Error | null): void =>
        error instanceof Error ? reject(error) : resolve(destination);
      this.doDownload(
        configureRequestOptions(request),
        { destination, options, onCancel, callback, responseHandler: null },
        0,
      );
    });
  }
}

describe('a feed', () => {
  const program = Buffer.from('the next AppImage');
  let server: Server;
  let files: Record<string, string | Buffer>;
  let headers: Record<string, unknown>[];
  let folder: string;

  const manifestOf = (version: string, content: Buffer = program): string =>
    [
      `version: ${version}`,
      'files:',
      '  - url: axon-hub.AppImage',
      `    sha512: ${createHash('sha512').update(content).digest('base64')}`,
      `    size: ${content.length}`,
      'path: axon-hub.AppImage',
      `sha512: ${createHash('sha512').update(content).digest('base64')}`,
      "releaseDate: '2026-01-01T00:00:00.000Z'",
      '',
    ].join('\n');
  const publish = (
    text: string,
    by: KeyObject = keys.privateKey,
    madeFor = manifestName(process.platform, process.arch),
  ): void => {
    const name = manifestName(process.platform, process.arch);
    const manifest = nameLine(madeFor) + text;
    files = {
      [`/feed/${name}`]: manifest,
      [`/feed/${name}.sig`]: `${sign(null, Buffer.from(manifest), by).toString('base64')}\n`,
      '/feed/axon-hub.AppImage': program,
    };
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'axon-updates-'));
    headers = [];
    const answer: RequestListener = (request, response) => {
      headers.push(request.headers);
      const file = files[new URL(request.url ?? '', 'http://feed').pathname];
      response.writeHead(file === undefined ? 404 : 200).end(file);
    };
    server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    writeFileSync(join(folder, 'running.AppImage'), 'the running AppImage');
    writeFileSync(join(folder, 'app-update.yml'), 'provider: custom\nupdaterCacheDirName: cache\n');
    process.env['APPIMAGE'] = join(folder, 'running.AppImage');
  });
  afterEach(async () => {
    delete process.env['APPIMAGE'];
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  });

  function updater(running = '0.1.0'): Updater {
    const own = new AppImageUpdater(null, {
      version: running,
      name: 'axon-hub',
      isPackaged: true,
      appUpdateConfigPath: join(folder, 'app-update.yml'),
      userDataPath: folder,
      baseCachePath: folder,
      whenReady: () => Promise.resolve(),
      relaunch: () => undefined,
      quit: () => undefined,
      onQuit: () => undefined,
    });
    Object.assign(own, { httpExecutor: new NodeExecutor() });
    const { port } = server.address() as AddressInfo;
    return signedUpdater(
      { feed: new URL(`http://127.0.0.1:${port}/feed/`), key: keys.publicKey },
      own,
    );
  }

  test('whose manifest the key signed is fetched from, and told nothing about who asks', async () => {
    publish(manifestOf('0.2.0'));
    const ours = updater();
    expect(await ours.look()).toBe('0.2.0');
    await ours.fetch();
    expect(readFileSync(join(folder, 'cache/pending/axon-hub.AppImage'))).toEqual(program);
    expect(headers.length).toBeGreaterThan(2);
    for (const sent of headers) expect(Object.keys(sent)).not.toContain('x-user-staging-id');
  });

  test.each<[string, () => void]>([
    [
      'another key signed',
      () => publish(manifestOf('0.2.0'), generateKeyPairSync('ed25519').privateKey),
    ],
    [
      'was changed behind its signature',
      () => {
        publish(manifestOf('0.2.0'));
        const name = `/feed/${manifestName(process.platform, process.arch)}`;
        files[name] = String(files[name]).replace('0.2.0', '0.2.1');
      },
    ],
    [
      'has no signature',
      () => {
        publish(manifestOf('0.2.0'));
        delete files[`/feed/${manifestName(process.platform, process.arch)}.sig`];
      },
    ],
    [
      'the key signed for another system',
      () => publish(manifestOf('0.2.0'), keys.privateKey, 'latest-beos.yml'),
    ],
  ])('whose manifest %s offers nothing', async (_what, prepare) => {
    prepare();
    await expect(updater().look()).rejects.toThrow();
    await expect(updater().fetch()).rejects.toThrow();
  });

  test('with another file than its manifest says is not fetched from', async () => {
    publish(manifestOf('0.2.0', Buffer.from('the right AppImage')));
    const ours = updater();
    expect(await ours.look()).toBe('0.2.0');
    await expect(ours.fetch()).rejects.toThrow(/sha512/);
  });

  describe('installs what was fetched', () => {
    const pending = () => join(folder, 'cache/pending/axon-hub.AppImage');
    const failed = async (ours: Updater): Promise<string> =>
      new Promise((resolve) => ours.install((error) => resolve(String(error))));

    test('unless another program changed it meanwhile, or it is gone', async () => {
      publish(manifestOf('0.2.0'));
      const ours = updater();
      await ours.look();
      await ours.fetch();
      writeFileSync(pending(), 'another AppImage');
      expect(await failed(ours)).toMatch(/not the file any more that was fetched/);
      rmSync(pending());
      expect(await failed(ours)).toMatch(/not the file any more that was fetched/);
      expect(readFileSync(join(folder, 'running.AppImage'), 'utf8')).toBe('the running AppImage');
    });

    test('and says so where the system does not let it', async () => {
      publish(manifestOf('0.2.0'));
      const ours = updater();
      await ours.look();
      await ours.fetch();
      process.env['APPIMAGE'] = 'no path';
      expect(await failed(ours)).toMatch(/APPIMAGE env is not a valid absolute path/);
    });

    test('by a name that electron-updater hands on as it is', () => {
      // It puts a backslash before a blank, and then moves a file of that name.
      const config = readFileSync(
        join(import.meta.dirname, '../../../electron-builder.yml'),
        'utf8',
      );
      const [, name = ''] = /^artifactName: (.*)$/m.exec(config) ?? [];
      expect(name.replaceAll(/\$\{\w+\}/g, 'x')).toMatch(/^[\w.-]+$/);
      expect(name).not.toContain('productName');
    });
  });

  test('E26: with an older version, signed in its time, offers nothing that can be fetched', async () => {
    publish(manifestOf('0.0.9'));
    const ours = updater();
    expect(isNewer(await ours.look(), '0.1.0')).toBe(false);
    await expect(ours.fetch()).rejects.toThrow(/check update first/);
  });

  test('is signed as a whole: a signature of no bytes, or of other ones, is none', () => {
    const manifest = manifestOf('0.2.0');
    const signature = sign(null, Buffer.from(manifest), keys.privateKey).toString('base64');
    expect(isSigned(manifest, signature, keys.publicKey)).toBe(true);
    for (const wrong of ['', 'AAAA', signature.slice(4), `${signature}AAAA`])
      expect(isSigned(manifest, wrong, keys.publicKey)).toBe(false);
  });
});
