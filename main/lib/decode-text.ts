// The one way in which text that people and other programs write becomes a string: UTF-8 or UTF-16,
// with a byte order mark or without, and any line ends. What is none of these is refused with its
// place; no character is ever replaced. Pure.
import { concatBytes, utf8 } from './bytes.ts';
import { err, ok, type Result } from './result.ts';

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** How a text stands in its file, so that it can be written back in the same way. */
export interface TextForm {
  readonly encoding: Encoding;
  readonly hasMark: boolean;
}

interface DecodedText {
  /** Without the byte order mark; its line ends are as they are. */
  readonly text: string;
  readonly form: TextForm;
}

const PLAIN_FORM: TextForm = { encoding: 'utf-8', hasMark: false };
const MARK = '\ufeff';
/** So many bytes tell the form of a text. */
const FORM_BYTES = 3;
export const LINE_END = /\r\n|\r|\n/;

/** The text of a whole file, or what is wrong with it, as "is not UTF-8 at line 2, column 5". */
export function decodeText(bytes: Uint8Array): Result<DecodedText, string> {
  const form = formOf(bytes);
  const body = bytes.subarray(form.hasMark ? markOf(form.encoding).byteLength : 0);
  const text = decoded(body, form.encoding);
  const name = form.encoding.startsWith('utf-16') ? 'UTF-16' : 'UTF-8';
  if (text === undefined) {
    const readable = readableStart(body, form.encoding);
    return err(`is not ${name} at ${placeIn(readable, readable.length)}`);
  }
  const zero = text.indexOf('\0');
  if (zero >= 0) return err(`holds a zero character at ${placeIn(text, zero)}, so it is no text`);
  return ok({ text, form });
}

/** The bytes that decodeText read. */
export function encodeText(text: string, { encoding, hasMark }: TextForm): Uint8Array {
  return encoded(hasMark ? MARK + text : text, encoding);
}

/** The first line of a text that holds one secret. What is on later lines is not part of it. */
export function firstLine(text: string): string {
  return text.split(LINE_END, 1)[0] ?? '';
}

/** As "line 2, column 5", counted from 1 in characters. */
export function placeIn(text: string, offset: number): string {
  const lines = text.slice(0, offset).split(LINE_END);
  return `line ${lines.length}, column ${[...(lines.at(-1) ?? '')].length + 1}`;
}

export interface TextLine {
  /** Counted from 1. */
  readonly number: number;
  /** As far as it was kept; where it is flawed, with replaced characters. */
  readonly text: string;
  /** What is wrong with it, as "is not UTF-8". */
  readonly flaw: string | null;
  /** It is too long, and its end was not kept. */
  readonly isCut: boolean;
}

/**
 * The lines of a text that comes in pieces. A line that is no text, or too long, costs itself only:
 * no more than `lineMaxBytes` of it are kept.
 */
export class LineReader {
  readonly #lineMaxBytes: number;
  #form: TextForm | undefined;
  /** What came before the form was known, or half of a unit. */
  #left: Uint8Array = new Uint8Array(0);
  #line: Uint8Array[] = [];
  #lineBytes = 0;
  #number = 1;
  #afterReturn = false;

  constructor(lineMaxBytes: number) {
    this.#lineMaxBytes = lineMaxBytes;
  }

  /** The lines that end in this piece. */
  *push(piece: Uint8Array): Generator<TextLine> {
    const bytes = concatBytes(this.#left, piece);
    this.#left = bytes;
    if (this.#form === undefined && bytes.byteLength < FORM_BYTES) return;
    yield* this.#read(bytes);
  }

  /** The last line, where no line end follows it. */
  *end(): Generator<TextLine> {
    yield* this.#read(this.#left);
    if (this.#lineBytes > 0 || this.#left.byteLength > 0) {
      this.#keep(this.#left);
      yield this.#ended();
    }
  }

  *#read(bytes: Uint8Array): Generator<TextLine> {
    let start = 0;
    if (this.#form === undefined) {
      this.#form = formOf(bytes);
      if (this.#form.hasMark) start = markOf(this.#form.encoding).byteLength;
    }
    const { encoding } = this.#form;
    const width = encoding === 'utf-8' ? 1 : 2;
    const high = encoding === 'utf-16be' ? 0 : 1;
    let at = start;
    for (; at + width <= bytes.byteLength; at += width) {
      const unit =
        width === 1 ? bytes[at] : (bytes[at + high] ?? 0) * 256 + (bytes[at + 1 - high] ?? 0);
      const isSecondOfPair = unit === 0x0a && this.#afterReturn;
      this.#afterReturn = unit === 0x0d;
      if (unit !== 0x0a && unit !== 0x0d) continue;
      if (!isSecondOfPair) {
        this.#keep(bytes.subarray(start, at));
        yield this.#ended();
      }
      start = at + width;
    }
    this.#keep(bytes.subarray(start, at));
    this.#left = bytes.slice(at);
  }

  #keep(part: Uint8Array): void {
    const room = this.#lineMaxBytes - this.#lineBytes;
    // A copy: a view would hold the whole piece.
    if (room > 0 && part.byteLength > 0) this.#line.push(part.slice(0, room));
    this.#lineBytes += part.byteLength;
  }

  #ended(): TextLine {
    const { encoding } = this.#form ?? PLAIN_FORM;
    const bytes = concatBytes(...this.#line);
    const isCut = this.#lineBytes > this.#lineMaxBytes;
    const text = decoded(bytes, encoding);
    const notText = `is not ${encoding === 'utf-8' ? 'UTF-8' : 'UTF-16'}`;
    const line = {
      number: this.#number,
      text: text ?? new TextDecoder(encoding).decode(bytes),
      isCut,
      flaw: isCut
        ? `is longer than ${this.#lineMaxBytes} bytes`
        : text === undefined
          ? notText
          : null,
    };
    this.#line = [];
    this.#lineBytes = 0;
    this.#number += 1;
    return line;
  }
}

/** By its byte order mark, else by where the zeros of its first character are. */
function formOf(bytes: Uint8Array): TextForm {
  const encodings = ['utf-8', 'utf-16le', 'utf-16be'] as const;
  const marked = encodings.find((encoding) =>
    markOf(encoding).every((byte, index) => bytes[index] === byte),
  );
  if (marked !== undefined) return { encoding: marked, hasMark: true };
  const [first, second] = bytes;
  if (first !== undefined && second !== undefined && (first === 0) !== (second === 0))
    return { encoding: first === 0 ? 'utf-16be' : 'utf-16le', hasMark: false };
  return PLAIN_FORM;
}

function markOf(encoding: Encoding): Uint8Array {
  return encoded(MARK, encoding);
}

function encoded(text: string, encoding: Encoding): Uint8Array {
  if (encoding === 'utf-8') return utf8(text);
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16le' ? bytes : bytes.swap16();
}

function decoded(bytes: Uint8Array, encoding: Encoding, isPart = false): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes, {
      stream: isPart,
    });
  } catch {
    return undefined;
  }
}

/** The longest beginning that can be decoded. */
function readableStart(bytes: Uint8Array, encoding: Encoding): string {
  let good = 0;
  let bad = bytes.byteLength + 1;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (decoded(bytes.subarray(0, middle), encoding, true) === undefined) bad = middle;
    else good = middle;
  }
  return decoded(bytes.subarray(0, good), encoding, true) ?? '';
}
