// What happens when the system starts no process: an error that can be handled, never one that ends
// the hub.
import { afterEach, expect, it } from 'vitest';
import { spawnNodeQuicProcess } from '../../../../main/adapters/quic/quic-process.ts';
import { AppError } from '../../../../main/lib/app-error.ts';

const node = process.execPath;
afterEach(() => {
  process.execPath = node;
});

it('a QUIC process that the system does not start is an error of the call', async () => {
  process.execPath = `${node}-that-is-not-there`;
  expect(() => spawnNodeQuicProcess('nothing.ts')).toThrow(AppError);
  // The system's own word comes a turn later; with nobody listening it would be an uncaught
  // exception.
  await new Promise((resolve) => setImmediate(resolve));
});
