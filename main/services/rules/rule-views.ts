// A rule as a client gets it: by the owner's names, the first words of a conversation escaped as
// outside words. Reads only.
import type { RuleDraftDto, RuleDto } from '../../../preload/contract/rules.ts';
import { ruleEndsAt, type Rule } from '../../core/rules.ts';
import { escapeText } from '../../core/text-escape.ts';
import type { RuleRow, RuleDraft } from '../../ports/rules.ts';
import type { Store } from '../../ports/store.ts';
import { isLocal, OWNER_PARTY, type Parties } from '../tasks/parties.ts';
import type { TaskViews } from '../tasks/task-views.ts';

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
    return {
      ...this.draft(row),
      id: row.id,
      suspended: row.suspended,
      uses: row.uses,
      last_used_at: row.lastUsedAt,
      ended_at: row.endedAt,
      ended_why: row.endedWhy,
    };
  }

  /** What a rule says, made or not. */
  draft(rule: RuleDraft & Rule): RuleDraftDto {
    const { parties } = this.#deps;
    const local =
      rule.peer !== null && isLocal(rule.peer) ? rule.peer.slice('agent:'.length) : null;
    const hub = rule.peer !== null && !isLocal(rule.peer) ? rule.peer : null;
    return {
      effect: rule.effect,
      reach: rule.reach,
      peer_id: hub === null ? null : parties.agentIdOf(hub),
      peer_name: hub === null ? null : parties.nameOf(hub),
      asking_local: local,
      asking_local_name: local === null ? null : parties.agentName(OWNER_PARTY, local),
      agent: rule.agent,
      agent_name: rule.agent === null ? null : parties.agentName(OWNER_PARTY, rule.agent),
      domain: rule.domain,
      kind: rule.kind,
      asking_agent: rule.askingAgent === null ? null : escapeText(rule.askingAgent),
      asking_agent_name:
        rule.askingAgent === null ? null : parties.agentNameThere(escapeText(rule.askingAgent)),
      topic: rule.topic,
      conversation_id: rule.conversation,
      conversation_title: rule.conversation === null ? null : this.#title(rule.conversation),
      risk_max: rule.riskMax,
      made_on: rule.madeOn,
      approval_id: rule.approvalId,
      created_at: rule.createdAt,
      expires_at: rule.expiresAt,
      idle_ms: rule.idleMs,
      ends_at: ruleEndsAt(rule),
    };
  }

  #title(conversationId: string): string {
    const { store, tasks } = this.#deps;
    const first = store.read.tasks({ limit: 1 }, { conversationId })[0];
    return first === undefined ? '' : firstWords(tasks.text(first), TITLE_MAX_CHARACTERS);
  }
}

/** The beginning of a text, with an ellipsis where it goes on. */
export function firstWords(text: string, maxCharacters: number): string {
  const characters = Array.from(text);
  return characters.length > maxCharacters
    ? `${characters.slice(0, maxCharacters - 1).join('')}…`
    : text;
}
