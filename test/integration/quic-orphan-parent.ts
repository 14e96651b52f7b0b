// A hub that starts its QUIC process, says which it is and how it is reached, and waits to be
// killed.
import { spawnNodeQuicProcess } from '../../main/adapters/quic/quic-process.ts';
import { createQuicTransport } from '../../main/adapters/quic/process-transport.ts';
import { systemDeps, TestHub } from './quic-test-hub.ts';

let processId: number | undefined;
const spawnQuicProcess = (): ReturnType<typeof spawnNodeQuicProcess> => {
  const child = spawnNodeQuicProcess();
  processId = child.processId;
  return child;
};
const hub = await new TestHub(createQuicTransport({ ...systemDeps, spawnQuicProcess })).start();
process.stdout.write(`${JSON.stringify({ processId, target: hub.target })}\n`);
setInterval(() => {}, 60_000);
