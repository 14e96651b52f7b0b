// `payload.origin`: a whole message of a dialect, beside the AXON fields that it stands for
// (PROTOCOL.md, Dialects). Readers of the fields and readers of the message must get the same
// meaning, so the receiving hub reads the message again and compares.
import { canonicalJson } from '../lib/canonical-json.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { err, ok, type Result } from '../lib/result.ts';
import {
  asNotice,
  TASK_ACCEPTED,
  type Dialect,
  type Follows,
  type Rank,
  type Reading,
  type ReadingKind,
} from './dialect.ts';
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
  return readingIn(payload)?.rank;
}

/** The kind of work that a request asks for, where its message names one. */
export function workIn(payload: JsonObject): string | undefined {
  return readingIn(payload)?.work;
}

/** Whether its message is for everybody who can. */
export function isForAll(payload: JsonObject): boolean {
  return readingIn(payload)?.isForAll === true;
}

function readingIn(payload: JsonObject): Reading | undefined {
  const origin = readOrigin(payload);
  const read = origin?.dialect.read(origin.message);
  return read?.ok === true ? read.value : undefined;
}

/** In whose names a message may be written. */
export interface Writers {
  /** The id of the hub that sent it; null: an agent of this one, whose words were checked. */
  readonly hub: string | null;
  /** Those who may have written it; absent: whoever `route.from` names. */
  readonly agents?: readonly string[];
}

/**
 * Whether the fields of a payload are what its origin says, in the name of who sent it. The error
 * is a sentence for whoever sent it.
 */
export function checkOrigin(
  kind: ReadingKind,
  payload: JsonObject,
  writers: Writers = { hub: null },
): Result<void, string> {
  const origin = readOrigin(payload);
  return compare(kind, origin, COMPARED, payload, writers);
}

/** Drops an origin that differs from the fields, or is in the name of somebody else. */
export function withTrueOrigin(
  kind: ReadingKind,
  payload: JsonObject,
  writers: Writers,
): JsonObject {
  return checkOrigin(kind, payload, writers).ok ? payload : withoutOrigin(payload);
}

/** The same of a `response`, which says the outcome as `summary`. */
export function withTrueAnswer(payload: JsonObject, writers: Writers): JsonObject {
  const { data, summary: outcome } = payload;
  const names = ['data', 'outcome', 'error'];
  const checked = compare('result', readOrigin(payload), names, { data, outcome }, writers);
  return checked.ok ? payload : withoutOrigin(payload);
}

function withoutOrigin({ origin: _, ...fields }: JsonObject): JsonObject {
  return fields;
}

/** The same of an `error` in place of a `response`, which says the error as `message`. */
export function checkFailure(payload: JsonObject, writers: Writers): Result<void, string> {
  const { message: error, ...rest } = payload;
  const names = ['data', 'error', 'code', 'retryable'];
  return compare('result', readOrigin(payload), names, { ...rest, error }, writers);
}

function compare(
  kind: ReadingKind,
  origin: Origin | undefined,
  names: readonly string[],
  members: JsonObject,
  { hub, agents }: Writers,
): Result<void, string> {
  if (origin === undefined) return ok();
  const { dialect, message } = origin;
  const read = dialect.read(message, followsIn(kind, members));
  if (!read.ok) return err(`"origin" is no message of ${dialect.name}: ${read.error}`);
  // The asker is told by a notice.
  const value = kind === 'notify' ? asNotice(read.value) : read.value;
  const carried = value.kind === 'accept' ? 'notify' : value.kind;
  if (carried !== kind) return err(`"origin" is a ${carried}, and not a ${kind}`);
  const { payload: said, from } = value;
  const senders = agents ?? [String(objectOf(members['route'])['from'])];
  const isBySender = from === null || senders.some((name) => isNameOf(from, name));
  if (!isBySender && !isIdOf(from, hub)) return err('its sender is not who "origin" says');
  const differs = names.find(
    (name) =>
      !isOneSided(name, said, members) &&
      canonicalJson(valueOf(members, name)) !== canonicalJson(valueOf(said, name)),
  );
  return differs === undefined ? ok() : err(`"${differs}" is not what "origin" says`);
}

/** Whoever sends an answer has what it answers: that it accepts an offer is compared as such. */
function followsIn(kind: ReadingKind, { topic }: JsonObject): Follows {
  if (kind === 'result') return 'offer';
  return kind === 'cancel' || (kind === 'notify' && topic === TASK_ACCEPTED);
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
