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
  /** What may stand there next. */
  readonly words: string;
}

function placesIn(command: Command, path: string): readonly Place[] {
  const commands = command.createHelp().visibleCommands(command);
  const inner = commands.flatMap((one) =>
    placesIn(one, path === '' ? one.name() : `${path} ${one.name()}`),
  );
  const options = command.options.flatMap(({ long }) => long ?? []);
  const words = [...commands.map((one) => one.name()), ...options, '--help'].join(' ');
  return [{ path, words }, ...inner];
}

/** What is no command counts as an argument of the command before it. */
function bashLines(program: Command, isZsh: boolean): readonly string[] {
  return [
    ...(isZsh
      ? [
          '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }',
          'autoload -Uz bashcompinit && bashcompinit',
        ]
      : []),
    '_axon_words() {',
    '  case "$1" in',
    ...placesIn(program, '').map(({ path, words }) => `    '${path}') echo '${words}' ;;`),
    '    *) return 1 ;;',
    '  esac',
    '}',
    '_axon() {',
    '  local at="" next word',
    // zsh takes a letter after the colon for a modifier.
    '  for word in "${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do',
    '    next="${at:+$at }$word"',
    '    _axon_words "$next" > /dev/null && at=$next',
    '  done',
    '  COMPREPLY=($(compgen -W "$(_axon_words "$at")" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _axon axon',
  ];
}

function fishLines(program: Command): readonly string[] {
  return [
    'function __axon_words',
    '  switch "$argv"',
    ...placesIn(program, '').flatMap(({ path, words }) => [
      `    case '${path}'`,
      `      printf '%s\\n' ${words}`,
    ]),
    "    case '*'",
    '      return 1',
    '  end',
    'end',
    'function __axon',
    '  set -l at',
    '  for word in (commandline -opc)[2..]',
    '    __axon_words $at $word > /dev/null; and set -a at $word',
    '  end',
    '  set -l typed (commandline -ct)',
    '  string match -- "$typed*" (__axon_words $at); or __fish_complete_path "$typed"',
    'end',
    "complete -c axon -f -a '(__axon)'",
  ];
}
