// The audit as a file: whole in pieces, exact in JSON, harmless in a spreadsheet.
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { csvCell } from '../../../../main/lib/csv.ts';
import type { AuditFormat } from '../../../../main/services/audit/audit-export.ts';
import { EXPORT_ROWS_MAX } from '../../../../main/services/audit/limits.ts';
import { AuditHouse, PERSON } from '../../../fakes/audit-house.ts';
import { auditRow } from '../../../fakes/sample-rows.ts';

let house: AuditHouse;
beforeEach(async () => {
  house = await AuditHouse.start();
});
afterEach(() => house.close());

async function exported(
  format: AuditFormat,
): Promise<{ readonly text: string; readonly pieces: number }> {
  let text = '';
  let pieces = 0;
  for (let cursor: string | null | undefined; cursor !== null; pieces++) {
    const piece = await house.audit.exportPiece(format, cursor, PERSON);
    text += piece.text;
    cursor = piece.next;
    // What is added meanwhile is of the next file.
    await house.act();
  }
  return { text, pieces };
}

interface Exported {
  readonly database: string;
  readonly key: string;
  readonly rows: readonly Readonly<Record<string, string | number | null>>[];
  readonly signatures: readonly Readonly<Record<string, string | number>>[];
}

/** The chain as the file describes it, computed by nothing of this program. */
function chainOf(previous: Buffer, row: Exported['rows'][number]): Buffer {
  const hash = createHash('sha256').update('axon-hub/audit/v2\0').update(previous);
  for (const name of [
    'seq',
    'at',
    'monotonic_ms',
    'actor',
    'surface',
    'action',
    'object',
    'rule',
    'digest',
    'detail',
  ]) {
    const value = row[name] ?? null;
    const bytes = Buffer.from(value === null ? '' : String(value));
    const head = Buffer.alloc(5);
    head.writeUInt8(value === null ? 0 : typeof value === 'number' ? 1 : 2);
    head.writeUInt32BE(bytes.byteLength, 1);
    hash.update(head).update(bytes);
  }
  return hash.digest();
}

describe('the exported audit', () => {
  it.each([
    0,
    1,
    EXPORT_ROWS_MAX - 2,
    EXPORT_ROWS_MAX - 1,
    EXPORT_ROWS_MAX,
    EXPORT_ROWS_MAX * 2 + 7,
  ])(
    'holds %i rows and the signatures over them in JSON, each once and in order, ready to be checked elsewhere',
    async (rows) => {
      await house.act(rows);
      await house.minute();
      const { text } = await exported('json');
      const file = JSON.parse(text) as Exported;
      // Whoever took it stands in it.
      expect(file.rows.map(({ seq }) => seq)).toEqual(
        Array.from({ length: rows + 1 }, (_, index) => index + 1),
      );
      expect(file.rows.at(-1)).toMatchObject({ action: 'audit.exported', ...PERSON });
      let chain: Buffer = Buffer.alloc(32);
      for (const row of file.rows) {
        chain = chainOf(chain, row);
        expect(row['chain']).toBe(chain.toString('hex'));
      }
      expect(file.signatures.map(({ seq, key }) => [seq, key])).toEqual(
        rows === 0 ? [] : [[rows, file.key]],
      );
      expect(file.signatures.map((one) => one['chain'])).toEqual(
        rows === 0 ? [] : [file.rows[rows - 1]?.['chain']],
      );
    },
  );

  it('comes in pieces of a bounded length', async () => {
    await house.act(EXPORT_ROWS_MAX * 3);
    const { pieces } = await exported('csv');
    expect(pieces).toBe(4);
  });

  it('has one line a row in CSV, under one line of names', async () => {
    await house.act(EXPORT_ROWS_MAX + 1);
    const { text } = await exported('csv');
    // Excel takes a file without it for one of its own old encodings.
    expect(text).toMatch(/^\ufeffseq,[^\ufeff]*$/);
    const lines = text.split('\r\n');
    expect(lines[0]?.slice(1)).toBe(
      'seq,time_utc,actor,surface,action,object,rule,digest,detail,monotonic_ms,chain',
    );
    expect(lines).toHaveLength(EXPORT_ROWS_MAX + 4);
    expect(lines[1]).toMatch(/^1,"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d",/);
    expect(lines.at(-1)).toBe('');
  });

  it('shows hidden characters in CSV, and keeps them unseen by a terminal but exact in JSON', async () => {
    const object = 'a\u202eb\u001b[31m';
    await house.store.write((tables) => tables.appendAudit(auditRow({ object })));
    const csv = (await exported('csv')).text;
    expect(csv).toContain('a[U+202E]b[U+001B][31m');
    const { text } = await exported('json');
    expect(['\u202e', '\u001b'].filter((hidden) => text.includes(hidden))).toEqual([]);
    expect((JSON.parse(text) as Exported).rows[0]?.['object']).toBe(object);
  });

  it.each(['', 'rows.1.2', 'rows.1.2.3.4', 'other.1.2.3', 'rows.-1.2.3', "1' OR 1"])(
    'refuses a cursor that is none: %s',
    async (cursor) => {
      await expect(house.audit.exportPiece('json', cursor, PERSON)).rejects.toMatchObject({
        code: 'bad_request',
      });
    },
  );
});

describe('a cell of CSV', () => {
  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    ' =1',
    '\u00a0=1',
    '＝1',
    '＋1',
    '－1',
    '＠x',
    '|calc',
    '%0A',
    '=HYPERLINK("http://x","y")',
    "=cmd|' /C calc'!A0",
  ])('is no formula: %j', (text) => {
    expect(csvCell(text)).toMatch(/^"(?:'|\[U\+)/);
  });

  it('keeps what is harmless, with quotes doubled', () => {
    expect(csvCell('say "hi", now')).toBe('"say ""hi"", now"');
    expect([csvCell(5), csvCell(null), csvCell('')]).toEqual(['5', '', '""']);
  });
});
