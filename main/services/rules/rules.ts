// What people do with the household's rules: list, make, pause, remove and restore them, and try
// what would happen to a request. For people only; decides no request itself.
import type { OperationParams } from '../../../preload/contract/operations.ts';
import type { RiskClass } from '../../../preload/contract/dto.ts';
import type { Items } from '../../../preload/contract/results.ts';
import type {
  RuleDto,
  RuleField,
  RulePreviewDto,
  RuleTestDto,
  RuleTrialDto,
} from '../../../preload/contract/rules.ts';
import { NO_AREA, ruleEndsAt, type Rule } from '../../core/rules.ts';
import { AppError, inputError } from '../../lib/app-error.ts';
import { assert } from '../../lib/assert.ts';
import type { RuleRow, RuleDraft } from '../../ports/rules.ts';
import type { PeerRow, Reads, Store, Tables } from '../../ports/store.ts';
import { pageOf, readCursor, type Page } from '../base/paging.ts';
import { OWNER_PARTY, partyOfAgent } from '../tasks/parties.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import { draftOf } from './manual-rules.ts';
import { RESTORE_WINDOW_MS, RULES_MAX } from './limits.ts';
import type { RuleBook } from './rule-book.ts';
import type { Assessment } from '../tasks/verdict.ts';
import type { AskedWork } from '../tasks/work-request.ts';
import type { RuleViews } from './rule-views.ts';
import type { PartyKey } from '../../ports/transport.ts';
import type { Decider } from '../base/audit-trail.ts';

interface Deps {
  readonly store: Store;
  readonly unit: UnitOfWork;
  readonly book: RuleBook;
  readonly views: RuleViews;
  /** What becomes of such a request now. @throws AppError unknown_domain, unhandled */
  readonly assess: (reads: Reads, request: AskedWork) => Assessment;
  /** What a rule that is not made would do to the last requests. */
  readonly trialsOf: (rule: Rule) => readonly RuleTrialDto[];
  /** A rule begins to act: what waits follows it, in the same commit. */
  readonly followRule: (tables: Tables, after: After, rule: RuleRow) => void;
  /** Whether a person has stopped everything here. */
  readonly isStopped: (reads: Reads) => boolean;
  /** Whether adults' hubs decide about requests of this class. */
  readonly isForAdults: (reads: Reads, riskClass: RiskClass) => boolean;
  /**
   * An agent id or a petname -> the hub, paired or suspended. @throws AppError peer_not_found,
   * pairing_required
   */
  readonly pinnedPeer: (id: string) => PeerRow;
}

const LOCAL_PREFIX = 'local/';

export class Rules {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** All that are in force or paused. */
  current(): readonly RuleDto[] {
    const { store, views } = this.#deps;
    return store.read.currentRules().map((row) => views.dto(row));
  }

  /** The same, a page at a time, in the order they were made. @throws AppError bad_request */
  currentPage({ limit, cursor }: Page): Items<RuleDto> {
    const { store, views } = this.#deps;
    const afterSeq = readCursor(cursor) ?? 0;
    const rows = store.read.currentRules().filter(({ seq }) => seq > afterSeq);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      items: shown.map((row) => views.dto(row)),
      next: last && rows.length > limit ? String(last.seq) : null,
    };
  }

  ended(page: Page): Items<RuleDto> {
    const { store, views } = this.#deps;
    return pageOf(
      page,
      (rows) => store.read.endedRules(rows),
      (row) => views.dto(row),
    );
  }

  /** @throws AppError not_found */
  get(id: string): RuleDto {
    return this.#deps.views.dto(this.#row(this.#deps.store.read, id));
  }

  /**
   * @throws AppError bad_request (also for one that could allow nothing), peer_not_found,
   * not_found, overloaded
   */
  async create(params: OperationParams<'rules.create'>, maker: Decider): Promise<RuleDto> {
    const { unit, book, followRule } = this.#deps;
    const peer = this.#partyOrAny(params.peer);
    const made = await unit.run((tables, after) => {
      const row = book.make(tables, after, this.#draft(tables, params, peer), maker);
      followRule(tables, after, row);
      return row;
    });
    return this.get(made.id);
  }

  /**
   * The rule that `create` would make of the same input, and what it would have done.
   * @throws AppError as `create`
   */
  preview(params: OperationParams<'rules.create'>): RulePreviewDto {
    const { store, book, views, trialsOf } = this.#deps;
    const rule = book.asRule(
      store.read,
      this.#draft(store.read, params, this.#partyOrAny(params.peer)),
    );
    return { rule: views.draft(rule), trials: trialsOf(rule) };
  }

  /** @throws AppError not_found, gone */
  async setSuspended(id: string, suspended: boolean, maker: Decider): Promise<RuleDto> {
    const { book, followRule } = this.#deps;
    return this.#change(id, (tables, after, row) => {
      book.pause(tables, after, row, suspended, maker);
      if (!suspended) followRule(tables, after, row);
    });
  }

  /** @throws AppError not_found, gone */
  async remove(id: string, maker: Decider): Promise<RuleDto> {
    return this.#change(id, (tables, after, row) =>
      this.#deps.book.remove(tables, after, row, maker),
    );
  }

  /**
   * Restores a rule that was just removed.
   * @throws AppError not_found, gone, conflict, overloaded
   */
  async restore(id: string, maker: Decider): Promise<RuleDto> {
    const { unit, book, followRule } = this.#deps;
    await unit.run((tables, after) => {
      const row = this.#row(tables, id);
      if (row.endedAt === null) throw inputError('conflict', 'This rule is in force already.');
      const nowMs = book.nowMs();
      const endsAt = ruleEndsAt(row);
      if (
        row.endedWhy !== 'removed' ||
        nowMs > row.endedAt + RESTORE_WINDOW_MS ||
        (endsAt !== null && endsAt <= nowMs)
      )
        throw over();
      if (
        !this.#isThere(tables, row) ||
        (row.effect === 'allow' && !book.isOfThisTrust(tables, row))
      )
        throw over();
      if (tables.currentRules().length >= RULES_MAX)
        throw new AppError('overloaded', `This hub keeps at most ${RULES_MAX} rules.`);
      book.restore(tables, after, row, maker);
      followRule(tables, after, row);
    });
    return this.get(id);
  }

  /**
   * What would happen to such a request now, and why. @throws AppError peer_not_found, not_found,
   * unknown_domain
   */
  test(params: OperationParams<'rules.test'>): RuleTestDto {
    const { store, assess, views, isStopped } = this.#deps;
    if (params.agent !== null && !store.read.agent(params.agent)) throw noSuchAgent(params.agent);
    const { agent, risk, verdict } = assess(store.read, askedBy(params, this.#party(params.peer)));
    const { ruling, hold } = verdict;
    assert(agent !== null, 'what a person tries is no escalation');
    const dtoOf = ({ id }: { readonly id: string }) => views.dto(this.#row(store.read, id));
    return {
      decision: ruling.decision,
      ground: ruling.ground,
      agent: agent.name,
      agent_name: agent.displayName,
      risk_class: risk.riskClass,
      rule: ruling.rule && dtoOf(ruling.rule),
      held: hold && { why: hold.why, until: hold.until },
      stopped: isStopped(store.read),
      considered: ruling.considered.map(({ rule, miss }) => ({ rule: dtoOf(rule), miss })),
    };
  }

  async #change(
    id: string,
    work: (tables: Tables, after: After, row: RuleRow) => void,
  ): Promise<RuleDto> {
    await this.#deps.unit.run((tables, after) => {
      const row = this.#row(tables, id);
      if (row.endedAt !== null) throw over();
      work(tables, after, row);
    });
    return this.get(id);
  }

  #draft(reads: Reads, params: OperationParams<'rules.create'>, peer: PartyKey | null): RuleDraft {
    const agent = params.agent === null ? undefined : reads.agent(params.agent);
    if (params.agent !== null && !agent) throw noSuchAgent(params.agent, 'agent');
    const { book, isForAdults } = this.#deps;
    return draftOf(params, {
      peer,
      agent,
      nowMs: book.nowMs(),
      isForAdults: (riskClass) => isForAdults(reads, riskClass),
    });
  }

  #partyOrAny(peer: string | null): PartyKey | null {
    return peer === null ? null : this.#party(peer);
  }

  #party(name: string): PartyKey {
    if (!name.startsWith(LOCAL_PREFIX)) return this.#deps.pinnedPeer(name).key;
    const agent = name.slice(LOCAL_PREFIX.length);
    if (partyOfAgent(agent) !== OWNER_PARTY && !this.#deps.store.read.agent(agent))
      throw noSuchAgent(agent, 'peer');
    return partyOfAgent(agent);
  }

  #isThere(reads: Reads, row: RuleRow): boolean {
    if (row.agent !== null && !reads.agent(row.agent)) return false;
    if (row.peer === null || row.peer === OWNER_PARTY) return true;
    if (row.peer.startsWith('agent:'))
      return reads.agent(row.peer.slice('agent:'.length)) !== undefined;
    const trust = reads.peer(row.peer)?.trust;
    return trust === 'paired' || trust === 'suspended';
  }

  #row(reads: Reads, id: string): RuleRow {
    const row = reads.rule(id);
    if (!row) throw inputError('not_found', 'There is no such rule.');
    return row;
  }
}

/** A request that nobody sent. */
function askedBy(params: OperationParams<'rules.test'>, party: PartyKey): AskedWork {
  const { kind, agent, domain, asking_agent: from, topic, conversation } = params;
  return {
    kind,
    party,
    fromAgent: from,
    messageId: 'nobody sent this',
    routeTo: agent,
    domain: domain === NO_AREA ? null : domain,
    capability: null,
    conversationId: conversation,
    isEscalation: false,
    payload: {
      ...(from === null ? {} : { route: { from } }),
      ...(topic === null ? {} : { topic }),
    },
  };
}

/** @param field the parameter that names it, where a form asks for it */
function noSuchAgent(name: string, field?: RuleField): AppError {
  const data = field === undefined ? {} : { field };
  return inputError('not_found', `There is no agent "${name}" on this hub.`, { data });
}

function over(): AppError {
  return inputError('gone', 'This rule is over.', {
    hint: 'Make a new one if it is still wanted.',
  });
}
