// A program as an agent: it gets each item as JSON on its standard input, and what it prints is the
// answer. The item reaches it on a pipe, never as an argument or through a shell.
import { DELIVERY_KINDS, isWork } from '../../preload/contract/delivery-kind.ts';
import { endOfTelling, failedAnswer, fittingAnswers } from './fitting-answers.ts';
import type { Worked, Worker } from './listen.ts';
import { lasts, nativeAnswer, nativeIn } from './native-answer.ts';
import { runProgram } from './program-run.ts';

export function programWorker(words: readonly string[]): Worker {
  return {
    kinds: DELIVERY_KINDS.filter(isWork),
    async work(item, stopped, cancelled, say) {
      if (lasts(item)) return tellOn(words, item, stopped, cancelled, say);
      const end = await runProgram(words, `${JSON.stringify(item)}\n`, stopped);
      const wasCancelled = cancelled.aborted;
      if (end.exitCode !== 0 && end.wasEnded && !wasCancelled) return 'undone';
      return {
        native: wasCancelled ? undefined : nativeAnswer(item, end),
        answers: fittingAnswers(end, wasCancelled),
      };
    },
  };
}

/**
 * Of what is answered as often as there is something to say: each line that is a message is told as
 * it comes, until one ends the item, the hub refuses one, or the program ends.
 */
async function tellOn(
  words: readonly string[],
  ...[item, stopped, cancelled, say]: Parameters<Worker['work']>
): ReturnType<Worker['work']> {
  const over = new AbortController();
  let told = 0;
  let ended: Worked | 'told' | undefined;
  let last = Promise.resolve();
  const tell = async (printed: string): Promise<void> => {
    const message = ended === undefined ? nativeIn(item, printed) : undefined;
    if (message === undefined) return;
    told++;
    const called = await say(message);
    if (called === undefined) return;
    if ('refused' in called)
      ended = { answers: [{ answer: failedAnswer(called.refused), less: null }] };
    else if (called.value.replied !== undefined) ended = 'told';
    if (ended !== undefined) over.abort();
  };
  const ends = AbortSignal.any([stopped, over.signal]);
  const end = await runProgram(words, `${JSON.stringify(item)}\n`, ends, (line) => {
    last = last.then(() => tell(line));
    last.catch(() => over.abort());
  });
  await last;
  // One message may stand on several lines.
  if (told === 0) await tell(end.output.text);
  if (ended !== undefined) return ended;
  if (stopped.aborted && !cancelled.aborted) return 'undone';
  const isTold = told > 0 || cancelled.aborted;
  return {
    answers: isTold ? [endOfTelling(end, cancelled.aborted)] : fittingAnswers(end, false),
  };
}
