// A program as an agent: it gets each item as JSON on its standard input, and what it prints is the
// answer. The item reaches it on a pipe, never as an argument or through a shell.
import type { JsonObject } from '../lib/json-object.ts';
import { endOfTelling, failedAnswer, fittingAnswers } from './fitting-answers.ts';
import { NO_ANSWER, WORK_KINDS, type Worked, type Worker } from './listen.ts';
import { answersNothing, isAnswer, lasts, nativeAnswer, nativeIn } from './native-answer.ts';
import { runProgram } from './program-run.ts';
import { valueOf } from './steady-line.ts';

/** How long one of several messages is tried, where the hub that gets it is away. */
const TELL_MAX_MS = 30_000;
/** More messages do not wait: the program is ended. */
const WAITING_MAX = 64;

export function programWorker(words: readonly string[], tellMaxMs = TELL_MAX_MS): Worker {
  return {
    kinds: WORK_KINDS,
    async work(item, stopped, cancelled, say) {
      if (lasts(item)) return tellOn({ words, tellMaxMs }, item, stopped, cancelled, say);
      const end = await runProgram(words, `${JSON.stringify(item)}\n`, stopped);
      const wasCancelled = cancelled.aborted;
      if (end.exitCode !== 0 && end.wasEnded && !wasCancelled) return 'undone';
      const native = wasCancelled ? undefined : nativeAnswer(item, end);
      if (native !== undefined && answersNothing(item, native)) return failed(NO_ANSWER.detail);
      return { native, answers: fittingAnswers(end, wasCancelled) };
    },
  };
}

/**
 * Of what is answered as often as there is something to say: each line that is a message is told as
 * it comes, until one ends the item or cannot be told, nobody wants more, or the program ends.
 */
async function tellOn(
  { words, tellMaxMs }: { readonly words: readonly string[]; readonly tellMaxMs: number },
  ...[item, stopped, cancelled, say]: Parameters<Worker['work']>
): ReturnType<Worker['work']> {
  const over = new AbortController();
  const ends = AbortSignal.any([stopped, over.signal]);
  let [told, waiting] = [0, 0];
  let ended: Worked | 'told' | undefined;
  let last = Promise.resolve();
  const endAs = (how: typeof ended): void => {
    ended ??= how;
    over.abort();
  };
  const fail = (detail: string): void => endAs(failed(detail));
  const tell = async (message: JsonObject): Promise<void> => {
    if (ends.aborted) return;
    if (!isAnswer(item, message)) return fail(NO_ANSWER.detail);
    const called = await say(message, AbortSignal.any([ends, AbortSignal.timeout(tellMaxMs)]));
    waiting--;
    if (valueOf(called)?.replied !== undefined) endAs('told');
    else if (ends.aborted) return;
    else if (called === undefined) fail(`It was tried in vain for ${tellMaxMs / 1000} seconds.`);
    else if ('refused' in called) fail(called.refused.detail);
  };
  const take = (printed: string): void => {
    const message = ends.aborted ? undefined : nativeIn(item, printed);
    if (message === undefined) return;
    told++;
    if (++waiting > WAITING_MAX)
      return fail(`More than ${WAITING_MAX} messages of the program waited to be told.`);
    last = last.then(() => tell(message));
    last.catch(() => over.abort());
  };
  const end = await runProgram(words, `${JSON.stringify(item)}\n`, ends, take);
  // One message may stand on several lines.
  if (told === 0) take(end.output.text);
  await last;
  if (ended !== undefined) return ended;
  if (stopped.aborted && !cancelled.aborted) return 'undone';
  const isTold = told > 0 || cancelled.aborted;
  return {
    answers: isTold ? [endOfTelling(end, cancelled.aborted)] : fittingAnswers(end, false),
  };
}

function failed(detail: string): Worked {
  return { answers: [{ answer: failedAnswer({ detail }), less: null }] };
}
