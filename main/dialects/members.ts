// Reads members of an unchecked message. A member of the wrong type counts as absent.
import { foldName } from '../../preload/contract/agent-name.ts';
import { utcTime } from '../lib/csv.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** Whether it is the handle or reads like it: "DataAnalyzer" is "data-analyzer". */
export function isNameOf(said: string, handle: string): boolean {
  const joined = (text: string): string => foldName(text).replaceAll(/[\s._-]+/g, '');
  return said.length <= handle.length * 2 && joined(said) === joined(handle);
}

/** Whom a name means: the handle that it is, or else all that read like it. */
export function meantBy(said: string, handles: readonly string[]): readonly string[] {
  return handles.includes(said) ? [said] : handles.filter((handle) => isNameOf(said, handle));
}

/** The first of these members that says something. */
export function firstText(members: JsonObject, ...names: readonly string[]): string | null {
  return names.map((name) => textOf(members[name])).find((text) => text !== null) ?? null;
}

/** The entry that this word names; anything else names none. */
export function entryOf<Entry>(
  table: Readonly<Record<string, Entry>>,
  word: unknown,
): Entry | undefined {
  return typeof word === 'string' && Object.hasOwn(table, word) ? table[word] : undefined;
}

export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function wholeOf(value: unknown, least: number, most: number): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least
    ? Math.min(value, most)
    : null;
}

/** The members of these names that are there. */
export function picked(members: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(members, name)).map((name) => [name, members[name]]),
  );
}

/** Leaves out what is null, undefined or an object without members. */
export function given(members: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) =>
        value !== undefined &&
        value !== null &&
        !(isJsonObject(value) && Object.keys(value).length === 0),
    ),
  );
}

/** Up to six words with dots between, made of any text; null where nothing is left. */
export function topicFrom(text: string): string | null {
  const words = text
    .toLowerCase()
    .split(/[./:]+/)
    .map((word) => word.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, ''))
    .filter((word) => word !== '');
  const topic = words.slice(0, 6).join('.');
  return topic === '' || topic.length > 64 ? null : topic;
}

export function toIso(ms: number): string {
  return `${utcTime(ms).replace(' ', 'T')}Z`;
}
