// Finds what was said by its words, the newest first, with who asked, what was decided and what
// came of it. Reads only; an agent finds what it took part in and nothing else. A look takes a
// bounded time; then it says from where to go on.
import { foldName } from '../../../preload/contract/agent-name.ts';
import type { SearchHitDto } from '../../../preload/contract/conversation-dto.ts';
import type { Items } from '../../../preload/contract/results.ts';
import { escapeText } from '../../core/text-escape.ts';
import { nextTurn } from '../../lib/next-turn.ts';
import { textWords } from '../../lib/text-words.ts';
import { SerialQueue } from '../../lib/serial-queue.ts';
import type { Clock } from '../../ports/clock.ts';
import { saidIn, textIn } from '../../ports/said-words.ts';
import type { SearchWord } from '../../ports/search.ts';
import type { MessageRow, Store } from '../../ports/store.ts';
import { readCursor, type Page } from '../base/paging.ts';
import type { Parties } from '../tasks/parties.ts';
import { stateOf, type Conversations } from './conversations.ts';
import {
  AGENT_LOOKS_MAX,
  SEARCH_BUDGET_MS,
  SEARCH_SEQS,
  SNIPPET_BEFORE_CHARACTERS,
  SNIPPET_MAX_CHARACTERS,
} from './limits.ts';
import { readSearchBox, type SearchBox } from './search-box.ts';
import { sidesOf, speakersOf, type Side } from './speakers.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly parties: Parties;
  readonly conversations: Pick<Conversations, 'decision'>;
}

type Span = readonly [from: number, to: number];

export class Search {
  readonly #deps: Deps;
  readonly #agentsQueue = new SerialQueue();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** One look, for a person. @throws AppError bad_request */
  find(typed: string, page: Page): Items<SearchHitDto> {
    return this.#look(readSearchBox(typed), page, null);
  }

  /**
   * What an agent took part in. It looks on by itself: a cursor from where a look ended would say
   * what others said. Agents take turns. @throws AppError bad_request
   */
  findAs(
    agent: string,
    typed: string,
    page: Page,
    signal: AbortSignal,
  ): Promise<Items<SearchHitDto>> {
    const box = readSearchBox(typed);
    return this.#agentsQueue.run(() => this.#lookOn(box, page, agent, signal));
  }

  async #lookOn(
    box: SearchBox,
    page: Page,
    agent: string,
    signal: AbortSignal,
  ): Promise<Items<SearchHitDto>> {
    if (signal.aborted) return { items: [], next: null };
    let found = this.#look(box, page, agent);
    for (let looks = 1; found.items.length < page.limit && found.next !== null; looks++) {
      if (looks === AGENT_LOOKS_MAX || signal.aborted) return { items: found.items, next: null };
      await nextTurn();
      const limit = page.limit - found.items.length;
      const { items, next } = this.#look(box, { limit, cursor: found.next }, agent);
      found = { items: [...found.items, ...items], next };
    }
    return found;
  }

  #look(box: SearchBox, { limit, cursor }: Page, agent: string | null): Items<SearchHitDto> {
    const { clock } = this.#deps;
    const endsAtMs = clock.monotonicMs() + SEARCH_BUDGET_MS;
    const items: SearchHitDto[] = [];
    let before: number | null = null;
    for (const seq of this.#candidates(box, readCursor(cursor))) {
      if (before !== null && clock.monotonicMs() > endsAtMs)
        return { items, next: String(items.length === limit ? items.at(-1)?.seq : before) };
      const hit = this.#hit(seq, box, agent);
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
    const end = box.before === null ? Infinity : read.seqBefore(box.before) + 1;
    const start = box.after === null ? 0 : read.seqBefore(box.after);
    let beforeSeq = Math.min(cursor ?? Number.MAX_SAFE_INTEGER, end);
    for (;;) {
      const seqs = read.seqsWithWords(box.words, { beforeSeq, limit: SEARCH_SEQS });
      for (const seq of seqs) {
        if (seq <= start) return;
        yield seq;
      }
      if (seqs.length < SEARCH_SEQS) return;
      beforeSeq = seqs.at(-1) ?? 0;
    }
  }

  #hit(seq: number, box: SearchBox, agent: string | null): SearchHitDto | undefined {
    const { store, parties, conversations } = this.#deps;
    const message = store.read.messageAt(seq, agent);
    if (message === undefined) return undefined;
    const task = message.taskId === null ? undefined : store.read.task(message.taskId);
    const state = task === undefined ? null : stateOf(task);
    if (!this.#isMeant(box, message, state)) return undefined;
    const text = textIn(saidIn(message, task));
    const spans = hitsIn(text, box);
    if (spans === undefined) return undefined;
    return {
      conversation_id: message.conversationId,
      seq,
      at: message.at,
      kind: message.kind,
      direction: message.direction,
      ...speakersOf(parties, message),
      snippet: snippetOf(text, spans),
      state,
      decision: task === undefined ? null : (conversations.decision(task) ?? null),
    };
  }

  #isMeant(box: SearchBox, message: MessageRow, state: string | null): boolean {
    const { kinds, states, after, before, from, to } = box;
    // Where a request is just now, told by the hub that has it.
    const isProgress = message.conversationId === null && message.ref !== null;
    if (message.kind === 'notify' && isProgress) return false;
    if (kinds !== null && !kinds.includes(message.kind)) return false;
    if (states !== null && (state === null || !states.includes(state))) return false;
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

/** Where the words stand; undefined where they do not all stand there, or not in their order. */
function hitsIn(text: string, { words, phrases }: SearchBox): readonly Span[] | undefined {
  if (words.length === 0) return [];
  const said = [...textWords(text)];
  const isHit = ({ word, isBeginning }: SearchWord, at: number): boolean => {
    const there = said[at]?.word;
    return there !== undefined && (isBeginning ? there.startsWith(word) : there === word);
  };
  const hasAll = phrases.every((phrase) =>
    said.some((_, at) => phrase.every((word, offset) => isHit(word, at + offset))),
  );
  const spans = said.flatMap(({ from, to }, at): readonly Span[] =>
    words.some((word) => isHit(word, at)) ? [[from, to]] : [],
  );
  return hasAll && spans.length > 0 ? spans : undefined;
}

/** The text around the first of them, in pieces; escaped. */
function snippetOf(text: string, spans: readonly Span[]): SearchHitDto['snippet'] {
  const [first = 0] = spans[0] ?? [];
  const from = Math.max(
    0,
    Math.min(first - SNIPPET_BEFORE_CHARACTERS, text.length - SNIPPET_MAX_CHARACTERS),
  );
  const to = Math.min(text.length, from + SNIPPET_MAX_CHARACTERS);
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
