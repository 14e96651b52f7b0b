// What an owner passphrase may be, wherever one is set: on a page, at a terminal, from a file. What
// is set can be typed anywhere. Imports nothing.

/** The shortest owner passphrase. */
export const PASSPHRASE_MIN_CHARACTERS = 8;

/**
 * What is drawn as nothing, breaks the line, or stands for what could not be read. Joiners and
 * selectors stay: keyboards of some scripts, and of emoji, type them.
 */
const UNTYPEABLE =
  /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Control}\p{Surrogate}\p{Line_Separator}\p{Paragraph_Separator}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufffd]/u;

/**
 * The passphrase that is meant: without blanks around it, which nobody sees, and in the one form
 * that every keyboard's way of writing the same letters comes to.
 */
export function tidyPassphrase(text: string): string {
  return text.normalize('NFKC').trim();
}

/** Why a passphrase cannot be set; null where it can. */
export function passphraseFlaw(text: string): 'hidden' | 'short' | null {
  const tidy = tidyPassphrase(text);
  if (UNTYPEABLE.test(tidy)) return 'hidden';
  return tidy.length < PASSPHRASE_MIN_CHARACTERS ? 'short' : null;
}
