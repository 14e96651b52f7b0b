// Who calls, in the forms the work services want. Pure.
import { AppError } from '../../lib/app-error.ts';
import type { Decider } from '../../services/base/audit-trail.ts';
import type { Viewer } from '../../services/outgoing/tasks.ts';
import { actorOf } from '../actor.ts';
import type { Caller } from '../caller.ts';

/** The calling agent, or null for a person. */
export function askerOf(caller: Caller): string | null {
  return caller.kind === 'agent' ? caller.agent : null;
}

export function viewerOf(caller: Caller): Viewer {
  return caller.kind === 'agent' ? { agent: caller.agent } : { person: personOf(caller) };
}

/** @throws AppError forbidden for anybody but a person */
export function personOf(caller: Caller): Decider {
  if (caller.kind === 'ui' || caller.kind === 'owner')
    return { actor: actorOf(caller).actor, surface: caller.surface };
  throw new AppError('forbidden', 'Only a person may do this; no agent token can.', {
    failedBy: 'input',
  });
}

/** @throws AppError bad_request for a person: an inbox belongs to an agent */
export function agentOf(caller: Caller): string {
  if (caller.kind === 'agent') return caller.agent;
  throw new AppError('bad_request', 'An inbox belongs to an agent.', {
    failedBy: 'input',
    hint: 'Call with the token of the agent whose inbox it is.',
  });
}
