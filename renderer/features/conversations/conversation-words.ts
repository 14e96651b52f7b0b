// How an exchange is spoken of: its mark, its state, what each message is. Pure.
import type { ConversationEntryDto } from '../../../preload/contract/conversation-dto.ts';
import { surfaceWords } from '../../../preload/contract/strings/now.ts';
import { words } from '../../app/words.ts';
import type { IconName } from '../../ui/icons.ts';

const { conversations } = words;

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

export function stateOf(state: string | null): string {
  return state === null ? '' : (conversations.states[state] ?? '');
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

type Decision = Pick<ConversationEntryDto, 'state' | 'surface' | 'who' | 'direction'>;
const isDecided = ({ state }: Decision): boolean =>
  state === 'approved' || state === 'answered' || state === 'declined';

/**
 * What became of a request, and who decided it where somebody did: a person here, an adult's hub, a
 * rule; or at which hub that was.
 */
export function decisionOf(decision: Decision): string {
  const { state, surface, who, direction } = decision;
  const what = stateOf(state);
  if (direction === 'in')
    return conversations.decidedAt(
      surface === 'rule' ? conversations.decidedByRule(what) : what,
      who,
    );
  if (!isDecided(decision)) return what;
  if (surface === 'rule') return conversations.decidedByRule(what);
  return who === ''
    ? what
    : conversations.decidedBy(what, who === 'owner' ? words.common.you : who);
}

/**
 * Where it was decided; nothing where `decisionOf` says it: by a rule, or by an adult's hub, whose
 * name says where that was.
 */
export function decidedWhere(decision: Decision): string {
  const { surface, who, direction } = decision;
  if (direction === 'in') return '';
  const isSaid = isDecided(decision) && (surface === 'rule' || (surface === 'peer' && who !== ''));
  return surface === null || isSaid ? '' : surfaceWords(surface);
}
