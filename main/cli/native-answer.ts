// What a program of an agent with a language printed, as a message of that language: a model is
// shown the request and writes the answer, so the ids that it left out are added here. Pure.
import { randomUUID } from 'node:crypto';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import { dialectOf } from '../dialects/index.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { parseStrictJson } from '../lib/strict-json.ts';
import { DATA_LIMITS } from './fitting-answers.ts';
import type { ProgramEnd } from './program-run.ts';

/** undefined: it printed no message of the language in which it was asked. */
export function nativeAnswer(
  { untrusted, envelope }: DeliveryDto,
  end: ProgramEnd,
): JsonObject | undefined {
  const { native } = untrusted;
  if (!isJsonObject(native) || end.exitCode !== 0 || !end.output.isWhole) return undefined;
  const read = parseStrictJson(end.output.text.trim(), DATA_LIMITS);
  if (!read.ok || !isJsonObject(read.value)) return undefined;
  const fresh = randomUUID().slice(0, 8);
  const ids = { fresh, at: envelope.received_at, asked: envelope.id };
  return dialectOf(native)?.complete(read.value, native, ids);
}
