// The mark beside the words of a story, by the same value.
import type { EndedKind, StoryDto, VerdictOutcome } from '../../preload/contract/story.ts';
import type { IconName } from '../ui/icons.ts';

const VERDICT_MARKS: Readonly<Record<VerdictOutcome, IconName>> = {
  allowed: 'mark-let',
  passed: 'mark-let',
  declined: 'mark-back',
  expired: 'mark-late',
  answered: 'mark-out',
  chosen: 'mark-out',
  withdrawn: 'mark-gone',
};
const END_MARKS: Readonly<Record<EndedKind, IconName>> = {
  completed: 'mark-let',
  partial: 'mark-let',
  failed: 'mark-failed',
  refused: 'mark-back',
  offered: 'mark-back',
  hub_refused: 'mark-failed',
  not_understood: 'mark-failed',
  cancelled: 'mark-gone',
  stopped: 'mark-gone',
  timed_out: 'mark-late',
  possibly_executed: 'mark-failed',
  hub_removed: 'mark-gone',
};

/** Of what was decided; of no request that of a conversation. */
export function verdictMarkOf(story: StoryDto | null): IconName {
  if (story === null) return 'conversations';
  const { verdict, handed_over: handed } = story;
  if (verdict.outcome === 'waiting') return verdict.held === null ? 'mark-waiting' : 'mark-held';
  if (verdict.outcome !== 'none') return VERDICT_MARKS[verdict.outcome];
  if (story.end !== null) return END_MARKS[story.end.kind];
  return story.direction === 'outgoing' && handed.state === 'no' ? 'mark-out' : 'mark-let';
}

/** Of how it stands, or ended. */
export function markOf(story: StoryDto | null): IconName {
  return story === null || story.end === null ? verdictMarkOf(story) : END_MARKS[story.end.kind];
}
