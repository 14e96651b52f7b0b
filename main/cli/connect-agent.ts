// Connecting a program of this computer: it asks the hub and shows a code, a person confirms the
// same code in the app, and its token is kept in a file (0600).
import { setTimeout } from 'node:timers/promises';
import type { OperationResult } from '../../preload/contract/operations.ts';
import { AppError } from '../lib/app-error.ts';
import type { AxonCommand } from './axon-command.ts';
import type { CommandContext } from './context.ts';
import { HubProblem } from './hub-client.ts';
import { collect, collectOffers, type OfferedDomain } from './option-values.ts';
import { refusal } from './refusal.ts';
import { checkAgentName } from './session.ts';

const POLL_INTERVAL_MS = 1_000;

/** The options of a command that connects an agent. */
export interface ProfileOptions {
  readonly domain?: OfferedDomain[];
  readonly capability?: string[];
  readonly topic?: string[];
  readonly broadcasts?: boolean;
  readonly model?: string;
  readonly dialect?: string;
}

export function withProfile(command: AxonCommand): AxonCommand {
  return command
    .option(
      '--domain <domain>',
      'what it does, like family.calendar, or "family.calendar=Is Friday free?" with a request that it would take; may be given several times',
      collectOffers,
    )
    .option('--capability <word>', 'what it can do; may be given several times', collect)
    .option(
      '--topic <topic>',
      'what it wants to hear of, like dinner; may be given several times',
      collect,
    )
    .option('--no-broadcasts', 'it gets no message that is for everybody')
    .option('--model <name>', 'the model behind it')
    .option('--dialect <name>', 'the language of its messages, such as elizaos');
}

export function profileOf(
  name: string,
  options: ProfileOptions,
): {
  name: string;
  domains: OfferedDomain[];
  capabilities: string[];
  topics: string[];
  broadcasts: false | undefined;
  model: string | undefined;
  dialect: string | undefined;
} {
  const { domain: domains = [], capability: capabilities = [], topic: topics = [] } = options;
  const { model, dialect, broadcasts } = options;
  const without = broadcasts === false ? broadcasts : undefined;
  return { name, domains, capabilities, topics, broadcasts: without, model, dialect };
}

/** Whether any of them was given. */
export function describes({
  domain,
  capability,
  topic,
  broadcasts,
  model,
  dialect,
}: ProfileOptions): boolean {
  return broadcasts === false || (domain ?? capability ?? topic ?? model ?? dialect) !== undefined;
}

/** An agent that was connected. Its token file has the name that was asked for. */
export interface Connected {
  readonly handle: string;
  readonly file: string;
}

/** What to add to the words about an agent that was connected under this name. */
export function handleLine(handle: string, name: string): readonly string[] {
  return handle === name
    ? []
    : [
        `An agent called ${name} was removed here before. This one is new, and its handle is ${handle}.`,
      ];
}

/**
 * Asks, says where a person confirms it, waits for that, and keeps the token.
 * @throws AppError bad_request, rejected, timeout, conflict where the agent was connected
 * otherwise meanwhile, and what else the hub refuses
 */
export async function connectAgent(
  { terminal, session, command }: CommandContext,
  name: string,
  options: ProfileOptions,
): Promise<Connected> {
  checkAgentName(name);
  const line = await session.line();
  const asked = await line.call('agents.register', profileOf(name, options));
  const { code, display_name: shown } = asked.registration;
  terminal.note(
    `The agent "${shown}" waits until a person confirms its code, ten minutes at most:`,
  );
  terminal.note(`  ${code}`);
  terminal.note(`On the pages, under Agents: ${command} login opens them.`);
  terminal.note(`Or at another terminal: ${command} agents confirm ${code}`);
  for (;;) {
    // As by "agents add" at another terminal.
    const known = await session.agentOfToken(name);
    if (known !== undefined) return { handle: known, file: session.tokenFile(name) };
    const { state, token, agent } = await line
      .call('agents.registration', { id: asked.registration.id, secret: asked.secret })
      .catch(unlessOver);
    if (token !== null) return { handle: agent ?? name, file: session.storeToken(name, token) };
    if (state === 'declined')
      throw refusal('rejected', 'It was declined, or another program has its name by now.');
    if (state !== 'pending')
      throw new AppError('timeout', 'Nobody confirmed in time.', {
        failedBy: 'timeout',
        hint: 'Connect it again, and confirm it within ten minutes.',
      });
    await setTimeout(POLL_INTERVAL_MS);
  }
}

/** The hub forgets a request soon after its end. */
function unlessOver(error: unknown): OperationResult<'agents.registration'> {
  if (error instanceof HubProblem && error.problem.code === 'gone')
    return { state: 'expired', token: null, agent: null };
  throw error;
}
