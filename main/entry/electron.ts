// Electron's main process: the desktop app around the same node that runs headless.
import { join } from 'node:path';
import { SystemClock } from '../adapters/clock/system-clock.ts';
import { createDesktopNode, hubFlags } from '../app/desktop.ts';
import { explainFailure, failureWords, startByNpm } from '../app/explain-failure.ts';
import { holdHeapGrowth } from '../app/heap-growth.ts';
import { onStopSignal } from '../app/stop-signals.ts';
import { builtFiles, runDesktop } from '../shell/desktop.ts';
import { spawnUtilityQuicProcess } from '../shell/quic-child.ts';

holdHeapGrowth();
const files = builtFiles(import.meta.dirname);
const start = startByNpm(hubFlags(process.argv.slice(1)));
const spawnQuicProcess = () => spawnUtilityQuicProcess(join(import.meta.dirname, 'quic.js'));

await runDesktop({
  ...files,
  clock: new SystemClock(),
  createNode: () =>
    createDesktopNode(process.argv.slice(1), {
      rendererDirectory: files.rendererDirectory,
      spawnQuicProcess,
    }),
  onStopSignal,
  reportFailure: (error) => explainFailure(error, start),
  failureWords: (error) => failureWords(error, start),
});
