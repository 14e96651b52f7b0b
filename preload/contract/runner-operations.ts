// The part of operations.ts about the programs that the hub keeps running for its agents. For
// people only: whoever may set one may start a program on this computer. Imports from this folder
// only.
import * as v from 'valibot';
import { agentName } from './parameters.ts';
import { ACP_PROGRAM_NAMES } from './runners.ts';

const FOLDER_MAX_CHARACTERS = 4_096;

/** What the owner may choose, by its kind. */
export const RUNNER_CHOICE = v.variant('kind', [
  v.strictObject({
    kind: v.literal('acp'),
    program: v.picklist(ACP_PROGRAM_NAMES),
    folder: v.optional(
      v.nullable(v.pipe(v.string(), v.minLength(1), v.maxLength(FOLDER_MAX_CHARACTERS))),
      null,
    ),
  }),
]);

export const RUNNER_OPERATIONS = {
  'runners.list': {
    summary: 'Lists the programs that this hub keeps running for its agents.',
    method: 'GET',
    path: '/v1/runners',
    access: 'owner',
    params: v.strictObject({}),
  },
  'runners.set': {
    summary: 'Makes the hub keep a program running that does the work of an agent.',
    method: 'PUT',
    path: '/v1/agents/:name/runner',
    access: 'owner',
    params: v.strictObject({ name: agentName, runner: RUNNER_CHOICE }),
  },
  'runners.end': {
    summary: 'Ends the program that does the work of an agent, for good.',
    method: 'DELETE',
    path: '/v1/agents/:name/runner',
    access: 'owner',
    params: v.strictObject({ name: agentName }),
  },
} as const;
