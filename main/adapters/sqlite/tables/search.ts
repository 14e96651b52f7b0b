// Table `search`: which words stand in which message, an index of FTS5 that holds no text. It is
// behind the messages: a crash only means that some are taken in again.
import { assert } from '../../../lib/assert.ts';
import { indexWords, TEXT_WORDS_VERSION, type IndexWord } from '../../../lib/text-words.ts';
import { saidIn, searchedIn } from '../../../ports/said-words.ts';
import type { SearchReads, SearchWrites } from '../../../ports/search.ts';
import type { MessageRow, Reads, TaskRow } from '../../../ports/store.ts';
import { idValue, integer, longText, nullable } from '../columns.ts';
import { SEARCH_MERGE_PAGES } from '../limits.ts';
import { pageLimit } from '../page.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';
import { IS_SAID_WITH_AGENT, MESSAGE } from './messages.ts';
import { metaReads, metaWrites } from './meta.ts';

const SEQ = new RowMapper<{ readonly seq: number }>({ seq: integer('seq') });
const PLACE = new RowMapper<{ readonly seq: number; readonly at: number }>({
  seq: integer('seq'),
  at: integer('at'),
});
type Words = Pick<TaskRow, 'payload' | 'result'>;
const TASK_WORDS = new RowMapper<Words>({
  payload: longText('payload'),
  result: nullable(longText('result')),
});

export const SEARCH_QUERIES = {
  withWords:
    'SELECT rowid AS seq FROM search WHERE search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
  all: 'SELECT seq FROM said WHERE seq < ? ORDER BY seq DESC LIMIT ?',
  at: `SELECT ${MESSAGE.columns} FROM said WHERE seq = ?`,
  atOfAgent: `SELECT ${MESSAGE.columns} FROM said WHERE seq = ? AND ${IS_SAID_WITH_AGENT}`,
  /** The latest by its time, whatever the clock said in between. */
  messageBefore: `SELECT ${PLACE.columns} FROM messages WHERE at < ? ORDER BY at DESC, seq DESC LIMIT 1`,
  requestBefore: `SELECT seq, received_at AS at FROM tasks WHERE purged_at IS NULL AND received_at < ?
    AND seq > (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'exchanges_after') ORDER BY received_at DESC, seq DESC LIMIT 1`,
  /** The last number that anything said was given, whether it is still there or not. */
  newest: "SELECT seq FROM sqlite_sequence WHERE name = 'messages'",
  unindexed: `SELECT seq FROM said WHERE seq > ? AND seq < ?
    AND ((direction <> 'in' AND from_agent = ?) OR (direction <> 'out' AND to_agent = ?)) ORDER BY seq DESC`,
  older: `SELECT ${MESSAGE.columns} FROM said WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
  newer: `SELECT ${MESSAGE.columns} FROM said WHERE seq > ? ORDER BY seq LIMIT ?`,
  taskWords: `SELECT ${TASK_WORDS.columns} FROM tasks WHERE id = ?`,
} as const;

const WORD = /^[\p{L}\p{M}\p{N}\p{Co}]+$/u;
/** Messages of everybody that one step looks at where the index does not know whose they are. */
const UNINDEXED_STEP = 500;
/** Before the number of an agent: no word of a text has it. */
const OF_AGENT = '§';
const PUT = 'INSERT OR REPLACE INTO search (rowid, words) VALUES (?, ?)';
/** A negative number of pages begins to make one piece of all, a positive one goes on with it. */
const MERGE = "INSERT INTO search (search, rank) VALUES ('merge', ?)";
const CHANGES = 'SELECT total_changes()';
/** Up to which seq messages were taken in; and whether what was removed is to be cleared. */
const UP_TO = 'search';
const CLEARING = 'search_clearing';
/**
 * By which rules messages are taken in; and where an older hub did it by others, from which seq on
 * it was done again.
 */
const RULES = 'search_rules';
const AGAIN = 'search_again';
/** Of what stands in the index besides the words of a message, and of the words. */
const RULES_VERSION = `agents+topics+decisions/${TEXT_WORDS_VERSION}`;

export function searchReads(statements: Statements): SearchReads & Pick<Reads, 'messageAt'> {
  const { getMeta } = metaReads(statements);
  return {
    seqsWithWords: (words, { beforeSeq, limit }) => {
      const asked = words.map(matching).join(' AND ');
      const rows =
        asked === ''
          ? statements.all(SEQ, SEARCH_QUERIES.all, beforeSeq, pageLimit(limit))
          : statements.all(SEQ, SEARCH_QUERIES.withWords, asked, beforeSeq, pageLimit(limit));
      return seqsOf(rows);
    },
    seqsOfAgent: (agent, words, { beforeSeq, limit }) => {
      const known = statements.knownNumber(agent);
      const newest = statements.one(SEQ, SEARCH_QUERIES.newest)?.seq ?? 0;
      const end = Math.min(beforeSeq, newest + 1);
      const upTo = Number(getMeta(UP_TO) ?? 0);
      const currentFrom = getMeta(RULES) === RULES_VERSION ? Number(getMeta(AGAIN) ?? 0) : upTo + 1;
      if (end > upTo + 1 || end <= currentFrom) {
        const after = Math.max(end > upTo + 1 ? upTo : 0, end - 1 - UNINDEXED_STEP);
        const rows = statements.all(SEQ, SEARCH_QUERIES.unindexed, after, end, known, known);
        return { seqs: seqsOf(rows), next: after === 0 ? null : after + 1 };
      }
      const asked = [`"${agentWord(known)}"`, ...words.flatMap(narrowing)].join(' AND ');
      const rows = statements.all(SEQ, SEARCH_QUERIES.withWords, asked, end, pageLimit(limit));
      const seqs = seqsOf(rows).filter((seq) => seq >= currentFrom);
      if (seqs.length === pageLimit(limit)) return { seqs, next: seqs.at(-1) ?? null };
      return { seqs, next: currentFrom > 1 ? currentFrom : null };
    },
    messageAt: (seq, agent) => {
      if (agent === null) return statements.one(MESSAGE, SEARCH_QUERIES.at, seq);
      const known = statements.knownNumber(agent);
      return statements.one(MESSAGE, SEARCH_QUERIES.atOfAgent, seq, known, known, known, known);
    },
    seqBefore: (at) => {
      const message = statements.one(PLACE, SEARCH_QUERIES.messageBefore, at);
      const request = statements.one(PLACE, SEARCH_QUERIES.requestBefore, at);
      if (message === undefined || request === undefined) return (message ?? request)?.seq ?? 0;
      return message.at > request.at ? message.seq : request.seq;
    },
    isSearchBehind: () => {
      const upTo = Number(getMeta(UP_TO) ?? 0);
      return (
        (statements.one(SEQ, SEARCH_QUERIES.newest)?.seq ?? 0) > upTo ||
        (upTo > 0 && getMeta(RULES) !== RULES_VERSION) ||
        Number(getMeta(AGAIN) ?? 0) > 0 ||
        (getMeta(CLEARING) ?? '') !== ''
      );
    },
  };
}

export function searchWrites(statements: Statements): SearchWrites {
  const { getMeta } = metaReads(statements);
  const { setMeta } = metaWrites(statements);
  const taskOf = (id: string): Words | undefined =>
    statements.one(TASK_WORDS, SEARCH_QUERIES.taskWords, idValue(id));
  const put = (message: MessageRow, wordsOf: typeof taskOf): void => {
    const task =
      message.payload !== null || message.taskId === null ? undefined : wordsOf(message.taskId);
    const { direction, fromAgent, toAgent } = message;
    const words = new Set(indexWords(searchedIn(saidIn(message, task))));
    for (const agent of [
      direction === 'in' ? null : fromAgent,
      direction === 'out' ? null : toAgent,
    ])
      if (agent !== null) words.add(agentWord(statements.knownNumber(agent)));
    if (words.size > 0) statements.run(PUT, message.seq, [...words].join(' '));
  };
  const putAll = (messages: readonly MessageRow[]): void => {
    // A question and its answer mostly follow each other.
    let last: { readonly id: string; readonly words: Words | undefined } | undefined;
    const wordsOf = (id: string): Words | undefined => {
      if (last?.id !== id) last = { id, words: taskOf(id) };
      return last.words;
    };
    for (const message of messages) put(message, wordsOf);
  };
  const takeIn = (limit: number): boolean => {
    const upTo = Number(getMeta(UP_TO) ?? 0);
    if (getMeta(RULES) !== RULES_VERSION) {
      setMeta(RULES, RULES_VERSION);
      setMeta(AGAIN, upTo === 0 ? '' : String(upTo + 1));
    }
    const messages = statements.all(MESSAGE, SEARCH_QUERIES.newer, upTo, pageLimit(limit));
    putAll(messages);
    const isAll = messages.length < pageLimit(limit);
    const newest = statements.one(SEQ, SEARCH_QUERIES.newest)?.seq ?? 0;
    const reached = isAll ? newest : (messages.at(-1)?.seq ?? upTo);
    if (reached !== upTo) setMeta(UP_TO, String(reached));
    return messages.length > 0;
  };
  const takeInAgain = (limit: number): boolean => {
    const before = Number(getMeta(AGAIN) ?? 0);
    if (before === 0) return false;
    const messages = statements.all(MESSAGE, SEARCH_QUERIES.older, before, pageLimit(limit));
    putAll(messages);
    setMeta(AGAIN, String(messages.at(-1)?.seq ?? ''));
    // What they had before is of no use any more.
    if (messages.length === 0) clearSearch();
    return true;
  };
  const clearSearch = (): void => setMeta(CLEARING, 'begin');
  const clear = (): boolean => {
    const stage = getMeta(CLEARING) ?? '';
    if (stage === '') return false;
    const before = Number(statements.value(CHANGES));
    statements.run(MERGE, stage === 'begin' ? -SEARCH_MERGE_PAGES : SEARCH_MERGE_PAGES);
    // FTS5: fewer than two changes say that there was nothing to do.
    const isOver = Number(statements.value(CHANGES)) - before < 2;
    setMeta(CLEARING, isOver ? '' : 'on');
    return !isOver;
  };
  return {
    tendSearch: (messages) => takeIn(messages) || takeInAgain(messages) || clear(),
    clearSearch,
  };
}

function seqsOf(rows: readonly { readonly seq: number }[]): readonly number[] {
  return rows.map(({ seq }) => seq);
}

/** Stands in what an agent of this hub said or was told. */
function agentWord(agent: number): string {
  return `${OF_AGENT}${agent.toString(36)}`;
}

/**
 * Only what the index can walk word by word: for the beginnings of three and four characters it has
 * lists of their own, and for others it would gather those of everybody first.
 */
function narrowing({ word, isBeginning }: IndexWord): readonly string[] {
  const characters = [...word];
  if (isBeginning && characters.length < 3) return [];
  return [matching({ word: isBeginning ? characters.slice(0, 4).join('') : word, isBeginning })];
}

/** Quoted: no word is an operator. */
function matching({ word, isBeginning }: IndexWord): string {
  assert(WORD.test(word), 'a search is made of folded words');
  return `"${word}"${isBeginning ? '*' : ''}`;
}
