// A JSON value as a plain list of fields for people: [path, value] pairs in the order of the value, every leaf once. Pure. It must never
// leave a member out: what is too long is the caller's to bound and to say.
import { isJsonObject } from '../lib/json-object.ts';

export type JsonField = readonly [path: string, value: string];

/**
 * Every leaf of `value`, an empty list or object counting as one. Depth is that of a parsed message, so recursion is bounded.
 * @param shown what becomes of every text, keys included, before it stands in a pair; for values that are not escaped yet
 */
export function jsonFields(value: unknown, shown: (text: string) => string = (text) => text): readonly JsonField[] {
  const fields: JsonField[] = [];
  flatten('', value, shown, fields);
  return fields;
}

function flatten(path: string, value: unknown, shown: (text: string) => string, fields: JsonField[]): void {
  if (Array.isArray(value) && value.length > 0) {
    for (const [index, entry] of value.entries()) flatten(`${path}[${index}]`, entry, shown, fields);
  } else if (isJsonObject(value) && Object.keys(value).length > 0) {
    for (const [key, member] of Object.entries(value)) flatten(pathOf(path, shown(key)), member, shown, fields);
  } else {
    fields.push([path, typeof value === 'string' ? shown(value) : JSON.stringify(value)]);
  }
}

/** `context.dinner_time`; a key that could be mistaken for a path is quoted: `context["a.b"]`. */
function pathOf(path: string, key: string): string {
  if (!/^[\p{Letter}_][\p{Letter}\p{Mark}\p{Number}_-]*$/u.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
