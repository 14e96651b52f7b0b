// How one column turns into a value of a row and back. Reading is strict: a value this program
// would not have written is an error that names the column, never a guess. Writing refuses text
// that SQLite would change on its way through.
import { deflateRawSync, inflateRawSync, type ZlibOptions } from 'node:zlib';
import { assert } from '../../lib/assert.ts';
import { AppError } from '../../lib/app-error.ts';
import { LONG_TEXT_MAX_BYTES } from './limits.ts';

export type SqlValue = string | number | Uint8Array | null;

/** Gives every name its number (table `names`). */
export interface Names {
  /** The number of a name, which it keeps from now on. */
  numberOf(name: string): number;
  /** The name of a number; undefined where none has it. */
  nameOf(number: number): string | undefined;
}

export interface Column<T> {
  readonly name: string;
  /** Throws AppError `storage_failed` for a value of another type. */
  readonly read: (value: unknown, names: Names) => T;
  readonly write: (value: T, names: Names) => SqlValue;
}

function unreadable(name: string): AppError {
  return new AppError(
    'storage_failed',
    `The database holds a value in "${name}" that this program does not write.`,
    {
      hint: 'The file was changed by something else, or the disk is failing. Stop the hub and put the whole data folder back from a backup of your own.',
    },
  );
}

/**
 * Any text. A lone surrogate is refused: it would come back as another character and break digests.
 */
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

/**
 * One of `values`. A column's type is invariant, so a list that lacks a member of the row's union
 * does not compile.
 */
export function choice<const T extends string>(name: string, values: readonly T[]): Column<T> {
  const isMember = (value: unknown): value is T => values.some((member) => member === value);
  return {
    name,
    read: (value) => {
      if (!isMember(value)) throw unreadable(name);
      return value;
    },
    write: (value) => {
      assert(isMember(value), `"${name}" must be one of ${values.join(', ')}`);
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
  return { ...whole, write: (value, names) => whole.write(Math.round(value), names) };
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

/** SQLite gives each value a buffer of its own: nobody else writes into it. */
function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function hexOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('hex');
}

/** Any bytes. */
export function blob(name: string): Column<Uint8Array> {
  return {
    name,
    read: (value) => {
      if (!(value instanceof Uint8Array)) throw unreadable(name);
      return viewOf(value);
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
      return viewOf(value);
    },
    write: (value) => {
      assert(value.byteLength === 32, `"${name}" must be 32 bytes`);
      return value;
    },
  };
}

/** A SHA-256 in hex, kept as its 32 bytes. */
export function digest(name: string): Column<string> {
  const bytes = sha256(name);
  return {
    name,
    read: (value, names) => hexOf(bytes.read(value, names)),
    write: (value, names) => bytes.write(Buffer.from(value, 'hex'), names),
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const KEY = /^[0-9a-f]{64}$/;
const isParty = (value: string): boolean => KEY.test(value) || /^agent:[^]+$/.test(value);

/** What stands for an id in the database: a UUID as its 16 bytes, any other text as it is. */
export function idValue(value: string): SqlValue {
  assert(value.isWellFormed(), 'an id must be well-formed Unicode');
  return UUID.test(value) ? Buffer.from(value.replaceAll('-', ''), 'hex') : value;
}

export function id(name: string): Column<string> {
  return {
    name,
    read: (value) => {
      if (typeof value === 'string') return value;
      if (!(value instanceof Uint8Array) || value.byteLength !== 16) throw unreadable(name);
      const hex = hexOf(value);
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    },
    write: idValue,
  };
}

/**
 * A name that many rows hold: a party, an agent, an area. The column holds its number in table
 * `names`.
 */
export function named(name: string): Column<string> {
  return {
    name,
    read: (value, names) => {
      const known = typeof value === 'number' ? names.nameOf(value) : undefined;
      if (known === undefined) throw unreadable(name);
      return known;
    },
    write: (value, names) => names.numberOf(value),
  };
}

function checkedParty(name: string, column: Column<string>): Column<string> {
  return {
    ...column,
    read: (value, names) => {
      const known = column.read(value, names);
      if (!isParty(known)) throw unreadable(name);
      return known;
    },
    write: (value, names) => {
      assert(isParty(value), `"${name}" must be a hub key in hex or agent:<name>`);
      return column.write(value, names);
    },
  };
}

/** A hub's key in hex, or `agent:<name>`. */
export function party(name: string): Column<string> {
  return checkedParty(name, text(name));
}

/** The same, as a number of table `names`. */
export function namedParty(name: string): Column<string> {
  return checkedParty(name, named(name));
}

/**
 * Text of any length, deflated (RFC 1951), which for a short one is a block that is stored as it
 * is; no bytes for none. Bytes that do not inflate to text
 * read as DAMAGED_TEXT, so that one bad spot on the disk costs one row: whoever reads that row
 * finds no JSON, or another digest, as with any text that was changed.
 */
export function longText(name: string): Column<string> {
  const column = text(name);
  const bytes = blob(name);
  return {
    name,
    read: (value, names) => {
      const packed = bytes.read(value, names);
      if (packed.byteLength === 0) return '';
      try {
        const bytesOfText = storedIn(packed) ?? inflateRawSync(packed, inflating(packed));
        return column.read(UTF8.decode(bytesOfText), names);
      } catch {
        return DAMAGED_TEXT;
      }
    },
    write: (value, names) => (value === '' ? EMPTY : deflated(String(column.write(value, names)))),
  };
}

const DAMAGED_TEXT = '\ufffd';
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const EMPTY = new Uint8Array();
/** Most texts are shorter than 4 KiB: a window of that size is set up in half the time. */
const SMALL_WINDOW = { windowBits: 12, memLevel: 6 };
/** Texts of people shrink to a third or so; a longer one takes another chunk. */
const INFLATED_FACTOR = 4;
/** The least that zlib takes. */
const CHUNK_SIZE_MIN_BYTES = 64;

function inflating({ byteLength }: Uint8Array): ZlibOptions {
  const chunkSize = Math.max(CHUNK_SIZE_MIN_BYTES, INFLATED_FACTOR * byteLength);
  return { maxOutputLength: LONG_TEXT_MAX_BYTES, chunkSize };
}

/**
 * Below it, deflating takes 10 us and inflating 6 to save a fifth of some hundred bytes or less.
 */
const DEFLATED_FROM_BYTES = 256;
/** Before what is stored as it is: "last block, stored", its length, and that inverted. */
const STORED_HEADER_BYTES = 5;
const LAST_AND_STORED = 1;

/** The bytes of a short block that is stored as it is; undefined for anything else. */
function storedIn(packed: Uint8Array): Uint8Array | undefined {
  const [kind, length = 0, more] = packed;
  const isStored = kind === LAST_AND_STORED && more === 0;
  return isStored && packed.byteLength === STORED_HEADER_BYTES + length
    ? packed.subarray(STORED_HEADER_BYTES)
    : undefined;
}

/** Into a buffer of its own size: the usual 16 KiB for each text fill the memory of a busy hub. */
function deflated(value: string): Uint8Array {
  const bytes = Buffer.from(value);
  const { byteLength } = bytes;
  if (byteLength < DEFLATED_FROM_BYTES)
    return Buffer.concat([Buffer.of(LAST_AND_STORED, byteLength, 0, ~byteLength, 0xff), bytes]);
  const chunkSize = Math.max(CHUNK_SIZE_MIN_BYTES, byteLength);
  return deflateRawSync(bytes, { ...SMALL_WINDOW, chunkSize });
}

export function nullable<T>(column: Column<T>): Column<T | null> {
  return {
    ...column,
    read: (value, names) => (value === null ? null : column.read(value, names)),
    write: (value, names) => (value === null ? null : column.write(value, names)),
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
    (value): value is readonly string[] =>
      Array.isArray(value) &&
      value.every((item) => typeof item === 'string' && item.isWellFormed()),
  );
}

function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}
