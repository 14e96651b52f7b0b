// How an exchange is spoken of: its mark, its state, what each message is. Pure.
import type { ConversationEntryDto } from '../../../preload/contract/conversation-dto.ts';
import type { StoryDto } from '../../../preload/contract/story.ts';
import { headlineOf } from '../../../preload/contract/strings/story.ts';
import type { IconName } from '../../ui/icons.ts';

const MARKS: Readonly<Record<string, IconName>> = {
  sending: 'mark-out',
  received: 'mark-waiting',
  cancelling: 'mark-waiting',
  awaiting_approval: 'mark-waiting',
  held: 'mark-held',
  approved: 'mark-let',
  answered: 'mark-out',
  queued: 'mark-let',
  claimed: 'mark-let',
  running: 'mark-let',
  completed: 'mark-let',
  partial: 'mark-let',
  failed: 'mark-failed',
  declined: 'mark-back',
  expired: 'mark-late',
  cancelled: 'mark-gone',
};

/** Of what has no state. */
const KIND_MARKS: Readonly<Record<string, IconName>> = {
  cancel: 'mark-gone',
  notify: 'feed',
  error: 'mark-failed',
};

export function markOf(state: string | null): IconName {
  return (state === null ? undefined : MARKS[state]) ?? 'conversations';
}

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
      mark: markOf(entry.state),
      decision: true,
    };
  const { direction, kind, state } = entry;
  const mark = state === null ? KIND_MARKS[kind] : MARKS[state];
  if (direction === 'in')
    return { side: 'outside', mark: mark ?? 'conversations', decision: false };
  return {
    side: 'inside',
    mark: mark ?? (direction === 'out' ? 'mark-out' : 'agents'),
    decision: false,
  };
}
