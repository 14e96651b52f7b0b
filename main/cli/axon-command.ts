// A command of `axon`: words, options, and work that program.ts runs. Every file of commands/ makes
// its commands of these. A word with a blank in it is a text and never an option, whatever it
// begins with.
import { Command, type ParseOptionsResult } from 'commander';
import type { CommandContext } from './context.ts';
import type { HubClient } from './hub-client.ts';

/** Runs a command's work; sets the exit code of the program. */
export type Run = (
  command: Command,
  work: (context: CommandContext) => Promise<number | void>,
) => Promise<void>;

/**
 * Stands before a text that begins like an option while the options are read. No argument of a
 * program can hold it.
 */
const TEXT_MARK = '\0';
/** An option with its value, as "--reason=It rains", has its first blank in the value. */
const TEXT_LIKE_OPTION = /^-[^=\s]*\s/;

export class AxonCommand extends Command {
  readonly #run: Run;

  constructor(name: string | undefined, run: Run) {
    super(name);
    this.#run = run;
  }

  override createCommand(name?: string): AxonCommand {
    return new AxonCommand(name, this.#run);
  }

  override parseOptions(words: string[]): ParseOptionsResult {
    const { operands, unknown } = super.parseOptions(
      words.map((word) => (TEXT_LIKE_OPTION.test(word) ? TEXT_MARK + word : word)),
    );
    return { operands: operands.map(unmarked), unknown: unknown.map(unmarked) };
  }

  /** By this an option hears its value. */
  override on(event: string | symbol, listener: (...given: unknown[]) => void): this {
    return super.on(event, (...given: unknown[]) =>
      listener(...given.map((value) => (typeof value === 'string' ? unmarked(value) : value))),
    );
  }

  /** What it does: its arguments and options come behind the context. */
  does<Given extends unknown[]>(
    work: (context: CommandContext, ...given: Given) => Promise<number | void>,
  ): this {
    return this.action((...given: Given) => this.#run(this, (context) => work(context, ...given)));
  }

  /** The same, of the person in charge. */
  doesAsOwner<Given extends unknown[]>(
    work: (owner: HubClient, context: CommandContext, ...given: Given) => Promise<number | void>,
  ): this {
    return this.does<Given>(async (context, ...given) =>
      work(await context.session.asOwner(), context, ...given),
    );
  }
}

function unmarked(word: string): string {
  return word.startsWith(TEXT_MARK) ? word.slice(TEXT_MARK.length) : word;
}
