// The QUIC process as it is, with faults that a signal calls up: a loop that keeps answering, an
// abort, and memory that is never given back.
const SPIN_MS = 20;
const HOARD_BYTES = 64 * 1024 * 1024;
const HOARD_MAX = 10;
const hoarded: Buffer[] = [];

function spin(): void {
  for (const endMs = performance.now() + SPIN_MS; performance.now() < endMs;);
  setImmediate(spin);
}

/** In steps, so that heartbeats are answered in between, also where memory comes slowly. */
function hoard(): void {
  hoarded.push(Buffer.alloc(HOARD_BYTES, 1));
  if (hoarded.length < HOARD_MAX) setTimeout(hoard, 10);
}

process.on('SIGUSR2', spin);
process.on('SIGHUP', () => process.abort());
process.on('SIGWINCH', hoard);
export const served = await import('../../main/entry/quic.ts');
