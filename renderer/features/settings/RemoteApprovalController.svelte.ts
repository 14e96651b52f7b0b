// Which adults' hubs decide for this one, as the page holds it: what is kept, what is chosen and
// not kept yet, and what went wrong. Keeps no passphrase once it was sent.
import type { RemoteClass } from '../../../preload/contract/closed-lists.ts';
import type { RemoteApprovalDto } from '../../../preload/contract/remote-approval.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import { Calls } from '../../app/Calls.svelte.ts';
import { problemWords } from '../../app/problem-words.ts';
import { words } from '../../app/words.ts';

const KEEPING = 'keeping';
const READING = 'reading';

export class RemoteApprovalController {
  readonly #api: HubApi;
  readonly #calls = new Calls();
  #setting = $state.raw<RemoteApprovalDto | null>(null);
  #note = $state('');
  #flaw = $state<string | null>(null);
  /** Something happened while it was being read: what comes may be older than that. */
  #readAgain = false;
  chosen = $state<string[]>([]);
  from = $state<RemoteClass>('R2');
  passphrase = $state('');

  constructor(api: HubApi) {
    this.#api = api;
  }

  /** null until it was read. */
  get setting(): RemoteApprovalDto | null {
    return this.#setting;
  }
  get problem(): string | null {
    return this.#calls.problem(KEEPING) ?? this.#calls.problem(READING);
  }
  /** What is wrong with the passphrase that was sent last; null: nothing. */
  get passphraseFlaw(): string | null {
    return this.#flaw;
  }
  get busy(): boolean {
    return this.#calls.busy(KEEPING);
  }
  get note(): string {
    return this.#note;
  }

  /**
   * What is chosen and not kept yet stays, unless somebody else has changed the setting meanwhile.
   */
  async read(): Promise<void> {
    if (this.#calls.busy(READING)) {
      this.#readAgain = true;
      return;
    }
    do {
      this.#readAgain = false;
      const outcome = await this.#calls.run(READING, () =>
        this.#api.call('remote_approval.get', {}),
      );
      if (outcome?.ok && !this.busy) this.#reread(outcome.value);
    } while (this.#readAgain);
  }

  /** The passphrase is another one now, or is about to be judged anew. */
  forgetFlaw(): void {
    this.#flaw = null;
  }

  /** @param from null: the people here decide again @returns true when it counts */
  async keep(from: RemoteClass | null): Promise<boolean> {
    if (this.busy) return false;
    this.#note = '';
    this.#flaw = null;
    const { passphrase } = this;
    const shown = this.#setting;
    const seen = shown === null ? {} : { seen: { from: shown.from, hubs: decidersOf(shown) } };
    // Whatever comes of it: an adult who leaves must not leave it in the field of a child's
    // computer.
    this.passphrase = '';
    const hubs = from === null ? [] : [...this.chosen];
    const outcome = await this.#calls.run(KEEPING, () =>
      this.#api.call('remote_approval.set', { from, hubs, passphrase, ...seen }),
    );
    if (outcome?.ok !== true) {
      if (outcome?.problem.code === 'wrong_passphrase') {
        this.#calls.say(KEEPING, null);
        this.#flaw = problemWords(outcome.problem);
      }
      await this.read();
      return false;
    }
    this.#take(outcome.value);
    this.#note = words.settings.saved;
    return true;
  }

  #reread(newest: RemoteApprovalDto): void {
    const shown = this.#setting;
    if (shown === null) return this.#take(newest);
    if (!isSameChoice(shown, newest)) {
      this.#take(newest);
      this.#note = words.remoteApproval.changedMeanwhile;
      return;
    }
    this.#setting = newest;
    this.chosen = this.chosen.filter((id) => newest.hubs.some((hub) => hub.id === id));
  }

  #take(setting: RemoteApprovalDto): void {
    this.#setting = setting;
    this.chosen = decidersOf(setting);
    this.from = setting.from ?? 'R2';
  }
}

function decidersOf({ hubs }: RemoteApprovalDto): string[] {
  return hubs.filter(({ decides }) => decides).map(({ id }) => id);
}

function isSameChoice(one: RemoteApprovalDto, other: RemoteApprovalDto): boolean {
  return (
    one.from === other.from &&
    decidersOf(one).toSorted().join() === decidersOf(other).toSorted().join()
  );
}
