// A rule as a client gets it: by the owner's names, the first words of a conversation escaped as outside words. Reads only.
import type { RuleDto } from '../../../preload/contract/rules.ts';
import { ruleEndsAt } from '../../core/rules.ts';
import { escapeText } from '../../core/text-escape.ts';
import type { RuleRow } from '../../ports/rules.ts';
import type { Store } from '../../ports/store.ts';
import { isLocal, type Parties } from '../work/parties.ts';
import type { TaskViews } from '../work/task-views.ts';

/** The first words of a conversation that are shown; cut beyond. */
const TITLE_MAX_CHARACTERS = 80;

interface Deps {
  readonly store: Store;
  readonly parties: Parties;
  readonly tasks: TaskViews;
}

export class RuleViews {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  dto(row: RuleRow): RuleDto {
    const { parties } = this.#deps;
    const hub = row.peer !== null && !isLocal(row.peer) ? row.peer : null;
    return {
      id: row.id,
      effect: row.effect,
      reach: row.reach,
      peer_id: hub === null ? null : parties.agentIdOf(hub),
      peer_name: hub === null ? null : parties.nameOf(hub),
      asking_local: row.peer !== null && isLocal(row.peer) ? row.peer.slice('agent:'.length) : null,
      agent: row.agent,
      domain: row.domain,
      kind: row.kind,
      asking_agent: row.askingAgent === null ? null : escapeText(row.askingAgent),
      topic: row.topic,
      conversation_id: row.conversation,
      conversation_title: row.conversation === null ? null : this.#title(row.conversation),
      risk_max: row.riskMax,
      made_on: row.madeOn,
      approval_id: row.approvalId,
      created_at: row.createdAt,
      expires_at: row.expiresAt,
      idle_ms: row.idleMs,
      ends_at: ruleEndsAt(row),
      suspended: row.suspended,
      uses: row.uses,
      last_used_at: row.lastUsedAt,
      ended_at: row.endedAt,
      ended_why: row.endedWhy,
    };
  }

  #title(conversationId: string): string {
    const { store, tasks } = this.#deps;
    const first = store.read.tasks({ limit: 1 }, { conversationId })[0];
    const words = Array.from(first ? tasks.text(first) : '');
    return words.length > TITLE_MAX_CHARACTERS ? `${words.slice(0, TITLE_MAX_CHARACTERS - 1).join('')}…` : words.join('');
  }
}
