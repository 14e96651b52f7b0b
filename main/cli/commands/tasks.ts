// tasks, cancel: what was delegated and asked, and cancelling it.
import { setTimeout as pause } from 'node:timers/promises';
import { Option } from 'commander';
import {
  isOneOf,
  TASK_FILTERS,
  TERMINAL_TASK_STATES,
} from '../../../preload/contract/closed-lists.ts';
import type { TaskDto } from '../../../preload/contract/dto.ts';
import { ERRORS, isErrorCode } from '../../../preload/contract/errors.ts';
import type { StoryDto } from '../../../preload/contract/story.ts';
import { askedOf, cancelledOf, headlineOf } from '../../../preload/contract/strings/story.ts';
import type { Items } from '../../../preload/contract/operations.ts';
import { interruptible, type CommandContext } from '../context.ts';
import { HubProblem, type HubClient } from '../hub-client.ts';
import { withId } from '../ids.ts';
import { cellTime, inZone, localTime } from '../local-time.ts';
import { deadlineSeconds } from '../option-values.ts';
import { quoted } from '../quoted-text.ts';
import type { AxonCommand } from '../axon-command.ts';
import { storyLines } from '../story-lines.ts';
import { goesOn, beginningOf, table, type Terminal } from '../terminal.ts';

const EXIT_USAGE = ERRORS.bad_request.exit;
const EXIT_LATE = ERRORS.timeout.exit;
/** Pages of 200 that are looked through for tasks of one state. */
const FILTERED_PAGES_MAX = 10;
/** The hub answers at once when a task has ended; a change on the way is seen after this. */
const LOOK_AGAIN_MS = 2_000;

export function addTaskCommands(program: AxonCommand): void {
  program
    .command('tasks')
    .description(
      'follow tasks: list them, newest first, or show one: how it stands, who decided, why it was refused',
    )
    .argument('[id]', 'one task')
    .addOption(
      new Option('--state <state>', 'list only these; "open" is all that have not ended').choices(
        TASK_FILTERS,
      ),
    )
    .addOption(waitOption('wait until it has ended; the exit code says how'))
    .addOption(waitForOption())
    .does(async (context, id: string | undefined, options: TasksOptions) => {
      const { terminal, session } = context;
      const client = await session.asPartaker();
      if (id === undefined) {
        const page = await listOf(client, options.state);
        const none = options.state === undefined ? 'No tasks yet.' : 'No such tasks.';
        terminal.result(page, () =>
          page.items.length === 0 ? [none] : [...listLines(page.items), ...goesOn(page)],
        );
        return 0;
      }
      if (options.wait === true || options.waitFor !== undefined) {
        return await withId('task', id, (task) =>
          followTask(context, client, task, options.waitFor),
        );
      }
      const task = await withId('task', id, (task) => client.call('tasks.get', { id: task }));
      terminal.result(task, () => taskLines(task));
      return 0;
    });
  program
    .command('cancel')
    .description('cancel a task')
    .argument('<id>', 'the task')
    .argument('[reason]', 'why, for the other side')
    .does(async ({ terminal, session }, id: string, reason: string | undefined) => {
      const client = await session.asAgent();
      return await withId('task', id, (called) => stopTask(client, terminal, called, reason));
    });
}

/** A cancel, or a person's stop. Returns the exit code: 0 only where that stopped something. */
export async function stopTask(
  client: HubClient,
  terminal: Terminal,
  id: string,
  reason?: string,
): Promise<number> {
  const { task, wasOver } = await cancelled(client, id, reason);
  terminal.result(task, () => [cancelledOf(task.story), ...taskLines(task)]);
  const { stop, verdict } = task.story;
  const isDeclined = verdict.outcome === 'declined' && !wasOver;
  return (stop === null ? isDeclined : !STILL[stop.state]) ? 0 : ERRORS.cancelled.exit;
}

/** Whether it may still run, or was finished, or nobody says that anything stopped. */
const STILL: Readonly<Record<NonNullable<StoryDto['stop']>['state'], boolean>> = {
  on_its_way: true,
  not_told: true,
  not_taken: true,
  nothing_begun: false,
  asked: true,
  obeyed: false,
  not_obeyed: true,
  too_late: true,
  unsaid: true,
};

/** As it is now; one that had ended before as it ended. Throws as HubClient.call does. */
async function cancelled(
  client: HubClient,
  id: string,
  reason: string | undefined,
): Promise<{ readonly task: TaskDto; readonly wasOver: boolean }> {
  try {
    return { task: await client.call('tasks.cancel', { id, reason }), wasOver: false };
  } catch (error) {
    if (!(error instanceof HubProblem) || error.problem.code !== 'conflict') throw error;
    const task = await client.call('tasks.get', { id });
    if (isOneOf(TERMINAL_TASK_STATES, task.state)) return { task, wasOver: true };
    throw error;
  }
}

interface TasksOptions extends WaitOptions {
  readonly state?: (typeof TASK_FILTERS)[number];
}

export interface WaitOptions {
  readonly wait?: boolean;
  /** Seconds. */
  readonly waitFor?: number;
}

export function waitOption(description: string): Option {
  return new Option('--wait', description);
}

export function waitForOption(): Option {
  return new Option(
    '--wait-for <seconds>',
    'the same, but no longer than this; the task goes on, and the exit code is 5',
  ).argParser(deadlineSeconds);
}

/** The newest ones; of one state, those among the newest two thousand. */
async function listOf(client: HubClient, state: TasksOptions['state']): Promise<Items<TaskDto>> {
  if (state === undefined) return client.call('tasks.list', {});
  const items: TaskDto[] = [];
  let next: string | null = null;
  for (let page = 0; page < FILTERED_PAGES_MAX; page++) {
    const found: Items<TaskDto> = await client.call('tasks.list', {
      state,
      limit: 200,
      ...(next === null ? {} : { cursor: next }),
    });
    items.push(...found.items);
    ({ next } = found);
    if (next === null) break;
  }
  return { items, next };
}

/**
 * Waits until the task has ended and prints it; says meanwhile, aside from the result, how it
 * stands and what changes. Ctrl+C ends the waiting and nothing else. Returns the exit code, which
 * says how it ended.
 */
export function followTask(
  { terminal, session, command }: CommandContext,
  client: HubClient,
  id: string,
  waitS = Infinity,
): Promise<number> {
  const until = Date.now() + waitS * 1000;
  const tell = (line: string): void => (terminal.json ? undefined : terminal.note(line));
  const follow = async (signal: AbortSignal): Promise<number> => {
    let told: string | undefined;
    for (;;) {
      const task = await client.call(
        'tasks.get',
        {
          id,
          wait: told === undefined ? 0 : Math.max(0, Math.min(LOOK_AGAIN_MS, until - Date.now())),
        },
        signal,
      );
      if (isOneOf(TERMINAL_TASK_STATES, task.state)) {
        terminal.result(task, () => taskLines(task));
        return exitCodeOf(task);
      }
      if (Date.now() >= until) {
        terminal.result(task, () => [...taskLines(task), 'No longer waiting; the task goes on.']);
        return EXIT_LATE;
      }
      if (told === undefined)
        tell(
          `Waiting for ${task.peer_name}: task ${task.id}. Ctrl+C stops waiting; the task goes on.`,
        );
      const stands = headlineOf(task.story);
      if (told !== stands) {
        tell(`Now: ${stands}`);
        for (const line of laterLines(task.story)) tell(line);
      }
      told = stands;
    }
  };
  return interruptible(follow, () => {
    tell('No longer waiting; the task goes on.');
    tell(`Follow it:   ${command} tasks ${id} --wait${session.asWords}`);
    tell(`Cancel it:   ${command} cancel ${id}${session.asWords}`);
  });
}

/**
 * Tells how an open question stands, whenever that changes, until the signal. Its answer comes on a
 * call of its own: what fails here is only not told.
 * @param since when it was asked
 */
export async function followQuestion(
  client: HubClient,
  question: string,
  since: number,
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let told: string | undefined;
  try {
    for (;;) {
      await pause(LOOK_AGAIN_MS, undefined, { signal });
      const { items } = await client.call('tasks.list', { state: 'open', limit: 50 }, signal);
      const [task, ...others] = items.filter(
        ({ kind, direction, text, created_at: at }) =>
          kind === 'query' && direction !== 'incoming' && text === question && at >= since,
      );
      // Of several alike it cannot be told which one is ours.
      const stands = task && others.length === 0 ? headlineOf(task.story) : undefined;
      if (stands !== undefined && stands !== told) tell(`Now: ${stands}`);
      told = stands ?? told;
    }
  } catch {
    // Over, or the hub is not there: whoever waits for the answer is told so.
  }
}

export function taskLines(task: TaskDto): readonly string[] {
  const { reason, untrusted: said } = task;
  const [outcome, error, data] = [said?.outcome ?? null, said?.error ?? null, said?.data ?? null];
  // What the hub or the agent says of its failure stands in each place.
  const told = (
    head: string,
    words: string | null,
    before: readonly (string | null)[] = [],
  ): readonly string[] =>
    words === null || before.includes(words) ? [] : [head, ...quoted(words)];
  return [
    `${task.id}  ${headlineOf(task.story)}  ${task.peer_name}`,
    ...quoted(task.text),
    ...optionLines(task),
    ...askedLines(task),
    ...laterLines(task.story),
    ...storyLines(task.story),
    ...told('Reason:', reason),
    ...(outcome === error
      ? told(task.direction === 'outgoing' ? `${task.peer_name} said:` : 'Error:', error, [reason])
      : [...told('Outcome:', outcome, [reason]), ...told('Error:', error, [reason])]),
    ...told('Data:', data === null ? null : JSON.stringify(data, null, 2)),
    ...failureLines(task),
  ];
}

/** The code of its failure, and whether the same may work later, by the word of who failed. */
function failureLines({ story: { end } }: TaskDto): readonly string[] {
  if (end === null || !('retryable' in end)) return [];
  const code = end.code === null ? '' : `Code: ${end.code}. `;
  return [`${code}Worth trying again: ${end.retryable ? 'yes' : 'no'}.`];
}

function optionLines({ choice }: TaskDto): readonly string[] {
  if (choice === undefined) return [];
  return ['To choose from:', ...choice.options.flatMap(({ label }) => quoted(label))];
}

/** Who asked whom for what, in the words of the pages, and when it began, ends or ended. */
function askedLines(task: TaskDto): readonly string[] {
  const until =
    task.finished_at === null
      ? `Ends by ${localTime(task.deadline_at)}.`
      : `Ended ${localTime(task.finished_at)}.`;
  return [`${askedOf(task.story)} ${localTime(task.created_at)}.`, until];
}

/** When a person is asked, of what is held until then. */
function laterLines({ verdict }: StoryDto): readonly string[] {
  const until = verdict.outcome === 'waiting' ? (verdict.held?.until ?? null) : null;
  return until === null
    ? []
    : [`A person is asked at ${localTime(until)}. Its own time goes on meanwhile.`];
}

/** As those of failures (preload/contract/errors.ts). */
function exitCodeOf({ state, code }: TaskDto): number {
  if (state === 'completed' || state === 'partial') return 0;
  if (state === 'expired') return EXIT_LATE;
  if (state === 'declined') return ERRORS.rejected.exit;
  const { exit } = ERRORS[isErrorCode(code) ? code : 'cancelled'];
  return exit > EXIT_USAGE ? exit : ERRORS.cancelled.exit;
}

function listLines(tasks: readonly TaskDto[]): readonly string[] {
  const rows = tasks.map((task) => [
    cellTime(task.created_at),
    headlineOf(task.story),
    task.direction,
    task.peer_name,
    task.id,
  ]);
  const begins = tasks.map(({ text }) => beginningOf(text));
  return table([[inZone('CREATED'), 'STATE', 'DIRECTION', 'HUB', 'ID'], ...rows], begins);
}
