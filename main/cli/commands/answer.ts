// answer: a person answers a request themselves, at a terminal, instead of letting an agent do it. Shown in full before it is answered,
// and bound to the digest of what was shown.
import type { Command } from 'commander';
import { AppError } from '../../lib/app-error.ts';
import { withId } from '../ids.ts';
import type { Run } from '../run.ts';
import { nothingDecided, show } from './approvals.ts';

interface AnswerOptions {
  readonly digest?: string;
}

export function addAnswerCommand(program: Command, run: Run): void {
  program
    .command('answer')
    .description('answer a request yourself instead of letting an agent do it (the person in charge only)')
    .argument('<id>', 'the request')
    .argument('[text]', 'your answer, exactly as the other hub gets it; asked for at a terminal')
    .option('--digest <hex>', 'for scripts: the digest that was shown; without it the request is shown and asked about')
    .action((id: string, text: string | undefined, options: AnswerOptions, command: Command) =>
      run(command, async ({ terminal, session }) => {
        const owner = await session.asOwner();
        const shown = await withId('request', id, (request) => owner.call('approvals.get', { id: request }));
        if (options.digest === undefined) show(terminal, shown);
        else if (text === undefined) throw nothingSaid();
        const answer = text ?? (await terminal.ask('Your answer: '));
        if (answer.trim() === '') throw nothingSaid();
        if (options.digest === undefined && text !== undefined) {
          const sure = await terminal.ask(`Answer "${answer}" with your name, and let no agent do it? Type "answer": `);
          if (sure.toLowerCase() !== 'answer') throw nothingDecided();
        }
        const { revision } = shown;
        const digest = options.digest ?? shown.digest;
        const decided = await owner.call('approvals.decide', { id: shown.id, revision, digest, decision: 'answer', answer });
        terminal.result(decided, () => [`Answered. ${decided.peer_name} gets it with your name; no agent does anything.`]);
      }),
    );
}

function nothingSaid(): AppError {
  return new AppError('bad_request', 'Say what the answer is. Nothing was decided.', { failedBy: 'input' });
}
