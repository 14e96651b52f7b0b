// How long a press takes by the page's own clock: from the moment the browser took the event to the
// frame in which its answer was drawn.
import type { JSHandle, Locator, Page } from 'playwright-core';

/** What shows that a press was answered: something of the page is there now, or is gone. */
export interface Answer {
  readonly selector: string;
  readonly shown: boolean;
}

export class PressClock {
  readonly #page: Page;
  readonly #longTasksMs: JSHandle<number[]>;
  readonly #pressesMs: number[] = [];

  private constructor(page: Page, longTasksMs: JSHandle<number[]>) {
    this.#page = page;
    this.#longTasksMs = longTasksMs;
  }

  /** From now on every task of the page above 50 ms is noted. */
  static async start(page: Page): Promise<PressClock> {
    const longTasksMs = await page.evaluateHandle(() => {
      const durations: number[] = [];
      new PerformanceObserver((list) =>
        durations.push(...list.getEntries().map(({ duration }) => duration)),
      ).observe({ type: 'longtask' });
      return durations;
    });
    return new PressClock(page, longTasksMs);
  }

  /** Presses, and waits for the answer. */
  async press(target: Locator, answer: Answer): Promise<void> {
    const taken = this.#page.evaluate(
      ({ selector, shown }) =>
        new Promise<number>((resolve) => {
          const look = (event: Event): void => {
            requestAnimationFrame(() => {
              if ((document.querySelector(selector) !== null) !== shown) return look(event);
              const { port1, port2 } = new MessageChannel();
              port1.addEventListener('message', () => resolve(performance.now() - event.timeStamp));
              port1.start();
              // Comes after the frame that holds the answer.
              port2.postMessage(null);
            });
          };
          addEventListener('click', look, { capture: true, once: true });
        }),
      answer,
    );
    // Where the press itself fails, that is what is told.
    taken.catch(() => undefined);
    await target.click();
    this.#pressesMs.push(await taken);
  }

  /** The label of the hub in whose row the pointer rests, as the browser would press it. */
  async rowUnderPointer(): Promise<string> {
    const label = this.#page.locator('li:hover .hub-label');
    return (await label.textContent()) ?? '';
  }

  /** All presses in their order, and the longest task of the page: 0 when none took 50 ms. */
  async told(): Promise<{ readonly pressesMs: readonly number[]; readonly longestTaskMs: number }> {
    return {
      pressesMs: this.#pressesMs,
      longestTaskMs: Math.max(0, ...(await this.#longTasksMs.jsonValue())),
    };
  }
}
