// What a program of an agent with a language printed, as a message of that language: a model is
// shown the request and writes the answer, so the ids that it left out are added here. Pure.
import { randomUUID } from 'node:crypto';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import { ACCEPT_PROPOSAL, followsOf, HAND_OFF, type Reading } from '../dialects/dialect.ts';
import { dialectOf } from '../dialects/index.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { parseStrictJson } from '../lib/strict-json.ts';
import { DATA_LIMITS } from './fitting-answers.ts';
import type { ProgramEnd } from './program-run.ts';

/** Whether it is answered as often as there is something to say. */
export function lasts({ kind, untrusted: { native } }: DeliveryDto): boolean {
  if (kind !== 'delegate' || !isJsonObject(native)) return false;
  const read = dialectOf(native)?.read(native);
  return read?.ok === true && read.value.isLasting === true;
}

/** Whether it answers this request, and asks for nothing and tells nobody else. */
export function isAnswer(item: DeliveryDto, message: JsonObject): boolean {
  const kind = readAbout(item, message)?.kind;
  return kind === 'result' || kind === 'accept';
}

/** Whether it gives this task to another agent, whose answer ends it. */
export function isHandOff(item: DeliveryDto, message: JsonObject): boolean {
  return item.kind === 'delegate' && readAbout(item, message)?.payload['act'] === HAND_OFF;
}

/** Whether it neither answers nor hands on; what cannot be read the hub refuses, and says why. */
export function answersNothing(item: DeliveryDto, message: JsonObject): boolean {
  return (
    readSaid(item, message) !== undefined && !isAnswer(item, message) && !isHandOff(item, message)
  );
}

/** undefined: it cannot be read, or does not name this request. */
function readAbout(item: DeliveryDto, message: JsonObject): Reading | undefined {
  const { untrusted, envelope } = item;
  const { native } = untrusted;
  const asked = isJsonObject(native) ? dialectOf(native)?.read(native) : undefined;
  const said = readSaid(item, message);
  if (asked?.ok !== true || said === undefined || said.replyTo === null) return undefined;
  const { act } = asked.value.payload;
  // What it was handed on from, or accepts, names this, too.
  const before = act === HAND_OFF || act === ACCEPT_PROPOSAL ? asked.value.replyTo : null;
  return [...asked.value.ids, envelope.id, before].includes(said.replyTo) ? said : undefined;
}

/** undefined: it cannot be read. */
function readSaid({ untrusted }: DeliveryDto, message: JsonObject): Reading | undefined {
  const { native, payload } = untrusted;
  if (!isJsonObject(native)) return undefined;
  const read = dialectOf(native)?.read(message, followsOf(payload));
  return read?.ok === true ? read.value : undefined;
}

/** undefined: it printed no message of the language in which it was asked. */
export function nativeAnswer(item: DeliveryDto, end: ProgramEnd): JsonObject | undefined {
  return end.exitCode === 0 && end.output.isWhole ? nativeIn(item, end.output.text) : undefined;
}

/** The same of a part of what it printed. */
export function nativeIn(
  { untrusted, envelope }: DeliveryDto,
  printed: string,
): JsonObject | undefined {
  const { native } = untrusted;
  if (!isJsonObject(native)) return undefined;
  const read = parseStrictJson(printed.trim(), DATA_LIMITS);
  if (!read.ok || !isJsonObject(read.value)) return undefined;
  const fresh = randomUUID().slice(0, 8);
  const ids = { fresh, at: envelope.received_at, asked: envelope.id };
  return dialectOf(native)?.complete(read.value, native, ids);
}
