// What a person reads when a hub could not start, and the exit code that goes with it.
import { ERRORS } from '../../preload/contract/errors.ts';
import { shellWord } from '../cli/invocation.ts';
import { AppError } from '../lib/app-error.ts';

/** Where a hint says that another port helps. */
const PORT_FLAG = /--(?:api|peer)-port/;

/** How the hub was started: the words before its flags, and its flags. */
export interface Start {
  readonly command: string;
  readonly flags: readonly string[];
}

/** Writes the sentence and the hint to standard error. Returns the exit code. */
export function explainFailure(error: unknown, start: Start | null): number {
  process.stderr.write(`${failureWords(error, start)}\n`);
  return ERRORS[knownError(error).code].exit;
}

/** The sentence, the hint, and the line to type instead where another port helps, a line each. */
export function failureWords(error: unknown, start: Start | null): string {
  const { message, hint } = knownError(error);
  const [flag] = PORT_FLAG.exec(hint ?? '') ?? [];
  const instead = start === null || flag === undefined ? null : onFreePort(start, flag);
  return [message, hint, instead].filter((line) => line !== undefined && line !== null).join('\n');
}

/** `npm start` hands its flags on after "--"; null where another program started this one. */
export function startByNpm(flags: readonly string[]): Start | null {
  return process.env['npm_lifecycle_event'] === 'start' ? { command: 'npm start --', flags } : null;
}

/** The line that started the hub, with a free port; null where no quotes hold what was typed. */
function onFreePort({ command, flags }: Start, flag: string): string | null {
  const others = flags.filter(
    (word, at) => word !== flag && flags[at - 1] !== flag && !word.startsWith(`${flag}=`),
  );
  const words = [...others, flag, '0'].map((word) => shellWord(word, process.platform));
  return words.includes(null) ? null : `Such as: ${[command, ...words].join(' ')}`;
}

function knownError(error: unknown): AppError {
  return error instanceof AppError
    ? error
    : new AppError('internal', `${ERRORS.internal.title}: ${describeError(error)}`);
}

export function describeError(reason: unknown): string {
  return reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
}
