// The part of operations.ts about agents of elsewhere that this hub calls over A2A. Whom it calls
// is for people only.
import * as v from 'valibot';
import { agentName, riskClass } from './parameters.ts';

const url = v.pipe(v.string(), v.minLength(1), v.maxLength(2_048));
const digest = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'the digest of the card'));
/** Sent to that host as a bearer token, and nowhere else. */
const token = v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,1024}$/, 'a token in visible ASCII'));

export const A2A_OPERATIONS = {
  'a2a.look': {
    summary: 'Reads the card of an A2A agent.',
    method: 'POST',
    path: '/v1/a2a/cards',
    access: 'owner',
    params: v.strictObject({ url, token: v.optional(token) }),
  },
  'a2a.add': {
    summary: 'Makes an A2A agent an agent of this hub, which calls it.',
    method: 'POST',
    path: '/v1/a2a/agents',
    access: 'owner',
    params: v.strictObject({
      name: agentName,
      url,
      /** Of the card that was shown. */
      digest,
      /** The person knows that what it is given leaves this computer. */
      leaves_computer: v.optional(v.boolean(), false),
      token: v.optional(token),
      risk_class: v.optional(riskClass),
    }),
  },
  'a2a.list': {
    summary: 'Lists the A2A agents that this hub calls.',
    method: 'GET',
    path: '/v1/a2a/agents',
    access: 'owner',
    params: v.strictObject({}),
  },
  'a2a.confirm': {
    summary: 'Confirms the changed card of an A2A agent, and can set another token.',
    method: 'POST',
    path: '/v1/a2a/agents/:name/confirm',
    access: 'owner',
    params: v.strictObject({ name: agentName, digest, token: v.optional(token) }),
  },
} as const;
