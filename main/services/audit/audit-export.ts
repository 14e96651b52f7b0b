// The audit log as text to keep or pass on, oldest row first, in pieces so that a long log does not
// fill the memory. JSON holds all that is needed to check it elsewhere. CSV is for a spreadsheet,
// and no cell of it can act as a formula there.
import type { TextPiece } from '../../../preload/contract/results.ts';
import { inputError } from '../../lib/app-error.ts';
import { toHex } from '../../lib/bytes.ts';
import { csvLine, CSV_START, utcTime, type CsvCell } from '../../lib/csv.ts';
import { escapeHiddenInJson } from '../../lib/hidden-characters.ts';
import type { AuditSignatureRow, ChainedAuditRow } from '../../ports/audit.ts';
import type { Reads } from '../../ports/store.ts';
import { auditRowDto } from './audit-rows.ts';
import { EXPORT_ROWS_MAX } from './limits.ts';

export type AuditFormat = 'json' | 'csv';

/** Where an export is: the rows and signatures it goes up to were fixed when it began. */
interface Place {
  readonly part: 'rows' | 'signatures';
  readonly after: number;
  readonly upToSeq: number;
  readonly upToCounter: number;
}

const FORM = 'axon-hub/audit/1';
const CSV_COLUMNS = [
  'seq',
  'time_utc',
  'actor',
  'surface',
  'action',
  'object',
  'rule',
  'digest',
  'detail',
  'monotonic_ms',
  'chain',
] as const;
/** @param cursor absent for the first piece @throws AppError bad_request */
export function exportPiece(
  reads: Pick<Reads, 'auditAfter' | 'auditHead' | 'auditSignatures' | 'lastAuditSignature'>,
  about: { readonly database: string; readonly key: string | null },
  format: AuditFormat,
  cursor: string | undefined,
): TextPiece {
  const place = cursor === undefined ? firstPlace(reads) : readPlace(cursor);
  return format === 'csv' ? csvPiece(reads, place) : jsonPiece(reads, about, place);
}

function csvPiece(reads: Pick<Reads, 'auditAfter'>, place: Place): TextPiece {
  const rows = reads.auditAfter(place.after, place.upToSeq, EXPORT_ROWS_MAX);
  const lines = rows.map((row) => csvLine(cellsOf(row)));
  const head = place.after === 0 ? `${CSV_START}${CSV_COLUMNS.join(',')}\r\n` : '';
  return {
    text: head + lines.join(''),
    next: nextOf({ ...place, part: 'rows' }, rows.at(-1)?.seq, rows.length),
  };
}

function jsonPiece(
  reads: Pick<Reads, 'auditAfter' | 'auditSignatures'>,
  { database, key }: { readonly database: string; readonly key: string | null },
  place: Place,
): TextPiece {
  const separator = place.after === 0 ? '\n' : ',\n';
  if (place.part === 'rows') {
    const head =
      place.after === 0
        ? `{"form":"${FORM}","database":${json(database)},"key":${json(key)},"rows":[`
        : '';
    const rows = reads.auditAfter(place.after, place.upToSeq, EXPORT_ROWS_MAX);
    const text = rows.map((row) => json(rowOf(row))).join(',\n');
    const next = nextOf(place, rows.at(-1)?.seq, rows.length);
    const body = head + (text === '' ? '' : separator + text);
    if (next !== null) return { text: body, next };
    return {
      text: `${body}\n],"signatures":[`,
      next: writePlace({ ...place, part: 'signatures', after: 0 }),
    };
  }
  const signatures = reads
    .auditSignatures(place.after, EXPORT_ROWS_MAX)
    .filter(({ counter }) => counter <= place.upToCounter);
  const text = signatures.map((row) => json(signatureOf(row))).join(',\n');
  const next = nextOf(place, signatures.at(-1)?.counter, signatures.length);
  return { text: (text === '' ? '' : separator + text) + (next === null ? '\n]}\n' : ''), next };
}

/** `detail` stays the text that the chain covers. */
function rowOf(row: ChainedAuditRow): object {
  return { ...auditRowDto(row), detail: row.detail, chain: toHex(row.chain) };
}

function signatureOf({
  counter,
  previous,
  seq,
  chain,
  at,
  key,
  signature,
}: AuditSignatureRow): object {
  return { counter, previous, seq, chain: toHex(chain), at, key, signature: toHex(signature) };
}

function json(value: unknown): string {
  return escapeHiddenInJson(JSON.stringify(value));
}

function cellsOf(row: ChainedAuditRow): readonly CsvCell[] {
  const { seq, at, actor, surface, action, object, rule, digest, detail, monotonicMs, chain } = row;
  return [
    seq,
    utcTime(at),
    actor,
    surface,
    action,
    object,
    rule,
    digest,
    detail,
    monotonicMs,
    toHex(chain),
  ];
}

function firstPlace(reads: Pick<Reads, 'auditHead' | 'lastAuditSignature'>): Place {
  return {
    part: 'rows',
    after: 0,
    upToSeq: reads.auditHead().seq,
    upToCounter: reads.lastAuditSignature()?.counter ?? 0,
  };
}

function nextOf(place: Place, after: number | undefined, count: number): string | null {
  return after === undefined || count < EXPORT_ROWS_MAX ? null : writePlace({ ...place, after });
}

function writePlace({ part, after, upToSeq, upToCounter }: Place): string {
  return `${part}.${after}.${upToSeq}.${upToCounter}`;
}

function readPlace(cursor: string): Place {
  const [, part, after, upToSeq, upToCounter] =
    /^(rows|signatures)\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (part === 'rows' || part === 'signatures') {
    return {
      part,
      after: Number(after),
      upToSeq: Number(upToSeq),
      upToCounter: Number(upToCounter),
    };
  }
  throw inputError('bad_request', 'That cursor is not one this hub gave out.', {
    hint: 'Start again without a cursor.',
  });
}
