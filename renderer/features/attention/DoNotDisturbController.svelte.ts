// What a person says about being asked: pause and resume, stop everything, quiet hours and who may
// interrupt them. Each act is one call; what went wrong stays next to it. Holds no authority: the
// hub decides what is held.
import type { QuietPeriodDto } from '../../../preload/contract/attention.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import { Calls } from '../../app/Calls.svelte.ts';

export class DoNotDisturbController {
  /** By what each was about: "pause", "quiet". */
  readonly #calls = new Calls();
  readonly #api: HubApi;

  constructor(api: HubApi) {
    this.#api = api;
  }

  problem(about: string): string | null {
    return this.#calls.problem(about);
  }
  busy(about: string): boolean {
    return this.#calls.busy(about);
  }

  /** @param until null: until a person goes on. Returns true when everything is paused. */
  async pause(until: number | 'in_an_hour' | 'tonight' | null): Promise<boolean> {
    return (
      (await this.#calls.run('pause', () => this.#api.call('attention.pause', { until })))?.ok ===
      true
    );
  }

  /** Returns true when everything is stopped. */
  async stopEverything(): Promise<boolean> {
    return (
      (await this.#calls.run('pause', () => this.#api.call('attention.stop', {})))?.ok === true
    );
  }

  async goOn(): Promise<void> {
    await this.#calls.run('pause', () => this.#api.call('attention.resume', {}));
  }

  /** @param urgent undefined: as they are. Returns true when they are kept. */
  async setQuietHours(
    periods: readonly QuietPeriodDto[],
    urgent?: readonly string[],
  ): Promise<boolean> {
    const outcome = await this.#calls.run('quiet', () =>
      this.#api.call('attention.setQuietHours', {
        periods: periods.map((period) => ({ ...period, days: [...period.days] })),
        ...(urgent === undefined ? {} : { urgent_peers: [...urgent] }),
      }),
    );
    return outcome?.ok === true;
  }
}
