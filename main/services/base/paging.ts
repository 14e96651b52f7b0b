// Pages of lists: newest first, with an opaque cursor that stays true while rows are added. Pure.
import { AppError } from '../../lib/app-error.ts';
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
  const beforeSeq = readCursor(page.cursor);
  const rows = read({ limit: page.limit + 1, ...(beforeSeq === undefined ? {} : { beforeSeq }) });
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const items = shown.flatMap((row) => {
    const item = toItem(row);
    return item === undefined ? [] : [item];
  });
  return { items, next: rows.length > page.limit && last ? String(last.seq) : null };
}

export function readCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const seq = /^[0-9]{1,15}$/.test(cursor) ? Number(cursor) : 0;
  if (seq > 0) return seq;
  throw new AppError('bad_request', 'That cursor is not one this hub gave out.', {
    failedBy: 'input',
    hint: 'Start again without a cursor.',
  });
}
