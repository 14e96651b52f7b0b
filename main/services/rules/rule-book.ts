// The rules in force. Applies them to a request in the commit that admits it, records their use,
// and ends them with their time, hub or agent. A rule is stored first and announced after. The
// caller decides who may make one.
import {
  decideByRules,
  ruleEndsAt,
  type Rule,
  type RuleDecision,
  type RuledRequest,
} from '../../core/rules.ts';
import { NO_RUNNER } from '../../core/approval-view.ts';
import { isBareCapability, longestDomain } from '../../core/routing.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { RuleDraft, RuleRow } from '../../ports/rules.ts';
import type { Reads, Store, Tables } from '../../ports/store.ts';
import type { EventBus } from '../base/event-bus.ts';
import { ACCEPT_PROPOSAL, HAND_OFF } from '../../protocol/escalation.ts';
import { agentOfParty, isLocal, OWNER_PARTY, partyOfAgent } from '../tasks/parties.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import type { Gate, JudgedRequest, Verdict } from '../tasks/verdict.ts';
import { routeFrom, topicOf } from '../tasks/work-request.ts';
import { RULES_MAX, SWEEP_INTERVAL_MS, SWEEP_RETRY_MS } from './limits.ts';
import type { RuleViews } from './rule-views.ts';
import type { PartyKey } from '../../ports/transport.ts';
import type { Actor, AuditTrail, Decider } from '../base/audit-trail.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly events: EventBus;
  readonly unit: UnitOfWork;
  readonly audit: AuditTrail;
  readonly views: Pick<RuleViews, 'dto'>;
  readonly rulesMayAct: () => boolean;
}

/** A request as it comes in. */
interface RuleQuestion extends Omit<RuledRequest, 'conversation'> {
  readonly peer: PartyKey;
  /** Looked up only when a rule is about a conversation: every request passes here. */
  readonly conversation: () => string;
}

type End = NonNullable<RuleRow['endedWhy']>;

/** While the audit log counts as tampered with, no rule acts: a removed rule may be back. */
const RESTING: RuleDecision = { decision: 'ask', ground: 'tampered', rule: null, considered: [] };

export class RuleBook implements Gate {
  readonly #deps: Deps;
  /** The wall clock less the monotonic one as they stood at the start. */
  readonly #wallOffsetMs: number;
  #timer: TimerHandle | undefined;
  #running = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#wallOffsetMs = deps.clock.wallMs() - deps.clock.monotonicMs();
  }

  /** Ends what is over since the run before. Idempotent, never rejects. */
  async start(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    await this.#sweep();
  }

  stop(): void {
    this.#running = false;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /**
   * ms since 1970; goes on by the monotonic clock when the wall clock is set back, so that no rule
   * outlives its time by that.
   */
  nowMs(): number {
    const { clock } = this.#deps;
    return Math.max(clock.wallMs(), Math.floor(this.#wallOffsetMs + clock.monotonicMs()));
  }

  /**
   * What the rules say about a request now. While the audit log counts as tampered with, they
   * neither allow nor decline. Counts nothing.
   * @param tried a rule that is not made, as if it were
   */
  decide(reads: Reads, request: RuleQuestion, tried?: Rule): RuleDecision {
    if (!this.#deps.rulesMayAct()) return RESTING;
    const stored = reads.rulesAbout(request.peer);
    const rules = tried === undefined ? stored : [...stored, tried];
    const moment = { nowMs: this.nowMs(), trustedSince: trustedSince(reads, request.peer) };
    const conversation = rules.some((rule) => rule.conversation !== null)
      ? request.conversation()
      : '';
    return decideByRules(rules, { ...request, conversation }, moment);
  }

  /**
   * A request that asks a person to choose can only be declined by a rule: no rule ever chooses.
   */
  judge(reads: Reads, request: JudgedRequest, verdict: Verdict): Verdict {
    if (verdict.decision === 'decline') return verdict;
    const ruling = this.rulingOf(reads, request);
    return { ...verdict, decision: ruling.decision, rule: ruling.rule, ruling };
  }

  /** What the rules alone say about it now. */
  rulingOf(reads: Reads, request: JudgedRequest): RuleDecision {
    const { kind, party, domain, payload, agent, riskClass, conversation, tried } = request;
    const question = {
      peer: party,
      agent: agent?.name ?? NO_RUNNER,
      domain,
      isAgentsDomain:
        agent !== null && domain !== null && longestDomain(agent.domains, domain) !== undefined,
      isCapability: agent !== null && domain !== null && isBareCapability(agent, domain),
      agentsAreas: agent?.domains.map((entry) => entry.domain) ?? [],
      agentsCapabilities: agent?.capabilities ?? [],
      kind,
      askingAgent: routeFrom(payload),
      topic: topicOf(payload),
      conversation,
      riskClass: agent === null ? 'R0' : riskClass,
    } as const;
    const said = this.decide(reads, question, tried);
    const { act } = payload;
    const isAsked = agent === null || act === HAND_OFF || act === ACCEPT_PROPOSAL;
    return isAsked && said.decision !== 'decline' ? { ...said, decision: 'ask', rule: null } : said;
  }

  /** A rule decided a request: counted, in the commit of that decision. */
  use(tables: Tables, after: After, id: string): void {
    const row = tables.rule(id);
    if (!row) return;
    tables.updateRule(id, {
      uses: row.uses + 1,
      lastUsedAt: Math.max(this.nowMs(), row.lastUsedAt ?? 0),
    });
    // Use only puts the end off: the timer may wake too early, never too late.
    after(() => this.#publish(id));
  }

  /** Makes a rule inside a commit. @throws AppError overloaded */
  make(tables: Tables, after: After, draft: RuleDraft, maker: Decider): RuleRow {
    checkRoom(tables);
    const row = tables.insertRule({
      ...this.asRule(tables, draft),
      madeBy: maker.actor,
      uses: 0,
      endedAt: null,
      endedWhy: null,
    });
    this.#note(tables, maker, 'rule.made', row);
    after(() => this.#changed(row.id));
    return row;
  }

  /** The rule that `make` would make of it now. */
  asRule(reads: Reads, draft: RuleDraft): RuleDraft & Rule {
    return {
      ...draft,
      id: this.#deps.random.uuid(),
      createdAt: this.nowMs(),
      trustedSince: draft.peer === null ? null : trustOf(reads, draft.peer),
      lastUsedAt: null,
      suspended: false,
    };
  }

  pause(tables: Tables, after: After, row: RuleRow, suspended: boolean, maker: Decider): void {
    tables.updateRule(row.id, { suspended });
    this.#note(tables, maker, suspended ? 'rule.paused' : 'rule.resumed', row);
    after(() => this.#changed(row.id));
  }

  remove(tables: Tables, after: After, row: RuleRow, maker: Decider): void {
    this.#end(tables, after, row, 'removed');
    this.#note(tables, maker, 'rule.removed', row);
  }

  /**
   * False when its hub (or agent) was removed or paired anew since; a suspended one is still the
   * same.
   */
  isOfThisTrust(reads: Reads, row: RuleRow): boolean {
    return row.peer === null || row.trustedSince === trustOf(reads, row.peer);
  }

  restore(tables: Tables, after: After, row: RuleRow, maker: Decider): void {
    tables.updateRule(row.id, { endedAt: null, endedWhy: null });
    this.#note(tables, maker, 'rule.restored', row);
    after(() => this.#changed(row.id));
  }

  /** Inside a commit: a hub that loses its trust loses its rules; those of a suspended hub rest. */
  partyEnded(tables: Tables, after: After, party: PartyKey): void {
    const trust = isLocal(party) ? undefined : tables.peer(party)?.trust;
    if (trust === 'paired' || trust === 'suspended') return;
    for (const row of tables.rulesAbout(party)) {
      if (row.peer === party) this.#endItself(tables, after, row, 'peer_gone');
    }
  }

  /** Inside a commit: ends the rules about a removed agent, on either side. */
  agentRemoved(tables: Tables, after: After, agent: string): void {
    for (const row of tables.currentRules()) {
      if (row.agent === agent || row.peer === `agent:${agent}`)
        this.#endItself(tables, after, row, 'agent_gone');
    }
  }

  /**
   * Inside the commit that connects an agent under the name of a removed one: a "never" about that
   * one, on either side, stays. @throws AppError overloaded
   */
  agentReturned(tables: Tables, after: After, before: string, name: string): void {
    const now = (agent: string | null): string | null => (agent === before ? name : agent);
    for (const row of endedRules(tables)) {
      if (row.effect !== 'never' || row.endedWhy !== 'agent_gone') continue;
      const asker = row.peer === null ? null : agentOfParty(row.peer);
      if (row.agent !== before && asker !== before) continue;
      const peer = asker === null ? row.peer : partyOfAgent(now(asker));
      const kept = { ...row, agent: now(row.agent), peer };
      const isSameAsker = asker === before || this.isOfThisTrust(tables, row);
      if (!isSameAsker || this.#whyOver(tables, kept) !== undefined) continue;
      this.#keep(tables, after, kept);
    }
  }

  #keep(tables: Tables, after: After, row: RuleRow): void {
    checkRoom(tables);
    const kept = tables.insertRule({
      ...this.asRule(tables, row),
      suspended: row.suspended,
      madeBy: row.madeBy,
      uses: 0,
      endedAt: null,
      endedWhy: null,
    });
    this.#note(tables, { actor: 'hub', surface: 'hub' }, 'rule.kept', kept);
    after(() => this.#changed(kept.id));
  }

  /**
   * Rules whose time is over, whose hub is not trusted any more or whose agent is gone end for
   * good; then waits for the next.
   */
  async #sweep(): Promise<void> {
    const { store, unit, log } = this.#deps;
    try {
      const over = store.read
        .currentRules()
        .filter((row) => this.#whyOver(store.read, row) !== undefined);
      if (over.length > 0) {
        await unit.run((tables, after) => {
          for (const { id } of over) {
            const row = tables.rule(id);
            const why = row && row.endedAt === null ? this.#whyOver(tables, row) : undefined;
            if (row && why !== undefined) this.#endItself(tables, after, row, why);
          }
        });
      }
      this.#arm();
    } catch (error) {
      log.warn('rules that are over not ended', { error: String(error) });
      // They let nothing in meanwhile; a disk that is full is full for a while.
      this.#armIn(SWEEP_RETRY_MS);
    }
  }

  #whyOver(reads: Reads, row: RuleRow): End | undefined {
    const endsAt = ruleEndsAt(row);
    if (endsAt !== null && endsAt <= this.nowMs()) return 'expired';
    if (row.agent !== null && !reads.agent(row.agent)) return 'agent_gone';
    if (row.peer === null || row.peer === OWNER_PARTY) return undefined;
    if (isLocal(row.peer)) return reads.agent(agentOf(row.peer)) ? undefined : 'agent_gone';
    const trust = reads.peer(row.peer)?.trust;
    return trust === 'paired' || trust === 'suspended' ? undefined : 'peer_gone';
  }

  #end(tables: Tables, after: After, row: RuleRow, why: End): void {
    tables.updateRule(row.id, { endedAt: this.nowMs(), endedWhy: why });
    after(() => this.#changed(row.id));
  }

  #endItself(tables: Tables, after: After, row: RuleRow, why: End): void {
    this.#end(tables, after, row, why);
    this.#deps.audit.append(tables, {
      actor: 'hub',
      surface: 'hub',
      action: 'rule.ended',
      object: row.id,
      detail: { why, uses: row.uses },
    });
  }

  #note(tables: Tables, maker: Actor, action: string, row: RuleRow): void {
    const { effect, reach, agent, domain, kind, riskMax, expiresAt } = row;
    this.#deps.audit.append(tables, {
      actor: maker.actor,
      surface: maker.surface,
      action,
      object: row.id,
      detail: {
        effect,
        reach,
        peer: row.peer,
        agent,
        domain,
        kind,
        risk_max: riskMax,
        expires_at: expiresAt,
        approval: row.approvalId,
      },
    });
  }

  #changed(id: string): void {
    this.#publish(id);
    this.#arm();
  }

  #publish(id: string): void {
    const { store, events, views } = this.#deps;
    const row = store.read.rule(id);
    if (row === undefined) return;
    if (row.endedAt === null) events.publish({ type: 'rule', rule: views.dto(row) });
    else events.publish({ type: 'rule_gone', id });
  }

  /** Wakes when the next rule is over. */
  #arm(): void {
    const { store, log } = this.#deps;
    try {
      const ends = store.read.currentRules().flatMap((row) => ruleEndsAt(row) ?? []);
      this.#armIn(Math.max(0, Math.min(...ends.map((at) => at - this.nowMs()), SWEEP_INTERVAL_MS)));
    } catch (error) {
      log.warn('the end of the next rule not read', { error: String(error) });
      this.#armIn(SWEEP_RETRY_MS);
    }
  }

  #armIn(waitMs: number): void {
    if (!this.#running) return;
    this.#timer?.cancel();
    this.#timer = this.#deps.clock.setTimer(waitMs, () => void this.#sweep());
  }
}

/** @throws AppError overloaded */
function checkRoom(reads: Reads): void {
  if (reads.currentRules().length < RULES_MAX) return;
  throw new AppError('overloaded', `This hub keeps at most ${RULES_MAX} rules.`, {
    hint: 'Take some away under "Rules", then try again.',
  });
}

/** All of them, newest first. */
function* endedRules(reads: Reads): Generator<RuleRow> {
  let page = reads.endedRules({ limit: RULES_MAX });
  while (page.length > 0) {
    yield* page;
    page = reads.endedRules({ limit: RULES_MAX, beforeSeq: page.at(-1)?.seq ?? 0 });
  }
}

function agentOf(party: PartyKey): string {
  return party.slice('agent:'.length);
}

/**
 * The moment that names who asks, as far as it is trusted now; null when it is not, or not for the
 * time being.
 */
function trustedSince(reads: Reads, party: PartyKey): number | null {
  return isLocal(party) || reads.peer(party)?.trust === 'paired' ? trustOf(reads, party) : null;
}

/** The same for one that may be suspended; null when it is gone. */
function trustOf(reads: Reads, party: PartyKey): number | null {
  if (party === OWNER_PARTY) return 0;
  if (isLocal(party)) return reads.agent(agentOf(party))?.createdAt ?? null;
  const peer = reads.peer(party);
  return peer === undefined || peer.trust === 'revoked' ? null : peer.pairedAt;
}
