// Table `meta`: small facts about this database and this hub, by name.
import type { Reads, Tables } from '../../../ports/store.ts';
import { text } from '../columns.ts';
import { RowMapper } from '../row-mapper.ts';
import type { Statements } from '../statements.ts';

const META = new RowMapper<{ readonly name: string; readonly value: string }>({
  name: text('name'),
  value: text('value'),
});

export const META_GET = `SELECT ${META.columns} FROM meta WHERE name = ?`;

export function metaReads(statements: Statements): Pick<Reads, 'getMeta'> {
  return {
    getMeta: (name) =>
      statements.settled('meta', name, () => statements.one(META, META_GET, name)?.value),
  };
}

export function metaWrites(statements: Statements): Pick<Tables, 'setMeta'> {
  const put = `INSERT INTO meta (${META.columns}) VALUES (${META.placeholders}) ON CONFLICT (name) DO UPDATE SET ${META.excluded('name')}`;
  return {
    setMeta: (name, value) => void statements.run(put, ...META.write({ name, value }, statements)),
  };
}
