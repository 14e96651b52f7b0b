// Rows that are read for every message and hardly ever change, kept in memory: who is paired,
// connected and allowed, and the names of all. One process writes them. A statement forgets what it
// changes, and a rollback forgets everything. A program that writes to the file beside it shows in
// SQLite's data_version, which is asked once in each turn of the event loop.
const TABLES = ['meta', 'peers', 'agents', 'tokens', 'rules', 'mutes'] as const;
export type SettledTable = (typeof TABLES)[number];

/**
 * The most keys of one table, and the most names, that are remembered. Callers choose them; beyond
 * it those of that table, or all names, are forgotten.
 */
const KEYS_MAX = 2_000;
const WRITES_TO = /^\s*(?:INSERT(?: OR \w+)? INTO|UPDATE(?: OR \w+)?|DELETE FROM)\s+(\w+)/i;

/** The settled table that a statement writes to; undefined where it writes to none. */
export function settledTableOf(sql: string): SettledTable | undefined {
  const [, table] = WRITES_TO.exec(sql) ?? [];
  return TABLES.find((known) => known === table);
}

export class SettledFacts {
  readonly #version: () => unknown;
  readonly #facts = new Map<SettledTable, Map<string | null, unknown>>();
  readonly #numbers = new Map<string, number>();
  readonly #names = new Map<number, string>();
  #knownVersion: unknown;
  #isChecked = false;

  /** @param version SQLite's data_version: another one shows that another program wrote */
  constructor(version: () => unknown) {
    this.#version = version;
  }

  /**
   * What `read` gives; remembered until something writes to the table.
   * @param key of the row, as callers name it; null: the whole table
   */
  get<T>(table: SettledTable, key: string | null, read: () => T): T {
    this.#check();
    let facts = this.#facts.get(table);
    if (facts === undefined || facts.size >= KEYS_MAX) this.#facts.set(table, (facts = new Map()));
    if (facts.has(key)) return facts.get(key) as T; // under this key only `read` puts something
    const fact = read();
    facts.set(key, fact);
    return fact;
  }

  /** The number of a name, which it keeps for ever; undefined where it is not known yet. */
  numberOf(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  nameOf(number: number): string | undefined {
    return this.#names.get(number);
  }

  rememberName(name: string, number: number): void {
    if (this.#numbers.size >= KEYS_MAX) this.#forgetNames();
    this.#numbers.set(name, number);
    this.#names.set(number, name);
  }

  /** A statement wrote to this table. */
  changed(table: SettledTable): void {
    this.#facts.delete(table);
  }

  /** What was read meanwhile may never have been. */
  rolledBack(): void {
    this.#facts.clear();
    this.#forgetNames();
  }

  /** A transaction begins: it may see more than what this turn has read so far. */
  begun(): void {
    this.#isChecked = false;
  }

  #forgetNames(): void {
    this.#numbers.clear();
    this.#names.clear();
  }

  #check(): void {
    if (this.#isChecked) return;
    this.#isChecked = true;
    setImmediate(() => (this.#isChecked = false));
    const version = this.#version();
    if (version === this.#knownVersion) return;
    this.#knownVersion = version;
    this.rolledBack();
  }
}
