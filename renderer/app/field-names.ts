// Names of fields as people read them. Somebody else wrote the fields: a name that is not letter by
// letter what was sent is only made where no other field could be meant by it, and whoever draws it
// keeps the exact path within reach. Pure.
import { areaName } from '../../preload/contract/strings/shared-words.ts';
import { words } from './words.ts';

/**
 * What people read as words: small letters and digits, joined by single marks, and places in a
 * list. "context." is where askers put what belongs to the task.
 */
const FIELD_PATH =
  /^(?:context\.)?([a-z][a-z0-9]*(?:(?:[_.-]|(?:\[[0-9]{1,4}\])+\.)[a-z0-9]+)*(?:\[[0-9]{1,4}\])*)$/;
const PLACE = /\[([0-9]+)\]/g;

export type Field = readonly [path: string, value: string];

interface NamedField {
  readonly name: string;
  /** The name is the field's own path, letter by letter, not words made of it. */
  readonly exact: boolean;
  readonly value: string;
}

/**
 * Fields by names that people read: "context.dinner_time" as "Dinner time", "context.who[0]" as
 * "Who, 1st". A path that is more than plain words, or that would read like another one, stands as
 * it is.
 */
export function namedFields(fields: readonly Field[]): readonly NamedField[] {
  const readable = fields.map(([path]) => readablePath(path));
  const uses = new Map<string, number>();
  for (const name of readable)
    if (name !== undefined) uses.set(name.toLowerCase(), (uses.get(name.toLowerCase()) ?? 0) + 1);
  return fields.map(([path, value], index) => {
    const name = readable[index];
    return name !== undefined && uses.get(name.toLowerCase()) === 1
      ? { name, exact: false, value }
      : { name: path, exact: true, value };
  });
}

function readablePath(path: string): string | undefined {
  const plain = FIELD_PATH.exec(path)?.[1];
  if (plain === undefined) return undefined;
  // Texts and places by turns: what was sent between two places, then the number of the next one.
  const parts = plain.split(PLACE).map((part, index) => {
    if (index % 2 === 1) return words.common.placeInList(Number(part) + 1);
    const said = part.replace(/^\./, '').replaceAll(/[_.-]/g, ' ');
    return index === 0 ? areaName(said) : said;
  });
  return parts.filter((part) => part !== '').join(words.common.between);
}
