// Which hubs decide in the place of the people here, as the page of one of them says it. Reads
// only; the setting itself stands in Settings.
import type { RemoteApprovalDto } from '../../../preload/contract/remote-approval.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';

/** What a hub decides here: from which class on, and whether no other hub does. */
interface DecidesHere {
  readonly from: NonNullable<RemoteApprovalDto['from']>;
  readonly alone: boolean;
}

export class Deciders {
  readonly #api: HubApi;
  #setting = $state.raw<RemoteApprovalDto | null>(null);
  #reading = false;
  /** Something happened while it was being read: what comes may be older than that. */
  #readAgain = false;

  constructor(api: HubApi) {
    this.#api = api;
  }

  /** What was read before stands where it cannot be read. */
  async read(): Promise<void> {
    this.#readAgain = true;
    if (this.#reading) return;
    this.#reading = true;
    while (this.#readAgain) {
      this.#readAgain = false;
      const outcome = await this.#api.call('remote_approval.get', {});
      if (outcome.ok) this.#setting = outcome.value;
    }
    this.#reading = false;
  }

  /** null: that hub decides nothing here, or it is not known yet. */
  of(id: string): DecidesHere | null {
    const deciding = this.#setting?.hubs.filter(({ decides }) => decides) ?? [];
    const from = this.#setting?.from ?? null;
    return from === null || !deciding.some((hub) => hub.id === id)
      ? null
      : { from, alone: deciding.length === 1 };
  }
}
