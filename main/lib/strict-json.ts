// The one door through which JSON from outside becomes values. A single pass over the text checks
// everything JSON.parse is lenient about (depth, size, duplicate and prototype keys, lone
// surrogates, numbers that would change), and builds the value as it goes: JSON.parse of Node 24
// takes a key with an escape for another one that it read before. It never recurses, so no nesting
// can overflow the stack, and it never repairs: a text is taken as it is or refused with a
// sentence.
import { placeIn } from './decode-text.ts';
import { err, ok, type Result } from './result.ts';

export interface JsonLimits {
  /** UTF-8 bytes of the whole text. */
  readonly sizeMaxBytes: number;
  /** Containers inside one another; the outermost counts as 1. */
  readonly depthMax: number;
  /** Values of every type, containers included, keys not. */
  readonly nodesMax: number;
  readonly keysPerObjectMax: number;
}

interface JsonRefusal {
  readonly reason: string;
  /**
   * Members of the outermost object that hold a short string, as far as the text was read: enough
   * to say which message was refused.
   */
  readonly outerStrings: ReadonlyMap<string, string>;
}

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const PLAIN_KEY = /^[A-Za-z0-9_.-]{1,64}$/;
/** Longer strings of the outermost object are not collected for a refusal. */
const OUTER_STRING_MAX_CHARACTERS = 128;
/**
 * From here on JavaScript writes a number with an exponent, so it can no longer be taken for an
 * exact integer.
 */
const EXPONENT_NOTATION_FROM = 1e21;

interface Container {
  readonly keys: Set<string> | null;
  readonly value: unknown[] | Record<string, unknown>;
  /** The member being read, of an object. */
  member: string | null;
  empty: boolean;
}

/** Parses `input` or gives one sentence that says what is wrong with it. Never throws. */
export function parseStrictJson(
  input: Uint8Array | string,
  limits: JsonLimits,
): Result<unknown, string> {
  const parsed = readStrictJson(input, limits);
  return parsed.ok ? parsed : err(parsed.error.reason);
}

/** As parseStrictJson; a refusal also carries what was learnt of the outermost object. */
export function readStrictJson(
  input: Uint8Array | string,
  limits: JsonLimits,
): Result<unknown, JsonRefusal> {
  const nothing = new Map<string, string>();
  const size = typeof input === 'string' ? Buffer.byteLength(input) : input.byteLength;
  if (size > limits.sizeMaxBytes) {
    return err({
      reason: `the message is ${size} bytes long; ${limits.sizeMaxBytes} is the most`,
      outerStrings: nothing,
    });
  }
  const text = typeof input === 'string' ? input : decodeUtf8(input);
  if (text === undefined)
    return err({ reason: 'the bytes are not valid UTF-8', outerStrings: nothing });
  const scanner = new Scanner(text, limits);
  const reason = scanner.scan();
  if (reason !== undefined) return err({ reason, outerStrings: scanner.outerStrings });
  return ok(scanner.value);
}

/** Why parseStrictJson would refuse a text of JSON.stringify, whatever its size; or undefined. */
export function whyRefused(text: string, limits: JsonLimits): string | undefined {
  return new Scanner(text, limits).scan();
}

/**
 * As parseStrictJson, for a file that a person writes: what is wrong comes with its place, as
 * "line 2, column 5: ...".
 */
export function parseJsonFile(text: string, limits: JsonLimits): Result<unknown, string> {
  const scanner = new Scanner(text, limits, false);
  const reason = scanner.scan();
  if (reason === undefined) return parseStrictJson(text, limits);
  const { at } = scanner;
  const isComment = /^(?:\/[/*]|#)/.test(text.slice(at, at + 2));
  const said = isComment ? 'a comment is not allowed; take it out' : reason;
  return err(`${placeIn(text, at)}: ${said}`);
}

/** Whether JSON.parse takes it, which takes more than arrives as it is. */
export function isLenientJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

class Scanner {
  readonly outerStrings = new Map<string, string>();
  /** What was read. */
  value: unknown;
  readonly #text: string;
  readonly #limits: JsonLimits;
  readonly #stack: Container[] = [];
  readonly #saysPlace: boolean;
  #at = 0;
  #nodes = 0;

  /** @param saysPlace whether a reason names the character */
  constructor(text: string, limits: JsonLimits, saysPlace = true) {
    this.#text = text;
    this.#limits = limits;
    this.#saysPlace = saysPlace;
  }

  /** How far the text was read. */
  get at(): number {
    return this.#at;
  }

  /** Walks the whole text once. Returns the reason for a refusal, or undefined. */
  scan(): string | undefined {
    if (this.#text.charCodeAt(0) === 0xfeff)
      return 'the text begins with a byte order mark; send it without';
    let reason = this.#value();
    while (reason === undefined) {
      this.#skipSpace();
      const container = this.#stack.at(-1);
      if (container === undefined) {
        return this.#at === this.#text.length
          ? undefined
          : `something follows the end of the JSON document${this.#where()}`;
      }
      reason =
        container.keys === null
          ? this.#nextItem(container)
          : this.#nextMember(container, container.keys);
    }
    return reason;
  }

  #nextItem(container: Container): string | undefined {
    if (this.#take(']')) return this.#close();
    if (!container.empty && !this.#take(',')) return `expected "," or "]"${this.#where()}`;
    container.empty = false;
    return this.#value();
  }

  #nextMember(container: Container, keys: Set<string>): string | undefined {
    if (this.#take('}')) return this.#close();
    if (!container.empty && !this.#take(',')) return `expected "," or "}"${this.#where()}`;
    container.empty = false;
    this.#skipSpace();
    const start = this.#at;
    if (this.#text[start] !== '"') return `expected a key in quotes${this.#where()}`;
    const reason = this.#string();
    if (reason !== undefined) return reason;
    const key = this.#literal(start);
    const isTwice = keys.has(key);
    if (isTwice || FORBIDDEN_KEYS.has(key)) {
      this.#at = start;
      return isTwice
        ? `the key ${shown(key)} stands twice in one object`
        : `the key "${key}" is not allowed`;
    }
    if (keys.size >= this.#limits.keysPerObjectMax)
      return `an object has more than ${this.#limits.keysPerObjectMax} keys`;
    keys.add(key);
    container.member = key;
    this.#skipSpace();
    if (!this.#take(':')) return `expected ":" after a key${this.#where()}`;
    return this.#value();
  }

  #close(): undefined {
    this.#stack.pop();
    return undefined;
  }

  #value(): string | undefined {
    this.#skipSpace();
    this.#nodes += 1;
    if (this.#nodes > this.#limits.nodesMax)
      return `the message holds more than ${this.#limits.nodesMax} values`;
    const first = this.#text[this.#at];
    if (first === '{' || first === '[') return this.#open(first === '{');
    if (first === '"') return this.#stringValue();
    if (first === 't') return this.#word('true', true);
    if (first === 'f') return this.#word('false', false);
    if (first === 'n') return this.#word('null', null);
    if (first !== undefined && (first === '-' || (first >= '0' && first <= '9')))
      return this.#number();
    return first === undefined
      ? 'the JSON document ends too early'
      : `expected a JSON value${this.#where()}`;
  }

  #open(isObject: boolean): string | undefined {
    if (this.#stack.length >= this.#limits.depthMax)
      return `the message is nested deeper than ${this.#limits.depthMax} levels`;
    this.#at += 1;
    const value = isObject ? {} : [];
    this.#put(value);
    this.#stack.push({ keys: isObject ? new Set() : null, value, member: null, empty: true });
    return undefined;
  }

  /** Where it stands: in the innermost container, or alone. */
  #put(value: unknown): void {
    const container = this.#stack.at(-1);
    if (container === undefined) this.value = value;
    else if (Array.isArray(container.value)) container.value.push(value);
    else container.value[container.member ?? ''] = value;
  }

  #stringValue(): string | undefined {
    const start = this.#at;
    const reason = this.#string();
    if (reason !== undefined) return reason;
    const value = this.#literal(start);
    this.#put(value);
    const outer = this.#stack.length === 1 ? this.#stack[0] : undefined;
    if (typeof outer?.member === 'string' && this.#at - start <= OUTER_STRING_MAX_CHARACTERS) {
      this.outerStrings.set(outer.member, value);
    }
    return undefined;
  }

  #word(word: string, value: boolean | null): string | undefined {
    if (!this.#text.startsWith(word, this.#at)) return `expected a JSON value${this.#where()}`;
    this.#at += word.length;
    this.#put(value);
    return undefined;
  }

  #number(): string | undefined {
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.#text);
    if (match === null) return `a number is malformed${this.#where()}`;
    const value = Number(match[0]);
    const writtenAsInteger = match[1] === undefined && match[2] === undefined;
    if (!Number.isFinite(value)) return `a number is too large to be one${this.#where()}`;
    if (Object.is(value, -0))
      return `minus zero is not a number that survives${this.#where()}; send 0`;
    const mustBeExact = writtenAsInteger || Math.abs(value) < EXPONENT_NOTATION_FROM;
    if (mustBeExact && Number.isInteger(value) && !Number.isSafeInteger(value)) {
      return `a whole number is beyond 2^53 - 1 and would change${this.#where()}; send it as a string`;
    }
    this.#at += match[0].length;
    this.#put(value);
    return undefined;
  }

  /**
   * Reads one string literal. Escapes are checked, surrogates must come in pairs whether written
   * out or as \u escapes.
   */
  #string(): string | undefined {
    const text = this.#text;
    let highPending = false;
    for (this.#at += 1; this.#at < text.length; this.#at += 1) {
      let unit = text.charCodeAt(this.#at);
      if (unit === 0x22) {
        if (highPending) return this.#loneSurrogate();
        this.#at += 1;
        return undefined;
      }
      if (unit < 0x20) return `a control character stands unescaped in a string${this.#where()}`;
      if (unit === 0x5c) {
        const escaped = this.#escape();
        if (escaped === undefined)
          return `a string holds an escape that JSON does not know${this.#where()}`;
        unit = escaped;
      }
      const isLow = unit >= 0xdc00 && unit <= 0xdfff;
      if (isLow !== highPending) return this.#loneSurrogate();
      highPending = unit >= 0xd800 && unit <= 0xdbff;
    }
    return 'a string has no end';
  }

  /**
   * At a backslash: moves to the last character of the escape and returns its UTF-16 unit;
   * undefined when it is none.
   */
  #escape(): number | undefined {
    const kind = this.#text[this.#at + 1];
    if (kind === 'u') {
      const digits = this.#text.slice(this.#at + 2, this.#at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) return undefined;
      this.#at += 5;
      return Number.parseInt(digits, 16);
    }
    if (kind === undefined || !'"\\/bfnrt'.includes(kind)) return undefined;
    this.#at += 1;
    // Which character it is does not matter here: none of these is a surrogate.
    return 0x20;
  }

  #loneSurrogate(): string {
    return `a string holds half of a surrogate pair${this.#where()}; such text changes when it is stored`;
  }

  #literal(start: number): string {
    return String(JSON.parse(this.#text.slice(start, this.#at)));
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.#at += 1;
    }
  }

  #where(): string {
    return this.#saysPlace ? ` at character ${this.#at}` : '';
  }
}

/**
 * A key in a sentence: only plain ones are repeated, so that a hostile one cannot speak through our
 * words.
 */
function shown(key: string): string {
  return PLAIN_KEY.test(key) ? `"${key}"` : 'with unusual characters';
}
