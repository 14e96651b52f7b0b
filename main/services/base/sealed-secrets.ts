// Secrets of the owner's that this hub has to use again, such as the password of a webhook. They
// are stored sealed by a key that comes from the seed in the vault: a copy of the database alone
// opens none.
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { Secret } from '../../lib/secret.ts';
import type { Random } from '../../ports/clock.ts';
import type { IdentityService } from './identity.ts';

const CIPHER = 'aes-256-gcm';
const KEY_USE = 'axon-hub/sealed-secrets/v1';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Deps {
  readonly identity: Pick<IdentityService, 'seed'>;
  readonly random: Pick<Random, 'bytes'>;
}

export class SealedSecrets {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * The text, to be stored.
   * @param use what it is for: it opens for nothing else
   * @throws AppError identity_locked
   */
  seal(use: string, secret: Secret<string>): string {
    const nonce = this.#deps.random.bytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key(), nonce).setAAD(Buffer.from(use));
    const sealed = [nonce, cipher.update(secret.expose(), 'utf8'), cipher.final()];
    return Buffer.concat([...sealed, cipher.getAuthTag()]).toString('base64');
  }

  /** undefined: it was sealed by another hub, for something else, or was changed since. */
  open(use: string, stored: string): Secret<string> | undefined {
    try {
      const bytes = Buffer.from(stored, 'base64');
      const cipher = createDecipheriv(CIPHER, this.#key(), bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(use))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8');
      return new Secret(text + cipher.final('utf8'));
    } catch {
      return undefined;
    }
  }

  #key(): Buffer {
    const { identity } = this.#deps;
    return Buffer.from(hkdfSync('sha256', identity.seed.expose(), '', KEY_USE, KEY_BYTES));
  }
}
