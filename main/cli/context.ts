// What every command gets: the terminal, the session and how to run. Owns the way from a failure to
// words and an exit code.
import { ERRORS } from '../../preload/contract/errors.ts';
import type { Problem } from '../../preload/contract/errors.ts';
import { AppError } from '../lib/app-error.ts';
import { dataFolder } from '../lib/data-folder.ts';
import { HubProblem } from './hub-client.ts';
import { invocation, passphraseWords, withInvocation } from './invocation.ts';
import { quoted } from './quoted-text.ts';
import { Session } from './session.ts';
import { Terminal } from './terminal.ts';

/** What a shell gives for a program that Ctrl-C ended. */
export const INTERRUPTED_EXIT_CODE = 130;
/** By it a hook says no, or wakes the model; any other is a failure of the hook. */
export const HOOK_SAYS_EXIT_CODE = 2;
/** Ctrl+C, whoever asks politely, and a terminal that is closed. */
const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** So that what another hub says of its refusal moves nothing of this hub's out of sight. */
const SAID_LINES_MAX = 12;

/** The options that stand before or after every command. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly home?: string;
  readonly as?: string;
  readonly passphraseFile?: string;
}

export interface CommandContext {
  readonly terminal: Terminal;
  readonly session: Session;
  /**
   * How a line at this terminal begins, for hints: "npx axon", with the data folder where it is not
   * the usual one, and the file of the passphrase where one was named.
   */
  readonly command: string;
}

/**
 * Runs one command and ends what it opened. Returns the exit code.
 * @param words the command as it is typed, as "peers show"
 */
export async function runCommand(
  options: GlobalOptions,
  words: string,
  command: (context: CommandContext) => Promise<number | void>,
): Promise<number> {
  const terminal = new Terminal(options.json === true);
  const home = dataFolder(options.home, process.env);
  const { as: agent, passphraseFile } = options;
  const typed = `${invocation(home)}${passphraseWords(passphraseFile)}`;
  const session = new Session({ home, agent, passphraseFile, command: typed }, terminal);
  try {
    return (await command({ terminal, session, command: typed })) ?? 0;
  } catch (error) {
    return reportFailure(error, terminal, typed, words);
  } finally {
    await session.close();
  }
}

/** Whoever starts this program may pass on a signal that it was sent itself, too. */
const SAME_SIGNAL_MS = 200;

/**
 * Work that Ctrl+C cancels by the signal. Returns its exit code. A second Ctrl+C ends the program
 * at once.
 * @param onCancelled says what became of it, where the work threw for the signal
 */
export async function interruptible(
  work: (signal: AbortSignal) => Promise<number>,
  onCancelled?: () => void,
): Promise<number> {
  const called = new AbortController();
  let endsAtOnce = false;
  const cancel = (): void => {
    if (endsAtOnce) process.exit(INTERRUPTED_EXIT_CODE);
    if (called.signal.aborted) return;
    called.abort();
    setTimeout(() => (endsAtOnce = true), SAME_SIGNAL_MS).unref();
  };
  for (const signal of END_SIGNALS) process.on(signal, cancel);
  try {
    return await work(called.signal);
  } catch (error) {
    if (!called.signal.aborted) throw error;
    onCancelled?.();
    return INTERRUPTED_EXIT_CODE;
  } finally {
    for (const signal of END_SIGNALS) process.off(signal, cancel);
  }
}

/**
 * Says what went wrong and what to try, on standard error, naming commands as they are typed here.
 * Returns the exit code.
 * @param words as runCommand
 */
export function reportFailure(
  error: unknown,
  terminal: Terminal,
  command: string,
  words = 'COMMAND',
): number {
  const problem = inOwnWords(problemOf(error), command, words);
  if (terminal.json) {
    terminal.noteJson(problem);
  } else {
    terminal.note(sentenceOf(problem));
    for (const line of saidThere(problem)) terminal.note(line);
    if (problem.hint !== undefined) terminal.note(problem.hint);
  }
  // What somebody else says of its failure did not fail on this computer.
  const isElsewhere = problem.code === 'internal' && problem.data?.['untrusted'] !== undefined;
  return isElsewhere ? ERRORS.cancelled.exit : ERRORS[problem.code].exit;
}

/**
 * reportFailure of a hook. Its program takes 2 for a no or wakes its model by it, and only shows
 * any other; the exit code is never 2.
 */
export function reportHookFailure(...failure: Parameters<typeof reportFailure>): number {
  const exit = reportFailure(...failure);
  return exit === HOOK_SAYS_EXIT_CODE ? ERRORS.internal.exit : exit;
}

/** What is wrong, as whoever refused it said it; the title of its kind where nothing was said. */
function sentenceOf({ title, detail }: Problem): string {
  return detail.trim() === '' ? `${title}.` : detail;
}

/**
 * What another hub says of its refusal, which nobody checked; nothing where this hub refused by
 * itself.
 */
function saidThere({ data }: Problem): readonly string[] {
  const untrusted = data?.['untrusted'];
  if (typeof untrusted !== 'object' || untrusted === null || !('message' in untrusted)) return [];
  const { message } = untrusted;
  if (typeof message !== 'string' || message.trim() === '') return [];
  const said = quoted(message);
  return [
    'It says, not checked:',
    ...said.slice(0, SAID_LINES_MAX),
    ...(said.length > SAID_LINES_MAX ? ['(more of it with --json)'] : []),
  ];
}

function inOwnWords(problem: Problem, command: string, words: string): Problem {
  const { detail } = problem;
  // Whoever types commands makes no HTTP requests.
  const hint =
    problem.hint?.startsWith('GET /v1/examples') === true
      ? `"axon ${words} --help" says how it is written.`
      : problem.hint;
  return {
    ...problem,
    detail: withInvocation(detail, command),
    ...(hint === undefined ? {} : { hint: withInvocation(hint, command) }),
  };
}

/** What a failure is for whoever is told of it. */
export function problemOf(error: unknown): Problem {
  if (error instanceof HubProblem) return error.problem;
  const known = error instanceof AppError ? error : unforeseen(error);
  const { status, title, retryable } = ERRORS[known.code];
  return {
    type: `urn:axon:problem:${known.code}`,
    title,
    status,
    detail: known.message,
    code: known.code,
    retryable,
    ...(known.hint === undefined ? {} : { hint: known.hint }),
  };
}

/** What nobody foresaw has no sentence of its own, only what the system said. */
function unforeseen(cause: unknown): AppError {
  const { title } = ERRORS.internal;
  const said = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    'internal',
    said === '' ? `${title} in this command.` : `${title} in this command: ${said}`,
    { cause },
  );
}
