// Where the identity seed lives. A locked or missing vault is a state to show, never a reason to
// make a second identity.
import type { Secret } from '../lib/secret.ts';
import type { RollbackCounter } from './rollback-counter.ts';

export type VaultKind = 'keychain' | 'file' | 'memory';

export type VaultRead =
  | { readonly state: 'found'; readonly seed: Secret<Uint8Array> }
  /** The vault works and holds no seed. */
  | { readonly state: 'absent' }
  /** The vault is there but a person must unlock it. */
  | { readonly state: 'locked'; readonly reason: string }
  /** There is no such vault on this machine. */
  | { readonly state: 'unavailable'; readonly reason: string }
  /**
   * Something is stored, but it is not a 32-byte seed, or the file's permissions are not private.
   */
  | { readonly state: 'damaged'; readonly reason: string };

export interface KeyVault {
  readonly kind: VaultKind;
  /** Kept where the seed is; absent where nothing outlives the process. */
  readonly counter?: RollbackCounter;
  read(signal: AbortSignal): Promise<VaultRead>;
  /** Stores the 32 seed bytes. Refuses (throws) when a seed is already there. */
  write(seed: Secret<Uint8Array>, signal: AbortSignal): Promise<void>;
}
