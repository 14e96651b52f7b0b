// Waits until something new is in an inbox, and says so in one fixed sentence: what a hook of a
// coding program runs to wake an idle session. Remembers for each session what it has announced, so
// that an item wakes it once. Takes nothing, and never says a word of what anybody wrote.
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { HOOK_SAYS_EXIT_CODE } from './context.ts';
import { HubProblem, type HubClient } from './hub-client.ts';
import { hashed, privateFolder, readKept, replaceKept } from './kept-json.ts';
import { isPassing } from './steady-line.ts';

/** How long one look waits; no waiter that was replaced stays longer. */
const LOOK_MS = 50_000;
/** How long the tools of a session that begins take to be there. */
const BEGINNING_MS = 3_000;
/** Until the next look where the hub is away or locked. */
const PAUSE_MS = 10_000;
/** Items of one session that are remembered; beyond it the oldest are forgotten. */
const ANNOUNCED_MAX = 1_000;
/** A session that was not heard of for so long is forgotten. */
const FORGOTTEN_AFTER_MS = 7 * 86_400_000;

interface Watch {
  readonly home: string;
  /** What the hook says of its session; whatever it is. */
  readonly session: string;
  /** It has just begun. */
  readonly isNew: boolean;
  readonly agent: string;
  /** Whether whoever started this still runs. */
  readonly isWanted: () => boolean;
}

/** Returns the exit code. @throws AppError, HubProblem: no later look can mend it */
export async function watchInbox(
  client: HubClient,
  watch: Watch,
  signal: AbortSignal,
): Promise<number> {
  const memory = new WatchMemory(watch);
  if (watch.isNew) await setTimeout(BEGINNING_MS, undefined, { signal });
  let line = client;
  let isLost = false;
  for (let known: number | undefined; watch.isWanted() && memory.isOurs() && !signal.aborted;) {
    try {
      if (isLost) line = await line.again(signal);
      isLost = false;
      const wait = { known, wait_ms: known === undefined ? 0 : LOOK_MS, wakes: true };
      const { waiting, items } = await line.call('inbox.waiting', wait, signal);
      known = waiting;
      // Another one may have taken its place, or the session ended, while this one waited.
      if (!watch.isWanted() || !memory.isOurs()) break;
      const fresh = memory.newOf(items);
      if (fresh.length === 0) continue;
      // The hub counts it, for all that wake this agent.
      const { wake } = await line.call('inbox.wake', { items: [...fresh] }, signal);
      if (!wake) continue;
      memory.announce(items);
      return HOOK_SAYS_EXIT_CODE;
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      isLost = !(error instanceof HubProblem);
      await setTimeout(PAUSE_MS, undefined, { signal });
    }
  }
  return 0;
}

/** Files of this user alone in the data folder. The newest waiter of a session is the one. */
class WatchMemory {
  readonly #file: string;
  readonly #name = randomBytes(8).toString('hex');
  #announced: readonly string[];

  constructor({ home, session, agent }: Watch) {
    const folder = privateFolder(home, 'watch');
    forgetOld(folder);
    this.#file = join(folder, `${hashed(agent, session)}.json`);
    const { announced } = readKept(this.#file);
    this.#announced = Array.isArray(announced)
      ? announced.filter((id): id is string => typeof id === 'string')
      : [];
    this.#write();
  }

  isOurs(): boolean {
    return readKept(this.#file)['waiter'] === this.#name;
  }

  newOf(items: readonly string[]): readonly string[] {
    return items.filter((id) => !this.#announced.includes(id));
  }

  /** Before it is said: what was said twice would wake twice. */
  announce(items: readonly string[]): void {
    this.#announced = [...new Set([...this.#announced, ...items])].slice(-ANNOUNCED_MAX);
    this.#write();
  }

  #write(): void {
    replaceKept(this.#file, { waiter: this.#name, announced: this.#announced });
  }
}

function forgetOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
    if (Date.now() - mtimeMs > FORGOTTEN_AFTER_MS) rmSync(file, { force: true });
  }
}
