// Plain data as YAML 1.2 in blocks. Text is written as JSON writes it, which YAML reads alike: no
// word of anybody's is taken for a number, a comment or the next entry. Pure.
import { escapeHiddenInJson } from '../lib/hidden-characters.ts';
import { isJsonObject } from '../lib/json-object.ts';

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/;
/** Keys that YAML reads as something else than text. */
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

/** The lines of a list or an object. */
export function yamlLines(value: object): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((entry: unknown) => entryLines(entry));
  return Object.entries(value).flatMap(([key, member]) => {
    const name = PLAIN_KEY.test(key) && !WORDS.test(key) ? key : scalar(key);
    const inner = isBlock(member) ? yamlLines(member) : undefined;
    return inner === undefined ? [`${name}: ${scalar(member)}`] : [`${name}:`, ...indented(inner)];
  });
}

function entryLines(entry: unknown): readonly string[] {
  if (!isBlock(entry)) return [`- ${scalar(entry)}`];
  const [first = '', ...rest] = yamlLines(entry);
  return [`- ${first}`, ...indented(rest)];
}

/** What has members; an empty list or object stands on its line. */
function isBlock(value: unknown): value is object {
  return Array.isArray(value)
    ? value.length > 0
    : isJsonObject(value) && Object.keys(value).length > 0;
}

function scalar(value: unknown): string {
  return escapeHiddenInJson(JSON.stringify(value ?? null));
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}
