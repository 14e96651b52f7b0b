// A household in which everything that somebody else may write is one of the hostile texts, in
// every field that reaches a page.
import type { UiSnapshot } from '../../preload/contract/dto.ts';
import { escapeText } from '../../main/core/text-escape.ts';
import { FakeHubApi } from './fake-hub-api.ts';
import {
  hostileCheck,
  hostileDecisions,
  hostileRequests,
  hostileRows,
  hostileRules,
} from './hostile-cards.ts';
import {
  AGENTS,
  DINNER_THREAD,
  KNOCK,
  STRANGER,
  agentOf,
  noticeOf,
  pairingOf,
  peerOf,
  requestWords,
  snapshotOf,
  approvalOf,
} from './household.ts';
import { storyOfApproval } from './stories.ts';

/**
 * As the hub sends it; every other one as if the hub had forgotten to make hidden characters
 * visible.
 */
const said = (text: string, index: number): string => (index % 2 === 0 ? escapeText(text) : text);

/**
 * Not a place but what takes the place of all of them: another key answers where a paired hub was.
 */
export const KEY_CHANGE_STOP = 'key-change-stop';

/** The page of the tray's popover: the first place and nothing else. */
export const POPOVER = 'popover';

/** The first place on a quiet day: what was decided lately stands where the requests would. */
export const NOTHING_WAITS = 'nothing-waits';

/**
 * @param texts at most as many as a page holds of the largest thing (50)
 * @param place one of HOSTILE_PLACES
 */
export function hostileHub(texts: readonly string[], place: string): FakeHubApi {
  const words = texts.map(said);
  const at = (index: number): string => words[index % words.length] ?? '';
  const capabilities = {
    fetched_at: 0,
    untrusted: {
      agent_name: at(0),
      domains: words,
      channels: words,
      tools: words,
      max_concurrent_tasks: 4,
      model: at(1),
      more_agents: 2,
      agents: words.map((name, index) => ({
        name,
        display_name: name,
        domains: [at(index + 1)],
        examples: [{ domain: at(index + 1), example: at(index + 4) }],
        capabilities: [at(index + 2)],
        model: at(index + 3),
      })),
    },
  };
  const peers = [
    ...words.slice(0, 10).map((word, index) =>
      peerOf(`peer ${index}`, {
        name: word,
        person: at(index + 1),
        advertised_name: at(index + 2),
        platform: at(index + 3),
        capabilities,
        trouble: at(index),
        online: index % 2 === 0,
        key_change:
          place === KEY_CHANGE_STOP && index === 0
            ? {
                seen_key: at(1),
                seen_id: at(2),
                seen_safety_number: at(3),
                address: at(4),
                seen_at: 0,
                kept_at: null,
              }
            : null,
      }),
    ),
    ...words.map((word, index) => ({
      ...STRANGER,
      id: `ed25519.${index}`,
      name: at(index + 1),
      untrusted: { advertised_name: word, platform: at(index + 2), features: words },
    })),
  ];
  const snapshot: UiSnapshot = snapshotOf({
    peers,
    pairings: [pairingOf('offered', { said_hub: at(0), said_person: at(1), said_platform: at(2) })],
    registrations: words.map((word, index) => ({
      ...KNOCK,
      id: `knock-${index}`,
      agent_name: word,
      display_name: word,
      domains: [at(index + 1)],
      capabilities: [at(index + 2)],
    })),
    agents: [...AGENTS, agentOf('odd', { display_name: at(3), topics: words, model: at(4) })],
    approvals: place === NOTHING_WAITS ? [] : hostileRequests(words, at),
    recently_decided: hostileDecisions(words, at),
    rules: hostileRules(words, at),
    feed: words.map((word, index) =>
      noticeOf(`notice ${index}`, index + 1, {
        text: word,
        fields: index % 2 === 1 ? [[at(index + 4), at(index + 5)]] : null,
        topic: at(index + 1),
        from_agent: at(index + 2),
        peer_name: at(index + 3),
      }),
    ),
  });
  const conversation = {
    ...DINNER_THREAD.conversation,
    title: at(0),
    from_agent: at(1),
    peer_name: at(2),
  };
  return new FakeHubApi(snapshot, {
    'conversations.list': () => ({
      ok: true,
      value: {
        items: words.map((title, index) => ({
          ...conversation,
          id: `hostile-${index}`,
          title,
          peer_name: at(index + 1),
        })),
        next: null,
      },
    }),
    'conversations.get': ({ id }) => ({
      ok: true,
      value: {
        conversation: { ...conversation, id },
        participants: [{ hub_name: words[0] ?? '', agent_name: words[1] ?? null }],
        linked: [...words],
        entries: words.map((text, index) => ({
          seq: index,
          at: 0,
          message_id: null,
          ref: null,
          direction: (['in', 'out', 'here', 'local'] as const)[index % 4] ?? 'in',
          kind: index % 4 === 2 ? 'decision' : at(index),
          who: at(index + 1),
          person: at(index + 2),
          agent: at(index + 2),
          agent_name: at(index + 2),
          text,
          fields:
            index % 4 === 3 || index % 8 === 0 ? [[at(index + 3), at(index + 4)] as const] : null,
          fields_left_out: 0,
          request: requestWords({
            reason: at(index + 5),
            fields: [[at(index + 6), at(index + 7)]],
            choice: {
              options: [{ id: 'one', label: text, pros: [at(index + 1)], cons: [at(index + 2)] }],
              recommended: 'one',
            },
          }),
          state: index % 3 === 0 ? at(index) : 'declined',
          story: storyOfApproval({
            ...approvalOf(`hostile ${index}`),
            state: 'declined',
            peer_name: at(index + 1),
            decided_by: at(index + 2),
            decline_reason: at(index + 3),
            surface: 'window',
          }),
          surface: null,
          reason: index % 3 === 0 ? at(index) : null,
          reason_there: index % 3 === 1 ? at(index) : null,
          digest: null,
        })),
        tasks: [],
        older_tasks: 0,
      },
    }),
    'audit.list': () => ({ ok: true, value: { items: hostileRows(words, at), next: null } }),
    'audit.verification': () => ({ ok: true, value: hostileCheck(words, at) }),
    'sessions.list': () => ({
      ok: true,
      value: {
        items: words.map((label, index) => ({
          id: `${index}`,
          kind: 'agent' as const,
          label,
          created_at: 0,
          last_used_at: null,
          current: false,
        })),
        next: null,
      },
    }),
    'peers.ping': () => ({
      ok: false,
      problem: {
        type: '',
        title: at(0),
        status: 503,
        detail: at(1),
        code: 'peer_unreachable',
        retryable: false,
      },
    }),
  });
}

export const HOSTILE_PLACES: readonly string[] = [
  'now',
  'people',
  'people/add',
  `people/hub/${peerOf('peer 0').id}`,
  'people/pair/pairing-1',
  'feed',
  'conversations',
  'conversations/hostile-0',
  'agents',
  'rules',
  'settings',
  'settings/audit-log',
  KEY_CHANGE_STOP,
  NOTHING_WAITS,
  POPOVER,
];
