import { expect, test } from 'vitest';
import { MCP_CLIENTS } from '../../../main/cli/mcp-clients.ts';
import {
  PROGRAMS,
  programsHere,
  tryToken,
  wayToConnect,
  type Program,
} from '../../../renderer/features/agents/snippets.ts';
import { words } from '../../../renderer/app/words.ts';

const COMMAND = `node '/opt/axon hub/main/entry/axon.cjs' --home '/srv/mum'`;
const CURL = `curl -sS --unix-socket '/srv/mum and dad/hub.sock' http://localhost`;
const textsFor = (program: Program, command: string | null) =>
  wayToConnect(program, { command, apiPort: 7117, curl: CURL }).snippets.map(({ text }) => text);

test('every program that the command can install is offered, under its own name and in one line', () => {
  expect(MCP_CLIENTS).toHaveLength(8);
  for (const { id, title } of MCP_CLIENTS) {
    const program = PROGRAMS.find((known) => known === id);
    if (program === undefined) throw new Error(`${id} is not offered`);
    expect(words.agents.connect.programs[program]).toBe(title);
    expect(textsFor(program, COMMAND)).toEqual([`${COMMAND} mcp install ${id}`]);
  }
});

test('every line of ours begins as a line at a terminal of this computer does', () => {
  for (const program of PROGRAMS) {
    const ours = textsFor(program, COMMAND).filter((text) => text.includes('--as '));
    for (const text of ours) expect(text.startsWith(`${COMMAND} `), text).toBe(true);
    if (program !== 'curl')
      expect(textsFor(program, COMMAND)[0]).toMatch(/^node '.*(?:connect|install) /);
  }
});

test('where there is no command, only the way without one is offered', () => {
  const here = { command: null, apiPort: 7117, curl: CURL };
  expect(programsHere(here)).toEqual(['curl']);
  expect(textsFor('curl', null).join('\n')).not.toMatch(/\baxon\b(?!-)/);
});

test('every line with curl begins as the hub says, and hands no token over as an argument', () => {
  for (const { length } of textsFor('curl', null)) expect(length).toBeGreaterThan(0);
  for (const text of [...textsFor('curl', null), tryToken(CURL)]) {
    expect(text.split('curl -').length).toBe(text.split(CURL).length);
    expect(text).not.toMatch(/-H "?[^@]*\$T/);
  }
});

test('no token stands in what is copied', () => {
  for (const program of PROGRAMS) expect(textsFor(program, 'axon').join('\n')).not.toMatch(/axh_/);
});

test('every way to connect names the areas that were asked for, and none where none were', () => {
  const here = { command: COMMAND, apiPort: 7117, curl: CURL };
  const first = (program: Program, areas: readonly string[]) =>
    wayToConnect(program, here, areas).snippets[0]?.text ?? '';
  for (const program of PROGRAMS) {
    expect(first(program, [])).not.toContain('domain');
    const line = first(program, ['family.chat', 'work']);
    if (program === 'curl')
      expect(line).toContain('{"name":"curl-agent","domains":["family.chat","work"]}');
    else expect(line.endsWith(' --domain family.chat --domain work'), line).toBe(true);
  }
});
