// What the owner does with rules on a page: pause, take away, give back while that is offered, and try what would happen. The hub decides;
// the page's picture follows its events.
import type { OperationInput } from '../../../preload/contract/operations.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import type { RuleDto, RuleTestDto } from '../../../preload/contract/rules.ts';
import { Calls } from '../../app/Calls.svelte.ts';

export class RulesController {
  #removed = $state.raw<RuleDto | null>(null);
  /** What was taken away since the page was opened: it keeps its place, so that no other row slides under the pointer. */
  #gone = $state.raw<readonly RuleDto[]>([]);
  #tested = $state.raw<RuleTestDto | null>(null);
  readonly #calls = new Calls();
  readonly #api: HubApi;
  readonly #current: () => readonly RuleDto[];

  /** @param current the rules in force and paused, as the hub tells them */
  constructor(api: HubApi, current: () => readonly RuleDto[]) {
    this.#api = api;
    this.#current = current;
  }

  /** What was taken away last, as long as giving it back is offered. */
  get removed(): RuleDto | null {
    return this.#removed !== null && this.#isThere(this.#removed) ? null : this.#removed;
  }
  /** Those in force and those just taken away, in the order they were made. */
  shown(): readonly RuleDto[] {
    return [...this.#current(), ...this.#gone.filter((rule) => this.isGone(rule))].sort(
      (one, other) => one.created_at - other.created_at || (one.id < other.id ? -1 : 1),
    );
  }
  /** It was taken away here, and nobody gave it back since, wherever. */
  isGone(rule: RuleDto): boolean {
    return this.#gone.some(({ id }) => id === rule.id) && !this.#isThere(rule);
  }
  get tested(): RuleTestDto | null {
    return this.#tested;
  }
  problem(about: string): string | null {
    return this.#calls.problem(about);
  }
  busy(about: string): boolean {
    return this.#calls.busy(about);
  }

  async setPaused(rule: RuleDto, suspended: boolean): Promise<void> {
    await this.#calls.run(rule.id, () => this.#api.call('rules.update', { id: rule.id, suspended }));
  }

  async remove(rule: RuleDto): Promise<void> {
    const outcome = await this.#calls.run(rule.id, () => this.#api.call('rules.remove', { id: rule.id }));
    if (!outcome?.ok) return;
    this.#removed = rule;
    this.#gone = [...this.#gone.filter(({ id }) => id !== rule.id), rule];
  }

  async undo(): Promise<void> {
    const { removed: rule } = this;
    if (rule === null) return;
    const outcome = await this.#calls.run('undo', () => this.#api.call('rules.restore', { id: rule.id }));
    if (!outcome?.ok) return;
    this.#removed = null;
    this.#gone = this.#gone.filter(({ id }) => id !== rule.id);
  }

  forgetRemoved(): void {
    this.#removed = null;
  }

  async test(asked: OperationInput<'rules.test'>): Promise<void> {
    // The same verdict is told again.
    this.#tested = null;
    const outcome = await this.#calls.run('test', () => this.#api.call('rules.test', asked));
    this.#tested = outcome?.ok ? outcome.value : null;
  }

  /** The question changed: what was said of the one before says nothing of this one. */
  forgetTest(): void {
    this.#tested = null;
  }

  #isThere(rule: RuleDto): boolean {
    return this.#current().some(({ id }) => id === rule.id);
  }
}
