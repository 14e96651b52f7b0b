// What a runner that asks a model must still know after it was killed: which item it had in hand,
// whether the call for it had begun, and what this day has cost. One small file of this user alone,
// on the disk before what it tells of begins.
import { isJsonObject } from '../lib/json-object.ts';
import { readKept, replaceKept } from './kept-json.ts';
import type { Lease } from './listen.ts';

/** What it had in hand when it was killed. */
export interface LeftItem extends Lease {
  /** The model was asked: it may have been done. */
  readonly isBegun: boolean;
}

interface Day {
  readonly day: string;
  readonly tokens: number;
}

export class CallNotes {
  readonly #file: string;
  #today: Day;
  #item: LeftItem | null;
  /** What the call that has begun is counted as. */
  #reserved = 0;

  /** @param file of this agent alone */
  constructor(file: string) {
    this.#file = file;
    const { day, tokens, item } = readKept(file);
    this.#today = { day: String(day), tokens: typeof tokens === 'number' ? tokens : 0 };
    this.#item = readItem(item);
  }

  get left(): LeftItem | null {
    return this.#item;
  }

  get today(): Day {
    const day = nameOfToday();
    return this.#today.day === day ? this.#today : { day, tokens: 0 };
  }

  taking({ delivery, attempt }: Lease): void {
    this.#item = { delivery, attempt, isBegun: false };
    this.#write();
  }

  /** @param mostTokens what the call is counted as until its cost is heard */
  begin(mostTokens: number): void {
    this.#count(mostTokens);
    this.#reserved = mostTokens;
    this.#item = this.#item === null ? null : { ...this.#item, isBegun: true };
    this.#write();
  }

  /** @param tokens what the call has cost; null: nobody said, so it stays as counted */
  ended(tokens: number | null): void {
    if (tokens !== null) this.#count(tokens - this.#reserved);
    this.#reserved = 0;
    this.#write();
  }

  settled(): void {
    if (this.#item === null) return;
    this.#item = null;
    this.#write();
  }

  #count(tokens: number): void {
    const { today } = this;
    this.#today = { day: today.day, tokens: Math.max(0, today.tokens + tokens) };
  }

  #write(): void {
    replaceKept(this.#file, { ...this.#today, item: this.#item });
  }
}

/** Until the day is another one. */
export function untilTomorrowMs(): number {
  return DAY_MS - (Date.now() % DAY_MS);
}

const DAY_MS = 86_400_000;

/** By UTC. */
function nameOfToday(): string {
  return new Date().toISOString().slice(0, 10);
}

function readItem(item: unknown): LeftItem | null {
  if (!isJsonObject(item)) return null;
  const { delivery, attempt, isBegun } = item;
  if (typeof delivery !== 'string' || typeof attempt !== 'number') return null;
  // Of what cannot be told apart the careful half is believed.
  return { delivery, attempt, isBegun: isBegun !== false };
}
