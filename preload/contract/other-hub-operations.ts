// The part of operations.ts about other hubs: who is known, how one is added and paired,
// invitations. What changes trust is for people only, none of it for an agent's token.
import * as v from 'valibot';
import { PAIRED_TRUST_STATES } from './closed-lists.ts';
import { identifier, shortText, text, uuid, whole } from './parameters.ts';
import { ROLES } from './role.ts';

const none = v.strictObject({});

export const HUB_OPERATIONS = {
  'peers.list': {
    summary: 'Lists the other hubs, paired and nearby.',
    method: 'GET',
    path: '/v1/peers',
    access: 'peers:read',
    params: v.strictObject({ trust: v.optional(v.picklist(['paired', 'nearby', 'all']), 'all') }),
  },
  'peers.get': {
    summary: 'Shows one hub.',
    method: 'GET',
    path: '/v1/peers/:id',
    access: 'peers:read',
    params: v.strictObject({ id: shortText }),
  },
  'peers.capabilities': {
    summary: 'Shows the agents of another hub and the areas they work in.',
    method: 'GET',
    path: '/v1/peers/:id/capabilities',
    access: 'peers:read',
    params: v.strictObject({ id: shortText, refresh: v.optional(v.boolean(), false) }),
  },
  /** By the agents' own count; not every agent keeps one. */
  'peers.tokens': {
    summary: 'Shows how many tokens questions and tasks of the last 30 days used, here and there.',
    method: 'GET',
    path: '/v1/peers/:id/tokens',
    access: 'owner',
    params: v.strictObject({ id: shortText }),
  },
  'peers.ping': {
    summary: 'Measures how long another hub takes to answer.',
    method: 'POST',
    path: '/v1/peers/:id/ping',
    access: 'peers:read',
    params: v.strictObject({ id: shortText }),
  },
  'peers.add': {
    summary: 'Adds a hub by its address and key.',
    method: 'POST',
    path: '/v1/peers',
    access: 'owner',
    /**
     * `key`: the public key (hex, base64 or base64url) or the agent id; left out when `address` is
     * a share token, which holds both.
     */
    params: v.strictObject({
      address: shortText,
      key: v.optional(shortText),
      name: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(64))),
      /**
       * The owner trusts the key as it stands here, without digits: for a program that cannot pair,
       * such as the public AXON daemon.
       */
      trust: v.optional(v.boolean()),
    }),
  },
  'peers.update': {
    summary: 'Changes the name, person, role, trust or address of a hub.',
    method: 'PATCH',
    path: '/v1/peers/:id',
    access: 'owner',
    params: v.strictObject({
      id: shortText,
      name: v.optional(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(64))),
      person: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(64)))),
      role: v.optional(v.nullable(v.picklist(ROLES))),
      trust: v.optional(v.picklist(PAIRED_TRUST_STATES)),
      address: v.optional(v.nullable(shortText)),
    }),
  },
  /**
   * The owner keeps the old key of a hub in whose place another one answered; `seen` is that other
   * key, as it was shown.
   */
  'peers.keepKey': {
    summary: 'Keeps the known key of a hub in whose place another key answered.',
    method: 'POST',
    path: '/v1/peers/:id/keep-key',
    access: 'owner',
    params: v.strictObject({
      id: shortText,
      seen: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'the key that was shown')),
    }),
  },
  'peers.remove': {
    summary: 'Removes a hub.',
    method: 'DELETE',
    path: '/v1/peers/:id',
    access: 'owner',
    params: v.strictObject({ id: shortText }),
  },

  'pairings.list': {
    summary: 'Lists the pairings, and says whether hubs may ask for one now.',
    method: 'GET',
    path: '/v1/pairings',
    access: 'owner',
    params: none,
  },
  'pairings.window': {
    summary: 'Opens or closes this hub for pairing.',
    method: 'PUT',
    path: '/v1/pairings/window',
    access: 'owner',
    params: v.strictObject({ open: v.boolean(), minutes: v.optional(whole(1, 30), 5) }),
  },
  'pairings.start': {
    summary: 'Asks another hub to pair.',
    method: 'POST',
    path: '/v1/pairings',
    access: 'owner',
    params: v.strictObject({
      peer: shortText,
      name: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(64))),
    }),
  },
  /**
   * With the link of an invitation that another hub made; it holds a secret, so it never stands in
   * an address.
   */
  'pairings.join': {
    summary: 'Pairs with the link of an invitation from another hub.',
    method: 'POST',
    path: '/v1/pairings/join',
    access: 'owner',
    params: v.strictObject({
      link: text(1_024),
      name: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(64))),
    }),
  },
  'invitations.list': {
    summary: 'Lists the invitations.',
    method: 'GET',
    path: '/v1/invitations',
    access: 'owner',
    params: none,
  },
  'invitations.create': {
    summary: 'Makes an invitation, and shows its link this once.',
    method: 'POST',
    path: '/v1/invitations',
    access: 'owner',
    params: v.strictObject({}),
  },
  'invitations.revoke': {
    summary: 'Revokes an invitation.',
    method: 'DELETE',
    path: '/v1/invitations/:id',
    access: 'owner',
    params: v.strictObject({ id: uuid }),
  },
  'pairings.open': {
    summary: 'Accepts a request to pair, and shows the six digits.',
    method: 'POST',
    path: '/v1/pairings/:id/open',
    access: 'owner',
    params: v.strictObject({ id: identifier }),
  },
  'pairings.digits': {
    summary: 'Takes the digits that the other hub shows.',
    method: 'POST',
    path: '/v1/pairings/:id/digits',
    access: 'owner',
    params: v.strictObject({
      id: identifier,
      digits: v.pipe(v.string(), v.regex(/^[0-9]{2}(?:[0-9]{4})?$/, 'two or six digits')),
    }),
  },
  'pairings.cancel': {
    summary: 'Cancels a pairing.',
    method: 'DELETE',
    path: '/v1/pairings/:id',
    access: 'owner',
    params: v.strictObject({ id: identifier }),
  },
} as const;
