// Which adults' hubs decide for the people here, and from which class on: the setting, and its
// consequences for requests and agents. A hub counts only for the pairing in which it was named,
// and only while it is an adult's. Never asks and never decides (PROTOCOL.md, Remote approval).
import * as v from 'valibot';
import { REMOTE_CLASSES, type RemoteClass } from '../../../preload/contract/closed-lists.ts';
import type { RiskClass } from '../../../preload/contract/dto.ts';
import { inputError } from '../../lib/app-error.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { APPROVAL_VIEW_VERSION, type ViewVersion } from '../../core/approval-view.ts';
import { higherRisk, riskOf } from '../../core/risk.ts';
import { offeredDomains } from '../../core/routing.ts';
import type { AgentRow, ApprovalRow, PeerRow, Reads, Tables, TaskRow } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { canMake } from '../../protocol/remote-approval.ts';
import type { Gate, JudgedRequest, Verdict } from '../tasks/verdict.ts';
import type { ApprovalGate } from '../approvals/approval-gate.ts';
import type { AgentsGate } from '../agents/agent-registry.ts';

const META_NAME = 'remote_approval';

const stored = v.object({
  from: v.picklist(REMOTE_CLASSES),
  hubs: v.array(v.object({ key: v.string(), paired_at: v.number() })),
});

interface RemoteApprovalState {
  readonly from: RemoteClass;
  /** By the pairing in which each was named. */
  readonly hubs: readonly { readonly key: KeyHex; readonly paired_at: number }[];
}

/** What cannot be read lets nobody decide, so whoever damages it gains nothing. */
const DAMAGED: RemoteApprovalState = { from: 'R1', hubs: [] };

function parsed(text: string): RemoteApprovalState {
  try {
    return v.parse(stored, JSON.parse(text));
  } catch {
    return DAMAGED;
  }
}

type Meta = Pick<Reads, 'getMeta'>;

export class RemoteApprovalGate implements Gate, ApprovalGate, AgentsGate {
  /**
   * The last text that was read and its meaning: every request needs it, and it hardly ever
   * changes.
   */
  #read: { readonly text: string; readonly state: RemoteApprovalState } | undefined;

  /** null: remote approval is off. */
  state(reads: Meta): RemoteApprovalState | null {
    const text = reads.getMeta(META_NAME);
    if (text === undefined || text === '') return null;
    if (this.#read?.text !== text) this.#read = { text, state: parsed(text) };
    return this.#read.state;
  }

  /** Inside a commit. null: from now on the people here decide. */
  set(tables: Tables, state: RemoteApprovalState | null): void {
    tables.setMeta(META_NAME, state === null ? '' : JSON.stringify(state));
  }

  /**
   * Inside a commit: that hub decides no more, whatever it becomes again later. True when it was
   * named.
   */
  unname(tables: Tables, key: KeyHex): boolean {
    const state = this.state(tables);
    const hubs = state?.hubs.filter((named) => named.key !== key);
    if (state === null || hubs === undefined || hubs.length === state.hubs.length) return false;
    this.set(tables, { ...state, hubs });
    return true;
  }

  /** After the rules: where an adult's hub decides, no rule of this hub lets anything in. */
  judge(reads: Reads, { agent, riskClass }: JudgedRequest, verdict: Verdict): Verdict {
    if (agent === null || verdict.decision === 'decline' || !this.covers(reads, riskClass))
      return verdict;
    const rule = verdict.decision === 'deliver' ? null : verdict.rule;
    const ruling = { ...verdict.ruling, decision: 'ask', ground: 'adults', rule } as const;
    const viewVersion = this.#viewVersion(reads);
    return { ...verdict, decision: 'ask', rule, ruling, isElsewhere: true, viewVersion };
  }

  /** The newest that all hubs can make that decide. */
  #viewVersion(reads: Reads): ViewVersion {
    return this.hubs(reads).every(({ extensions }) => canMake(extensions, APPROVAL_VIEW_VERSION))
      ? APPROVAL_VIEW_VERSION
      : 1;
  }

  covers(reads: Meta, riskClass: RiskClass): boolean {
    const state = this.state(reads);
    return state !== null && isAtLeast(riskClass, state.from);
  }

  coversTask(reads: Reads, task: Pick<TaskRow, 'id' | 'toAgent'>): boolean {
    const row = task.toAgent === null ? undefined : reads.approvalOfTask(task.id);
    return row !== undefined && this.covers(reads, row.riskClass);
  }

  /**
   * The hubs that decide now. None where all of them were removed, suspended, paired anew or are no
   * adult's.
   */
  hubs(reads: Reads): readonly PeerRow[] {
    const named = this.state(reads)?.hubs ?? [];
    return named.flatMap(({ key, paired_at }) => {
      const row = reads.peer(key);
      return row?.trust === 'paired' && row.role === 'adult' && row.pairedAt === paired_at
        ? [row]
        : [];
    });
  }

  decides(reads: Reads, key: string): boolean {
    return this.hubs(reads).some((row) => row.key === key);
  }

  checkDecidedHere(
    reads: Reads,
    task: Pick<TaskRow, 'toAgent'>,
    row: Pick<ApprovalRow, 'riskClass'>,
  ): void {
    if (task.toAgent === null || !this.covers(reads, row.riskClass)) return;
    const names = this.hubs(reads).map(({ petname }) => petname);
    const who = names.length === 0 ? 'An adult’s hub' : names.join(' or ');
    throw inputError('blocked', `${who} decides about this request; here it can only be declined.`);
  }

  newAgentClass(reads: Meta, riskClass: RiskClass): RiskClass {
    const state = this.state(reads);
    return state === null ? riskClass : higherRisk(riskClass, state.from);
  }

  /**
   * While remote approval is on, agents stay as they are: a class may only rise, and nothing
   * changes that decides which agent gets a request. So no request moves to an agent of a lower
   * class. A new agent is fine where all of it is put to an adult.
   */
  checkAgent(reads: Meta, before: AgentRow | undefined, after: AgentRow | undefined): void {
    const state = this.state(reads);
    if (state === null) return;
    const isFine =
      before === undefined
        ? after !== undefined &&
          classesOf(after).every((riskClass) => isAtLeast(riskClass, state.from))
        : after !== undefined &&
          routingOf(before) === routingOf(after) &&
          !isLowered(before, after);
    if (isFine) return;
    const rule =
      before === undefined
        ? `a new agent has at least class ${state.from}`
        : 'agents stay as they are; only a class may rise';
    throw inputError('blocked', `While an adult’s hub decides here, ${rule}.`, {
      hint: 'Switch remote approval off first, in Settings or with "axon remote-approval off"; that needs the owner passphrase.',
    });
  }
}

function isAtLeast(riskClass: RiskClass, least: RiskClass): boolean {
  return higherRisk(riskClass, least) === riskClass;
}

function classesOf({ riskClass, domains }: AgentRow): readonly RiskClass[] {
  return [riskClass, ...domains.map((entry) => entry.riskClass ?? riskClass)];
}

/** All that decides which requests an agent gets. */
function routingOf({ isDefault, capabilities, domains }: AgentRow): string {
  const areas = offeredDomains(domains).map(({ domain }) => domain);
  return canonicalJson([isDefault, capabilities.toSorted(), areas.toSorted()]);
}

/** A request about any other area has the class of the nearest of these. */
function isLowered(before: AgentRow, after: AgentRow): boolean {
  const areas = [null, ...[...before.domains, ...after.domains].map(({ domain }) => domain)];
  const falls = (area: string | null) =>
    !isAtLeast(riskOf(after, area).riskClass, riskOf(before, area).riskClass);
  return !isAtLeast(after.riskClass, before.riskClass) || areas.some(falls);
}
