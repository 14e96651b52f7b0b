// A model reads some 5,000 tokens at once. Of a longer answer it is given a part, which says what
// of which text is shown and which call shows what follows: nothing is cut in silence. Pure.
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { wholeUntil } from '../lib/shortened.ts';

/** Of an answer as JSON, beside what is said of its parts. */
export const ANSWER_MAX_CHARACTERS = 17_500;
/** Where less would be left for each long text, they are shown as one: their JSON. */
const TEXT_MIN_CHARACTERS = 1_000;
/** What stands in these has keys in the words of others. */
const ANY_JSON: ReadonlySet<string | undefined> = new Set(['payload', 'data', 'context', 'native']);

/** A call of a tool. */
export interface ToolCall {
  readonly tool: string;
  readonly arguments: object;
}

interface TextPart {
  readonly at: string;
  readonly from: number;
  readonly to: number;
  readonly of: number;
  readonly is_json: boolean;
}

/** Where an answer stands that is made of nothing but short texts, too many of them. */
const WHOLE = 'answer';
const SHOWN =
  'Not all of it: of the text that stands at "at", what is shown is from character "from" to "to", of "of". With "is_json" it is the JSON of what stands there.';
const GOES_ON = 'The call in "read_on" shows what follows.';
const HAS_ENDED = 'These were the last parts.';
const STAYS_OUT = 'No tool shows what follows.';

/**
 * @param offset where the texts go on that are shown in parts
 * @param next the call that shows what follows, but for its offset; null: there is none
 */
export function inParts(answer: JsonObject, offset: number, next: ToolCall | null): JsonObject {
  const parts: TextPart[] = [];
  // By the whole texts, so that each call cuts the same ones.
  const fit = (value: unknown, room: number, at: readonly string[]): unknown => {
    if (sizeOf(value) <= room) return value;
    const isText = typeof value === 'string';
    const members = isText || ANY_JSON.has(at.at(-1)) ? [] : Object.entries(value as object); // too long for what is neither
    const share = shareOf(members, room);
    if (share !== undefined) {
      const fitted = members.map(([key, one]) => [key, fit(one, share, [...at, key])] as const);
      return Array.isArray(value) ? fitted.map(([, one]) => one) : Object.fromEntries(fitted);
    }
    const text = isText ? value : JSON.stringify(value);
    const from = wholeUntil(text, Math.min(offset, text.length));
    const shown = thatFits(text, from, room);
    const to = from + shown.length;
    parts.push({ at: at.join('.') || WHOLE, from, to, of: text.length, is_json: !isText });
    return shown;
  };
  const shown = fit(answer, ANSWER_MAX_CHARACTERS, []);
  if (parts.length === 0) return answer;
  const ends = parts.filter(({ to, of }) => to < of).map(({ to }) => to);
  const follows = ends.length === 0 ? HAS_ENDED : next === null ? STAYS_OUT : GOES_ON;
  return {
    part: {
      note: `${SHOWN} ${follows}`,
      texts: parts,
      read_on:
        next === null || ends.length === 0
          ? null
          : { ...next, arguments: { ...next.arguments, offset: Math.min(...ends) } },
    },
    ...(isJsonObject(shown) ? shown : { [WHOLE]: shown }),
  };
}

function sizeOf(value: unknown): number {
  return (JSON.stringify(value) ?? '').length; // of undefined there is none
}

/** What each member may have, so that short ones stay whole; undefined: too little to be read. */
function shareOf(
  members: readonly (readonly [string, unknown])[],
  room: number,
): number | undefined {
  const sizes = members.map(([, value]) => sizeOf(value)).toSorted((one, other) => one - other);
  let left = room - 2 - members.reduce((sum, [key]) => sum + sizeOf(key) + 2, 0);
  for (const [index, size] of sizes.entries()) {
    const share = Math.floor(left / (sizes.length - index));
    if (size > share) return share < TEXT_MIN_CHARACTERS ? undefined : share;
    left -= size;
  }
  return undefined;
}

/** What of the text fits from there on, as JSON. */
function thatFits(text: string, from: number, room: number): string {
  let left = room - 2;
  let to = from;
  while (to < text.length) {
    const character = String.fromCodePoint(text.codePointAt(to) ?? 0);
    left -= JSON.stringify(character).length - 2;
    if (left < 0) break;
    to += character.length;
  }
  return text.slice(from, to);
}
