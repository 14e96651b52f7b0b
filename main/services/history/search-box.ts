// Parses the text of the search box: words, quoted phrases, and filters such as `from:mum
// outcome:declined before:2026-10-01`. Pure.
import { localDay } from '../../../preload/contract/local-day.ts';
import { OUTCOMES, type Outcome } from '../tasks/outcome.ts';
import { type AppError, inputError } from '../../lib/app-error.ts';
import { indexWordsOf, textWords, type IndexWord, type TextWord } from '../../lib/text-words.ts';
import { BEGINNING_MIN_CHARACTERS, SEARCH_WORDS_MAX } from './limits.ts';

export type BoxWord = TextWord & IndexWord;

export interface SearchBox {
  /** Words that stand beside each other, in this order; each of them at least once. */
  readonly phrases: readonly (readonly BoxWord[])[];
  /** What the index is asked for to find them. */
  readonly indexed: readonly IndexWord[];
  /** Names as they were typed. */
  readonly from: string | null;
  readonly to: string | null;
  /** Who decided: a person, a hub or a rule, or the word "rule". */
  readonly by: string | null;
  /** Kinds of messages. */
  readonly kinds: readonly string[] | null;
  readonly outcome: Outcome | null;
  /** Wall clock, ms since 1970; from that moment on, and up to it. */
  readonly after: number | null;
  readonly before: number | null;
}

const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  question: ['query'],
  task: ['delegate'],
  answer: ['response', 'result'],
  notice: ['notify'],
  cancel: ['cancel'],
  failure: ['error'],
};
const PART =
  /(from|to|by|action|outcome|before|after):\s*(?:"([^"]*)"|(\S+))|"([^"]*)"?|[^\s"]+/giu;

/** @throws AppError bad_request, with what to type instead */
export function readSearchBox(typed: string): SearchBox {
  const filters = new Map<string, string>();
  const phrases: BoxWord[][] = [];
  for (const match of typed.matchAll(PART)) {
    const [all, name, quoted, plain, phrase] = match;
    if (name !== undefined) {
      const filter = name.toLowerCase();
      if (filters.has(filter)) throw refused(`"${filter}:" stands there twice.`);
      filters.set(filter, quoted ?? plain ?? '');
      continue;
    }
    const words = [...textWords(phrase ?? all)].map((word) => ({ ...word, isBeginning: false }));
    const last = words.at(-1);
    // What is still being typed.
    const isTyped = match.index + all.length === typed.length && !all.startsWith('"');
    if (last !== undefined && isTyped && mayBegin(last))
      words.splice(-1, 1, { ...last, isBeginning: true });
    if (words.length > 0) phrases.push(words);
    if (phrases.flat().filter(({ isJoined }) => !isJoined).length > SEARCH_WORDS_MAX)
      throw refused(`A search has at most ${SEARCH_WORDS_MAX} words.`);
  }
  if (phrases.length === 0 && filters.size === 0)
    throw refused('There is no word in it to search for.');
  const action = oneOf(Object.keys(ACTIONS), 'action', filters);
  return {
    phrases,
    indexed: phrases.flatMap(indexWordsOf).slice(0, SEARCH_WORDS_MAX),
    from: filters.get('from') ?? null,
    to: filters.get('to') ?? null,
    by: filters.get('by') ?? null,
    kinds: action === null ? null : (ACTIONS[action] ?? null),
    outcome: oneOf(OUTCOMES, 'outcome', filters),
    after: dayOf('after', filters),
    before: dayOf('before', filters),
  };
}

/** A short word begins too many longer ones; not so a pair of units. */
function mayBegin({ word, isJoined }: BoxWord): boolean {
  return isJoined || [...word].length >= BEGINNING_MIN_CHARACTERS;
}

function oneOf<Word extends string>(
  words: readonly Word[],
  name: string,
  filters: ReadonlyMap<string, string>,
): Word | null {
  const typed = filters.get(name);
  if (typed === undefined) return null;
  const found = words.find((word) => word === typed.toLowerCase());
  if (found !== undefined) return found;
  throw refused(`"${name}:" takes one of these: ${words.join(', ')}.`);
}

/** The beginning of a day or a month, by the clock of this computer. */
function dayOf(name: string, filters: ReadonlyMap<string, string>): number | null {
  const typed = filters.get(name);
  if (typed === undefined) return null;
  const at = localDay(typed);
  if (at !== undefined) return at;
  throw refused(`"${name}:" takes a day or a month, such as 2026-05-31 or 2026-05.`);
}

function refused(message: string): AppError {
  return inputError('bad_request', message, {
    hint: 'Type words, "words in this order", and from: to: by: action: outcome: before: after:.',
  });
}
