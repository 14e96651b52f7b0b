// The record of who said and did what, as it crosses a process boundary. Same conventions as
// dto.ts. Imports types only.
import type { ApprovalDto, ChoiceDto, DeliveryDto, Surface, TaskDto } from './dto.ts';
import type { TaskState } from './closed-lists.ts';
import type { DeliveryKind } from './delivery-kind.ts';
import type { OutsideText } from './formats.ts';
import type { StoryDto } from './story.ts';

export type ConversationActivity = 'open' | 'idle' | 'archived';

export interface ConversationDto {
  readonly id: string;
  readonly peer_id: string | null;
  readonly peer_name: string;
  readonly from_agent: OutsideText | null;
  readonly to_agent: OutsideText | null;
  readonly title: OutsideText;
  /** Whose words the title is: another hub's, or those of this one. */
  readonly title_by: 'them' | 'us';
  /** Where its newest task is. */
  readonly state: string | null;
  /** That of its newest task. */
  readonly story: StoryDto | null;
  /** Whether something of it is under way; if not, whether anything was said lately. */
  readonly activity: ConversationActivity;
  readonly first_at: number;
  readonly last_at: number;
  readonly messages: number;
}

export interface ConversationEntryDto {
  /** For people the number of it in this hub's record; for agents its place here. */
  readonly seq: number;
  readonly at: number;
  readonly message_id: string | null;
  /** The message that it answers or is about. */
  readonly ref: string | null;
  readonly direction: 'in' | 'out' | 'local' | 'here';
  /**
   * A wire kind, or 'decision' for what a person, a rule or the clock did: here, or (direction
   * `in`) at the hub that was asked.
   */
  readonly kind: string;
  readonly who: string;
  /** Of a decision at the hub that was asked: who made it, as that hub says. */
  readonly person: OutsideText | null;
  readonly agent: OutsideText | null;
  /** That agent as people read it. */
  readonly agent_name: OutsideText | null;
  /**
   * Its words; the JSON as it was sent, indented, where they are no text. Cut with a mark where it
   * is too long.
   */
  readonly text: OutsideText | null;
  /**
   * Where they are no text: the fields of it as [path, value] pairs in order, like those of a
   * request. null: `text` is all there is.
   */
  readonly fields: readonly (readonly [OutsideText, OutsideText])[] | null;
  /** Fields beyond the bound of an entry, which do not stand in `fields`. */
  readonly fields_left_out: number;
  /**
   * Of a report how the task ended; of a request that nothing answers yet, or ever did, where its
   * task is; of a decision what it was.
   */
  readonly state: string | null;
  /** Of what has a state: the whole story of its request. */
  readonly story: StoryDto | null;
  /** Of a request that ended and that no report answers: why, in this hub's words. */
  readonly reason: OutsideText | null;
  /** What the other hub said about that. */
  readonly reason_there: OutsideText | null;
  readonly surface: Surface | null;
  readonly digest: string | null;
  /** Of a request, for people: all else that whoever made it says. */
  readonly request?: RequestWordsDto;
}

export interface RequestWordsDto {
  /** The area that it names, where that is the name of one. */
  readonly domain: string | null;
  /** In the words of whoever asks, unchecked. */
  readonly reason: OutsideText | null;
  /** What it says beside its text, its reason and its options. */
  readonly fields: readonly (readonly [OutsideText, OutsideText])[];
  readonly fields_left_out: number;
  /** What a person is to choose from; null: nothing. */
  readonly choice: ChoiceDto | null;
  /**
   * Where one hub decides for another: who asks whom, and the request as it stands at the hub that
   * asks, whose words these then are. null: it is a request of its own.
   */
  readonly decision: Pick<StoryDto, 'asked' | 'on_behalf_of'> | null;
}

export interface ConversationDetailDto {
  readonly conversation: ConversationDto;
  /** Who said something in it, or was told. */
  readonly participants: readonly SpeakerDto[];
  /** For people: other conversations under the same label, by their ids. */
  readonly linked: readonly string[];
  /** The newest 500; where they say too much for one answer, the older ones by their beginnings. */
  readonly entries: readonly ConversationEntryDto[];
  /** The newest first, as far as there is room. */
  readonly tasks: readonly TaskDto[];
  /** How many older ones there was no room for. */
  readonly older_tasks: number;
}

/** A message that was found by its words. */
export interface SearchHitDto {
  readonly conversation_id: string | null;
  /** As that of an entry of a conversation. */
  readonly seq: number;
  readonly at: number;
  readonly direction: 'in' | 'out' | 'local';
  /** A wire kind. */
  readonly kind: string;
  /** Who said it to whom. */
  readonly from: SpeakerDto;
  readonly to: SpeakerDto;
  /** The words around the first hit in pieces, each with whether it is a hit. */
  readonly snippet: readonly (readonly [text: OutsideText, isHit: boolean])[];
  /** Of what belongs to a request: what came of it, and what was decided by whom. */
  readonly state: string | null;
  readonly story: StoryDto | null;
  readonly decision: ConversationEntryDto | null;
}

/** A message that an agent sent or was given, in its own language. */
export interface OwnMessageDto {
  readonly at: number;
  readonly sent: boolean;
  readonly kind: DeliveryKind;
  readonly task_id: string | null;
  /** Of that task, as it is now. */
  readonly state: TaskState | null;
  /** What it sent. */
  readonly native: unknown;
  /** What it was given, and by whom. */
  readonly untrusted: {
    readonly native: unknown;
    readonly origin: DeliveryDto['untrusted']['origin'];
  } | null;
}

export interface SpeakerDto {
  readonly hub_name: string;
  readonly agent_name: OutsideText | null;
}

/** All that this hub knows of one message. */
export interface InspectionDto {
  readonly message: {
    readonly seq: number;
    readonly message_id: string;
    readonly direction: 'in' | 'out' | 'local';
    readonly kind: string;
    /** The message that it answers. */
    readonly ref: string | null;
    readonly at: number;
    readonly from: SpeakerDto;
    readonly to: SpeakerDto;
  };
  /**
   * What it says as this hub keeps it, JSON in one line, escaped; null: it is no longer kept. What
   * was not kept with its task is as it came.
   */
  readonly payload: OutsideText | null;
  readonly bytes: number | null;
  readonly task: TaskDto | null;
  /** Who was asked here, why, and what was decided. */
  readonly approval: ApprovalDto | null;
}
