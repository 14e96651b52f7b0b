// What another hub says of a refusal, for a terminal: aside from this hub's own sentence, as words of somebody else that nobody checked. It must
// never let them begin a line, end their own quotes, or name commands in this program's voice.
import type { Problem } from '../../preload/contract/errors.ts';
import { ownLine } from './slip.ts';

/** A few sentences: with --json all of it can be read. */
const SAID_MAX_CHARACTERS = 500;
const ENDS_QUOTES = /[“”„‟]/gu;

/**
 * One sentence, in as many lines as there is room for; none where the other hub said nothing, or this hub refused by itself.
 * @param room columns @returns lines to be escaped like all others
 */
export function wordsThere({ data }: Problem, room: number): readonly string[] {
  const said = messageOf(data?.['untrusted']).trim();
  if (said === '') return [];
  const characters = [...said];
  const shown = characters.length > SAID_MAX_CHARACTERS ? `${characters.slice(0, SAID_MAX_CHARACTERS - 1).join('')}…` : said;
  return ownLine(`It says, not checked: “${shown.replaceAll(ENDS_QUOTES, '"')}”`, room);
}

function messageOf(untrusted: unknown): string {
  if (typeof untrusted !== 'object' || untrusted === null || !('message' in untrusted)) return '';
  return typeof untrusted.message === 'string' ? untrusted.message : '';
}
