// Long text as the database keeps it, for tests that look into a database or change it as another
// program could.
import { idValue, longText, type SqlValue } from '../../main/adapters/sqlite/columns.ts';

const COLUMN = longText('long text');
const NO_NAMES = { numberOf: (): number => 0, nameOf: (): undefined => undefined };

export function deflated(text: string): SqlValue {
  return COLUMN.write(text, NO_NAMES);
}

export function inflated(value: unknown): string {
  return COLUMN.read(value, NO_NAMES);
}

export { idValue };
