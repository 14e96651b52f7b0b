// Watches a scrolling box: how many lines are still below, and whether its end has been in view. A box that shows everything has been read.
import type { Attachment } from 'svelte/attachments';

/** A zoomed page may rest a fraction of a pixel above the end. */
const END_TOLERANCE_PX = 2;
const LINE_HEIGHT_FALLBACK_PX = 24;

export function readToEnd({
  onmeasure,
  onend,
}: {
  onmeasure(linesLeft: number, overflows: boolean): void;
  onend(): void;
}): Attachment<HTMLElement> {
  return (box) => {
    const measure = () => {
      // A box that is not laid out (a hidden page) shows nothing, so nothing of it has been read.
      if (box.clientHeight === 0) return;
      const below = box.scrollHeight - box.clientHeight - box.scrollTop;
      const line = Number.parseFloat(getComputedStyle(box.firstElementChild ?? box).lineHeight) || LINE_HEIGHT_FALLBACK_PX;
      onmeasure(
        below > END_TOLERANCE_PX ? Math.max(1, Math.round(below / line)) : 0,
        box.scrollHeight - box.clientHeight > END_TOLERANCE_PX,
      );
      if (below <= END_TOLERANCE_PX) onend();
    };
    const sizes = new ResizeObserver(measure);
    sizes.observe(box);
    if (box.firstElementChild !== null) sizes.observe(box.firstElementChild);
    measure();
    box.addEventListener('scroll', measure, { passive: true });
    return () => {
      sizes.disconnect();
      box.removeEventListener('scroll', measure);
    };
  };
}
