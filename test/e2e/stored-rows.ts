// Somebody with another program changes what a stopped hub has stored: one letter of one row, past
// the triggers that would refuse it.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { deflated, idValue, inflated } from '../fakes/long-text.ts';

export const STORED_PARTS = [
  'the words that were shown',
  'the digest of the decision',
  'the digest in the inbox item',
  'what was asked',
] as const;
export type StoredPart = (typeof STORED_PARTS)[number];

interface Place {
  readonly table: string;
  readonly column: string;
  readonly where: string;
  /** Of long text: the letter is the first one of this. Else the first byte is changed. */
  readonly at?: RegExp;
}

const PLACES: Readonly<Record<StoredPart, Place>> = {
  'the words that were shown': {
    table: 'approvals',
    column: 'view',
    where: 'task_id',
    at: /two blanks and a tab/,
  },
  'the digest of the decision': { table: 'approvals', column: 'digest', where: 'task_id' },
  'the digest in the inbox item': {
    table: 'deliveries',
    column: 'body',
    where: 'task_id',
    at: /[0-9a-f]{64}/,
  },
  'what was asked': { table: 'tasks', column: 'payload', where: 'id', at: /two blanks and a tab/ },
};

/** Changes one byte, and nothing else, of what the hub in this data folder keeps of a task. */
export function changeOneByte(home: string, taskId: string, part: StoredPart): void {
  const { table, column, where, at } = PLACES[part];
  const database = new Database(join(home, 'hub.db'), { fileMustExist: true });
  try {
    const triggers = database
      .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?")
      .all(table) as readonly { readonly name: string; readonly sql: string }[];
    database.transaction(() => {
      for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
      const before = database
        .prepare(`SELECT ${column} FROM ${table} WHERE ${where} = ?`)
        .pluck()
        .get(idValue(taskId)) as Uint8Array;
      const after =
        at === undefined ? otherFirstByte(before) : deflated(otherLetter(inflated(before), at));
      const { changes } = database
        .prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where} = ?`)
        .run(after, idValue(taskId));
      if (changes !== 1) throw new Error(`${changes} rows were changed`);
      for (const { sql } of triggers) database.exec(sql);
    })();
  } finally {
    database.close();
  }
}

function otherFirstByte(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes, (byte, index) => (index === 0 ? byte ^ 1 : byte));
}

function otherLetter(text: string, at: RegExp): string {
  const place = text.search(at);
  if (place < 0) throw new Error('the row does not hold what is to be changed');
  return text.slice(0, place) + (text[place] === 'a' ? 'b' : 'a') + text.slice(place + 1);
}
