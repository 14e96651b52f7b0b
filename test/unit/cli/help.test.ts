// The help of `axon`: every command has a line to try, and every such line is one that the command
// takes.
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { GROUPS, programBelow, triesOf } from '../../../main/cli/help-words.ts';
import { makeProgram } from '../../../main/cli/program.ts';

/** All commands without a hub: what they would do is not done. */
function program(): { readonly command: Command; readonly ran: string[] } {
  const ran: string[] = [];
  const command = makeProgram({
    version: '0',
    isJson: false,
    run: async (run) => void ran.push(run.name()),
    runHub: async () => void ran.push('hub'),
    checkStoppedAudit: () => Promise.reject(new Error('no record is checked here')),
    removeData: () => Promise.reject(new Error('no data is removed here')),
  });
  command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  return { command, ran };
}

const isShown = (command: Command): boolean => command.name() !== 'demo-hub';

function allOf(
  command: Command,
  words: readonly string[] = [],
): readonly (readonly [words: string, command: Command])[] {
  return command.commands
    .filter(isShown)
    .flatMap((inner) => [
      [[...words, inner.name()].join(' '), inner] as const,
      ...allOf(inner, [...words, inner.name()]),
    ]);
}

/** The words of a line as a shell gives them. */
function shellWords(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}

describe('the help', () => {
  const everything = allOf(program().command);

  test('gives for every command lines that it takes', async () => {
    expect(everything.length).toBeGreaterThan(60);
    const lines = everything.flatMap(([words]) => triesOf(words));
    const taken: string[] = [];
    for (const line of lines) {
      const { command, ran } = program();
      await command.parseAsync([...shellWords(line)], { from: 'user' }).catch(() => undefined);
      if (ran.length === 1) taken.push(line);
    }
    expect(taken).toEqual(lines);
  });

  test('is no wider than the terminal, at 60 columns as at 200', () => {
    for (const [words, command] of everything) {
      const wide: string[] = [];
      for (const columns of [60, 80, 200]) {
        command.configureOutput({ getOutHelpWidth: () => columns });
        const help = command.helpInformation();
        wide.push(
          ...help.split('\n').filter((line) => line.length > columns && !line.startsWith('Usage:')),
        );
      }
      expect(wide, words).toEqual([]);
    }
    const below = programBelow('npx axon').split('\n');
    expect(below.filter((line) => line.length > 80)).toEqual([]);
  });

  test('puts every command into one of its groups, and says in a group for the person in charge only once who may', () => {
    const names = GROUPS.flatMap(([, commands]) => commands);
    expect(new Set(names).size).toBe(names.length);
    const shown = program().command;
    expect(names.toSorted()).toEqual(
      [...shown.commands.filter(isShown).map((command) => command.name()), 'help'].toSorted(),
    );
    shown.configureOutput({ getOutHelpWidth: () => 200 });
    const help = shown.helpInformation();
    for (const [heading] of GROUPS) expect(help).toContain(`\n${heading}\n`);
    expect(help.match(/\(the person in charge only\)/g)).toHaveLength(2);
    expect(help).not.toContain('\nCommands:\n');
  });
});
