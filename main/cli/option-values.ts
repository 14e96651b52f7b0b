// Reads the values of options that several commands take, from the words on the command line. Calls
// no hub and prints nothing.
import { InvalidArgumentError } from 'commander';
import { DOMAIN_NAME } from '../../preload/contract/formats.ts';
import { EXAMPLE_MAX_CHARACTERS } from '../../preload/contract/limits.ts';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { isLenientJson, parseStrictJson } from '../lib/strict-json.ts';

/** An option that may be given several times. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** An area that this hub keeps: its own agents offer it, its rules name it. */
export function domainName(text: string): string {
  if (DOMAIN_NAME.test(text)) return text;
  throw new InvalidArgumentError(
    'It must be up to six lower-case words with dots between, like family.chat.',
  );
}

/** What an agent does: a domain, and after "=" a request that it would take; none removes it. */
export type OfferedDomain = string | { readonly domain: string; readonly example: string };

/** An option that may be given several times. */
export function collectOffers(value: string, before: OfferedDomain[] = []): OfferedDomain[] {
  const at = value.indexOf('=');
  if (at < 0) return [...before, domainName(value)];
  const example = value.slice(at + 1).trim();
  if (example.length > EXAMPLE_MAX_CHARACTERS)
    throw new InvalidArgumentError(
      `The example after "=" must have at most ${EXAMPLE_MAX_CHARACTERS} characters.`,
    );
  return [...before, { domain: domainName(value.slice(0, at).trim()), example }];
}

export function nameOfOffer(offer: OfferedDomain): string {
  return typeof offer === 'string' ? offer : offer.domain;
}

/** What a command line can hold; the hub has the last word. */
const JSON_LIMITS = {
  sizeMaxBytes: 1_000_000,
  depthMax: 64,
  nodesMax: 100_000,
  keysPerObjectMax: 10_000,
} as const;

/**
 * JSON, else the text itself. Throws InvalidArgumentError for what begins as JSON and would not
 * arrive as it is.
 */
export function readData(text: string): unknown {
  const read = parseStrictJson(text, JSON_LIMITS);
  if (read.ok) return read.value;
  if (!/^\s*[{["]/.test(text) && !isLenientJson(text)) return text;
  throw new InvalidArgumentError(
    `It begins as JSON, but ${read.error}. Mend that, or send a text as a JSON string, like "\\"Milk\\" is out".`,
  );
}

/** Throws InvalidArgumentError, as the others here do: commander says it with the option's name. */
export function jsonObject(text: string): JsonObject {
  const read = parseStrictJson(text, JSON_LIMITS);
  if (read.ok && isJsonObject(read.value)) return read.value;
  const why = read.ok ? '' : ` Here ${read.error}.`;
  throw new InvalidArgumentError(`It must be a JSON object, like {"when":"Friday"}.${why}`);
}

/** Zero or more. */
export function wholeNumber(text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

/** Reads a whole number from `least` to `most`. */
export function wholeNumberFrom(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = wholeNumber(text);
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

/** Seconds, to the millisecond. */
export function seconds(text: string): number {
  if (/^[0-9]{1,6}(?:\.[0-9]{1,3})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number of seconds.');
}

/** Seconds, more than none and no more than a day. */
export function deadlineSeconds(text: string): number {
  const value = seconds(text);
  if (value > 0 && value <= 86_400) return value;
  throw new InvalidArgumentError(
    'It must be more than 0 and at most 86400 seconds, which is a day.',
  );
}
