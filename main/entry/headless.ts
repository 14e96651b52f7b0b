// The hub without a window: reads the settings, runs the node, and stops it in order on a signal.
// The QUIC process loads while the hub does, so what is imported here is small.
import { startEarly } from '../adapters/quic/quic-process.ts';
import { keepCompiled } from '../app/compiled-code.ts';
import { holdHeapGrowth } from '../app/heap-growth.ts';

holdHeapGrowth();
keepCompiled(import.meta.filename);
const quic = startEarly();
const { runHeadless, startByNpm } = await import('../app/headless.ts');

const [, program = '', ...flags] = process.argv;
const start = startByNpm(flags) ?? { command: `node ${program}`, flags };
process.exitCode = await runHeadless(start, quic);
