// A real store in a temporary folder of its own, for tests of what stands above it: nothing about
// it is faked but the place.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../main/adapters/clock/system-clock.ts';
import { openStore } from '../../main/adapters/sqlite/open-store.ts';
import type { Clock } from '../../main/ports/clock.ts';
import type { Log } from '../../main/ports/log.ts';
import type { Store } from '../../main/ports/store.ts';

export const SILENT_LOG: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => SILENT_LOG,
};

export interface TemporaryStore extends Store {
  /** The folder it lives in; gone after `close`. */
  readonly folder: string;
}

/** Opens an empty store. Its folder is removed by `close`. */
export function openTemporaryStore(
  clock: Clock = new SystemClock(),
  log: Log = SILENT_LOG,
): TemporaryStore {
  const folder = mkdtempSync(join(tmpdir(), 'axon-store-'));
  const store = openStore({ path: join(folder, 'hub.db'), clock, log });
  return {
    folder,
    read: store.read,
    write: (work, durability) => store.write(work, durability),
    writeBehind: (work, then) => store.writeBehind(work, then),
    onCommit: (tell) => store.onCommit(tell),
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
