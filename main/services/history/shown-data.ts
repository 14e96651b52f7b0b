// What a sender sent, shortened for people: text as text, anything else field by field and as
// indented JSON. Escaped, with a mark where it was cut and a count of what was left out. Pure; its
// output never much exceeds the given size.
import { firstJsonFields, type JsonField } from '../../core/json-fields.ts';
import { escapeText } from '../../core/text-escape.ts';
import { beginning } from '../../lib/shortened.ts';

export interface ShownData {
  /** Words as they are; else the JSON as it was sent, indented. */
  readonly text: string;
  /** Where it is not words: the first fields of it. null: `text` is all there is. */
  readonly fields: readonly JsonField[] | null;
  /** Fields that found no room. */
  readonly fields_left_out: number;
}

/** @param room characters of the text, and again of the fields, before they are escaped */
export function shownData(value: unknown, room: number): ShownData {
  if (typeof value === 'string')
    return { text: boundedText(value, room), fields: null, fields_left_out: 0 };
  return { text: boundedText(JSON.stringify(value, null, 2), room), ...shownFields(value, room) };
}

/** Its fields alone; null for what is one value without a name. */
export function shownFields(
  value: unknown,
  room: number,
): Pick<ShownData, 'fields' | 'fields_left_out'> {
  const { fields, leftOut } = firstJsonFields(value, (text) => boundedText(text, room), room);
  // What has no members is one value without a name.
  return fields[0]?.[0] === ''
    ? { fields: null, fields_left_out: 0 }
    : { fields, fields_left_out: leftOut };
}

/** Escaped, and with a mark where it was cut. */
export function boundedText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return escapeText(text);
  return `${escapeText(beginning(text, maxCharacters))}\n[...]`;
}
