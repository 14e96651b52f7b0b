// A program as an agent: it gets each item as JSON on its standard input, and what it prints is the
// answer. The item reaches it on a pipe, never as an argument or through a shell.
import { DELIVERY_KINDS, isWork } from '../../preload/contract/delivery-kind.ts';
import { fittingAnswers } from './fitting-answers.ts';
import type { Worker } from './listen.ts';
import { nativeAnswer } from './native-answer.ts';
import { runProgram } from './program-run.ts';

export function programWorker(words: readonly string[]): Worker {
  return {
    kinds: DELIVERY_KINDS.filter(isWork),
    async work(item, stopped, cancelled) {
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
