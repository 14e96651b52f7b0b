// A command of `axon`: words, options, and work that program.ts runs. Every file of commands/ makes
// its commands of these.
import { Command } from 'commander';
import type { CommandContext } from './context.ts';
import type { HubClient } from './hub-client.ts';

/** Runs a command's work; sets the exit code of the program. */
export type Run = (
  command: Command,
  work: (context: CommandContext) => Promise<number | void>,
) => Promise<void>;

export class AxonCommand extends Command {
  readonly #run: Run;

  constructor(name: string | undefined, run: Run) {
    super(name);
    this.#run = run;
  }

  override createCommand(name?: string): AxonCommand {
    return new AxonCommand(name, this.#run);
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
