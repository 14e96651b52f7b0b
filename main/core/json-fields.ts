// A JSON value as a plain list of fields for people: [path, value] pairs in the order of the value,
// every leaf once. Pure. It must never leave a member out by itself: what is too long is the
// caller's to bound and to say.
import { isJsonObject } from '../lib/json-object.ts';

export type JsonField = readonly [path: string, value: string];

/**
 * Every leaf of `value`, an empty list or object counting as one. Depth is that of a parsed
 * message, so recursion is bounded.
 * @param shown what becomes of every text, keys included, before it stands in a pair; for values
 * that are not escaped yet
 */
export function jsonFields(
  value: unknown,
  shown: (text: string) => string = (text) => text,
): readonly JsonField[] {
  const fields: JsonField[] = [];
  walk('', value, shown, (field) => fields.push(field) > 0);
  return fields;
}

/**
 * The first of them, as far as there is room: what was begun stands whole. What is left out is
 * counted and not made.
 * @param room characters of paths and values together
 */
export function firstJsonFields(
  value: unknown,
  shown: (text: string) => string,
  room: number,
): { readonly fields: readonly JsonField[]; readonly leftOut: number } {
  const fields: JsonField[] = [];
  let left = room;
  walk('', value, shown, (field) => {
    fields.push(field);
    left -= field[0].length + field[1].length;
    return left > 0;
  });
  return { fields, leftOut: countLeaves(value) - fields.length };
}

/** Gives each leaf to `take` until that answers false. Answers false when it did. */
function walk(
  path: string,
  value: unknown,
  shown: (text: string) => string,
  take: (field: JsonField) => boolean,
): boolean {
  if (Array.isArray(value) && value.length > 0) {
    return value.every((entry, index) => walk(`${path}[${index}]`, entry, shown, take));
  }
  if (isJsonObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).every(([key, member]) =>
      walk(pathOf(path, shown(key)), member, shown, take),
    );
  }
  return take([path, typeof value === 'string' ? shown(value) : JSON.stringify(value)]);
}

function countLeaves(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let leaves = 0;
  for (const member of Object.values(value)) leaves += countLeaves(member);
  // An empty list or object is a leaf itself.
  return Math.max(1, leaves);
}

/** `context.dinner_time`; a key that could be mistaken for a path is quoted: `context["a.b"]`. */
function pathOf(path: string, key: string): string {
  if (!/^[\p{Letter}_][\p{Letter}\p{Mark}\p{Number}_-]*$/u.test(key))
    return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
