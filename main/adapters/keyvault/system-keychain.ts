// The calls of the operating system's keychain, and which kind of trouble its errors mean. On Linux
// every call is pinned to the Secret Service: without that the library falls back in silence to the
// kernel's keyring, which a restart of the machine empties, and which it also takes when the
// service is merely slow. Knows nothing of seeds.
import type { AsyncEntry } from 'keytar';

/** One keychain. Every promise may stay open as long as a person looks at an unlock prompt. */
export interface KeychainAccess {
  get(service: string, account: string): Promise<string | null>;
  set(service: string, account: string, password: string): Promise<void>;
  delete(service: string, account: string): Promise<boolean>;
  /**
   * True where a keychain may be readable and yet have no place to write: only a write then shows
   * it.
   */
  readonly mayLackCollection: boolean;
}

const SECRET_SERVICE = { linux: { store: 'secret-service' } } as const;

/**
 * The library is loaded by the first call: a hub whose build of it does not load on this system
 * still starts and can say so.
 */
async function secretServiceEntry(service: string, account: string): Promise<AsyncEntry> {
  const library = await import('keytar');
  return new library.AsyncEntry(service, account, SECRET_SERVICE);
}

function secretService(): KeychainAccess {
  return {
    get: async (service, account) => (await secretServiceEntry(service, account)).getPassword(),
    set: async (service, account, password) =>
      (await secretServiceEntry(service, account)).setPassword(password),
    delete: async (service, account) =>
      (await secretServiceEntry(service, account)).deletePassword(),
    mayLackCollection: true,
  };
}

/** macOS and Windows have one keychain each: the calls of keytar as they are. */
function nativeKeychain(): KeychainAccess {
  return {
    get: async (service, account) =>
      (await import('keytar/keytar.js')).getPassword(service, account),
    set: async (service, account, password) =>
      (await import('keytar/keytar.js')).setPassword(service, account, password),
    delete: async (service, account) =>
      (await import('keytar/keytar.js')).deletePassword(service, account),
    mayLackCollection: false,
  };
}

/** The keychain of this operating system. Makes no call by itself. */
export function systemKeychain(): KeychainAccess {
  return process.platform === 'linux' ? secretService() : nativeKeychain();
}

type KeychainTrouble = 'unavailable' | 'damaged' | 'locked';

/**
 * No session bus, no such service on it, or a service without any collection: there never was a
 * keychain to keep a seed in.
 */
const UNAVAILABLE = [
  /dbus error: using x11 for dbus-daemon autolaunch/i,
  /dbus error: unable to autolaunch/i,
  /dbus error: failed to connect to socket .*(?:no such file or directory|connection refused)/i,
  /was not provided by any \.service files/i,
  /secret service: no result found/i,
  /default keychain could not be found/i,
];

/**
 * The entry is there, but it is not one text: the library's sentences for a bad encoding and for
 * two entries of one name.
 */
const DAMAGED = [/not utf-8/i, /matched by (?:multiple|\d+) credentials/i];

/**
 * What a failed call means. Whatever is not known for certain counts as `locked`: a wrong guess
 * there makes a person try again, while a wrong `unavailable` would let a second identity be made.
 */
export function troubleOf(error: unknown): KeychainTrouble {
  const message = error instanceof Error ? error.message : String(error);
  if (UNAVAILABLE.some((pattern) => pattern.test(message))) return 'unavailable';
  if (DAMAGED.some((pattern) => pattern.test(message))) return 'damaged';
  return 'locked';
}
