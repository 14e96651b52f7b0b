// A broken invariant is a bug in this program, never bad input: it stops the work at hand with the
// sentence that was broken.

export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/**
 * Throws InvariantError unless `condition` holds. Use for what our own code promised, never for
 * outside input.
 */
export function assert(condition: unknown, sentence: string): asserts condition {
  if (!condition) throw new InvariantError(sentence);
}
