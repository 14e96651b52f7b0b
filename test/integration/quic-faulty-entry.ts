// The QUIC process as it is, with faults that a signal calls up: a loop that keeps answering, an
// abort, and memory that is never given back.
const SPIN_MS = 20;
const HOARD_BYTES = 640 * 1024 * 1024;
const hoard: Buffer[] = [];

function spin(): void {
  for (const endMs = performance.now() + SPIN_MS; performance.now() < endMs;);
  setImmediate(spin);
}

process.on('SIGUSR2', spin);
process.on('SIGHUP', () => process.abort());
process.on('SIGWINCH', () => void hoard.push(Buffer.alloc(HOARD_BYTES, 1)));
export const served = await import('../../main/entry/quic.ts');
