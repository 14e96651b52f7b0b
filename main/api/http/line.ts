// How an agent reaches the hub, by its User-Agent. Nobody checks what it says of itself.
import type { IncomingMessage } from 'node:http';
import type { AgentLine } from '../../services/agents/agent-registry.ts';

/** What `axon mcp` calls itself, with the program that started it. */
const STDIO = /^axon-mcp\/\S+(?: \((.*)\))?$/;

export function lineOf({ headers }: Pick<IncomingMessage, 'headers'>): AgentLine {
  const said = headers['user-agent'] ?? null;
  const stdio = STDIO.exec(said ?? '');
  if (stdio !== null) return { door: 'mcp', program: stdio[1] ?? null };
  if (said?.startsWith('axon/') === true) return { door: 'terminal', program: null };
  return { door: 'http', program: said };
}
