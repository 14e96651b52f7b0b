// tasks, cancel: what was delegated and asked, and cancelling it.
import { isOneOf, TERMINAL_TASK_STATES } from '../../../preload/contract/closed-lists.ts';
import type { TaskDto } from '../../../preload/contract/dto.ts';
import { interruptible, type CommandContext } from '../context.ts';
import type { HubClient } from '../hub-client.ts';
import { withId } from '../ids.ts';
import { cellTime, inZone, localTime } from '../local-time.ts';
import { quoted } from '../quoted-text.ts';
import type { AxonCommand } from '../axon-command.ts';
import { stateWords } from '../state-words.ts';
import { beginningOf, table } from '../terminal.ts';

/** The hub answers at once when a task has ended; a change on the way is seen after this. */
const LOOK_AGAIN_MS = 2_000;

export function addTaskCommands(program: AxonCommand): void {
  program
    .command('tasks')
    .description('list tasks, newest first, or show one')
    .argument('[id]', 'one task')
    .option(
      '--wait',
      'wait until it has ended; exit code 2 when it was refused or failed, 3 when it came too late',
    )
    .does(async (context, id: string | undefined, options: { wait?: boolean }) => {
      const { terminal, session } = context;
      const client = await session.asAgent();
      if (id === undefined) {
        const page = await client.call('tasks.list', {});
        terminal.result(page, () =>
          page.items.length === 0 ? ['No tasks yet.'] : listLines(page.items),
        );
        return 0;
      }
      if (options.wait === true) {
        return await withId('task', id, (task) => followTask(context, client, task));
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
      const task = await withId('task', id, (called) =>
        client.call('tasks.cancel', { id: called, reason }),
      );
      terminal.result(task, () => taskLines(task));
    });
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
): Promise<number> {
  const tell = (line: string): void => (terminal.json ? undefined : terminal.note(line));
  const follow = async (signal: AbortSignal): Promise<number> => {
    let told: TaskDto['state'] | undefined;
    for (;;) {
      const task = await client.call(
        'tasks.get',
        { id, wait: told === undefined ? 0 : LOOK_AGAIN_MS },
        signal,
      );
      if (isOneOf(TERMINAL_TASK_STATES, task.state)) {
        terminal.result(task, () => taskLines(task));
        return exitCodeOf(task);
      }
      if (told === undefined)
        tell(
          `Waiting for ${task.peer_name}: task ${task.id}. Ctrl+C stops waiting; the task goes on.`,
        );
      if (told !== task.state) {
        tell(`Now: ${stateOf(task)}`);
        if (task.state === 'held') tell(heldLine(task.held_until));
      }
      told = task.state;
    }
  };
  return interruptible(follow, () => {
    tell('No longer waiting; the task goes on.');
    tell(`Follow it:   ${command} tasks ${id} --wait${session.asWords}`);
    tell(`Cancel it:   ${command} cancel ${id}${session.asWords}`);
  });
}

function taskLines(task: TaskDto): readonly string[] {
  const { reason, untrusted: said } = task;
  const [outcome, error, data] = [said?.outcome ?? null, said?.error ?? null, said?.data ?? null];
  // A hub that turned it away says the same in each place.
  const told = (
    head: string,
    words: string | null,
    before: readonly (string | null)[] = [],
  ): readonly string[] =>
    words === null || before.includes(words) ? [] : [head, ...quoted(words)];
  return [
    `${task.id}  ${stateOf(task)}  ${task.peer_name}`,
    ...quoted(task.text),
    ...partiesLines(task),
    ...(task.state === 'held' ? [heldLine(task.held_until)] : []),
    ...decisionLines(task),
    ...told('Reason:', reason ?? (outcome === error ? error : null)),
    ...told('Outcome:', outcome, [reason, error]),
    ...told('Error:', error, [reason, outcome]),
    ...told('Data:', data === null ? null : JSON.stringify(data, null, 2)),
    ...personLines(task.decision === null ? (said?.answered_by ?? null) : null),
  ];
}

/** What it is, who asked whom, and when it began, ends or ended. Only our own agents are named. */
function partiesLines(task: TaskDto): readonly string[] {
  const { kind, direction, peer_name: peer, from_agent: from, to_agent: to } = task;
  const asker = direction === 'incoming' ? peer : (from ?? 'A person here');
  const doer = direction === 'outgoing' ? peer : (to ?? 'this hub');
  const until =
    task.finished_at === null
      ? `Waits until ${localTime(task.deadline_at)}.`
      : `Ended ${localTime(task.finished_at)}.`;
  const what = kind === 'query' ? 'a question' : 'a task';
  return [`${asker} sent ${what} to ${doer}, ${localTime(task.created_at)}.`, until];
}

/** @param by the name that the other hub gives */
export function personLines(by: string | null): readonly string[] {
  return by === null ? [] : [`A person answered: ${by}`];
}

function stateOf({ state }: TaskDto): string {
  return stateWords(state);
}

const DECIDED = { allowed: 'Allowed', declined: 'Declined', answered: 'Answered' } as const;

/** Who allowed, declined or answered it, and when; the name is what the other hub says. */
function decisionLines({ decision, direction, peer_name: peer }: TaskDto): readonly string[] {
  if (decision === null) return [];
  const { outcome, by, person, at } = decision;
  const where = direction === 'outgoing' ? `at ${peer}` : 'here';
  if (outcome === 'expired') return [`Nobody ${where} answered in time.`];
  // A person named for a request to this hub may be an adult at another one; the name says so.
  const who =
    by === 'rule'
      ? `by a rule ${where}`
      : person === null
        ? where
        : `by "${person}"${direction === 'outgoing' ? ` ${where}` : ''}`;
  return [`${DECIDED[outcome]} ${who}, ${localTime(at)}.`];
}

function heldLine(until: number | null): string {
  const when = until === null ? 'later' : `at ${localTime(until)}`;
  return `Held there: a person is asked ${when}. Its own time goes on meanwhile.`;
}

function exitCodeOf(task: TaskDto): number {
  if (task.state === 'completed' || task.state === 'partial') return 0;
  return task.state === 'expired' || task.code === 'timeout' || task.code === 'approval_expired'
    ? 3
    : 2;
}

function listLines(tasks: readonly TaskDto[]): readonly string[] {
  const rows = tasks.map((task) => [
    cellTime(task.created_at),
    stateOf(task),
    task.direction,
    task.peer_name,
    task.id,
  ]);
  const begins = tasks.map(({ text }) => beginningOf(text));
  return table([[inZone('CREATED'), 'STATE', 'DIRECTION', 'HUB', 'ID'], ...rows], begins);
}
