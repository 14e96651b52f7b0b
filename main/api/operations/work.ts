// What is asked, done and told: sending, tasks, the inbox, and the record of it.
import type { AgentMessages } from '../../services/history/agent-messages.ts';
import type { ConversationExport } from '../../services/history/conversation-export.ts';
import type { ConversationRemoval } from '../../services/history/conversation-removal.ts';
import type { Conversations } from '../../services/history/conversations.ts';
import type { Feed } from '../../services/history/feed.ts';
import type { Inspector } from '../../services/history/inspector.ts';
import type { Search } from '../../services/history/search.ts';
import type { Inbox } from '../../services/inbox/inbox.ts';
import type { WakeUps } from '../../services/inbox/wake-ups.ts';
import { readCursor } from '../../services/base/paging.ts';
import type { NativeMessages } from '../../services/outgoing/native-messages.ts';
import type { Permissions } from '../../services/admission/permissions.ts';
import type { Sender } from '../../services/outgoing/sender.ts';
import type { Tasks } from '../../services/outgoing/tasks.ts';
import type { HandlersOf } from '../caller.ts';
import { actorOf } from '../actor.ts';
import { agentOf, askerOf, viewerOf } from './who.ts';

/**
 * POST /v1/query, /v1/delegate and /v1/notify: what agents and people send. The calling agent is
 * always the sender. POST /v1/route says who would get it.
 */
export function sendHandlers(deps: {
  readonly sender: Sender;
  readonly nativeMessages: NativeMessages;
  readonly permissions: Permissions;
}): HandlersOf<'send'> {
  const { sender, nativeMessages, permissions } = deps;
  return {
    'send.query': (params, caller, context) =>
      sender.query(params, askerOf(caller), context.signal, actorOf(caller)),
    'send.permission': (params, caller, { signal }) =>
      permissions.ask(agentOf(caller), params, signal),
    'send.delegate': (params, caller, context) =>
      sender.delegate(params, askerOf(caller), context.idempotencyKey, actorOf(caller)),
    'send.notify': (params, caller) => sender.notify(params, askerOf(caller)),
    'send.message': (message, caller, context) =>
      nativeMessages.post(agentOf(caller), message, context.signal),
    'send.route': async (params, caller) => sender.route(params, askerOf(caller)),
  };
}

/** GET /v1/tasks and its tasks, waiting for one to end, cancelling one. */
export function tasksHandlers(deps: { readonly tasks: Tasks }): HandlersOf<'tasks'> {
  const { tasks } = deps;
  return {
    'tasks.list': ({ limit, cursor, conversation, state }, caller) =>
      tasks.list({ limit, cursor }, viewerOf(caller), { conversation, state }),
    'tasks.get': ({ id, wait }, caller, context) =>
      tasks.get(id, viewerOf(caller), wait, context.signal),
    'tasks.cancel': ({ id, reason }, caller) => tasks.cancel(id, viewerOf(caller), reason ?? null),
  };
}

/** POST /v1/inbox/...: what waits for the calling agent. */
export function inboxHandlers(deps: {
  readonly inbox: Inbox;
  readonly wakeUps: Pick<WakeUps, 'forHook'>;
}): HandlersOf<'inbox'> {
  const { inbox, wakeUps } = deps;
  return {
    'inbox.claim': async (params, caller, context) => {
      const agent = agentOf(caller);
      const items = await inbox.claimWaiting(agent, params, context.signal);
      return { items, next: null, waiting: inbox.waitingCount(agent) };
    },
    'inbox.waiting': (params, caller, context) =>
      inbox.untilWaiting(agentOf(caller), params, context.signal),
    'inbox.wake': async ({ items }, caller) => ({
      wake: await wakeUps.forHook(agentOf(caller), items),
    }),
    'inbox.ack': ({ delivery, estimated_ms, attempt }, caller) =>
      inbox.ack(agentOf(caller), delivery, estimated_ms ?? null, attempt ?? null),
    'inbox.nack': async ({ delivery, attempt, may_have_run }, caller) => ({
      state: await inbox.nack(agentOf(caller), delivery, attempt ?? null, may_have_run),
    }),
    'inbox.extend': async ({ delivery, lease_ms, progress, attempt }, caller) => ({
      lease_until: await inbox.extend(
        agentOf(caller),
        delivery,
        lease_ms,
        progress ?? null,
        attempt ?? null,
      ),
    }),
    'inbox.reply': ({ delivery, attempt, ...reply }, caller) =>
      inbox.reply(agentOf(caller), delivery, reply, attempt ?? null),
    'inbox.dead': async ({ limit, cursor }, caller) =>
      inbox.dead(askerOf(caller), limit, readCursor(cursor) ?? 0),
    'inbox.requeue': async ({ delivery }, caller) => {
      await inbox.requeue(askerOf(caller), delivery);
      return { state: 'queued' };
    },
  };
}

/** GET /v1/conversations: an agent sees what it took part in, a person all. */
export function conversationsHandlers(deps: {
  readonly conversations: Conversations;
  readonly conversationExport: ConversationExport;
  readonly conversationRemoval: ConversationRemoval;
  readonly inspector: Inspector;
}): HandlersOf<'conversations'> {
  const { conversations, conversationExport, conversationRemoval, inspector } = deps;
  return {
    'conversations.list': async (page, caller, { signal }) => {
      const agent = askerOf(caller);
      return agent === null ? conversations.list(page) : conversations.listAs(agent, page, signal);
    },
    'conversations.get': async ({ id }, caller) => {
      const agent = askerOf(caller);
      const detail = await conversations.get(id, agent);
      return agent === null ? detail : { ...detail, entries: detail.entries.map(numbered) };
    },
    'conversations.export': async ({ id, format, cursor }, caller) =>
      conversationExport.piece(id, format, cursor, askerOf(caller)),
    'conversations.inspect': async ({ seq }) => inspector.inspect(seq),
    'conversations.remove': async ({ id }, caller) => {
      await conversationRemoval.remove(id, actorOf(caller));
      return { removed: true };
    },
  };
}

/** GET /v1/search: with the same scope. GET /v1/messages: for agents only. */
export function historyHandlers(deps: {
  readonly search: Search;
  readonly agentMessages: AgentMessages;
}): HandlersOf<'history'> {
  const { search, agentMessages } = deps;
  return {
    'history.messages': (page, caller, { signal }) =>
      agentMessages.list(agentOf(caller), page, signal),
    'history.search': async ({ q, limit, cursor }, caller, { signal }) => {
      const agent = askerOf(caller);
      const page = { limit, cursor };
      if (agent === null) return search.find(q, page);
      const { items, next } = await search.findAs(agent, q, page, signal);
      const hits = items.map((hit, at) => ({
        ...numbered(hit, at),
        decision: hit.decision === null ? null : numbered(hit.decision, at),
      }));
      return { items: hits, next };
    },
  };
}

/** To an agent a number of the hub's own would say how much others said meanwhile. */
function numbered<Item extends { readonly seq: number }>(item: Item, at: number): Item {
  return { ...item, seq: at + 1 };
}

/** /v1/feed: notifications for people. */
export function feedHandlers(deps: { readonly feed: Feed }): HandlersOf<'feed'> {
  const { feed } = deps;
  return {
    'feed.list': async ({ limit, cursor }) => feed.list({ limit, cursor }),
    'feed.markRead': async ({ ids, read }) => ({ unread: await feed.markRead(ids, read) }),
    'feed.mute': async ({ notice }) => ({ items: await feed.mute(notice), next: null }),
    'feed.unmute': async ({ id }) => ({ items: await feed.unmute(id), next: null }),
  };
}
