// A program of this computer asks a person for its own permission: a question of this hub without
// an agent that would run it. Pure.
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import type { ResultWords } from './task-endings.ts';
import { failure } from './task-endings.ts';

interface PermissionEnd {
  /** @param by who allows it */
  allowed(by: { readonly who: string }): ResultWords;
  declined(told: string): ResultWords;
}

/** What becomes of it when a person has decided it. */
export const PERMISSION: PermissionEnd = {
  allowed: ({ who }) => ({
    status: 'completed',
    outcome: 'Allowed',
    data: { choice: 'allow' },
    error: null,
    answered_by: who,
  }),
  declined: (told) => failure({ code: 'rejected', reason: told }),
};

/** Where the program stands, as the view has it; escaped. */
export function folderIn({ context }: JsonObject): string | null {
  return isJsonObject(context) && typeof context.folder === 'string' ? context.folder : null;
}
