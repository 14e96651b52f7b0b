// The words of the owner's own screens: agents on this computer, settings, sessions. English.
import type { A2aState } from '../a2a.ts';
import type { AgentFileState } from '../agent-files.ts';
import type { AgentDoor, WebhookPreset } from '../closed-lists.ts';
import type { RiskClass } from '../dto.ts';
import { DATE_JUMP_DAYS_MAX } from '../limits.ts';
import type { RunnerState } from '../runners.ts';
import type { SettingKey } from '../settings.ts';
import { locale } from './shared-words.ts';
import { pluralizer } from './plural.ts';

const plural = pluralizer(locale);

export const agents = {
  title: 'Agents',
  detail: 'On this computer. Only you decide their names and how risky each area is.',
  emptyTitle: 'No agent is connected yet',
  emptyDetail:
    'An agent is a program that works for you: Claude Code, OpenClaw, a script. Connect one and others in your home can ask it, as far as you allow.',
  classes: {
    R0: 'Only looks',
    R1: 'Small, can be undone',
    R2: 'Others see it',
    R3: 'Dangerous',
  } satisfies Record<RiskClass, string>,
  classDetail: {
    R0: 'Questions that name one of its areas are answered without asking. Everything else asks, unless a rule allows it.',
    R1: 'Asks each time, unless a rule allows it.',
    R2: 'Asks each time, unless a rule allows it.',
    R3: 'Asks each time, with the last word typed.',
  } satisfies Record<RiskClass, string>,
  asAgent: (label: string) => `As the agent: ${label}`,
  riskOf: (area: string) => `Risk of ${area}`,
  everythingElse: 'Everything else',
  connected: 'connected',
  connectedBusy: 'connected, busy',
  away: 'away',
  neverSeen: 'has not connected yet',
  silent: (duration: string) => `silent for ${duration}`,
  idle: (all: number) => `Idle, 0 of ${plural(all, { one: '{n} task', other: '{n} tasks' })}.`,
  busy: (active: number, all: number) =>
    `Busy, ${active} of ${plural(all, { one: '{n} task', other: '{n} tasks' })}.`,
  queued: (count: number) => plural(count, { one: '{n} waits for it.', other: '{n} wait for it.' }),
  line: {
    http: (since: string) => `By HTTP since ${since}.`,
    mcp: (since: string) => `By MCP since ${since}.`,
    a2a: (since: string) => `By A2A since ${since}.`,
    terminal: (since: string) => `By the command since ${since}.`,
  } satisfies Record<AgentDoor, (since: string) => string>,
  lastCall: (when: string) => `Last call ${when}.`,
  tokenMade: (when: string) => `Token made ${when}.`,
  noToken: 'It has no token.',
  tokenWaits: 'It is confirmed, and hasn’t fetched its token yet.',
  isDefault: 'default agent',
  makeDefault: 'Make it the default agent',
  rename: 'Rename',
  renameName: 'Your name for this agent',
  renameNow: 'Save the name',
  handle: 'Name at terminals and for programs',
  program: 'The program says it is',
  newToken: 'New token',
  newTokenAsk: (name: string) => `Make a new token for ${name}? The old one stops working at once.`,
  newTokenYes: 'Make a new one',
  remove: 'Remove',
  removeAsk: (name: string) => `Remove ${name}?`,
  removeDetail:
    'Its token stops working at once, and what waits for it ends as failed. You can use its name again for a new agent, which sees nothing of this one.',
  removeYes: 'Remove for good',
  removeNo: 'Keep it',
  addArea: 'Add an area',
  addAreaName: 'The area, in small letters with dots',
  addAreaNow: 'Add it',
  removeArea: (area: string) => `Remove ${area}`,
  forExample: 'For example:',
  removeAreaAsk: (area: string, name: string) => `Take ${area} from ${name}?`,
  removeAreaDetail:
    'Its risk setting goes with it. Requests for it then go to an agent with a wider area, or to the default agent. If the program offers it again, it comes back as “others see it” or riskier.',
  removeAreaYes: 'Remove it',
  topics: (list: string) => `Subscribed to ${list}.`,
  noBroadcasts: 'Takes no broadcasts.',

  /** A program that the hub starts for it. */
  runner: {
    start: 'Let this hub start it',
    detail:
      'For each request that you allow, this hub starts the program, which takes the request and ends. What it wants to do beyond reading becomes a card here.',
    unasked:
      'These programs read files without asking, and do without asking what their own settings allow.',
    program: 'Program',
    folder: 'Folder in which it works',
    folderEmpty: 'Leave it empty for an empty folder of its own.',
    set: 'Start it',
    change: 'Change how it is started',
    end: 'Don’t start it any more',
    states: {
      starts: (program: string) => `${program}: getting ready.`,
      waits: (program: string) => `${program}: running, and waits for a request.`,
      works: (program: string) => `${program}: running, and works on a request.`,
      day_used: (program: string) =>
        `${program}: what waits for it had its share of today’s starts, and waits until tomorrow, by UTC.`,
      used_up: (program: string) =>
        `${program}: its tokens of today are used up. It refuses until tomorrow, by UTC.`,
      needs_sign_in: (program: string) =>
        `${program}: cannot start because nobody is signed in to it.`,
      cannot_start: (program: string) => `${program}: cannot start.`,
    } satisfies Record<RunnerState, (program: string) => string>,
    wakesToday: (wakes: number, most: number, tokens: number) =>
      `Woken ${wakes} of ${most} times today${tokens === 0 ? '' : `, for ${tokens.toLocaleString(locale)} tokens or more by the program’s own count`}.`,
    tokensToday: (tokens: number, most: number) =>
      `${tokens.toLocaleString(locale)} of ${plural(most, { one: '{n} token', other: '{n} tokens' })} of today are counted.`,
    worksIn: 'It works in',
  },
  webhook: {
    open: 'Wake it',
    title: (name: string) => `Wake ${name} by a call`,
    detail:
      'For a program that is open on this computer and waits. It is called when something waits for the agent and nobody takes it. The call says so, and never what.',
    preset: 'The form of the call',
    address: 'Where it listens',
    examples: {
      opencode: 'http://127.0.0.1:4096/session/ses_…',
      openclaw: 'http://127.0.0.1:18789/hooks/agent',
      generic: 'http://127.0.0.1:8080/wake',
    } satisfies Record<WebhookPreset, string>,
    secret: {
      opencode: 'Its password, if it has one',
      openclaw: 'The token of its hooks',
      generic: 'A secret to sign calls with; empty: one is made',
    } satisfies Record<WebhookPreset, string>,
    save: 'Save',
    remove: 'Call nobody',
    madeSecret: 'Each call is signed with this secret. It is shown once.',
  },

  knock: {
    title: 'A program on this computer wants to connect.',
    callsItself: 'It would be called',
    code: 'The program must show this code, too:',
    areas: 'It offers',
    refuse: 'Refuse',
    confirm: 'Confirm',
    note: (duration: string) =>
      `This request ends in ${duration}. The agent starts with “others see it” or riskier until you say otherwise.`,
    noteAgain: (duration: string) =>
      `This request ends in ${duration}. An agent of this name was connected before: it gets its areas, its risk settings and its inbox back.`,
    wasRemoved: (day: string) =>
      `An agent of this name was removed (${day}). This would be a new one: it sees nothing of the old one and none of its permissions come back. What you answered with “never” stays.`,
  },

  files: {
    title: 'Agents from files',
    detail:
      'These stand in the folder “agents” of this hub. Each asks a language model. A file runs nothing until you have read and confirmed it.',
    states: {
      new: 'new, not confirmed',
      changed: 'changed, the new text is not confirmed',
      confirmed: 'confirmed',
      broken: 'broken',
      gone: 'the file is gone',
    } satisfies Record<AgentFileState, string>,
    changedDetail: 'The file has another text than the one that you confirmed.',
    goneDetail: 'What you confirmed needs the file no longer.',
    confirmedDetail: (agent: string) => `What you confirmed runs as ${agent}.`,
    notRun: 'It does not run: another program was chosen for its agent, or it was ended there.',
    what: 'the whole file',
    facts: (agent: string, model: string, budget: string) =>
      `It would be ${agent}, and asks ${model}: at most ${budget} tokens a day.`,
    stays: 'What it is asked stays on this computer.',
    leaves: (host: string) => `What it is asked leaves this computer, to ${host}.`,
    leavesYes: (host: string) => `Yes, it may go to ${host}`,
    hash: 'SHA-256 of this text',
    risk: 'How risky it is',
    key: 'Key for the endpoint, if it wants one',
    keyKept: 'The hub keeps a key for its endpoint.',
    confirm: 'Confirm and run',
    confirmNew: 'Confirm the new text',
    read: 'Read it',
    end: 'Run it no longer',
    look: 'Look again',
  },

  connect: {
    title: 'Connect an agent',
    detail:
      'On this computer only. It starts with “others see it” or riskier for every area, until you say otherwise.',
    name: 'Name',
    nameHint: 'Like claude-code: small letters, digits, “.”, “_” and “-”',
    display: 'What you call it',
    areas: 'Areas it works in, if any',
    areasInLine:
      'The line below then names them. You can add and remove areas later, and a rule can be made for each. A press on one adds it:',
    areasHint: 'Small letters with dots. A press on one below adds it:',
    suggested: 'Areas that many households have',
    make: 'Make its token',
    programs: {
      'claude-code': 'Claude Code',
      cursor: 'Cursor',
      openclaw: 'OpenClaw',
      'home-assistant': 'Home Assistant',
      codex: 'Codex',
      'gemini-cli': 'Gemini CLI',
      'qwen-code': 'Qwen Code',
      'copilot-cli': 'Copilot CLI',
      opencode: 'opencode',
      python: 'Python',
      curl: 'curl',
      other: 'Something else',
    },
    tokenOnce: 'This token is shown once. Keep it where only you can read it.',
    token: 'Token',
    done: 'I have it',
    snippet: 'A line to try it in bash; paste the token when it asks',
    does: {
      install: 'Run this at a terminal',
      connect: 'Let it ask to be connected',
      secret: 'Add this to secrets.yaml. The first line names the file with the token',
      restCommand:
        'Add this to configuration.yaml. Home Assistant has to run on this computer; a container needs its network',
      pythonFile: 'Save this as agent.py; it does the work',
      listen: 'Give it what others ask, and send back what it prints',
      mcpServer: 'If it speaks MCP, enter this as the command of its server',
      skill: 'Have it read how to use the hub',
      language:
        'If it speaks claude-crunch, FIPA-ACL, ElizaOS or acp-draft, connect it with --dialect; this shows its messages',
      fetch: 'Fetch its token, in bash; paste “poll” and “secret” from the answer when it asks',
      call: 'Call the hub, in bash; paste the token when it asks',
    },
    thenRestart: (program: string) =>
      `It shows a code and waits. The same code appears here: compare, then confirm it. Then restart ${program}.`,
    thenCode:
      'The first line shows a code and waits. The same code appears here: compare, then confirm it.',
    thenHomeAssistant:
      'The first line shows a code and waits. The same code appears here: compare, then confirm it. Then restart Home Assistant and run rest_command.axon_notify with to, topic and message.',
    thenCurl:
      'The first answer holds the code that appears here, too: compare and confirm it before you fetch the token.',
    manual: 'Or make a token by hand',
    waiting: 'Waiting for its first call',
    asks: 'It asks to be connected. Compare the code at the top of this page, then confirm it.',
    called: (name: string) => `${name} has called`,
    made: (name: string) => `The token of ${name}`,
  },
  /** Agents that this hub calls over A2A. */
  elsewhere: {
    title: 'An A2A agent that this hub calls',
    detail:
      'Enter where its card stands. Nothing is sent to it before you have seen the card and added it; then it gets only what was allowed here.',
    url: 'Address of its card',
    urlHint: 'Like http://127.0.0.1:4000 on this computer, or https:// elsewhere',
    token: 'The token that it wants, if any',
    look: 'Look at its card',
    lookAgain: 'Look at the changed card',
    card: 'The card',
    callsItself: 'It calls itself',
    says: 'It says',
    skills: 'Skills',
    moreSkills: (count: number) => `and ${count} more`,
    stays: (host: string) => `What it is given goes to ${host}, on this computer.`,
    leaves: (host: string) => `What it is given leaves this computer, to ${host}.`,
    mayLeave: (host: string) => `What is allowed here may leave to ${host}`,
    name: 'Name of the agent here, in small letters',
    add: 'Make it an agent here',
    confirm: (name: string) => `Confirm this card of ${name}`,
    states: {
      ready: (host: string) => `is called at ${host}.`,
      changed: (host: string) =>
        `has another card at ${host}, and gets nothing until you confirm it.`,
      away: (host: string) => `cannot be reached at ${host} just now.`,
    } satisfies Record<A2aState, (host: string) => string>,
  },
} as const;

export const settings = {
  title: 'Settings',
  detail: 'Changes are saved straight away.',
  general: 'General',
  /** At a terminal as on the page. */
  each: {
    name: {
      title: 'Name of this hub',
      detail:
        'Seen by hubs you have added or are adding, and by hubs nearby while “Add a hub” is open here.',
    },
    person: {
      title: 'Person',
      detail:
        'Who uses this computer. Shown to hubs you have added or are adding, and beside your decisions.',
    },
    discovery: { title: 'Find hubs automatically', detail: 'On your home network only.' },
    theme: { title: 'Appearance', detail: 'Follows the system until you choose.' },
    start_at_login: {
      title: 'Start at login',
      detail: 'For the desktop app. It starts hidden; the hub is up before any window.',
    },
    native_notifications: {
      title: 'Tell me about requests',
      detail:
        'For the desktop app. A fixed sentence and your own name for the hub; never the text. One a minute for each hub.',
    },
    single_key_shortcuts: {
      title: 'Single-key shortcuts',
      detail:
        'U works only while something can be undone, the others only while a card has the focus.',
    },
    approvals_wait_minutes: {
      title: 'How long a request waits for you',
      detail:
        'If nobody decides in time, it is not done and whoever asked is told so. If you, a pause or quiet hours put a request off, its time starts when you are asked. Changes apply to new requests. You can keep a card open longer.',
    },
    turns_max: {
      title: 'How often two agents go back and forth by themselves',
      detail:
        'Two agents that your rules let through could talk all night. After so many turns within an hour you are asked once, and a yes is for as many again. What only one of them asks, and the answers to it, never count. The agents of another hub count together, whatever it calls them.',
    },
    wakes_max: {
      title: 'How often an agent is woken in a day',
      detail:
        'By a hook, a webhook or a start by this hub, all of them together. No other hub takes more than half of what the others have left. What is not woken for waits until the agent looks.',
    },
    keep_messages_days: {
      title: 'How long messages are kept',
      detail:
        'The text of a request, its card, its answer and the messages about it, counted from its end. Then they are removed for good. The record that it was asked, and how it ended, stays.',
    },
    keep_feed_days: {
      title: 'How long the feed is kept',
      detail: 'Notices, read or not. Then they are removed for good.',
    },
  } satisfies Record<SettingKey, { readonly title: string; readonly detail: string }>,
  /** @param by a flag or variable */
  fixed: (by: string) =>
    `This hub was started with ${by}. That applies until you start it without.`,
  themes: { system: 'System', light: 'Light', dark: 'Dark', contrast: 'Contrast' },
  notifications: 'Requests and notifications',
  kept: 'What is kept',
  keepNote: (minutes: string) =>
    `What was removed cannot be brought back. After a change the hub removes nothing for ${minutes}, so that you can choose again. What is still open, or not yet told to the other hub, is never removed. Your own copies, and those the hub makes before an upgrade, keep what was in them.`,
  dateInQuestion: 'Is the date right?',
  dateInQuestionDetail: (date: string) =>
    `The clock of this computer says ${date}, more than ${DATE_JUMP_DAYS_MAX} days after the last time this hub knows. Until you confirm the date, nothing old is removed. If it is wrong, set the clock.`,
  confirmDate: 'The date is right',
  dateConfirmed: 'The date is confirmed. Old messages are removed again.',
  keepLength: (days: number) =>
    days % 365 === 0
      ? plural(days / 365, { one: '{n} year', other: '{n} years' })
      : plural(days, { one: '{n} day', other: '{n} days' }),
  network: 'Network',
  ports: 'Ports',
  portsDetail: (peer: number | null, api: number) =>
    peer === null
      ? `${api} for agents on this computer. Other hubs cannot reach it just now.`
      : `${peer} (UDP) for other hubs, ${api} for agents on this computer.`,
  identity: 'This hub',
  identifiers: 'Exact identifiers and ports',
  label: 'What others see before they add it',
  labelDetail: 'Under “Nearby” on their screens; compare it before you press Show the code.',
  link: (address: string) => `Link to this hub at ${address}`,
  linkDetail:
    'Pasted on another hub under “By its address”; it holds the address and the public key.',
  agentId: 'Agent id',
  agentIdDetail: 'Somebody who adds this hub by its address types this, or the public key.',
  publicKey: 'Public key',
  publicKeyDetail: 'May be shown to anyone. The agent id is made from it.',
  keyStorage: 'Where the key is kept',
  keyStorages: {
    keychain: 'In the keychain of this computer',
    file: 'In a file that only you can read',
    memory: 'In memory only: it is gone when the hub stops',
  },
  keyNone: 'Nowhere yet',
  version: 'Version',
  licences: 'Licences',
  licencesDetail:
    'AXON Hub is under the MIT licence. It includes other people’s work under their own licences.',
  licencesOpen: 'Read them',
  licencesBack: 'Settings',
  licencesFile: 'The full list is in licences.txt, beside the program.',
  licencesProblem: 'They could not be read. The full list is in licences.txt, beside the program.',
  warnings: 'Warnings',
  security: 'Logging in',
  passphrase: 'Owner passphrase',
  passphraseDetail: 'Lets you in from a browser on this computer without a login link.',
  passphraseSet: 'It is set. To change it, type the old one, too.',
  passphraseNew: 'New passphrase',
  passphraseAgain: 'The same again',
  passphraseOld: 'Old passphrase',
  passphraseOldMissing: 'Type the passphrase that is set now.',
  passphraseShort: (least: number) => `It needs at least ${least} characters.`,
  passphraseHidden: 'It holds a character that nobody can see or type.',
  passphraseDiffers: 'It is not the same as the new passphrase above.',
  passphraseHint:
    'At least 8 characters. A few words that only you would put together are better than one unusual word.',
  passphraseSave: 'Set it',
  passphraseSaved: 'The passphrase is set.',
  sessions: 'Who is logged in',
  sessionKinds: { ui: 'A browser or window', owner: 'The command line', agent: 'An agent' },
  sessionCurrent: 'this page',
  sessionInUse: 'In use now.',
  sessionUsed: (when: string) => `Last used ${when}.`,
  sessionNever: 'Not used yet.',
  sessionOver: 'Logged out.',
  logOut: 'Log out',
  saved: 'Saved.',
} as const;
