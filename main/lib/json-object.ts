// The one test for "a JSON object": neither null nor a list. For values that came out of a JSON
// parser.

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON text of our own rows as an object; anything else reads as empty. */
export function readObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    // A row that was damaged must not keep the others from being seen.
    return {};
  }
}
