// MCP over HTTP at /mcp: each request stands for itself, in both protocol eras, and each tool is an
// operation of the table, called through the door as any other. The guard, the token and the bounds
// of the HTTP door come before. Its packages are loaded by the first call.
import type { NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import { SECURITY_HEADERS } from '../../../preload/contract/content-security.ts';
import { AppError } from '../../lib/app-error.ts';
import { CONNECT_AGAIN } from '../../mcp/connect-again.ts';
import type { Log } from '../../ports/log.ts';
import type { Caller } from '../caller.ts';
import type { Door } from '../door/door.ts';
import type { Mount, MountCall } from '../http/mount.ts';
import { jsonAnswer, problemAnswer, type Answer } from '../http/respond.ts';
import { appErrorOf, problemOf } from '../problem.ts';

const MCP_PATH = '/mcp';
/** Of JSON-RPC: what came is no request that can be taken, and what is a server's own. */
const INVALID_REQUEST = -32_600;
const REFUSED = -32_000;

interface McpDoorDeps {
  readonly door: Door;
  readonly log: Log;
  readonly version: string;
}

type AgentCaller = Extract<Caller, { kind: 'agent' }>;

export class McpDoor implements Mount {
  readonly tokenHint = CONNECT_AGAIN;
  readonly #deps: McpDoorDeps;
  #handler: Promise<NodeMcpRequestHandler> | undefined;

  constructor(deps: McpDoorDeps) {
    this.#deps = deps;
  }

  takes(path: string): boolean {
    return path === MCP_PATH;
  }

  /**
   * Answers one request of an agent.
   * @throws AppError forbidden
   */
  async answer({ request, response, caller, body }: MountCall): Promise<void> {
    if (caller.kind !== 'agent') {
      throw new AppError('forbidden', 'MCP is for agents: use the token of one.', {
        failedBy: 'input',
      });
    }
    const program = request.headers['user-agent'] ?? null;
    this.#deps.door.heard(caller, { door: 'mcp', program });
    this.#handler ??= this.#load();
    const handle = await this.#handler;
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const auth = { token: '', clientId: caller.agent, scopes: [], extra: { caller } };
    const { method = 'POST', url = MCP_PATH } = request;
    await handle(Object.assign(request, { auth, method, url }), response, body);
  }

  /** Which request it was is not known, so it names none. */
  refusal(error: AppError): Answer {
    const data = problemOf(error);
    const code = error.failedBy === 'input' ? INVALID_REQUEST : REFUSED;
    const message = [data.detail, ...(data.hint === undefined ? [] : [data.hint])].join(' ');
    const { status, headers } = problemAnswer(error);
    return jsonAnswer({ jsonrpc: '2.0', error: { code, message, data } }, status, headers);
  }

  async #load(): Promise<NodeMcpRequestHandler> {
    const [{ createMcpHandler }, { toNodeHandler }, { mcpServer }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('@modelcontextprotocol/node'),
      import('../../mcp/server.ts'),
    ]);
    const { log, version } = this.#deps;
    const onerror = (error: Error): void => log.debug('mcp request', { error: error.message });
    const handler = createMcpHandler(
      ({ authInfo }) =>
        mcpServer({
          version,
          call: (operation, params, signal) =>
            // Only agents come here, see above.
            this.#call(authInfo?.extra?.['caller'] as AgentCaller, operation, params, signal),
          problemOf: (error) => problemOf(appErrorOf(error, log)),
        }),
      { onerror },
    );
    return toNodeHandler(handler, { onerror });
  }

  #call(
    caller: AgentCaller,
    operation: Parameters<Door['call']>[0],
    params: unknown,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { door } = this.#deps;
    const gone = new AbortController();
    if (signal.aborted) gone.abort();
    else signal.addEventListener('abort', () => gone.abort(), { once: true });
    return door.call(operation, params, caller, { gone, idempotencyKey: null, fromPage: false });
  }
}
