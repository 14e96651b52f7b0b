// An owner passphrase whose hash is quick: the slow one is as much work as the rest of a command at
// the terminal, and more than that of most tests. What is kept says itself what it costs.
import { randomBytes, scryptSync } from 'node:crypto';

const COST = { N: 1024, r: 8, p: 1 } as const;

/** What the store keeps of it, as `auth.passphrase`. */
export function quickPassphrase(passphrase: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(passphrase, salt, 32, COST);
  return JSON.stringify({
    salt: salt.toString('base64'),
    hash: hash.toString('base64'),
    ...COST,
  });
}
