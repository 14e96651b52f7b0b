// How a message spells what its language knows: every member is found in any spelling, and what
// stands there is read or refused. Members that no language knows are left as they are.
import { canonicalJson } from '../lib/canonical-json.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { objectOf, textOf } from './members.ts';

/** Reads what stands at a member, which is not null. The error is a sentence that names it. */
export type Shape = (value: unknown, name: string) => Result<unknown, string>;
type Shapes = Readonly<Record<string, Shape>>;
/** The members that a language knows in one object, by their folded names. */
export type Members = ReadonlyMap<string, { readonly name: string; readonly shape: Shape }>;

/** No longer one is a spelling of anything, and none is repeated in an error. */
const WORD_MAX_CHARACTERS = 64;

export function membersOf(shapes: Shapes): Members {
  return new Map(Object.entries(shapes).map(([name, shape]) => [folded(name), { name, shape }]));
}

/** `In-Reply-To`, `inReplyTo` and `in_reply_to` are one word. */
function folded(said: string): string {
  return said.length > WORD_MAX_CHARACTERS ? said : said.toLowerCase().replaceAll(/[-_:\s]/g, '');
}

/**
 * The object with each member that is known under its own name and in its own form; what else is in
 * it stays as it is. The error is a sentence for whoever wrote it.
 */
export function respelled(
  said: JsonObject,
  members: Members,
  path = '',
): Result<JsonObject, string> {
  const read = new Map<string, unknown>();
  const spellings = new Map<string, string>();
  for (const [key, value] of Object.entries(said)) {
    const member = members.get(folded(key));
    if (member === undefined) {
      read.set(key, value);
      continue;
    }
    const { name, shape } = member;
    if (value === null || value === undefined) {
      if (!read.has(name)) read.set(name, value);
      continue;
    }
    const shaped = shape(value, `${path}${name}`);
    if (!shaped.ok) return shaped;
    const other = spellings.get(name);
    if (other !== undefined && canonicalJson(read.get(name)) !== canonicalJson(shaped.value))
      return err(`"${path}${other}" and "${path}${key}" differ; write "${path}${name}" once`);
    read.set(name, shaped.value);
    spellings.set(name, key);
  }
  return ok(Object.fromEntries(read));
}

/** What stands at the member of this name, in whatever spelling. */
export function spelled(said: unknown, name: string): unknown {
  const wanted = folded(name);
  const found = Object.entries(objectOf(said)).find(
    ([key, value]) => folded(key) === wanted && value !== null,
  );
  return alone(found?.[1]);
}

/** With these members, where it has none of them in any spelling. */
export function completed(said: JsonObject, members: JsonObject): JsonObject {
  const missing = Object.entries(members).filter(
    ([name, value]) => value !== undefined && spelled(said, name) === undefined,
  );
  return { ...said, ...Object.fromEntries(missing) };
}

/** A list of one is one. */
function alone(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

export const anything: Shape = (value) => ok(value);
const one =
  (shape: Shape): Shape =>
  (value, name) =>
    shape(alone(value), name);
const form = (words: string, isSo: (value: unknown) => boolean): Shape =>
  one((value, name) => (isSo(value) ? ok(value) : err(`"${name}" must be ${words}`)));

export const aText = form('text', (value) => typeof value === 'string');
export const anObject = form('an object', isJsonObject);
export const aFlag = form('true or false', (value) => typeof value === 'boolean');
/** One alone is a list, too. */
export function listOfEach(shape: Shape): Shape {
  return (value, name) => {
    const read = (Array.isArray(value) ? value : [value]).map((entry: unknown) =>
      shape(entry, name),
    );
    const values = read.flatMap((entry) => (entry.ok ? [entry.value] : []));
    return read.find(({ ok: isRead }) => !isRead) ?? ok(values);
  };
}
export const aList = listOfEach(anything);
export const aWhole = (least: number): Shape =>
  form(
    `a whole number of ${least} or more`,
    (value) => Number.isSafeInteger(value) && Number(value) >= least,
  );

/** Who sent it may be anybody: the token says who did. */
export const aSender: Shape = one(anything);

/** Whom a message is for. */
export const anAgent: Shape = one((value, name) => {
  const named = namedIn(value);
  return named === ''
    ? err(`"${name}" must name one agent, as text or as {"agent_id": "jules"}`)
    : ok(named);
});

/** One of these words, in any case. */
export function oneOf(...words: readonly string[]): Shape {
  const by = new Map(words.map((one) => [folded(one), one]));
  return one((value, name) => {
    if (typeof value !== 'string') return err(`"${name}" must be one of ${words.join(', ')}`);
    const found = by.get(folded(value));
    if (found !== undefined) return ok(found);
    const wrong = value.slice(0, WORD_MAX_CHARACTERS);
    return err(`"${wrong}" is no ${name}, which must be one of ${words.join(', ')}`);
  });
}

/** An object with these members. */
export function nested(shapes: Shapes): Shape {
  const members = membersOf(shapes);
  return one((value, name) =>
    isJsonObject(value)
      ? respelled(value, members, `${name}.`)
      : err(`"${name}" must be an object`),
  );
}

/** How languages call whom a message is for, and what it answers. */
const RECIPIENTS = ['to', 'receiver', 'receivers', 'recipient', 'recipients'] as const;
const ANSWERED = ['in_reply_to', 'reply_to', 'correlation_id', 'ref'] as const;

/** Refuses the words of other languages for these two, which would go unheard. */
export function otherWords(recipient: string, answered: string): Shapes {
  const refuse =
    (own: string): Shape =>
    (_, name) =>
      err(`"${name}" is not understood here; write "${own}"`);
  return Object.fromEntries([
    ...RECIPIENTS.map((name) => [name, refuse(recipient)] as const),
    ...ANSWERED.map((name) => [name, refuse(answered)] as const),
  ]);
}

const AGENT = membersOf({ agent_id: anything, name: anything });

/**
 * The agent that is named, as text or as an object with an id or a name. null: nobody. "":
 * something else stands there, or two names.
 */
export function namedIn(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const read = respelled(objectOf(value), AGENT);
  if (!read.ok) return '';
  const { agent_id: id = null, name = null } = read.value;
  if (id !== null && name !== null && id !== name) return '';
  return textOf(value) ?? textOf(id) ?? textOf(name) ?? '';
}
