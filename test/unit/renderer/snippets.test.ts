import { expect, test } from 'vitest';
import { snippetKinds, snippetsOf } from '../../../renderer/features/agents/snippets.ts';

const COMMAND = `node '/opt/axon hub/main/entry/axon.cjs' --home '/srv/mum'`;
const linesOf = (kind: 'claude' | 'axon' | 'curl', command: string | null) =>
  snippetsOf(kind, { command, apiPort: 7117 }).map(({ line }) => line);

test('every line begins as a line at a terminal of this computer does', () => {
  for (const kind of ['claude', 'axon'] as const) {
    const [connect, then] = linesOf(kind, COMMAND);
    expect(connect).toMatch(new RegExp(`^${COMMAND.replaceAll('.', '\\.')} agents connect `));
    expect(then).toContain(COMMAND);
  }
});

test('inside double quotes the command keeps its meaning for the shell', () => {
  const [, tell] = linesOf('claude', `node "C:\\axon $HOME\\axon.cjs"`);
  expect(tell).toContain('node \\"C:\\\\axon \\$HOME\\\\axon.cjs\\" examples');
});

test('where there is no command, only the way without one is offered', () => {
  expect(snippetKinds(null)).toEqual(['curl']);
  expect(linesOf('curl', null).join('\n')).not.toMatch(/\baxon\b(?!-)/);
});

test('no token stands in a line', () => {
  for (const kind of snippetKinds('axon'))
    expect(linesOf(kind, 'axon').join('\n')).not.toMatch(/axh_|Bearer/);
});
