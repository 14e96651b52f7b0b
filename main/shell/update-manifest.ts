// Which updates this app takes: where it looks, by which key a manifest has to be signed, and that
// none is older than what runs. Pure; knows neither Electron nor the network.
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { isJsonObject } from '../lib/json-object.ts';

export interface UpdateSource {
  /** Ends with "/". */
  readonly feed: URL;
  /** Ed25519. */
  readonly key: KeyObject;
}

/** What stands before the 32 bytes of an Ed25519 key in the form that Node reads (RFC 8410). */
const KEY_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
/** 32 bytes, and 64, in base64. */
const KEY = /^[A-Za-z0-9+/]{43}=$/;
const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/;
/** No version but a released one. */
const VERSION = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/;

/**
 * What the build put into the app's package.json.
 * @returns null: this app looks for no updates
 */
export function readUpdateSource(manifest: unknown): UpdateSource | null {
  const updates = isJsonObject(manifest) ? manifest['updates'] : undefined;
  if (!isJsonObject(updates)) return null;
  const { feed, key } = updates;
  if (typeof feed !== 'string' || typeof key !== 'string' || !URL.canParse(feed)) return null;
  const url = new URL(feed);
  const isPlain = url.search === '' && url.hash === '' && url.username === '';
  if (url.protocol !== 'https:' || !url.pathname.endsWith('/') || !isPlain) return null;
  return KEY.test(key) ? { feed: url, key: publicKey(key) } : null;
}

/** @param key its 32 bytes in base64 */
export function publicKey(key: string): KeyObject {
  return createPublicKey({
    key: Buffer.concat([KEY_PREFIX, Buffer.from(key, 'base64')]),
    format: 'der',
    type: 'spki',
  });
}

/**
 * The name that electron-builder gives a manifest; macOS and Linux have one for each kind of
 * processor.
 */
export function manifestName(platform: NodeJS.Platform, arch: string): string {
  if (platform === 'win32') return 'latest.yml';
  if (platform === 'darwin') return `latest-mac-${arch}.yml`;
  return arch === 'x64' ? 'latest-linux.yml' : `latest-linux-${arch}.yml`;
}

/**
 * The first line of a manifest, which is signed with the rest: a feed cannot give one system the
 * manifest of another.
 */
export function nameLine(name: string): string {
  return `# ${name}\n`;
}

/**
 * True for a manifest that the key signed.
 * @param signature in base64, as it stands beside the manifest
 */
export function isSigned(manifest: string, signature: string, key: KeyObject): boolean {
  const text = signature.trim();
  return (
    SIGNATURE.test(text) && verify(null, Buffer.from(manifest), key, Buffer.from(text, 'base64'))
  );
}

/** False for the same version, an older one, and one that is no released version. */
export function isNewer(offered: string, running: string): boolean {
  const [theirs, ours] = [VERSION.exec(offered), VERSION.exec(running)];
  if (theirs === null || ours === null) return false;
  for (const at of [1, 2, 3]) {
    const step = Number(theirs[at]) - Number(ours[at]);
    if (step !== 0) return step > 0;
  }
  return false;
}
