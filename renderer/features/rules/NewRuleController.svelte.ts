// A rule on its way: the fields as they stand, the sentence that the hub makes of them with what it
// would have done, and the making of exactly that. Must never have a rule made of other words than
// those whose sentence is shown.
import { untrack } from 'svelte';
import type { HubApi } from '../../../preload/contract/hub-api.ts';
import type { Problem } from '../../../preload/contract/errors.ts';
import type { RuleField, RulePreviewDto } from '../../../preload/contract/rules.ts';
import { problemWords } from '../../app/problem-words.ts';
import { EMPTY, readFields, type Fields, type Flaws, type Said } from './new-rule.ts';

/** How long nothing must be typed before the hub is asked for the sentence. */
const PREVIEW_DELAY_MS = 200;
const FIELDS: readonly RuleField[] = ['peer', 'asking_agent', 'agent', 'domain', 'topic', 'until'];

interface Shown {
  readonly said: Said;
  readonly told: RulePreviewDto;
}

export class NewRuleController {
  #fields = $state.raw<Fields>(EMPTY);
  #shown = $state.raw<Shown | null>(null);
  /** What the form itself finds missing or unfit. */
  #flaws = $state.raw<Flaws>({});
  /** What the hub refused of what the fields say now. */
  #refused = $state.raw<Flaws>({});
  #problem = $state<string | null>(null);
  /**
   * The fields whose flaws are said: those that were left, and all once somebody wanted the rule
   * made.
   */
  #left = $state.raw<ReadonlySet<RuleField>>(new Set());
  #fresh = $state(false);
  #making = $state(false);
  /** Counts what was asked, so that a late answer about other words says nothing. */
  #round = 0;
  /** The count of what is being asked; null: nothing is. */
  #asking: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #api: HubApi;
  readonly #now: () => number;

  constructor(api: HubApi, now: () => number) {
    this.#api = api;
    this.#now = now;
    this.#flaws = readFields(EMPTY, untrack(now)).flaws;
  }

  get fields(): Fields {
    return this.#fields;
  }
  /** The last sentence; of what the fields say now only while `fresh`. */
  get told(): RulePreviewDto | null {
    return this.#shown?.told ?? null;
  }
  get fresh(): boolean {
    return this.#fresh;
  }
  get making(): boolean {
    return this.#making;
  }
  /** What did not work and belongs to no field. */
  get problem(): string | null {
    return this.#problem;
  }
  flaw(field: RuleField): string | null {
    return this.#refused[field] ?? (this.#left.has(field) ? (this.#flaws[field] ?? null) : null);
  }

  change(fields: Fields): void {
    this.#fields = fields;
    this.#round += 1;
    this.#fresh = false;
    this.#refused = {};
    this.#problem = null;
    clearTimeout(this.#timer);
    const { said, flaws } = readFields(fields, untrack(this.#now));
    this.#flaws = flaws;
    if (said === null) this.#shown = null;
    else this.#timer = setTimeout(() => void this.#preview(said), PREVIEW_DELAY_MS);
  }

  /** A field was left: from now on it is said what does not fit there. */
  leave(field: RuleField): void {
    if (!this.#left.has(field)) this.#left = new Set([...this.#left, field]);
  }

  /**
   * Asks for the sentence where there is none of what the fields say now: it could not be had
   * before, or is not asked for yet.
   */
  async askAgain(): Promise<void> {
    if (this.#fresh || this.#asking === this.#round) return;
    const { said } = readFields(this.#fields, untrack(this.#now));
    if (said === null) return;
    clearTimeout(this.#timer);
    await this.#preview(said);
  }

  /**
   * True when it was made. While something is missing nothing is made, and all that is missing is
   * said; nor is it without its sentence, which is asked for then, to be read before the next
   * press.
   */
  async make(): Promise<boolean> {
    const shown = this.#shown;
    if (this.#making) return false;
    this.#left = new Set(FIELDS);
    if (shown === null || !this.#fresh) {
      await this.askAgain();
      return false;
    }
    this.#making = true;
    const outcome = await this.#api.call('rules.create', shown.said);
    this.#making = false;
    if (!outcome.ok) this.#refuse(outcome.problem);
    return outcome.ok;
  }

  stop(): void {
    this.#round += 1;
    clearTimeout(this.#timer);
  }

  async #preview(said: Said): Promise<void> {
    const round = this.#round;
    this.#asking = round;
    const outcome = await this.#api.call('rules.preview', said);
    if (round !== this.#round) return;
    this.#asking = null;
    this.#refused = {};
    this.#problem = null;
    if (outcome.ok) {
      this.#shown = { said, told: outcome.value };
      this.#fresh = true;
    } else {
      this.#shown = null;
      this.#refuse(outcome.problem);
    }
  }

  #refuse(problem: Problem): void {
    const field = fieldOf(problem);
    if (field === undefined) this.#problem = problemWords(problem);
    else this.#refused = { [field]: problemWords(problem) };
  }
}

function fieldOf({ code, data }: Problem): RuleField | undefined {
  if (code === 'peer_not_found' || code === 'pairing_required') return 'peer';
  return FIELDS.find((field) => field === data?.['field']);
}
