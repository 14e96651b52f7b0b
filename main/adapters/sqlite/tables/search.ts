// Table `search`: which words stand in which message, an index of FTS5 that holds no text. It is
// behind the messages: a crash only means that some are taken in again.
import { assert } from '../../../lib/assert.ts';
import { textWords } from '../../../lib/text-words.ts';
import { saidIn, textIn } from '../../../ports/said-words.ts';
import type { SearchReads, SearchWord, SearchWrites } from '../../../ports/search.ts';
import type { Reads, TaskRow } from '../../../ports/store.ts';
import { idValue, integer, longText, nullable } from '../columns.ts';
import { SEARCH_MERGE_PAGES } from '../limits.ts';
import { pageLimit } from '../page.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';
import { IS_SAID_WITH_AGENT, MESSAGE } from './messages.ts';
import { metaReads, metaWrites } from './meta.ts';

const SEQ = new RowMapper<{ readonly seq: number }>({ seq: integer('seq') });
const TASK_WORDS = new RowMapper<Pick<TaskRow, 'payload' | 'result'>>({
  payload: longText('payload'),
  result: nullable(longText('result')),
});

export const SEARCH_QUERIES = {
  withWords:
    'SELECT rowid AS seq FROM search WHERE search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
  all: 'SELECT seq FROM messages WHERE seq < ? ORDER BY seq DESC LIMIT ?',
  at: `SELECT ${MESSAGE.selected} FROM messages WHERE seq = ?`,
  atOfAgent: `SELECT ${MESSAGE.selected} FROM messages WHERE seq = ? AND ${IS_SAID_WITH_AGENT}`,
  before: 'SELECT seq FROM messages WHERE at < ? ORDER BY at DESC, seq DESC LIMIT 1',
  newest: 'SELECT seq FROM messages ORDER BY seq DESC LIMIT 1',
  newer: `SELECT ${MESSAGE.selected} FROM messages WHERE seq > ? ORDER BY seq LIMIT ?`,
  taskWords: `SELECT ${TASK_WORDS.selected} FROM tasks WHERE id = ?`,
} as const;

const WORD = /^[\p{L}\p{N}\p{Co}]+$/u;
const INSERT = 'INSERT INTO search (rowid, words) VALUES (?, ?)';
/** A negative number of pages begins to make one piece of all, a positive one goes on with it. */
const MERGE = "INSERT INTO search (search, rank) VALUES ('merge', ?)";
const CHANGES = 'SELECT total_changes()';
/** Up to which seq messages were taken in; and whether what was removed is to be cleared. */
const UP_TO = 'search';
const CLEARING = 'search_clearing';

export function searchReads(statements: Statements): SearchReads & Pick<Reads, 'messageAt'> {
  const { getMeta } = metaReads(statements);
  return {
    seqsWithWords: (words, { beforeSeq, limit }) => {
      const rows =
        words.length === 0
          ? statements.all(SEQ, SEARCH_QUERIES.all, beforeSeq, pageLimit(limit))
          : statements.all(
              SEQ,
              SEARCH_QUERIES.withWords,
              words.map(matching).join(' AND '),
              beforeSeq,
              pageLimit(limit),
            );
      return rows.map(({ seq }) => seq);
    },
    messageAt: (seq, agent) => {
      if (agent === null) return statements.one(MESSAGE, SEARCH_QUERIES.at, seq);
      const known = statements.knownNumber(agent);
      return statements.one(MESSAGE, SEARCH_QUERIES.atOfAgent, seq, known, known, known, known);
    },
    seqBefore: (at) => statements.one(SEQ, SEARCH_QUERIES.before, at)?.seq ?? 0,
    isSearchBehind: () =>
      (statements.one(SEQ, SEARCH_QUERIES.newest)?.seq ?? 0) > Number(getMeta(UP_TO) ?? 0) ||
      (getMeta(CLEARING) ?? '') !== '',
  };
}

export function searchWrites(statements: Statements): SearchWrites {
  const { getMeta } = metaReads(statements);
  const { setMeta } = metaWrites(statements);
  const takeIn = (limit: number): boolean => {
    const upTo = Number(getMeta(UP_TO) ?? 0);
    const messages = statements.all(MESSAGE, SEARCH_QUERIES.newer, upTo, pageLimit(limit));
    for (const message of messages) {
      const task =
        message.payload !== null || message.taskId === null
          ? undefined
          : statements.one(TASK_WORDS, SEARCH_QUERIES.taskWords, idValue(message.taskId));
      const words = new Set<string>();
      for (const { word } of textWords(textIn(saidIn(message, task)))) words.add(word);
      if (words.size > 0) statements.run(INSERT, message.seq, [...words].join(' '));
    }
    const last = messages.at(-1);
    if (last !== undefined) setMeta(UP_TO, String(last.seq));
    return last !== undefined;
  };
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
    tendSearch: (messages) => takeIn(messages) || clear(),
    clearSearch: () => setMeta(CLEARING, 'begin'),
  };
}

/** Quoted: no word is an operator. */
function matching({ word, isBeginning }: SearchWord): string {
  assert(WORD.test(word), 'a search is made of folded words');
  return `"${word}"${isBeginning ? '*' : ''}`;
}
