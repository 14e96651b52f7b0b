// The ids that a person or agent types: each command says which one it wants and where to find it,
// before the hub is asked as well as when the hub knows none of that id. Prints nothing.
import type { ApprovalDto } from '../../preload/contract/dto.ts';
import { HubProblem, type HubClient } from './hub-client.ts';
import { refusal } from './refusal.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const IDS = {
  delivery: [
    'an item of the inbox (its delivery_id)',
    '"axon inbox" shows it at the beginning of each item.',
  ],
  task: ['a task', '"axon tasks" lists the tasks of this agent with their ids.'],
  request: [
    'a request',
    '"axon approvals" lists those that wait with their ids, "axon approvals list --decided" the others.',
  ],
  invitation: ['an invitation', '"axon invite list" lists those that are out with their ids.'],
  rule: [
    'a rule',
    '"axon rules" lists those there are with their ids, "axon rules list --ended" those that are over.',
  ],
} as const satisfies Readonly<Record<string, readonly [what: string, where: string]>>;

/**
 * The id as the hub knows it. Throws `bad_request` for what is none, with the place where ids of
 * that kind are found.
 */
export function idOf(kind: keyof typeof IDS, id: string): string {
  if (UUID.test(id)) return id.toLowerCase();
  const [what, where] = IDS[kind];
  throw refusal(
    'bad_request',
    `"${id}" is not the id of ${what}: 36 characters, as in 0b8f5c1e-....`,
    where,
  );
}

/** Calls with the id. Throws as `idOf` does, and what the hub says, with that place. */
export async function withId<Answer>(
  kind: keyof typeof IDS,
  id: string,
  call: (id: string) => Promise<Answer>,
): Promise<Answer> {
  const [, where] = IDS[kind];
  const known = idOf(kind, id);
  try {
    return await call(known);
  } catch (error) {
    if (!(error instanceof HubProblem) || error.problem.code !== 'not_found') throw error;
    throw new HubProblem({ ...error.problem, hint: error.problem.hint ?? where });
  }
}

/** The request of this id, as withId. @param owner speaks for the person in charge */
export function requestOf(owner: HubClient, id: string): Promise<ApprovalDto> {
  return withId('request', id, (request) => owner.call('approvals.get', { id: request }));
}
