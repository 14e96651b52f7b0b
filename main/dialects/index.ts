// All dialects. To add one, write its file and add it to this list.
import type { JsonObject } from '../lib/json-object.ts';
import { ACP_DRAFT } from './acp-draft.ts';
import { CRUNCH } from './crunch.ts';
import type { Dialect } from './dialect.ts';
import { ELIZA } from './eliza.ts';
import { FIPA } from './fipa.ts';

/** In the order in which a message without a declared dialect is tried. */
export const DIALECTS: readonly Dialect[] = [ELIZA, CRUNCH, ACP_DRAFT, FIPA];

export function dialectNamed(name: unknown): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.name === name);
}

export function dialectOf(message: JsonObject): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.detect(message));
}
