// Finding messages by their words, a part of the store's port. The index follows the messages: what
// was just said is found a moment later, and what was removed is not found any more.
import type { IndexWord } from '../lib/text-words.ts';

interface SeqPage {
  readonly beforeSeq: number;
  readonly limit: number;
}

export interface SearchReads {
  /**
   * The seqs of messages that have all these words, the newest first; of all messages where there
   * are none.
   */
  seqsWithWords(words: readonly IndexWord[], page: SeqPage): readonly number[];
  /**
   * One step of a walk through what an agent of this hub said or was told, the newest first, from
   * an index of just that: what others said is not looked at, but for what no index has yet. Where
   * the step may, it leaves out what lacks one of these words.
   */
  seqsOfAgent(
    agent: string,
    words: readonly IndexWord[],
    page: SeqPage,
  ): {
    readonly seqs: readonly number[];
    /** Before which seq to go on; null: that was all. */
    readonly next: number | null;
  };
  /** The seq of the newest message before a time; 0: there is none. */
  seqBefore(at: number): number;
  /** Whether `tendSearch` has anything to do. */
  isSearchBehind(): boolean;
}

export interface SearchWrites {
  /**
   * Takes some of the newest messages into the index. Where there are none left, it takes in again
   * those that an older hub took in by other rules, the newest first, and then clears the index of
   * what was removed. Returns whether anything is left to be done.
   */
  tendSearch(messages: number): boolean;
  /** What was removed leaves the index's own pages as well: `tendSearch` does it bit by bit. */
  clearSearch(): void;
}
