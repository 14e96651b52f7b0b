// How an exchange is spoken of: its mark, its state, what each message is. Pure.
import type { ConversationEntryDto } from '../../../preload/contract/conversation-dto.ts';
import type { StoryDto } from '../../../preload/contract/story.ts';
import { headlineOf } from '../../../preload/contract/strings/story.ts';
import { markOf, verdictMarkOf } from '../../app/story-marks.ts';
import type { IconName } from '../../ui/icons.ts';

/** Of what is no request, and answers none. */
const KIND_MARKS: Readonly<Record<string, IconName>> = {
  cancel: 'mark-gone',
  notify: 'feed',
  error: 'mark-failed',
};

/** How its request stands, or ended; nothing where it has none. */
export function stateOf(story: StoryDto | null): string {
  return story === null ? '' : headlineOf(story);
}

/** Where on the thread it stands, and the mark on its knot. */
export function placeOf(entry: ConversationEntryDto): {
  readonly side: 'outside' | 'inside';
  readonly mark: IconName;
  readonly decision: boolean;
} {
  if (entry.kind === 'decision')
    return {
      side: entry.direction === 'in' ? 'outside' : 'inside',
      mark: verdictMarkOf(entry.story),
      decision: true,
    };
  const { direction, kind, story } = entry;
  const mark = story === null ? KIND_MARKS[kind] : markOf(story);
  if (direction === 'in')
    return { side: 'outside', mark: mark ?? 'conversations', decision: false };
  return {
    side: 'inside',
    mark: mark ?? (direction === 'out' ? 'mark-out' : 'agents'),
    decision: false,
  };
}
