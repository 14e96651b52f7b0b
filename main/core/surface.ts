// Reads back where something was done, as it was written down. Pure; decides nothing.
import { isOneOf, SURFACES, type Surface } from '../../preload/contract/closed-lists.ts';

/** The surface that a stored text names; null when it names none. */
export function readSurface(text: unknown): Surface | null {
  return isOneOf(SURFACES, text) ? text : null;
}
