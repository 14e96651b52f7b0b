// What a program asks for over the Agent Client Protocol: whether it is a tool of our own server,
// what a person reads of it otherwise, and how it is answered. Pure. Our tools are known by what
// the program itself says of a call, never by what a model can write into one.
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';

/** What the program said of one call of a tool. */
export type ToolCall = JsonObject;
export type Decision = 'allow' | 'reject' | 'cancelled';

const TOOL_NAME = /^[\w.:-]{1,128}$/;
/** The kinds of the protocol. */
const KINDS: ReadonlySet<unknown> = new Set([
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
]);

interface Ours {
  /** The name of our server in this session, which nobody could guess. */
  readonly server: string;
  readonly tools: readonly string[];
}

/**
 * @param params of session/request_permission
 * @param known what was said of the same call before
 */
export function isOurTool(params: JsonObject, known: ToolCall, { server, tools }: Ours): boolean {
  const call = isJsonObject(params.toolCall) ? params.toolCall : {};
  const isNamed = (form: (tool: string) => string, name: unknown): boolean =>
    tools.some((tool) => form(tool) === name);
  // Claude: the name of the tool as its model has it.
  if (isNamed((tool) => `mcp__${server}__${tool}`, call.name)) return true;
  // Codex: asked about a tool of a server, which it told when the call began.
  const raw = isJsonObject(known.rawInput) ? known.rawInput : {};
  const meta = isJsonObject(params._meta) ? params._meta : {};
  if (meta.is_mcp_tool_approval === true)
    return raw.server === server && isNamed((tool) => tool, raw.tool);
  // opencode: of a server's tool nothing but its name; whatever a model writes stands in rawInput.
  const isBare = isJsonObject(call.rawInput) && Object.keys(call.rawInput).length === 0;
  if (call.kind === 'other' && isBare) return isNamed((tool) => `${server}_${tool}`, call.title);
  // Gemini CLI: offers this for the tools of a server alone.
  const options = optionsOf(params);
  if (options.some(({ optionId }) => optionId === 'proceed_always_server'))
    return isNamed((tool) => `${tool} (${server} MCP Server)`, call.title);
  return false;
}

/** What a person is asked: everything that the program says of it. */
export function cardOf(call: ToolCall): { readonly tool: string; readonly input: JsonObject } {
  const { name, kind, title, rawInput, content, locations } = call;
  const tool =
    typeof name === 'string' && TOOL_NAME.test(name)
      ? name
      : typeof kind === 'string' && KINDS.has(kind)
        ? kind
        : 'tool';
  const given = isJsonObject(rawInput) ? rawInput : rawInput == null ? {} : { input: rawInput };
  const said = {
    name: tool === name ? undefined : name,
    title: title === name ? undefined : title,
    content,
    locations,
  };
  const besides = Object.entries(said).filter(([, value]) => !isSaidIn(given, value));
  const free = (word: string): string => (Object.hasOwn(given, word) ? free(`${word}_`) : word);
  return {
    tool,
    // Never in the place of an argument.
    input: { ...given, ...Object.fromEntries(besides.map(([key, value]) => [free(key), value])) },
  };
}

/** Whether every text in it is one of the arguments, too, so that it says nothing more. */
function isSaidIn(given: JsonObject, value: unknown): boolean {
  if (value === '' || value === undefined || value === null) return true;
  if (typeof value !== 'object') return Object.values(given).includes(value);
  return Object.entries(value).every(([key, one]) => key === 'type' || isSaidIn(given, one));
}

/** Once, or not: never what would last. */
export function answerTo(params: JsonObject, decision: Decision): JsonObject {
  const kind = decision === 'allow' ? 'allow_once' : 'reject_once';
  const option = decision === 'cancelled' ? undefined : optionsOf(params).find(isOf(kind));
  const rejected = decision === 'allow' ? optionsOf(params).find(isOf('reject_once')) : undefined;
  const chosen = option ?? rejected;
  const outcome =
    chosen === undefined
      ? { outcome: 'cancelled' }
      : { outcome: 'selected', optionId: chosen.optionId };
  return { outcome };
}

const isOf =
  (kind: string) =>
  (option: JsonObject): boolean =>
    option.kind === kind;

function optionsOf({ options }: JsonObject): readonly JsonObject[] {
  const list: readonly unknown[] = Array.isArray(options) ? options : [];
  return list.filter(isJsonObject).filter(({ optionId }) => typeof optionId === 'string');
}
