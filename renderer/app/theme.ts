// Puts the chosen looks on the page. "System" follows the system, its wish for more contrast too.
import type { SettingsDto } from '../../preload/contract/settings-dto.ts';

/** Returns the way to stop following the system. */
export function applyTheme(page: Window, theme: SettingsDto['theme']): () => void {
  const moreContrast = page.matchMedia('(prefers-contrast: more)');
  const set = () => {
    page.document.documentElement.dataset['theme'] =
      theme === 'system' && moreContrast.matches ? 'contrast' : theme;
  };
  set();
  moreContrast.addEventListener('change', set);
  return () => moreContrast.removeEventListener('change', set);
}
