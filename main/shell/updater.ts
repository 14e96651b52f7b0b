// electron-updater with a feed of our own: a manifest counts only with its detached signature
// beside it, on every system. The manifest holds the digest of each file, which electron-updater
// compares, as it does the signature of the program on Windows and macOS. Loaded only by an app
// that looks for updates.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import electronUpdater, { Provider, type AppUpdater, type UpdateInfo } from 'electron-updater';
import {
  parseUpdateInfo,
  resolveFiles,
  type ProviderRuntimeOptions,
} from 'electron-updater/out/providers/Provider.js';
import { isSigned, manifestName, nameLine, type UpdateSource } from './update-manifest.ts';
import type { Updater } from './updates.ts';

/** The update that a signed manifest offers. */
export class SignedFeed extends Provider<UpdateInfo> {
  readonly #source: UpdateSource;

  constructor(source: UpdateSource, options: ProviderRuntimeOptions) {
    super(options);
    this.#source = source;
  }

  /** @throws Error for a manifest that the key did not sign, or signed for another system */
  async getLatestVersion(): Promise<UpdateInfo> {
    const { feed, key } = this.#source;
    const name = manifestName(process.platform, process.arch);
    const url = new URL(name, feed);
    const manifest = (await this.httpRequest(url)) ?? '';
    const signature = (await this.httpRequest(new URL(`${name}.sig`, feed))) ?? '';
    if (!isSigned(manifest, signature, key))
      throw new Error(`The update manifest ${url.href} is not signed by the key of this app.`);
    if (!manifest.startsWith(nameLine(name)))
      throw new Error(`The update manifest ${url.href} is that of another system.`);
    return parseUpdateInfo(manifest, name, url);
  }

  /** electron-updater would send a number by which a feed knows this computer again. */
  override setRequestHeaders(): void {
    super.setRequestHeaders(null);
  }

  resolveFiles(info: UpdateInfo): ReturnType<typeof resolveFiles> {
    return resolveFiles(info, this.#source.feed);
  }
}

/** @param updater electron-updater's own of this system, unless a test has another */
export function signedUpdater(
  source: UpdateSource,
  updater: AppUpdater = electronUpdater.autoUpdater,
): Updater {
  updater.autoDownload = false;
  updater.autoInstallOnAppQuit = false;
  updater.allowPrerelease = false;
  updater.allowDowngrade = false;
  updater.logger = null;
  // What failed is thrown, too; without a listener it would end the app.
  updater.on('error', () => undefined);
  updater.setFeedURL({
    provider: 'custom',
    updateProvider: class extends SignedFeed {
      constructor(_feed: unknown, _updater: unknown, options: ProviderRuntimeOptions) {
        super(source, options);
      }
    },
  });
  let offered: UpdateInfo | undefined;
  let fetched: FetchedFile | undefined;
  return {
    look: async () => {
      const found = await updater.checkForUpdates();
      if (found === null) throw new Error('This app cannot be updated.');
      offered = found.updateInfo;
      return offered.version;
    },
    fetch: async () => {
      const digests = offered?.files.map(({ sha512 }) => sha512) ?? [];
      const [file = ''] = await updater.downloadUpdate();
      fetched = { file, digests };
    },
    install: (failed) => {
      if (fetched === undefined || !isAsSigned(fetched))
        return failed(new Error('The update is not the file any more that was fetched.'));
      // It tells of what went wrong by this event, and returns.
      updater.once('error', failed);
      updater.quitAndInstall(true, true);
    },
  };
}

interface FetchedFile {
  readonly file: string;
  /** Those that the signed manifest names. */
  readonly digests: readonly string[];
}

/** It lay in a folder that every program of the person may write to, for hours perhaps. */
function isAsSigned({ file, digests }: FetchedFile): boolean {
  try {
    return digests.includes(createHash('sha512').update(readFileSync(file)).digest('base64'));
  } catch {
    return false;
  }
}
