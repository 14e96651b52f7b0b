// Removes old words in a process that is killed: the real service, which keeps them for a day, on a
// clock that hurries. Argument: the database.
import { SystemClock } from '../../../main/adapters/clock/system-clock.ts';
import { openStore } from '../../../main/adapters/sqlite/open-store.ts';
import type { TimerHandle } from '../../../main/ports/clock.ts';
import { PURGE_INTERVAL_MS } from '../../../main/services/retention/limits.ts';
import { Retention } from '../../../main/services/retention/retention.ts';
import { CHILD_LOG } from './child-log.ts';

const [, , path = ''] = process.argv;
const DAY_MS = 86_400_000;

/** Every wait is over at once, and the one for the next removal never. */
class Hurried extends SystemClock {
  override setTimer(delayMs: number, run: () => void): TimerHandle {
    return super.setTimer(delayMs >= PURGE_INTERVAL_MS ? delayMs : 1, run);
  }
}

const clock = new Hurried();
const store = openStore({ path, clock, log: CHILD_LOG });
new Retention({
  store,
  clock,
  log: { ...CHILD_LOG, info: () => undefined },
  keepMessagesMs: () => DAY_MS,
  keepFeedMs: () => DAY_MS,
}).start();
// The service keeps no process alive by itself; the test ends this one.
setInterval(() => undefined, 1_000);
