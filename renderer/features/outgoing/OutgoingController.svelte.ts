// What agents and people here ask of other hubs and what has not ended, and cancelling it. One that
// was cancelled from this page stays as long as the page does, so that it says what came of that.
import type { TaskDto } from '../../../preload/contract/dto.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import { Calls } from '../../app/Calls.svelte.ts';

const PAGE_SIZE = 200;
const PAGES_MAX = 5;

export class OutgoingController {
  #open = $state.raw<readonly TaskDto[]>([]);
  #cancelled = $state.raw<readonly TaskDto[]>([]);
  #reading = false;
  #again = false;
  readonly #calls = new Calls();
  readonly #api: HubApi;

  constructor(api: HubApi) {
    this.#api = api;
  }

  /** The newest first. */
  get tasks(): readonly TaskDto[] {
    const open = new Set(this.#open.map(({ id }) => id));
    const ended = this.#cancelled.filter(({ id }) => !open.has(id));
    return [...this.#open, ...ended].sort((one, other) => other.created_at - one.created_at);
  }

  problem(id: string): string | null {
    return this.#calls.problem(id);
  }
  busy(id: string): boolean {
    return this.#calls.busy(id);
  }

  /** One at a time; what moved meanwhile is read afterwards. */
  async read(): Promise<void> {
    this.#again = true;
    if (this.#reading) return;
    this.#reading = true;
    while (this.#again) {
      this.#again = false;
      const found = await this.#pages();
      if (found !== undefined) this.#open = found;
    }
    this.#reading = false;
  }

  async cancel(id: string): Promise<void> {
    const outcome = await this.#calls.run(id, () => this.#api.call('tasks.cancel', { id }));
    if (outcome?.ok === true)
      this.#cancelled = [...this.#cancelled.filter((task) => task.id !== id), outcome.value];
    if (outcome !== undefined) await this.read();
  }

  async #pages(): Promise<readonly TaskDto[] | undefined> {
    let all: readonly TaskDto[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < PAGES_MAX; page++) {
      const outcome = await this.#api.call('tasks.list', {
        state: 'open',
        limit: PAGE_SIZE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      if (!outcome.ok) return undefined;
      all = [...all, ...outcome.value.items.filter(isAgentsOrPersons)];
      if (outcome.value.next === null) break;
      cursor = outcome.value.next;
    }
    return all;
  }
}

/** What this hub itself asks an adult's stands on the card of the request that it is about. */
function isAgentsOrPersons({ direction, story }: TaskDto): boolean {
  return direction === 'outgoing' && story.asked.kind !== 'decision';
}
