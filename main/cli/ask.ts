// Asking a question and waiting for its answer. When a person over there has to decide first, says so meanwhile: the wait may be long, and
// silence looks like a fault. Ending the command takes the question back: the hub sees the line close.
import { setTimeout as wait } from 'node:timers/promises';
import type { TaskDto } from '../../preload/contract/dto.ts';
import type { OperationInput, OperationResult } from '../../preload/contract/operations.ts';
import { locale } from '../../preload/contract/strings/everywhere.ts';
import { pluralizer } from '../../preload/contract/strings/plural.ts';
import { showHidden } from '../lib/hidden-characters.ts';
import { AppError } from '../lib/app-error.ts';
import { HubProblem, type HubClient } from './hub-client.ts';
import type { Terminal } from './terminal.ts';

const plural = pluralizer(locale);
const LOOK_FIRST_MS = 700;
const LOOK_AGAIN_MS = 2_000;
/** What is proposed where nobody answered: time enough for a person. */
const LONGER_DEADLINE_S = 600;
/** Among the newest tasks of this agent the question is found. */
const TASKS_LOOKED_AT = 20;

/** Throws as the call itself does; when nobody answered in time, with how to give them longer. */
export async function askPatiently(
  client: HubClient,
  terminal: Terminal,
  asked: OperationInput<'send.query'> & { readonly deadline_ms: number },
): Promise<OperationResult<'send.query'>> {
  const answered = new AbortController();
  const watch = terminal.json ? Promise.resolve() : tellWhenAPersonDecides(client, terminal, asked.question, answered.signal);
  try {
    return await client.call('send.query', asked);
  } catch (error) {
    throw nobodyAnswered(error, asked.deadline_ms);
  } finally {
    answered.abort();
    await watch;
  }
}

/** What ran out is the time that was given: said once, whether an agent or a person had it. Any other failure as it is. */
function nobodyAnswered(error: unknown, deadlineMs: number): unknown {
  if (!(error instanceof HubProblem)) return error;
  const { code } = error.problem;
  if (code !== 'timeout' && code !== 'approval_expired') return error;
  const given = plural(deadlineMs / 1_000, { one: '{n} second', other: '{n} seconds' });
  const detail = code === 'timeout' ? `Nobody answered within ${given}.` : `Nobody answered within ${given}; the question is taken back.`;
  return new AppError(code, detail, {
    failedBy: 'timeout',
    hint: `Give them longer: --deadline ${LONGER_DEADLINE_S} is ten minutes.`,
    cause: error,
  });
}

/** Ends with the signal, or once it has told. What fails here is told by the question itself. */
async function tellWhenAPersonDecides(client: HubClient, terminal: Terminal, question: string, signal: AbortSignal): Promise<void> {
  const askedAt = Date.now();
  try {
    for (let pauseMs = LOOK_FIRST_MS; ; pauseMs = LOOK_AGAIN_MS) {
      await wait(pauseMs, undefined, { signal });
      const { items } = await client.call('tasks.list', { limit: TASKS_LOOKED_AT }, signal);
      const found = items.find((task) => isAsked(task, question, askedAt));
      if (found?.state !== 'awaiting_approval' && found?.state !== 'held') continue;
      const asked =
        found.state === 'held'
          ? `${found.peer_name} holds this: a person is asked there later, if its time is not over before.`
          : `${found.peer_name} has been asked: a person decides there whether this is answered.`;
      terminal.note(`${asked} Ctrl+C takes the question back.`);
      return;
    }
  } catch {
    // Nothing is lost: the question goes on by itself.
  }
}

/** The clock of hub and command is the same one; a second is left for one that was set meanwhile. */
function isAsked(task: TaskDto, question: string, askedAt: number): boolean {
  return task.kind === 'query' && task.direction !== 'incoming' && task.created_at >= askedAt - 1_000 && task.text === showHidden(question);
}
