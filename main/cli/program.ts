// The command `axon`: its words, options and help. Each command's work stands in commands/. Exit codes: 0 done, 1 local failure, 2 refused
// by usage, hub or peer, 3 too late, 130 interrupted.
import { Command, CommanderError, Option } from 'commander';
import { AppError } from '../lib/app-error.ts';
import { dataFolder } from '../lib/data-folder.ts';
import { addAgentCommands } from './commands/agents.ts';
import { addAnswerCommand } from './commands/answer.ts';
import { addApprovalCommands } from './commands/approvals.ts';
import { addAuditCommands, type CheckStoppedAudit } from './commands/audit.ts';
import { addAttentionCommands } from './commands/attention.ts';
import { addConsentCommands } from './commands/consent.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addEscalateCommand } from './commands/escalate.ts';
import { addHubCommands } from './commands/hub.ts';
import { addInboxCommands } from './commands/inbox.ts';
import { addInvitationCommands } from './commands/invitations.ts';
import { addPairCommands } from './commands/pair.ts';
import { addPeerCommands } from './commands/peers.ts';
import { addRuleCommands } from './commands/rules.ts';
import { addSendCommands } from './commands/send.ts';
import { addTaskCommands } from './commands/tasks.ts';
import { reportFailure, runCommand } from './context.ts';
import type { GlobalOptions } from './context.ts';
import { ownCommand } from './own-command.ts';
import type { Run } from './run.ts';
import { Terminal } from './terminal.ts';

export interface ProgramDeps {
  readonly version: string;
  /** Runs a hub in this process until it is stopped. The flags are those of the settings. */
  readonly runHub: (flags: readonly string[]) => Promise<number>;
  /** Checks the record of a hub that does not run. */
  readonly checkStoppedAudit: CheckStoppedAudit;
}

/** The link of an invitation. */
const INVITATION_ARGUMENT = /axon:\/\/pair\?/i;
const TOKEN_ARGUMENT = /axh_(?:agent|ui|owner)_[0-9a-f]{16}_[A-Za-z0-9_-]{43}/;

const helpAfter = (command: string): string => `
Speaking for an agent (peers, discover, ping, query, delegate, escalate, notify, tasks, cancel, inbox, ack, reply, listen):
  ${command} agents connect NAME
                                  once; shows a code that the person confirms in the app, then keeps the token
  AXON_TOKEN, AXON_TOKEN_FILE     the token, or the file that holds it; never give a token as an argument
  --as NAME                       which one, when several agents are connected here

Speaking for the person in charge (login, approvals, answer, consent, pause, resume, quiet, rules, audit, pair, invite, join,
peers add, peers mute, agents add, agents remove):
  asks for the owner passphrase at a terminal, or takes --passphrase-file FILE;
  so do peers, discover and ping where no agent is connected

Texts that begin with a dash: put -- before them, as in  ${command} query "Mum's PC" -- "--help is what?"
Exit codes: 0 done, 1 local failure, 2 refused by usage, hub or peer, 3 too late,
130 ended with Ctrl+C while it waited.
"${command} examples" shows one complete exchange.`;

/** What a group of commands does when none of them is named. */
const DEFAULT_COMMAND = 'list';

const GLOBAL_OPTIONS = [
  ['--json', 'print results (and failures) as JSON'],
  ['--home <folder>', 'the data folder of the hub (or AXON_HOME)'],
  ['--as <agent>', 'which connected agent speaks'],
  ['--passphrase-file <file>', 'a file with the owner passphrase, for scripts'],
] as const;

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json');
}

/** For the lines that say how a command is written; the data folder would only lengthen them. */
function ownProgram(): string {
  return ownCommand(dataFolder(undefined, { ...process.env, AXON_HOME: undefined }));
}

/** Every command takes the options of the program too, wherever they stand; its help does not repeat them. */
function prepare(command: Command, words: string): void {
  command.exitOverride().helpOption('--help', 'print help').helpCommand(false).showHelpAfterError(`("${words} --help" says how)`);
  for (const [flags, description] of GLOBAL_OPTIONS) command.addOption(new Option(flags, description).hideHelp());
  for (const inner of command.commands) {
    prepare(inner, `${words} ${inner.name()}`);
    if (inner.name() === DEFAULT_COMMAND) refuseOtherWords(inner, command);
  }
  if (command.name() === 'peers') refuseOtherWords(command, command);
}

/** A word that is no command of its group would otherwise be told as one too many for the command that needs no name. */
function refuseOtherWords(inner: Command, group: Command): void {
  inner.allowExcessArguments().hook('preAction', (_hooked, acting) => {
    const [word] = acting === inner ? inner.args : [];
    const names = group.commands.map((command) => command.name()).join(', ');
    if (word !== undefined) group.error(`error: unknown command '${word}' of ${group.name()}, which has ${names}`);
  });
}

/** What commander itself finds wrong, for whoever asked for JSON. */
function tellUsageAsJson(program: Command): void {
  program.configureOutput({
    outputError: (text) =>
      void reportFailure(new AppError('bad_request', text.replace(/^error: /, '').trim(), { failedBy: 'input' }), new Terminal(true), ''),
    writeErr: () => undefined,
  });
}

/** Runs the program. Returns the exit code. */
export async function runProgram(argv: readonly string[], deps: ProgramDeps): Promise<number> {
  // A reader that has seen enough (as in "axon tasks | head") closes the pipe: that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  // What cannot be told changes nothing of how it went.
  process.stderr.on('error', () => undefined);
  let exitCode = 0;
  const run: Run = async (command, work) => {
    exitCode = await runCommand(command.optsWithGlobals<GlobalOptions>(), work);
  };
  const runHub = async (flags: readonly string[]): Promise<void> => {
    // A hub goes on when nobody reads its output any more.
    new Terminal(false).whenClosed(() => undefined);
    exitCode = await deps.runHub(flags);
  };
  if (argv.some((argument) => TOKEN_ARGUMENT.test(argument))) {
    return reportFailure(
      new AppError('bad_request', 'A token was given as an argument, where every program on this computer can read it.', {
        hint: 'Put it into AXON_TOKEN_FILE instead, and make a new one in the app: this one is no longer secret.',
        failedBy: 'input',
      }),
      new Terminal(false),
      ownCommand(dataFolder(undefined, process.env)),
    );
  }
  if (argv.some((argument) => INVITATION_ARGUMENT.test(argument))) {
    return reportFailure(
      new AppError('bad_request', 'An invitation was given as an argument, where every program on this computer can read its secret.', {
        hint: 'Take it back where it was made ("axon invite revoke"), make a new one, and paste that when "axon join" asks for it.',
        failedBy: 'input',
      }),
      new Terminal(false),
      ownCommand(dataFolder(undefined, process.env)),
    );
  }
  const program = new Command(ownProgram())
    .description('Asks and serves the other hubs of your household, through the AXON Hub on this computer.')
    .version(deps.version, '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', ({ command }) => helpAfter(ownCommand(dataFolder(command.opts<GlobalOptions>().home, process.env))))
    .enablePositionalOptions()
    .showHelpAfterError(`("${ownProgram()} --help" and "${ownProgram()} COMMAND --help" say how)`)
    .exitOverride();
  // Before the commands, which take it over.
  if (asksForJson(argv)) tellUsageAsJson(program);
  addPeerCommands(program, run);
  addSendCommands(program, run);
  addEscalateCommand(program, run);
  addTaskCommands(program, run);
  addDemoCommand(program, run, runHub);
  addInboxCommands(program, run);
  addApprovalCommands(program, run);
  addAnswerCommand(program, run);
  addRuleCommands(program, run);
  addConsentCommands(program, run);
  addAttentionCommands(program, run);
  addAuditCommands(program, run, deps.checkStoppedAudit);
  addPairCommands(program, run);
  addInvitationCommands(program, run);
  addAgentCommands(program, run);
  addHubCommands(program, run, runHub);
  for (const [flags, description] of GLOBAL_OPTIONS) program.option(flags, description);
  for (const command of program.commands) prepare(command, `${ownProgram()} ${command.name()}`);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
}
