// How often each row of a list of hubs has come to stand elsewhere, for whatever reason: a row
// above it left, said more, or something above the list did. So a press that was meant for what
// stood there before asks no other hub.
import { untrack } from 'svelte';
import type { Attachment } from 'svelte/attachments';
import { SvelteMap } from 'svelte/reactivity';
import { LayoutShiftGuard } from '../../app/layout-shift-guard.ts';
import type { StableRow } from './StableList.svelte.ts';

export class RowMoves {
  readonly #moves = new SvelteMap<string, number>();
  readonly #watch = new LayoutShiftGuard({
    each: '[data-hub]',
    pressed: 'button',
    onMoved: ({ dataset }) => {
      const id = dataset['hub'] ?? '';
      this.#moves.set(id, this.of(id) + 1);
    },
  });

  /**
   * Belongs to the component that makes it. @param rows those of the list @param above a new value
   * where what stands above it is another
   */
  constructor(rows: () => readonly StableRow[], above: () => unknown = () => undefined) {
    $effect(() => {
      above();
      const standing = new Set(rows().map(({ peer }) => peer.id));
      untrack(() => {
        // Hubs that are announced without end leave nothing behind.
        for (const id of this.#moves.keys()) if (!standing.has(id)) this.#moves.delete(id);
        this.#watch.check();
      });
    });
  }

  /** For the element that holds the rows, each of them marked `data-hub` with its id. */
  readonly watch: Attachment<HTMLElement> = (list) => untrack(() => this.#watch.observe(list));

  of(id: string): number {
    return this.#moves.get(id) ?? 0;
  }
}
