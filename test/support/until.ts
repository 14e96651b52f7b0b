// Waits for a condition, with a limit: where vitest's own poll cannot be used (hooks, programs) or
// where the value that fits is wanted.

const LOOK_AGAIN_MS = 25;

/**
 * Looks until there is a value; throws, saying `what` was waited for, after `withinMs`. A look that
 * throws is a look that found nothing.
 */
export async function until<T>(
  what: string,
  withinMs: number,
  look: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const limit = performance.now() + withinMs;
  let last: unknown;
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined) return found;
    } catch (error) {
      last = error;
    }
    if (performance.now() > limit)
      throw new Error(`waited ${withinMs} ms for ${what}`, { cause: last });
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
