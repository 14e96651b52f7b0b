// mcp: an MCP server over stdio, for the agent that starts it. It speaks for one connected agent,
// and finds the hub again when that was restarted.
import type { OperationName } from '../../../preload/contract/operations.ts';
import { AppError } from '../../lib/app-error.ts';
import type { AxonCommand } from '../axon-command.ts';
import { interruptible, problemOf } from '../context.ts';
import type { HubClient } from '../hub-client.ts';
import type { Session } from '../session.ts';

export function addMcpCommand(program: AxonCommand, version: string): void {
  program
    .command('mcp')
    .description('serve MCP over standard input and output, for an agent that starts this')
    .does(async ({ session }) => {
      // Loaded here, so that no other command waits for it.
      const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
      const { mcpServer } = await import('../../mcp/server.ts');
      const line = new AgentLine(session);
      const served = serveStdio(() =>
        mcpServer({
          version,
          call: (operation, params, signal) => line.call(operation, params, signal),
          problemOf,
        }),
      );
      return interruptible(async (signal) => {
        await new Promise<unknown>((resolve) => {
          process.stdin.once('close', resolve);
          signal.addEventListener('abort', resolve, { once: true });
        });
        await served.close();
        return 0;
      });
    });
}

/** The line to the hub, made when it is first needed and again after the hub went away. */
class AgentLine {
  readonly #session: Session;
  #client: HubClient | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Throws as HubClient.call and Session.asAgent do. */
  async call(
    operation: OperationName,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<unknown> {
    this.#client ??= await this.#session.asAgent();
    try {
      // Each tool's schema is the operation's own, and the hub checks it again.
      return await this.#client.call(operation, params as never, signal);
    } catch (error) {
      if (error instanceof AppError && error.code === 'hub_unreachable')
        this.#client = await this.#client.again();
      throw error;
    }
  }
}
