// Finds and loads the native quiche binding of this platform, and only that: the package's own
// JavaScript is never run. It is looked up at run time from where @matrixai/quic is installed, so
// it works from source, bundled and packaged alike.
import { createRequire } from 'node:module';
import type { Quiche } from '@matrixai/quic/native/quiche.js';
import { AppError } from '../../lib/app-error.ts';

export type { Quiche };
export type {
  Config as QuicheConfig,
  Connection as QuicheConnection,
  Host as HostPort,
} from '@matrixai/quic/native/types.js';

const BINDINGS: Readonly<Record<string, readonly string[]>> = {
  'linux-x64': ['linux-x64'],
  'darwin-x64': ['darwin-x64', 'darwin-universal'],
  'darwin-arm64': ['darwin-arm64', 'darwin-universal'],
  'win32-x64': ['win32-x64'],
};

const SUPPORTED = 'Linux on x64 (glibc), macOS, and Windows on x64';

/**
 * The binding for `platform` and `arch` (as Node names them).
 * @throws AppError unsupported_platform when there is none, or when it does not load here
 */
export function loadBinding(
  platform: string = process.platform,
  arch: string = process.arch,
): Quiche {
  const names = BINDINGS[`${platform}-${arch}`];
  if (!names) {
    throw new AppError(
      'unsupported_platform',
      `Hubs cannot be reached from ${platform} on ${arch}. Supported are ${SUPPORTED}.`,
      {
        hint: 'Run the hub on one of the supported systems.',
      },
    );
  }
  const here = createRequire(import.meta.url);
  let failure: unknown;
  for (const name of names) {
    try {
      const require = createRequire(here.resolve('@matrixai/quic/package.json'));
      const binding: Quiche = require(`@matrixai/quic-${name}`);
      return binding;
    } catch (error) {
      failure = error;
    }
  }
  throw new AppError(
    'unsupported_platform',
    `The QUIC library for ${platform} on ${arch} did not load. Supported are ${SUPPORTED}.`,
    {
      hint: 'Install again without leaving out optional packages (npm ci).',
      cause: failure,
    },
  );
}
