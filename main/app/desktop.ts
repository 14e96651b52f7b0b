// The node as the desktop app runs it: settings from flags and environment, a log file of its own,
// and Electron's kind of QUIC process.
import { SystemClock, SystemRandom } from '../adapters/clock/system-clock.ts';
import { LineLog } from '../adapters/log/line-log.ts';
import { LogFile } from '../adapters/log/log-file.ts';
import type { SpawnQuicProcess } from '../adapters/quic/quic-process.ts';
import { readConfig } from './config.ts';
import { collectorAtRest } from './heap-growth.ts';
import { createNode } from './node.ts';
import type { HubNode } from './node.ts';

/**
 * Words of the shell, and the switches of Electron and Chromium that people use: no settings of the
 * hub.
 */
const NOT_SETTINGS =
  /^--(?:show|hidden|no-sandbox|lang=.*|password-store=.*|(?:disable|enable|force|ozone)-.*)$/;

/**
 * Flags of the hub among the arguments of a desktop start: what comes before the first flag is the
 * program and its folder. Where somebody opened a link there are none: whoever wrote the link may
 * have written what stands beside it.
 */
export function hubFlags(argv: readonly string[]): readonly string[] {
  if (argv.some((word) => /^axon:/i.test(word))) return [];
  const first = argv.findIndex((word) => word.startsWith('--'));
  return first === -1 ? [] : argv.slice(first).filter((word) => !NOT_SETTINGS.test(word));
}

/** Throws AppError as readConfig and createNode do. */
export async function createDesktopNode(
  argv: readonly string[],
  files: { readonly rendererDirectory: string; readonly spawnQuicProcess: SpawnQuicProcess },
): Promise<HubNode> {
  const { rendererDirectory, spawnQuicProcess } = files;
  const config = readConfig({ argv: hubFlags(argv), env: process.env });
  const clock = new SystemClock();
  const file = new LogFile(config.home);
  const log = new LineLog(clock, (line) => file.write(line), config.logLevel, {
    form: config.logForm ?? 'json',
  });
  process.on('uncaughtException', (error) =>
    log.error('uncaught exception', { error: error.stack ?? error.message }),
  );
  process.on('unhandledRejection', (reason) =>
    log.error('unhandled rejection', { error: String(reason) }),
  );
  return createNode(config, {
    clock,
    random: new SystemRandom(),
    log,
    desktop: true,
    spawnQuicProcess,
    rendererDirectory,
    committed: collectorAtRest(clock),
  });
}
