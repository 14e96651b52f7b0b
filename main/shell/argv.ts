// What a second start of the app may ask of the running one. Its arguments are outside input:
// everything but the listed words is ignored.

interface StartRequest {
  readonly show: boolean;
  readonly hidden: boolean;
}

const ARGUMENTS_READ_MAX = 64;

/** Reads the two words the app knows. Anything else, however long or strange, changes nothing. */
export function readStartArguments(argv: readonly unknown[]): StartRequest {
  const words = argv
    .slice(0, ARGUMENTS_READ_MAX)
    .filter((word): word is string => typeof word === 'string');
  return { show: words.includes('--show'), hidden: words.includes('--hidden') };
}
