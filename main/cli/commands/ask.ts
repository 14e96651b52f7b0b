// ask: a hook of a coding program. What the program wants to do becomes a card of this hub; the
// decision of a person goes back in the form of the hook. Whatever else happens says nothing, and
// the program asks at its terminal as ever.
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import type { AxonCommand } from '../axon-command.ts';
import { interruptible } from '../context.ts';
import { readHookInput } from '../hook-input.ts';
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
    .does(async ({ terminal, session }) => {
      const input = await readHookInput(process.stdin);
      const decision = input === undefined ? undefined : await decided(session, input);
      if (decision !== undefined)
        terminal.line(JSON.stringify({ hookSpecificOutput: { hookEventName: EVENT, decision } }));
      return 0;
    });
}

/** In the hook's form; undefined: nobody has said anything. Never one that lasts. */
async function decided(session: Session, input: JsonObject): Promise<JsonObject | undefined> {
  const { hook_event_name: event, tool_name: tool, tool_input: given, cwd: folder } = input;
  const isWhole = typeof tool === 'string' && isJsonObject(given) && typeof folder === 'string';
  if (event !== EVENT || !isWhole) return undefined;
  let said: unknown;
  await interruptible(async (stopped) => {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(ANSWER_MAX_MS)]);
    try {
      const hub = await session.asAgent();
      said = await hub.call('send.permission', { tool, input: given, folder }, signal);
    } catch {
      // No hub, another program in its place, or nobody who decided in time.
    }
    return 0;
  });
  if (!isJsonObject(said)) return undefined;
  if (said.decision === 'allow') return { behavior: 'allow' };
  if (said.decision !== 'decline') return undefined;
  const message = typeof said.reason === 'string' ? said.reason : 'A person declined this.';
  return { behavior: 'deny', message };
}
