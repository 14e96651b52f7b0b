// The beginning of a text that is too long, which says that it is one. Pure. Never ends in half of
// a character.

const MARK = '…';

/** The text, or as much of its beginning as fits, with an ellipsis. */
export function shortened(text: string, maxCharacters: number): string {
  const whole = text.toWellFormed();
  if (whole.length <= maxCharacters) return whole;
  return `${beginning(whole, maxCharacters - MARK.length)}${MARK}`;
}

/** As much of the beginning of a text as fits, unmarked: its caller says so. */
export function beginning(text: string, maxCharacters: number): string {
  return text.slice(0, wholeUntil(text, Math.max(0, maxCharacters)));
}

/** Where to cut instead of there: not between the halves of a character. */
export function wholeUntil(text: string, at: number): number {
  const isInside = at > 0 && at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xffff;
  return isInside ? at - 1 : at;
}

/** The first entries of a list, which says that there are more. */
export function listed(entries: readonly string[], max: number, between = ', '): string {
  const shown = entries.slice(0, max).join(between);
  return entries.length > max ? `${shown} and more` : shown;
}

/**
 * How much of the beginning of a text fits into so many bytes of JSON that is written in ASCII, as
 * between hubs.
 */
export function beginningInJson(text: string, maxBytes: number): string {
  let left = maxBytes;
  for (let at = 0; at < text.length;) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    left -= costInJson(character);
    if (left < 0) return text.slice(0, at);
    at += character.length;
  }
  return text;
}

function costInJson(character: string): number {
  if (character > '~') return 6 * character.length;
  return JSON.stringify(character).length - 2;
}
