// Finding messages by their words, a part of the store's port. The index follows the messages: what
// was just said is found a moment later, and what was removed is not found any more.

export interface SearchWord {
  /** Folded (lib/text-words.ts). */
  readonly word: string;
  /** Longer words that begin like it count as well. */
  readonly isBeginning: boolean;
}

export interface SearchReads {
  /**
   * The seqs of messages that have all these words, the newest first; of all messages where there
   * are none.
   */
  seqsWithWords(
    words: readonly SearchWord[],
    page: { readonly beforeSeq: number; readonly limit: number },
  ): readonly number[];
  /** The seq of the newest message before a time; 0: there is none. */
  seqBefore(at: number): number;
  /** Whether `tendSearch` has anything to do. */
  isSearchBehind(): boolean;
}

export interface SearchWrites {
  /**
   * Takes some of the newest messages into the index. Where there are none left, it goes on
   * clearing the index of what was removed. Returns whether anything is left to be done.
   */
  tendSearch(messages: number): boolean;
  /** What was removed leaves the index's own pages as well: `tendSearch` does it bit by bit. */
  clearSearch(): void;
}
