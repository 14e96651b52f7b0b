// A value that is kept as JSON under a name of its own. What is not there, was damaged or has
// another form is read as nothing.
import * as v from 'valibot';
import { isJsonObject, type JsonObject } from './json-object.ts';

interface Texts {
  getMeta(name: string): string | undefined;
}
interface Kept extends Texts {
  setMeta(name: string, text: string): void;
}

export class StoredValue<Value> {
  readonly #name: string;
  readonly #schema: v.GenericSchema<unknown, Value>;
  readonly #nothing: Value;

  constructor(name: string, schema: v.GenericSchema<unknown, Value>, nothing: Value) {
    this.#name = name;
    this.#schema = schema;
    this.#nothing = nothing;
  }

  read(texts: Texts): Value {
    const stored = v.pipe(v.string(), v.parseJson(), this.#schema);
    const read = v.safeParse(stored, texts.getMeta(this.#name));
    return read.success ? read.output : this.#nothing;
  }

  write(texts: Pick<Kept, 'setMeta'>, value: Value): void {
    texts.setMeta(this.#name, JSON.stringify(value));
  }
}

/**
 * A list of such values, each with a key and read by itself: one that is damaged stays as it is,
 * until another of its key is written or it is removed.
 */
export class StoredRows<Key extends string, Row extends Readonly<Record<Key, string>>> {
  readonly #name: string;
  readonly #key: Key;
  readonly #row: v.GenericSchema<unknown, Row>;
  readonly #member: string | undefined;

  /** @param member of the stored object that holds the list; none: it is the list itself */
  constructor(name: string, key: Key, row: v.GenericSchema<unknown, Row>, member?: string) {
    this.#name = name;
    this.#key = key;
    this.#row = row;
    this.#member = member;
  }

  read(texts: Texts): readonly Row[] {
    return this.#all(texts).flatMap((stored) => {
      const read = v.safeParse(this.#row, stored);
      return read.success ? [read.output] : [];
    });
  }

  /**
   * What stands there and cannot be read, by its key and its agent. What says not even these is
   * nobody's, and nobody can do anything about it.
   */
  damaged(
    texts: Texts,
  ): readonly { readonly key: string; readonly agent: string; readonly said: JsonObject }[] {
    return this.#damaged(texts).flatMap((stored) => {
      const key = this.#keyOf(stored);
      if (!isJsonObject(stored) || key === undefined || typeof stored.agent !== 'string') return [];
      return [{ key, agent: stored.agent, said: stored }];
    });
  }

  /** @param gone the key of what is kept no longer, damaged or not */
  write(texts: Kept, rows: readonly Row[], gone?: string): void {
    const kept = rows.filter((row) => row[this.#key] !== gone);
    const said = new Set<string | undefined>(kept.map((row) => row[this.#key]));
    const damaged = this.#damaged(texts).filter((stored) => {
      const key = this.#keyOf(stored);
      return key === undefined || (key !== gone && !said.has(key));
    });
    const all = [...kept, ...damaged];
    const whole = this.#member === undefined ? all : { [this.#member]: all };
    texts.setMeta(this.#name, JSON.stringify(whole));
  }

  #all(texts: Texts): readonly unknown[] {
    const read = v.safeParse(v.pipe(v.string(), v.parseJson()), texts.getMeta(this.#name));
    const whole = read.success ? read.output : undefined;
    if (this.#member === undefined) return Array.isArray(whole) ? whole : [];
    const list = isJsonObject(whole) ? whole[this.#member] : undefined;
    return Array.isArray(list) ? list : [];
  }

  #damaged(texts: Texts): readonly unknown[] {
    return this.#all(texts).filter((stored) => !v.is(this.#row, stored));
  }

  #keyOf(stored: unknown): string | undefined {
    const key = isJsonObject(stored) ? stored[this.#key] : undefined;
    return typeof key === 'string' ? key : undefined;
  }
}
