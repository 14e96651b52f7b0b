// Which drawing stands for a computer, from what it says its system is. A guess for the eye only;
// anything unknown is a laptop.
import type { IconName } from './icons.ts';

export function platformIcon(platform: string | null): IconName {
  const name = platform?.toLowerCase() ?? '';
  if (/^(win32|windows)/.test(name)) return 'desktop';
  if (/^(android|ios|ipados)/.test(name)) return 'tablet';
  if (/^(linux|freebsd|openbsd)/.test(name)) return 'server';
  return 'laptop';
}
