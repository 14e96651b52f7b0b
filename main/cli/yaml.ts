// Plain data as YAML 1.2 in blocks. Text is written as JSON writes it, which YAML reads alike but
// for pairs of escapes: no word of anybody's is taken for a number, a comment or the next entry.
// Pure.
import { escapeHiddenInJson } from '../lib/hidden-characters.ts';
import { isJsonObject } from '../lib/json-object.ts';

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/;
/** Keys that YAML reads as something else than text. */
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

/** A longer key stands on a line of its own, behind a mark. */
const KEY_MAX_CHARACTERS = 1_000;
/** YAML takes the halves of a pair for two characters. A backslash that is text is left alone. */
const PAIR_OR_ESCAPE = /\\(?:u(d[89ab]..)\\u(d[c-f]..)|.)/g;

/** The lines of a list or an object. */
export function yamlLines(value: object): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((entry: unknown) => entryLines(entry));
  return Object.entries(value).flatMap(([key, member]) => {
    const name = PLAIN_KEY.test(key) && !WORDS.test(key) ? key : scalar(key);
    const [head, before] =
      name.length > KEY_MAX_CHARACTERS ? [[`? ${name}`], ':'] : [[], `${name}:`];
    const inner = isBlock(member) ? yamlLines(member) : undefined;
    return inner === undefined
      ? [...head, `${before} ${scalar(member)}`]
      : [...head, before, ...indented(inner)];
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
  return escapeHiddenInJson(JSON.stringify(value ?? null)).replaceAll(
    PAIR_OR_ESCAPE,
    (escape: string, high?: string, low?: string) =>
      high === undefined || low === undefined ? escape : `\\U${codeOf(high, low)}`,
  );
}

function codeOf(...halves: readonly string[]): string {
  const units = halves.map((half) => Number.parseInt(half, 16));
  const code = String.fromCharCode(...units).codePointAt(0) ?? 0;
  return code.toString(16).padStart(8, '0');
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}
