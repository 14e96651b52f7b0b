// The words of a text, for finding it again: without case, accents or punctuation. Pure.

interface TextWord {
  /** Folded: what is compared. */
  readonly word: string;
  /** Where it stands in the text. */
  readonly from: number;
  readonly to: number;
}

/** Longer words are compared by their beginning. */
const WORD_MAX_CHARACTERS = 64;
/** Chinese and Japanese have no spaces between words: there each character is one. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}\p{Co}])+/gu;

export function* textWords(text: string): Generator<TextWord> {
  for (const { 0: found, index } of text.matchAll(WORD)) {
    const word = folded(found);
    if (word !== '') yield { word, from: index, to: index + found.length };
  }
}

function folded(word: string): string {
  const start = word.slice(0, WORD_MAX_CHARACTERS).toWellFormed();
  return start
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{Co}]+/gu, '');
}
