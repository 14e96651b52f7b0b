// What a person reads of something that failed: the hub's sentence, what to try, and when, if
// waiting helps. Pure.
import type { Problem } from '../../preload/contract/errors.ts';
import { durationWords } from './format.ts';
import { words } from './words.ts';

const SECOND_MS = 1_000;
/** Names a route of the hub: of use to whoever writes a program, not to the person at a page. */
const FOR_PROGRAMS = /\b(GET|POST|PUT|PATCH|DELETE) \//;

/** "That is not the address of a hub. Write a host name ..." */
export function problemWords({ detail, hint, retry_after_ms }: Problem): string {
  const { problems } = words.common;
  const what = detail.trim() === '' ? problems.unknown : sentence(detail);
  const when =
    retry_after_ms === undefined
      ? ''
      : problems.again(durationWords(Math.max(SECOND_MS, retry_after_ms)));
  return [what, hint === undefined || FOR_PROGRAMS.test(hint) ? '' : sentence(hint), when]
    .filter((part) => part !== '')
    .join(' ');
}

function sentence(text: string): string {
  const trimmed = text.trim();
  const first = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?…:]["”’)]?$/.test(first) ? first : `${first}.`;
}
