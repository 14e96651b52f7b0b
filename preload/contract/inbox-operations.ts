// The part of operations.ts by which an agent takes its work: claim, say that it has it, give it
// back, go on, answer. Imports from this folder only.
import * as v from 'valibot';
import { REPLY_STATUSES } from './closed-lists.ts';
import { DELIVERY_KINDS } from './delivery-kind.ts';
import { cursor, limit, text, uuid, whole } from './parameters.ts';

/**
 * The attempt an agent speaks of, as claim returned it: once the item was delivered again, the
 * answer is `conflict`.
 */
const attempt = v.optional(whole(1, 1_000_000));
const inboxKinds = v.optional(
  v.pipe(v.array(v.picklist(DELIVERY_KINDS)), v.maxLength(DELIVERY_KINDS.length)),
);

export const INBOX_OPERATIONS = {
  'inbox.claim': {
    summary: 'Takes the next items of the inbox under a lease, and waits for some if told.',
    method: 'POST',
    path: '/v1/inbox/claim',
    access: 'inbox',
    emptyIsNoAnswer: true,
    params: v.strictObject({
      max: v.optional(whole(1, 32), 1),
      wait_ms: v.optional(whole(0, 55_000), 0),
      lease_ms: v.optional(whole(1_000, 600_000), 60_000),
      kinds: inboxKinds,
    }),
  },
  'inbox.waiting': {
    summary: 'Tells how many items wait, and takes none. Waits for another number if told.',
    method: 'GET',
    path: '/v1/inbox/waiting',
    access: 'inbox',
    params: v.strictObject({
      known: v.optional(whole(0, 1_000_000_000)),
      wait_ms: v.optional(whole(0, 55_000), 0),
      /** It tells the ids of work alone; the number is that of all. */
      work: v.optional(v.boolean(), false),
      /** Whoever asks is a hook, which wakes the agent. */
      wakes: v.optional(v.boolean(), false),
    }),
  },
  'inbox.wake': {
    summary: 'Asks whether the agent may be woken for these items, and counts it.',
    method: 'POST',
    path: '/v1/inbox/wake',
    access: 'inbox',
    params: v.strictObject({ items: v.pipe(v.array(uuid), v.maxLength(100)) }),
  },
  'inbox.ack': {
    summary: 'Says that the agent has an item. It does not come back by itself.',
    method: 'POST',
    path: '/v1/inbox/:delivery/ack',
    access: 'inbox',
    params: v.strictObject({
      delivery: uuid,
      attempt,
      estimated_ms: v.optional(whole(0, 86_400_000)),
    }),
  },
  'inbox.nack': {
    summary: 'Gives an item back to be delivered again, even one that was begun.',
    method: 'POST',
    path: '/v1/inbox/:delivery/nack',
    access: 'inbox',
    // Clients of the version before give a `reason`, which nothing keeps.
    params: v.strictObject({
      delivery: uuid,
      attempt,
      reason: v.optional(text(2_000)),
      /** Of what was begun: nobody knows whether it was done, so it is not delivered again. */
      may_have_run: v.optional(v.boolean(), false),
    }),
  },
  'inbox.extend': {
    summary: 'Makes the lease of an item longer, and can report progress.',
    method: 'POST',
    path: '/v1/inbox/:delivery/extend',
    access: 'inbox',
    params: v.strictObject({
      delivery: uuid,
      attempt,
      lease_ms: v.optional(whole(1_000, 600_000), 60_000),
      progress: v.optional(text(2_000)),
    }),
  },
  'inbox.reply': {
    summary: 'Ends an item with its outcome or answer.',
    method: 'POST',
    path: '/v1/inbox/:delivery/reply',
    access: 'inbox',
    params: v.strictObject({
      delivery: uuid,
      attempt,
      status: v.optional(v.picklist(REPLY_STATUSES), 'completed'),
      outcome: v.optional(text(60_000)),
      summary: v.optional(text(60_000)),
      data: v.optional(v.unknown()),
      error: v.optional(v.nullable(text(8_000))),
      code: v.optional(text(64)),
      /** Of a failure: whether the same may work later. */
      retryable: v.optional(v.boolean()),
      tokens_used: v.optional(whole(0, 1_000_000_000)),
      truncated: v.optional(v.boolean(), false),
    }),
  },
  'inbox.dead': {
    summary: 'Lists the items that are delivered no more.',
    method: 'GET',
    path: '/v1/inbox/dead',
    access: 'inbox',
    readsMuch: true,
    params: v.strictObject({ limit, cursor }),
  },
  'inbox.requeue': {
    summary: 'Puts a dead item back into the inbox.',
    method: 'POST',
    path: '/v1/inbox/:delivery/requeue',
    access: 'inbox',
    params: v.strictObject({ delivery: uuid }),
  },
} as const;
