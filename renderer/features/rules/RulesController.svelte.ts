// What the owner does with rules on a page: pause, take away, give back while that is offered, and
// try what would happen. The hub decides; the page's picture follows its events.
import type { OperationInput } from '../../../preload/contract/operations.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import type { AttentionDto } from '../../../preload/contract/attention.ts';
import type { RuleDto, RuleTestDto } from '../../../preload/contract/rules.ts';
import { Calls } from '../../app/Calls.svelte.ts';

export class RulesController {
  #removed = $state.raw<RuleDto | null>(null);
  /**
   * What was taken away since the page was opened: it keeps its place, so that no other row slides
   * under the pointer.
   */
  #gone = $state.raw<readonly RuleDto[]>([]);
  #tested = $state.raw<RuleTestDto | null>(null);
  #testedWith = $state('');
  /** Counts the questions, so that a late answer about another one says nothing. */
  #testRound = 0;
  readonly #calls = new Calls();
  readonly #api: HubApi;
  readonly #current: () => readonly RuleDto[];
  readonly #attention: () => AttentionDto;

  /**
   * @param current the rules in force and paused, as the hub tells them
   * @param attention what holds requests just now, likewise
   */
  constructor(api: HubApi, current: () => readonly RuleDto[], attention: () => AttentionDto) {
    this.#api = api;
    this.#current = current;
    this.#attention = attention;
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
  /** What was said of the last try, as long as the same rules act and the same is held. */
  get tested(): RuleTestDto | null {
    return this.#testedWith === this.#inForce() ? this.#tested : null;
  }
  problem(about: string): string | null {
    return this.#calls.problem(about);
  }
  busy(about: string): boolean {
    return this.#calls.busy(about);
  }

  async setPaused(rule: RuleDto, suspended: boolean): Promise<void> {
    await this.#calls.run(rule.id, () =>
      this.#api.call('rules.update', { id: rule.id, suspended }),
    );
  }

  async remove(rule: RuleDto): Promise<void> {
    if (this.busy(rule.id)) return;
    // Before the hub tells that it is gone, which may come sooner than the answer: its row leaves
    // at no moment.
    this.#gone = [...this.#gone.filter(({ id }) => id !== rule.id), rule];
    const outcome = await this.#calls.run(rule.id, () =>
      this.#api.call('rules.remove', { id: rule.id }),
    );
    if (outcome?.ok) this.#removed = rule;
    else this.#gone = this.#gone.filter(({ id }) => id !== rule.id);
  }

  async undo(): Promise<void> {
    const { removed: rule } = this;
    if (rule === null) return;
    await this.#restore(rule, 'undo');
  }

  /**
   * As undo, for a row that was struck out, as long as the hub can. What went wrong stands beside
   * it.
   */
  async restore(rule: RuleDto): Promise<void> {
    await this.#restore(rule, rule.id);
  }

  forgetRemoved(): void {
    this.#removed = null;
  }

  async test(asked: OperationInput<'rules.test'>): Promise<void> {
    // The same verdict is told again.
    this.forgetTest();
    this.#testedWith = this.#inForce();
    const round = this.#testRound;
    const outcome = await this.#calls.run('test', () => this.#api.call('rules.test', asked));
    if (outcome?.ok && round === this.#testRound) this.#tested = outcome.value;
  }

  /** The question changed: what was said of the one before says nothing of this one. */
  forgetTest(): void {
    this.#testRound += 1;
    this.#tested = null;
  }

  async #restore(rule: RuleDto, about: string): Promise<void> {
    const outcome = await this.#calls.run(about, () =>
      this.#api.call('rules.restore', { id: rule.id }),
    );
    if (!outcome?.ok) return;
    if (this.#removed?.id === rule.id) this.#removed = null;
    this.#gone = this.#gone.filter(({ id }) => id !== rule.id);
  }

  #isThere(rule: RuleDto): boolean {
    return this.#current().some(({ id }) => id === rule.id);
  }

  /** Which rules act, and what holds: how often they did says nothing of what would happen. */
  #inForce(): string {
    const { paused, quiet_now, quiet_hours, mutes } = this.#attention();
    const rules = this.#current().map(({ id, suspended }) => [id, suspended]);
    return JSON.stringify([rules, paused, quiet_now, quiet_hours.urgent_peers, mutes]);
  }
}
