// The card of an agent of elsewhere: where it may stand, what of it people are shown, and the one
// place that is called, which is of the very origin that its owner entered. Pure.
import { createHash } from 'node:crypto';
import type { A2aCardDto } from '../../../preload/contract/a2a.ts';
import { escapeName, escapeText } from '../../core/text-escape.ts';
import { inputError, type AppError } from '../../lib/app-error.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { shortened } from '../../lib/shortened.ts';
import { parseStrictJson } from '../../lib/strict-json.ts';
import {
  DESCRIPTION_MAX_CHARACTERS,
  JSON_BOUNDS,
  NAME_MAX_CHARACTERS,
  SKILLS_SHOWN_MAX,
} from './limits.ts';

const CARD_PATH = '/.well-known/agent-card.json';
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);
export const A2A_VERSION = '1.0';

export interface Card {
  readonly shown: A2aCardDto;
  /** Where it is called. */
  readonly endpoint: string;
}

/**
 * The address of a card, as it was entered: of the card itself, or of the place below which it
 * stands. @param ownPorts where this hub listens @throws AppError bad_request
 */
export function cardAddress(typed: string, ownPorts: readonly number[]): URL {
  const url = URL.canParse(typed) ? new URL(typed) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw unfit('The address of a card begins with http:// or https://.');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw unfit('The address of a card is no more than a place: no name, password or "?".');
  const isHere = LOOPBACK.has(url.hostname);
  if (url.protocol === 'http:' && !isHere)
    throw unfit('Beyond this computer only https:// is called.');
  if (isHere && ownPorts.includes(Number(url.port))) throw unfit('That is this hub itself.');
  if (!url.pathname.endsWith('.json')) url.pathname = url.pathname.replace(/\/*$/, '') + CARD_PATH;
  return url;
}

/** @throws AppError bad_request for what is no card of an agent that this hub could call */
export function readCard(address: URL, bytes: Uint8Array): Card {
  const parsed = parseStrictJson(bytes, JSON_BOUNDS);
  if (!parsed.ok || !isJsonObject(parsed.value))
    throw unfit(`What ${address.host} gives is no card.`);
  const card = parsed.value;
  const { name, description, skills } = card;
  if (typeof name !== 'string' || name.trim() === '')
    throw unfit(`The card of ${address.host} names no agent.`);
  const named = (Array.isArray(skills) ? skills : []).flatMap((skill: unknown) =>
    isJsonObject(skill) && typeof skill.name === 'string' ? [skill.name] : [],
  );
  return {
    endpoint: endpointOf(address, card),
    shown: {
      url: address.href,
      host: address.host,
      leaves_computer: !LOOPBACK.has(address.hostname),
      digest: createHash('sha256').update(canonicalJson(card)).digest('hex'),
      name: shortened(escapeName(name).name, NAME_MAX_CHARACTERS),
      description:
        typeof description === 'string'
          ? shortened(escapeText(description), DESCRIPTION_MAX_CHARACTERS)
          : null,
      skills: named
        .slice(0, SKILLS_SHOWN_MAX)
        .map((one) => shortened(escapeName(one).name, NAME_MAX_CHARACTERS)),
      more_skills: Math.max(0, named.length - SKILLS_SHOWN_MAX),
    },
  };
}

function endpointOf(address: URL, { supportedInterfaces: places }: JsonObject): string {
  const offered = (Array.isArray(places) ? places : []).filter(isJsonObject);
  const fitting = offered.filter(
    ({ protocolBinding: binding, protocolVersion: version }) =>
      binding === 'JSONRPC' && version === A2A_VERSION,
  );
  if (fitting.length === 0)
    throw unfit(`${address.host} does not offer A2A ${A2A_VERSION} over JSON-RPC.`);
  const own = fitting.find(
    ({ url }) => typeof url === 'string' && URL.canParse(url) && isOf(address, new URL(url)),
  );
  if (own === undefined)
    throw unfit(`The card of ${address.host} sends its callers to another place.`);
  return String(own.url);
}

function isOf(address: URL, url: URL): boolean {
  return url.origin === address.origin && url.username === '' && url.password === '';
}

function unfit(sentence: string): AppError {
  return inputError('bad_request', sentence);
}
