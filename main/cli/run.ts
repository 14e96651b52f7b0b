// The way from a command to its work, as program.ts gives it to every file of commands/. A type only.
import type { Command } from 'commander';
import type { CommandContext } from './context.ts';

/** Makes the action of a command, which sets the exit code of the program. Its arguments and options come behind the context. */
export type Run = <Given extends unknown[]>(
  work: (context: CommandContext, ...given: Given) => Promise<number | void>,
) => (this: Command, ...given: Given) => Promise<void>;
