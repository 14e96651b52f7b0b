// Two hubs in this process that fill their stores through their own services: what agents asked and
// delegated, and what they answered. Their clock and the line between them are fakes; what is on
// the disk is real. Needs Node's hooks for the schema's text.
import { readFileSync } from 'node:fs';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import type { TwoHubs } from '../fakes/two-work-hubs.ts';
import { delegation } from '../fakes/work-hub.ts';

/** How many are under way at a time; no more may wait for a person. */
const TOGETHER = 5;
/** Words as often as people use them, in no order: they deflate no better than sentences do. */
const WORDS = [
  'README.md',
  ...['agents', 'operating', 'pairing', 'security'].map((name) => `resources/docs/${name}.md`),
].flatMap(
  (page) => readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8').match(/[a-z]+/gi) ?? [],
);

let state = 1;
function chance(below: number): number {
  state = (state * 48_271) % 2_147_483_647;
  return state % below;
}

/** So many characters of text. */
export function words(length: number): string {
  let text = '';
  while (text.length < length) text += `${WORDS[chance(WORDS.length)] ?? ''} `;
  return text.slice(0, length);
}

/** Dad's agent asks and delegates, mum's calendar answers; texts of this many characters. */
export class FilledHubs {
  readonly #hubs: TwoHubs;
  readonly #size: number;

  private constructor(hubs: TwoHubs, size: number) {
    this.#hubs = hubs;
    this.#size = size;
  }

  static async of(hubs: TwoHubs, size: number): Promise<FilledHubs> {
    await hubs.mum.agent('calendar', ['family.calendar'], { risk: 'R0' });
    return new FilledHubs(hubs, size);
  }

  /** @param every called after each few */
  async queries(count: number, every: (done: number) => void = () => undefined): Promise<void> {
    const { clock, dad, mum } = this.#hubs;
    for (let done = 0; done < count; done += TOGETHER) {
      every(done);
      const asked = Array.from({ length: Math.min(TOGETHER, count - done) }, () =>
        dad.work.sender.query(
          { to: 'mum', question: words(this.#size), domain: 'family.calendar' },
          'openclaw',
          new AbortController().signal,
        ),
      );
      await clock.settle();
      for (const item of await this.#claimed(asked.length))
        await mum.work.inbox.reply('calendar', item.delivery_id, {
          ...this.#answer(),
          summary: words(this.#summary),
        });
      await clock.settle();
      await Promise.all(asked);
      await clock.advance(100);
      this.#forget();
    }
  }

  /** Each is allowed by a person. */
  async delegations(count: number): Promise<void> {
    const { clock, dad, mum } = this.#hubs;
    for (let done = 0; done < count; done += TOGETHER) {
      const together = Math.min(TOGETHER, count - done);
      const sent = Array.from({ length: together }, () =>
        dad.work.sender.delegate(
          delegation('mum', words(this.#size), { domain: 'family.calendar' }),
          'openclaw',
          null,
        ),
      );
      await clock.settle();
      await Promise.all(sent);
      for (const card of mum.work.approvals.pending()) await mum.decide(card, 'allow');
      for (const item of await this.#claimed(together)) {
        await mum.work.inbox.ack('calendar', item.delivery_id, 5_000);
        await mum.work.inbox.reply('calendar', item.delivery_id, {
          ...this.#answer(),
          outcome: words(this.#summary),
        });
      }
      await clock.advance(100);
      for (const item of await dad.work.inbox.claim('openclaw', together))
        await dad.work.inbox.ack('openclaw', item.delivery_id, 0);
      await clock.settle();
      this.#forget();
    }
  }

  /** What an answer says in one line; the rest of it is data. */
  get #summary(): number {
    return Math.floor(this.#size / 5);
  }

  #answer() {
    return {
      status: 'completed',
      data: { answer: words(this.#size - this.#summary) },
      truncated: false,
    } as const;
  }

  async #claimed(count: number): Promise<readonly DeliveryDto[]> {
    const items = await this.#hubs.mum.work.inbox.claim('calendar', count);
    if (items.length !== count) throw new Error(`${items.length} of ${count} items wait`);
    return items;
  }

  /** The fakes keep what a line carried and what pages were told, which no hub does. */
  #forget(): void {
    const { dad, mum } = this.#hubs;
    for (const { messenger, events } of [dad, mum]) {
      messenger.sent.length = 0;
      events.length = 0;
    }
  }
}
