// A search in what was said, page by page. Asks when somebody presses Enter, never while they type.
import type { SearchHitDto } from '../../../preload/contract/conversation-dto.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import { problemWords } from '../../app/problem-words.ts';

const PAGE_SIZE = 20;
/** How often it looks further back before it asks whether to go on. */
const LOOKS_MAX = 25;
/** The hub takes what was said into its index within a second. */
const FOUND_AFTER_MS = 1_500;

export class SearchController {
  typed = $state('');
  #hits = $state.raw<readonly SearchHitDto[] | null>(null);
  #next = $state<string | null>(null);
  #problem = $state<string | null>(null);
  #busy = $state(false);
  /** What the shown hits were asked for. */
  #asked = '';
  #looksSoon = false;
  readonly #api: HubApi;

  constructor(api: HubApi) {
    this.#api = api;
  }

  /** Hits, or that there are none, stand in place of the conversations. */
  get isOpen(): boolean {
    return this.#hits !== null;
  }
  get hits(): readonly SearchHitDto[] {
    return this.#hits ?? [];
  }
  get more(): boolean {
    return this.#next !== null;
  }
  get problem(): string | null {
    return this.#problem;
  }
  get busy(): boolean {
    return this.#busy;
  }

  close(): void {
    this.#asked = '';
    this.#hits = null;
    this.#next = null;
    this.#problem = null;
  }

  async find(): Promise<void> {
    const typed = this.typed;
    if (typed.trim() === '') return this.close();
    this.#asked = typed;
    let page = await this.#read({ q: typed });
    // One look is short, so that nobody else waits for it.
    for (
      let looks = 1;
      page?.items.length === 0 && page.next !== null && looks < LOOKS_MAX;
      looks++
    )
      page = await this.#read({ q: typed, cursor: page.next });
    // Something else was asked meanwhile, or it failed.
    if (page === undefined && this.#asked === typed) this.#hits = null;
    if (page === undefined) return;
    this.#hits = page.items;
    this.#next = page.next;
  }

  /** Something was said: looks again once it can be found. */
  refreshSoon(): void {
    if (this.#looksSoon) return;
    this.#looksSoon = true;
    setTimeout(() => {
      this.#looksSoon = false;
      void this.#refresh();
    }, FOUND_AFTER_MS);
  }

  async readOlder(): Promise<void> {
    if (this.#next === null || this.#busy) return;
    const page = await this.#read({ q: this.#asked, cursor: this.#next });
    if (page === undefined) return;
    this.#hits = [...this.hits, ...page.items];
    this.#next = page.next;
  }

  /** What came meanwhile joins the hits that are shown. They stay where that fails. */
  async #refresh(): Promise<void> {
    const q = this.#asked;
    if (!this.isOpen || this.#busy) return;
    const outcome = await this.#api.call('history.search', { q, limit: PAGE_SIZE });
    if (!outcome.ok || this.#asked !== q || this.#busy) return;
    const { items, next } = outcome.value;
    const oldest = items.at(-1)?.seq ?? Infinity;
    const older = this.hits.filter(({ seq }) => seq < oldest);
    if (older.length === 0) this.#next = next;
    this.#hits = [...items, ...older];
  }

  /** An answer that comes after something else was asked is dropped. */
  async #read(asked: { readonly q: string; readonly cursor?: string }) {
    this.#busy = true;
    const outcome = await this.#api.call('history.search', { ...asked, limit: PAGE_SIZE });
    if (this.#asked !== asked.q) return undefined;
    this.#busy = false;
    this.#problem = outcome.ok ? null : problemWords(outcome.problem);
    return outcome.ok ? outcome.value : undefined;
  }
}
