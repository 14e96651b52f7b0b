// Connecting a program of this computer: it asks the hub and shows a code, a person confirms the
// same code in the app, and its token is kept in a file (0600).
import { setTimeout } from 'node:timers/promises';
import { AppError } from '../lib/app-error.ts';
import type { AxonCommand } from './axon-command.ts';
import type { CommandContext } from './context.ts';
import { collect, collectOffers, nameOfOffer, type OfferedDomain } from './option-values.ts';
import { refusal } from './refusal.ts';
import { checkAgentName } from './session.ts';

const POLL_INTERVAL_MS = 1_000;

/** The options of a command that connects an agent. */
export interface ProfileOptions {
  readonly domain?: OfferedDomain[];
  readonly capability?: string[];
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
  model: string | undefined;
  dialect: string | undefined;
} {
  const { domain: domains = [], capability: capabilities = [], model, dialect } = options;
  return { name, domains, capabilities, model, dialect };
}

/**
 * Asks, waits until a person has confirmed, and keeps the token. Returns its file.
 * @throws AppError bad_request, rejected, timeout, and what the hub refuses
 */
export async function connectAgent(
  { terminal, session, command }: CommandContext,
  name: string,
  options: ProfileOptions,
): Promise<string> {
  checkAgentName(name);
  const line = await session.line();
  const asked = await line.call('agents.register', profileOf(name, options));
  terminal.note(
    `Confirm the agent "${asked.registration.display_name}" on the pages, under Agents (${command} login opens them). Its code is ${asked.registration.code}.`,
  );
  const areas = (options.domain ?? []).map((offer) => ` --domain ${nameOfOffer(offer)}`).join('');
  terminal.note(
    `Without the pages, end this with Ctrl+C and connect it as the person in charge: ${command} agents add ${name}${areas}`,
  );
  for (;;) {
    const { state, token } = await line.call('agents.registration', {
      id: asked.registration.id,
      secret: asked.secret,
    });
    if (token !== null) return session.storeToken(name, token);
    if (state === 'declined') throw refusal('rejected', 'The person declined.');
    if (state !== 'pending')
      throw new AppError('timeout', 'Nobody confirmed in time.', { failedBy: 'timeout' });
    await setTimeout(POLL_INTERVAL_MS);
  }
}
