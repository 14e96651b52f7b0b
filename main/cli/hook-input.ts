// What a coding program tells its hook on standard input: one JSON object. Whatever else comes is
// nothing.
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { decodeText } from '../lib/decode-text.ts';

/** A longer one is nothing: no card would show it. */
const HOOK_INPUT_MAX_BYTES = 1_048_576;

/** undefined: it is no JSON object, is too long, or a person sits there. */
export async function readHookInput(input: NodeJS.ReadStream): Promise<JsonObject | undefined> {
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
  if (!decoded.ok) return undefined;
  try {
    const value: unknown = JSON.parse(decoded.value.text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
