// Reads JSON5 into the tree that jsonc-parser makes of JSON, with the place of every part, so that
// one part of a text is changed and the rest stays as it is.
import type { Node } from 'jsonc-parser';

const BLANK = /(?:[\s\u00a0\ufeff]|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/)*/y;
const NAME = /[$_\p{L}\p{Nl}][$_\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\u200c\u200d]*/uy;
const STRING = /"(?:[^"\\\n\r]|\\(?:\r\n|[^]))*"|'(?:[^'\\\n\r]|\\(?:\r\n|[^]))*'/y;
const NUMBER =
  /[+-]?(?:Infinity|NaN|0[xX][0-9a-fA-F]+|(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(\r\n|[^]))/g;
const ESCAPED: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '0': '\0',
};
/** Objects and lists inside each other; a text beyond it is not read. */
const DEPTH_MAX = 200;

/** Where it is no JSON5. */
export class Json5Flaw extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super('it is not JSON5');
    this.offset = offset;
  }
}

/** The tree; undefined for a text of blanks alone. @throws Json5Flaw */
export function parseJson5(text: string): Node | undefined {
  const reader = new Reader(text);
  reader.skip();
  if (reader.at === text.length) return undefined;
  const root = reader.value(undefined, 0);
  reader.skip();
  if (reader.at < text.length) throw new Json5Flaw(reader.at);
  return root;
}

/** Node as it is made here. */
type Made = { -readonly [Key in keyof Node]: Node[Key] };

class Reader {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  skip(): void {
    this.#take(BLANK);
  }

  value(parent: Node | undefined, depth: number): Node {
    const first = this.#text[this.at];
    if (first === '{') return this.#object(parent, depth);
    if (first === '[') return this.#list(parent, depth);
    const offset = this.at;
    const made = (type: Node['type'], value: unknown): Node => ({
      type,
      offset,
      length: this.at - offset,
      value,
      ...(parent && { parent }),
    });
    const string = this.#take(STRING);
    if (string !== undefined) return made('string', unescaped(string));
    const word = this.#take(WORD);
    if (word === 'null') return made('null', null);
    if (word !== undefined) return made('boolean', word === 'true');
    const number = this.#take(NUMBER);
    if (number === undefined) throw new Json5Flaw(this.at);
    return made('number', Number(number.replace(/^\+/, '')));
  }

  #object(parent: Node | undefined, depth: number): Node {
    return this.#within('object', parent, depth, '}', (object) => this.#property(object, depth));
  }

  #list(parent: Node | undefined, depth: number): Node {
    return this.#within('array', parent, depth, ']', (list) => this.value(list, depth + 1));
  }

  #within(
    type: 'object' | 'array',
    parent: Node | undefined,
    depth: number,
    close: string,
    read: (within: Node) => Node,
  ): Node {
    if (depth > DEPTH_MAX) throw new Json5Flaw(this.at);
    const children: Node[] = [];
    const made: Made = { type, offset: this.at, length: 0, children, ...(parent && { parent }) };
    this.at++;
    this.skip();
    while (this.#text[this.at] !== close) {
      children.push(read(made));
      this.skip();
      if (this.#text[this.at] === ',') this.at++;
      else if (this.#text[this.at] !== close) throw new Json5Flaw(this.at);
      this.skip();
    }
    this.at++;
    made.length = this.at - made.offset;
    return made;
  }

  #property(object: Node, depth: number): Node {
    const offset = this.at;
    const quoted = this.#take(STRING);
    const name = quoted === undefined ? this.#take(NAME) : unescaped(quoted);
    if (name === undefined) throw new Json5Flaw(offset);
    const made: Made = { type: 'property', offset, length: 0, children: [], parent: object };
    const key: Node = {
      type: 'string',
      offset,
      length: this.at - offset,
      value: name,
      parent: made,
    };
    this.skip();
    if (this.#text[this.at] !== ':') throw new Json5Flaw(this.at);
    made.colonOffset = this.at++;
    this.skip();
    const value = this.value(made, depth + 1);
    made.children = [key, value];
    made.length = value.offset + value.length - offset;
    return made;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }
}

function unescaped(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replaceAll(ESCAPE, (_, hex?: string, unit?: string, sign: string = '') => {
      const code = hex ?? unit;
      if (code !== undefined) return String.fromCharCode(parseInt(code, 16));
      // A line that goes on.
      return /^[\r\n\u2028\u2029]/.test(sign) ? '' : (ESCAPED[sign] ?? sign);
    });
}
