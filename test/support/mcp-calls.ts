// Calls of the MCP tools by hand, where a client would stand in the way: arguments that each tool
// takes, and how an answer is read.
import type { TOOLS } from '../../main/mcp/tools.ts';
import type { HttpAnswer, TestHub } from './test-hub.ts';

type Json = Readonly<Record<string, unknown>>;

export const MCP_ACCEPT = 'application/json, text/event-stream';
const UUID = '00000000-0000-4000-8000-000000000000';

/** What each tool takes; most name what there is not. */
export const TOOL_ARGUMENTS: Readonly<Record<keyof typeof TOOLS, Json>> = {
  axon_whoami: {},
  axon_peers: {},
  axon_discover: { id: 'Nobody' },
  axon_query: { to: 'Nobody', question: 'Free?' },
  axon_delegate: { to: 'local/doer', task: 'Open the door' },
  axon_escalate: { to: 'Test hub', task: 'Which?', options: [{ label: 'a' }, { label: 'b' }] },
  axon_task: { id: UUID },
  axon_cancel: { id: UUID },
  axon_notify: { to: 'local/doer', topic: 'news' },
  axon_inbox: {},
  axon_ack: { delivery: UUID },
  axon_reply: { delivery: UUID, outcome: 'Done' },
  axon_conversations: {},
  axon_history: { id: UUID },
  axon_find_agent: { to: 'local/doer' },
  axon_search: { q: 'dinner' },
};

/** The one JSON-RPC answer, whether it came as JSON or as an event. */
export function answerIn({ text }: HttpAnswer): Json {
  return JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text) as Json;
}

export const toolCall = (name: string, given: Json): Json => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
});

/** Calls a tool over /mcp with the token. */
export async function callTool(
  hub: TestHub,
  token: string,
  name: string,
  given: Json,
): Promise<Json> {
  const headers = { accept: MCP_ACCEPT };
  const body = toolCall(name, given);
  return answerIn(await hub.ask('/mcp', { method: 'POST', token, headers, body }));
}
