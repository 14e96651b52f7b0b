// Reads back where something was done, as it was written down. Pure; decides nothing.
import type { Surface } from '../../preload/contract/dto.ts';

const SURFACES: Readonly<Record<Surface, true>> = {
  window: true,
  browser: true,
  command_line: true,
  clock: true,
  rule: true,
  peer: true,
  agent: true,
  hub: true,
};

/** The surface that a stored text names; null when it names none. */
export function readSurface(text: unknown): Surface | null {
  return isSurface(text) ? text : null;
}

function isSurface(text: unknown): text is Surface {
  return typeof text === 'string' && Object.hasOwn(SURFACES, text);
}
