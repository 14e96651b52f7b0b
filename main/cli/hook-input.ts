// What another program tells this one on standard input, such as a coding program its hook: one
// JSON object, or text. Whatever else comes is nothing.
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { decodeText } from '../lib/decode-text.ts';

/** A longer one is nothing: no card would show it. */
const HOOK_INPUT_MAX_BYTES = 1_048_576;

/** undefined: it is no JSON object, is too long, or a person sits there. */
export async function readHookInput(input: NodeJS.ReadStream): Promise<JsonObject | undefined> {
  const text = await readInput(input);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** undefined: it is no text, is too long, or a person sits there. */
export async function readInput(input: NodeJS.ReadStream): Promise<string | undefined> {
  if (input.isTTY) return undefined;
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of input) {
    const bytes = Buffer.from(part as Uint8Array);
    size += bytes.length;
    if (size > HOOK_INPUT_MAX_BYTES) return undefined;
    parts.push(bytes);
  }
  const decoded = decodeText(Buffer.concat(parts));
  return decoded.ok ? decoded.value.text : undefined;
}
