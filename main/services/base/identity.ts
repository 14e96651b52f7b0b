// Owns this hub's identity: finds the seed in its vault, makes one exactly once, signs with it. It
// must never make a second identity where one was recorded, and never hand the seed to anything but
// the transport that authenticates with it (PROTOCOL.md, Identity).
import { AppError, messageOf } from '../../lib/app-error.ts';
import { toHex } from '../../lib/bytes.ts';
import { Secret } from '../../lib/secret.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { KeyVault, VaultKind, VaultRead } from '../../ports/key-vault.ts';
import type { Log } from '../../ports/log.ts';
import type { RollbackCounter } from '../../ports/rollback-counter.ts';
import type { Store } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { agentIdOfKeyHex } from '../../protocol/agent-id.ts';
import { publicKeyOfSeed, sign } from '../../protocol/signature.ts';

/** Bounds the wait for a keychain that hangs; beyond it the identity counts as locked. */
const VAULT_TIMEOUT_MS = 10_000;
const SEED_LENGTH_BYTES = 32;
const META_VAULT_KIND = 'vault_kind';
/** Under which name the store has the public key, to check by while the vault is locked. */
export const META_IDENTITY_KEY = 'identity_key';

type IdentityState =
  | { readonly state: 'unopened' }
  | {
      readonly state: 'ready';
      readonly keyHex: KeyHex;
      readonly agentId: string;
      readonly vault: VaultKind;
    }
  /** The vault is there (or was) but cannot be read now: `open()` tries again. */
  | { readonly state: 'locked'; readonly reason: string }
  /** An identity was recorded, and its vault no longer holds it. */
  | { readonly state: 'missing'; readonly reason: string }
  /** Something stands in the vault that is not this hub's seed. */
  | { readonly state: 'damaged'; readonly reason: string };

interface IdentityDeps {
  readonly store: Store;
  /**
   * In order of preference: the keychain first. A file is used only where no keychain exists and
   * none was ever used.
   */
  readonly vaults: readonly KeyVault[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const FILE_WARNING =
  'This computer has no keychain, so the identity of this hub stands in a file that only your user can read. Anyone who can read your files can be this hub.';

export class IdentityService {
  readonly #deps: IdentityDeps;
  #state: IdentityState = { state: 'unopened' };
  #seed: Secret<Uint8Array> | undefined;
  #opening: Promise<IdentityState> | undefined;

  constructor(deps: IdentityDeps) {
    this.#deps = deps;
  }

  get state(): IdentityState {
    return this.#state;
  }

  get ready(): boolean {
    return this.#state.state === 'ready';
  }

  /**
   * The raw public key, hex. Throws AppError identity_locked until the identity is ready; so do
   * `agentId`, `seed` and `sign`.
   */
  get keyHex(): KeyHex {
    return this.#readyState().keyHex;
  }

  get agentId(): string {
    return this.#readyState().agentId;
  }

  get seed(): Secret<Uint8Array> {
    this.#readyState();
    if (this.#seed === undefined) throw this.#locked();
    return this.#seed;
  }

  /**
   * Beside the seed, in the vault that holds it; undefined where that keeps none, or there is no
   * identity yet.
   */
  get counter(): RollbackCounter | undefined {
    const known = this.#state;
    return known.state === 'ready'
      ? this.#deps.vaults.find(({ kind }) => kind === known.vault)?.counter
      : undefined;
  }

  /** Ed25519 signature, 64 bytes. */
  sign(message: Uint8Array): Uint8Array {
    return sign(message, this.seed.expose());
  }

  /** Sentences the owner should read. */
  warnings(): readonly string[] {
    return this.#state.state === 'ready' && this.#state.vault === 'file' ? [FILE_WARNING] : [];
  }

  /**
   * Reads the seed, or makes the one identity of a fresh hub. Never throws for a vault's failure:
   * the state tells.
   */
  open(signal: AbortSignal): Promise<IdentityState> {
    if (this.#state.state === 'ready') return Promise.resolve(this.#state);
    this.#opening ??= this.#open(signal).finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #open(signal: AbortSignal): Promise<IdentityState> {
    const recordedKey = this.#deps.store.read.getMeta(META_IDENTITY_KEY);
    this.#state =
      recordedKey === undefined
        ? await this.#openFresh(signal)
        : await this.#openRecorded(recordedKey, signal);
    const { state } = this.#state;
    if (state === 'ready') this.#deps.log.info('identity ready', { vault: this.#state.vault });
    else this.#deps.log.warn('identity not available', { state });
    return this.#state;
  }

  async #openRecorded(recordedKey: string, signal: AbortSignal): Promise<IdentityState> {
    const kind = this.#deps.store.read.getMeta(META_VAULT_KIND);
    const vault = this.#deps.vaults.find((candidate) => candidate.kind === kind);
    if (vault === undefined) {
      return {
        state: 'missing',
        reason: `The identity of this hub was kept in a ${kind ?? 'vault'} that is not available here.`,
      };
    }
    const read = await this.#read(vault, signal);
    if (read.state === 'found') return this.#adopt(read.seed, vault.kind, recordedKey);
    if (read.state === 'absent') {
      return {
        state: 'missing',
        reason: `The ${vault.kind} no longer holds the identity of this hub. Restore it, or start again in another folder.`,
      };
    }
    if (read.state === 'damaged') return { state: 'damaged', reason: read.reason };
    return { state: 'locked', reason: read.reason };
  }

  /**
   * A hub with no recorded identity: what a vault already holds is adopted, so that a crash before
   * the record never makes a second one.
   */
  async #openFresh(signal: AbortSignal): Promise<IdentityState> {
    let home: KeyVault | undefined;
    let unavailable = 'No vault for the identity is available.';
    for (const vault of this.#deps.vaults) {
      const read = await this.#read(vault, signal);
      if (read.state === 'found') return this.#record(read.seed, vault.kind);
      if (read.state === 'locked') {
        if (home === undefined) return { state: 'locked', reason: read.reason };
      } else if (read.state === 'damaged') {
        if (home === undefined) return { state: 'damaged', reason: read.reason };
      } else if (read.state === 'absent') {
        home ??= vault;
      } else {
        unavailable = read.reason;
      }
    }
    if (home === undefined) return { state: 'locked', reason: unavailable };
    return this.#create(home, signal);
  }

  async #create(vault: KeyVault, signal: AbortSignal): Promise<IdentityState> {
    const seed = new Secret(this.#deps.random.bytes(SEED_LENGTH_BYTES));
    try {
      await vault.write(seed, signal);
    } catch (error) {
      this.#deps.log.error('identity could not be stored', {
        error: messageOf(error),
      });
      return {
        state: 'locked',
        reason: `The ${vault.kind} did not take the new identity of this hub. Unlock it and try again.`,
      };
    }
    const stored = await this.#read(vault, signal);
    if (stored.state !== 'found' || toHex(stored.seed.expose()) !== toHex(seed.expose())) {
      return {
        state: 'locked',
        reason: `The ${vault.kind} did not keep the new identity of this hub. Unlock it and try again.`,
      };
    }
    return this.#record(seed, vault.kind);
  }

  async #record(seed: Secret<Uint8Array>, kind: VaultKind): Promise<IdentityState> {
    const keyHex = toHex(publicKeyOfSeed(seed.expose()));
    await this.#deps.store.write((tables) => {
      tables.setMeta(META_VAULT_KIND, kind);
      tables.setMeta(META_IDENTITY_KEY, keyHex);
    });
    return this.#adopt(seed, kind, keyHex);
  }

  #adopt(seed: Secret<Uint8Array>, kind: VaultKind, recordedKey: string): IdentityState {
    const keyHex = toHex(publicKeyOfSeed(seed.expose()));
    if (keyHex !== recordedKey) {
      return {
        state: 'damaged',
        reason: `The ${kind} holds another identity than the one this hub had. Its peers would not know it, so it is not used.`,
      };
    }
    this.#seed = seed;
    return { state: 'ready', keyHex, agentId: agentIdOfKeyHex(keyHex), vault: kind };
  }

  /**
   * Reads a vault; one that throws or hangs is unavailable or locked, never an exception and never
   * a new identity.
   */
  async #read(vault: KeyVault, signal: AbortSignal): Promise<VaultRead> {
    const controller = new AbortController();
    const giveUp = (): void => controller.abort();
    signal.addEventListener('abort', giveUp, { once: true });
    const timedOut = new Promise<VaultRead>((resolve) => {
      controller.signal.addEventListener(
        'abort',
        () => resolve({ state: 'locked', reason: `The ${vault.kind} did not answer in time.` }),
        {
          once: true,
        },
      );
    });
    const timer = this.#deps.clock.setTimer(VAULT_TIMEOUT_MS, giveUp);
    try {
      return await Promise.race([vault.read(controller.signal), timedOut]);
    } catch (error) {
      this.#deps.log.warn('vault failed', {
        vault: vault.kind,
        error: messageOf(error),
      });
      return { state: 'locked', reason: `The ${vault.kind} could not be read.` };
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', giveUp);
    }
  }

  #readyState(): Extract<IdentityState, { state: 'ready' }> {
    if (this.#state.state !== 'ready') throw this.#locked();
    return this.#state;
  }

  #locked(): AppError {
    const reason =
      'reason' in this.#state
        ? this.#state.reason
        : 'The identity of this hub has not been read yet.';
    return new AppError('identity_locked', reason, {
      hint: 'Unlock the keychain of this computer, then try again.',
    });
  }
}
