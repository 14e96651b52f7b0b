// How an agent's state is spoken of. Pure.
import type { AgentDto } from '../../../preload/contract/dto.ts';
import { reachOf } from '../../../preload/contract/strings/reach.ts';
import { ago, durationWords, when } from '../../app/format.ts';
import { words } from '../../app/words.ts';
import type { IconName } from '../../ui/icons.ts';

const { agents } = words;
/** An agent that has not called for a day is worth a word. */
const SILENT_MS = 86_400_000;

interface PresenceWords {
  readonly icon: IconName;
  readonly text: string;
  readonly unusual: boolean;
}

export function presenceOf(agent: AgentDto, now: number): PresenceWords {
  if (agent.busy) return { icon: 'clock', text: agents.connectedBusy, unusual: false };
  if (agent.presence === 'online') return { icon: 'check', text: agents.connected, unusual: false };
  if (agent.last_call_at === null) return { icon: 'clock', text: agents.neverSeen, unusual: true };
  const silentMs = now - agent.last_call_at;
  return silentMs >= SILENT_MS
    ? { icon: 'cross', text: agents.silent(durationWords(silentMs)), unusual: true }
    : { icon: 'clock', text: agents.away, unusual: false };
}

/** How it comes to know of work; the light of its webhook, where it has one. */
export function reachedOf(agent: AgentDto, now: number): Pick<PresenceWords, 'icon' | 'text'> {
  return { icon: lightOf(agent), text: reachOf(agent, (at) => when(at, now)) };
}

function lightOf({ reach, webhook, presence }: AgentDto): IconName {
  if (reach === 'called' || reach === 'file') return presence === 'away' ? 'cross' : 'check';
  if (reach !== 'webhook') return reach === 'nothing' ? 'clock' : 'check';
  const outcome = webhook?.last?.outcome ?? 'limit';
  if (outcome === 'taken') return 'check';
  return outcome === 'limit' ? 'clock' : 'cross';
}

/** When it last called with the token that it has now; null: not yet. */
export function calledAt({ last_call_at, token_created_at }: AgentDto): number | null {
  if (last_call_at === null || token_created_at === null) return null;
  return last_call_at >= token_created_at ? last_call_at : null;
}

/** One that never called was just confirmed, and comes for its token by itself. */
function tokenOf({ token_created_at, last_call_at }: AgentDto, now: number): string {
  if (token_created_at !== null) return agents.tokenMade(ago(token_created_at, now));
  return last_call_at === null ? agents.tokenWaits : agents.noToken;
}

/** "Busy, 3 of 4 tasks. 2 wait for it. Last call 17:41. Token made 12 June." */
export function workOf(agent: AgentDto, now: number): string {
  return [
    agent.active_tasks === 0 && !agent.busy
      ? agents.idle(agent.concurrency)
      : agents.busy(agent.active_tasks, agent.concurrency),
    agent.queued === 0 ? '' : agents.queued(agent.queued),
    agent.line === null ? '' : agents.line[agent.line.door](when(agent.line.since, now)),
    agent.last_call_at === null ? '' : agents.lastCall(ago(agent.last_call_at, now)),
    tokenOf(agent, now),
    agent.topics.length === 0 ? '' : agents.topics(agent.topics.join(', ')),
    agent.broadcasts ? '' : agents.noBroadcasts,
  ]
    .filter((part) => part !== '')
    .join(' ');
}
