// The story of a request as clients get it: core/story.ts, with the owner's names for hubs, people
// and agents, and what is so just now. Reads only.
import type {
  OnBehalfOfDto,
  PlaceDto,
  StoryDto,
  StoryKind,
  StoryRuleDto,
} from '../../../preload/contract/story.ts';
import { viewOfQuestion } from '../../core/remote-approval-view.ts';
import { storyOf } from '../../core/story.ts';
import { escapeText } from '../../core/text-escape.ts';
import { readObject } from '../../lib/json-object.ts';
import { isTaskPurged } from '../../ports/retention.ts';
import type { PeerRow, Reads, Store, TaskRow } from '../../ports/store.ts';
import type { PartyKey } from '../../ports/transport.ts';
import { ESCALATE } from '../../protocol/escalation.ts';
import { questionIn, PERSON_THERE } from '../../protocol/remote-approval.ts';
import { agentOfParty, isLocal, OWNER_PARTY, type Parties } from './parties.ts';
import { isPermission } from './task-moves.ts';

interface Deps {
  readonly store: Pick<Store, 'read'>;
  readonly parties: Parties;
  readonly personName: () => string | null;
  /** Since when an agent of this hub is away; null: it is there. */
  readonly awaySince: (agent: string) => { readonly since: number | null } | null;
  /** The hub where it waits for a decision to be handed on; null: it does not. */
  readonly handOnWaitsAt: (reads: Reads, task: TaskRow) => PartyKey | null;
  /** The hubs that decide about this request instead of the people here. */
  readonly adultsFor: (reads: Reads, task: TaskRow) => readonly PeerRow[] | null;
}

/** When the time of a task is over, by the wall clock as it goes now. */
interface Times {
  readonly until: number;
  readonly waitsUntil: number;
}

export class Stories {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @param agent for whom; null: for a person. No agent reads the rules of the household. */
  of(task: TaskRow, times: Times, agent: string | null): StoryDto {
    const { store, parties, personName, awaySince, adultsFor } = this.#deps;
    const approval = task.direction === 'outgoing' ? undefined : store.read.decisionOfTask(task.id);
    const { kind, onBehalfOf } = this.#subject(task);
    const waitsAt = task.handedOnTo === null ? null : this.#deps.handOnWaitsAt(store.read, task);
    return storyOf(task, approval, {
      here: this.#here(),
      person: personName(),
      place: (party) => this.#place(party),
      personAt: (party) => parties.peer(party)?.person ?? null,
      agentName: (party, handle) => parties.agentName(party, handle),
      isOwner:
        task.direction === 'local'
          ? task.party === OWNER_PARTY
          : task.fromAgent === null && kind !== 'decision',
      isForAgent: agent !== null,
      rule: (id) => (agent === null ? this.#rule(id) : null),
      away: awaySince,
      adults: adultsFor(store.read, task)?.map(({ key }) => this.#place(key)) ?? null,
      handOnWaits: waitsAt === null ? null : this.#place(waitsAt),
      kind,
      onBehalfOf,
      ...times,
    });
  }

  #here(): PlaceDto {
    return { here: true, hub_id: null, hub_name: this.#deps.parties.nameOf(OWNER_PARTY) };
  }

  #place(party: PartyKey): PlaceDto {
    const { parties } = this.#deps;
    if (isLocal(party)) return this.#here();
    return { here: false, hub_id: parties.agentIdOf(party), hub_name: parties.nameOf(party) };
  }

  #subject(task: TaskRow): { kind: StoryKind; onBehalfOf: OnBehalfOfDto | null } {
    if (isPermission(task)) return { kind: 'permission', onBehalfOf: null };
    if (task.kind === 'query') return { kind: 'question', onBehalfOf: null };
    // A request that an agent runs is neither a choice nor a decision.
    if (task.toAgent !== null) return { kind: 'task', onBehalfOf: null };
    const isHeldHere = task.direction !== 'outgoing';
    if (isTaskPurged(task)) return { kind: isHeldHere ? 'choice' : 'task', onBehalfOf: null };
    const payload = readObject(task.payload);
    if (payload.act !== ESCALATE) return { kind: 'task', onBehalfOf: null };
    const question = questionIn(payload);
    if (question === undefined) return { kind: 'choice', onBehalfOf: null };
    const view = viewOfQuestion(question);
    if (!view.ok) return { kind: 'decision', onBehalfOf: null };
    const { peer_key, peer_name, from_agent, to_agent, text, reason, kind } = view.value;
    const isThere = peer_key === PERSON_THERE || agentOfParty(peer_key) !== null;
    const { parties } = this.#deps;
    const hub = isHeldHere ? this.#place(task.party) : this.#here();
    return {
      kind: 'decision',
      onBehalfOf: {
        hub,
        asked_by: isThere ? null : peer_name,
        asking_agent: from_agent === null ? null : parties.agentNameThere(from_agent),
        agent: isHeldHere
          ? parties.agentNameThere(to_agent)
          : parties.agentName(OWNER_PARTY, to_agent),
        kind: kind === 'query' ? 'question' : 'task',
        text,
        reason,
      },
    };
  }

  #rule(id: string): StoryRuleDto | null {
    const { store, parties } = this.#deps;
    const rule = store.read.rule(id);
    if (rule === undefined) return null;
    const local = rule.peer === null ? null : agentOfParty(rule.peer);
    return {
      id,
      effect: rule.effect,
      peer_name: rule.peer === null || isLocal(rule.peer) ? null : parties.nameOf(rule.peer),
      asking_local: rule.peer !== null && isLocal(rule.peer) ? (local ?? '@owner') : null,
      asking_local_name: local === null ? null : parties.agentName(OWNER_PARTY, local),
      asking_agent_name:
        rule.askingAgent === null ? null : parties.agentNameThere(escapeText(rule.askingAgent)),
      kind: rule.kind,
      agent_name: rule.agent === null ? null : parties.agentName(OWNER_PARTY, rule.agent),
      domain: rule.domain,
    };
  }
}
