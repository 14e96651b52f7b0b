// POST /v1/inbox/...: what waits for the calling agent. Every answer leaves only after what it says is durable.
import type { Inbox } from '../../services/work/inbox.ts';
import { readCursor } from '../../services/work/pages.ts';
import type { HandlersOf } from '../caller.ts';
import { agentOf, askerOf } from './who.ts';

export function inboxHandlers(deps: { readonly inbox: Inbox }): HandlersOf<'inbox'> {
  const { inbox } = deps;
  return {
    'inbox.claim': async (params, caller, context) => ({
      items: await inbox.claimWaiting(agentOf(caller), params, context.signal),
      next: null,
    }),
    'inbox.ack': ({ delivery, estimated_ms, attempt }, caller) =>
      inbox.ack(agentOf(caller), delivery, estimated_ms ?? null, attempt ?? null),
    'inbox.nack': async ({ delivery, attempt }, caller) => ({ state: await inbox.nack(agentOf(caller), delivery, attempt ?? null) }),
    'inbox.extend': async ({ delivery, lease_ms, progress, attempt }, caller) => ({
      lease_until: await inbox.extend(agentOf(caller), delivery, lease_ms, progress ?? null, attempt ?? null),
    }),
    'inbox.reply': async ({ delivery, attempt, ...reply }, caller) => ({
      state: await inbox.reply(agentOf(caller), delivery, reply, attempt ?? null),
    }),
    'inbox.dead': async ({ limit, cursor }, caller) => inbox.dead(askerOf(caller), limit, readCursor(cursor) ?? 0),
    'inbox.requeue': async ({ delivery }, caller) => {
      await inbox.requeue(askerOf(caller), delivery);
      return { state: 'queued' };
    },
  };
}
