// A place in the agents' inboxes, by which what was there before it is told from what came since. Only types.

export interface InboxPlace {
  /** Of the items: those up to it are before. */
  readonly seq: number;
  /** Of the tasks: an item that is work is before, too, where what was asked is up to it. */
  readonly taskSeq: number;
}
