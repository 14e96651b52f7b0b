// What a start of the app, or a link that somebody opened, may ask of it. Both are outside input:
// everything but two words and the two kinds of axon:// links is ignored, and a link fills in a
// form at most.

export interface StartRequest {
  readonly hidden: boolean;
  /** For the form under "Add a hub"; the hub judges it once a person sends it. */
  readonly link: string | null;
}

const ARGUMENTS_READ_MAX = 64;
/** What the form takes. */
const LINK_MAX_CHARACTERS = 1_024;
/** A hub's key and address. */
const SHARE_LINK = /^axon:\/\/[\w-]{43}@(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\]):\d{1,5}$/i;
/** An invitation: its fields are signs of the address of a page alone. */
const INVITATION = /^axon:\/\/pair\?[\w.~%=&:[\]*'()!-]+$/i;

/** The link as it goes into the form; null for everything else, however long or strange. */
export function readLink(word: unknown): string | null {
  if (typeof word !== 'string' || word.length > LINK_MAX_CHARACTERS) return null;
  // Some systems close an address with a slash.
  const link = word.replace(/\/$/, '');
  return (SHARE_LINK.test(link) || INVITATION.test(link)) && isAxonUrl(link) ? link : null;
}

/** Anything else changes nothing. A link wins over every other word. */
export function readStartArguments(argv: readonly unknown[]): StartRequest {
  const words = argv.slice(0, ARGUMENTS_READ_MAX);
  const link = words.map(readLink).find((found) => found !== null) ?? null;
  return { hidden: link === null && words.includes('--hidden'), link };
}

function isAxonUrl(text: string): boolean {
  try {
    return new URL(text).protocol === 'axon:';
  } catch {
    return false;
  }
}
