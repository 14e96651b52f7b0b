// Changes one place of a JSON or JSON5 text, as editors keep it, and nothing else: blanks, line
// ends and comments stay.
import * as jsonc from 'jsonc-parser';
import { LINE_END } from '../lib/decode-text.ts';

type Path = readonly (string | number)[];
/** undefined: it cannot be read. */
type Parse = (text: string) => jsonc.Node | undefined;

/** JSON with comments and trailing commas. */
const parsed: Parse = (text) => jsonc.parseTree(text, [], { allowTrailingComma: true });

/** Where the place is taken, or written in another way. */
export const CLASH = 'the entry cannot be changed without changing others';

export function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

export function lineEndOf(text: string): string {
  return LINE_END.exec(text)?.[0] ?? '\n';
}

/** JSON text with this value at a path. @throws Error where something else stands on the way */
export function withProperty(
  text: string,
  path: readonly string[],
  value: unknown,
  parse: Parse = parsed,
): string {
  const root = parse(text);
  const unit = /^(?:\t| +)(?=\S)/m.exec(text)?.[0] ?? '  ';
  const end = lineEndOf(text);
  const written = (content: unknown, indent: string | null): string =>
    indent === null
      ? JSON.stringify(content)
      : JSON.stringify(content, null, unit).replaceAll('\n', end + indent);
  const known = path.findLastIndex((_key, index) => nodeAt(root, path.slice(0, index)));
  const parent = nodeAt(root, path.slice(0, known));
  const key = path[known];
  if (parent?.type !== 'object' || key === undefined) throw new Error(CLASH);
  const isWide = isSpread(text, parent);
  const level = unit.repeat(known);
  const present = nodeAt(root, path);
  if (present !== undefined)
    return replaced(
      text,
      present.offset,
      present.length,
      written(value, isWide ? level + unit : null),
    );
  const properties = parent.children ?? [];
  const last = properties.at(-1);
  const indent = last === undefined ? level + unit : (indentOf(text, last.offset) ?? level + unit);
  const content = nested(path.slice(known + 1), value);
  const property = `${JSON.stringify(key)}: ${written(content, isWide ? indent : null)}`;
  if (last !== undefined) {
    const between = isWide ? `,${end}${indent}` : ', ';
    return replaced(text, last.offset + last.length, 0, between + property);
  }
  const isOneLine = !LINE_END.test(textOf(text, parent));
  const after = isOneLine ? end + level : '';
  return replaced(text, parent.offset + 1, 0, `${end}${indent}${property}${after}`);
}

/** JSON text without what stands at a path: its own lines, and one comma. */
export function withoutProperty(
  text: string,
  path: readonly string[],
  parse: Parse = parsed,
): string {
  const property = nodeAt(parse(text), path)?.parent;
  return property === undefined ? text : without(text, property);
}

/** What stands around it stays, comments too. @param part a property, or an element of a list */
function without(text: string, part: jsonc.Node): string {
  const { parent } = part;
  if (parent === undefined) return text;
  const index = parent.children?.indexOf(part) ?? 0;
  const before = parent.children?.[index - 1];
  const ends = part.offset + part.length;
  const inner = parent.offset + 1;
  const comma =
    commaAfter(text, ends) ??
    (before === undefined ? undefined : commaAfter(text, before.offset + before.length));
  const blank = /(?:(?:\r\n|\r|\n)[ \t]*|[ \t]+)$/.exec(text.slice(inner, part.offset))?.[0] ?? '';
  let kept = replaced(text, part.offset - blank.length, blank.length + part.length, '');
  if (comma !== undefined) {
    const moved = comma < part.offset ? comma : comma - blank.length - part.length;
    kept = replaced(kept, moved, 1, '');
  }
  const rest = kept.slice(inner).search(/\S/);
  return /[}\]]/.test(kept[inner + rest] ?? '') ? replaced(kept, inner, rest, '') : kept;
}

function nodeAt(root: jsonc.Node | undefined, path: Path): jsonc.Node | undefined {
  return root === undefined ? undefined : jsonc.findNodeAtLocation(root, [...path]);
}

function textOf(text: string, { offset, length }: jsonc.Node): string {
  return text.slice(offset, offset + length);
}

/** What is put into it begins a line of its own. */
function isSpread(text: string, object: jsonc.Node): boolean {
  return (object.children ?? []).length === 0 || LINE_END.test(textOf(text, object));
}

/** The blanks before a place, where nothing else stands before it on its line. */
function indentOf(text: string, offset: number): string | undefined {
  return /(?:^|[\r\n])([ \t]*)$/.exec(text.slice(0, offset))?.[1];
}

/** Where a comma stands next behind a place, blanks and comments aside. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = jsonc.createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === ',' ? at : undefined;
}

function replaced(text: string, offset: number, length: number, content: string): string {
  return text.slice(0, offset) + content + text.slice(offset + length);
}

/** JSON text with this value behind the others of a list. @throws Error where there is no list */
export function withElement(text: string, path: Path, value: unknown): string {
  const list = nodeAt(parsed(text), path);
  if (list?.type !== 'array') throw new Error(CLASH);
  const last = list.children?.at(-1);
  const at = last === undefined ? list.offset + 1 : last.offset + last.length;
  const content = JSON.stringify(value);
  const indent = last === undefined ? undefined : indentOf(text, last.offset);
  const between = indent === undefined ? ', ' : `,${lineEndOf(text)}${indent}`;
  return replaced(text, at, 0, last === undefined ? content : between + content);
}

/** JSON text without one of several in a list, and without one comma. */
export function withoutElement(text: string, path: Path): string {
  const element = nodeAt(parsed(text), path);
  if (element === undefined || (element.parent?.children ?? []).length < 2) throw new Error(CLASH);
  return without(text, element);
}
