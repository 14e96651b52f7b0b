// Which adults' hubs decide in the place of the people here, and from which class on: the setting, kept in the store's meta, and whether a hub
// counts as such now. A hub counts for the pairing it was named in and for no later one, and only while it is an adult's. Never asks and never
// decides (PROTOCOL.md, Consent).
import * as v from 'valibot';
import type { RiskClass } from '../../../preload/contract/dto.ts';
import { AppError } from '../../lib/app-error.ts';
import { higherRisk } from '../../core/risk.ts';
import type { ApprovalRow, PeerRow, Reads, Tables, TaskRow } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import type { ConsentClass } from '../../protocol/consent.ts';

const META_NAME = 'consent';
/** Where the areas stand that were taken away while adults decide; what is remembered ends with the setting. */
export const REMEMBERED_AREAS_META = 'consent.areas';

const stored = v.object({
  from: v.picklist(['R1', 'R2', 'R3']),
  hubs: v.array(v.object({ key: v.string(), paired_at: v.number() })),
});

export interface ConsentSetting {
  readonly from: ConsentClass;
  /** By the pairing in which each was named. */
  readonly hubs: readonly { readonly key: KeyHex; readonly paired_at: number }[];
}

/** Nothing can be decided elsewhere when it cannot be read either, and nothing here: whoever damaged it gains nothing by that. */
const DAMAGED: ConsentSetting = { from: 'R1', hubs: [] };

function parsed(text: string): ConsentSetting {
  try {
    return v.parse(stored, JSON.parse(text));
  } catch {
    return DAMAGED;
  }
}

export class ConsentGuard {
  /** The last text that was read and what it means: it is asked for with every request and hub, and changes hardly ever. */
  #read: { readonly text: string; readonly setting: ConsentSetting } | undefined;

  /** null: the people here decide everything. */
  setting(reads: Pick<Reads, 'getMeta'>): ConsentSetting | null {
    const text = reads.getMeta(META_NAME);
    if (text === undefined || text === '') return null;
    if (this.#read?.text !== text) this.#read = { text, setting: parsed(text) };
    return this.#read.setting;
  }

  /** Inside a commit. null: from now on the people here decide. */
  set(tables: Tables, setting: ConsentSetting | null): void {
    tables.setMeta(META_NAME, setting === null ? '' : JSON.stringify(setting));
    if (setting === null) tables.setMeta(REMEMBERED_AREAS_META, '');
  }

  /** Inside a commit: that hub decides no more, whatever it becomes again later. True when it was named. */
  unname(tables: Tables, key: KeyHex): boolean {
    const setting = this.setting(tables);
    const hubs = setting?.hubs.filter((named) => named.key !== key);
    if (setting === null || hubs === undefined || hubs.length === setting.hubs.length) return false;
    this.set(tables, { ...setting, hubs });
    return true;
  }

  /** Whether what is of this class is decided by an adult's hub, and by nobody here. */
  covers(reads: Pick<Reads, 'getMeta'>, riskClass: RiskClass): boolean {
    const setting = this.setting(reads);
    return setting !== null && higherRisk(riskClass, setting.from) === riskClass;
  }

  /** Whether an adult's hub decides about this request of the store; what runs nothing stays with the people here. */
  coversTask(reads: Reads, task: Pick<TaskRow, 'id' | 'toAgent'>): boolean {
    const row = task.toAgent === null ? undefined : reads.approvalOfTask(task.id);
    return row !== undefined && this.covers(reads, row.riskClass);
  }

  /** The hubs that decide, as they are paired now; none where all of them were removed, suspended, paired anew or are no adult's. */
  hubs(reads: Reads): readonly PeerRow[] {
    const named = this.setting(reads)?.hubs ?? [];
    return named.flatMap(({ key, paired_at }) => {
      const row = reads.peer(key);
      return row?.trust === 'paired' && row.role === 'adult' && row.pairedAt === paired_at ? [row] : [];
    });
  }

  decides(reads: Reads, key: string): boolean {
    return this.hubs(reads).some((row) => row.key === key);
  }

  /** @throws AppError blocked where an adult's hub decides: here it can only be declined */
  checkDecidedHere(reads: Reads, task: Pick<TaskRow, 'toAgent'>, row: Pick<ApprovalRow, 'riskClass'>): void {
    if (task.toAgent === null || !this.covers(reads, row.riskClass)) return;
    const names = this.hubs(reads).map(({ petname }) => petname);
    const who = names.length === 0 ? 'An adult’s hub' : names.join(' or ');
    throw new AppError('blocked', `${who} decides about this request; here it can only be declined.`, { failedBy: 'input' });
  }

  /** The class of a new agent that nobody has spoken of: in the adults' sight, so that an agent under another name is no way out of it. */
  atLeast(reads: Reads, riskClass: RiskClass): RiskClass {
    const setting = this.setting(reads);
    return setting === null ? riskClass : higherRisk(riskClass, setting.from);
  }
}
