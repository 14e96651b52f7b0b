// escalate: asks a person at another hub to choose. No agent there gets it; the choice comes back
// as the result.
import { InvalidArgumentError } from 'commander';
import { OPTIONS_MAX, OPTIONS_MIN } from '../../../preload/contract/limits.ts';
import { wholeNumber } from '../option-values.ts';
import type { AxonCommand } from '../axon-command.ts';
import {
  common,
  conversationOption,
  deadlineOption,
  followOrTell,
  type CommonOptions,
} from './send.ts';
import { waitForOption, waitOption, type WaitOptions } from './tasks.ts';
import { refusal } from '../refusal.ts';

/** An option as it is typed; its number is its id. */
interface TypedOption {
  readonly label: string;
  readonly pros: string[];
  readonly cons: string[];
}

interface EscalateOptions extends CommonOptions, WaitOptions {
  readonly recommend?: number;
  readonly reason?: string;
  readonly urgent?: boolean;
}

export function addEscalateCommand(program: AxonCommand): void {
  const typed: TypedOption[] = [];
  program
    .command('escalate')
    .description(
      'ask a person at another hub to choose; no agent there gets it, and the choice is the answer',
    )
    .argument('<hub>', 'a name or an agent id; "local" for the person of this hub')
    .argument('<question>', 'what is to be decided, exactly as the person shall read it')
    .requiredOption(
      '--option <text>',
      'one to choose from; two to twelve of them, each with what speaks for and against it right after',
      (label) => typed.push({ label, pros: [], cons: [] }),
    )
    .option('--pro <text>', 'what speaks for the option before it', (text: string) =>
      last(typed, '--pro').pros.push(text),
    )
    .option('--con <text>', 'what speaks against the option before it', (text: string) =>
      last(typed, '--con').cons.push(text),
    )
    .option(
      '--recommend <number>',
      'the one you would choose, by its place: 1 is the first',
      wholeNumber,
    )
    .option('--domain <domain>', 'what it is about, like family.travel')
    .option('--reason <text>', 'why you ask')
    .option('--urgent', 'ahead of other requests')
    .addOption(deadlineOption('ask no longer than this'))
    .addOption(conversationOption())
    .addOption(waitOption('wait until somebody has chosen'))
    .addOption(waitForOption())
    .does(async (context, to: string, task: string, options: EscalateOptions) => {
      checkChoice(typed.length, options.recommend);
      const client = await context.session.asAgent();
      const report = await client.call('send.delegate', {
        to,
        task,
        ...common(options),
        reason: options.reason,
        priority: options.urgent === true ? 'urgent' : 'normal',
        options: typed.map((option) => ({ ...option })),
        recommendation: options.recommend === undefined ? undefined : String(options.recommend),
      });
      return await followOrTell(context, client, report, options);
    });
}

/**
 * Throws `bad_request` in the words of the options: the hub knows neither their places nor their
 * flags.
 */
function checkChoice(count: number, recommended: number | undefined): void {
  if (count < OPTIONS_MIN || count > OPTIONS_MAX) {
    throw refusal(
      'bad_request',
      `A person chooses among ${OPTIONS_MIN} to ${OPTIONS_MAX} options, each given by an --option of its own; here is ${count}.`,
    );
  }
  if (recommended === undefined || (recommended >= 1 && recommended <= count)) return;
  throw refusal(
    'bad_request',
    `There is no option ${recommended}: --recommend names one by its place, 1 to ${count}.`,
  );
}

function last(typed: readonly TypedOption[], flag: string): TypedOption {
  const option = typed.at(-1);
  if (option) return option;
  throw new InvalidArgumentError(`${flag} stands after the --option it is about.`);
}
