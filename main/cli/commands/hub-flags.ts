// What can be said at the start of a hub, as options of the commands that run one, handed on as it
// was given: the hub itself reads and checks it.
import { Option, type Command } from 'commander';
import { FLAGS } from '../../../preload/contract/settings.ts';

const OPTIONS = FLAGS.map(
  ({ name, value, help }) =>
    new Option(value === null ? `--${name}` : `--${name} <${value}>`, help),
);

export function withHubFlags(command: Command): Command {
  for (const option of OPTIONS) command.addOption(option);
  return command;
}

/** The flags that were given, and the data folder with them. */
export function hubFlagsOf(command: Command): readonly string[] {
  const given = command.optsWithGlobals<Record<string, unknown>>();
  const flags = OPTIONS.flatMap((option) => {
    const value = given[option.attributeName()];
    if (typeof value === 'string') return [`--${option.name()}`, value];
    // Of "--no-x" only that it was given is told.
    return option.negate && value === false ? [option.long ?? ''] : [];
  });
  return typeof given['home'] === 'string' ? [...flags, '--home', given['home']] : flags;
}
