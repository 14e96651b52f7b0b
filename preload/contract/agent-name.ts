// How names are read and typed: an agent's handle where nobody named it, and which name or agent a
// person means. One place, so that pages, terminals and the hub say the same. Pure.
import { AGENT_NAME } from './formats.ts';

/** Words that their makers write in another way. */
const OWN_SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['cli', 'CLI'],
  ['openclaw', 'OpenClaw'],
  ['opencode', 'opencode'],
]);

/** "claude-code" as "Claude Code". What is no handle stands as it is. */
export function readableHandle(handle: string): string {
  if (!AGENT_NAME.test(handle)) return handle;
  const words = handle.split(/[._-]/);
  return words
    .map((word) => OWN_SPELLINGS.get(word) ?? word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

/** Words of somebody else that stand in quotes of ours, which they must not close. */
export function inQuotes(said: string): string {
  return said.replaceAll(/["“”„]/gu, "'");
}

/**
 * Two names are the same when typed if their folded forms are equal: in any case, with straight or
 * curly apostrophes, quotes and dashes, and with or without joiners and the like, which nobody
 * sees.
 */
export function foldName(name: string): string {
  return name
    .replace(/[\u2018\u2019\u201b\u2032\u02bc\u00b4`]/gu, "'")
    .replace(/[\u201c\u201d\u201e\u2033]/gu, '"')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Pd}/gu, '-')
    .replace(/\s+/gu, ' ')
    .trim();
}

/**
 * An agent may be named by its handle, by the name that it was connected under, or as people read
 * it; undefined: it is none of these.
 */
export function handleMeant(
  typed: string,
  agents: readonly {
    readonly name: string;
    readonly asked?: string;
    readonly shown: string;
  }[],
): string | undefined {
  return (
    agents.find(({ name }) => name === typed) ??
    agents.find(({ asked }) => asked === typed) ??
    agents.find(({ shown }) => foldName(shown) === foldName(typed))
  )?.name;
}
