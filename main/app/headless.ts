// A hub without a window, from its flags to its exit code: starts the node, says where it is, and
// stops it in order on a signal. Prints a login link and opens a browser only at a terminal,
// because a log or a journal must never hold such a link.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SystemClock, SystemRandom } from '../adapters/clock/system-clock.ts';
import { LineLog } from '../adapters/log/line-log.ts';
import { LogFile } from '../adapters/log/log-file.ts';
import { linesTo } from '../adapters/log/stream-lines.ts';
import type { EarlyQuicProcess } from '../adapters/quic/quic-process.ts';
import { invocation } from '../cli/invocation.ts';
import { browserOpener, openInBrowser } from './browser.ts';
import { readConfig } from './config.ts';
import { describeError, explainFailure, type Start } from './explain-failure.ts';
import { collectorAtRest } from './heap-growth.ts';
export { startByNpm } from './explain-failure.ts';
import type { Log } from '../ports/log.ts';
import { createNode } from './node.ts';
import type { HubNode } from './node.ts';
import { onStopSignal } from './stop-signals.ts';

/**
 * Runs until a signal comes. Returns the exit code: 0 after an orderly stop, another when it could
 * not start. The QUIC process has ended by then.
 */
export async function runHeadless(start: Start, quic: EarlyQuicProcess): Promise<number> {
  // Node opens a debugger's port on this signal unless somebody listens to it; a hub holds what no
  // debugger is to read.
  process.on('SIGUSR1', () => {});
  const stopped = new Promise<void>(onStopSignal);
  let node: HubNode | undefined;
  try {
    const config = readConfig({ argv: start.flags, env: process.env });
    const clock = new SystemClock();
    const form = config.logForm ?? (process.stderr.isTTY ? 'text' : 'json');
    const file = new LogFile(config.home);
    const log = new LineLog(
      clock,
      linesTo(process.stderr, (line) => file.write(line)),
      config.logLevel,
      { form },
    );
    const print = linesTo(process.stdout, () => {});
    process.on('uncaughtException', (error) =>
      log.error('uncaught exception', { error: error.stack ?? error.message }),
    );
    process.on('unhandledRejection', (reason) =>
      log.error('unhandled rejection', { error: describeError(reason) }),
    );
    const pages = builtPages();
    node = await createNode(config, {
      clock,
      random: new SystemRandom(),
      log,
      desktop: false,
      rendererDirectory: pages,
      spawnQuicProcess: quic.spawn,
      committed: collectorAtRest(clock),
    });
    await node.start();
    greet(node, {
      command: invocation(config.home),
      print,
      isBrowserOpened: config.opensBrowser && pages !== null && showPages(node, log),
    });
    await stopped;
    return 0;
  } catch (error) {
    return explainFailure(error, start);
  } finally {
    await node?.stop();
    quic.discard();
  }
}

/** Beside the bundle; none when the hub runs from its sources without a build. */
function builtPages(): string | null {
  const places = ['../renderer', '../../renderer', '../../out/renderer'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return (
    places.find((path) => existsSync(`${path}/assets`) && existsSync(`${path}/index.html`)) ?? null
  );
}

/** Opens the pages in a browser of this computer. Returns false where there is none. */
function showPages(node: HubNode, log: Log): boolean {
  const opener = browserOpener({
    env: process.env,
    platform: process.platform,
    isTerminal: process.stdout.isTTY,
  });
  if (opener === null) return false;
  try {
    openInBrowser(opener, node.makeLoginPage());
    return true;
  } catch (error) {
    log.warn('no page could be opened in a browser', { error: describeError(error) });
    return false;
  }
}

interface Greeting {
  readonly command: string;
  readonly print: (line: string) => void;
  readonly isBrowserOpened: boolean;
}

function greet(node: HubNode, { command, print, isBrowserOpened }: Greeting): void {
  print(`AXON Hub runs at http://127.0.0.1:${node.apiPort}\n`);
  if (process.stdout.isTTY) {
    if (isBrowserOpened) print('Your browser opens it now.\n');
    print(
      `${isBrowserOpened ? 'If it does not, open' : 'Open'} this link once, within 90 seconds: ${node.makeLoginUrl()}\n`,
    );
    print(`A new link: ${command} login    Stop: Ctrl+C\n`);
  } else {
    print(`To open its pages in a browser: ${command} login\n`);
  }
}
