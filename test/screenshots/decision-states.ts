// More states that are looked at: of what a person puts off, answers, decides together or is
// offered peace from, of a hub's invitation, and of what stands further down a page.
import { DAD_DECIDES, WAITING } from '../fakes/remote-approval-cards.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import {
  CALM,
  DAD,
  DEPLOY,
  DINNER,
  NOW,
  PEERS,
  SALT,
  approvalOf,
  snapshotOf,
} from '../fakes/household.ts';
import type { ScreenState } from './states.ts';

const HOUR_MS = 3_600_000;
const LONG_NAME = 'Grandma Margarethe’s all-in-one kitchen computer by the window';
/** May be kept open longer, and put off. */
const PATIENT = {
  ...DINNER,
  expires_at: NOW + 1.5 * HOUR_MS,
  wait_ms: HOUR_MS,
  deadline_at: NOW + 20 * HOUR_MS,
  keep_open_until: NOW + 2.5 * HOUR_MS,
};
const SMALL = ['Put salt on the grocery list.', 'Take “tea, green” off the grocery list.'].map(
  (text, index) =>
    approvalOf(`small ${index}`, {
      text,
      risk_class: 'R1',
      domain: 'lists.groceries',
      to_agent: 'Household lists',
      from_agent: 'kitchen-bot',
    }),
);
const ASKS_OFTEN = {
  peer_id: DAD.id,
  peer_name: DAD.name,
  since: NOW - 600_000,
  refused: 0,
  silent: true,
};
const INVITED = {
  way: 'invitation_made_here',
  at: NOW - 40 * 24 * HOUR_MS,
  by: 'owner:1',
  surface: 'window',
} as const;
const ANSWERED = {
  ...DINNER,
  state: 'answered',
  decided_at: NOW,
  decided_by: 'Mum',
  surface: 'window',
  task_state: 'completed',
  own_answer: { text: 'I told them myself; Ana comes at 8.', choice: null },
} as const;
/** A program of this computer asks for itself, and two agents do not end. */
const WANTS_TO_RUN = approvalOf('wants to run', {
  kind: 'query',
  peer_id: null,
  peer_name: 'Mum’s PC',
  person: null,
  domain: null,
  from_agent: 'Claude Code',
  to_agent: '',
  text: 'Bash\nrm -rf build && npm run build',
  fields: [
    ['context.folder', '/home/mum/shop'],
    ['context.argument.description', 'Build the shop anew'],
  ],
  risk_class: 'R3',
  risk_reason: 'own_tool',
  leaves: 'nothing',
  expires_at: NOW + 40_000,
  wider: [],
  permission: { folder: '/home/mum/shop' },
});
const now = (over: Parameters<typeof snapshotOf>[0]): ScreenState => ({
  place: 'now',
  hub: () => new FakeHubApi(snapshotOf(over)),
});

export const DECISION_STATES: Readonly<Record<string, ScreenState>> = {
  'now-permission': now({ approvals: [WANTS_TO_RUN, { ...DINNER, turns: 12 }] }),
  'now-turns': { ...now({ approvals: [{ ...DINNER, turns: 12 }] }), show: '.card .in' },
  'now-later': now({ approvals: [PATIENT] }),
  'now-put-off': {
    ...now({ approvals: [PATIENT, SALT] }),
    press: ['More choices', 'Later: ask me again in an hour'],
  },
  'now-answered': {
    ...now({ approvals: [{ ...DINNER, expires_at: NOW + 60_000 }, DEPLOY] }),
    after: (hub) => hub.emit({ type: 'approval', approval: ANSWERED }),
  },
  'now-answered-before': now({ recently_decided: [ANSWERED, ...snapshotOf().recently_decided] }),
  'now-batch-buttons': { ...now({ approvals: SMALL }), show: '.batch .do' },
  'now-batch-allowed': { ...now({ approvals: [...SMALL, DINNER] }), press: ['Allow these 2'] },
  'now-peace-offered': {
    ...now({ approvals: [DINNER], attention: { ...CALM, floods: [ASKS_OFTEN] } }),
    show: '.suggest',
  },
  'now-buttons': {
    ...now({ approvals: [{ ...DINNER, allowed_before: 3 }] }),
    show: '.card .in.do',
  },
  'now-danger-buttons': { ...now({ approvals: [DEPLOY] }), show: '.type-word' },
  'now-remote-approval-waits-long': {
    ...now({
      approvals: [
        {
          ...WAITING,
          decided_by_hubs: ['asked', 'away', 'asked'].map((state, index) => ({
            id: `hub ${index}`,
            name: index === 1 ? 'Dad’s laptop' : `${LONG_NAME}, number ${index + 1}`,
            person: null,
            state: state === 'away' ? 'away' : 'asked',
          })),
        },
      ],
    }),
    show: '.decides',
  },
  'people-role': {
    place: `people/hub/${DAD.id}`,
    hub: () => new FakeHubApi(snapshotOf()),
    press: ['Name and role'],
  },
  'settings-remote-approval-nobody': {
    place: 'settings',
    hub: () =>
      new FakeHubApi(snapshotOf(), {
        'remote_approval.get': () => ({ ok: true, value: { from: null, hubs: [] } }),
      }),
    show: '.remote-approval',
  },
  'people-join': {
    place: 'people/add',
    hub: () => new FakeHubApi(snapshotOf()),
    press: ['Use one'],
  },
  'people-invited': {
    place: `people/hub/${DAD.id}`,
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          peers: PEERS.map((peer) =>
            peer.id === DAD.id ? { ...peer, name: LONG_NAME, introduced_by: INVITED } : peer,
          ),
        }),
      ),
  },
  'settings-remote-approval-buttons': {
    place: 'settings',
    hub: () =>
      new FakeHubApi(snapshotOf(), {
        'remote_approval.get': () => ({ ok: true, value: DAD_DECIDES }),
      }),
    show: '.remote-approval [type="submit"]',
  },
  'settings-passphrase': {
    place: 'settings/passphrase',
    hub: () => new FakeHubApi(snapshotOf()),
    press: ['Set it'],
    show: '#passphrase',
  },
  'login-link': {
    place: 'now',
    hub: () =>
      new FakeHubApi(snapshotOf(), {
        'hub.snapshot': () => ({
          ok: false,
          problem: problemOf('unauthenticated', 'Log in first.'),
        }),
      }),
    press: ['Use a login link'],
  },
  'conversations-empty': {
    place: 'conversations',
    hub: () =>
      new FakeHubApi(snapshotOf(), {
        'conversations.list': () => ({ ok: true, value: { items: [], next: null } }),
      }),
  },
  'agents-rename': {
    place: 'agents',
    hub: () => new FakeHubApi(snapshotOf()),
    press: ['Rename'],
  },
  'agents-remove': {
    place: 'agents',
    hub: () => new FakeHubApi(snapshotOf()),
    press: ['Remove'],
  },
  'settings-foot': {
    place: 'settings',
    hub: () => new FakeHubApi(snapshotOf()),
    show: '.main .sec:last-of-type',
  },
};
