// A table's rows as typed values: the column list for SELECT, and the way there and back. Owns no
// SQL beyond names and placeholders.
import { assert } from '../../lib/assert.ts';
import type { Column, Names, SqlValue } from './columns.ts';

type Columns<Row> = { readonly [Field in keyof Row]-?: Column<Row[Field]> };

interface Assignment {
  /** `a = ?, b = ?`; empty when nothing is to change. */
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export class RowMapper<Row extends object> {
  /** Comma-separated column names, in the order of `read` and `write`. */
  readonly columns: string;
  /** As many `?` as there are columns. */
  readonly placeholders: string;
  readonly #fields: readonly (readonly [keyof Row & string, Column<unknown>])[];

  constructor(columns: Columns<Row>) {
    this.#fields = fieldsOf(columns);
    this.columns = this.#fields.map(([, column]) => column.name).join(', ');
    this.placeholders = this.#fields.map(() => '?').join(', ');
  }

  /** @param values one raw row in the order of `columns` */
  read(values: readonly unknown[], names: Names): Row {
    assert(values.length >= this.#fields.length, 'a raw row has every column of its table');
    const row: Partial<Record<keyof Row & string, unknown>> = {};
    let index = 0;
    for (const [field, column] of this.#fields) row[field] = column.read(values[index++], names);
    return asRow(row);
  }

  write(row: Row, names: Names): readonly SqlValue[] {
    return this.#fields.map(([field, column]) => column.write(row[field], names));
  }

  /** `a = excluded.a, ...` for an upsert, without the key columns. */
  excluded(...keys: readonly (keyof Row & string)[]): string {
    return this.#fields
      .filter(([field]) => !keys.includes(field))
      .map(([, column]) => `${column.name} = excluded.${column.name}`)
      .join(', ');
  }

  assign(change: Partial<Row>, names: Names): Assignment {
    const present = this.#fields.filter(([field]) => change[field] !== undefined);
    return {
      sql: present.map(([, column]) => `${column.name} = ?`).join(', '),
      values: present.map(([field, column]) => column.write(change[field], names)),
    };
  }
}

/** The type of `columns` says that its keys are the row's fields; Object.entries forgets it. */
function fieldsOf<Row extends object>(
  columns: Columns<Row>,
): readonly (readonly [keyof Row & string, Column<unknown>])[] {
  const fields: unknown = Object.entries(columns);
  return fields as readonly (readonly [keyof Row & string, Column<unknown>])[];
}

/** Every field was read by its own column just before; only the compiler cannot follow the loop. */
function asRow<Row extends object>(row: Partial<Record<keyof Row & string, unknown>>): Row {
  return row as Row;
}
