// The record of exchanges: the list, page by page, and the open one. Reads again when the hub says
// that a conversation moved. Writes nothing.
import type {
  ConversationDetailDto,
  ConversationDto,
} from '../../../preload/contract/conversation-dto.ts';
import type { ConversationFormat } from '../../../preload/contract/closed-lists.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import type { HubState } from '../../app/HubState.svelte.ts';
import { problemWords } from '../../app/problem-words.ts';
import { saveFile, readPieces } from '../../app/save-file.ts';

const PAGE_SIZE = 50;
const FILES = {
  markdown: ['md', 'text/markdown'],
  csv: ['csv', 'text/csv'],
  jsonl: ['jsonl', 'application/jsonl'],
} as const;

export class ConversationsController {
  #items = $state.raw<readonly ConversationDto[]>([]);
  #next = $state<string | null>(null);
  #detail = $state.raw<ConversationDetailDto | null>(null);
  #listProblem = $state<string | null>(null);
  #detailProblem = $state<string | null>(null);
  #loaded = $state(false);
  #busy = $state(false);
  #wanted: string | null = null;
  readonly #api: HubApi;
  readonly #hub: HubState;

  constructor(deps: { readonly api: HubApi; readonly hub: HubState }) {
    this.#api = deps.api;
    this.#hub = deps.hub;
  }

  get items(): readonly ConversationDto[] {
    return this.#items.filter(({ id }) => !this.#hub.isConversationGone(id));
  }
  get loaded(): boolean {
    return this.#loaded;
  }
  get more(): boolean {
    return this.#next !== null;
  }
  get busy(): boolean {
    return this.#busy;
  }
  get detail(): ConversationDetailDto | null {
    return this.#detail;
  }
  get listProblem(): string | null {
    return this.#listProblem;
  }
  get detailProblem(): string | null {
    return this.#detailProblem;
  }

  /** Reads the newest page; older ones already shown stay. */
  async readList(): Promise<void> {
    const outcome = await this.#api.call('conversations.list', { limit: PAGE_SIZE });
    this.#loaded = true;
    this.#listProblem = outcome.ok ? null : problemWords(outcome.problem);
    if (!outcome.ok) return;
    const fresh = new Set(outcome.value.items.map((item) => item.id));
    const older = this.#items.filter((item) => !fresh.has(item.id));
    if (this.#items.length === 0) this.#next = outcome.value.next;
    this.#items = [...outcome.value.items, ...older];
  }

  async readOlder(): Promise<void> {
    if (this.#next === null || this.#busy) return;
    this.#busy = true;
    const outcome = await this.#api.call('conversations.list', {
      limit: PAGE_SIZE,
      cursor: this.#next,
    });
    this.#busy = false;
    this.#listProblem = outcome.ok ? null : problemWords(outcome.problem);
    if (!outcome.ok) return;
    const known = new Set(this.#items.map((item) => item.id));
    this.#items = [...this.#items, ...outcome.value.items.filter((item) => !known.has(item.id))];
    this.#next = outcome.value.next;
  }

  /** Returns whether it is gone now; if not, `detailProblem` says why. */
  async remove(id: string): Promise<boolean> {
    this.#busy = true;
    const outcome = await this.#api.call('conversations.remove', { id });
    this.#busy = false;
    if (this.#wanted === id)
      this.#detailProblem = outcome.ok ? null : problemWords(outcome.problem);
    return outcome.ok;
  }

  /** Gives a person the open conversation as a file. Returns its name; null where that failed. */
  async save(id: string, format: ConversationFormat): Promise<string | null> {
    this.#busy = true;
    const parts = await readPieces(async (at) => {
      if (this.#wanted !== id) return undefined;
      const outcome = await this.#api.call('conversations.export', { id, format, ...at });
      if (this.#wanted === id)
        this.#detailProblem = outcome.ok ? null : problemWords(outcome.problem);
      return outcome.ok ? outcome.value : undefined;
    });
    this.#busy = false;
    if (parts === null) return null;
    const [ending, type] = FILES[format];
    const name = `axon-conversation.${ending}`;
    saveFile(name, type, parts);
    return name;
  }

  /** Reads one conversation; an answer that comes after another was opened is dropped. */
  async open(id: string | null): Promise<void> {
    this.#wanted = id;
    if (this.#detail?.conversation.id !== id) this.#detail = null;
    this.#detailProblem = null;
    if (id === null) return;
    const outcome = await this.#api.call('conversations.get', { id });
    if (this.#wanted !== id) return;
    if (outcome.ok) this.#detail = outcome.value;
    else this.#detailProblem = problemWords(outcome.problem);
  }
}
