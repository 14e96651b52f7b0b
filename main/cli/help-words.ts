// What the help of `axon` says beyond the list of options: in which order the commands stand, one
// line to try for each of them, and what comes after it. Words only: what is an option or an
// argument stands with its command.
import { withInvocation } from './invocation.ts';

/** The groups of `axon --help`, in the order in which somebody comes to need them. */
export const GROUPS: readonly (readonly [heading: string, commands: readonly string[]])[] = [
  [
    'Asking other hubs:',
    [
      'peers',
      'discover',
      'ping',
      'accept',
      'route',
      'query',
      'delegate',
      'escalate',
      'notify',
      'tasks',
      'cancel',
      'history',
      'search',
    ],
  ],
  ['Doing what they ask:', ['inbox', 'ack', 'reply', 'listen', 'ingest', 'crunch', 'mcp', 'ask']],
  [
    'Deciding (the person in charge only):',
    [
      'approvals',
      'answer',
      'rules',
      'remote-approval',
      'pause',
      'stop',
      'resume',
      'quiet',
      'audit',
      'confirm-restore',
      'confirm-date',
    ],
  ],
  ['Adding hubs (the person in charge only):', ['pair', 'invite', 'join']],
  [
    'This hub:',
    [
      'agents',
      'settings',
      'status',
      'whoami',
      'login',
      'passphrase',
      'examples',
      'completion',
      'demo',
      'hub',
      'help',
    ],
  ],
];

interface Words {
  /**
   * Each as it is typed, without the word that starts the program; where none stands here, the
   * words of the command.
   */
  readonly tries?: readonly string[];
  /**
   * What to do then, or what else to know. Commands stand as "axon ..." in it, those meant for
   * another computer as "npx axon ...".
   */
  readonly next?: string;
}

const DINNER = '"Mum\'s PC" "Tell the family chat that dinner is at 7" --domain family.chat';

const LISTEN = `The program gets one item, as one line of JSON, on its standard input:
  {"delivery_id":"e01a...","kind":"delegate","task_id":"7c1d...",
   "deadline_at":1760003600000,"instruction_from_hub":"Do the task ...",
   "untrusted":{"text":"Tell the family chat ...","payload":{...},...},...}

Exit codes of the program:
  0          done: its standard output is the outcome, or the answer
  any other  failed: its standard error is told with it

A cancel ends the program, politely (SIGTERM) and after 5 seconds by force. So does
a question that nobody waits for any more. An unfinished task is then told as
cancelled.`;

/** By the words of the command. */
const WORDS: Readonly<Record<string, Words>> = {
  peers: {
    tries: ['peers', 'peers --nearby'],
    next: 'What one of them does: "axon discover HUB".',
  },
  'peers show': { tries: ['peers show "Mum\'s PC"'] },
  'peers tokens': { tries: ['peers tokens "Mum\'s PC"'] },
  'peers add': {
    tries: [
      'peers add axon://KEY@192.168.1.20:7100 --name Attic',
      'peers add attic.local:7100 --key KEY --name Attic',
    ],
    next: 'Then pair the two: "axon pair start NAME".',
  },
  'peers set': {
    tries: ['peers set "Mum\'s PC" --person Mum --role adult', 'peers set Attic --role shared'],
    next: 'An adult\'s hub can decide in a child\'s place: "axon remote-approval set HUB".',
  },
  'peers keep': { tries: ['peers keep "Mum\'s PC"'] },
  'peers remove': {
    tries: ['peers remove "Mum\'s PC"'],
    next: 'To be left alone by it for a while: "axon peers mute HUB".',
  },
  'peers mute': {
    tries: ['peers mute "Mum\'s PC" --for 2h'],
    next: 'Sooner: "axon peers unmute HUB".',
  },
  'peers unmute': { tries: ['peers unmute "Mum\'s PC"'] },
  discover: {
    tries: ['discover', 'discover "Mum\'s PC"'],
    next: 'Then ask: "axon query HUB QUESTION --domain DOMAIN".',
  },
  ping: { tries: ['ping "Mum\'s PC"'] },
  accept: {
    tries: ['accept TASK', 'accept TASK "Yes, for 5 euros" --wait'],
    next: 'Somebody there is asked, and sees what was asked, offered and accepted.',
  },
  route: {
    tries: ['route --domain family.calendar', 'route --capability web_search --kind query'],
    next: 'Send it there: "axon delegate any TASK --domain DOMAIN".',
  },
  query: {
    tries: [
      'query "Mum\'s PC" "Free on Friday at 6?" --domain family.calendar',
      'query "Mum\'s PC/calendar" "Free?" --deadline 600',
      'query any "Free on Friday at 6?" --domain family.calendar',
    ],
  },
  delegate: {
    tries: [`delegate ${DINNER}`, `delegate ${DINNER} --wait`],
    next: 'What became of it: "axon tasks"; the result comes to "axon inbox", too.',
  },
  escalate: {
    tries: [
      'escalate "Mum\'s PC" "Which train?" --option "09:12, direct" --con "41.90 euros" --option "10:40, one change" --wait',
    ],
  },
  notify: {
    tries: ['notify "Mum\'s PC" shopping "Milk is bought"', 'notify everyone dinner "It is ready"'],
  },
  tasks: {
    tries: ['tasks', 'tasks --state open', 'tasks ID --wait', 'tasks ID --wait-for 20'],
    next: 'To cancel one: "axon cancel ID".',
  },
  cancel: { tries: ['cancel ID "no longer needed"'] },
  history: {
    tries: ['history', 'history ID', 'history ID --details'],
    next: 'By its words: "axon search dinner".',
  },
  'history export': {
    tries: ['history export ID', 'history export ID --format csv --output dinner.csv'],
  },
  'history remove': { tries: ['history remove ID'] },
  search: {
    tries: [
      'search dinner',
      'search "at 7" from:mum outcome:declined after:2026-05',
      'search by:rule',
    ],
    next: 'by: is who decided: a person, a hub, the beginning of a rule, or "rule" for any; action: is question, task, answer, notice, cancel or failure; outcome: is done, partial, failed, declined, expired, stopped, cancelled, waiting or running. The whole conversation: "axon history ID".',
  },
  crunch: { tries: ['crunch log --checkpoint'] },
  'crunch log': { tries: ['crunch log --issue 42 --as orchestrator', 'crunch log --knowledge'] },
  ingest: { tries: ['ingest eddy.log', 'ingest --send --as eddy'] },
  mcp: { tries: ['mcp', 'mcp --as claude-code'], next: 'A program starts it: "axon mcp install".' },
  'mcp install': {
    tries: ['mcp install claude-code', 'mcp install codex --domain work.code --unasked'],
    next: 'Out again: "axon mcp uninstall PROGRAM".',
  },
  ask: {
    tries: ['ask --as claude-code'],
    next: 'A program runs it: "axon mcp install claude-code --ask".',
  },
  'mcp uninstall': { tries: ['mcp uninstall claude-code'] },
  inbox: {
    tries: ['inbox --wait 55'],
    next: 'Then "axon ack ID" says that you have it, and "axon reply ID OUTCOME" answers it.',
  },
  ack: { tries: ['ack ID'], next: 'Work is ended by "axon reply ID OUTCOME".' },
  reply: {
    tries: [
      'reply ID "Posted."',
      'reply ID "Free from 17:30" --data \'{"free":true}\'',
      'reply ID --status failed --error "no paper"',
    ],
  },
  listen: {
    tries: ['listen --domain family.chat -- ./my-agent', 'listen --file cook.md --as cook'],
    next: LISTEN,
  },
  approvals: { tries: ['approvals', 'approvals list --decided'] },
  'approvals list': {
    tries: ['approvals list --decided'],
    next: 'One in full: "axon approvals show ID".',
  },
  'approvals show': {
    tries: ['approvals show ID'],
    next: 'Then "axon approvals allow ID", "axon approvals decline ID" or "axon answer ID".',
  },
  'approvals later': {
    tries: ['approvals later ID --for 2h'],
    next: 'Sooner: "axon approvals now ID".',
  },
  'approvals keep-open': { tries: ['approvals keep-open ID'] },
  'approvals now': {
    tries: ['approvals now', 'approvals now ID'],
    next: 'They are then listed in "axon approvals".',
  },
  'approvals allow': { tries: ['approvals allow ID', 'approvals allow ID --scope conversation'] },
  'approvals decline': {
    tries: ['approvals decline ID --reason "not now"', 'approvals decline ID --never'],
  },
  answer: { tries: ['answer ID "Yes, from 17:30"', 'answer ID --choose 1'] },
  'rules list': { tries: ['rules list --ended'] },
  'rules add': {
    tries: [
      'rules add allow --hub "Mum\'s PC" --agent calendar --domain family.calendar --dry-run',
      'rules add never --hub "Mum\'s PC" --domain family.money --forever',
    ],
    next: 'What it would do to one request: "axon rules test".',
  },
  'rules pause': { tries: ['rules pause ID'], next: 'Back again: "axon rules resume ID".' },
  'rules resume': { tries: ['rules resume ID'] },
  'rules remove': { tries: ['rules remove ID'] },
  'rules restore': { tries: ['rules restore ID'] },
  'rules test': { tries: ['rules test delegate --hub "Mum\'s PC" --domain family.chat'] },
  'remote-approval set': { tries: ['remote-approval set "Mum\'s PC" "Dad\'s laptop" --from R2'] },
  pause: { tries: ['pause --for 2h'], next: 'Sooner: "axon resume".' },
  stop: {
    tries: ['stop ID', 'stop --everything'],
    next: 'What runs here: "axon tasks --state open". Let requests in again: "axon resume".',
  },
  'quiet set': {
    tries: [
      'quiet set Night --from 21:30 --to 07:00',
      'quiet set School --from 08:00 --to 13:00 --days mon,tue,wed,thu,fri',
    ],
  },
  'quiet remove': { tries: ['quiet remove Night'] },
  'quiet urgent': { tries: ['quiet urgent "Mum\'s PC"'] },
  'confirm-date': { next: 'Look first: "axon status" says which date.' },
  audit: { tries: ['audit', 'audit verify'] },
  'audit list': { tries: ['audit list --limit 50'] },
  'audit verify': { next: 'Exit code 1: something does not fit, and the first such row is named.' },
  'audit export': { tries: ['audit export --format csv --output audit.csv'] },
  'audit acknowledge': { next: 'Look first: "axon audit", "axon audit verify".' },
  'confirm-restore': {
    tries: [
      'confirm-restore',
      `confirm-restore --keep-hub "Mum's PC" --keep-agent claude --yes`,
      'confirm-restore --keep-none --yes',
    ],
    next: 'Hubs and agents of the copy that you do not keep are removed in the same step. Then look through "axon rules".',
  },
  'pair window': {
    tries: ['pair window', 'pair window --minutes 15'],
    next: 'Then "axon pair open", once the other hub has asked.',
  },
  'pair start': {
    tries: ['pair start "Hub 3f2a"', 'pair start KEY --address 192.168.1.20:7100 --name Mum'],
    next: 'Then "axon pair digits SIX", with the six that the other hub shows.',
  },
  'pair open': { next: 'Then "axon pair digits TWO", with the two that the other hub shows.' },
  'pair digits': { tries: ['pair digits 123456', 'pair digits 12'] },
  invite: {
    tries: ['invite', 'invite --qr'],
    next: 'The other hub uses the link with "npx axon join".',
  },
  'invite revoke': { tries: ['invite revoke ID'] },
  join: { tries: ['join', 'join --link-file link.txt --name Mum'] },
  'agents connect': {
    tries: [
      'agents connect claude-code --domain family.chat',
      'agents connect claude-code --domain "family.calendar=Is Friday at 6 free?"',
    ],
    next: 'A person confirms it on the pages, or with "axon agents confirm CODE". Then "axon whoami" shows that it may speak.',
  },
  'agents confirm': { tries: ['agents confirm 123456', 'agents confirm 123456 --class R1'] },
  'agents add': { tries: ['agents add claude-code --domain family.chat --class R1'] },
  'agents rename': { tries: ['agents rename claude-code "Kitchen helper"'] },
  'agents class': { tries: ['agents class claude-code R1'] },
  'agents add-area': { tries: ['agents add-area claude-code family.chat'] },
  'agents remove-area': { tries: ['agents remove-area claude-code family.chat'] },
  'agents webhook': {
    tries: [
      'agents webhook opencode opencode http://127.0.0.1:4096/session/ses_123 --secret-file password.txt',
      'agents webhook openclaw openclaw http://127.0.0.1:18789/hooks/agent --secret-file token.txt',
    ],
    next: 'It is called at once where something waits. "axon agents" tells how the last call went.',
  },
  'agents remove-webhook': { tries: ['agents remove-webhook opencode'] },
  'agents a2a-look': { tries: ['agents a2a-look http://127.0.0.1:4000'] },
  'agents a2a-add': {
    tries: ['agents a2a-add counter http://127.0.0.1:4000 --digest DIGEST --class R2'],
  },
  'agents a2a-confirm': { tries: ['agents a2a-confirm counter --digest DIGEST'] },
  'agents files': {
    tries: ['agents files'],
    next: 'Confirm one: "axon agents run-file FILE --class R1".',
  },
  'agents run-file': {
    tries: [
      'agents run-file cook.md --class R1',
      'agents run-file cook.md --class R1 --sha256 HASH --key-file key.txt',
    ],
    next: 'The file stands in the folder "agents" of the data folder: "axon agents files" names it.',
  },
  'agents end-file': { tries: ['agents end-file cook.md'] },
  'agents remove': { tries: ['agents remove claude-code'] },
  settings: {
    tries: [
      'settings',
      'settings keep-messages',
      'settings keep-messages 90',
      'settings person ""',
    ],
  },
  status: { tries: ['status', 'status --json'] },
  whoami: { tries: ['whoami --as claude-code'] },
  completion: {
    tries: ['completion bash'],
    next: "Load what it prints in your shell's start file.",
  },
  passphrase: { tries: ['passphrase', 'passphrase --passphrase-file passphrase.txt'] },
  hub: {
    tries: ['hub', 'hub --name Mum --api-port 0 --peer-port 0'],
    next: 'Then, at another terminal: "axon login", "axon agents connect NAME". To have the system start it: "axon hub install".',
  },
  'hub install': {
    tries: ['hub install', 'hub install --name Attic', 'hub install --system'],
    next: 'After an upgrade, or to change a flag: the same line again. Out again: "axon hub uninstall".',
  },
  'hub uninstall': {
    tries: ['hub uninstall', 'hub uninstall --remove-data'],
    next: 'The program itself goes with "npm uninstall -g axon-hub".',
  },
};

/** The lines to try for a command, each as it is typed behind the word that starts the program. */
export function triesOf(words: string): readonly string[] {
  return WORDS[words]?.tries ?? [words];
}

/**
 * What stands below the options of one command.
 * @param words the command, as "peers show"
 * @param command how a line begins here
 * @param isListedAlone true where the group does what its `list` does
 */
export function helpBelow(words: string, command: string, isListedAlone: boolean): string {
  const [tries, next] = [triesOf(words), WORDS[words]?.next];
  return [
    ...(isListedAlone ? ['', 'Without one of these commands it lists.'] : []),
    '',
    tries.length === 1 ? 'Example:' : 'Examples:',
    ...tries.map((line) => `  ${command} ${line}`),
    ...(next === undefined ? [] : ['', withInvocation(next, command)]),
    '',
    'Every command also takes --json, --home, --as and --passphrase-file.',
  ].join('\n');
}

/** What stands below the commands of `axon --help`. */
export function programBelow(command: string): string {
  return `
Speaking for an agent (asking, and doing what is asked):
  ${command} agents connect NAME
                               once; shows a code that the person confirms in
                               the app, then keeps the token
  AXON_TOKEN, AXON_TOKEN_FILE  the token, or the file that holds it; never give
                               a token as an argument
  --as NAME                    which one, when several agents are connected here

Speaking for the person in charge (deciding, adding hubs, login, settings, peers
add, set, keep, remove and mute, agents add, rename, class, webhook and
remove):
  asks for the owner passphrase at a terminal, or takes --passphrase-file FILE;
  so do peers, discover, ping and agents where no agent is connected

Texts that begin with a dash: put -- before them, as in
  ${command} query "Mum's PC" -- "--help is what?"

Exit codes: 0 done, 1 failed on this computer, 2 wrongly typed, 3 refused,
4 failed or cancelled, 5 too late, 130 ended with Ctrl+C while it waited.
With --json, results go to standard output and failures to standard error.
"${command} examples" shows one complete exchange;
"${command} examples --language NAME" the messages of an agent language.`;
}
