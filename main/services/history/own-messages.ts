// The walk through what one agent said or was told, the newest first, for what that agent asks. It
// works a short while in each turn of the event loop, so that people and other hubs never wait for
// it, and ends after so many turns.
import { inTurns } from '../../lib/next-turn.ts';
import type { IndexWord } from '../../lib/text-words.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MessageRow, Store } from '../../ports/store.ts';
import { AGENT_TURNS_MAX, SEARCH_SEQS } from './limits.ts';

interface Deps {
  readonly store: Pick<Store, 'read'>;
  readonly clock: Clock;
}

interface Walk {
  readonly beforeSeq: number | undefined;
  /** Messages without one of these may be left out. */
  readonly words?: readonly IndexWord[];
  readonly signal: AbortSignal;
}

/** What the agent may not know is not among them. */
export async function* ownMessages(
  { store, clock }: Deps,
  agent: string,
  { beforeSeq, words = [], signal }: Walk,
): AsyncGenerator<MessageRow> {
  const pause = inTurns(clock);
  let turns = 1;
  let next: number | null = beforeSeq ?? Number.MAX_SAFE_INTEGER;
  while (next !== null) {
    const step = store.read.seqsOfAgent(agent, words, { beforeSeq: next, limit: SEARCH_SEQS });
    for (const seq of [...step.seqs, null]) {
      const paused = pause();
      if (paused !== undefined) {
        turns += 1;
        if (turns > AGENT_TURNS_MAX) return;
        await paused;
      }
      if (signal.aborted) return;
      const message = seq === null ? undefined : store.read.messageAt(seq, agent);
      if (message !== undefined) yield message;
    }
    next = step.next;
  }
}
