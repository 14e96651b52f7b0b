// What the story of a request is read from: its row, its approval, and the names that people gave.
// Here too is what is read the same way from every row, however old it is. Pure.
import type { HoldReason } from '../../preload/contract/attention.ts';
import type {
  ApprovalState,
  RequestKind,
  Surface,
  TaskDirection,
} from '../../preload/contract/closed-lists.ts';
import { ERRORS, isErrorCode, type ErrorCode } from '../../preload/contract/errors.ts';
import type {
  CancelledDto,
  DeadlineSetter,
  DeclinedDto,
  DoneByPersonDto,
  EndDto,
  EndedKind,
  Ender,
  ExpiredDto,
  OnBehalfOfDto,
  PlaceDto,
  StoryKind,
  StoryRuleDto,
  VerdictOutcome,
  VerdictRole,
  WaitsFor,
} from '../../preload/contract/story.ts';
import { isNobodys } from '../../preload/contract/strings/story.ts';
import type { JsonObject } from '../lib/json-object.ts';
import type { TaskState } from './task-state.ts';
import { escapeName, escapeText } from './text-escape.ts';

/** What the row of a task says of its story besides its state. null: not (yet), or not known. */
export interface StoryColumns {
  /** The person at the hub that asked, as the owner of this one calls them. */
  readonly askedPerson: string | null;
  readonly deadlineBy: DeadlineSetter | null;
  readonly waitsFor: WaitsFor | null;
  readonly verdict: VerdictOutcome | null;
  /** A name; null where nobody decided, or nobody is named. */
  readonly verdictBy: string | null;
  /** The key of the hub where it was decided; null is here. */
  readonly verdictHub: string | null;
  readonly verdictSurface: Surface | null;
  readonly verdictRule: string | null;
  readonly verdictAs: VerdictRole | null;
  readonly verdictAt: number | null;
  /** When `toAgent` first had it, and how many times. */
  readonly handedAt: number | null;
  readonly handedTimes: number | null;
  /** Who has it since its agent handed it on, as `handedOnOf` reads it. */
  readonly handedOnTo: string | null;
  /** Who asked for a stop: a hub or an agent, or a person here by name. */
  readonly stopParty: string | null;
  readonly stopPerson: string | null;
  readonly stopAt: number | null;
  /** When the agent had read it. */
  readonly stopReachedAt: number | null;
  readonly stopObeyed: boolean | null;
  readonly endedBy: Ender | null;
  readonly endedKind: EndedKind | null;
  /** By the agent's own count. */
  readonly tokens: number | null;
  /** When the asker's hub had the answer. */
  readonly toldAt: number | null;
}

/** Of a request about which nothing is written down yet. */
export const UNTOLD: StoryColumns = {
  askedPerson: null,
  deadlineBy: null,
  waitsFor: null,
  verdict: null,
  verdictBy: null,
  verdictHub: null,
  verdictSurface: null,
  verdictRule: null,
  verdictAs: null,
  verdictAt: null,
  handedAt: null,
  handedTimes: null,
  handedOnTo: null,
  stopParty: null,
  stopPerson: null,
  stopAt: null,
  stopReachedAt: null,
  stopObeyed: null,
  endedBy: null,
  endedKind: null,
  tokens: null,
  toldAt: null,
};

export interface StoryRow extends StoryColumns {
  readonly direction: TaskDirection;
  readonly kind: RequestKind;
  readonly party: string;
  readonly state: TaskState;
  readonly fromAgent: string | null;
  readonly toAgent: string | null;
  readonly reportBack: boolean;
  readonly receivedAt: number;
  readonly finishedAt: number | null;
  readonly result: string | null;
  readonly code: string | null;
  readonly reason: string | null;
  readonly decision: string | null;
  readonly cancelCause: string | null;
  readonly cancelAnswer: 'asked_to_stop' | 'not_taken' | null;
  readonly heldUntil: number | null;
  readonly heldWhy: HoldReason | null;
}

/** What became of its approval: all that rows of before have, and the digest of what was shown. */
export interface StoryApproval {
  readonly state: ApprovalState;
  readonly digest: string;
  readonly decidedAt: number | null;
  readonly decidedBy: string | null;
  readonly surface: string | null;
  readonly ruleId: string | null;
  readonly reason: string | null;
}

/** Names, and what is so just now. */
export interface StoryContext {
  readonly here: PlaceDto;
  /** The person at this hub. */
  readonly person: string | null;
  readonly place: (party: string) => PlaceDto;
  readonly personAt: (party: string) => string | null;
  readonly agentName: (party: string, handle: string) => string;
  /** Whether a person of this hub asked, and no program. */
  readonly isOwner: boolean;
  /** Whether an agent reads it, for whom a person of this hub is somebody else. */
  readonly isForAgent: boolean;
  readonly rule: (id: string) => StoryRuleDto | null;
  /** Since when the agent of this hub is away; null: it is there. */
  readonly away: (agent: string) => { readonly since: number | null } | null;
  /** The hubs of adults that decide about this request instead of the people here. */
  readonly adults: readonly PlaceDto[] | null;
  /** Where it waits for a decision to be handed on; null: it does not. */
  readonly handOnWaits: PlaceDto | null;
  readonly kind: StoryKind;
  readonly onBehalfOf: OnBehalfOfDto | null;
  /** When its time is over, and when the wait for a person is. */
  readonly until: number;
  readonly waitsUntil: number;
}

export interface Read {
  readonly row: StoryRow;
  readonly approval: StoryApproval | undefined;
  readonly context: StoryContext;
  readonly result: JsonObject;
}

/** Who has what was handed on. */
export interface HandedOn {
  /** The key of another hub that this one asked; null: none. */
  readonly hub: string | null;
  /** null: it is not named. */
  readonly agent: string | null;
}

/** Before the agent that another hub says it is to be handed on to, once a person lets it. */
const WANTED = '\n';

export function wantedFor(agent: string): string {
  return `${WANTED}${agent}`;
}

/** Whom its agent there wants to hand it on to; empty: it is not named, null: to nobody. */
export function wantedOf({ handedOnTo: stored }: Pick<StoryRow, 'handedOnTo'>): string | null {
  return stored?.startsWith(WANTED) === true ? stored.slice(WANTED.length) : null;
}

/** No handle of this hub has a slash; what another hub names is read whole. */
export function handedOnOf({
  direction,
  handedOnTo: stored,
}: Pick<StoryRow, 'direction' | 'handedOnTo'>): HandedOn | null {
  if (stored === null || stored.startsWith(WANTED)) return null;
  const at = direction === 'outgoing' ? -1 : stored.indexOf('/');
  return { hub: at < 0 ? null : stored.slice(0, at), agent: stored.slice(at + 1) || null };
}

export function handedOnTo({ hub, agent }: HandedOn): string {
  return hub === null ? (agent ?? '') : `${hub}/${agent ?? ''}`;
}

export function nameOf(name: string | null): string | null {
  return name === null ? null : escapeName(name).name;
}

export function declined(
  { row, approval }: Read,
  decider: DeclinedDto['decider'],
): Omit<DeclinedDto, 'at'> {
  const own = row.direction === 'outgoing' ? null : (approval?.reason ?? null);
  const isPersons = own !== '' && own !== row.reason;
  return { outcome: 'declined', decider, reason: isPersons ? own : null };
}

export function expired({ row }: Read, at: number, place: PlaceDto): ExpiredDto {
  return { outcome: 'expired', at, place, for: row.waitsFor ?? 'person' };
}

/** The id of an option is kept where a person chose one. */
export function choiceIn({ context, result }: Read): 'answered' | 'chosen' {
  const { data } = result;
  const choice = typeof data === 'object' && data !== null && 'choice' in data ? data.choice : null;
  return context.kind === 'choice' && typeof choice === 'string' ? 'chosen' : 'answered';
}

export function ending({ finishedAt, receivedAt, reason }: StoryRow) {
  return { at: finishedAt ?? receivedAt, reason };
}

export function agentsWords(read: Read) {
  return { ...ending(read.row), words: wordsIn(read), tokens: read.row.tokens };
}

export function failedSomewhere(read: Read): EndDto {
  const words = wordsIn(read);
  return { kind: 'failed', by: null, ...ending(read.row), words, ...failureIn(read) };
}

export function doneByPerson(read: Read): DoneByPersonDto {
  return { kind: 'completed', by: 'person', ...ending(read.row), words: wordsIn(read) };
}

export function cancelledOf({ row }: Read): CancelledDto {
  const by = row.endedBy === 'clock' ? null : row.endedBy;
  return { kind: 'cancelled', by, while_waiting: whileWaiting(row), ...ending(row) };
}

/** Of questions that the run before left open. */
export const HUB_RESTARTED = 'The hub was restarted while somebody waited for the answer.';

function whileWaiting(row: StoryRow): CancelledDto['while_waiting'] {
  const isHubs = row.direction !== 'outgoing' && row.endedBy === 'hub' && row.stopAt === null;
  if (!isHubs || row.verdict !== null || row.waitsFor === null) return null;
  return row.reason === HUB_RESTARTED ? 'hub_stopped' : 'hub_ended';
}

/** Where it failed the error says so, and else the outcome; never this hub's own sentence. */
export function wordsIn({ row, result }: Read): string | null {
  const isDone = row.state === 'completed' || row.state === 'partial';
  const { outcome, summary, error } = result;
  const said = (isDone ? [outcome, summary] : [error, outcome]).find(
    (words) => typeof words === 'string' && words !== '',
  );
  return somebodysWords(said, row);
}

/** null: nobody's, or this hub's own sentence. */
export function somebodysWords(said: unknown, { reason }: Pick<StoryRow, 'reason'>): string | null {
  if (typeof said !== 'string' || said === reason || isNobodys(said)) return null;
  return escapeText(said);
}

export function failureIn({ row, result }: Read): { code: ErrorCode | null; retryable: boolean } {
  // The wire wants a code of every failure. Its agent named none.
  const isUnsaid = row.endedBy === 'agent' && row.code === 'internal' && result.code === undefined;
  const code = isErrorCode(row.code) && !isUnsaid ? row.code : null;
  const said = result.retryable;
  const usual = code !== null && ERRORS[code].retryable;
  return { code, retryable: typeof said === 'boolean' ? said : usual };
}
