// The shapes of consent: whose hubs decide about requests of this one, and what a request looks like at either of them.
import type { OutsideText } from './dto.ts';

/** Who decides in the place of the people at this hub. */
export interface ConsentSettingDto {
  /** From this class on; null: the people here decide everything. */
  readonly from: 'R1' | 'R2' | 'R3' | null;
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
export interface ConsentHubDto {
  readonly id: string;
  readonly name: string;
  readonly person: string | null;
  /**
   * asked: it waits there; asking: on its way; in_line: as much as may be waits there already, or just went there; unanswered: it ended there
   * without a person's word, and is asked again later; refused: that hub did not understand the question, and is asked again later; too_late:
   * too little time is left to be asked in; away: it cannot be reached; older: it takes no such questions.
   */
  readonly state: 'asked' | 'asking' | 'in_line' | 'unanswered' | 'refused' | 'too_late' | 'away' | 'older';
}

/** What another hub asks an adult of this one about. The request's own words stand in the approval. */
export interface ConsentAskedDto {
  /** Who made the request, by the name that the asking hub has for it; null: somebody or something on that computer. */
  readonly asker: OutsideText | null;
  /** Where `asker` is null: a person there, and no program. */
  readonly by_person: boolean;
  /** The digest that both hubs decide about, in hex. */
  readonly digest: string;
  readonly message_id: OutsideText;
  /**
   * How far what was said here has come. waits: it is on its way, or waits for that hub; told: that hub has it; given_up: it never came there;
   * unused: that hub has it and said that it did not use it. null: nothing was said yet, or had to be.
   */
  readonly told: 'waits' | 'told' | 'given_up' | 'unused' | null;
}
