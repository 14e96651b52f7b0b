// Where the focus goes in the feed when the notice it stands on is read: to the next one that is
// not, so that nobody who marks them one by one by keyboard begins again at the top. It moves no
// focus that stands elsewhere.

const BUTTONS = '[data-notice]';

/**
 * Called just before the page shows what is unread now. Returns the notice whose button the
 * keyboard focus moved to: it must wait before it does anything. null: the focus moved to none, or
 * the button before it was pressed without keys.
 * @param unread the ids of the notices that will still have a button
 */
export function focusNextUnread(unread: ReadonlySet<string>): string | null {
  const at = document.activeElement;
  if (!(at instanceof HTMLElement) || !at.matches(BUTTONS) || unread.has(noticeOf(at))) return null;
  const buttons = [...document.querySelectorAll<HTMLElement>(BUTTONS)];
  const index = buttons.indexOf(at);
  const next = [...buttons.slice(index + 1), ...buttons.slice(0, index).toReversed()].find(
    (other) => unread.has(noticeOf(other)),
  );
  const byKey = at.matches(':focus-visible');
  (next ?? at.closest<HTMLElement>('[data-row]'))?.focus();
  return next === undefined || !byKey ? null : noticeOf(next);
}

const noticeOf = (button: HTMLElement): string => button.dataset['notice'] ?? '';
