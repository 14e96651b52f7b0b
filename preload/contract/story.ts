// The story of one request, as plain JSON: who asked, who decided, who got it, how it ended, who
// asked it to stop, and whether the asker was told. core/story.ts reads it once from the row of the
// task. Every surface shows this value, in the words of strings/story.ts, and works out nothing by
// itself. What cannot have happened together does not fit the types. Imports types and lists only.
import type { Surface, TaskDirection } from './closed-lists.ts';
import type { HoldReason } from './attention.ts';
import type { ErrorCode } from './errors.ts';
import type { OutsideText } from './formats.ts';
import type { RuleDto } from './rules.ts';

/** decision: another hub asks whether it may do something. */
export const STORY_KINDS = ['question', 'task', 'choice', 'decision', 'permission'] as const;
export type StoryKind = (typeof STORY_KINDS)[number];

/** What set the end of its time: the asker's word, the usual time, this hub, or a person here. */
export const DEADLINE_SETTERS = ['asker', 'default', 'hub', 'person'] as const;
export type DeadlineSetter = (typeof DEADLINE_SETTERS)[number];

/** Whom it waits for: a person here, the hub that was asked, or an adult's hub. */
export const WAITS_FOR = ['person', 'peer', 'adult'] as const;
export type WaitsFor = (typeof WAITS_FOR)[number];

/**
 * passed: nobody had to be asked. expired: nobody decided in time. withdrawn: whoever asked took it
 * back before anybody decided.
 */
export const VERDICTS = [
  'allowed',
  'declined',
  'answered',
  'chosen',
  'passed',
  'expired',
  'withdrawn',
] as const;
export type VerdictOutcome = (typeof VERDICTS)[number];

/** As what a person decided: for the own household's hub, or as the adult of a child's hub. */
export const VERDICT_ROLES = ['owner', 'adult'] as const;
export type VerdictRole = (typeof VERDICT_ROLES)[number];

export const ENDERS = ['agent', 'person', 'clock', 'hub'] as const;
export type Ender = (typeof ENDERS)[number];

/**
 * How it ended, where not the verdict is its end. offered: the agent refused and offered something
 * else. stopped: a stop was asked and obeyed. possibly_executed: the hub or the agent stopped while
 * the agent had it, and nobody knows. hub_removed: the two hubs trust each other no more.
 */
export const ENDED_KINDS = [
  'completed',
  'partial',
  'failed',
  'refused',
  'offered',
  'hub_refused',
  'not_understood',
  'cancelled',
  'stopped',
  'timed_out',
  'possibly_executed',
  'hub_removed',
] as const;
export type EndedKind = (typeof ENDED_KINDS)[number];

/**
 * How far a stop came. on_its_way: no answer yet. not_told: too much waited for that hub, so it was
 * not told. not_taken: that hub takes no cancels. nothing_begun: no agent had it. asked: its agent
 * had it and was asked to stop. obeyed: it stopped. not_obeyed: it
 * went on to its end. too_late: it had ended before the stop was there. unsaid: it is
 * cancelled; nobody says whether it had begun.
 */
export const STOP_STATES = [
  'on_its_way',
  'not_told',
  'not_taken',
  'nothing_begun',
  'asked',
  'obeyed',
  'not_obeyed',
  'too_late',
  'unsaid',
] as const;
export type StopState = (typeof STOP_STATES)[number];

/** A hub, by the owner's name for it. */
export interface PlaceDto {
  readonly here: boolean;
  /** Its agent id; null: this hub, or one that was removed. */
  readonly hub_id: string | null;
  readonly hub_name: string;
}

export interface StoryPartyDto extends PlaceDto {
  /** The person at that hub, where one is known. */
  readonly person: OutsideText | null;
  /** The agent as people read it; null: none was named, or a person. */
  readonly agent: OutsideText | null;
}

export interface AskedDto {
  readonly kind: StoryKind;
  readonly by: StoryPartyDto;
  /** Of a choice and a decision nobody's agent. */
  readonly for: StoryPartyDto;
  readonly at: number;
  readonly until: number;
  /** null: not written down then. */
  readonly until_set_by: DeadlineSetter | null;
}

/** The request of another hub that is decided here for it, as it stands there. */
export interface OnBehalfOfDto {
  readonly hub: PlaceDto;
  /** Who made it, by the name that the asking hub has; null: somebody or something there. */
  readonly asked_by: OutsideText | null;
  readonly asking_agent: OutsideText | null;
  /** The agent there that would do it. */
  readonly agent: OutsideText;
  readonly kind: 'question' | 'task';
  /** What was asked, in full. */
  readonly text: OutsideText;
  readonly reason: OutsideText | null;
}

export interface PersonDeciderDto {
  readonly by: 'person';
  /** null: nobody is named there. */
  readonly person: OutsideText | null;
  readonly place: PlaceDto;
  /** null: at another hub, or not written down. */
  readonly surface: Surface | null;
  readonly as: VerdictRole;
}

export type StoryRuleDto = Pick<
  RuleDto,
  | 'id'
  | 'effect'
  | 'peer_name'
  | 'asking_local'
  | 'asking_local_name'
  | 'asking_agent_name'
  | 'kind'
  | 'agent_name'
  | 'domain'
>;

export interface RuleDeciderDto {
  readonly by: 'rule';
  readonly place: PlaceDto;
  /** What it says, and where it stands; null: a rule of another hub, or one no longer kept. */
  readonly rule: StoryRuleDto | null;
}

/** The other hub says no more than that. */
export interface HubDeciderDto {
  readonly by: 'hub';
  readonly place: PlaceDto;
}

type DeciderDto = PersonDeciderDto | RuleDeciderDto | HubDeciderDto;

interface AtDto {
  readonly at: number;
}

/** Nobody has decided, and nobody is known to be asked. */
export interface NoVerdictDto {
  readonly outcome: 'none';
}
export interface WaitingDto {
  readonly outcome: 'waiting';
  readonly for: WaitsFor;
  /** The hubs where it waits: this one, the one that was asked, or those of adults. */
  readonly where: readonly PlaceDto[];
  readonly until: number;
  /** A person is asked later; `why` is null where the other hub does not say. */
  readonly held: { readonly why: HoldReason | null; readonly until: number | null } | null;
}
export interface AllowedDto extends AtDto {
  readonly outcome: 'allowed';
  readonly decider: DeciderDto;
}
export interface DeclinedDto extends AtDto {
  readonly outcome: 'declined';
  readonly decider: DeciderDto;
  /** In the words of whoever declined it. */
  readonly reason: OutsideText | null;
}
export interface AnsweredDto extends AtDto {
  readonly outcome: 'answered' | 'chosen';
  readonly decider: PersonDeciderDto;
}
export interface PassedDto extends AtDto {
  readonly outcome: 'passed';
}
/** Nobody's decision. */
export interface ExpiredDto extends AtDto {
  readonly outcome: 'expired';
  /** Where a person could have decided, and whom it waited for. */
  readonly place: PlaceDto;
  readonly for: WaitsFor;
}
export interface WithdrawnDto extends AtDto {
  readonly outcome: 'withdrawn';
}
export type VerdictDto =
  | NoVerdictDto
  | WaitingDto
  | AllowedDto
  | DeclinedDto
  | AnsweredDto
  | PassedDto
  | ExpiredDto
  | WithdrawnDto;

/** No agent ever had it. */
export interface NotHandedDto {
  readonly state: 'no';
}
/** It waits for its agent, which is there, or away since then (null: it was never here). */
export interface WaitsForAgentDto {
  readonly state: 'waits';
  readonly agent: OutsideText;
  /** Its agent had it before, and it came back undone. */
  readonly again: boolean;
  readonly away: { readonly since: number | null } | null;
}
export interface HandedDto {
  readonly state: 'handed';
  /** It said that it works on it, or it is done with it. */
  readonly begun: boolean;
  /** null: the other hub did not say which. */
  readonly agent: OutsideText | null;
  /** null: at another hub, or not written down. */
  readonly first_at: number | null;
  readonly times: number | null;
  /** The digest that it was handed with, which is that of what was shown; null: none was shown. */
  readonly digest: string | null;
  /** Who has it since, or is to have it; null: it was not handed on. */
  readonly on_to: {
    /** null: not named. */
    readonly agent: OutsideText | null;
    /** Another hub that the agent's own one asked; null: its own, or not named. */
    readonly hub_name: OutsideText | null;
    /**
     * The hub where it waits to be let through: nobody else has it; empty: that is not said. null:
     * it was handed on.
     */
    readonly waits_at: OutsideText | null;
  } | null;
}
/** It was not written down, and another hub does not say. */
export interface MaybeHandedDto {
  readonly state: 'unknown';
}
export type HandedOverDto = NotHandedDto | WaitsForAgentDto | HandedDto | MaybeHandedDto;

interface EndingDto {
  readonly at: number;
  /** The hub's own sentence, where there is one. */
  readonly reason: OutsideText | null;
}
interface AgentsWordsDto extends EndingDto {
  readonly by: 'agent';
  /** The agent's own words, whole. */
  readonly words: OutsideText | null;
  readonly tokens: number | null;
}
interface FailureDto {
  readonly code: ErrorCode | null;
  /** Whether the same may be asked again. */
  readonly retryable: boolean;
}
export interface DoneByAgentDto extends AgentsWordsDto {
  readonly kind: 'completed' | 'partial';
}
export interface DoneByPersonDto extends EndingDto {
  readonly kind: 'completed';
  readonly by: 'person';
  readonly words: OutsideText | null;
}
/** The other hub has it, and no report was wanted: more is not known. */
export interface DeliveredDto extends EndingDto {
  readonly kind: 'completed';
  readonly by: 'clock';
}
export interface FailedAtAgentDto extends AgentsWordsDto, FailureDto {
  readonly kind: 'failed' | 'refused' | 'offered' | 'not_understood';
}
export interface FailedAtHubDto extends EndingDto, FailureDto {
  readonly kind: 'failed' | 'not_understood' | 'possibly_executed' | 'hub_removed';
  readonly by: 'hub';
}
export interface RefusedByHubDto extends EndingDto, FailureDto {
  readonly kind: 'hub_refused';
  readonly by: 'hub';
  /** false: that hub could not be reached, and knows nothing of it. */
  readonly sent: boolean;
  /** Why, in the words of the other hub. */
  readonly words: OutsideText | null;
}
/** Whose fault it was is not known: the other hub did not say, or it was not written down. */
export interface FailedSomewhereDto extends EndingDto, FailureDto {
  readonly kind: 'failed';
  readonly by: null;
  readonly words: OutsideText | null;
}
export interface CancelledDto extends EndingDto {
  readonly kind: 'cancelled';
  /** null: not written down. */
  readonly by: 'agent' | 'person' | 'hub' | null;
  /** This hub stopped, or ended it, while it waited for a decision; null: neither. */
  readonly while_waiting: 'hub_stopped' | 'hub_ended' | null;
}
export interface StoppedDto extends EndingDto {
  readonly kind: 'stopped';
  readonly by: 'agent' | 'person';
  readonly words: OutsideText | null;
}
export interface TimedOutDto extends EndingDto {
  readonly kind: 'timed_out';
  readonly by: 'clock';
}
export type EndDto =
  | DoneByAgentDto
  | DeliveredDto
  | DoneByPersonDto
  | FailedAtAgentDto
  | FailedAtHubDto
  | RefusedByHubDto
  | FailedSomewhereDto
  | CancelledDto
  | StoppedDto
  | TimedOutDto;

export type StopAskerDto =
  | { readonly who: 'asker'; readonly party: StoryPartyDto }
  | { readonly who: 'person'; readonly person: OutsideText | null; readonly place: PlaceDto }
  | { readonly who: 'hub'; readonly place: PlaceDto };

export interface StopDto {
  readonly by: StopAskerDto;
  /** null: not written down. */
  readonly at: number | null;
  readonly state: StopState;
  /** When its agent read it; null: not yet, or not known here. */
  readonly reached_at: number | null;
}

/** null in `at`: the asker's hub has not said yet that it has the answer. */
export interface ToldDto {
  readonly at: number | null;
}

interface StoryFacts {
  readonly direction: TaskDirection;
  readonly asked: AskedDto;
  /** null: it is a request of its own. */
  readonly on_behalf_of: OnBehalfOfDto | null;
  /** null: nobody asked for a stop. */
  readonly stop: StopDto | null;
  /** null: no other hub has to be told, or it is not over. */
  readonly told: ToldDto | null;
}

/** It waits for a decision. */
interface UndecidedStory extends StoryFacts {
  readonly verdict: WaitingDto;
  readonly handed_over: NotHandedDto;
  readonly end: null;
}
/** The verdict is its end. */
interface TurnedAwayStory extends StoryFacts {
  readonly verdict: DeclinedDto | ExpiredDto;
  readonly handed_over: NotHandedDto;
  readonly end: null;
}
interface WithdrawnStory extends StoryFacts {
  readonly verdict: WithdrawnDto;
  readonly handed_over: NotHandedDto;
  readonly end: CancelledDto;
}
interface AnsweredStory extends StoryFacts {
  readonly verdict: AnsweredDto;
  readonly handed_over: NotHandedDto;
  readonly end: DoneByPersonDto;
}
/** A person here allowed what another hub does. */
interface AllowedThereStory extends StoryFacts {
  readonly verdict: AllowedDto;
  readonly handed_over: NotHandedDto;
  readonly end: DoneByPersonDto;
}
/** Its agent handed it on, and a person answered that. */
interface HandedOnStory extends StoryFacts {
  readonly verdict: WorkStory['verdict'];
  readonly handed_over: HandedDto;
  readonly end: DoneByPersonDto;
}
/** It may run, it runs, or it is over; `none`: it is on its way, or the other hub said nothing. */
interface WorkStory extends StoryFacts {
  readonly verdict: NoVerdictDto | AllowedDto | PassedDto;
  readonly handed_over: HandedOverDto;
  readonly end: Exclude<EndDto, DoneByPersonDto> | null;
}

export type StoryDto =
  | UndecidedStory
  | TurnedAwayStory
  | WithdrawnStory
  | AnsweredStory
  | AllowedThereStory
  | HandedOnStory
  | WorkStory;
