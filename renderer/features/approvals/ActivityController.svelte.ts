// What was decided today, as far back as a few pages of the hub's record reach. Reads once; what is
// decided meanwhile comes with the page's own picture of the hub. Writes nothing.
import type { ApprovalDto } from '../../../preload/contract/dto.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';

const PAGE_SIZE = 200;
/** Days with more decisions than this are shown from a later hour on. */
const PAGES_MAX = 3;

export class ActivityController {
  #decided = $state.raw<readonly ApprovalDto[]>([]);
  /** Everything decided since then has been read; null: not read yet. */
  #knownFrom = $state<number | null>(null);
  readonly #api: HubApi;

  constructor(api: HubApi) {
    this.#api = api;
  }

  get decided(): readonly ApprovalDto[] {
    return this.#decided;
  }
  get knownFrom(): number | null {
    return this.#knownFrom;
  }

  /**
   * @param since how far back, ms since 1970. A record that cannot be read leaves no picture rather
   * than a wrong one.
   */
  async read(since: number): Promise<void> {
    let all: readonly ApprovalDto[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < PAGES_MAX; page++) {
      const outcome = await this.#api.call('approvals.list', {
        state: 'decided',
        limit: PAGE_SIZE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      if (!outcome.ok) return;
      all = [...all, ...outcome.value.items];
      const oldest = outcome.value.items.at(-1)?.decided_at ?? 0;
      const isEnough = outcome.value.next === null || oldest < since;
      this.#decided = all;
      if (isEnough || page === PAGES_MAX - 1) {
        this.#knownFrom = isEnough ? 0 : oldest;
        return;
      }
      cursor = outcome.value.next ?? undefined;
    }
  }
}
