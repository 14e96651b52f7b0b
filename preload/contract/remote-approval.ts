// The shapes of remote approval: which adults' hubs decide for this one, and what a request looks
// like at either end.
import type { RemoteClass } from './closed-lists.ts';
import type { OutsideText } from './formats.ts';

/** Who decides for the people at this hub. */
export interface RemoteApprovalDto {
  /** From this class on; null: the people here decide everything. */
  readonly from: RemoteClass | null;
  /** Every paired hub of an adult. */
  readonly hubs: readonly {
    readonly id: string;
    readonly name: string;
    readonly person: string | null;
    readonly decides: boolean;
    /** False while it never said that it takes such questions. */
    readonly can: boolean;
  }[];
}

/** An adult's hub that decides about a request of this one. */
export interface DecidingHubDto {
  readonly id: string;
  readonly name: string;
  readonly person: string | null;
  /**
   * asked: it waits there. waiting: on its way, or goes there once that hub has room. unanswered:
   * it ended there without a verdict. away: that hub cannot be reached. older: it takes no such
   * questions.
   */
  readonly state: 'asked' | 'waiting' | 'unanswered' | 'away' | 'older';
}

/**
 * What another hub asks an adult of this one about. The request's own words stand in the approval.
 */
export interface RemoteQuestionDto {
  /**
   * Who made the request, by the name that the asking hub has for it; null: somebody or something
   * on that computer.
   */
  readonly asker: OutsideText | null;
  /** Where `asker` is null: a person there, and no program. */
  readonly by_person: boolean;
  /** The digest that both hubs decide about, in hex. */
  readonly digest: string;
  readonly message_id: OutsideText;
}
