// approvals: what waits for a person, at a terminal. The whole exact text is shown before anything
// is decided, and the decision carries the digest of what was shown.
import { Option } from 'commander';
import { DOMAIN_NAME } from '../../../preload/contract/formats.ts';
import type { ApprovalDto } from '../../../preload/contract/dto.ts';
import type { OperationInput } from '../../../preload/contract/operations.ts';
import { ENGLISH } from '../../../preload/contract/strings/english.ts';
import { decisionOf, whoDecidesOf } from '../../../preload/contract/strings/story.ts';
import type { AppError } from '../../lib/app-error.ts';
import type { HubClient } from '../hub-client.ts';
import { cardLines } from '../approval-card.ts';
import { decisionLine } from '../story-lines.ts';
import { requestOf } from '../ids.ts';
import { cellTime, inZone } from '../local-time.ts';
import type { AxonCommand } from '../axon-command.ts';
import type { Terminal } from '../terminal.ts';
import { CLASS_LEGEND, goesOn, beginningOf, table } from '../terminal.ts';
import { addHoldCommands } from './attention.ts';
import { refusal } from '../refusal.ts';

export const NOTHING_DECIDED = 'Nothing was decided.';
/** Exactly what a wider choice would allow. */
const WOULD = {
  conversation:
    'From now on the same hub, agent and area are allowed without asking, in this conversation only, until nothing has come for 2 hours, for 12 hours at most.',
  always:
    'From now on the same hub, agent and area are allowed without asking, for 30 days; what others see, for this topic only.',
} as const;

interface AllowOptions {
  readonly digest?: string;
  readonly lastWord?: string;
  readonly scope: 'once' | 'conversation' | 'always';
}

interface DeclineOptions {
  readonly reason?: string;
  readonly never?: boolean;
  readonly digest?: string;
}

export function addApprovalCommands(program: AxonCommand): void {
  const approvals = program
    .command('approvals')
    .description('see and decide what other hubs want done (the person in charge only)');
  approvals
    .command('list', { isDefault: true })
    .description('what waits for a decision')
    .option('--decided', 'the newest decided ones instead')
    .doesAsOwner(async (owner, { session }, options: { decided?: boolean }) => {
      const page = await owner.call('approvals.list', {
        state: options.decided === true ? 'decided' : 'pending',
      });
      session.tellList(page, 'Nothing needs you.', () => [
        ...listLines(page.items, options.decided === true),
        ...goesOn(page),
      ]);
    });
  approvals
    .command('show')
    .description('everything about one request')
    .argument('<id>', 'the request')
    .doesAsOwner(async (owner, { terminal, command: program }, id: string) => {
      const approval = await requestOf(owner, id);
      terminal.result(approval, () => cardLines(approval, program));
    });
  addHoldCommands(approvals);
  approvals
    .command('allow')
    .description('allow one request, once or from now on')
    .argument('<id>', 'the request')
    .option(
      '--digest <hex>',
      'for scripts: the digest that was shown; without it the request is shown and asked about',
    )
    .addOption(
      new Option('--scope <scope>', 'how far it goes; more than once makes a rule')
        .choices(['once', 'conversation', 'always'])
        .default('once'),
    )
    .option('--last-word <word>', 'for requests of the dangerous class: the last word of the text')
    .doesAsOwner(
      async (owner, { terminal, command: program }, id: string, options: AllowOptions) => {
        const shown = await requestOf(owner, id);
        const whose = whoDecidesOf(shown.story);
        if (whose !== null) throw onlyDeclinable(whose, shown.id);
        const lastWord = await confirmAllow(terminal, shown, options, program);
        const decided = await decide(owner, shown, options.digest, {
          decision: 'allow',
          scope: options.scope,
          last_word: lastWord,
        });
        terminal.result(decided, () => [
          [
            options.scope === 'once'
              ? 'Allowed once.'
              : `Allowed, and remembered as a rule (${program} rules).`,
            decisionLine(decided.story),
          ].join(' '),
          ...(isForAgent(decided) ? [`To stop it: ${program} stop ${decided.task_id}`] : []),
        ]);
      },
    );
  approvals
    .command('decline')
    .description('decline one request')
    .option(
      '--never',
      'and decline the same quietly from now on: a rule, which is shown and asked about',
    )
    .argument('<id>', 'the request')
    .option('--reason <text>', 'why; the asking hub sees it')
    .option('--digest <hex>', 'for scripts: the digest that was shown')
    .doesAsOwner(
      async (owner, { terminal, command: program }, id: string, options: DeclineOptions) => {
        const shown = await requestOf(owner, id);
        const scope = options.never === true ? 'never' : 'once';
        if (scope === 'never') await confirmNever(terminal, shown, options, program);
        const decided = await decide(owner, shown, options.digest, {
          decision: 'decline',
          scope,
          reason: options.reason,
        });
        const declined =
          scope === 'never'
            ? `Declined, and remembered as a rule (${program} rules).`
            : 'Declined.';
        terminal.result(decided, () => [`${declined} ${decisionLine(decided.story)}`]);
      },
    );
}

/** Whether an agent of this hub does it, once it is allowed. */
const isForAgent = ({ permission, remote_question: elsewhere }: ApprovalDto): boolean =>
  permission === null && elsewhere === null;

/** Said before anybody is asked to type: the word would count for nothing. */
function onlyDeclinable(whose: string, id: string): AppError {
  const { waiting } = ENGLISH.remoteApproval;
  return refusal(
    'blocked',
    `${whose} ${waiting.here}`,
    `"axon approvals decline ${id}" declines it.`,
  );
}

/**
 * Shows the request and asks, unless a digest says that it was seen. Returns the last word where
 * one is needed.
 */
async function confirmAllow(
  terminal: Terminal,
  shown: ApprovalDto,
  options: AllowOptions,
  command: string,
): Promise<string | undefined> {
  if (options.digest !== undefined) return options.lastWord;
  show(terminal, shown, command);
  if (shown.choice !== null) {
    throw refusal(
      'bad_request',
      'This request asks you to choose; nothing was decided.',
      `"axon answer ${shown.id} --choose OPTION" chooses.`,
    );
  }
  if (options.scope !== 'once' && !shown.wider.includes(options.scope)) {
    const offered = shown.wider.filter((choice) => choice in WOULD);
    throw refusal(
      'bad_request',
      offered.length === 0
        ? 'You can’t allow more than once here; nothing was decided.'
        : `You can’t allow "${options.scope}" here; nothing was decided.`,
      `It can be allowed for: ${['once', ...offered].join(', ')}.`,
    );
  }
  if (shown.risk_class === 'R3')
    return terminal.ask(
      'This is of the dangerous class. Type the last word of the text to allow it: ',
    );
  if (options.scope !== 'once') terminal.note(WOULD[options.scope]);
  await terminal.confirm(
    options.scope === 'once' ? 'Allow this once?' : 'Allow and remember?',
    'allow',
    NOTHING_DECIDED,
  );
  return undefined;
}

/** The same for a "never", which lasts. */
async function confirmNever(
  terminal: Terminal,
  shown: ApprovalDto,
  options: DeclineOptions,
  command: string,
): Promise<void> {
  if (options.digest !== undefined) return;
  show(terminal, shown, command);
  terminal.note(neverWould(shown));
  await terminal.confirm('Decline and remember?', 'never', NOTHING_DECIDED);
}

/** Exactly what a "never" would decline. */
function neverWould({ peer_id, peer_name, from_name, to_name, domain }: ApprovalDto): string {
  const area = domain !== null && DOMAIN_NAME.test(domain) ? ` in ${domain}` : ', in any area';
  // Among the programs of this computer a rule means one of them.
  const [who, told] =
    peer_id === null
      ? [`${from_name ?? peer_name}, on this computer,`, 'it']
      : [peer_name, 'whichever of its agents asks'];
  return `From now on ${who} may never ask ${to_name} for anything${area}: ${told} is told "declined", and nobody is disturbed. It has no end.`;
}

/** Decides about what was shown. @param digest of what a script saw; without it, of `shown` */
export function decide(
  owner: HubClient,
  shown: ApprovalDto,
  digest: string | undefined,
  decision: Pick<
    OperationInput<'approvals.decide'>,
    'decision' | 'scope' | 'last_word' | 'reason' | 'answer' | 'choice'
  >,
): Promise<ApprovalDto> {
  const { id, revision } = shown;
  return owner.call('approvals.decide', {
    id,
    revision,
    digest: digest ?? shown.digest,
    ...decision,
  });
}

/**
 * Shows it at the terminal. @param command how a line to be typed begins here @throws AppError
 * bad_request where nobody can see it
 */
export function show(terminal: Terminal, shown: ApprovalDto, command: string): void {
  if (!terminal.isInteractive) {
    throw refusal(
      'bad_request',
      'Nobody saw this request: decide at a terminal, or name the digest that was shown with --digest.',
      `"axon approvals show ${shown.id} --json" shows it with its digest.`,
    );
  }
  for (const line of cardLines(shown, command)) terminal.note(line);
}

/** The table, and what its classes mean. Exported for tests. */
export function listLines(items: readonly ApprovalDto[], isDecided: boolean): readonly string[] {
  const rows = items.map((item) => [
    cellTime(isDecided ? (item.decided_at ?? item.received_at) : item.received_at),
    decisionOf(item.story),
    fromOf(item),
    item.permission ? 'itself' : item.choice === null ? item.to_name : 'you',
    item.risk_class,
    item.id,
  ]);
  const begins = items.map(({ text }) => beginningOf(text));
  return [
    ...table(
      [[inZone(isDecided ? 'ENDED' : 'RECEIVED'), 'STATE', 'FROM', 'FOR', 'CLASS', 'ID'], ...rows],
      begins,
    ),
    '',
    CLASS_LEGEND,
  ];
}

/** Whose hub asks; where it asks about the request of another one, for whom. */
function fromOf({ peer_name: hub, remote_question: asked }: ApprovalDto): string {
  const { program } = ENGLISH.remoteApproval.asked;
  return asked === null ? hub : `${hub}, for ${asked.asker ?? program}`;
}
