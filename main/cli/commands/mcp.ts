// mcp: an MCP server over stdio, for the agent that starts it, and the entry that makes a program
// start it.
import type { Implementation, McpServer } from '@modelcontextprotocol/server';
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Argument } from 'commander';
import {
  OPERATIONS,
  type OperationName,
  type OperationResult,
} from '../../../preload/contract/operations.ts';
import { isWork } from '../../../preload/contract/delivery-kind.ts';
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { AxonCommand } from '../axon-command.ts';
import {
  connectAgent,
  describes,
  handleLine,
  withProfile,
  type ProfileOptions,
} from '../connect-agent.ts';
import { interruptible, problemOf, type CommandContext } from '../context.ts';
import { HubProblem, isUnsent, type HubClient } from '../hub-client.ts';
import { entryText, MCP_CLIENTS, unaskedClient, type McpClient } from '../mcp-clients.ts';
import { ClientSettings, serverEntry, settingsFile } from '../mcp-install.ts';
import { wholeNumber } from '../option-values.ts';
import {
  askHook,
  HOOKED,
  hooksText,
  wakeHook,
  withHooks,
  withoutHooks,
  type Hook,
} from '../program-hooks.ts';
import { refusal } from '../refusal.ts';
import { readToken, type Session } from '../session.ts';
import { SettingsText } from '../settings-text.ts';
import { forgetUndo, keepUndo, keptUndo } from '../undo.ts';

/** How long is given back what the program took and did not answer. */
const GIVE_BACK_MAX_MS = 5_000;

export function addMcpCommand(program: AxonCommand, version: string): void {
  const mcp = program
    .command('mcp')
    .description('serve MCP over standard input and output, for an agent that starts this')
    .option('--item <delivery>', 'the inbox has this one item alone, which the agent has already')
    .option('--attempt <number>', 'with --item: which attempt at it', wholeNumber, 1)
    .does(({ session }, { item, attempt }: { item?: string; attempt: number }) =>
      serve(session, version, item === undefined ? null : { delivery: item, attempt }),
    );
  withProfile(mcp.command('install'))
    .description('connect a program that speaks MCP, and write this server into its settings')
    .addArgument(clientArgument())
    .option('--show', 'print the entry and write nothing')
    .option(
      '--wake',
      'claude-code only: also write the hooks that wake an idle session when something new waits',
    )
    .option(
      '--ask',
      'claude-code and codex: also write the hook that puts what it wants to do before you as a card',
    )
    .option(
      '--unasked',
      'codex, gemini-cli and qwen-code: also write that the program may use these tools without asking you',
    )
    .does((context, id: string, { unasked = false, ...options }: InstallOptions) =>
      install(context, unasked ? unaskedClient(clientOf(id)) : clientOf(id), options),
    );
  mcp
    .command('uninstall')
    .description('take this server out of the settings of a program, and end its token')
    .addArgument(clientArgument())
    .does((context, id: string) => uninstall(context, clientOf(id)));
}

function clientArgument(): Argument {
  return new Argument('<program>', 'which one').choices(MCP_CLIENTS.map(({ id }) => id));
}

function clientOf(id: string): McpClient {
  const client = MCP_CLIENTS.find((known) => known.id === id);
  if (client === undefined) throw new RangeError(id);
  return client;
}

/** One item of the inbox, and the attempt at it that somebody holds. */
interface HeldItem {
  readonly delivery: string;
  readonly attempt: number;
}

async function serve(session: Session, version: string, held: HeldItem | null): Promise<number> {
  // Loaded here, so that no other command waits for it.
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const { mcpServer } = await import('../../mcp/server.ts');
  const { StdioTransport } = await import('../../mcp/stdio-transport.ts');
  const closed = new AbortController();
  const line = new AgentLine(session, version, closed.signal, held);
  const call = <Name extends OperationName>(
    operation: Name,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    { server }: McpServer,
  ) => line.call(operation, params, signal, server.getClientVersion());
  return interruptible(async (stopped) => {
    const transport = new StdioTransport(process.stdin, process.stdout);
    stopped.addEventListener('abort', () => void transport.close());
    const make = (): McpServer => {
      const server: McpServer = mcpServer({
        version,
        call: (operation, params, called) => call(operation, params, called, server),
        problemOf,
      });
      return server;
    };
    const served = serveStdio(make, { transport });
    // So that the hub shows that it is connected; without a hub, the first tool says so.
    void line.call('hub.whoami', {}, closed.signal, undefined).catch(() => undefined);
    await transport.ended;
    // Nothing that still waits for the hub keeps this process.
    closed.abort();
    await served.close();
    await line.giveBack();
    line.close();
    return 0;
  });
}

async function install(
  context: CommandContext,
  client: McpClient,
  { show = false, wake = false, ask = false, ...profile }: InstallOptions,
): Promise<void> {
  const { terminal, session } = context;
  const agent = session.named ?? client.id;
  const tokenFile = session.tokenFile(agent);
  const hooks = hooksOf(session, client, agent, { wake, ask });
  if (show) {
    const entry = entryText(client, serverEntry(session.home, tokenFile));
    const shown = hooks === null ? [entry] : [entry, `In ${hooks.file}:`, hooksText(hooks.all)];
    const result = { program: client.id, entry, hooks: hooks && hooksText(hooks.all) };
    terminal.result(result, () => shown.flatMap((text) => text.split('\n')));
    return;
  }
  const entry = serverEntry(session.home, tokenFile);
  terminal.note(`This goes into ${settingsFile(client)}:`);
  for (const line of entryText(client, entry).split('\n')) terminal.note(`  ${line}`);
  if (hooks !== null) {
    terminal.note(`This goes into ${hooks.file}:`);
    for (const line of hooksText(hooks.all).split('\n')) terminal.note(`  ${line}`);
  }
  // Before anybody is asked to confirm anything.
  new ClientSettings(client).with(entry);
  if (hooks !== null) withHooks(new SettingsText(hooks.file).text, hooks.all, hooks.file);
  const known = await session.agentOfToken(agent);
  if (known !== undefined && describes(profile))
    throw refusal(
      'conflict',
      `"${agent}" is connected already, and this command does not change what it offers.`,
      `Leave these options out, or take it out first: "axon mcp uninstall ${client.id}".`,
    );
  const handle = known ?? (await connectAgent(context, agent, profile)).handle;
  // The program may have written them while the person was asked.
  const settings = new ClientSettings(client);
  settings.install(entry, undoFile(session, client), agent);
  if (hooks !== null) installHooks(hooks, undoFile(session, client));
  const done = { program: client.id, agent: handle, file: settings.file, token_file: tokenFile };
  terminal.result(done, () => [
    `${client.title} is connected as ${handle}. Start it anew, and it has the tools.`,
    ...(hooks?.wants === undefined ? [] : [hooks.wants]),
    ...new ClientSettings(client).asking,
    ...handleLine(handle, agent),
  ]);
}

/** Where it is kept how our entry is taken out of the settings of a program. */
function undoFile({ home }: Session, { id }: McpClient): string {
  return join(home, 'installed', `${id}.json`);
}

interface InstallOptions extends ProfileOptions {
  readonly show?: boolean;
  readonly wake?: boolean;
  readonly ask?: boolean;
  readonly unasked?: boolean;
}

/** What goes into the hooks of a program. */
interface WantedHooks {
  readonly file: string;
  readonly all: readonly Hook[];
  readonly wants: string | undefined;
}

/** Those that were asked for; null: none. @throws AppError bad_request: this program has none */
function hooksOf(
  { home }: Session,
  client: McpClient,
  agent: string,
  { wake, ask }: { readonly wake: boolean; readonly ask: boolean },
): WantedHooks | null {
  if (!wake && !ask) return null;
  const program = HOOKED.get(client.id);
  if (program === undefined || (wake && !program.wakes))
    throw refusal(
      'bad_request',
      `${client.title} has no hook that ${wake ? 'wakes it; only Claude Code has' : 'asks; only Claude Code and Codex have'}.`,
    );
  return {
    file: program.file(),
    all: [
      ...(wake ? [wakeHook(program, home, agent)] : []),
      ...(ask ? [askHook(program, home, agent)] : []),
    ],
    wants: program.wants,
  };
}

/** Once the entry stands there. @throws AppError bad_request */
function installHooks({ file, all }: WantedHooks, undo: string): void {
  const settings = new SettingsText(file);
  const areThere = withoutHooks(settings.text, file) !== settings.text;
  const isNew = !existsSync(file);
  settings.write(withHooks(settings.text, all, file));
  const kept = keptUndo(undo);
  if (kept !== undefined && !areThere) keepUndo(undo, { ...kept, hooksAreNew: isNew });
}

/** Takes our hooks out; what to say of it. @throws AppError bad_request */
function unhooked(client: McpClient, undo: string): readonly string[] {
  const program = HOOKED.get(client.id);
  if (program === undefined) return [];
  const file = program.file();
  const settings = new SettingsText(file);
  const text = withoutHooks(settings.text, file);
  if (text === settings.text) return [];
  settings.write(text);
  if (text.trim() === '{}' && keptUndo(undo)?.hooksAreNew === true) rmSync(file);
  return [`The hooks are out of ${file}.`];
}

async function uninstall({ terminal, session }: CommandContext, client: McpClient): Promise<void> {
  const settings = new ClientSettings(client);
  const { file, tokenFile } = settings;
  const undo = undoFile(session, client);
  if (tokenFile === undefined) {
    const agent = keptUndo(undo)?.agent ?? session.named ?? client.id;
    const unhookedLines = unhooked(client, undo);
    const hasToken = await endToken(session, session.tokenFile(agent));
    forgetUndo(undo);
    terminal.result({ program: client.id, file, removed: false }, () => [
      `${client.title} has no entry of ours in ${file}.`,
      ...(hasToken ? [`The token of ${agent} has ended.`] : []),
      ...unhookedLines,
    ]);
    return;
  }
  if (dirname(tokenFile) !== dirname(session.tokenFile(client.id)))
    throw refusal(
      'bad_request',
      `The entry in ${file} is one of another hub: its token is ${tokenFile}.`,
      'Name the data folder of that hub with --home.',
    );
  const text = settings.without(undo);
  const unhookedLines = unhooked(client, undo);
  const hasToken = await endToken(session, tokenFile);
  settings.uninstall(text, undo);
  terminal.result({ program: client.id, file, removed: true }, () => [
    hasToken
      ? `The entry is out of ${file}, and its token has ended. What the agent did stays on record.`
      : `The entry is out of ${file}. Its token file is gone, and its token has not ended: log it out under Settings, Who is logged in.`,
    ...unhookedLines,
  ]);
}

/**
 * Whether there was one to end: not where its file is gone. Throws as HubClient.call does.
 */
async function endToken(session: Session, file: string): Promise<boolean> {
  const token = readToken(file);
  const [, , id] = token?.split('_') ?? [];
  if (token === undefined || id === undefined) return false;
  try {
    await (await session.line()).withToken(token).call('sessions.revoke', { id });
  } catch (error) {
    if (!(error instanceof HubProblem) || error.problem.code !== 'unauthenticated') throw error;
  }
  rmSync(file, { force: true });
  return true;
}

/** The text of a header, whatever the program calls itself. */
function userAgent(version: string, program: Implementation | undefined): string {
  if (program === undefined) return `axon-mcp/${version}`;
  const said = `${program.name} ${program.version}`.replaceAll(/[^ -~]/g, '?');
  return `axon-mcp/${version} (${said})`;
}

/**
 * The line to the hub, made when it is first needed and again after the hub went away. Knows what
 * the program took by it and did not answer.
 */
class AgentLine {
  readonly #session: Session;
  readonly #version: string;
  readonly #ended: AbortSignal;
  readonly #only: HeldItem | null;
  readonly #held = new Map<string, number>();
  #client: HubClient | undefined;
  #finding: Promise<void> | undefined;

  /**
   * @param ended ends the wait for a hub that is away
   * @param only all that the inbox has; null: whatever waits
   */
  constructor(session: Session, version: string, ended: AbortSignal, only: HeldItem | null) {
    this.#session = session;
    this.#version = version;
    this.#ended = ended;
    this.#only = only;
  }

  /** What is under way fails. */
  close(): void {
    this.#client?.close();
  }

  /**
   * Throws as HubClient.call and Session.asAgent do.
   * @param program what it says it is
   */
  async call<Name extends OperationName>(
    operation: Name,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    program: Implementation | undefined,
  ): Promise<OperationResult<Name>> {
    if (this.#only === null) return this.#call(operation, params, signal, program);
    if (operation === 'inbox.claim')
      return (await this.#onlyItem(this.#only, signal, program)) as OperationResult<Name>; // of that operation
    const isIt = params['delivery'] === this.#only.delivery;
    const meant = isIt ? { ...params, attempt: this.#only.attempt } : params;
    return this.#call(operation, meant, signal, program);
  }

  /** As if it were taken now; it is said again of what its holder has. None once it is over. */
  async #onlyItem(
    held: HeldItem,
    signal: AbortSignal,
    program: Implementation | undefined,
  ): Promise<OperationResult<'inbox.claim'>> {
    const none = { items: [], next: null, waiting: 0 };
    try {
      return { ...none, items: [await this.#call('inbox.ack', { ...held }, signal, program)] };
    } catch (error) {
      if (error instanceof HubProblem && error.problem.code === 'gone') return none;
      throw error;
    }
  }

  async #call<Name extends OperationName>(
    operation: Name,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    program: Implementation | undefined,
  ): Promise<OperationResult<Name>> {
    this.#client ??= await this.#session.asAgent();
    try {
      return await this.#tryCall(operation, params, signal, program);
    } catch (error) {
      if (error instanceof HubProblem && error.problem.code === 'unauthenticated') {
        // Its token may have been renewed since; nothing was done with the old one.
        this.#client = await this.#session.asAgent();
        return this.#tryCall(operation, params, signal, program);
      }
      if (!(error instanceof AppError) || error.code !== 'hub_unreachable') throw error;
      await this.#findAgain();
      // Once more where the hub cannot have done it, or it changes nothing.
      if (!isUnsent(error) && OPERATIONS[operation].method !== 'GET') throw error;
      return this.#tryCall(operation, params, signal, program);
    }
  }

  async #tryCall<Name extends OperationName>(
    operation: Name,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    program: Implementation | undefined,
  ): Promise<OperationResult<Name>> {
    const client = this.#client ?? (await this.#session.asAgent());
    // Each tool's schema is the operation's own, and the hub checks it again.
    const result = await client
      .withUserAgent(userAgent(this.#version, program))
      .call(operation, params as never, signal);
    this.#note(operation, params, result);
    return result;
  }

  /** Calls that fail together look for the hub together. */
  #findAgain(): Promise<void> {
    this.#finding ??= this.#find().finally(() => (this.#finding = undefined));
    return this.#finding;
  }

  async #find(): Promise<void> {
    this.#client = await this.#client?.again(this.#ended);
  }

  /** Nobody works on it any more: another program of this agent gets it at once. Never rejects. */
  async giveBack(): Promise<void> {
    const signal = AbortSignal.timeout(GIVE_BACK_MAX_MS);
    for (const [delivery, attempt] of this.#held) {
      const params = { delivery, attempt };
      // What was answered elsewhere, or is over, is not there to be given back.
      await this.#client?.call('inbox.nack', params, signal).catch(() => undefined);
    }
  }

  #note(operation: OperationName, { delivery }: JsonObject, result: unknown): void {
    if (operation === 'inbox.reply' && typeof delivery === 'string') this.#held.delete(delivery);
    if (operation !== 'inbox.claim') return;
    const { items } = result as OperationResult<'inbox.claim'>;
    // The rest comes back by its lease.
    for (const item of items) if (isWork(item.kind)) this.#held.set(item.delivery_id, item.attempt);
  }
}
