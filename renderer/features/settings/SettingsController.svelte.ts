// What the owner changes about this hub: each change is kept at once; sessions and the passphrase.
// What went wrong with a change stands at the top of the page.
import type { SessionDto } from '../../../preload/contract/settings-dto.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import type { OperationInput } from '../../../preload/contract/operations.ts';
import { Calls } from '../../app/Calls.svelte.ts';
import { endRow, keepRows, type KeptRow } from '../../app/kept-rows.ts';
import { problemWords } from '../../app/problem-words.ts';
import { words } from '../../app/words.ts';
import { Spoken } from '../../ui/Spoken.svelte.ts';

export class SettingsController {
  #problem = $state<string | null>(null);
  readonly #spoken = new Spoken();
  #sessions = $state.raw<readonly KeptRow<SessionDto>[]>([]);
  #passphraseProblem = $state<string | null>(null);
  #passphraseFlaw = $state<string | null>(null);
  #passphraseNote = $state('');
  readonly #calls = new Calls();
  readonly #api: HubApi;

  constructor(api: HubApi) {
    this.#api = api;
  }

  get problem(): string | null {
    return this.#problem;
  }
  /** Said, not shown: that a change was kept. */
  get note(): string {
    return this.#spoken.text;
  }
  /** Those that were ended stay among them. */
  get sessions(): readonly KeptRow<SessionDto>[] {
    return this.#sessions;
  }
  get sessionsProblem(): string | null {
    return this.#calls.problem('sessions');
  }
  get passphraseProblem(): string | null {
    return this.#passphraseProblem;
  }
  /** What is wrong with the old passphrase that was sent last; null: nothing. */
  get passphraseFlaw(): string | null {
    return this.#passphraseFlaw;
  }
  get passphraseNote(): string {
    return this.#passphraseNote;
  }

  async change(change: OperationInput<'settings.update'>): Promise<void> {
    const outcome = await this.#api.call('settings.update', change);
    this.#problem = outcome.ok ? null : problemWords(outcome.problem);
    if (outcome.ok) this.#spoken.say(words.settings.saved);
    else this.#spoken.stop();
  }

  async confirmDate(seen: number): Promise<void> {
    const outcome = await this.#api.call('hub.confirmDate', { seen });
    this.#problem = outcome.ok ? null : problemWords(outcome.problem);
    if (outcome.ok) this.#spoken.say(words.settings.dateConfirmed);
    else this.#spoken.stop();
  }

  async readSessions(): Promise<void> {
    const outcome = await this.#api.call('sessions.list', {});
    if (outcome.ok) this.#sessions = keepRows(this.#sessions, outcome.value.items);
    this.#calls.say('sessions', outcome.ok ? null : problemWords(outcome.problem));
  }

  async logOut(id: string): Promise<void> {
    const outcome = await this.#calls.run(
      id,
      () => this.#api.call('sessions.revoke', { id }),
      'sessions',
    );
    if (!outcome?.ok) return;
    this.#sessions = endRow(this.#sessions, id);
    await this.readSessions();
  }

  /** The page is left. */
  stop(): void {
    this.#spoken.stop();
  }

  /** The old passphrase was typed anew, or is about to be judged anew. */
  forgetPassphraseFlaw(): void {
    this.#passphraseFlaw = null;
  }

  /** @returns true when the new passphrase counts */
  async setPassphrase(passphrase: string, current: string | undefined): Promise<boolean> {
    this.#passphraseNote = '';
    const outcome = await this.#api.call('hub.setPassphrase', {
      passphrase,
      ...(current === undefined ? {} : { current }),
    });
    const problem = outcome.ok ? null : problemWords(outcome.problem);
    const isWrong = !outcome.ok && outcome.problem.code === 'wrong_passphrase';
    this.#passphraseFlaw = isWrong ? problem : null;
    this.#passphraseProblem = isWrong ? null : problem;
    this.#passphraseNote = outcome.ok ? words.settings.passphraseSaved : '';
    return outcome.ok;
  }
}
