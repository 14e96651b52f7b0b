// Pages of lists: newest first, with an opaque cursor that stays true while rows are added. Pure.
import { inputError } from '../../lib/app-error.ts';
import { workAtOnce } from '../../lib/next-turn.ts';
import type { Items } from '../../../preload/contract/results.ts';
import type { Page as Rows } from '../../ports/store.ts';

export interface Page {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/**
 * One page of rows that have a seq, and the cursor of the next. @throws AppError bad_request for a
 * cursor that is none of ours
 */
export function pageOf<Row extends { readonly seq: number }, Item>(
  page: Page,
  read: (rows: Rows) => readonly Row[],
  toItem: (row: Row) => Item | undefined,
): Items<Item> {
  return workAtOnce(pageInPieces(page, { read, toItem, rowsAtOnce: page.limit + 1 }));
}

interface PieceReader<Row, Item> {
  readonly read: (rows: Rows) => readonly Row[];
  readonly toItem: (row: Row) => Item | undefined;
  readonly rowsAtOnce: number;
  /** Of a row; a page that has so much of it ends early. */
  readonly size?: (row: Row) => number;
  readonly sizeMax?: number;
}

/** The same for others to come between. */
export function* pageInPieces<Row extends { readonly seq: number }, Item>(
  page: Page,
  { read, toItem, rowsAtOnce, size = () => 0, sizeMax = Infinity }: PieceReader<Row, Item>,
): Generator<void, Items<Item>> {
  let beforeSeq = readCursor(page.cursor);
  const items: Item[] = [];
  let shown = 0;
  let room = sizeMax;
  for (;;) {
    const limit = Math.min(rowsAtOnce, page.limit + 1 - shown);
    const rows = read({ limit, ...(beforeSeq === undefined ? {} : { beforeSeq }) });
    for (const row of rows) {
      if (shown === page.limit || room <= 0) return { items, next: String(beforeSeq) };
      const item = toItem(row);
      if (item !== undefined) items.push(item);
      beforeSeq = row.seq;
      shown += 1;
      room -= size(row);
    }
    if (rows.length < limit) return { items, next: null };
    yield;
  }
}

export function readCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const seq = /^[0-9]{1,15}$/.test(cursor) ? Number(cursor) : 0;
  if (seq > 0) return seq;
  throw inputError('bad_request', 'That cursor is not one this hub gave out.', {
    hint: 'Start again without a cursor.',
  });
}
