// `payload.origin`: a whole message of a dialect, beside the AXON fields that it stands for
// (PROTOCOL.md, Dialects). Readers of the fields and readers of the message must get the same
// meaning, so the receiving hub reads the message again and compares.
import { canonicalJson } from '../lib/canonical-json.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { asNotice, type Dialect, type Rank, type ReadingKind } from './dialect.ts';
import { dialectNamed } from './index.ts';
import { isNameOf, objectOf } from './members.ts';

export interface Origin {
  readonly dialect: Dialect;
  readonly message: JsonObject;
}

/** Members by which an agent would act, or a person decide. The others are the hub's own. */
const COMPARED = [
  'task',
  'question',
  'context',
  'domain',
  'topic',
  'priority',
  'reason',
  'act',
  'options',
  'recommendation',
  'max_tokens',
  'data',
  'importance',
  'status',
  'outcome',
  'error',
  'code',
  'retryable',
] as const;

export function originOf({ dialect, message }: Origin): JsonObject {
  return { dialect: dialect.name, message };
}

/** undefined: there is none, or this hub does not know its dialect. */
export function readOrigin(payload: JsonObject): Origin | undefined {
  const { origin } = payload;
  if (!isJsonObject(origin) || !isJsonObject(origin['message'])) return undefined;
  const dialect = dialectNamed(origin['dialect']);
  return dialect === undefined ? undefined : { dialect, message: origin['message'] };
}

/** The rank of a request, where its message gives it one. */
export function rankIn(payload: JsonObject): Rank | undefined {
  const origin = readOrigin(payload);
  const read = origin?.dialect.read(origin.message);
  return read?.ok === true ? read.value.rank : undefined;
}

/**
 * Whether the fields of a payload are what its origin says. The error is a sentence for whoever
 * sent it.
 * @param hub the id of the hub that sent it; null: an agent of this one, whose words were checked
 */
export function checkOrigin(
  kind: ReadingKind,
  payload: JsonObject,
  hub: string | null = null,
): Result<void, string> {
  const origin = readOrigin(payload);
  return compare(kind, origin, COMPARED, payload, hub);
}

/** Drops an origin that differs from the fields. */
export function withTrueOrigin(
  kind: ReadingKind,
  payload: JsonObject,
  hub: string | null = null,
): JsonObject {
  if (checkOrigin(kind, payload, hub).ok) return payload;
  const { origin: _, ...fields } = payload;
  return fields;
}

/** The same of a `response`, which says the outcome as `summary`. */
export function checkAnswer(payload: JsonObject): Result<void, string> {
  const { data, summary: outcome } = payload;
  return compare('result', readOrigin(payload), ['data', 'outcome', 'error'], { data, outcome });
}

/** The same of an `error` in place of a `response`, which says the error as `message`. */
export function checkFailure(payload: JsonObject): Result<void, string> {
  const { message: error, ...rest } = payload;
  const names = ['data', 'error', 'code', 'retryable'];
  return compare('result', readOrigin(payload), names, { ...rest, error });
}

function compare(
  kind: ReadingKind,
  origin: Origin | undefined,
  names: readonly string[],
  members: JsonObject,
  hub: string | null = null,
): Result<void, string> {
  if (origin === undefined) return ok();
  const { dialect, message } = origin;
  const read = dialect.read(message, kind === 'result' || kind === 'cancel');
  if (!read.ok) return err(`"origin" is no message of ${dialect.name}: ${read.error}`);
  // The asker is told by a notice.
  const value = kind === 'notify' ? asNotice(read.value) : read.value;
  const carried = value.kind === 'accept' ? 'notify' : value.kind;
  if (carried !== kind) return err(`"origin" is a ${carried}, and not a ${kind}`);
  const { payload: said, from } = value;
  const sender = objectOf(members['route'])['from'];
  const isBySender = kind !== 'result' && kind !== 'cancel';
  if (isBySender && from !== null && !isNameOf(from, String(sender)) && !isIdOf(from, hub))
    return err('"route.from" is not who "origin" says');
  const differs = names.find(
    (name) =>
      !isOneSided(name, said, members) &&
      canonicalJson(valueOf(members, name)) !== canonicalJson(valueOf(said, name)),
  );
  return differs === undefined ? ok() : err(`"${differs}" is not what "origin" says`);
}

/**
 * Whoever is not named is looked for by an area that the message need not know. Not every language
 * says whether to try again, and no hub did before.
 */
function isOneSided(name: string, said: JsonObject, members: JsonObject): boolean {
  if (name === 'domain') return said[name] === undefined;
  return name === 'retryable' && [said[name], members[name]].includes(undefined);
}

/** The id of a hub, with or without the type of its key. */
const HUB_ID = /^(?:ed25519\.)?([0-9a-f]{32})$/;

function isIdOf(said: string, hub: string | null): boolean {
  const digits = HUB_ID.exec(said)?.[1];
  return digits !== undefined && (hub === null || hub.endsWith(`.${digits}`));
}

/** What a member means where it is left out. */
const ABSENT: JsonObject = { priority: 'normal', importance: 'low' };

function valueOf(members: JsonObject, name: string): unknown {
  return members[name] ?? ABSENT[name] ?? null;
}
