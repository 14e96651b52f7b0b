// The operations of remote approval. For people only, and a change only for whoever knows the owner passphrase.
import * as v from 'valibot';
import { REMOTE_CLASSES } from './closed-lists.ts';
import { shortText, text } from './parameters.ts';

/** The most hubs that may decide. */
const DECIDING_HUBS_MAX = 8;

const fromClass = v.nullable(v.picklist(REMOTE_CLASSES));

export const REMOTE_APPROVAL_OPERATIONS = {
  'remote_approval.get': { method: 'GET', path: '/v1/remote-approval', access: 'owner', params: v.object({}) },
  'remote_approval.set': {
    method: 'PUT',
    path: '/v1/remote-approval',
    access: 'owner',
    params: v.strictObject({
      /** From which class on; null: the people here decide everything. */
      from: fromClass,
      /** By agent id or name: all that decide from now on. */
      hubs: v.optional(v.pipe(v.array(shortText), v.maxLength(DECIDING_HUBS_MAX)), []),
      /** What was read before this was chosen, the hubs that decide by their ids: where it is something else by now, nothing is changed. */
      seen: v.optional(v.strictObject({ from: fromClass, hubs: v.pipe(v.array(shortText), v.maxLength(DECIDING_HUBS_MAX)) })),
      /** The owner passphrase; a session at a terminal has given it with its login. */
      passphrase: v.optional(text(1024)),
    }),
  },
} as const;
