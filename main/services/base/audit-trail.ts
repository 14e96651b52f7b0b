// Who decided and did what, when and from where: rows of the append-only audit log, written in the
// same commit as the act itself. Never a body, a token or a name that somebody else chose.
import type { PeopleSurface, Surface } from '../../../preload/contract/closed-lists.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { TokenBuckets } from '../../lib/token-buckets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NewAuditRow } from '../../ports/audit.ts';
import type { Tables } from '../../ports/store.ts';
import { SECURITY_AUDIT } from './limits.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Who acts. */
export interface Actor {
  /**
   * `ui:` or `owner:` with a token id, a party key, an agent's name, `owner`, `anonymous` or `hub`.
   */
  readonly actor: string;
  readonly surface: Surface;
}

/** The person who decides, as the door identified it. */
export interface Decider extends Actor {
  readonly surface: PeopleSurface;
}

interface AuditEntry extends Actor {
  /** A constant, `area.verb`. */
  readonly action: string;
  readonly object: string;
  /** The rule that decided, when one did. */
  readonly rule?: string | null;
  readonly digest?: string | null;
  /** Small facts of our own making. */
  readonly detail?: JsonObject;
}

export function auditRow(at: number, entry: AuditEntry): NewAuditRow {
  return {
    at,
    actor: entry.actor,
    surface: entry.surface,
    action: entry.action,
    object: entry.object,
    rule: entry.rule ?? null,
    digest: entry.digest ?? null,
    detail: JSON.stringify(entry.detail ?? {}),
  };
}

export class AuditTrail {
  readonly #clock: Clock;
  readonly #unit: UnitOfWork;
  readonly #buckets: TokenBuckets;

  constructor(deps: { readonly clock: Clock; readonly unit: UnitOfWork }) {
    this.#clock = deps.clock;
    this.#unit = deps.unit;
    this.#buckets = new TokenBuckets(deps.clock);
  }

  append(tables: Tables, entry: AuditEntry): void {
    tables.appendAudit(auditRow(this.#clock.wallMs(), entry));
  }

  /**
   * A row of its own about something that was refused; beyond the rate per actor it is left out, so
   * that nobody can fill the disk.
   */
  async refusal(entry: AuditEntry): Promise<void> {
    if (this.#buckets.take(entry.actor, SECURITY_AUDIT) > 0) return;
    await this.#unit.run((tables) => this.append(tables, entry));
  }
}
