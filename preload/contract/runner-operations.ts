// The part of operations.ts about the programs that the hub keeps running for its agents. For
// people only: whoever may set one may start a program on this computer. Imports from this folder
// only.
import * as v from 'valibot';
import { agentName } from './parameters.ts';
import { ACP_PROGRAM_NAMES } from './runners.ts';

const FOLDER_MAX_CHARACTERS = 4_096;

const acp = v.strictObject({
  kind: v.literal('acp'),
  program: v.picklist(ACP_PROGRAM_NAMES),
  folder: v.optional(
    v.nullable(v.pipe(v.string(), v.minLength(1), v.maxLength(FOLDER_MAX_CHARACTERS))),
    null,
  ),
});

/** What the owner may choose here; a file is confirmed by its text instead. */
const CHOSEN_HERE = v.variant('kind', [acp]);

/** What is kept, by its kind. */
export const RUNNER_CHOICE = v.variant('kind', [
  acp,
  v.strictObject({
    kind: v.literal('file'),
    file: v.string(),
    model: v.string(),
    budget: v.number(),
    leaves_to: v.nullable(v.string()),
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
    params: v.strictObject({ name: agentName, runner: CHOSEN_HERE }),
  },
  'runners.end': {
    summary: 'Ends the program that does the work of an agent, for good.',
    method: 'DELETE',
    path: '/v1/agents/:name/runner',
    access: 'owner',
    params: v.strictObject({ name: agentName }),
  },
} as const;
