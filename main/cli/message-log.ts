// The log lines by which agents of the ElizaOS draft say what they sent and received:
// `MCP_MESSAGE_SENT: {...}`. Pure.
import { escapeHiddenInJson } from '../lib/hidden-characters.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';

const LINE = /MCP_MESSAGE_(SENT|RECEIVED):\s*(\S.*)$/;

interface LoggedMessage {
  readonly isSent: boolean;
  readonly message: JsonObject;
}

/** 'unreadable' where the line names a message and holds none; undefined where it names none. */
export function readLogLine(line: string): LoggedMessage | 'unreadable' | undefined {
  const [, way, text] = LINE.exec(line) ?? [];
  if (text === undefined) return undefined;
  const message = messageIn(text);
  return message === undefined ? 'unreadable' : { isSent: way === 'SENT', message };
}

export function logLine(message: unknown): string {
  return `MCP_MESSAGE_RECEIVED: ${escapeHiddenInJson(JSON.stringify(message))}`;
}

/** An object, alone, in a list of one, or as the text of a string. */
function messageIn(text: string): JsonObject | undefined {
  let value: unknown = text;
  for (let depth = 0; depth < 3 && !isJsonObject(value); depth++) {
    try {
      value = typeof value === 'string' ? JSON.parse(value) : value;
    } catch {
      return undefined;
    }
    if (Array.isArray(value) && value.length === 1) value = value[0];
  }
  return isJsonObject(value) ? value : undefined;
}
