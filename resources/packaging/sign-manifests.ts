// Signs the manifests of an update feed: writes its name into each one, and beside it its Ed25519
// signature in base64. The private key comes from the environment as PEM and has to be the one whose
// public key the app has.
// OpenSSL checks such a signature, too: `openssl pkeyutl -verify -rawin`.
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameLine, publicKey } from '../../main/shell/update-manifest.ts';

/**
 * @returns the manifests that were signed
 * @throws Error for a key that is not the app's, and where there is no manifest
 */
export function signManifests(
  folder: string,
  privateKey: string,
  publicKeyText: string,
): readonly string[] {
  const key = createPrivateKey(privateKey);
  const known = publicKey(publicKeyText);
  if (!createPublicKey(key).equals(known))
    throw new Error('This private key is not the one whose public key the app has.');
  const manifests = readdirSync(folder).filter((name) => /^latest.*\.yml$/.test(name));
  if (manifests.length === 0) throw new Error(`There is no manifest in ${folder}.`);
  for (const name of manifests) {
    const made = readFileSync(join(folder, name), 'utf8');
    const manifest = made.startsWith(nameLine(name)) ? made : nameLine(name) + made;
    writeFileSync(join(folder, name), manifest);
    const signature = sign(null, Buffer.from(manifest), key).toString('base64');
    writeFileSync(join(folder, `${name}.sig`), `${signature}\n`);
  }
  return manifests;
}

if (import.meta.main) {
  const [folder = '.'] = process.argv.slice(2);
  const { AXON_UPDATE_SIGNING_KEY: privateKey = '', AXON_UPDATE_KEY: known = '' } = process.env;
  for (const name of signManifests(folder, privateKey, known))
    process.stdout.write(`Signed: ${name}\n`);
}
