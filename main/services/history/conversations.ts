// The record of who said and did what, by conversation: messages and the decisions between them.
// Reads only; an agent sees what it took part in and nothing else. Every answer is bounded.
import type { StoryDto } from '../../../preload/contract/story.ts';
import type {
  ConversationActivity,
  ConversationDetailDto,
  ConversationDto,
  ConversationEntryDto,
} from '../../../preload/contract/conversation-dto.ts';
import type { TaskDto } from '../../../preload/contract/dto.ts';
import type { Items } from '../../../preload/contract/results.ts';
import { removed } from '../../../preload/contract/strings/records.ts';
import { sinceOf } from '../../../preload/contract/strings/story.ts';
import { escapeText } from '../../core/text-escape.ts';
import { AppError } from '../../lib/app-error.ts';
import { workInTurns } from '../../lib/next-turn.ts';
import { readObject } from '../../lib/json-object.ts';
import { beginning } from '../../lib/shortened.ts';
import type { Clock } from '../../ports/clock.ts';
import { isTaskPurged } from '../../ports/retention.ts';
import { decidedAbout, saidIn, wordsIn, type Said } from '../../ports/said-words.ts';
import type {
  ApprovalDecisionRow,
  ConversationSummaryRow,
  MessageRow,
  Page as Rows,
  Store,
  TaskFilter,
  TaskRow,
} from '../../ports/store.ts';
import type { PartyKey } from '../../ports/transport.ts';
import { questionIn } from '../../protocol/remote-approval.ts';
import { surfaceOf } from '../approvals/approval-views.ts';
import { TITLE_MAX_CHARACTERS } from '../tasks/limits.ts';
import { pageOf, readCursor, type Page } from '../base/paging.ts';
import { labelOf } from '../tasks/conversation-ids.ts';
import { OWNER_PARTY, type Parties } from '../tasks/parties.ts';
import { ownMessages } from './own-messages.ts';
import { participantsOf } from './speakers.ts';
import { boundedText, shownData, shownFields } from './shown-data.ts';
import { decisionOf } from '../tasks/wire-states.ts';
import { isOpen } from '../tasks/task-moves.ts';
import type { TaskViews } from '../tasks/task-views.ts';
import { requestWords } from './request-words.ts';
import {
  ARCHIVED_AFTER_MS,
  CONVERSATION_ENTRIES_MAX,
  CONVERSATION_TEXT_MAX_CHARACTERS,
  ENTRY_TEXT_MAX_CHARACTERS,
  ENTRY_TEXT_MIN_CHARACTERS,
  LINKED_MAX,
  FEED_TEXT_MAX_CHARACTERS,
  ROWS_AT_ONCE,
} from './limits.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly parties: Parties;
  readonly tasks: TaskViews;
}

/** What a line of the list is made of: the newest message, and what it followed. */
const SUMMARY_MESSAGES = 2;

const REQUESTS = new Set(['query', 'delegate']);
const REPORTS = new Set(['result', 'response', 'error']);

export class Conversations {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** All of them, for a person. */
  list(page: Page): Items<ConversationDto> {
    const { store } = this.#deps;
    return pageOf(
      page,
      (rows) => store.read.conversations(rows).map((row) => ({ ...row, seq: row.lastSeq })),
      (row) =>
        this.#dto(row, this.#messages(row.conversationId, null, { limit: SUMMARY_MESSAGES }), null),
    );
  }

  /** Those that an agent took part in, by what it knows of them. */
  async listAs(
    agent: string,
    { limit, cursor }: Page,
    signal: AbortSignal,
  ): Promise<Items<ConversationDto>> {
    const items: ConversationDto[] = [];
    const passed = new Set<string>();
    let last: number | null = null;
    const walk = { beforeSeq: readCursor(cursor), signal };
    for await (const { seq, conversationId } of ownMessages(this.#deps, agent, walk)) {
      if (conversationId === null || passed.has(conversationId)) continue;
      passed.add(conversationId);
      const messages = this.#messages(conversationId, agent, { limit: SUMMARY_MESSAGES });
      // It stands on an earlier page.
      if (messages[0]?.seq !== seq) continue;
      if (items.length === limit) return { items, next: String(last) };
      const row = this.#deps.store.read.conversationOfAgent(
        conversationId,
        agent,
        CONVERSATION_ENTRIES_MAX,
      );
      if (row !== undefined) items.push(this.#dto(row, messages, agent));
      last = seq;
    }
    return { items, next: null };
  }

  /**
   * A few milliseconds a turn of the event loop.
   * @throws AppError not_found, gone (what was said there was removed after its time)
   */
  get(id: string, agent: string | null): Promise<ConversationDetailDto> {
    return workInTurns(this.#deps.clock, this.#pieces(id, agent));
  }

  *#pieces(id: string, agent: string | null): Generator<void, ConversationDetailDto> {
    const { store, tasks } = this.#deps;
    const messages = yield* inSteps((page) => this.#messages(id, agent, page));
    const newest = messages[0];
    const oldest = messages.at(-1);
    if (!newest || !oldest) throw this.absent(id, agent);
    const rows = yield* inSteps((page) => store.read.tasks(page, filterOf(id, agent)));
    const summary = {
      conversationId: id,
      party: oldest.party,
      lastSeq: newest.seq,
      lastAt: newest.at,
      firstAt: oldest.at,
      messages: messages.length,
    };
    const decisions: ConversationEntryDto[] = [];
    const decided = new Set<string>();
    for (const task of rows) {
      const entry = this.decision(task, agent);
      if (entry !== undefined) decisions.push(entry);
      // What came of it since is not told by the decision.
      if (entry?.story && sinceOf(entry.story) === null) decided.add(task.id);
      yield;
    }
    const told = yield* this.#entries(
      messages,
      new Map(rows.map((task) => [task.id, task])),
      decided,
      agent,
    );
    const entries = [...told, ...decisions].sort(inOrder);
    const shown: TaskDto[] = [];
    for (const task of fitting(rows)) {
      shown.push(tasks.dto(task, agent));
      yield;
    }
    return {
      conversation: this.#dto(summary, messages, agent),
      participants: participantsOf(this.#deps.parties, messages),
      linked: agent === null ? this.#linked(summary) : [],
      entries,
      tasks: shown,
      older_tasks: rows.length - shown.length,
    };
  }

  #linked({ conversationId: id, party }: ConversationSummaryRow): readonly string[] {
    const { read } = this.#deps.store;
    const label = labelOf(id, party);
    const isCalledSo = (other: string): boolean => {
      const [first] = read.messagesAfter(other, 0, 1);
      return first !== undefined && labelOf(other, first.party) === label;
    };
    const called = read.conversationsCalled(label, LINKED_MAX);
    return called.filter((other) => other !== id && isCalledSo(other));
  }

  /** Why a conversation without a message cannot be shown. */
  absent(id: string, agent: string | null): AppError {
    return this.#deps.store.read.firstTask(id, agent ?? undefined) === undefined
      ? new AppError('not_found', 'There is no such conversation.', { failedBy: 'input' })
      : new AppError('gone', removed.conversation, { failedBy: 'input' });
  }

  /**
   * What was decided about a request, here or at the hub that was asked.
   * @param agent for whom; null: for a person
   */
  decision(task: TaskRow, agent: string | null): ConversationEntryDto | undefined {
    const { store, tasks } = this.#deps;
    const entry =
      task.direction === 'outgoing'
        ? this.#decisionThere(task)
        : decisionHere(store.read.decisionOfTask(task.id), task, this.#runnerOf(task));
    return entry && { ...entry, story: tasks.story(task, agent) };
  }

  /** Whether there is anything of it for the agent; null: for a person. */
  isThere(id: string, agent: string | null): boolean {
    return this.#messages(id, agent, { limit: 1 }).length > 0;
  }

  /** @param agent who reads it; null: a person */
  story(task: TaskRow, agent: string | null): StoryDto {
    return this.#deps.tasks.story(task, agent);
  }

  #dto(
    row: ConversationSummaryRow,
    messages: readonly MessageRow[],
    agent: string | null,
  ): ConversationDto {
    const { store, parties, tasks: views } = this.#deps;
    const first = store.read.firstTask(row.conversationId, agent ?? undefined);
    const [last] = store.read.tasks({ limit: 1 }, filterOf(row.conversationId, agent));
    const shown = messages.at(-1);
    const isNamedByTask = first !== undefined && (!isTaskPurged(first) || shown === undefined);
    const named = isNamedByTask ? first : shown;
    const title = isNamedByTask
      ? views.text(first)
      : shown
        ? titleOf(saidIn(shown, this.#taskOf(shown)))
        : '';
    return {
      id: row.conversationId,
      peer_id: parties.agentIdOf(row.party),
      peer_name: parties.nameOf(row.party),
      from_agent: named?.fromAgent ?? null,
      to_agent: named?.toAgent ?? null,
      title: shorten(title),
      title_by: (named?.direction ?? 'in').startsWith('in') ? 'them' : 'us',
      state: last === undefined ? null : stateOf(last),
      story: last === undefined ? null : views.story(last, agent),
      activity: this.#activity(row, agent),
      first_at: row.firstAt,
      last_at: row.lastAt,
      messages: row.messages,
    };
  }

  #activity(
    { conversationId, lastAt }: ConversationSummaryRow,
    agent: string | null,
  ): ConversationActivity {
    const { store, clock } = this.#deps;
    if (store.read.hasOpenTask(conversationId, agent)) return 'open';
    return clock.wallMs() - lastAt < ARCHIVED_AFTER_MS ? 'idle' : 'archived';
  }

  /**
   * The newest entries get their words first; beyond the bound of an answer only the beginning is
   * shown.
   */
  *#entries(
    messages: readonly MessageRow[],
    known: ReadonlyMap<string, TaskRow>,
    decided: ReadonlySet<string>,
    agent: string | null,
  ): Generator<void, readonly ConversationEntryDto[]> {
    const reported = new Set(
      messages.flatMap(({ kind, taskId }) =>
        taskId !== null && REPORTS.has(kind) ? [taskId] : [],
      ),
    );
    const isToldBelow = (taskId: string): boolean => reported.has(taskId) || decided.has(taskId);
    let room = CONVERSATION_TEXT_MAX_CHARACTERS;
    const entries: ConversationEntryDto[] = [];
    for (const message of messages) {
      const words = Math.max(ENTRY_TEXT_MIN_CHARACTERS, room);
      const entry = this.#entry(message, known, isToldBelow, words, agent);
      room -= sizeOf(entry);
      entries.push(entry);
      yield;
    }
    return entries;
  }

  #entry(
    message: MessageRow,
    known: ReadonlyMap<string, TaskRow>,
    isToldBelow: (taskId: string) => boolean,
    room: number,
    agent: string | null,
  ): ConversationEntryDto {
    const { parties, tasks } = this.#deps;
    const task = this.#taskOf(message, known);
    const own = saidIn(message, task);
    const isRequest = REQUESTS.has(message.kind);
    const said = (isRequest ? decidedAbout(own) : undefined) ?? own;
    const state = task === undefined ? null : stateAt(message, task, isToldBelow(task.id));
    return {
      seq: message.seq,
      at: message.at,
      message_id: message.messageId,
      ref: message.ref,
      direction: message.direction,
      kind: message.kind,
      who: message.direction === 'out' ? 'This hub' : parties.nameOf(message.party),
      person: null,
      agent: message.fromAgent,
      agent_name:
        message.fromAgent === null ? null : parties.agentName(ownerOf(message), message.fromAgent),
      ...shownWords(wordsIn(said), room),
      state,
      story: task === undefined || state === null ? null : tasks.story(task, agent),
      ...(task === undefined || REPORTS.has(message.kind) || isToldBelow(task.id)
        ? NO_REASON
        : reasonsOf(task)),
      surface: null,
      digest: null,
      ...(isRequest && agent === null
        ? { request: requestWords(said, said === own ? undefined : task, tasks) }
        : {}),
    };
  }

  #decisionThere(task: TaskRow): ConversationEntryDto | undefined {
    const { store, parties } = this.#deps;
    const decision = decisionOf(store.read, task);
    if (decision === null || decision.outcome === 'passed') return undefined;
    return {
      ...DECISION,
      seq: task.seq,
      at: decision.at,
      direction: 'in',
      who: parties.nameOf(task.party),
      person: decision.person,
      agent: task.toAgent,
      agent_name: this.#runnerOf(task),
      state: decision.outcome === 'allowed' ? 'approved' : decision.outcome,
      surface: decision.by === 'rule' || decision.by === 'clock' ? decision.by : 'peer',
    };
  }

  #runnerOf({ direction, party, toAgent }: TaskRow): string | null {
    return toAgent === null
      ? null
      : this.#deps.parties.agentName(direction === 'outgoing' ? party : OWNER_PARTY, toAgent);
  }

  #taskOf({ taskId }: MessageRow, known?: ReadonlyMap<string, TaskRow>): TaskRow | undefined {
    return taskId === null ? undefined : (known?.get(taskId) ?? this.#deps.store.read.task(taskId));
  }

  #messages(id: string, agent: string | null, page: Rows): readonly MessageRow[] {
    const { read } = this.#deps.store;
    if (agent === null) return read.messages(page, { conversationId: id });
    return read.messagesOfAgent(id, agent, { ...page, among: CONVERSATION_ENTRIES_MAX });
  }
}

/** The newest rows, as many as a conversation shows, a few at a time. */
function* inSteps<Row extends { readonly seq: number }>(
  read: (page: Rows) => readonly Row[],
): Generator<void, readonly Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const limit = Math.min(ROWS_AT_ONCE, CONVERSATION_ENTRIES_MAX - rows.length);
    const beforeSeq = rows.at(-1)?.seq;
    const found = read({ limit, ...(beforeSeq === undefined ? {} : { beforeSeq }) });
    rows.push(...found);
    if (found.length < limit || rows.length === CONVERSATION_ENTRIES_MAX) return rows;
    yield;
  }
}

/** Whose agent sent it: the other hub's, or one of this hub. */
function ownerOf({ direction, party }: MessageRow): PartyKey {
  return direction === 'in' ? party : OWNER_PARTY;
}

/**
 * For a request that was not allowed, its agent sees neither the words nor what was said about
 * them.
 */
function filterOf(conversationId: string, agent: string | null): TaskFilter {
  return { conversationId, ...(agent === null ? {} : { knownTo: agent }) };
}

/** The same word at both hubs: how the task ended, whatever its report calls that. */
function stateAt({ kind }: MessageRow, task: TaskRow, isToldBelow: boolean): string | null {
  if (REPORTS.has(kind)) return isOpen(task) ? null : stateOf(task);
  return REQUESTS.has(kind) && (isOpen(task) || !isToldBelow) ? stateOf(task) : null;
}

/**
 * A remote approval that is over is answered. Whether anything was done stands at the other hub.
 */
export function stateOf(task: TaskRow): string {
  return task.state === 'completed' &&
    task.toAgent === null &&
    questionIn(readObject(task.payload)) !== undefined
    ? 'answered'
    : task.state;
}

const NO_REASON = { reason: null, reason_there: null } as const;

/** Why it ended: in the words of this hub, and in those of the hub that was asked. */
function reasonsOf(task: TaskRow): Pick<ConversationEntryDto, 'reason' | 'reason_there'> {
  if (isOpen(task)) return NO_REASON;
  const { reason, direction, result } = task;
  const { error } = readObject(result ?? '');
  const isSaidThere =
    direction === 'outgoing' && reason !== null && typeof error === 'string' && error !== reason;
  return { reason, reason_there: isSaidThere ? escapeText(error) : null };
}

/** What no decision has. */
const DECISION = {
  kind: 'decision',
  message_id: null,
  ref: null,
  person: null,
  text: null,
  fields: null,
  fields_left_out: 0,
  story: null,
  ...NO_REASON,
  digest: null,
} as const;

/** @param runs who would do it, as people read it */
function decisionHere(
  approval: ApprovalDecisionRow | undefined,
  task: TaskRow,
  runs: string | null,
): ConversationEntryDto | undefined {
  if (approval === undefined || approval.decidedAt === null) return undefined;
  return {
    ...DECISION,
    seq: task.seq,
    at: approval.decidedAt,
    direction: 'here',
    who: approval.decidedBy ?? 'hub',
    agent: task.toAgent,
    agent_name: runs,
    // The words of an answer stand in the message that carried it.
    text: approval.state === 'answered' ? null : approval.reason,
    state: approval.state,
    surface: surfaceOf(approval),
    digest: approval.digest,
  };
}

/**
 * Sorts by time. Within a millisecond, requests come before decisions, and decisions before the
 * rest.
 */
function inOrder(first: ConversationEntryDto, second: ConversationEntryDto): number {
  if (first.kind !== 'decision' && second.kind !== 'decision') return first.seq - second.seq;
  return first.at - second.at || rank(first) - rank(second);
}

function rank(entry: ConversationEntryDto): number {
  if (entry.kind === 'decision') return 1;
  return entry.kind === 'delegate' || entry.kind === 'query' ? 0 : 2;
}

function shownWords(
  words: unknown,
  room: number,
): Pick<ConversationEntryDto, 'text' | 'fields' | 'fields_left_out'> {
  if (words === null) return { text: null, fields: null, fields_left_out: 0 };
  return shownData(
    words,
    Math.min(
      room,
      typeof words === 'string' ? ENTRY_TEXT_MAX_CHARACTERS : FEED_TEXT_MAX_CHARACTERS,
    ),
  );
}

/** The same in one line. */
function titleOf(said: Said): string {
  const words = wordsIn(said);
  if (words === null) return '';
  if (typeof words === 'string') return boundedText(words, TITLE_MAX_CHARACTERS * 2);
  const { fields } = shownFields(words, TITLE_MAX_CHARACTERS);
  return fields === null
    ? escapeText(JSON.stringify(words))
    : fields.map(([path, value]) => `${path}: ${value}`).join(', ');
}

function sizeOf({ text, fields, request }: ConversationEntryDto): number {
  const all = [...(fields ?? []), ...(request?.fields ?? [])];
  const inFields = all.reduce((sum, [path, value]) => sum + path.length + value.length, 0);
  return (text?.length ?? 0) + (request?.reason?.length ?? 0) + inFields;
}

/** The newest tasks, as far as there is room: what was begun stands whole. */
function fitting(tasks: readonly TaskRow[]): readonly TaskRow[] {
  let room = CONVERSATION_TEXT_MAX_CHARACTERS;
  const end = tasks.findIndex((task) => {
    const isFull = room <= 0;
    room -= task.payload.length + (task.result?.length ?? 0);
    return isFull;
  });
  return end === -1 ? tasks : tasks.slice(0, end);
}

function shorten(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  const shown = beginning(line, TITLE_MAX_CHARACTERS);
  return shown === text.trim() ? shown : `${shown}...`;
}
