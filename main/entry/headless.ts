// The hub without a window: reads the settings, runs the node, and stops it in order on a signal.
import { runHeadless } from '../app/headless.ts';

process.exitCode = await runHeadless(process.argv.slice(2));
