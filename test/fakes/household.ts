// A household on a Saturday evening, as the hub on Mum's PC holds it: the data that component tests
// and screenshots are drawn from.
import { readableHandle } from '../../preload/contract/agent-name.ts';
import type { AttentionDto } from '../../preload/contract/attention.ts';
import type {
  AgentDto,
  ApprovalDto,
  CapabilitiesDto,
  FeedItemDto,
  HubDto,
  PeerDto,
  RegistrationDto,
  UiSnapshot,
} from '../../preload/contract/dto.ts';
import { inStep, storyIn, storyOfApproval } from './stories.ts';
import { SETTING_DEFAULTS } from '../../preload/contract/settings.ts';
import type { SessionDto, SettingsDto } from '../../preload/contract/settings-dto.ts';
import type { PairingDto } from '../../preload/contract/pairing-dto.ts';
import type {
  ConversationDetailDto,
  RequestWordsDto,
  ConversationDto,
  InspectionDto,
} from '../../preload/contract/conversation-dto.ts';

/** Saturday 21 November 2026, 18:04:00 by the clock on the wall of whoever runs this. */
export const NOW = new Date(2026, 10, 21, 18, 4, 0).getTime();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const hex = (seed: string, length: number): string => {
  let value = 0x811c9dc5;
  let text = '';
  for (let index = 0; text.length < length; index++) {
    for (const character of `${seed}${index}`)
      value = Math.imul(value ^ character.charCodeAt(0), 0x01000193) >>> 0;
    text += value.toString(16).padStart(8, '0');
  }
  return text.slice(0, length);
};
export const uuidOf = (seed: string): string => {
  const digits = hex(seed, 32);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
};
/**
 * The handle of an agent that a test names as people read it: "Home Assistant" is "home-assistant".
 * Anything odd stays as it is.
 */
export const handleOf = (name: string): string =>
  /^[A-Za-z]+(?: [A-Za-z]+)*$/.test(name) ? name.toLowerCase().replaceAll(' ', '-') : name;
/** As people read it; null and "" say that there is none. */
export const shownOf = <Name extends string | null>(name: Name): Name | string =>
  name === null ? name : readableHandle(name);
const agentId = (seed: string): string => `ed25519.${hex(seed, 32)}`;
const labelOf = (seed: string): string => `Hub ${hex(seed, 4)} ${hex(seed, 8).slice(4)}`;

export const MUM: HubDto = {
  state: 'running',
  state_detail: null,
  agent_id: agentId('mum'),
  public_key: hex('mum', 64),
  label: labelOf('mum'),
  name: 'Mum’s PC',
  person: 'Mum',
  version: '0.1.0',
  platform: 'linux',
  api_port: 7117,
  peer_port: 7100,
  share_tokens: ['axon://VGhpcyBpcyBubyBrZXkgb2YgYW55IGh1YiBhdCBhbGw@192.168.1.12:7100'],
  started_at: NOW - 3 * DAY,
  discovery: true,
  discovery_status: { state: 'working', message: null, interfaces: ['eth0'] },
  key_storage: 'keychain',
  warnings: [],
  audit: 'ok',
  tamper_finding: null,
  date_in_question: null,
  copy_at: null,
  restored_copy: null,
  passphrase_set: true,
  desktop: true,
  command: 'axon',
  curl: 'curl -sS --unix-socket /home/mum/.local/share/axon-hub/hub.sock http://localhost',
};

export const SETTINGS: SettingsDto = {
  ...SETTING_DEFAULTS,
  name: 'Mum’s PC',
  person: 'Mum',
  theme: 'light',
  start_at_login: true,
  fixed_at_start: {},
};

const capabilities = (
  agents: readonly (readonly [string, readonly string[]])[],
): CapabilitiesDto => ({
  fetched_at: NOW - 12 * MINUTE,
  untrusted: {
    agent_name: agents[0]?.[0] ?? null,
    domains: agents.flatMap(([, domains]) => domains),
    channels: [],
    tools: [],
    max_concurrent_tasks: 4,
    model: null,
    agents: agents.map(([name, domains]) => ({
      name: handleOf(name),
      display_name: name,
      domains,
      examples: domains
        .filter((domain) => domain === 'travel')
        .map((domain) => ({ domain, example: 'Which train leaves for Basel next?' })),
      capabilities: [],
      model: null,
    })),
    more_agents: 0,
  },
});

/** What a hub said of itself may be given beside the rest. */
type PeerOver = Partial<PeerDto & PeerDto['untrusted']>;

export function peerOf(seed: string, over: PeerOver = {}): PeerDto {
  const { untrusted, ...given } = over;
  const {
    advertised_name = untrusted?.advertised_name ?? null,
    platform = untrusted === undefined ? 'linux' : untrusted.platform,
    features = untrusted?.features ?? ['delegate', 'notify', 'query'],
    ...rest
  } = given;
  return {
    id: agentId(seed),
    public_key: hex(seed, 64),
    label: labelOf(seed),
    trust: 'paired',
    name: seed,
    person: null,
    role: null,
    online: true,
    round_trip_ms: 3,
    last_seen_at: NOW,
    address: '192.168.1.20:7100',
    how_found: 'home_network',
    same_network: true,
    untrusted: { advertised_name, platform, features },
    capabilities: null,
    paired_at: new Date(2026, 2, 3).getTime(),
    introduced_by: {
      way: 'digits',
      at: new Date(2026, 2, 3).getTime(),
      by: 'ui:1',
      surface: 'browser',
    },
    safety_number: '30517 88214 09466 71205 52931 64880 19357 40026 85513 27749 60182 93340',
    profile: 'hub',
    not_trusted_there: false,
    trouble: null,
    lookalike: null,
    key_change: null,
    ...rest,
  };
}

export const DAD = peerOf('dad', {
  name: 'Dad’s laptop',
  person: 'Dad',
  role: 'adult',
  advertised_name: 'DESKTOP-7F2K (Dad)',
  platform: 'darwin',
  capabilities: capabilities([
    ['OpenClaw', ['family', 'family.calendar', 'travel']],
    ['Cursor', ['work.code']],
  ]),
});
export const PEERS: readonly PeerDto[] = [
  peerOf('attic', {
    name: 'Attic',
    person: 'Shared',
    round_trip_ms: 1,
    capabilities: capabilities([['Home Assistant', ['home']]]),
  }),
  DAD,
  peerOf('leo', {
    name: 'Leo’s tablet',
    person: 'Leo',
    role: 'child',
    platform: 'android',
    round_trip_ms: 11,
    capabilities: capabilities([['Homework helper', ['family.school']]]),
  }),
  peerOf('mia', {
    name: 'Mia’s laptop',
    person: 'Mia',
    platform: 'darwin',
    online: false,
    round_trip_ms: null,
    last_seen_at: NOW - 2 * DAY + 3 * HOUR,
    trouble: 'Mia’s laptop does not answer at 192.168.1.31. It may simply be off.',
  }),
  peerOf('nana', {
    name: 'Nana’s flat',
    person: 'Nana',
    role: 'guest',
    platform: 'win32',
    round_trip_ms: 38,
    how_found: 'static',
    same_network: false,
    introduced_by: {
      way: 'invitation_made_here',
      at: new Date(2026, 2, 3).getTime(),
      by: 'ui:1',
      surface: 'window',
    },
    capabilities: capabilities([['Visit planner', ['family.visit']]]),
  }),
];
export const STRANGER = peerOf('sam', {
  trust: 'discovered',
  name: 'Hub 3f2a',
  label: 'Hub 3f2a 91bc',
  online: false,
  round_trip_ms: null,
  last_seen_at: NOW - 12_000,
  paired_at: null,
  introduced_by: null,
  safety_number: null,
  platform: null,
  features: [],
});

/** What the hub offers for a request that names an area, by its class. */
function widerOf(riskClass: ApprovalDto['risk_class']): ApprovalDto['wider'] {
  if (riskClass === 'R3') return [];
  return riskClass === 'R2'
    ? ['conversation', 'never']
    : ['conversation', 'until', 'always', 'never'];
}

export function approvalOf(seed: string, over: Partial<ApprovalDto> = {}): ApprovalDto {
  const { from_agent: from = 'OpenClaw', to_agent: to = 'Claude Code' } = over;
  const text =
    over.text ??
    'Tell the family chat that dinner is at 7. Ask everyone who is coming for a thumbs up.';
  const card: Omit<ApprovalDto, 'story'> = {
    id: uuidOf(seed),
    task_id: uuidOf(`${seed} task`),
    revision: 1,
    digest: hex(`${seed}${text}`, 64),
    state: 'pending',
    held: null,
    kind: 'delegate',
    peer_id: DAD.id,
    peer_name: 'Dad’s laptop',
    person: 'Dad',
    verified: true,
    domain: 'family.chat',
    risk_class: 'R2',
    risk_reason: 'domain_class',
    text,
    text_length: [...text].length,
    fields: [],
    reason: null,
    urgent: false,
    first_time: null,
    leaves: 'result',
    report_back: true,
    received_at: NOW - 6 * MINUTE,
    expires_at: NOW + 8 * MINUTE,
    deadline_at: over.expires_at ?? NOW + 8 * MINUTE,
    wait_ms: (over.expires_at ?? NOW + 8 * MINUTE) - (over.received_at ?? NOW - 6 * MINUTE),
    keep_open_until: null,
    decided_at: null,
    decided_by: null,
    surface: null,
    rule_id: null,
    decline_reason: null,
    own_answer: null,
    choice: null,
    decided_by_hubs: null,
    remote_question: null,
    conversation_id: uuidOf(`${seed} conversation`),
    message_id: uuidOf(`${seed} message`),
    task_state: 'awaiting_approval',
    task_revision: 1,
    wider: widerOf(over.risk_class ?? 'R2'),
    allowed_before: 0,
    turns: null,
    permission: null,
    runner: {
      reach: 'itself',
      webhook: null,
      asks_model: null,
      presence: 'online',
      last_call_at: NOW - 22_000,
    },
    from_name: shownOf(from),
    to_name: shownOf(to),
    ...over,
    from_agent: from === null ? null : handleOf(from),
    to_agent: handleOf(to),
  };
  return { ...card, story: over.story ?? storyOfApproval(card) };
}

export const TRAIN = approvalOf('train', {
  peer_name: 'Nana’s flat',
  person: 'Nana',
  to_agent: '',
  domain: null,
  risk_class: 'R0',
  risk_reason: 'nothing_runs',
  text: 'Which train should I book for the visit on Saturday 28 November?',
  choice: {
    options: [
      {
        id: 'direct',
        label: 'Saturday 09:12, direct',
        pros: ['No change of trains', 'Arrives for lunch, 11:48'],
        cons: ['Costs 41.90 euros'],
      },
      {
        id: 'change',
        label: 'Saturday 10:40, one change',
        pros: ['Costs 19.90 euros'],
        cons: ['Change in Fulda with 7 minutes', 'Arrives at 14:05'],
      },
    ],
    recommended: 'direct',
  },
  fields: [
    ['act', 'escalate'],
    ['options[0].id', 'direct'],
    ['options[0].label', 'Saturday 09:12, direct'],
    ['options[0].seat', 'by the window'],
    ['recommendation', 'direct'],
  ],
  wider: [],
  expires_at: NOW + 116 * MINUTE,
});

export const DINNER = approvalOf('dinner', {
  first_time: 'domain',
  reason: 'Dad asked me to arrange dinner before he leaves the office.',
  fields: [
    ['context.dinner_time', '7:00 PM'],
    ['context.location', 'home'],
  ],
});
export const DEPLOY = approvalOf('deploy', {
  text: 'Merge the branch price-list into main and deploy the shop website to production',
  domain: 'work.projects',
  risk_class: 'R3',
  urgent: true,
  fields: [
    ['context.branch', 'price-list'],
    ['context.site', 'shop'],
  ],
  expires_at: NOW + 10 * MINUTE,
});
export const SALT = approvalOf('salt', {
  text: 'Add dishwasher salt, 2 kg, to the shopping list for Monday',
  peer_id: PEERS[0]?.id ?? null,
  peer_name: 'Attic',
  person: 'Shared',
  from_agent: 'Home Assistant',
  to_agent: 'Household lists',
  domain: 'logistics.grocery',
  risk_class: 'R1',
  leaves: 'nothing',
  report_back: false,
  expires_at: NOW + 12 * HOUR,
});
export const CAR = approvalOf('car', {
  kind: 'query',
  text: 'Is anyone using the car on Saturday morning?',
  to_agent: 'Household lists',
  domain: 'family.calendar',
  risk_class: 'R1',
  risk_reason: 'agent_class',
  expires_at: NOW + 40_000,
});
export const LONG = approvalOf('long', {
  peer_id: PEERS[4]?.id ?? null,
  peer_name: 'Grandma Margarethe’s all-in-one kitchen computer by the window',
  person: 'Grandma Margarethe',
  from_agent: 'recipe-and-household-planning-assistant-nightly',
  domain: 'letters.housing-association.city-council',
  first_time: 'hub',
  expires_at: NOW + 26 * MINUTE,
  text: [
    'Please write to the housing association about the stairwell light.',
    'It has been flickering since 3 November and went out on the 17th. I fell on the second step on the 18th; nothing is broken, but Doctor Lindqvist wants it on record.',
    'Reference: [U+202E]gnp.4711-exe[U+202C] and https://housing.example/tickets/stairwell/2026/11/17/0000000000000000000000000000000000000000000000481516.',
    'Ask for three things: a date for the repair, who pays for the taxi, and a rail on the left-hand side.',
    ...Array.from(
      { length: 9 },
      (_, index) =>
        `Point ${index + 1}. The neighbours on floor ${index + 1} have said the same, and would sign.`,
    ),
    'Thank you, and greet the children.',
  ].join('\n\n'),
});

export const DECIDED: readonly ApprovalDto[] = [
  approvalOf('milk', {
    state: 'approved',
    text: 'Is milk on the list?',
    kind: 'query',
    peer_name: 'Attic',
    to_agent: 'Household lists',
    decided_at: NOW - 23 * MINUTE,
    decided_by: 'Mum',
    surface: 'window',
    task_state: 'completed',
  }),
  approvalOf('screen', {
    state: 'declined',
    text: 'Please add 30 minutes to the tablet, I finished everything',
    peer_name: 'Leo’s tablet',
    decided_at: NOW - 3 * HOUR,
    decided_by: 'Mum',
    surface: 'browser',
    decline_reason: 'ask me in person',
    task_state: 'declined',
  }),
  approvalOf('suitcase', {
    state: 'expired',
    text: 'Should I bring the big suitcase or the small one?',
    peer_name: 'Nana’s flat',
    expires_at: NOW - DAY,
    decided_at: NOW - DAY,
    surface: 'clock',
    task_state: 'expired',
  }),
];

export function agentOf(name: string, over: Partial<AgentDto> = {}): AgentDto {
  return {
    name,
    connected_as: name,
    display_name: shownOf(name),
    dialect: 'axon',
    state: 'active',
    risk_class: 'R2',
    domains: [],
    capabilities: [],
    channels: [],
    tools: [],
    topics: [],
    broadcasts: true,
    model: null,
    concurrency: 4,
    is_default: false,
    presence: 'online',
    reach: 'itself',
    webhook: null,
    asks_model: null,
    busy: false,
    line: { door: 'http', program: null, since: NOW - 3 * HOUR },
    active_tasks: 0,
    queued: 0,
    created_at: NOW - 200 * DAY,
    last_call_at: NOW - 22_000,
    token_created_at: NOW - 200 * DAY,
    ...over,
  };
}

export const AGENTS: readonly AgentDto[] = [
  agentOf('claude-code', {
    display_name: 'Claude Code',
    is_default: true,
    domains: [
      { domain: 'family.chat', risk_class: 'R2' },
      { domain: 'work.projects', risk_class: 'R3' },
    ],
  }),
  agentOf('household-lists', {
    display_name: 'Household lists',
    risk_class: 'R1',
    active_tasks: 3,
    queued: 2,
    domains: [
      { domain: 'logistics.grocery', risk_class: 'R1' },
      { domain: 'family.calendar', risk_class: 'R0' },
      { domain: 'family.school', risk_class: null },
    ],
  }),
  agentOf('reminders', {
    display_name: 'Old reminder script',
    presence: 'away',
    reach: 'nothing',
    last_call_at: NOW - 9 * DAY,
    concurrency: 1,
    domains: [{ domain: 'logistics.errands', risk_class: 'R1' }],
  }),
];

/** Mum's hub after a restore from an older copy. */
export const RESTORED: HubDto = {
  ...MUM,
  audit: 'restored',
  restored_copy: {
    hubs: PEERS.filter(({ trust }) => trust === 'paired').map(({ id, name }) => ({ id, name })),
    agents: AGENTS.map(({ name: id, display_name: name }) => ({ id, name })),
  },
};

export const KNOCK: RegistrationDto = {
  id: uuidOf('knock'),
  agent_name: 'cursor-agent',
  display_name: 'Cursor Agent',
  was_connected: false,
  removed_at: null,
  code: '4821',
  domains: ['work.code'],
  capabilities: [],
  created_at: NOW - 20_000,
  expires_at: NOW + 4 * MINUTE,
};

export function noticeOf(seed: string, seq: number, over: Partial<FeedItemDto> = {}): FeedItemDto {
  const { from_agent: from = 'OpenClaw' } = over;
  return {
    id: uuidOf(seed),
    seq,
    at: NOW,
    peer_id: DAD.id,
    peer_name: 'Dad’s laptop',
    from_name: shownOf(from),
    topic: 'user.location',
    importance: 'low',
    text: seed,
    fields: null,
    fields_left_out: 0,
    unread: false,
    ...over,
    from_agent: from === null ? null : handleOf(from),
  };
}

export const FEED: readonly FeedItemDto[] = [
  noticeOf('Water sensor under the sink reports damp since 17:49', 9, {
    at: NOW - 12 * MINUTE,
    peer_name: 'Attic',
    from_agent: 'Home Assistant',
    topic: 'home.water',
    importance: 'high',
    unread: true,
  }),
  noticeOf('heading out, back in 2 h', 8, {
    at: NOW - 34 * MINUTE,
    importance: 'medium',
    unread: true,
  }),
  noticeOf('Finished: Cotton 60, 1 h 52 min', 7, {
    at: NOW - 52 * MINUTE,
    peer_name: 'Attic',
    from_agent: 'Home Assistant',
    topic: 'home.washer',
    unread: true,
  }),
  noticeOf('Mia’s laptop can’t be reached since Thursday, 21:10. It may simply be off.', 6, {
    at: NOW - 2 * HOUR,
    peer_id: null,
    peer_name: null,
    from_agent: null,
    topic: 'hub',
  }),
  noticeOf('Maths worksheet 14 finished, 9 of 10 right. Leo asks if he can go out now.', 5, {
    at: NOW - 3.4 * HOUR,
    peer_name: 'Leo’s tablet',
    from_agent: 'Homework helper',
    topic: 'school.done',
  }),
  noticeOf('Nana would like to come on the last weekend of November', 4, {
    at: NOW - 22 * HOUR,
    peer_name: 'Nana’s flat',
    from_agent: 'Visit planner',
    topic: 'family.visit',
  }),
];

const conversationOf = (seed: string, over: Partial<ConversationDto>): ConversationDto => ({
  id: uuidOf(seed),
  peer_id: DAD.id,
  peer_name: 'Dad’s laptop',
  from_agent: 'openclaw',
  to_agent: 'claude-code',
  title: seed,
  title_by: 'them',
  state: 'completed',
  activity: 'idle',
  first_at: NOW - 9 * MINUTE,
  last_at: NOW,
  messages: 4,
  ...over,
  story: storyIn(over.state ?? 'completed'),
});

export const CONVERSATIONS: readonly ConversationDto[] = [
  conversationOf('dinner', { title: DINNER.text }),
  conversationOf('milk', {
    title: 'Is milk on the list?',
    peer_name: 'Attic',
    last_at: NOW - 23 * MINUTE,
  }),
  conversationOf('screen', {
    title: 'Please add 30 minutes to the tablet, I finished everything',
    peer_name: 'Leo’s tablet',
    state: 'declined',
    last_at: NOW - 3 * HOUR,
  }),
  conversationOf('suitcase', {
    title: 'Should I bring the big suitcase or the small one?',
    peer_name: 'Nana’s flat',
    state: 'expired',
    last_at: NOW - DAY,
  }),
  conversationOf('permit', {
    title: 'Print the parking permit twice',
    state: 'failed',
    last_at: NOW - 2 * DAY,
  }),
  conversationOf('calculator', {
    title: 'Order the calculator the school asked for',
    peer_name: 'Mia’s laptop',
    state: 'cancelled',
    last_at: NOW - 2 * DAY,
  }),
];

const entry = (
  seq: number,
  over: Partial<ConversationDetailDto['entries'][number]>,
): ConversationDetailDto['entries'][number] => ({
  seq,
  at: NOW,
  message_id: uuidOf(`entry ${seq}`),
  ref: null,
  direction: 'in',
  kind: 'query',
  who: 'Dad’s laptop',
  person: null,
  agent: 'openclaw',
  agent_name: 'OpenClaw',
  text: null,
  fields: null,
  fields_left_out: 0,
  state: null,
  surface: null,
  reason: null,
  reason_there: null,
  digest: null,
  ...over,
  story: over.story ?? storyIn(over.state ?? null),
});

export function requestWords(over: Partial<RequestWordsDto> = {}): RequestWordsDto {
  return {
    domain: 'family.chat',
    reason: null,
    fields: [],
    fields_left_out: 0,
    choice: null,
    decision: null,
    ...over,
  };
}

const DINNER_STORY = storyOfApproval({
  ...DINNER,
  state: 'approved',
  decided_at: NOW - 10_000,
  decided_by: 'Mum',
  surface: 'window',
  task_state: 'completed',
});

export const DINNER_THREAD: ConversationDetailDto = {
  conversation: CONVERSATIONS[0] ?? conversationOf('dinner', {}),
  participants: [],
  linked: [],
  entries: [
    entry(1, { at: NOW - 9 * MINUTE, text: 'Is everyone home for dinner tonight?' }),
    entry(2, {
      at: NOW - 9 * MINUTE + 1000,
      direction: 'out',
      kind: 'response',
      who: 'This hub',
      agent: 'household-lists',
      agent_name: 'Household lists',
      text: 'Leo has swimming until 18:30. Everyone else is home.',
    }),
    entry(3, {
      at: NOW - 6 * MINUTE,
      kind: 'delegate',
      text: DINNER.text,
      request: requestWords({ reason: DINNER.reason, fields: DINNER.fields }),
    }),
    entry(4, {
      at: NOW - 10_000,
      direction: 'here',
      kind: 'decision',
      message_id: null,
      who: 'Mum',
      agent: 'claude-code',
      agent_name: 'Claude Code',
      state: 'approved',
      surface: 'window',
      digest: DINNER.digest,
      story: DINNER_STORY,
    }),
    entry(5, {
      at: NOW - 4_000,
      direction: 'out',
      kind: 'result',
      who: 'This hub',
      agent: 'claude-code',
      agent_name: 'Claude Code',
      text: 'Sent to Family. 3 thumbs up so far.',
      state: 'completed',
      story: DINNER_STORY,
    }),
  ],
  tasks: [],
  older_tasks: 0,
};

export function pairingOf(state: PairingDto['state'], over: Partial<PairingDto> = {}): PairingDto {
  return {
    id: 'pairing-1',
    peer_id: STRANGER.id,
    label: STRANGER.label,
    address: STRANGER.address,
    role: ['waiting_for_answer', 'type_six', 'show_two'].includes(state)
      ? 'initiator'
      : 'responder',
    state,
    request:
      state === 'waiting_for_answer'
        ? 'closed'
        : ['type_six', 'show_two'].includes(state)
          ? 'taken'
          : null,
    said_hub: 'Dad MacBook',
    said_person: 'Dad',
    lookalike: null,
    said_platform: 'darwin',
    six: state === 'show_six' ? '754416' : null,
    two: state === 'show_two' ? '44' : null,
    expires_at: NOW + 252_000,
    invited: false,
    removed: null,
    failure:
      state === 'failed'
        ? 'The digits were not those of the other screen. Nothing was paired; start again.'
        : null,
    ...over,
  };
}

export const SESSIONS: readonly SessionDto[] = [
  {
    id: 's1',
    kind: 'ui',
    label: 'Window',
    created_at: NOW - DAY,
    last_used_at: NOW - 2000,
    current: true,
  },
  {
    id: 's2',
    kind: 'ui',
    label: 'Browser',
    created_at: NOW - 2 * HOUR,
    last_used_at: NOW - 20 * MINUTE,
    current: false,
  },
];

/** Nobody is kept waiting on purpose. */
export const CALM: AttentionDto = {
  paused: null,
  quiet_hours: { periods: [], urgent_peers: [] },
  quiet_now: null,
  time_zone: 'Europe/Berlin',
  mutes: [],
  floods: [],
};

export function snapshotOf(over: Partial<UiSnapshot> = {}): UiSnapshot {
  const feed = over.feed ?? FEED;
  return {
    seq: 100,
    at: NOW,
    hub: MUM,
    settings: SETTINGS,
    peers: [...PEERS, STRANGER],
    pairing_window: { open: false, closes_at: null, locked_until: null, asked: null },
    pairings: [],
    agents: AGENTS,
    removed_agents: [],
    runners: [],
    registrations: [],
    approvals: [],
    recently_decided: DECIDED,
    rules: [],
    feed,
    feed_unread: feed.filter((item) => item.unread).length,
    muted_topics: [],
    attention: CALM,
    ...over,
  };
}

/** What is known of a message of the dinner thread. */
export const inspectionOf = (seq: number): InspectionDto => ({
  message: {
    seq,
    message_id: uuidOf(`message ${seq}`),
    direction: 'in',
    kind: 'delegate',
    ref: null,
    at: NOW - MINUTE,
    from: { hub_name: 'Dad’s laptop', agent_name: 'OpenClaw' },
    to: { hub_name: 'Mum’s PC', agent_name: 'Claude Code' },
  },
  payload: '{"question":"Is everyone home?"}',
  bytes: 36,
  task: null,
  approval: inStep({
    ...DINNER,
    state: 'approved',
    decided_at: DINNER.received_at + 40_000,
    decided_by: 'Mum',
    surface: 'window',
  }),
});
