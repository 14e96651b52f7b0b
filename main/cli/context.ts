// What every command gets: the terminal, the session and how to run. Owns the way from a failure to words and an exit code.
import { ERRORS } from '../../preload/contract/errors.ts';
import type { Problem } from '../../preload/contract/errors.ts';
import { AppError } from '../lib/app-error.ts';
import { dataFolder } from '../lib/data-folder.ts';
import { HubProblem } from './hub-client.ts';
import { Session } from './session.ts';
import { Terminal } from './terminal.ts';

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
}

/** Runs one command and ends what it opened. Returns the exit code: 0 done, 1 local failure, 2 refused, 3 too late. */
export async function runCommand(options: GlobalOptions, command: (context: CommandContext) => Promise<number | void>): Promise<number> {
  const terminal = new Terminal(options.json === true);
  const session = new Session(
    { home: dataFolder(options.home, process.env), agent: options.as, passphraseFile: options.passphraseFile },
    terminal,
  );
  try {
    return (await command({ terminal, session })) ?? 0;
  } catch (error) {
    return reportFailure(error, terminal);
  } finally {
    await session.close();
  }
}

/** Says what went wrong and what to try, on standard error. Returns the exit code. */
export function reportFailure(error: unknown, terminal: Terminal): number {
  const problem = problemOf(error);
  if (terminal.json) {
    terminal.noteJson(problem);
  } else {
    terminal.note(`${problem.title}: ${problem.detail}`);
    if (problem.hint !== undefined) terminal.note(problem.hint);
  }
  return ERRORS[problem.code].exit;
}

function problemOf(error: unknown): Problem {
  if (error instanceof HubProblem) return error.problem;
  const known = error instanceof AppError ? error : new AppError('internal', error instanceof Error ? error.message : 'Unknown failure.');
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
