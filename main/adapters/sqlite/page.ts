// Cursor pages: newest first by sequence number, bounded. Pure.
import type { Page } from '../../ports/store.ts';
import { PAGE_ROWS_MAX } from './limits.ts';

export function pageLimit(limit: number): number {
  return Math.max(0, Math.min(Math.trunc(limit), PAGE_ROWS_MAX));
}

/** Rows of a page have a lower number than this. */
export function pageBefore(page: Page): number {
  return page.beforeSeq ?? Number.MAX_SAFE_INTEGER;
}

/**
 * Several index-ordered selections as one ordered result: SQLite merges them row by row instead of
 * sorting them all.
 * @param selections SELECTs of the same columns, each already in the order of an index
 */
export function merged(selections: readonly string[], order: string): string {
  return `${selections.join(' UNION ALL ')} ORDER BY ${order}`;
}
