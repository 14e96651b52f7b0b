// What every agent has to find by itself: for each of ten tasks, exactly one command of
// `axon --help` and one MCP tool says that it does that.
import { expect, test } from 'vitest';
import { makeProgram } from '../../../main/cli/program.ts';
import { TOOLS } from '../../../main/mcp/tools.ts';

const TASKS = [
  ['find peers', 'peers', 'axon_peers', /^lists? the hubs/],
  ['learn what one can do', 'discover', 'axon_discover', /what its agents can do/],
  ['ask', 'query', 'axon_query', /^asks? .*question and waits? for the answer/],
  ['delegate with a deadline', 'delegate', 'axon_delegate', /^gives? .*(work|task).* deadline/],
  ['follow', 'tasks', 'axon_task', /^follows? /],
  ['cancel', 'cancel', 'axon_cancel', /^cancels? a task/],
  ['answer an item', 'reply', 'axon_reply', /^answers? an item of the inbox/],
  ['notify', 'notify', 'axon_notify', /^tells? another hub something/],
  ['find what was said before', 'search', 'axon_search', /what was said before/],
  ['see why something was refused', 'tasks', 'axon_task', /why it was refused/],
] as const;

const program = makeProgram({
  version: '0',
  isJson: false,
  run: () => Promise.resolve(),
  runHub: () => Promise.resolve(),
  checkStoppedAudit: () => Promise.reject(new Error('no record is checked here')),
  removeData: () => Promise.reject(new Error('no data is removed here')),
});

const saying = (words: RegExp, of: readonly (readonly [name: string, text: string])[]) =>
  of.filter(([, text]) => words.test(text.toLowerCase())).map(([name]) => name);

test.each(TASKS)('%s: one command and one tool say it', (_task, command, tool, words) => {
  const commands = program.commands.map((one) => [one.name(), one.description()] as const);
  expect(saying(words, commands)).toEqual([command]);
  const tools = Object.entries(TOOLS).map(([name, one]) => [name, one.description] as const);
  expect(saying(words, tools)).toEqual([tool]);
});
