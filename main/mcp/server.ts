// One MCP server over the operations of the hub. It serves both protocol eras: over stdio
// (`axon mcp`) and over HTTP (`/mcp`).
import { setInterval } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/server';
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import type { Problem } from '../../preload/contract/errors.ts';
import { OPERATIONS, type OperationName } from '../../preload/contract/operations.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { CONNECT_AGAIN } from './connect-again.ts';
import { parameters } from './parameters.ts';
import { inParts } from './parts.ts';
import { answerOf, INSTRUCTIONS, TOOLS } from './tools.ts';

/** Many clients give up after 60 s, unless they hear that it goes on. */
const PROGRESS_EVERY_MS = 10_000;

type ToolName = keyof typeof TOOLS;
type Tool = (typeof TOOLS)[ToolName];

interface McpDeps {
  readonly version: string;
  /** Runs one operation for the agent that is connected. */
  readonly call: (
    operation: OperationName,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) => Promise<unknown>;
  /** What a failure is for whoever called; undefined: not one of the hub's. */
  readonly problemOf: (error: unknown) => Problem | undefined;
}

export function mcpServer({ version, call, problemOf }: McpDeps): McpServer {
  const server = new McpServer(
    { name: 'axon-hub', title: 'AXON Hub', version },
    { instructions: INSTRUCTIONS },
  );
  for (const [name, tool] of Object.entries(TOOLS) as [ToolName, Tool][]) {
    const { title, description, operation } = tool;
    const readOnly = 'readOnly' in tool;
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: parameters(tool.params),
        outputSchema: toStandardJsonSchema(tool.result),
        annotations: {
          title,
          readOnlyHint: readOnly,
          destructiveHint: false,
          idempotentHint: readOnly || 'idempotent' in tool,
          openWorldHint: 'sends' in tool,
        },
      },
      async (given, { mcpReq }) => {
        const over = new AbortController();
        // Ends with the signal, or where nobody reads it.
        tellProgress(mcpReq, operation, over.signal).catch(() => undefined);
        try {
          const params = paramsOf(operation, given);
          const result = await call(operation, params, mcpReq.signal);
          return answered(answerOf(name, result, given as JsonObject));
        } catch (error) {
          const problem = problemOf(error);
          if (problem === undefined) throw error;
          return failed(inOwnWords(problem, operation));
        } finally {
          over.abort();
        }
      },
    );
  }
  return server;
}

/** Tells a program that asked for it that its call still waits, until the signal. */
async function tellProgress(
  request: ServerContext['mcpReq'],
  operation: OperationName,
  signal: AbortSignal,
): Promise<void> {
  const progressToken = request._meta?.progressToken;
  if (progressToken === undefined) return;
  const message =
    operation === 'send.query'
      ? 'Still waiting for the answer. A person there may have to decide first.'
      : 'Still waiting.';
  let progress = 0;
  for await (const _ of setInterval(PROGRESS_EVERY_MS, undefined, { signal })) {
    progress += 1;
    const params = { progressToken, progress, message };
    await request.notify({ method: 'notifications/progress', params });
  }
}

/** What of it is the operation's; the rest says how much of the answer is shown. */
function paramsOf(operation: OperationName, given: object): Readonly<Record<string, unknown>> {
  const { params } = OPERATIONS[operation];
  if (!('entries' in params)) return { ...given };
  const { entries } = params;
  return Object.fromEntries(Object.entries(given).filter(([name]) => name in entries));
}

function answered(result: JsonObject): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
}

/** Whoever uses tools makes no HTTP requests. */
function inOwnWords(problem: Problem, operation: OperationName): Problem {
  if (problem.code === 'unauthenticated')
    return { ...problem, hint: problem.hint ?? CONNECT_AGAIN };
  const isLate = problem.code === 'approval_expired' || problem.code === 'timeout';
  return isLate && operation === 'send.query'
    ? { ...problem, hint: 'axon_delegate waits for a day.' }
    : problem;
}

/** Where a story tells how it ended, which names hubs and people of elsewhere. */
const TOLD_APART = 'The call failed; "untrusted.came_of_it" tells how it ended.';

/**
 * A refusal is an answer: a model reads it and does something else. What somebody elsewhere says of
 * it stands apart, as in every answer.
 */
export function failed(problem: Problem): CallToolResult {
  const { code, detail, hint, retryable, retry_after_ms: waitMs, data } = problem;
  const wait = waitMs == null ? [] : [`Try again in ${Math.ceil(waitMs / 1_000)} s.`];
  const untrusted = isJsonObject(data?.['untrusted']) ? data['untrusted'] : undefined;
  const sentence = untrusted?.['came_of_it'] === undefined ? detail : TOLD_APART;
  const text = [sentence, ...(hint == null ? [] : [hint]), ...wait, `(${code})`].join(' ');
  const said =
    untrusted === undefined ? [] : [JSON.stringify(inParts({ untrusted, retryable }, 0, null))];
  return { isError: true, content: [text, ...said].map((one) => ({ type: 'text', text: one })) };
}
