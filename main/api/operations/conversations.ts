// GET /v1/conversations: an agent sees what it took part in, a person all.
import type { Conversations } from '../../services/work/conversations.ts';
import type { HandlersOf } from '../caller.ts';
import { askerOf } from './who.ts';

export function conversationsHandlers(deps: { readonly conversations: Conversations }): HandlersOf<'conversations'> {
  const { conversations } = deps;
  return {
    'conversations.list': async ({ limit, cursor }, caller) => conversations.list({ limit, cursor }, askerOf(caller)),
    'conversations.get': async ({ id }, caller) => conversations.get(id, askerOf(caller)),
  };
}
