// answer: a person answers a request themselves, at a terminal, instead of letting an agent do it.
// Shown in full before it is answered, and bound to the digest of what was shown.
import type { ApprovalDto } from '../../../preload/contract/dto.ts';
import type { AppError } from '../../lib/app-error.ts';
import { requestOf } from '../ids.ts';
import { quoted } from '../quoted-text.ts';
import type { AxonCommand } from '../axon-command.ts';
import type { Terminal } from '../terminal.ts';
import { decide, NOTHING_DECIDED, show } from './approvals.ts';
import { refusal } from '../refusal.ts';

interface AnswerOptions {
  readonly choose?: string;
  readonly digest?: string;
}

export function addAnswerCommand(program: AxonCommand): void {
  program
    .command('answer')
    .description(
      'answer a request yourself instead of letting an agent do it (the person in charge only)',
    )
    .argument('<id>', 'the request')
    .argument('[text]', 'your answer, exactly as the other hub gets it; asked for at a terminal')
    .option(
      '--choose <option>',
      'where you are asked to choose: the id of the option, instead of an answer',
    )
    .option(
      '--digest <hex>',
      'for scripts: the digest that was shown; without it the request is shown and asked about',
    )
    .doesAsOwner(
      async (
        owner,
        { terminal, command: program },
        id: string,
        text: string | undefined,
        options: AnswerOptions,
      ) => {
        const shown = await requestOf(owner, id);
        if (text !== undefined && options.choose !== undefined) throw bothSaid();
        if (options.digest === undefined) show(terminal, shown, program);
        const said = options.choose ?? (await ownWords(terminal, shown, text, options));
        // The id of an option is that option, wherever it is typed.
        const isChoice =
          options.choose !== undefined ||
          shown.choice?.options.some(({ id: option }) => option === said.trim());
        const words = isChoice
          ? { choice: await chosen(terminal, shown, said.trim(), options) }
          : { answer: said };
        const decided = await decide(owner, shown, options.digest, {
          decision: 'answer',
          ...words,
        });
        terminal.result(decided, () => [
          `Answered. ${decided.peer_name} gets it with your name; no agent does anything.`,
        ]);
      },
    );
}

/** What is said, sure where it was not typed just now. */
async function ownWords(
  terminal: Terminal,
  shown: ApprovalDto,
  text: string | undefined,
  { digest }: AnswerOptions,
): Promise<string> {
  if (digest !== undefined && text === undefined) throw nothingSaid();
  const options = shown.choice?.options.map(({ id }) => id) ?? [];
  const answer =
    text ??
    (await terminal.ask(
      options.length === 0
        ? 'Your answer: '
        : `Your choice (${options.join(', ')}), or your own words: `,
    ));
  if (answer.trim() === '') throw nothingSaid();
  if (digest === undefined && text !== undefined && !options.includes(answer.trim())) {
    await terminal.confirm(
      `Answer "${answer}" with your name, and let no agent do it?`,
      'answer',
      NOTHING_DECIDED,
    );
  }
  return answer;
}

/** The option by its id, sure where nobody names a digest. */
async function chosen(
  terminal: Terminal,
  shown: ApprovalDto,
  choose: string,
  { digest }: AnswerOptions,
): Promise<string> {
  const option = shown.choice?.options.find(({ id }) => id === choose);
  if (option === undefined) {
    const there = shown.choice?.options.map(({ id }) => id).join(', ');
    const why =
      there === undefined ? 'This request asks nobody to choose.' : `The options are: ${there}.`;
    throw refusal('bad_request', `${why} Nothing was decided.`);
  }
  if (digest === undefined) {
    for (const line of quoted(option.label)) terminal.note(line);
    await terminal.confirm(
      `Choose [${option.id}], which says what stands above?`,
      'choose',
      NOTHING_DECIDED,
    );
  }
  return option.id;
}

function bothSaid(): AppError {
  return refusal(
    'bad_request',
    'Choose with --choose, or answer in words, not both. Nothing was decided.',
  );
}

function nothingSaid(): AppError {
  return refusal('bad_request', 'Say what the answer is. Nothing was decided.');
}
