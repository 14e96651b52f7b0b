// Every state of every screen that is looked at, by name: what the hub holds, which place is open,
// and what happens to get there. Never part of the product: only test pages import it.
import type { AttentionDto } from '../../preload/contract/attention.ts';
import type { ApprovalDto, TaskDto } from '../../preload/contract/dto.ts';
import type { OperationName } from '../../preload/contract/operations.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { CALENDAR_RULE, RULED, RULES } from '../fakes/household-rules.ts';
import {
  ASKED,
  ASKED_DANGEROUS,
  DAD_DECIDES,
  WAITING,
  WAITING_FOR_NOBODY,
} from '../fakes/remote-approval-cards.ts';
import { makingHub, trialOf } from '../fakes/rule-making.ts';
import { LEOS as LEOS_TABLET, story } from '../fakes/stories.ts';
import { DECISION_STATES } from './decision-states.ts';
import { AUDIT_LOG_STATES } from './audit-log-states.ts';
import {
  CALM,
  CAR,
  DAD,
  DEPLOY,
  DINNER,
  DINNER_THREAD,
  KNOCK,
  LONG,
  MUM,
  NOW,
  PEERS,
  SALT,
  SETTINGS,
  STRANGER,
  agentOf,
  approvalOf,
  noticeOf,
  pairingOf,
  peerOf,
  snapshotOf,
  TRAIN,
  requestWords,
} from '../fakes/household.ts';

export interface ScreenState {
  /** After "#/". */
  readonly place: string;
  readonly hub: () => FakeHubApi;
  /** The tab that is chosen first. */
  readonly tab?: string;
  /** What a person does next, by accessible name. */
  readonly press?: readonly string[];
  /** The first summary with these words is opened. */
  readonly unfold?: string;
  /** Then this is typed, by the name of its field, and this is ticked. */
  readonly fill?: Readonly<Record<string, string>>;
  readonly tick?: RegExp;
  /** Then this is looked for in what was said. */
  readonly search?: string;
  /** Then this is picked from the first list of that name, one after the other. */
  readonly pick?: Readonly<Record<string, string>>;
  /** In the end the first of these is scrolled to the middle of the picture. */
  readonly show?: string;
  /** Something that happens at the hub once the page is drawn. */
  readonly after?: (hub: FakeHubApi) => void;
  /** A link that somebody opened outside the page. */
  readonly link?: string;
  /** It stands in the popover of the tray. */
  readonly isPopover?: boolean;
  /** Shown within the activation delay. */
  readonly early?: boolean;
}

const never = (name: OperationName) => ({ [name]: () => new Promise<never>(() => {}) });
/** It waits an hour of this hub's own, and whoever asked waits until tomorrow. */
const KEEPABLE = {
  expires_at: NOW + 54 * 60_000,
  wait_ms: 3_600_000,
  deadline_at: NOW + 20 * 3_600_000,
  keep_open_until: NOW + 114 * 60_000,
};
const errandOf = (seed: string, text: string, over: Partial<ApprovalDto> = {}): ApprovalDto =>
  approvalOf(seed, {
    text,
    risk_class: 'R1',
    domain: 'lists.groceries',
    to_agent: 'Household lists',
    from_agent: 'kitchen-bot',
    ...over,
  });
const ERRANDS: readonly ApprovalDto[] = [
  errandOf('errand salt', 'Put salt on the grocery list.', { first_time: 'agent' }),
  errandOf(
    'errand lamps',
    'Put two packs of dishwasher tabs and light bulbs for the cellar on the grocery list.',
    {
      expires_at: NOW + 40 * 60_000,
      reason: 'The last one broke this morning.',
      fields: [
        ['context.socket', 'E27'],
        ['context.watts', '8'],
      ],
    },
  ),
  errandOf('errand tea', 'Take “tea, green” off the grocery list.', {
    expires_at: NOW + 5 * 3_600_000,
  }),
];
const DAEMON = peerOf('greenhouse', {
  name: 'Greenhouse',
  profile: 'reference',
  how_found: 'static',
  address: '192.168.1.40:7100',
  introduced_by: {
    way: 'share_token',
    at: new Date(2026, 2, 3).getTime(),
    by: 'owner:1',
    surface: 'command_line',
  },
  round_trip_ms: 5,
});
/** How many were allowed, let in by a rule and turned away in each hour of the day so far. */
const DAY_AT_THE_DOOR = (
  [
    [6, 0, 1, 0],
    [7, 2, 4, 0],
    [8, 1, 3, 1],
    [10, 1, 2, 0],
    [12, 2, 2, 0],
    [15, 1, 3, 2],
    [17, 2, 5, 1],
  ] as const
).flatMap(([hour, allowed, byRule, away]) => {
  const at = new Date(NOW).setHours(hour, 20);
  const many = (count: number, over: Partial<ApprovalDto>) =>
    Array.from({ length: count }, (_, index) =>
      approvalOf(`${hour} ${index} ${JSON.stringify(over)}`, { decided_at: at, ...over }),
    );
  return [
    ...many(allowed, {
      state: 'approved',
      decided_by: 'Mum',
      surface: 'window',
      task_state: 'completed',
    }),
    ...many(byRule, {
      state: 'approved',
      rule_id: CALENDAR_RULE.id,
      surface: 'rule',
      task_state: 'completed',
    }),
    ...many(away, {
      state: 'declined',
      decided_by: 'Mum',
      surface: 'window',
      task_state: 'declined',
    }),
  ];
});
const LEO = PEERS.find(({ name }) => name === 'Leo’s tablet') ?? DAD;
const LEOS = Array.from({ length: 5 }, (_, index) =>
  approvalOf(`leo ${index}`, { peer_id: LEO.id, peer_name: LEO.name }),
);
const FLOOD = {
  peer_id: LEO.id,
  peer_name: LEO.name,
  since: NOW - 240_000,
  refused: 495,
  silent: true,
};
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const QUIET: AttentionDto = {
  ...CALM,
  quiet_hours: {
    periods: [
      { name: 'Dinner', from: '18:00', to: '19:30', days: EVERY_DAY, on: true },
      { name: 'School', from: '08:00', to: '13:00', days: [1, 2, 3, 4, 5], on: false },
    ],
    urgent_peers: [DAD.id],
  },
  quiet_now: { name: 'Dinner', until: NOW + 5_160_000 },
};
const full = { approvals: [DINNER, DEPLOY, SALT, CAR] };
const pairing = (state: Parameters<typeof pairingOf>[0]): ScreenState => ({
  place: 'people/pair/pairing-1',
  hub: () => new FakeHubApi(snapshotOf({ pairings: [pairingOf(state)] })),
});

const UNREACHED = pairingOf('failed', {
  role: 'initiator',
  request: 'connecting',
  address: null,
  failure:
    'No hub answers at 10.8.0.7:7100. Check that it is running there, that this address and port are the ones its Settings show, and that its firewall lets that UDP port in.',
});

const [, , FIRST, DECIDED] = DINNER_THREAD.entries;
const DINNER_HIT = {
  conversation_id: DINNER_THREAD.conversation.id,
  seq: 3,
  at: NOW,
  direction: 'in' as const,
  kind: 'delegate',
  from: { hub_name: 'Dad’s laptop', agent_name: 'OpenClaw' },
  to: { hub_name: 'Mum’s PC', agent_name: 'Claude Code' },
  snippet: [
    ['Tell the family chat that ', false],
    ['dinner', true],
    [' is at 7.', false],
  ] as const,
  state: 'completed',
  story: DECIDED?.story ?? null,
  decision: DECIDED ?? null,
};
const DECLINED_THERE = story({
  direction: 'outgoing',
  state: 'declined',
  finishedAt: NOW,
  fromAgent: 'claude-code',
  toAgent: 'openclaw',
  verdict: 'declined',
  verdictBy: 'Dad',
  verdictHub: 'dad',
  verdictAt: NOW,
});
/** The same request at the hub that asked: another person declined it there. */
const ASKED_THREAD = {
  conversation: { ...DINNER_THREAD.conversation, title_by: 'us' as const, state: 'declined' },
  entries:
    FIRST === undefined
      ? []
      : [
          {
            ...FIRST,
            direction: 'out' as const,
            who: 'This hub',
            agent: 'claude-code',
            state: null,
          },
          {
            ...FIRST,
            seq: 4,
            kind: 'decision',
            agent: null,
            agent_name: null,
            text: null,
            state: 'declined',
            story: DECLINED_THERE,
            surface: 'peer' as const,
            person: 'Dad',
          },
          {
            ...FIRST,
            seq: 5,
            kind: 'result',
            text: 'A person declined this request: not before homework',
            state: 'declined',
            story: DECLINED_THERE,
          },
        ],
};

const DECIDES = story(
  { party: 'leo', fromAgent: null, toAgent: null },
  {
    kind: 'decision',
    onBehalfOf: {
      hub: LEOS_TABLET,
      asked_by: 'Ben’s phone',
      asking_agent: 'Game helper',
      agent: 'Home robot',
      kind: 'task',
      text: ASKED.text,
      reason: ASKED.reason,
    },
  },
);
/** What another hub's request says that is decided here, and a choice with its options. */
const DECIDES_ENTRIES =
  FIRST === undefined
    ? []
    : [
        {
          ...FIRST,
          kind: 'delegate',
          who: 'Leo’s tablet',
          agent: null,
          agent_name: null,
          text: ASKED.text,
          state: 'awaiting_approval',
          story: DECIDES,
          request: requestWords({
            domain: 'home.doors',
            reason: ASKED.reason,
            fields: ASKED.fields,
            decision: DECIDES,
          }),
        },
        {
          ...FIRST,
          seq: 2,
          kind: 'delegate',
          direction: 'out' as const,
          text: 'How shall we travel?',
          request: requestWords({
            domain: null,
            choice: {
              recommended: 'train',
              options: [
                { id: 'bus', label: 'Take the bus at 9', pros: ['Cheap'], cons: ['Two changes'] },
                { id: 'train', label: 'Take the train at 10', pros: ['Fast'], cons: [] },
              ],
            },
          }),
        },
      ];

/** A task that an agent here gave to Dad's laptop, in many words. */
const GIVEN: TaskDto = {
  id: DINNER.task_id,
  direction: 'outgoing',
  kind: 'delegate',
  state: 'awaiting_approval',
  peer_id: DINNER.peer_id,
  peer_name: 'Dad’s laptop',
  from_agent: 'openclaw',
  to_agent: 'chat',
  domain: null,
  conversation_id: DINNER.conversation_id,
  message_id: DINNER.message_id,
  text: 'Look for the tent, the two sleeping bags and the small stove, and say which of them are in the cellar. '.repeat(
    4,
  ),
  created_at: NOW,
  deadline_at: NOW,
  held_until: null,
  finished_at: null,
  estimated_ms: null,
  code: null,
  reason: null,
  story: story({ direction: 'outgoing', fromAgent: 'openclaw', toAgent: 'chat' }),
  decision: null,
  untrusted: null,
};
const TAKEN: TaskDto = {
  ...GIVEN,
  id: DINNER.task_id,
  direction: 'incoming',
  state: 'running',
  peer_name: DINNER.peer_name,
  text: DINNER.text,
  story: story({
    state: 'running',
    verdict: 'allowed',
    verdictBy: 'Mum',
    verdictAt: NOW,
    handedAt: NOW,
  }),
};
const RUNNING: ApprovalDto = {
  ...DINNER,
  state: 'approved',
  decided_at: NOW,
  decided_by: 'Mum',
  surface: 'window',
  task_state: 'running',
};

export const STATES: Readonly<Record<string, ScreenState>> = {
  'now-running': {
    place: 'now',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          recently_decided: [
            RUNNING,
            { ...SALT, state: 'expired', decided_at: NOW, surface: 'clock' },
            { ...CAR, state: 'declined', decided_at: NOW, decided_by: 'Mum', surface: 'browser' },
          ],
        }),
        { 'tasks.list': () => ({ ok: true, value: { items: [GIVEN, TAKEN], next: null } }) },
      ),
    show: '.btn.stop',
  },
  'people-link-opened': {
    place: 'people/add',
    link: `axon://${'Vh3Kq9wXz7'.repeat(4)}abc@100.101.102.103:7100`,
    hub: () => new FakeHubApi(snapshotOf()),
  },
  popover: { place: 'now', isPopover: true, hub: () => new FakeHubApi(snapshotOf(full)) },
  'popover-empty': {
    place: 'now',
    isPopover: true,
    hub: () => new FakeHubApi(snapshotOf({ approvals: [] })),
  },
  'popover-notices': {
    place: 'now',
    isPopover: true,
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          hub: { ...MUM, copy_at: '192.168.1.8:7100' },
          approvals: [DINNER],
          attention: { ...CALM, paused: { since: NOW, until: null, stopped: false } },
        }),
      ),
  },
  'popover-pause': {
    place: 'now',
    isPopover: true,
    hub: () => new FakeHubApi(snapshotOf({ approvals: [DINNER] })),
    press: ['Pause everything'],
  },
  'now-inbox': { place: 'now', hub: () => new FakeHubApi(snapshotOf(full)) },
  'now-arriving': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ approvals: [DINNER] })),
    early: true,
  },
  'now-reason': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ approvals: [DINNER] })),
    press: ['With a reason'],
  },
  'now-more': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ approvals: [DINNER] })),
    press: ['More choices'],
  },
  'now-answer': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ approvals: [DINNER] })),
    press: ['More choices', 'Answer yourself'],
    fill: { 'Your answer': 'I told them myself; Ana comes at 8.' },
  },
  'now-choose': { place: 'now', hub: () => new FakeHubApi(snapshotOf({ approvals: [TRAIN] })) },
  'now-chosen': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ approvals: [TRAIN, DINNER] })),
    press: ['Choose option 2'],
  },
  'now-suggested': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ approvals: [{ ...SALT, allowed_before: 3 }] })),
    press: ['Make it a rule…'],
  },
  'now-remembered': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ approvals: [SALT, DINNER] })),
    press: ['More choices', 'Allow and remember'],
  },
  'now-ruled': {
    place: 'now',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          rules: RULES,
          recently_decided: [...RULED, ...snapshotOf().recently_decided],
        }),
      ),
  },
  rules: { place: 'rules', hub: () => new FakeHubApi(snapshotOf({ rules: RULES })) },
  'rules-empty': { place: 'rules', hub: () => new FakeHubApi(snapshotOf()) },
  'rules-new': {
    place: 'rules',
    hub: () => makingHub({ rules: RULES }),
    press: ['Make a rule'],
    pick: { 'Who asks': 'Dad’s laptop', 'Done by': 'Household lists', In: 'Logistics grocery' },
  },
  'rules-new-would': {
    place: 'rules',
    hub: () => makingHub({ rules: RULES }),
    press: ['Make a rule'],
    pick: { 'Who asks': 'Dad’s laptop', 'Done by': 'Household lists', In: 'Logistics grocery' },
    show: '.would .row',
  },
  'rules-new-empty': { place: 'rules', hub: () => makingHub(), press: ['Make a rule'] },
  'rules-new-missing': {
    place: 'rules',
    hub: () => makingHub(),
    press: ['Make a rule', 'Make this rule'],
  },
  'rules-new-refused': {
    place: 'rules',
    hub: () =>
      makingHub({ rules: RULES }, [], {
        'rules.preview': () => ({
          ok: false,
          problem: {
            ...problemOf(
              'bad_request',
              'Others see what Claude Code does in "family.chat", or it is hard to undo: a rule lets it in for one named topic only.',
            ),
            hint: 'Name the topic, or say under "Agents" that this area is less risky.',
            data: { field: 'topic' },
          },
        }),
      }),
    press: ['Make a rule'],
    pick: { 'Who asks': 'Leo’s tablet', 'Done by': 'Claude Code', In: 'Family chat' },
  },
  'rules-new-long': {
    place: 'rules',
    hub: () =>
      makingHub(
        {
          peers: [
            peerOf('attic', {
              name: 'The very old computer in the attic that nobody dares to switch off any more',
            }),
          ],
          agents: [
            agentOf('a-very-long-agent-name-that-goes-on-and-on-until-it-is-64-letters', {
              display_name: 'The agent with the longest display name of them all, which goes on',
              risk_class: 'R1',
              domains: [
                {
                  domain: 'family-and-friends.summer-holidays.travel-and-transport.bookings',
                  risk_class: 'R1',
                },
              ],
            }),
          ],
        },
        [
          trialOf(`Book ${'the sleeper train to the sea '.repeat(40)}`, {
            with: 'deliver',
            miss: null,
            peer_name:
              'The very old computer in the attic that nobody dares to switch off any more',
          }),
        ],
      ),
    press: ['Make a rule'],
    pick: {
      'Who asks': 'The very old computer in the attic that nobody dares to switch off any more',
      'Which agent there': 'another, by its name…',
      'Done by': 'The agent with the longest display name of them all, which goes on',
      In: 'Family and friends summer holidays travel and transport bookings',
    },
    fill: {
      'Its name, letter by letter':
        'The helper with a name of its own that is as long as names may be',
    },
  },
  'rules-undo': {
    place: 'rules',
    hub: () => new FakeHubApi(snapshotOf({ rules: RULES })),
    press: ['Remove'],
  },
  'rules-undo-early': {
    place: 'rules',
    hub: () => new FakeHubApi(snapshotOf({ rules: RULES })),
    press: ['Remove'],
    early: true,
  },
  'rules-tested': {
    place: 'rules',
    hub: () =>
      new FakeHubApi(snapshotOf({ rules: RULES }), {
        'rules.test': () => ({
          ok: true,
          value: {
            decision: 'ask',
            ground: 'default',
            agent: 'claude-code',
            agent_name: 'Claude Code',
            risk_class: 'R2',
            rule: null,
            held: null,
            stopped: false,
            considered: [
              { rule: RULES[2] ?? CALENDAR_RULE, miss: 'conversation' },
              { rule: CALENDAR_RULE, miss: 'kind' },
            ],
          },
        }),
      }),
    press: ['Try it'],
  },
  'now-remote-approval': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ approvals: [ASKED] })),
  },
  'now-remote-approval-danger': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ approvals: [ASKED_DANGEROUS] })),
    show: '.type-word',
  },
  'now-remote-approval-waits': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ approvals: [WAITING] })),
  },
  'now-remote-approval-nobody': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ approvals: [WAITING_FOR_NOBODY] })),
  },
  'settings-remote-approval': {
    place: 'settings',
    hub: () =>
      new FakeHubApi(snapshotOf(), {
        'remote_approval.get': () => ({ ok: true, value: DAD_DECIDES }),
      }),
    show: '.remote-approval',
  },
  'settings-remote-approval-wrong': {
    place: 'settings',
    hub: () =>
      new FakeHubApi(snapshotOf(), {
        'remote_approval.set': () => ({
          ok: false,
          problem: problemOf('wrong_passphrase', 'That is not the owner passphrase.'),
        }),
      }),
    press: ['Save who decides'],
    show: '.remote-approval',
  },
  'now-danger': { place: 'now', hub: () => new FakeHubApi(snapshotOf({ approvals: [DEPLOY] })) },
  'now-long': { place: 'now', hub: () => new FakeHubApi(snapshotOf({ approvals: [LONG] })) },
  'now-flags': {
    place: 'now',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          approvals: [
            { ...LONG, urgent: true },
            { ...DINNER, urgent: true, first_time: 'hub' },
          ],
        }),
      ),
  },
  'now-batch': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ approvals: ERRANDS })),
  },
  'now-batch-early': {
    place: 'now',
    early: true,
    hub: () => new FakeHubApi(snapshotOf({ approvals: ERRANDS.slice(0, 2) })),
  },
  'now-batch-changed': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ approvals: [...ERRANDS.slice(0, 2), DINNER] })),
    after: (hub) => {
      const [first] = ERRANDS;
      if (first === undefined) return;
      const text = 'Put salt and champagne on the grocery list.';
      hub.emit({
        type: 'approval',
        approval: { ...first, text, text_length: text.length, revision: 2, digest: 'e'.repeat(64) },
      });
    },
  },
  'now-keep-open': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ approvals: [{ ...DINNER, ...KEEPABLE }] })),
  },
  'now-keep-open-held': {
    place: 'now',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          approvals: [
            { ...DINNER, ...KEEPABLE, held: { why: 'quiet_hours', until: NOW + 12 * 3_600_000 } },
            { ...CAR, held: { why: 'quiet_hours', until: NOW + 12 * 3_600_000 } },
          ],
        }),
      ),
  },
  'now-after': {
    place: 'now',
    hub: () =>
      new FakeHubApi(
        snapshotOf({ approvals: [{ ...DINNER, expires_at: NOW + 60_000 }, SALT, DEPLOY, CAR] }),
      ),
    after: (hub) => {
      hub.emit({
        type: 'approval',
        approval: {
          ...DINNER,
          state: 'approved',
          decided_at: NOW,
          decided_by: 'Mum',
          surface: 'window',
        },
      });
      hub.emit({
        type: 'approval',
        approval: {
          ...SALT,
          state: 'declined',
          decided_at: NOW,
          decided_by: 'Mum',
          surface: 'browser',
          decline_reason: 'not now',
        },
      });
      hub.emit({
        type: 'approval',
        approval: { ...DEPLOY, state: 'expired', decided_at: NOW, surface: 'clock' },
      });
      const text = 'Is anyone using the car on Sunday morning?';
      hub.emit({
        type: 'approval',
        approval: { ...CAR, text, text_length: text.length, revision: 2, digest: 'f'.repeat(64) },
      });
    },
  },
  'now-second': {
    place: 'now',
    hub: () => {
      const hub: FakeHubApi = new FakeHubApi(snapshotOf({ approvals: [DINNER] }), {
        'approvals.decide': () => {
          hub.emitUnheard({
            type: 'approval',
            approval: {
              ...DINNER,
              state: 'declined',
              decided_at: NOW,
              decided_by: 'Dad',
              surface: 'browser',
            },
          });
          return { ok: false, problem: problemOf('already_decided', 'Somebody else was first.') };
        },
      });
      return hub;
    },
    press: ['Allow once'],
  },
  'now-empty': { place: 'now', hub: () => new FakeHubApi(snapshotOf()) },
  'now-activity': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ recently_decided: DAY_AT_THE_DOOR })),
  },
  'now-first': {
    place: 'now',
    hub: () =>
      new FakeHubApi(snapshotOf({ peers: [], agents: [], recently_decided: [], feed: [] })),
  },
  'now-flood': {
    place: 'now',
    hub: () =>
      new FakeHubApi(
        snapshotOf({ approvals: [...LEOS, DINNER], attention: { ...CALM, floods: [FLOOD] } }),
      ),
  },
  'now-muted': {
    place: 'now',
    hub: () =>
      new FakeHubApi(
        snapshotOf({ approvals: [...LEOS, DINNER], attention: { ...CALM, floods: [FLOOD] } }),
      ),
    press: ['Mute for a day'],
  },
  'now-held': {
    place: 'now',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          approvals: [
            { ...SALT, held: { why: 'quiet_hours', until: NOW + 5_160_000 } },
            { ...CAR, held: { why: 'quiet_hours', until: NOW + 5_160_000 } },
          ],
          attention: QUIET,
        }),
      ),
  },
  'now-pause': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ approvals: [DINNER] })),
    press: ['Pause everything'],
  },
  'now-paused': {
    place: 'now',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          approvals: [{ ...DINNER, held: { why: 'paused', until: null } }],
          attention: { ...CALM, paused: { since: NOW, until: null, stopped: false } },
        }),
      ),
  },
  'now-stopped': {
    place: 'now',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          approvals: [],
          attention: { ...CALM, paused: { since: NOW, until: null, stopped: true } },
        }),
      ),
  },
  'settings-kept': { place: 'settings', hub: () => new FakeHubApi(snapshotOf()), show: '.kept' },
  'settings-kept-fixed': {
    place: 'settings',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          settings: {
            ...SETTINGS,
            keep_messages_days: 2_000,
            keep_feed_days: 14,
            fixed_at_start: {
              keep_messages_days: '--keep-messages',
              keep_feed_days: 'AXON_KEEP_FEED',
            },
          },
        }),
      ),
    show: '.kept',
  },
  'settings-quiet': {
    place: 'settings',
    hub: () => new FakeHubApi(snapshotOf({ attention: QUIET })),
    press: ['Add quiet hours'],
  },
  'hub-mute': {
    place: `people/hub/${LEO.id}`,
    hub: () => new FakeHubApi(snapshotOf()),
    press: ['Mute'],
  },
  'hub-suspend': {
    place: `people/hub/${LEO.id}`,
    hub: () => new FakeHubApi(snapshotOf()),
    press: ['Suspend'],
  },
  'hub-remove': {
    place: `people/hub/${LEO.id}`,
    hub: () => new FakeHubApi(snapshotOf()),
    press: ['Remove'],
  },
  'hub-muted': {
    place: `people/hub/${LEO.id}`,
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          attention: {
            ...CALM,
            mutes: [{ peer_id: LEO.id, peer_name: LEO.name, since: NOW, until: NOW + 86_400_000 }],
          },
        }),
      ),
  },
  'now-loading': { place: 'now', hub: () => new FakeHubApi(snapshotOf(), never('hub.snapshot')) },
  'now-lost': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ approvals: [SALT] })),
    after: (hub) => hub.link({ state: 'lost', since: Date.now(), retry_in_ms: 4_500 }),
  },
  'now-locked': {
    place: 'now',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          hub: {
            ...MUM,
            state: 'identity_locked',
            state_detail: 'The login keychain does not answer.',
          },
        }),
      ),
  },
  'now-knock': {
    place: 'now',
    hub: () =>
      new FakeHubApi(snapshotOf({ registrations: [KNOCK], pairings: [pairingOf('offered')] })),
  },
  keys: { place: 'settings', hub: () => new FakeHubApi(snapshotOf()), press: ['Keys'] },
  unreachable: {
    place: 'now',
    hub: () =>
      new FakeHubApi(snapshotOf(), {
        'hub.snapshot': () => ({
          ok: false,
          problem: problemOf(
            'hub_unreachable',
            'The hub on this computer does not answer. Is it running?',
          ),
        }),
      }),
  },
  login: {
    place: 'now',
    hub: () =>
      new FakeHubApi(snapshotOf(), {
        'hub.snapshot': () => ({
          ok: false,
          problem: problemOf('unauthenticated', 'Log in first.'),
        }),
      }),
  },
  'people-home': { place: 'people', hub: () => new FakeHubApi(snapshotOf()) },
  'people-many': {
    place: 'people',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          peers: [
            ...PEERS,
            ...['Kitchen', 'Garage', 'Studio', 'Hallway'].map((name, index) =>
              peerOf(name, { name, person: 'Shared', round_trip_ms: 2 + index }),
            ),
            peerOf('cabin', {
              name: 'Cabin',
              person: 'Dad',
              how_found: 'static',
              round_trip_ms: 61,
            }),
          ],
        }),
      ),
  },
  'people-empty': { place: 'people', hub: () => new FakeHubApi(snapshotOf({ peers: [STRANGER] })) },
  'people-hub': { place: `people/hub/${DAD.id}`, hub: () => new FakeHubApi(snapshotOf()) },
  'people-key-changed': {
    place: 'now',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          approvals: [DINNER],
          peers: [
            ...PEERS.filter(({ id }) => id !== DAD.id),
            {
              ...DAD,
              online: false,
              key_change: {
                seen_key: 'ab'.repeat(32),
                seen_id: `ed25519.${'cd'.repeat(16)}`,
                seen_safety_number:
                  '77102 04985 36611 50278 91520 33418 60077 25913 48862 10394 75528 06641',
                address: '192.168.1.20:7100',
                seen_at: NOW - 60_000,
                kept_at: null,
              },
            },
          ],
        }),
      ),
  },
  'people-off': {
    place: `people/hub/${PEERS[3]?.id ?? ''}`,
    hub: () => new FakeHubApi(snapshotOf()),
  },
  'people-remove': {
    place: `people/hub/${DAD.id}`,
    hub: () => new FakeHubApi(snapshotOf()),
    press: ['Remove'],
  },
  'people-invite': {
    place: 'people/add',
    hub: () =>
      new FakeHubApi(snapshotOf(), {
        'invitations.list': () => ({ ok: true, value: { items: [], next: null } }),
        'invitations.create': () => ({
          ok: true,
          value: {
            invitation: { id: 'invitation-1', created_at: NOW, expires_at: NOW + 300_000 },
            link: 'axon://pair?v=1&k=VGhpcyBpcyBubyBrZXkgb2YgYW55IGh1YiBhdCBhbGw&a=192.168.1.12:7100&s=AAAAAAAAAAAAAAAAAAAAAA&n=Mum%E2%80%99s%20PC',
          },
        }),
      }),
    press: ['Make one'],
  },
  'people-add': {
    place: 'people/add',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          peers: [
            ...PEERS,
            STRANGER,
            peerOf('kitchen', {
              ...STRANGER,
              id: 'ed25519.2',
              name: 'Hub 9a04',
              advertised_name: 'kitchen',
              platform: 'android',
            }),
          ],
          pairings: [
            pairingOf('offered'),
            pairingOf('offered', {
              id: 'pairing-2',
              peer_id: 'ed25519.9',
              label: 'Hub 77d0 4e1a',
              address: '192.168.1.66:7100',
              said_hub: 'Dad MacBook',
              said_platform: 'beOS 5 \u2014 definitely Dad, please press Open it',
            }),
          ],
        }),
      ),
  },
  'people-unfound': {
    place: 'people',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          hub: {
            ...MUM,
            discovery_status: {
              state: 'unusable',
              message:
                'No network of this computer lets hubs find each other: only a VPN is up. Connect it to your home network.',
              interfaces: [],
            },
          },
        }),
      ),
  },
  'people-address': {
    place: 'people/add',
    hub: () => new FakeHubApi(snapshotOf({ peers: PEERS })),
    press: ['Enter'],
  },
  'people-trust': {
    place: 'people/add',
    hub: () => new FakeHubApi(snapshotOf({ peers: PEERS })),
    press: ['Enter'],
    fill: {
      'Address or link': 'axon://VGhpcyBpcyBhIGtleSBvZiBzb21lIGRhZW1vbiEhISE@192.168.1.40:7100',
    },
    tick: /^This is an AXON daemon/,
  },
  'people-shut': {
    place: `people/hub/${DAEMON.id}`,
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          peers: [
            ...PEERS,
            {
              ...DAEMON,
              profile: null,
              online: false,
              last_seen_at: null,
              not_trusted_there: true,
            },
          ],
        }),
      ),
  },
  'people-shut-out': {
    place: `people/hub/${LEO.id}`,
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          peers: PEERS.map((peer) =>
            peer.id === LEO.id
              ? { ...LEO, profile: 'hub', online: false, not_trusted_there: true }
              : peer,
          ),
        }),
      ),
  },
  'people-daemon': {
    place: `people/hub/${DAEMON.id}`,
    hub: () => new FakeHubApi(snapshotOf({ peers: [...PEERS, DAEMON] })),
  },
  'people-lookalike': {
    place: 'people/add',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          peers: [
            ...PEERS,
            {
              ...STRANGER,
              untrusted: { ...STRANGER.untrusted, advertised_name: 'Dad’s laptop' },
              lookalike: 'Dad’s laptop',
            },
          ],
        }),
      ),
  },
  'pair-looking': {
    place: 'people/pair/pairing-1',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          pairings: [
            pairingOf('waiting_for_answer', { request: 'connecting', address: '10.8.0.7:7100' }),
          ],
        }),
      ),
  },
  'pair-waiting': pairing('waiting_for_answer'),
  'pair-taken': {
    place: 'people/pair/pairing-1',
    hub: () =>
      new FakeHubApi(
        snapshotOf({ pairings: [pairingOf('waiting_for_answer', { request: 'taken' })] }),
      ),
  },
  'pair-refused': {
    place: 'people/pair/pairing-1',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          pairings: [
            {
              ...UNREACHED,
              invited: true,
              address: '10.8.0.7:7100',
              failure:
                'The invitation no longer works there: it was used, is over or was revoked. Ask for a new one.',
            },
          ],
        }),
      ),
  },
  'pair-unreached': {
    place: 'people/pair/pairing-1',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          peers: [...PEERS, { ...STRANGER, how_found: 'static' }],
          pairings: [UNREACHED],
        }),
      ),
  },
  'people-attempts': {
    place: 'people/add',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          peers: [...PEERS, { ...STRANGER, how_found: 'static' }],
          pairings: [
            pairingOf('type_six', { label: 'Hub 77d0 4e1a' }),
            { ...UNREACHED, id: 'pairing-2' },
          ],
        }),
      ),
  },
  'people-asked': {
    place: 'people',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          pairing_window: {
            open: false,
            closes_at: null,
            locked_until: null,
            asked: { label: STRANGER.label },
          },
        }),
      ),
  },
  'pair-offered': pairing('offered'),
  'pair-show-six': pairing('show_six'),
  'pair-type-six': pairing('type_six'),
  'pair-show-two': pairing('show_two'),
  'pair-type-two': pairing('type_two'),
  'pair-confirming': pairing('confirming'),
  'pair-paired': {
    place: 'people/pair/pairing-1',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          peers: [...PEERS.slice(2), { ...DAD, person: null }],
          pairings: [pairingOf('paired', { peer_id: DAD.id })],
        }),
      ),
  },
  'pair-failed': pairing('failed'),
  feed: { place: 'feed', hub: () => new FakeHubApi(snapshotOf()) },
  'feed-fields': {
    place: 'feed',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          feed: [
            noticeOf(
              '{\n  "who": [\n    "Dad",\n    "Leo"\n  ],\n  "back_at": "18:40",\n  "Bus#": 7\n}',
              20,
              {
                unread: true,
                fields: [
                  ['who[0]', 'Dad'],
                  ['who[1]', 'Leo'],
                  ['back_at', '18:40'],
                  ['["Bus#"]', '7'],
                ],
              },
            ),
            ...snapshotOf().feed,
          ],
        }),
      ),
  },
  'feed-empty': { place: 'feed', hub: () => new FakeHubApi(snapshotOf({ feed: [] })) },
  conversations: { place: 'conversations', hub: () => new FakeHubApi(snapshotOf()) },
  'conversation-asked': {
    place: `conversations/${DINNER_THREAD.conversation.id}`,
    hub: () =>
      new FakeHubApi(snapshotOf(), {
        'conversations.get': () => ({
          ok: true,
          value: {
            ...DINNER_THREAD,
            conversation: ASKED_THREAD.conversation,
            entries: ASKED_THREAD.entries,
          },
        }),
      }),
  },
  'people-one-home': {
    place: 'people',
    hub: () =>
      new FakeHubApi(snapshotOf({ peers: PEERS.map((peer) => ({ ...peer, same_network: true })) })),
  },
  'card-looks-task': {
    place: 'now',
    hub: () => new FakeHubApi(snapshotOf({ approvals: [{ ...DINNER, risk_class: 'R0' }] })),
  },
  'conversation-decides': {
    place: `conversations/${DINNER_THREAD.conversation.id}`,
    hub: () =>
      new FakeHubApi(snapshotOf(), {
        'conversations.get': () => ({
          ok: true,
          value: { ...DINNER_THREAD, entries: DECIDES_ENTRIES },
        }),
      }),
  },
  'conversation-open': {
    place: `conversations/${DINNER_THREAD.conversation.id}`,
    hub: () => new FakeHubApi(snapshotOf()),
  },
  'conversation-search': {
    place: 'conversations',
    hub: () =>
      new FakeHubApi(snapshotOf(), {
        'history.search': () => ({ ok: true, value: { items: [DINNER_HIT], next: null } }),
      }),
    search: 'dinner',
  },
  'conversation-details': {
    place: `conversations/${DINNER_THREAD.conversation.id}`,
    hub: () => new FakeHubApi(snapshotOf()),
    unfold: 'Details',
  },
  'conversation-remove': {
    place: `conversations/${DINNER_THREAD.conversation.id}`,
    hub: () => new FakeHubApi(snapshotOf()),
    press: ['Remove this conversation'],
    show: '.pane .inset',
  },
  agents: { place: 'agents', hub: () => new FakeHubApi(snapshotOf({ registrations: [KNOCK] })) },
  'agents-knock': {
    place: 'agents',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          registrations: [{ ...KNOCK, agent_name: 'cursor', display_name: 'Cursor' }],
        }),
      ),
    tab: 'Cursor',
    show: '.first-call',
  },
  'agents-home-assistant': {
    place: 'agents',
    hub: () => new FakeHubApi(snapshotOf()),
    tab: 'Home Assistant',
    show: '.first-call',
  },
  'agents-python': {
    place: 'agents',
    hub: () => new FakeHubApi(snapshotOf()),
    tab: 'Python',
    show: '.first-call',
  },
  'agents-something-else': {
    place: 'agents',
    hub: () => new FakeHubApi(snapshotOf({ agents: [] })),
    tab: 'Something else',
    show: '[role=tabpanel]',
  },
  'agents-by-hand': {
    place: 'agents',
    hub: () => new FakeHubApi(snapshotOf({ agents: [] })),
    unfold: 'Or make a token by hand',
    show: 'form',
  },
  'agents-called': {
    place: 'agents',
    hub: () => new FakeHubApi(snapshotOf()),
    show: '.first-call',
  },
  'agents-leave': { place: 'agents', hub: () => new FakeHubApi(snapshotOf()), press: ['Remove'] },
  'agents-rename': { place: 'agents', hub: () => new FakeHubApi(snapshotOf()), press: ['Rename'] },
  'agents-ask-token': {
    place: 'agents',
    hub: () => new FakeHubApi(snapshotOf()),
    press: ['New token'],
  },
  'agents-empty': { place: 'agents', hub: () => new FakeHubApi(snapshotOf({ agents: [] })) },
  'agents-token': {
    place: 'agents',
    hub: () =>
      new FakeHubApi(
        snapshotOf({ agents: [agentOf('claude-code', { display_name: 'Claude Code' })] }),
        {
          'agents.issueToken': () => ({
            ok: true,
            value: { token: 'axh_agent_2f7b_5XhGqkq0b8cR1yJmZkTn4wVd9sLpUeAo' },
          }),
        },
      ),
    press: ['New token', 'Make a new one'],
  },
  settings: {
    place: 'settings',
    hub: () =>
      new FakeHubApi(
        snapshotOf({
          settings: SETTINGS,
          hub: {
            ...MUM,
            warnings: ['The key stands in a file: no keychain answers on this computer.'],
          },
        }),
      ),
  },
  'settings-licences': { place: 'settings/licences', hub: () => new FakeHubApi(snapshotOf()) },
  ...AUDIT_LOG_STATES,
  ...DECISION_STATES,
  'now-refused': {
    place: 'now',
    hub: () =>
      new FakeHubApi(snapshotOf({ approvals: [approvalOf('disk')] }), {
        'approvals.decide': () => ({
          ok: false,
          problem: problemOf(
            'storage_failed',
            'The disk of this computer is full, so the decision could not be kept.',
          ),
        }),
      }),
    press: ['Allow once'],
  },
};
