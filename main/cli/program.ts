// The command `axon`: its words, options and help. Each command's work stands in commands/. Exit
// codes: those of preload/contract/errors.ts, and 130 for Ctrl+C.
import { Command, CommanderError, Option, type Argument } from 'commander';
import { dataFolder } from '../lib/data-folder.ts';
import { AxonCommand, type Run } from './axon-command.ts';
import { addAgentCommands } from './commands/agents.ts';
import { addAnswerCommand } from './commands/answer.ts';
import { addApprovalCommands } from './commands/approvals.ts';
import { addAuditCommands, type CheckStoppedAudit } from './commands/audit.ts';
import { addAttentionCommands } from './commands/attention.ts';
import { addRemoteApprovalCommands } from './commands/remote-approval.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addEscalateCommand } from './commands/escalate.ts';
import { addCrunchCommand } from './commands/crunch.ts';
import { addHistoryCommand } from './commands/history.ts';
import { addHubCommands } from './commands/hub.ts';
import type { RemoveData } from './commands/service.ts';
import { addAskCommand } from './commands/ask.ts';
import { addInboxCommands } from './commands/inbox.ts';
import { addIngestCommand } from './commands/ingest.ts';
import { addInvitationCommands } from './commands/invitations.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addPairCommands } from './commands/pair.ts';
import { addPeerCommands } from './commands/peers.ts';
import { addRuleCommands } from './commands/rules.ts';
import { addSendCommands } from './commands/send.ts';
import { addSettingsCommand } from './commands/settings.ts';
import { addTaskCommands } from './commands/tasks.ts';
import { reportFailure, runCommand } from './context.ts';
import type { GlobalOptions } from './context.ts';
import { GROUPS, helpBelow, programBelow } from './help-words.ts';
import { invocation, shellWord } from './invocation.ts';
import { Terminal } from './terminal.ts';
import { refusal } from './refusal.ts';

interface ProgramDeps {
  readonly version: string;
  /**
   * Runs a hub in this process until it is stopped: how it was started, with the flags of the
   * settings.
   */
  readonly runHub: (start: {
    readonly command: string;
    readonly flags: readonly string[];
  }) => Promise<number>;
  /** Checks the audit log of a hub that does not run. */
  readonly checkStoppedAudit: CheckStoppedAudit;
  readonly removeData: RemoveData;
}

/** Where every program on this computer could read it. */
const SECRET_ARGUMENTS = [
  [
    /axh_(?:agent|ui|owner)_[0-9a-f]{16}_[A-Za-z0-9_-]{43}/,
    'A token was given as an argument, where every program on this computer can read it.',
    'Put it into AXON_TOKEN_FILE instead, and make a new one in the app: this one is no longer secret.',
  ],
  [
    /axon:\/\/pair\?/i,
    'An invitation was given as an argument, where every program on this computer can read its secret.',
    'Revoke it where it was made ("axon invite revoke"), make a new one, and paste that when "axon join" asks for it.',
  ],
] as const;

/** What a group of commands does when none of them is named. */
const DEFAULT_COMMAND = 'list';
/** Groups that do something themselves then. */
const OWN_WORK: readonly string[] = ['peers', 'invite', 'mcp', 'hub'];
const HELP_FLAGS: readonly string[] = ['-h', '--help'];
const HELP_OPTION = [HELP_FLAGS.join(', '), 'print help'] as const;
const PERSON_ONLY = '(the person in charge only)';
/** Below this many columns beside the names the words of a help are not wrapped any more. */
const WRAP_MIN_COLUMNS = 20;

const GLOBAL_OPTIONS = [
  ['--json', 'print results (and failures) as JSON'],
  ['--home <folder>', 'the data folder of the hub (or AXON_HOME)'],
  ['--as <agent>', 'which connected agent speaks'],
  ['--passphrase-file <file>', 'a file with the owner passphrase on its first line, for scripts'],
] as const;

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json');
}

/** For the lines that say how a command is written; the data folder would only lengthen them. */
function ownProgram(): string {
  return invocation(dataFolder(undefined, { ...process.env, AXON_HOME: undefined }));
}

/** How a line begins that works where it is pasted, for the data folder that was named. */
function typedHere(command: Command): string {
  return invocation(dataFolder(command.optsWithGlobals<GlobalOptions>().home, process.env));
}

/** "peers show" */
function wordsOf(command: Command): string {
  const group =
    command.parent?.parent === null || command.parent === null ? '' : `${command.parent.name()} `;
  return `${group}${command.name()}`;
}

/**
 * Every command takes the options of the program too, wherever they stand; its help does not repeat
 * them.
 */
function prepare(command: Command, words: string, typed: string): void {
  const isListedAlone =
    command.commands.some((inner) => inner.name() === DEFAULT_COMMAND) &&
    !OWN_WORK.includes(command.name());
  command
    .exitOverride()
    .helpOption(...HELP_OPTION)
    .helpCommand(false)
    .showHelpAfterError(`("${typed} ${words} --help" says how)`)
    .addHelpText('after', () => helpBelow(words, typedHere(command), isListedAlone));
  for (const [flags, description] of GLOBAL_OPTIONS)
    command.addOption(new Option(flags, description).hideHelp());
  for (const inner of command.commands) {
    prepare(inner, `${words} ${inner.name()}`, typed);
    if (inner.name() === DEFAULT_COMMAND) refuseOtherWords(inner, command);
  }
  if (OWN_WORK.includes(command.name())) refuseOtherWords(command, command);
}

/** The commands in their groups; where a group says who may, its commands need not. */
function group(program: Command): void {
  for (const [heading, names] of GROUPS) {
    for (const command of program
      .createHelp()
      .visibleCommands(program)
      .filter((one) => names.includes(one.name()))) {
      command.helpGroup(heading);
      if (heading.includes(PERSON_ONLY))
        command.summary(command.description().replace(` ${PERSON_ONLY}`, ''));
    }
  }
}

function argumentTerm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/**
 * A word that is no command of its group would otherwise be told as one too many for the command
 * that needs no name.
 */
function refuseOtherWords(inner: Command, group: Command): void {
  inner.allowExcessArguments().hook('preAction', (_hooked, acting) => {
    const [word] = acting === inner ? inner.args : [];
    if (word === undefined) return;
    if (inner !== group && group.args[0] === inner.name())
      group.error(`error: '${inner.name()}' takes no '${word}'`);
    const names = group.commands.map((command) => command.name()).join(', ');
    group.error(`error: unknown command '${word}' of ${group.name()}, which has ${names}`);
  });
}

/**
 * "error: unknown option '--x'" as a sentence; what stands on further lines stays. An option may
 * have been meant as a text, and a link as what `pair start` takes.
 */
function usageSentence(program: Command, text: string): string {
  const [, first = '', rest = ''] = /^(?:error: )?(.*)([^]*)$/.exec(text) ?? [];
  const end = /[.?!]$/.test(first) ? '' : '.';
  const [, link] = /^unknown command '(axon:\/\/.*)'$/.exec(first) ?? [];
  if (link !== undefined)
    return `A link is no command. To pair with its hub: ${typedHere(program)} pair start ${shellWord(link, process.platform) ?? 'LINK'}${rest}`;
  const wayOut = first.startsWith('unknown option')
    ? ' A text that begins with "-" stands after "--".'
    : '';
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}${end}${wayOut}${rest}`;
}

/** What commander itself finds wrong, for whoever asked for JSON. */
function tellUsageAsJson(program: Command): void {
  program.configureOutput({
    outputError: (text) =>
      void reportFailure(
        refusal('bad_request', usageSentence(program, text).trim()),
        new Terminal(true),
        '',
      ),
    writeErr: () => undefined,
  });
}

/** What the commands are made with. */
interface CommandDeps {
  readonly version: string;
  readonly run: Run;
  readonly runHub: (flags: readonly string[]) => Promise<void>;
  readonly checkStoppedAudit: CheckStoppedAudit;
  readonly removeData: RemoveData;
  /** Failures are told as JSON. */
  readonly isJson: boolean;
}

/** All commands, ready to parse. */
export function makeProgram({
  version,
  run,
  runHub,
  checkStoppedAudit,
  removeData,
  isJson,
}: CommandDeps): Command {
  const typed = ownProgram();
  const program: AxonCommand = new AxonCommand(typed, run)
    .description(
      'Asks and serves the other hubs of your household, through the AXON Hub on this computer.',
    )
    .version(version, '--version', 'print the version')
    .helpOption(...HELP_OPTION)
    .addHelpCommand(
      new Command('help').argument('[command...]').description('print help, for one command too'),
    )
    .addHelpText('after', () => programBelow(typedHere(program)))
    .configureHelp({
      minWidthToWrap: WRAP_MIN_COLUMNS,
      subcommandTerm: (command) =>
        [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
    })
    .configureOutput({ outputError: (text, write) => write(usageSentence(program, text)) })
    .enablePositionalOptions()
    .showHelpAfterError(`("${typed} --help" and "${typed} COMMAND --help" say how)`)
    .exitOverride();
  // Before the commands, which take it over.
  if (isJson) tellUsageAsJson(program);
  addPeerCommands(program);
  addSendCommands(program);
  addEscalateCommand(program);
  addTaskCommands(program);
  addHistoryCommand(program);
  addInboxCommands(program);
  addAskCommand(program);
  addIngestCommand(program);
  addCrunchCommand(program);
  addApprovalCommands(program);
  addAnswerCommand(program);
  addRuleCommands(program);
  addRemoteApprovalCommands(program);
  addAttentionCommands(program);
  addAuditCommands(program, checkStoppedAudit);
  addPairCommands(program);
  addInvitationCommands(program);
  addAgentCommands(program);
  addMcpCommand(program, version);
  addDemoCommand(program, runHub);
  addSettingsCommand(program);
  addHubCommands(program, runHub, removeData);
  addCompletionCommand(program);
  for (const [flags, description] of GLOBAL_OPTIONS) program.option(flags, description);
  for (const command of program.commands) prepare(command, command.name(), typed);
  group(program);
  return program;
}

/**
 * "help pair start" is "pair start --help", and "help" without a command is "--help"; of what is no
 * command it is said. Only names of commands are taken along: any other word could begin what a
 * command does, as what `listen` runs.
 */
function withoutHelp(argv: readonly string[], program: Command): readonly string[] {
  const [first, named, ...rest] = argv;
  if (first !== 'help' || named === undefined) return argv;
  if (named.startsWith('-')) return ['--help'];
  const words = [named];
  let inner = program.commands.find((command) => command.name() === named);
  if (inner === undefined) return words;
  for (const word of rest) {
    inner = inner.commands.find((command) => command.name() === word);
    if (inner === undefined) break;
    words.push(word);
  }
  return [...words, '--help'];
}

/** Runs the program. Returns the exit code. */
export async function runProgram(argv: readonly string[], deps: ProgramDeps): Promise<number> {
  // A reader that has seen enough (as in "axon tasks | head") closes the pipe: that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? 0 : 1),
  );
  // What cannot be told changes nothing of how it went.
  process.stderr.on('error', () => undefined);
  const isJson = asksForJson(argv);
  let exitCode = 0;
  const run: Run = async (command, work) => {
    exitCode = await runCommand(command.optsWithGlobals<GlobalOptions>(), wordsOf(command), work);
  };
  const runHub = async (flags: readonly string[]): Promise<void> => {
    // A hub goes on when nobody reads its output any more.
    new Terminal(false).whenClosed(() => undefined);
    exitCode = await deps.runHub({ command: `${ownProgram()} hub`, flags });
  };
  for (const [pattern, sentence, hint] of SECRET_ARGUMENTS) {
    if (!argv.some((argument) => pattern.test(argument))) continue;
    return reportFailure(
      refusal('bad_request', sentence, hint),
      new Terminal(isJson),
      invocation(dataFolder(undefined, process.env)),
    );
  }
  const program = makeProgram({ ...deps, run, runHub, isJson });
  try {
    await program.parseAsync([...withoutHelp(argv, program)], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Where no command was named commander prints the help, which is no JSON.
    if (isJson && error.code === 'commander.help' && error.exitCode !== 0)
      return reportFailure(
        refusal('bad_request', 'No command was named.', '"axon --help" lists them.'),
        new Terminal(true),
        ownProgram(),
      );
    return error.exitCode === 0 ? 0 : 2;
  }
}
