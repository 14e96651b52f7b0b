// Watches a scrolling box: how many lines are still below, and whether its end has been in view. A
// box that shows everything has been read.
import type { Attachment } from 'svelte/attachments';

/** A zoomed page may rest a fraction of a pixel above the end. */
const END_TOLERANCE_PX = 2;
const LINE_HEIGHT_FALLBACK_PX = 24;

export function readToEnd({
  onmeasure,
  onend,
}: {
  /** @param height of everything in it, in px, whatever of that is in view */
  onmeasure(linesLeft: number, overflows: boolean, height: number): void;
  onend(): void;
}): Attachment<HTMLElement> {
  return (box) => {
    const measure = () => {
      // A box that is not laid out (a hidden page) shows nothing, so nothing of it has been read.
      if (box.clientHeight === 0) return;
      const below = box.scrollHeight - box.clientHeight - box.scrollTop;
      const line =
        Number.parseFloat(getComputedStyle(box.firstElementChild ?? box).lineHeight) ||
        LINE_HEIGHT_FALLBACK_PX;
      onmeasure(
        below > END_TOLERANCE_PX ? Math.max(1, Math.round(below / line)) : 0,
        box.scrollHeight - box.clientHeight > END_TOLERANCE_PX,
        box.scrollHeight,
      );
      if (below <= END_TOLERANCE_PX) onend();
    };
    // What is told here may change sizes again: not within the browser's own round of telling them.
    let frame = 0;
    const sizes = new ResizeObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(measure);
    });
    sizes.observe(box);
    for (const part of box.children) sizes.observe(part);
    measure();
    box.addEventListener('scroll', measure, { passive: true });
    return () => {
      sizes.disconnect();
      cancelAnimationFrame(frame);
      box.removeEventListener('scroll', measure);
    };
  };
}
