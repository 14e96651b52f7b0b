// The log lines by which agents of the ElizaOS draft say what they sent and received:
// `MCP_MESSAGE_SENT: {...}`. A marker counts only where the logger begins what it was given to log:
// what somebody says in a chat can quote one, and must never be sent. Pure.
import { escapeHiddenInJson } from '../lib/hidden-characters.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { parseStrictJson, type JsonLimits } from '../lib/strict-json.ts';

/** Twice what a message may have, since it may stand in a string of JSON in a string of JSON. */
export const LINE_MAX_BYTES = 262_144;
const LIMITS: JsonLimits = {
  sizeMaxBytes: LINE_MAX_BYTES,
  depthMax: 64,
  nodesMax: 16_384,
  keysPerObjectMax: 1_024,
};

const ESCAPE = '\u001b';
const BELL = '\u0007';
/**
 * Colours, titles and whatever else a terminal takes for orders. `stripVTControlCharacters` of
 * node:util takes minutes for a long line of nothing but "ESC ]".
 */
const TERMINAL_ORDER = new RegExp(
  `(?:${ESCAPE}\\[|\u009b)[0-?]*[ -/]*[@-~]` +
    `|${ESCAPE}\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)` +
    `|${ESCAPE}[ -/]*[0-Z\\^-~]`,
  'g',
);
const ELIZA_MEMBERS = ['mcp_version', 'message_id', 'performative', 'payload'];
const MARKER = /^MCP_MESSAGE_(SENT|RECEIVED):\s*(.*)$/s;
const DATE = /\d{4}[-/.]\d\d[-/.]\d\d/.source;
const TIME = /\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?[AP]M)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?/
  .source;
const WHEN = `(?:(?:${DATE}[T ,]{1,2})?${TIME}|${DATE}|\\d{10,16})`;
const LEVELS = [
  'trace',
  'verbose',
  'debug',
  'log',
  'progress',
  'success',
  'info',
  'informations',
  'warn',
  'warning',
  'fail',
  'error',
  'alert',
  'fatal',
];
const LOWER = LEVELS.join('|');
const UPPER = LOWER.toUpperCase();
const TITLE = LEVELS.map((level) => level.charAt(0).toUpperCase() + level.slice(1)).join('|');
/** In small letters it is a word of anybody's, unless it stands in brackets or before a colon. */
const LEVEL = `(?:\\[(?:${UPPER}|${TITLE}|${LOWER}) *\\]|(?:${UPPER}|${TITLE})|(?:${LOWER})(?=:))`;
/** Behind the level, whose line it is: "(eddy/4711 on pc):", "#eddy", "[CORE]". */
const WHOSE = `(?: *\\([^()"':]{1,128}\\):|:)? +(?:#[\\w.-]+ +)*(?:\\[[A-Z][A-Z0-9:_./-]*\\] +)?`;
/**
 * What ElizaOS, pino-pretty and their like put before the words of a line: a time, the level, and
 * whose line it is. A name may stand before the level, behind the time: "12:01 eddy INFO". Without
 * a level only a time passes: "12:01 Alice:" is a line of a chat.
 */
const PREFIX = new RegExp(
  `^(?:(?:\\[${WHEN}\\]|${WHEN}):? +(?:[A-Za-z][\\w.-]* +(?=(?:${UPPER})\\b))?| *(?=${LEVEL}))?` +
    `(?:${LEVEL}${WHOSE})?(?=MCP_MESSAGE_)`,
);

interface LoggedMessage {
  readonly isSent: boolean;
  /** Or why it cannot be read, in a sentence's end. */
  readonly message: JsonObject | string;
}

/**
 * The message that a line logs; undefined where it logs none.
 * @param flaw what is wrong with the line itself, as far as it was kept
 */
export function readLogLine(line: string, flaw: string | null = null): LoggedMessage | undefined {
  if (!namesMessage(line)) return undefined;
  const text = line.replaceAll(TERMINAL_ORDER, '').trimEnd();
  const logged = text.startsWith('{') ? wordsOfRecord(text, flaw) : wordsOf(text);
  if (typeof logged !== 'string') return logged;
  const [, way, json] = MARKER.exec(logged) ?? [];
  if (json === undefined) return undefined;
  return { isSent: way === 'SENT', message: flaw ?? messageIn(json) };
}

/**
 * The members, in quotes, that the message lacks and its agent cannot have meant to leave out.
 * Other languages name what a message is by a "type" or a "kind", and have no more in common.
 */
export function missingIn(message: JsonObject): readonly string[] {
  const names = new Set(
    Object.keys(message).map((name) => name.toLowerCase().replaceAll(/[-_]/g, '')),
  );
  if (names.has('type') || names.has('kind')) return [];
  const isEliza = ['mcpversion', 'messageid', 'payload'].some((name) => names.has(name));
  return (isEliza ? ELIZA_MEMBERS : ['performative'])
    .filter((member) => !names.has(member.replaceAll('_', '')))
    .map((member) => `"${member}"`);
}

/** Whether the line names a message where none is read, as in a quotation. */
export function namesMessage(line: string): boolean {
  return /MCP_MESSAGE_(?:SENT|RECEIVED):/.test(line);
}

export function logLine(message: unknown): string {
  return `MCP_MESSAGE_RECEIVED: ${escapeHiddenInJson(JSON.stringify(message))}`;
}

/** What a line of text was given to log, without what the logger put before it. */
function wordsOf(text: string): string {
  return text.replace(PREFIX, '');
}

/** What a line of JSON was given to log: the `msg` of pino, beside its level. */
function wordsOfRecord(text: string, flaw: string | null): string | LoggedMessage | undefined {
  const record = parseStrictJson(text, LIMITS);
  if (flaw !== null || !record.ok) {
    const [, way] = /"msg" ?: ?"MCP_MESSAGE_(SENT|RECEIVED):/.exec(text) ?? [];
    const why = flaw ?? (record.ok ? '' : `is not JSON: ${record.error}`);
    return way === undefined ? undefined : { isSent: way === 'SENT', message: why };
  }
  const { level, msg } = isJsonObject(record.value) ? record.value : {};
  const isRecord = typeof level === 'number' || typeof level === 'string';
  return isRecord && typeof msg === 'string' ? msg.replaceAll(TERMINAL_ORDER, '') : undefined;
}

/** An object, alone, in a list of one, or as the text of a string; else what is wrong. */
function messageIn(text: string): JsonObject | string {
  let value: unknown = text;
  for (let depth = 0; depth < 3 && !isJsonObject(value); depth++) {
    if (typeof value === 'string') {
      const parsed = parseStrictJson(value, LIMITS);
      if (!parsed.ok) return `holds no message: ${parsed.error}`;
      ({ value } = parsed);
    }
    if (Array.isArray(value) && value.length === 1) value = value[0];
  }
  return isJsonObject(value) ? value : 'holds no message: it is not a JSON object';
}
