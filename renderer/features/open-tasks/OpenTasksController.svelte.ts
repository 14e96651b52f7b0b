// What runs here for whoever asked, and what agents and people here ask of other hubs, as long as
// it has not ended. One that was stopped from this page stays as long as the page does, so that it
// says what came of that.
import type { TaskDto } from '../../../preload/contract/dto.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import { runsHere } from '../../../preload/contract/strings/story.ts';

const PAGE_SIZE = 200;
const PAGES_MAX = 5;

export class OpenTasksController {
  #open = $state.raw<readonly TaskDto[]>([]);
  #stopped = $state.raw<readonly TaskDto[]>([]);
  #reading = false;
  #again = false;
  readonly #api: HubApi;

  constructor(api: HubApi) {
    this.#api = api;
  }

  /** The newest first. */
  get #tasks(): readonly TaskDto[] {
    const open = new Set(this.#open.map(({ id }) => id));
    const ended = this.#stopped.filter(({ id }) => !open.has(id));
    return [...this.#open, ...ended].sort((one, other) => other.created_at - one.created_at);
  }

  get here(): readonly TaskDto[] {
    const stopped = new Set(this.#stopped.map(({ id }) => id));
    return this.#tasks.filter(
      ({ id, direction, story }) =>
        direction !== 'outgoing' && (runsHere(story) || stopped.has(id)),
    );
  }
  /** What this hub itself asks an adult's stands on the card of the request that it is about. */
  get elsewhere(): readonly TaskDto[] {
    return this.#tasks.filter(
      ({ direction, story }) => direction === 'outgoing' && story.asked.kind !== 'decision',
    );
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

  /** @param task as it is since the stop; undefined: the hub refused one */
  async stopped(task: TaskDto | undefined): Promise<void> {
    if (task !== undefined)
      this.#stopped = [...this.#stopped.filter(({ id }) => id !== task.id), task];
    await this.read();
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
      all = [...all, ...outcome.value.items];
      if (outcome.value.next === null) break;
      cursor = outcome.value.next;
    }
    return all;
  }
}
