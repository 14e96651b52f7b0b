// The rule that was made on a card here last, while undoing that is offered. The request itself
// stays decided.
import type { RuleDto } from '../../../preload/contract/rules.ts';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import type { HubState } from '../../app/HubState.svelte.ts';
import { problemWords } from '../../app/problem-words.ts';
import { words } from '../../app/words.ts';

export class MadeRule {
  readonly #deps: { readonly api: HubApi; readonly hub: HubState };
  readonly #onGone: () => void;
  /** The request with which it was made. */
  #request = $state<string | null>(null);
  #problem = $state<string | null>(null);
  #undoing = false;

  /**
   * @param onGone the bar that offered it leaves; a press meant for it must not reach a card that
   * stood behind
   */
  constructor(deps: { readonly api: HubApi; readonly hub: HubState }, onGone: () => void) {
    this.#deps = deps;
    this.#onGone = onGone;
  }

  get rule(): RuleDto | undefined {
    const id = this.#request;
    return id === null
      ? undefined
      : this.#deps.hub.snapshot.rules.find((rule) => rule.approval_id === id);
  }

  /** Why it could not be undone, if so. */
  get problem(): string | null {
    return this.#problem;
  }

  with(requestId: string): void {
    this.#request = requestId;
    this.#problem = null;
  }

  async undo(): Promise<void> {
    const { rule } = this;
    if (rule === undefined || this.#undoing) return;
    this.#undoing = true;
    this.#problem = null;
    const outcome = await this.#deps.api.call('rules.remove', { id: rule.id });
    this.#undoing = false;
    if (outcome.ok) this.forget();
    else this.#problem = `${words.attention.notUndone} ${problemWords(outcome.problem)}`;
  }

  forget(): void {
    this.#request = null;
    this.#problem = null;
    this.#onGone();
  }
}
