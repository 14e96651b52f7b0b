// /v1/a2a: the agents of elsewhere that this hub calls. For people only.
import type { A2aAgents } from '../../services/elsewhere/a2a-agents.ts';
import { actorOf } from '../actor.ts';
import type { HandlersOf } from '../caller.ts';

export function a2aHandlers({ a2a }: { readonly a2a: A2aAgents }): HandlersOf<'a2a'> {
  return {
    'a2a.look': (params, _caller, { signal }) => a2a.look(params, signal),
    'a2a.add': (params, caller, { signal }) => a2a.add(params, actorOf(caller), signal),
    'a2a.list': async () => ({ items: a2a.list(), next: null }),
    'a2a.confirm': (params, caller, { signal }) => a2a.confirm(params, actorOf(caller), signal),
  };
}
