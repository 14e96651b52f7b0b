// `axon listen --acp`: who speaks, where the program works, and what our server is.
import { isAbsolute, resolve } from 'node:path';
import { statSync } from 'node:fs';
import { TOOLS } from '../../mcp/tools.ts';
import { AppError } from '../../lib/app-error.ts';
import { interruptible } from '../context.ts';
import { programFile } from '../invocation.ts';
import { holdAgent } from '../held-name.ts';
import { hashed, privateFolder } from '../kept-json.ts';
import { findProgram } from '../program-file.ts';
import { refusal } from '../refusal.ts';
import { runnerLine, type RunnerLine } from '../runner-line.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { AcpListener } from './listen.ts';
import type { OwnServer } from './session.ts';

interface AcpListening {
  readonly words: readonly string[];
  /** Where the program works; undefined: an empty folder of its own. */
  readonly folder: string | undefined;
  readonly once: boolean;
}

/** Runs until it is interrupted, or after one item with `once`. Returns the exit code. */
export async function listenAcp(
  session: Session,
  terminal: Terminal,
  listening: AcpListening,
): Promise<number> {
  const gone = new AbortController();
  const runner = runnerLine(() => gone.abort());
  try {
    return await listen(session, terminal, listening, runner, gone.signal);
  } catch (error) {
    if (error instanceof AppError)
      runner.tell({ state: 'cannot_start', why: error.message, tokens: 0 });
    throw error;
  }
}

async function listen(
  session: Session,
  terminal: Terminal,
  { words, folder, once }: AcpListening,
  runner: RunnerLine,
  gone: AbortSignal,
): Promise<number> {
  findProgram(words[0] ?? '');
  const client = await session.asAgent();
  const { token } = await client.call('hub.whoami', {});
  const { agent } = token;
  if (agent === null) throw refusal('forbidden', 'Only an agent can listen.');
  const { home } = session;
  // What it has in hand is nobody else's to end.
  await holdAgent(home, agent);
  const options = {
    agent,
    home,
    words,
    folder: folder === undefined ? ownFolder(home, agent) : folderAt(folder),
    once,
    server: serverOf(session),
  };
  terminal.note(`Listening as ${agent}. Stop with Ctrl+C.`);
  return interruptible(async (stopped) => {
    const signal = AbortSignal.any([stopped, gone]);
    await new AcpListener(client, terminal, options, runner, signal).run();
    return 0;
  });
}

function ownFolder(home: string, agent: string): string {
  return privateFolder(resolve(home), 'runners', hashed(agent));
}

function folderAt(path: string): string {
  const folder = isAbsolute(path) ? path : resolve(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw refusal('bad_request', `There is no folder "${folder}".`);
}

/** @throws AppError bad_request: the app has no command */
function serverOf(
  session: Session,
): (item: { readonly delivery: string; readonly attempt: number }) => OwnServer {
  const program = programFile();
  if (program === null)
    throw refusal('bad_request', 'This copy of AXON Hub has no command that another can start.');
  const env = {
    ...session.tokenVariables(),
    // In the desktop app the same file is two programs.
    ...(process.versions['electron'] === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' }),
  };
  const first = [program, 'mcp', '--home', resolve(session.home), '--item'];
  return ({ delivery, attempt }) => ({
    command: process.execPath,
    args: [...first, delivery, '--attempt', String(attempt)],
    env,
    tools: Object.keys(TOOLS),
  });
}
