// All dialects there are. A further one is its file and its place in this list.
import type { JsonObject } from '../lib/json-object.ts';
import { ACP_DRAFT } from './acp-draft.ts';
import { CRUNCH } from './crunch.ts';
import type { Dialect } from './dialect.ts';
import { ELIZA } from './eliza.ts';
import { FIPA } from './fipa.ts';

/** In the order in which a message of no declared dialect is looked at. */
export const DIALECTS: readonly Dialect[] = [ELIZA, CRUNCH, ACP_DRAFT, FIPA];

export function dialectNamed(name: unknown): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.name === name);
}

export function dialectOf(message: JsonObject): Dialect | undefined {
  return DIALECTS.find((dialect) => dialect.detect(message));
}
