// `npm run package`: runs electron-builder on the built app, with the update feed that the
// environment names. None: the packages look for no updates. Publishes nothing.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readUpdateSource } from '../../main/shell/update-manifest.ts';

const FEED = 'AXON_UPDATE_FEED';
const KEY = 'AXON_UPDATE_KEY';

/**
 * What is added to the configuration.
 * @throws Error when the environment names half a feed, or one that the app would not take
 */
export function feedWords(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const [feed = '', key = ''] = [env[FEED], env[KEY]];
  if (feed === '' && key === '') return [];
  if (readUpdateSource({ updates: { feed, key } }) === null)
    throw new Error(
      `${FEED} has to be an https address that ends with "/", and ${KEY} the public key: 32 bytes in base64.`,
    );
  return [
    '-c.publish.provider=generic',
    `-c.publish.url=${feed}`,
    `-c.extraMetadata.updates.feed=${feed}`,
    `-c.extraMetadata.updates.key=${key}`,
  ];
}

if (import.meta.main) {
  const builder = join(import.meta.dirname, '../../node_modules/electron-builder/cli.js');
  const words = [...feedWords(process.env), ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, [builder, '--publish', 'never', ...words], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
