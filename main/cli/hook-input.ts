// What another program tells this one on standard input, such as a coding program its hook: one
// JSON object, or text. Whatever else comes is nothing.
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { decodeText } from '../lib/decode-text.ts';
import { parseStrictJson } from '../lib/strict-json.ts';

/** A longer one is nothing: no card would show it. */
const HOOK_INPUT_MAX_BYTES = 1_048_576;
const LIMITS = {
  sizeMaxBytes: HOOK_INPUT_MAX_BYTES,
  depthMax: 64,
  nodesMax: 65_536,
  keysPerObjectMax: 4_096,
} as const;

/** Set for a program that a runner starts, which asks and wakes it: its hooks do nothing. */
export const UNDER_RUNNER = { AXON_UNDER_RUNNER: '1' } as const;

export function isUnderRunner(): boolean {
  return process.env['AXON_UNDER_RUNNER'] !== undefined;
}

/**
 * undefined: it is no JSON object, would be read as another one than it is, is too long, or a
 * person sits there.
 */
export async function readHookInput(input: NodeJS.ReadStream): Promise<JsonObject | undefined> {
  const text = await readInput(input);
  const read = text === undefined ? undefined : parseStrictJson(text, LIMITS);
  return read?.ok === true && isJsonObject(read.value) ? read.value : undefined;
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
