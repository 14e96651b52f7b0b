/** What long work waits for between its pieces, so that everything else of the process goes on. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface TurnClock {
  monotonicMs(): number;
  setTimer(delayMs: number, run: () => void): unknown;
}

const TURN_MS = 4;

/**
 * For long work in small pieces that nobody waits for in a hurry. What it returns is called between
 * them: where the work has had a few milliseconds, it rests for as long. An answer to somebody else
 * takes many turns of the event loop, and must not wait for a piece of this in each.
 */
export function inTurns(clock: TurnClock): () => Promise<void> | undefined {
  let endsAtMs = clock.monotonicMs() + TURN_MS;
  return () => {
    if (clock.monotonicMs() < endsAtMs) return undefined;
    return new Promise<void>((resolve) => clock.setTimer(TURN_MS, resolve)).then(() => {
      endsAtMs = clock.monotonicMs() + TURN_MS;
    });
  };
}

/** Does the pieces of long work, with pauses between them. */
export async function workInTurns<T>(clock: TurnClock, pieces: Generator<void, T>): Promise<T> {
  const pause = inTurns(clock);
  for (;;) {
    const piece = pieces.next();
    if (piece.done === true) return piece.value;
    await pause();
  }
}

/** Does them at once. */
export function workAtOnce<T>(pieces: Generator<void, T>): T {
  for (;;) {
    const piece = pieces.next();
    if (piece.done === true) return piece.value;
  }
}
