// The way from a command to its work, as program.ts gives it to every file of commands/. A type only.
import type { Command } from 'commander';
import type { CommandContext } from './context.ts';

/** Runs a command's work with its options; sets the exit code of the program. */
export type Run = (command: Command, work: (context: CommandContext) => Promise<number | void>) => Promise<void>;
