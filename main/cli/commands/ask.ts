// ask: a hook of a coding program. What the program wants to do becomes a card of this hub; the
// decision of a person goes back in the form of the hook. Where nobody has decided it says why, and
// exits so that the program asks at its terminal as ever, whatever went wrong.
import { AppError } from '../../lib/app-error.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import type { AxonCommand } from '../axon-command.ts';
import { interruptible, reportHookFailure } from '../context.ts';
import { isUnderRunner, readHookInput } from '../hook-input.ts';
import { refusal } from '../refusal.ts';
import type { Session } from '../session.ts';

/** Longer than the hub waits for a person. */
const ANSWER_MAX_MS = 55_000;
const EVENT = 'PermissionRequest';

export function addAskCommand(program: AxonCommand): void {
  program
    .command('ask')
    .description(
      'put what a coding program wants to do before you as a card: a hook of Claude Code or Codex, whose JSON is read from standard input',
    )
    .does(async ({ terminal, session, command }) => {
      const given = await readHookInput(process.stdin);
      // Both programs take silence for no answer, and the runner alone asks.
      if (isUnderRunner()) return 0;
      return interruptible(async (stopped) => {
        try {
          const decision = await decided(session, wantedIn(given), stopped);
          terminal.line(JSON.stringify({ hookSpecificOutput: { hookEventName: EVENT, decision } }));
          return 0;
        } catch (error) {
          if (stopped.aborted) throw error;
          return reportHookFailure(error, terminal, command, 'ask');
        }
      });
    });
}

interface Wanted {
  readonly tool: string;
  readonly input: JsonObject;
  readonly folder: string;
}

/** @throws AppError bad_request: it is no request of such a hook, or cannot be shown as it is */
function wantedIn(given: JsonObject | undefined): Wanted {
  if (given === undefined)
    throw refusal(
      'bad_request',
      'Standard input holds no JSON object that a card could show exactly.',
      'A hook of Claude Code or Codex runs this command: "axon mcp install claude-code --ask".',
    );
  const { hook_event_name: event, tool_name: tool, tool_input: input, cwd: folder } = given;
  if (event !== EVENT)
    throw refusal('bad_request', `"hook_event_name" of standard input is not "${EVENT}".`);
  if (typeof tool === 'string' && isJsonObject(input) && typeof folder === 'string')
    return { tool, input, folder };
  throw refusal(
    'bad_request',
    'Standard input must hold "tool_name" and "cwd" as text, and "tool_input" as an object.',
  );
}

/** In the hook's form, and never one that lasts. @throws AppError and others: nobody has decided */
async function decided(
  session: Session,
  wanted: Wanted,
  stopped: AbortSignal,
): Promise<JsonObject> {
  const late = AbortSignal.timeout(ANSWER_MAX_MS);
  const said: unknown = await session
    .asAgent()
    .then((hub) => hub.call('send.permission', { ...wanted }, AbortSignal.any([stopped, late])))
    .catch((error: unknown) => {
      throw late.aborted ? new AppError('timeout', 'Nobody has decided in time.') : error;
    });
  if (isJsonObject(said) && said.decision === 'allow') return { behavior: 'allow' };
  if (!isJsonObject(said) || said.decision !== 'decline')
    throw new AppError('internal', 'What answered is no decision.');
  const message = typeof said.reason === 'string' ? said.reason : 'A person declined this.';
  return { behavior: 'deny', message };
}
