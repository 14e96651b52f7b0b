// Finds what was said by its words, the newest first, with who asked, what was decided and what
// came of it. Reads only; an agent finds what it took part in and nothing else. A look takes a
// bounded time; then it says from where to go on.
import { foldName } from '../../../preload/contract/agent-name.ts';
import type { SearchHitDto } from '../../../preload/contract/conversation-dto.ts';
import { ruleWords } from '../../../preload/contract/strings/story.ts';
import { rules } from '../../../preload/contract/strings/rules.ts';
import type { StoryDto } from '../../../preload/contract/story.ts';
import type { Items } from '../../../preload/contract/results.ts';
import { outcomeOf } from '../tasks/outcome.ts';
import { escapeText } from '../../core/text-escape.ts';
import { wholeUntil } from '../../lib/shortened.ts';
import { textWords, type TextWord } from '../../lib/text-words.ts';
import type { Clock } from '../../ports/clock.ts';
import { saidIn, searchedIn, textIn } from '../../ports/said-words.ts';
import type { MessageRow, Store } from '../../ports/store.ts';
import { readCursor, type Page } from '../base/paging.ts';
import { PROGRESS_TOPIC } from '../../protocol/kinds.ts';
import type { Parties } from '../tasks/parties.ts';
import type { TaskViews } from '../tasks/task-views.ts';
import { stateOf, type Conversations } from './conversations.ts';
import {
  SEARCH_BUDGET_MS,
  SEARCH_SEQS,
  SNIPPET_BEFORE_CHARACTERS,
  SNIPPET_MAX_CHARACTERS,
} from './limits.ts';
import { ownMessages } from './own-messages.ts';
import { readSearchBox, type BoxWord, type SearchBox } from './search-box.ts';
import { sidesOf, speakersOf, type Side } from './speakers.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly parties: Parties;
  readonly conversations: Pick<Conversations, 'decision'>;
  readonly tasks: Pick<TaskViews, 'story'>;
}

/** An answer may take so long, and stands where its question came. Each hit is looked at. */
const DAY_MS = 86_400_000;

/** What is typed for any rule. */
const RULE = 'rule';

type Span = readonly [from: number, to: number];

export class Search {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** One look, for a person. @throws AppError bad_request */
  find(typed: string, page: Page): Items<SearchHitDto> {
    return this.#look(readSearchBox(typed), page);
  }

  /**
   * What an agent took part in, found by walking just that. It looks on by itself, a short while at
   * a turn, so that others come between. @throws AppError bad_request
   */
  async findAs(
    agent: string,
    typed: string,
    { limit, cursor }: Page,
    signal: AbortSignal,
  ): Promise<Items<SearchHitDto>> {
    const box = readSearchBox(typed);
    const walk = {
      beforeSeq: this.#end(box, readCursor(cursor)),
      words: box.indexed,
      signal,
    };
    const start = this.#start(box);
    const items: SearchHitDto[] = [];
    for await (const message of ownMessages(this.#deps, agent, walk)) {
      if (message.seq <= start) break;
      const hit = this.#hit(message, box, agent);
      if (hit !== undefined && items.length === limit)
        return { items, next: String(items.at(-1)?.seq) };
      if (hit !== undefined) items.push(hit);
    }
    return { items, next: null };
  }

  #look(box: SearchBox, { limit, cursor }: Page): Items<SearchHitDto> {
    const { clock } = this.#deps;
    const endsAtMs = clock.monotonicMs() + SEARCH_BUDGET_MS;
    const items: SearchHitDto[] = [];
    let before: number | null = null;
    for (const seq of this.#candidates(box, readCursor(cursor))) {
      if (before !== null && clock.monotonicMs() > endsAtMs)
        return { items, next: String(items.length === limit ? items.at(-1)?.seq : before) };
      const message = this.#deps.store.read.messageAt(seq, null);
      const hit = message === undefined ? undefined : this.#hit(message, box, null);
      if (hit !== undefined && items.length === limit)
        return { items, next: String(items.at(-1)?.seq) };
      if (hit !== undefined) items.push(hit);
      before = seq;
    }
    return { items, next: null };
  }

  /** What has all the words, a window of it at a time. */
  *#candidates(box: SearchBox, cursor: number | undefined): Generator<number> {
    const { read } = this.#deps.store;
    const start = this.#start(box);
    let beforeSeq = this.#end(box, cursor);
    for (;;) {
      const seqs = read.seqsWithWords(box.indexed, { beforeSeq, limit: SEARCH_SEQS });
      for (const seq of seqs) {
        if (seq <= start) return;
        yield seq;
      }
      if (seqs.length < SEARCH_SEQS) return;
      beforeSeq = seqs.at(-1) ?? 0;
    }
  }

  #start({ after }: SearchBox): number {
    return after === null ? 0 : this.#deps.store.read.seqBefore(after - DAY_MS);
  }

  #end({ before }: SearchBox, cursor = Number.MAX_SAFE_INTEGER): number {
    if (before === null) return cursor;
    return Math.min(cursor, this.#deps.store.read.seqBefore(before + DAY_MS) + 1);
  }

  #hit(message: MessageRow, box: SearchBox, agent: string | null): SearchHitDto | undefined {
    const { store, parties, conversations, tasks } = this.#deps;
    const task = message.taskId === null ? undefined : store.read.task(message.taskId);
    if (task === undefined && box.outcome !== null) return undefined;
    if (!this.#isMeant(box, message)) return undefined;
    const said = saidIn(message, task);
    // Where a request is just now, told by the hub that has it.
    const isProgress = message.conversationId === null && said.payload.topic === PROGRESS_TOPIC;
    if (message.kind === 'notify' && isProgress) return undefined;
    let text = textIn(said);
    let spans = hitsIn(text, box);
    if (spans === undefined) {
      // It may stand in the topic or the reason.
      text = searchedIn(said);
      spans = hitsIn(text, box);
    }
    if (spans === undefined) return undefined;
    const story = task === undefined ? null : tasks.story(task, agent);
    if (box.by !== null && !isDecidedBy(box.by, story)) return undefined;
    if (box.outcome !== null && (story === null || outcomeOf(story) !== box.outcome))
      return undefined;
    return {
      conversation_id: message.conversationId,
      seq: message.seq,
      at: message.at,
      kind: message.kind,
      direction: message.direction,
      ...speakersOf(parties, message),
      snippet: snippetOf(text, spans),
      state: task === undefined ? null : stateOf(task),
      story,
      decision: task === undefined ? null : (conversations.decision(task, agent) ?? null),
    };
  }

  #isMeant(box: SearchBox, message: MessageRow): boolean {
    const { kinds, after, before, from, to } = box;
    if (kinds !== null && !kinds.includes(message.kind)) return false;
    if (after !== null && message.at < after) return false;
    if (before !== null && message.at >= before) return false;
    const [fromSide, toSide] = sidesOf(message);
    return (
      (from === null || this.#isNamed(from, fromSide)) && (to === null || this.#isNamed(to, toSide))
    );
  }

  /** A hub by its name, its person or its id, or an agent; the beginning of a name is enough. */
  #isNamed(typed: string, { owner, agent }: Side): boolean {
    const { parties } = this.#deps;
    const peer = parties.peer(owner);
    const names = [
      parties.nameOf(owner),
      peer?.person ?? '',
      peer?.agentId ?? '',
      agent ?? '',
      agent === null ? '' : parties.agentName(owner, agent),
    ];
    const wanted = foldName(typed);
    return names.some((name) => name !== '' && foldName(name).startsWith(wanted));
  }
}

/**
 * Whether it was decided by a person or a hub of that name, or by a rule: "rule", or the beginning
 * of its sentence, longer than the name of whoever asks, who decided nothing.
 */
function isDecidedBy(typed: string, story: StoryDto | null): boolean {
  if (story === null || !('decider' in story.verdict)) return false;
  const { decider } = story.verdict;
  const wanted = foldName(typed);
  const begins = (name: string | null): boolean =>
    name !== null && foldName(name).startsWith(wanted);
  if (decider.by !== 'rule')
    return begins(decider.place.hub_name) || (decider.by === 'person' && begins(decider.person));
  if (wanted === RULE) return true;
  if (decider.rule === null) return false;
  const sentence = ruleWords(decider.rule);
  const [asker = ''] = sentence.split(` ${rules.may[decider.rule.effect]} `, 1);
  return wanted.length > foldName(asker).length && begins(sentence);
}

/** Where the phrases stand, in order; undefined where one of them does not. */
function hitsIn(text: string, { phrases }: SearchBox): readonly Span[] | undefined {
  if (phrases.length === 0) return [];
  const said = [...textWords(text)];
  const hits = new Set<TextWord>();
  for (const phrase of phrases) {
    const isAt = (_: TextWord, at: number): boolean =>
      phrase.every((word, offset) => isSaid(word, said[at + offset]));
    if (!said.some(isAt)) return undefined;
    said.forEach((first, at) => {
      if (isAt(first, at)) for (const word of said.slice(at, at + phrase.length)) hits.add(word);
    });
  }
  return said.filter((word) => hits.has(word)).reduce<Span[]>(joined, []);
}

function isSaid({ word, isBeginning, isJoined }: BoxWord, said: TextWord | undefined): boolean {
  if (said === undefined || (isJoined && !said.isJoined)) return false;
  return isBeginning ? said.word.startsWith(word) : said.word === word;
}

/** What stands side by side in a run is one hit. */
function joined(spans: Span[], { from, to, isJoined }: TextWord): Span[] {
  const last = spans.at(-1);
  if (isJoined && last !== undefined && last[1] === from) spans[spans.length - 1] = [last[0], to];
  else spans.push([from, to]);
  return spans;
}

/** The text around the first of them, in pieces; escaped. */
function snippetOf(text: string, spans: readonly Span[]): SearchHitDto['snippet'] {
  const [first = 0] = spans[0] ?? [];
  const begin = Math.min(first - SNIPPET_BEFORE_CHARACTERS, text.length - SNIPPET_MAX_CHARACTERS);
  const from = wholeUntil(text, Math.max(0, begin));
  const to = wholeUntil(text, Math.min(text.length, from + SNIPPET_MAX_CHARACTERS));
  const pieces: (readonly [string, boolean])[] = [];
  const add = (start: number, end: number, isHit: boolean): void => {
    if (end > start) pieces.push([escapeText(text.slice(start, end).toWellFormed()), isHit]);
  };
  let done = from;
  if (from > 0) pieces.push(['...', false]);
  for (const [start, end] of spans) {
    if (end > to) break;
    add(done, start, false);
    add(start, end, true);
    done = end;
  }
  add(done, to, false);
  if (to < text.length) pieces.push(['...', false]);
  return pieces;
}
