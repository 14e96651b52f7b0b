// Reads the members of one payload. The first member that does not fit is remembered as a sentence
// that says what would have fitted; reading goes on with a harmless value, so that a schema reads
// top to bottom. An optional member may be absent or null.
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';
import { err, ok, type Result } from '../lib/result.ts';

interface TextLimits {
  readonly maxCharacters?: number;
}

export class Fields {
  readonly #members: JsonObject;
  readonly #path: string;
  #problem: string | undefined;

  /** @param path what stands before a member's name in a sentence, such as "route." */
  constructor(members: JsonObject, path = '') {
    this.#members = members;
    this.#path = path;
  }

  /** The value that was built, or the first thing that did not fit. */
  finish<T>(value: T): Result<T, string> {
    return this.#problem === undefined ? ok(value) : err(this.#problem);
  }

  has(name: string): boolean {
    return (this.#members[name] ?? null) !== null;
  }

  raw(name: string): unknown {
    return this.#members[name];
  }

  /** Any JSON value; absent reads as null. */
  any(name: string): unknown {
    return this.#members[name] ?? null;
  }

  text(name: string, example: string, limits: TextLimits = {}): string {
    const value = this.#members[name];
    if (typeof value === 'string' && value.trim() !== '') return this.#bounded(name, value, limits);
    return this.refuse(name, `must be text, such as ${JSON.stringify(example)}`, '');
  }

  optionalText(name: string, limits: TextLimits = {}): string | null {
    const value = this.#members[name] ?? null;
    if (value === null) return null;
    if (typeof value !== 'string') return this.refuse(name, 'must be text, or absent', null);
    return this.#bounded(name, value, limits);
  }

  flag(name: string, absent: boolean): boolean {
    const value = this.#members[name] ?? absent;
    return typeof value === 'boolean' ? value : this.refuse(name, 'must be true or false', absent);
  }

  requiredFlag(name: string): boolean {
    const value = this.#members[name];
    return typeof value === 'boolean' ? value : this.refuse(name, 'must be true or false', false);
  }

  /** A safe integer of at least `least`; `absent` when it is not there. */
  integer<Absent extends number | null>(
    name: string,
    least: number,
    absent: Absent,
  ): number | Absent {
    const value = this.#members[name] ?? absent;
    if (value === absent) return absent;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
    return this.refuse(name, `must be a whole number of at least ${least}, or absent`, absent);
  }

  choice<const Choice extends string, Absent extends string>(
    name: string,
    choices: readonly Choice[],
    absent: Absent,
  ): Choice | Absent {
    const value = this.#members[name] ?? absent;
    if (value === absent) return absent;
    const chosen = choices.find((choice) => choice === value);
    return (
      chosen ??
      this.refuse(
        name,
        `must be one of ${choices.map((choice) => `"${choice}"`).join(', ')}`,
        absent,
      )
    );
  }

  object(name: string): JsonObject | null {
    const value = this.#members[name] ?? null;
    if (value === null || isJsonObject(value)) return value;
    return this.refuse(name, 'must be a JSON object, or absent', null);
  }

  /** A list of texts; absent reads as empty. */
  texts(name: string, entriesMax: number, limits: TextLimits): readonly string[] {
    return this.list(name, entriesMax, (entry) => {
      const max = limits.maxCharacters ?? Number.POSITIVE_INFINITY;
      return typeof entry === 'string' && entry.length <= max
        ? ok(entry)
        : err(`must be a list of texts of at most ${max} characters`);
    });
  }

  /** A list whose entries `read` takes; absent reads as empty. */
  list<T>(
    name: string,
    entriesMax: number,
    read: (entry: unknown) => Result<T, string>,
  ): readonly T[] {
    const value = this.#members[name] ?? [];
    if (!Array.isArray(value)) return this.refuse(name, 'must be a list, or absent', []);
    if (value.length > entriesMax)
      return this.refuse(name, `must hold at most ${entriesMax} entries`, []);
    const entries: T[] = [];
    for (const entry of value) {
      const result = read(entry);
      if (!result.ok) return this.refuse(name, result.error, []);
      entries.push(result.value);
    }
    return entries;
  }

  /** Remembers the first problem; returns `instead` so that reading can go on. */
  refuse<T>(name: string, sentence: string, instead: T): T {
    this.#problem ??= `"${this.#path}${name}" ${sentence}`;
    return instead;
  }

  #bounded(
    name: string,
    value: string,
    { maxCharacters = Number.POSITIVE_INFINITY }: TextLimits,
  ): string {
    return value.length <= maxCharacters
      ? value
      : this.refuse(name, `must be at most ${maxCharacters} characters long`, '');
  }
}
