// What became of a request is told by its story alone. A surface that reads an outcome itself is
// listed here with the reason; nothing else that shows a request may know one.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** Pages, commands, the desktop, tools and doors, history and the exports. */
const SURFACES = [
  'renderer',
  'main/cli',
  'main/shell',
  'main/mcp',
  'main/api',
  'main/services/history',
  'main/services/audit',
];
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...SURFACES], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((file) => /\.(ts|svelte)$/.test(file));

const OUTCOMES =
  'approved|answered|declined|expired|completed|partial|awaiting_approval|withdrawn|passed|chosen|timed_out|possibly_executed|hub_removed|not_understood';
const LISTS =
  'TERMINAL_TASK_STATES|OPEN_TASK_STATES|TASK_STATES|TASK_FILTERS|APPROVAL_STATES|VERDICTS|ENDED_KINDS|STOP_STATES|RESULT_STATUSES';
/** A quoted outcome, a key named so, a state that is compared, chosen by or printed, or a closed list of them. */
const READS = new RegExp(
  [
    `['"](?:${OUTCOMES})['"]`,
    `(?<![\\w.$-])(?:${OUTCOMES}):(?!:)`,
    `\\b(?:task_?[sS]tate|(?:task|approval)\\.state)\\b[^\\n]*[=!]==? *['"]`,
    `\\bswitch *\\((?:[\\w.#]*\\.)?(?:task_?[sS]tate|(?:task|approval)\\.state)\\b`,
    `\\$\\{[^}\\n]*\\b(?:task|approval|entry|replied|cancelled)\\.state\\b`,
    `\\b(?:${LISTS})\\b`,
  ].join('|'),
);

const MAY_READ: Readonly<Record<string, string>> = {
  'main/api/a2a/task-form.ts': 'the states of A2A, by the story',
  'main/api/openapi.ts': 'an example of a reply',
  'main/api/operations/agents.ts': 'a registration of an agent, which is no request',
  'main/cli/commands/approvals.ts': 'what a rule will tell askers',
  'main/cli/commands/inbox.ts': 'the status that an agent replies with',
  'main/cli/commands/send.ts': 'whether the time that is given may be shorter',
  'main/cli/commands/tasks.ts': 'the filter of the list, the end of the waiting, the exit code',
  'main/cli/connect-agent.ts': 'a registration of an agent, which is no request',
  'main/cli/crunch-log.ts': 'in which list of the log an id stands',
  'main/cli/demo/run-demo.ts': 'what a scripted agent of the demo did',
  'main/cli/demo/scripted-agent.ts': 'the status that an agent replies with',
  'main/cli/fitting-answers.ts': 'the status that an agent replies with',
  'main/cli/model-words.ts': 'the status that an agent replies with',
  'main/services/history/conversations.ts': 'the machine-readable state beside each story',
  'renderer/app/apply-event.ts': 'whether a card still waits, as the hub orders its cards',
  'renderer/app/story-marks.ts': 'marks',
  'renderer/features/approvals/ActivityChart.svelte': 'the columns of the chart',
  'renderer/features/approvals/ApprovalsController.svelte.ts': 'whether this press counted',
  'renderer/features/approvals/CardModel.svelte.ts': 'whether a card still waits',
  'renderer/features/approvals/DecidedRow.svelte': 'whether this press counted; whose words',
  'renderer/features/approvals/DoneByRules.svelte': 'marks',
  'renderer/features/approvals/activity.ts': 'counts, by the verdict of each story',
  'renderer/features/approvals/sentences.ts': 'marks',
  'renderer/features/conversations/ThreadEntry.svelte': 'whose words stand below a decision',
};

function readsOutcome(source: string): boolean {
  return READS.test(
    source.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*|<!--[\s\S]*?-->/gm, ''),
  );
}

test('what shows requests reads no outcome of a request but where a mark, a filter, a count or an exit code needs it', () => {
  const reading = files.filter((file) => readsOutcome(readFileSync(join(ROOT, file), 'utf8')));
  expect(reading.toSorted()).toEqual(Object.keys(MAY_READ).toSorted());
});

test.each([
  "if (task.state === 'failed') return 'It was not done.';",
  "const said = task_state === 'running' ? works : waits;",
  "case 'declined': return declinedTitle(approval);",
  '  completed: (agent) => `${agent} has done it.`,',
  'isOneOf(TERMINAL_TASK_STATES, state)',
  "if (approval.state === 'pending') return waits;",
  'switch (task.state) {',
  'note(`replied: ${called.value.replied.state}`);',
])('such a line counts as one that reads it: %s', (line) => {
  expect(readsOutcome(line)).toBe(true);
});

test.each(["hub.snapshot.hub.state === 'running'", "check.state === 'failed'", '// was declined:'])(
  'such a line does not: %s',
  (line) => {
    expect(readsOutcome(line)).toBe(false);
  },
);
