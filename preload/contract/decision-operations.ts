// The part of operations.ts that decides: approvals, the household's rules, and which adults' hubs
// decide for this one. For people only, none of it for an agent's token.
import * as v from 'valibot';
import { REMOTE_CLASSES, REQUEST_KINDS, RULE_CHOICES, RULE_EFFECTS } from './closed-lists.ts';
import { ANSWER_MAX_CHARACTERS, OPTION_ID_MAX_CHARACTERS } from './limits.ts';
import {
  agentName,
  cursor,
  domain,
  identifier,
  limit,
  shortText,
  text,
  timestamp,
  uuid,
  whole,
} from './parameters.ts';

const kind = v.picklist(REQUEST_KINDS);

/**
 * Whom and what a rule is about; what is left out or null means any. `peer`: a paired hub, or
 * "local/NAME" for an agent of this hub.
 */
const scope = {
  peer: v.optional(v.nullable(shortText), null),
  agent: v.optional(v.nullable(agentName), null),
  /** "": a rule for requests that name no area. */
  domain: v.optional(v.nullable(v.union([domain, v.literal('')])), null),
  kind: v.optional(v.nullable(kind), null),
  asking_agent: v.optional(v.nullable(shortText), null),
  topic: v.optional(v.nullable(domain), null),
};

/**
 * What a person says of a rule that is made by hand. `until`: 30 days when left out for one that
 * allows, else no end.
 */
const ruleParams = v.strictObject({
  effect: v.picklist(RULE_EFFECTS),
  ...scope,
  until: v.optional(v.nullable(timestamp)),
});

/** The most hubs that may decide. */
const DECIDING_HUBS_MAX = 8;

const fromClass = v.nullable(v.picklist(REMOTE_CLASSES));

export const DECISION_OPERATIONS = {
  'approvals.list': {
    summary: 'Lists the requests that wait for a person, or those that were decided.',
    method: 'GET',
    path: '/v1/approvals',
    access: 'owner',
    params: v.strictObject({
      state: v.optional(v.picklist(['pending', 'decided']), 'pending'),
      limit,
      cursor,
    }),
  },
  'approvals.get': {
    summary: 'Shows one request as its card does.',
    method: 'GET',
    path: '/v1/approvals/:id',
    access: 'owner',
    params: v.strictObject({ id: uuid }),
  },
  'approvals.decide': {
    summary: 'Allows, declines or answers a request.',
    method: 'POST',
    path: '/v1/approvals/:id/decide',
    access: 'owner',
    params: v.strictObject({
      id: uuid,
      revision: whole(0, 1_000_000),
      digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'the digest that was shown')),
      /** answer: a person answers it themselves, in `answer`, and no agent gets it. */
      decision: v.picklist(['allow', 'decline', 'answer']),
      /** "once" when absent. More makes a rule; which ones a card offers stands in its `wider`. */
      scope: v.optional(v.picklist(['once', ...RULE_CHOICES])),
      /** For the scope "until": when it ends, ms since 1970. */
      until: v.optional(timestamp),
      reason: v.optional(text(2_000)),
      answer: v.optional(text(ANSWER_MAX_CHARACTERS)),
      /** Where a person is asked to choose, instead of `answer`: the id of the option. */
      choice: v.optional(text(OPTION_ID_MAX_CHARACTERS)),
      /** For class R3 only: the last word of the text, as the person typed it. */
      last_word: v.optional(text(512)),
    }),
  },

  /** Said twice for the same wait, it counts once. */
  'approvals.keepOpen': {
    summary: 'Lets a request wait as long again, until whoever asked waits no more.',
    method: 'POST',
    path: '/v1/approvals/:id/keep-open',
    access: 'owner',
    /** wait_ms: the wait that was shown. */
    params: v.strictObject({ id: uuid, wait_ms: whole(1, 86_400_000) }),
  },

  'rules.list': {
    summary: 'Lists the rules.',
    method: 'GET',
    path: '/v1/rules',
    access: 'owner',
    params: v.strictObject({
      state: v.optional(v.picklist(['current', 'ended']), 'current'),
      limit,
      cursor,
    }),
  },
  'rules.get': {
    summary: 'Shows one rule.',
    method: 'GET',
    path: '/v1/rules/:id',
    access: 'owner',
    params: v.strictObject({ id: uuid }),
  },
  'rules.create': {
    summary: 'Makes a rule.',
    method: 'POST',
    path: '/v1/rules',
    access: 'owner',
    params: ruleParams,
  },
  'rules.preview': {
    summary: 'Shows a rule and what it would have done, without making it.',
    method: 'POST',
    path: '/v1/rules/preview',
    access: 'owner',
    params: ruleParams,
  },
  'rules.update': {
    summary: 'Suspends a rule, or resumes it.',
    method: 'PATCH',
    path: '/v1/rules/:id',
    access: 'owner',
    params: v.strictObject({ id: uuid, suspended: v.boolean() }),
  },
  'rules.remove': {
    summary: 'Removes a rule.',
    method: 'DELETE',
    path: '/v1/rules/:id',
    access: 'owner',
    params: v.strictObject({ id: uuid }),
  },
  'rules.restore': {
    summary: 'Restores a rule that was removed.',
    method: 'POST',
    path: '/v1/rules/:id/restore',
    access: 'owner',
    params: v.strictObject({ id: uuid }),
  },
  'rules.test': {
    summary: 'Shows what would happen to a request, without sending it.',
    method: 'POST',
    path: '/v1/rules/test',
    access: 'owner',
    params: v.strictObject({
      ...scope,
      peer: shortText,
      kind,
      conversation: v.optional(v.nullable(identifier), null),
    }),
  },

  /** A change is only for whoever knows the owner passphrase. */
  'remote_approval.get': {
    summary: 'Shows which hubs decide for this one, and from which risk class on.',
    method: 'GET',
    path: '/v1/remote-approval',
    access: 'owner',
    params: v.strictObject({}),
  },
  'remote_approval.set': {
    summary: 'Sets which hubs decide for this one, and from which risk class on.',
    method: 'PUT',
    path: '/v1/remote-approval',
    access: 'owner',
    params: v.strictObject({
      /** From which class on; null: the people here decide everything. */
      from: fromClass,
      /** By agent id or name: all that decide from now on. */
      hubs: v.optional(v.pipe(v.array(shortText), v.maxLength(DECIDING_HUBS_MAX)), []),
      /**
       * What was read before this was chosen, the hubs that decide by their ids: where it is
       * something else by now, nothing is changed.
       */
      seen: v.optional(
        v.strictObject({
          from: fromClass,
          hubs: v.pipe(v.array(shortText), v.maxLength(DECIDING_HUBS_MAX)),
        }),
      ),
      /** The owner passphrase; a session at a terminal has given it with its login. */
      passphrase: v.optional(text(1024)),
    }),
  },
} as const;
