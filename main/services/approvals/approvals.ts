// The decision of a person about exactly what that person saw. One commit per decision, guarded by
// id, revision and digest: the first of two surfaces wins, the other is told by whom. Fails closed:
// whatever does not fit is not run.
import { isLastWord } from '../../../preload/contract/last-word.ts';
import type { ApprovalDto, Surface } from '../../../preload/contract/dto.ts';
import type { Items } from '../../../preload/contract/results.ts';
import type { RuleChoice } from '../../../preload/contract/rules.ts';
import type { VerdictOutcome, VerdictRole } from '../../../preload/contract/story.ts';
import { readApprovalView } from '../../core/approval-view.ts';
import type { StoryColumns } from '../../core/story-row.ts';
import { AppError } from '../../lib/app-error.ts';
import { assert } from '../../lib/assert.ts';
import { ok } from '../../lib/result.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RuleRow } from '../../ports/rules.ts';
import type { ApprovalRow, Store, TaskRow, Tables } from '../../ports/store.ts';
import type { Floods } from '../attention/floods.ts';
import { choicesFor, ruleOf } from '../rules/card-choices.ts';
import type { RuleBook } from '../rules/rule-book.ts';
import type {
  ApprovalGate,
  Question,
  ReadRemoteQuestion,
  RemoteQuestion,
  Signature,
} from './approval-gate.ts';
import type { ApprovalViews } from './approval-views.ts';
import type { AuditTrail, Decider } from '../base/audit-trail.ts';
import type { Deadlines } from '../tasks/deadlines.ts';
import { approvedView } from '../tasks/approved-payload.ts';
import { decisionMember } from '../tasks/wire-states.ts';
import type { Deliveries } from '../inbox/deliveries.ts';
import type { OpenQueries } from '../inbox/open-queries.ts';
import type { DeclinedWaiting } from './declined-waiting.ts';
import { ownAnswer } from './own-answers.ts';
import type { Page } from '../base/paging.ts';
import { pageOf } from '../base/paging.ts';
import { isTrusted } from '../tasks/parties.ts';
import type { Progress } from '../inbox/progress.ts';
import { EXPIRED, type TaskEndings } from '../tasks/task-endings.ts';
import { isOpen, moveTask } from '../tasks/task-moves.ts';
import type { After, UnitOfWork } from '../base/unit-of-work.ts';
import type { TaskEvents } from '../tasks/task-events.ts';
import type { PartyKey } from '../../ports/transport.ts';
import {
  alreadyDecided,
  noAnswer,
  noSuchRequest,
  nothingToAllow,
  requestChanged,
  requestDamaged,
  timeIsOver,
} from './refusals.ts';

export interface Decision {
  readonly id: string;
  readonly revision: number;
  readonly digest: string;
  readonly decision: 'allow' | 'decline' | 'answer';
  /** "once" when absent; anything wider makes a rule, in the same commit. */
  readonly scope?: RuleChoice | 'once' | undefined;
  /** For the scope "until": when it ends, ms since 1970. */
  readonly until?: number | undefined;
  readonly reason?: string | undefined;
  /** For "answer": the person's own words, which whoever asked gets instead of an agent's. */
  readonly answer?: string | undefined;
  /** For "answer" to an escalation, instead of words: the id of the option that is chosen. */
  readonly choice?: string | undefined;
  /** R3 only: the last word of the text, as the person typed it. */
  readonly last_word?: string | undefined;
}

/** What another hub decided about a request of this one. */
interface RemoteVerdict {
  readonly choice: 'allow' | 'decline';
  /** The digest that it is bound to. */
  readonly digest: string;
  /** Its person's own words why not. */
  readonly reason: string | null;
  /** The key of that hub. */
  readonly hub: PartyKey;
  readonly who: string;
  /** null: nobody is named there. */
  readonly person: string | null;
}

/** Who decided, as the row and the record say it. */
interface DecidedBy {
  readonly actor: string;
  readonly surface: Surface;
  readonly who: string;
  readonly person: string | null;
  /** The hub where it was decided; null: here. */
  readonly hub: PartyKey | null;
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly unit: UnitOfWork;
  readonly views: ApprovalViews;
  readonly deadlines: Deadlines;
  readonly endings: TaskEndings;
  readonly deliveries: Pick<Deliveries, 'putTask'>;
  readonly queries: OpenQueries;
  readonly progress: Progress;
  readonly events: TaskEvents;
  readonly audit: AuditTrail;
  readonly rules: RuleBook;
  readonly gate: ApprovalGate;
  readonly remoteQuestionOf: ReadRemoteQuestion;
  readonly permissionOf: (task: TaskRow) => Question | null;
  readonly declinedWaiting: DeclinedWaiting;
  readonly floods: Pick<Floods, 'add'>;
  /** A person said yes to one of two agents. */
  readonly goOn: (task: TaskRow) => void;
  /** The name of the person at this hub, for the record of who decided. */
  readonly personName: () => string | null;
  readonly hubName: () => string;
}

/** What stands in the audit log for a person without a name. */
const NOBODY_NAMED = 'owner';

/** How a commit that had to change something, and yet must not succeed for the caller, ends. */
type Outcome = { readonly refused: AppError } | { readonly refused: null };
const DONE: Outcome = { refused: null };

export class Approvals {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  pending(): readonly ApprovalDto[] {
    return this.#deps.store.read.pendingApprovals().map((row) => this.#deps.views.dto(row));
  }

  /** @param by only what people decided, or only what rules did */
  decided(page: Page, by?: 'people' | 'rules'): Items<ApprovalDto> {
    const { store, views } = this.#deps;
    return pageOf(
      page,
      (rows) => store.read.decidedApprovals(rows, by),
      (row) => views.dto(row),
    );
  }

  get(id: string): ApprovalDto {
    const row = this.#deps.store.read.approval(id);
    if (!row) throw noSuchRequest();
    return this.#deps.views.dto(row);
  }

  /**
   * Decides, once (PROTOCOL.md, Delegation states).
   * @throws AppError not_found, request_changed, already_decided (by whom, where),
   * approval_expired, blocked, bad_request (last word, or an answer beside another decision)
   */
  async decide(decision: Decision, decider: Decider): Promise<ApprovalDto> {
    checkSaysOneThing(decision);
    const outcome = await this.#deps.unit.run((tables, after) =>
      this.#decide(tables, after, decision, decider),
    );
    if (outcome.refused) throw outcome.refused;
    return this.get(decision.id);
  }

  #decide(tables: Tables, after: After, decision: Decision, decider: Decider): Outcome {
    const row = tables.approval(decision.id);
    if (!row) throw noSuchRequest();
    if (row.state !== 'pending') throw alreadyDecided(row, this.#deps.views.dto(row).story);
    if (row.revision !== decision.revision || row.digest !== decision.digest)
      throw requestChanged(row);
    const task = tables.task(row.taskId);
    assert(task !== undefined && isOpen(task), 'a pending approval has its open task');
    const misfit = this.#misfit(tables, task, row);
    if (misfit) return this.#refuse(tables, after, task, row, misfit);
    const asked = this.#deps.remoteQuestionOf(task, row);
    const question = asked ?? this.#deps.permissionOf(task);
    if (question !== null && decision.decision === 'answer') throw noAnswer();
    if (decision.decision !== 'decline') this.#deps.gate.checkDecidedHere(tables, task, row);
    if (decision.decision === 'allow' && task.toAgent === null && question === null)
      throw nothingToAllow();
    if (decision.decision === 'allow') checkLastWord(row, decision.last_word, asked);
    if (decision.decision === 'answer')
      return this.#answer(tables, after, task, row, decision, decider);
    const rule = this.#makeRule(tables, after, task, row, decision, decider);
    const outcome = this.#settle(tables, after, task, row, decision, this.#here(decider), question);
    if (rule !== null) this.#deps.declinedWaiting.follow(tables, after, rule);
    return outcome;
  }

  #settle(
    tables: Tables,
    after: After,
    task: TaskRow,
    row: ApprovalRow,
    decision: Decision,
    by: DecidedBy,
    asked: Question | null,
  ): Outcome {
    if (decision.decision === 'decline')
      return this.#decline(tables, after, task, row, decision.reason ?? '', by, asked);
    return asked === null
      ? this.#allow(tables, after, task, row, by)
      : this.#allowThere(tables, after, task, row, by, asked);
  }

  /**
   * Takes the verdict of another hub, inside the commit that takes its answer. The caller has made
   * sure whose it is. Why it does not count, or null: it is decided.
   */
  decideFromAfar(
    tables: Tables,
    after: After,
    approvalId: string,
    verdict: RemoteVerdict,
  ): 'changed' | 'expired' | 'over' | null {
    const row = tables.approval(approvalId);
    const task = row && tables.task(row.taskId);
    if (row?.state !== 'pending' || task === undefined || !isOpen(task)) return 'over';
    if (row.digest !== verdict.digest) return 'changed';
    const misfit = this.#misfit(tables, task, row);
    if (misfit) {
      this.#refuse(tables, after, task, row, misfit);
      return misfit === 'damaged' ? 'changed' : misfit === 'expired' ? 'expired' : 'over';
    }
    const { hub, who, person } = verdict;
    const by = { actor: hub, surface: 'peer', who, person, hub } as const;
    if (verdict.choice === 'allow') this.#allow(tables, after, task, row, by);
    else this.#decline(tables, after, task, row, verdict.reason ?? '', by, null);
    return null;
  }

  /** The wider choice, if one was taken: exactly the rule that the card told of. */
  #makeRule(
    tables: Tables,
    after: After,
    task: TaskRow,
    row: ApprovalRow,
    decision: Decision,
    decider: Decider,
  ): RuleRow | null {
    const { scope = 'once', until } = decision;
    if (scope === 'once') return null;
    const { rules } = this.#deps;
    const card = {
      task,
      approval: row,
      agent: task.toAgent === null ? undefined : tables.agent(task.toAgent),
    };
    const offered = choicesFor(card);
    if (!offered.includes(scope) || (scope === 'never') !== (decision.decision === 'decline')) {
      throw new AppError(
        'bad_request',
        decision.decision === 'allow'
          ? 'You can’t allow more than once here; nothing was decided.'
          : 'You can’t decline it for good here; nothing was decided.',
        {
          failedBy: 'input',
          hint: `What can be chosen beyond this once: ${offered.join(', ') || 'nothing'}.`,
        },
      );
    }
    return rules.make(tables, after, ruleOf(card, scope, until, rules.nowMs()), decider);
  }

  #allow(tables: Tables, after: After, task: TaskRow, row: ApprovalRow, by: DecidedBy): Outcome {
    const approved = this.#close(tables, row, 'approved', null, by);
    const allowed = this.#verdict('allowed', by);
    const queued = moveTask(tables, moveTask(tables, task, 'approved', allowed), 'queued');
    if (task.kind === 'delegate') this.#deps.deliveries.putTask(tables, after, queued, approved);
    else after(() => this.#deps.queries.allowed(queued, approved));
    const decision = decisionMember(tables, queued);
    after(() => {
      this.#deps.progress.tell(queued, { state: 'queued', ...decision });
      this.#deps.goOn(task);
      // Now it has the rest of whoever asked's time to be done in.
      this.#deps.deadlines.retime(queued);
      this.#deps.events.changed(task.id);
    });
    return DONE;
  }

  /**
   * A person here allows what another hub, or a program here by itself, would do: this hub runs
   * nothing, and whoever asked gets the verdict.
   */
  #allowThere(
    tables: Tables,
    after: After,
    task: TaskRow,
    row: ApprovalRow,
    by: DecidedBy,
    asked: Question,
  ): Outcome {
    this.#close(tables, row, 'approved', null, by, thereOf(asked, task));
    const told = {
      state: 'completed',
      code: null,
      reason: null,
      result: asked.allowed(this.#signature()),
      ended: BY_PERSON,
      story: this.#verdict('allowed', by, isRemote(asked) ? 'adult' : 'owner'),
    } as const;
    this.#deps.endings.end(tables, after, task, {
      ...told,
      by: by.who,
      surface: by.surface,
      from: 'runner',
    });
    return DONE;
  }

  /** In the person's own words: it is done with this very commit, and no agent ever gets it. */
  #answer(
    tables: Tables,
    after: After,
    task: TaskRow,
    row: ApprovalRow,
    decision: Decision,
    decider: Decider,
  ): Outcome {
    const { scope = 'once' } = decision;
    if (scope !== 'once')
      throw new AppError(
        'bad_request',
        'An answer is for this request only; nothing was decided.',
        { failedBy: 'input' },
      );
    const by = this.#here(decider);
    const { words, result, choice } = ownAnswer(task, row, decision, this.#signedAs());
    this.#close(tables, row, 'answered', words, by, choice === null ? {} : { choice });
    after(() => this.#deps.goOn(task));
    const told = { state: 'completed', code: null, reason: null, result } as const;
    this.#deps.endings.end(tables, after, task, {
      ...told,
      ended: BY_PERSON,
      story: this.#verdict(choice === null ? 'answered' : 'chosen', by),
      by: by.who,
      surface: by.surface,
      from: 'runner',
    });
    return DONE;
  }

  /**
   * @param reason empty when none was given @param asked what another hub asked about, if it did
   */
  #decline(
    tables: Tables,
    after: After,
    task: TaskRow,
    row: ApprovalRow,
    reason: string,
    by: DecidedBy,
    asked: Question | null,
  ): Outcome {
    const why =
      reason === ''
        ? 'A person declined this request.'
        : `A person declined this request: ${reason}`;
    this.#close(
      tables,
      row,
      'declined',
      reason === '' ? null : reason,
      by,
      isRemote(asked) ? { digest_there: asked.digest } : {},
    );
    after(() => this.#deps.floods.add(task.party, 'declined'));
    this.#deps.endings.end(tables, after, task, {
      state: 'declined',
      code: 'rejected',
      reason: why,
      ...(asked === null ? {} : { result: asked.declined(why, reason, this.#signature()) }),
      by: by.who,
      surface: by.surface,
      from: 'hub',
      ended: { by: 'person', kind: null },
      story: this.#verdict('declined', by, isRemote(asked) ? 'adult' : undefined),
    });
    return DONE;
  }

  #close(
    tables: Tables,
    row: ApprovalRow,
    state: keyof typeof AUDITED_AS,
    reason: string | null,
    by: DecidedBy,
    more: Readonly<Record<string, string>> = {},
  ): ApprovalRow {
    const decided = tables.decideApproval(
      row.id,
      { revision: row.revision, digest: row.digest },
      {
        state,
        decidedAt: this.#deps.clock.wallMs(),
        decidedBy: by.who,
        surface: by.surface,
        reason,
      },
    );
    assert(decided, 'an approval read as pending in this commit is still pending');
    this.#deps.audit.append(tables, {
      actor: by.actor,
      surface: by.surface,
      action: AUDITED_AS[state],
      object: row.id,
      digest: row.digest,
      detail: { task: row.taskId, risk_class: row.riskClass, ...more },
    });
    const now = tables.approval(row.id);
    assert(now !== undefined, 'a decided approval is there');
    return now;
  }

  /** Why this request can no longer be decided, whatever the person says; undefined when it can. */
  #misfit(
    tables: Tables,
    task: TaskRow,
    row: ApprovalRow,
  ): 'damaged' | 'expired' | 'not_paired' | undefined {
    const words = approvedView(row, task);
    if (!words.ok) return 'damaged';
    if (this.#deps.deadlines.waitLeftOf(task) <= 0) return 'expired';
    return isTrusted(tables, task.party) ? undefined : 'not_paired';
  }

  #refuse(
    tables: Tables,
    after: After,
    task: TaskRow,
    row: ApprovalRow,
    misfit: 'damaged' | 'expired' | 'not_paired',
  ): Outcome {
    const { endings, audit } = this.#deps;
    const hub = { by: 'hub', surface: 'hub', from: 'hub' } as const;
    if (misfit === 'expired') {
      endings.end(tables, after, task, { ...EXPIRED, by: 'clock', surface: 'clock', from: 'hub' });
      return {
        refused: timeIsOver(),
      };
    }
    if (misfit === 'not_paired') {
      endings.end(tables, after, task, {
        state: 'cancelled',
        code: 'cancelled',
        reason: 'The hub that asked is not paired any more.',
        ended: { by: 'hub', kind: 'hub_removed' },
        ...hub,
      });
      return {
        refused: new AppError(
          'blocked',
          'The hub that asked is not paired any more; nothing was run.',
        ),
      };
    }
    audit.append(tables, {
      actor: 'hub',
      surface: 'hub',
      action: 'approval.digest_mismatch',
      object: row.id,
      digest: row.digest,
    });
    endings.end(tables, after, task, {
      state: 'failed',
      code: 'internal',
      reason: 'The stored request was damaged.',
      ended: { by: 'hub', kind: 'failed' },
      ...hub,
    });
    return { refused: requestDamaged() };
  }

  #here(decider: Decider): DecidedBy {
    const person = this.#deps.personName();
    return { ...decider, who: person ?? NOBODY_NAMED, person, hub: null };
  }

  /** For the story of the request. @param as adult: also of what another hub does */
  #verdict(
    verdict: VerdictOutcome,
    { person, hub, surface }: DecidedBy,
    as: VerdictRole = hub === null ? 'owner' : 'adult',
  ): Partial<StoryColumns> {
    return {
      verdict,
      verdictBy: person,
      verdictHub: hub,
      verdictSurface: surface,
      verdictAs: as,
      verdictAt: this.#deps.clock.wallMs(),
    };
  }

  #signature(): Signature {
    return { who: this.#signedAs(), person: this.#deps.personName() ?? null };
  }

  /** Whom other hubs read of: where no person is named, the hub, which is what they know. */
  #signedAs(): string {
    return this.#deps.personName() ?? this.#deps.hubName();
  }
}

function isRemote(asked: Question | null): asked is RemoteQuestion {
  return asked !== null && 'digest' in asked;
}

/** What the record says of another hub's request. */
function thereOf(asked: Question, { party }: TaskRow): Readonly<Record<string, string>> {
  return isRemote(asked) ? { digest_there: asked.digest, hub: party } : {};
}

/** A person's own end of it. */
const BY_PERSON = { by: 'person', kind: 'completed' } as const;

/** What a decision is called on record. */
const AUDITED_AS = {
  approved: 'approval.allowed',
  answered: 'approval.answered',
  declined: 'approval.declined',
} as const;

/**
 * Words or a choice that came with "allow" or "decline" would reach nobody, and whoever gave them
 * would think that they did.
 */
function checkSaysOneThing({ decision, answer, choice }: Decision): void {
  if (decision === 'answer' || (answer === undefined && choice === undefined)) return;
  throw new AppError(
    'bad_request',
    `An answer or a choice goes with the decision "answer", not with "${decision}"; nothing was decided.`,
    {
      failedBy: 'input',
    },
  );
}

/** A dangerous task is allowed only by someone who read it to its end. */
function checkLastWord(
  row: ApprovalRow,
  typed: string | undefined,
  asked: RemoteQuestion | null,
): void {
  if (row.riskClass !== 'R3') return;
  const view = asked === null ? readApprovalView(row.view) : ok(asked.view);
  if (view.ok && typed !== undefined && isLastWord(view.value.text, typed)) return;
  throw new AppError(
    'bad_request',
    'Type the last word of the text to allow this: its class is "dangerous or unknown".',
    {
      failedBy: 'input',
      data: { needs: 'last_word' },
    },
  );
}
