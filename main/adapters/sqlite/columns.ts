// How one column turns into a value of a row and back. Reading is strict: a value this program would not have written is an error that
// names the column, never a guess. Writing refuses text that SQLite would change on its way through.
import { assert } from '../../lib/assert.ts';
import { AppError } from '../../lib/app-error.ts';

export type SqlValue = string | number | Uint8Array | null;

export interface Column<T> {
  readonly name: string;
  /** Throws AppError `storage_failed` for a value of another type. */
  read(value: unknown): T;
  write(value: T): SqlValue;
}

function unreadable(name: string): AppError {
  return new AppError('storage_failed', `The database holds a value in "${name}" that this program does not write.`, {
    hint: 'The file was changed by something else, or the disk is failing. Stop the hub and restore a snapshot.',
  });
}

/** Any text. A lone surrogate is refused: it would come back as another character and break digests. */
export function text(name: string): Column<string> {
  return {
    name,
    read: (value) => {
      if (typeof value !== 'string') throw unreadable(name);
      return value;
    },
    write: (value) => {
      assert(value.isWellFormed(), `text for "${name}" must be well-formed Unicode`);
      return value;
    },
  };
}

/** One of the keys of `values`; give it as a record of the union so that a forgotten member does not compile. */
export function choice<T extends string>(name: string, values: Readonly<Record<T, true>>): Column<T> {
  const isMember = (value: unknown): value is T => typeof value === 'string' && Object.hasOwn(values, value);
  return {
    name,
    read: (value) => {
      if (!isMember(value)) throw unreadable(name);
      return value;
    },
    write: (value) => {
      assert(isMember(value), `"${name}" must be one of ${Object.keys(values).join(', ')}`);
      return value;
    },
  };
}

export function integer(name: string): Column<number> {
  return {
    name,
    read: (value) => {
      if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw unreadable(name);
      return value;
    },
    write: (value) => {
      assert(Number.isSafeInteger(value), `"${name}" must be a whole number`);
      return value;
    },
  };
}

/** A time or duration in ms. Monotonic clocks count fractions; they are rounded away. */
export function milliseconds(name: string): Column<number> {
  const whole = integer(name);
  return { ...whole, write: (value) => whole.write(Math.round(value)) };
}

export function urgency(name: string): Column<0 | 1 | 2> {
  return {
    name,
    read: (value) => {
      if (value !== 0 && value !== 1 && value !== 2) throw unreadable(name);
      return value;
    },
    write: (value) => value,
  };
}

export function flag(name: string): Column<boolean> {
  return {
    name,
    read: (value) => {
      if (value !== 0 && value !== 1) throw unreadable(name);
      return value === 1;
    },
    write: (value) => (value ? 1 : 0),
  };
}

/** Any bytes. */
export function blob(name: string): Column<Uint8Array> {
  return {
    name,
    read: (value) => {
      if (!(value instanceof Uint8Array)) throw unreadable(name);
      return new Uint8Array(value);
    },
    write: (value) => value,
  };
}

/** 32 bytes: a SHA-256. */
export function sha256(name: string): Column<Uint8Array> {
  return {
    name,
    read: (value) => {
      if (!(value instanceof Uint8Array) || value.byteLength !== 32) throw unreadable(name);
      return new Uint8Array(value);
    },
    write: (value) => {
      assert(value.byteLength === 32, `"${name}" must be 32 bytes`);
      return value;
    },
  };
}

/** A hub's key in hex, or `agent:<name>`. */
export function party(name: string): Column<`agent:${string}` | string> {
  const isParty = (value: unknown): value is string => typeof value === 'string' && /^(?:[0-9a-f]{64}|agent:[^]+)$/.test(value);
  return {
    name,
    read: (value) => {
      if (!isParty(value)) throw unreadable(name);
      return value;
    },
    write: (value) => {
      assert(isParty(value) && value.isWellFormed(), `"${name}" must be a hub key in hex or agent:<name>`);
      return value;
    },
  };
}

export function nullable<T>(column: Column<T>): Column<T | null> {
  return {
    name: column.name,
    read: (value) => (value === null ? null : column.read(value)),
    write: (value) => (value === null ? null : column.write(value)),
  };
}

/** JSON text; `check` says whether the parsed value has the shape. */
export function json<T>(name: string, check: (value: unknown) => value is T): Column<T> {
  return {
    name,
    read: (value) => {
      const parsed = typeof value === 'string' ? parseJson(value) : undefined;
      if (!check(parsed)) throw unreadable(name);
      return parsed;
    },
    write: (value) => {
      assert(check(value), `"${name}" does not have its shape`);
      return JSON.stringify(value);
    },
  };
}

export function strings(name: string): Column<readonly string[]> {
  return json(
    name,
    (value): value is readonly string[] => Array.isArray(value) && value.every((item) => typeof item === 'string' && item.isWellFormed()),
  );
}

function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}
