// The tokens of the design hold their ratios: text 4.5, controls 3, and 7 in the contrast theme, on
// every ground they stand on.
import { beforeEach, describe, expect, test } from 'vitest';
import '../../renderer/styles/all.css';

const GROUNDS = ['ground', 'porch', 'room', 'well', 'quoted', 'accent-tint'];
const TEXT = ['ink', 'ink-2', 'ink-3', 'accent', 'alarm'];
const CONTROLS = ['edge', 'threshold'];

/** What the browser makes of a token, as red, green and blue, 0 to 255. */
function colour(token: string): readonly number[] {
  const probe = document.createElement('span');
  document.body.append(probe);
  probe.style.color = `var(--${token})`;
  const painter = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (painter === null) throw new Error('no canvas');
  painter.fillStyle = getComputedStyle(probe).color;
  painter.fillRect(0, 0, 1, 1);
  probe.remove();
  return Array.from(painter.getImageData(0, 0, 1, 1).data.slice(0, 3));
}

function luminance(parts: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = parts.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function ratio(one: string, other: string): number {
  const [light, dark] = [luminance(colour(one)), luminance(colour(other))].toSorted(
    (a, b) => b - a,
  );
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

describe.each([
  { theme: 'light', text: 4.5, control: 3 },
  { theme: 'dark', text: 4.5, control: 3 },
  { theme: 'contrast', text: 7, control: 7 },
])('in the $theme theme', ({ theme, text, control }) => {
  beforeEach(() => {
    document.documentElement.dataset['theme'] = theme;
  });

  test(`every text token reads with at least ${text} on every ground`, () => {
    const weak = TEXT.flatMap((token) =>
      GROUNDS.map((ground) => ({ pair: `${token} on ${ground}`, is: ratio(token, ground) })),
    ).filter(({ is }) => is < text);
    expect(weak).toEqual([]);
  });

  test(`every border of a control stands out with at least ${control} on every ground`, () => {
    const weak = CONTROLS.flatMap((token) =>
      GROUNDS.map((ground) => ({ pair: `${token} on ${ground}`, is: ratio(token, ground) })),
    ).filter(({ is }) => is < control);
    expect(weak).toEqual([]);
  });

  test('filled buttons, alarms on their tint and tear-off dots on quoted text hold, too', () => {
    expect(ratio('on-accent', 'accent')).toBeGreaterThanOrEqual(text);
    expect(ratio('alarm', 'alarm-tint')).toBeGreaterThanOrEqual(text);
    expect(ratio('ink', 'alarm-tint')).toBeGreaterThanOrEqual(text);
    expect(ratio('quoted-edge', 'quoted')).toBeGreaterThanOrEqual(control);
  });
});
