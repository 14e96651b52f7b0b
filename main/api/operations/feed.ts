// GET and PATCH /v1/feed: notifications for people.
import type { Feed } from '../../services/work/feed.ts';
import type { HandlersOf } from '../caller.ts';

export function feedHandlers(deps: { readonly feed: Feed }): HandlersOf<'feed'> {
  const { feed } = deps;
  return {
    'feed.list': async ({ limit, cursor }) => feed.list({ limit, cursor }),
    'feed.markRead': async ({ ids }) => ({ unread: await feed.markRead(ids) }),
  };
}
