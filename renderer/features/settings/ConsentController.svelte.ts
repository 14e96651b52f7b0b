// Who decides in the place of the people at this hub, as the page holds it: what is kept, what is chosen and not kept yet, and what went wrong.
// Keeps no passphrase once it was sent.
import type { ConsentSettingDto } from '../../../preload/contract/consent.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import { Calls } from '../../app/Calls.svelte.ts';
import { words } from '../../app/words.ts';

const ABOUT = 'consent';
export type ConsentClass = NonNullable<ConsentSettingDto['from']>;

export class ConsentController {
  readonly #api: HubApi;
  readonly #calls = new Calls();
  #setting = $state.raw<ConsentSettingDto | null>(null);
  #note = $state('');
  chosen = $state<string[]>([]);
  from = $state<ConsentClass>('R2');
  passphrase = $state('');

  constructor(api: HubApi) {
    this.#api = api;
  }

  /** null until it was read. */
  get setting(): ConsentSettingDto | null {
    return this.#setting;
  }
  get problem(): string | null {
    return this.#calls.problem(ABOUT);
  }
  get busy(): boolean {
    return this.#calls.busy(ABOUT);
  }
  get note(): string {
    return this.#note;
  }

  async read(): Promise<void> {
    const outcome = await this.#calls.run(ABOUT, () => this.#api.call('consent.get', {}));
    if (outcome?.ok) this.#take(outcome.value);
  }

  /** @param from null: the people here decide again @returns true when it counts */
  async keep(from: ConsentClass | null): Promise<boolean> {
    this.#note = '';
    const { passphrase } = this;
    const hubs = from === null ? [] : [...this.chosen];
    const outcome = await this.#calls.run(ABOUT, () => this.#api.call('consent.set', { from, hubs, passphrase }));
    if (outcome?.ok !== true) return false;
    this.passphrase = '';
    this.#take(outcome.value);
    this.#note = words.consent.kept;
    return true;
  }

  #take(setting: ConsentSettingDto): void {
    this.#setting = setting;
    this.chosen = setting.hubs.filter(({ decides }) => decides).map(({ id }) => id);
    this.from = setting.from ?? 'R2';
  }
}
