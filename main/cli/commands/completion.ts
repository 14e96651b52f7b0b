// completion: a script that lets a shell complete the commands and options of `axon`.
import { Argument, type Command } from 'commander';
import type { AxonCommand } from '../axon-command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function addCompletionCommand(program: AxonCommand): void {
  program
    .command('completion')
    .description('print a script that completes axon in your shell')
    .addArgument(new Argument('<shell>', 'which one').choices(SHELLS))
    .does(async ({ terminal }, shell: (typeof SHELLS)[number]) => {
      const lines = shell === 'fish' ? fishLines(program) : bashLines(program, shell === 'zsh');
      terminal.result({ shell, script: lines.join('\n') }, () => lines);
    });
}

interface Place {
  /** "" for the program, "agents connect" for a command of a group. */
  readonly path: string;
  readonly commands: readonly Command[];
  readonly options: readonly string[];
}

function placesIn(command: Command, path: string): readonly Place[] {
  const inner = command.commands.flatMap((one) =>
    placesIn(one, path === '' ? one.name() : `${path} ${one.name()}`),
  );
  const options = command.options.flatMap(({ long }) => long ?? []);
  return [{ path, commands: command.commands, options: [...options, '--help'] }, ...inner];
}

/** What is no command counts as an argument of the command before it. */
function bashLines(program: Command, isZsh: boolean): readonly string[] {
  const cases = placesIn(program, '').map(({ path, commands, options }) => {
    const words = [...commands.map((one) => one.name()), ...options].join(' ');
    return `    '${path}') echo '${words}' ;;`;
  });
  return [
    ...(isZsh ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_axon_words() {',
    '  case "$1" in',
    ...cases,
    '    *) return 1 ;;',
    '  esac',
    '}',
    '_axon() {',
    '  local at="" next word',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    next="${at:+$at }$word"',
    '    _axon_words "$next" > /dev/null && at=$next',
    '  done',
    '  COMPREPLY=($(compgen -W "$(_axon_words "$at")" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _axon axon',
  ];
}

function fishLines(program: Command): readonly string[] {
  return placesIn(program, '').flatMap(({ path, commands, options }) => {
    const seen = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    const where = path === '' ? '__fish_use_subcommand' : seen.join('; and ');
    return [
      ...commands.map((one) => `complete -c axon -f -n '${where}' -a ${one.name()}`),
      ...options.map((option) => `complete -c axon -n '${where}' -l ${option.slice(2)}`),
    ];
  });
}
