// What a program of an agent with a language printed, as a message of that language: a model is
// shown the request and writes the answer, so the ids that it left out are added here. Pure.
import { randomUUID } from 'node:crypto';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import { dialectOf } from '../dialects/index.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { parseStrictJson } from '../lib/strict-json.ts';
import { DATA_LIMITS } from './fitting-answers.ts';
import type { ProgramEnd } from './program-run.ts';

/** What tells a message of a language, its own id, and what it answers, by what the request has. */
const LANGUAGES = [
  {
    mark: 'mcp_version',
    word: 'performative',
    id: 'message_id',
    answers: ['in_reply_to', 'message_id'],
  },
  { mark: 'performative', word: 'performative', id: null, answers: ['in_reply_to', 'reply_with'] },
  { mark: 'type', word: 'type', id: 'id', answers: ['correlation_id', 'id'] },
  { mark: 'kind', word: 'kind', id: 'id', answers: ['ref', 'id'] },
] as const;

/** undefined: it printed no message of the language in which it was asked. */
export function nativeAnswer(
  { untrusted, envelope }: DeliveryDto,
  end: ProgramEnd,
): JsonObject | undefined {
  const { native } = untrusted;
  if (!isJsonObject(native) || end.exitCode !== 0 || !end.output.isWhole) return undefined;
  const read = parseStrictJson(end.output.text.trim(), DATA_LIMITS);
  if (!read.ok || !isJsonObject(read.value)) return undefined;
  const said = read.value;
  const language = LANGUAGES.find(({ mark }) => mark in native);
  if (language === undefined || typeof said[language.word] !== 'string') return undefined;
  const [member, asked] = language.answers;
  const fresh = randomUUID().slice(0, 8);
  const { mcp_version, conversation_id } = native;
  const message = {
    ...(mcp_version === undefined ? {} : { mcp_version }),
    ...(conversation_id === undefined ? {} : { conversation_id }),
    ...(language.id === null
      ? {}
      : {
          [language.id]: language.mark === 'type' ? `MSG-${envelope.received_at}-${fresh}` : fresh,
        }),
    [member]: native[asked],
    ...said,
  };
  return dialectOf(native)?.detect(message) === true ? message : undefined;
}
