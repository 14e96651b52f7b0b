// Where the keyboard and the screen reader are when a page goes on by itself: the title of the new
// step takes the focus when the step before took it along, and is said once when the person was
// somewhere else. It never takes the focus from a place that is still there.
import { tick } from 'svelte';
import { Spoken } from '../../ui/Spoken.svelte.ts';

export class StepFocus {
  /** For a live region of the page. */
  readonly spoken = new Spoken();
  #before: string | undefined;

  /**
   * Call before the page is drawn anew. @param step names what is about to be shown; `place` holds
   * it and its title, an h1
   */
  goesTo(step: string, place: HTMLElement | null): void {
    const before = this.#before;
    this.#before = step;
    if (before === undefined || before === step) return;
    const was = document.activeElement;
    void tick().then(() => {
      const now = document.activeElement;
      const title = place?.querySelector<HTMLElement>('h1[tabindex]');
      if (title === null || title === undefined) return;
      if (now === null || now === document.body) title.focus({ preventScroll: true });
      // What has taken the focus as it appeared, like boxes for digits, speaks for itself.
      else if (now === was) this.spoken.say(title.textContent);
    });
  }

  stop(): void {
    this.spoken.stop();
  }
}
