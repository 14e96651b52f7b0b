// Where a hub keeps its files when nobody says otherwise: the operating system's own place. Names
// paths only, touches nothing.
import { resolve } from 'node:path';
import envPaths from 'env-paths';

/** The hub's Unix socket in it. */
export const SOCKET_NAME = 'hub.sock';

/** Absolute path: what was given, else AXON_HOME, else the system's place for "axon-hub". */
export function dataFolder(
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const fromEnv = env['AXON_HOME'];
  return resolve(
    given ??
      (fromEnv === undefined || fromEnv === ''
        ? envPaths('axon-hub', { suffix: '' }).data
        : fromEnv),
  );
}
