// First-time programs of this computer: each asks without a token, shows a code, and gets its token
// once, after a person has confirmed the code it saw. The token's text is made when the program
// fetches it and never stands anywhere else.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { AgentDto, RegistrationDto, RiskClass } from '../../../preload/contract/dto.ts';
import { escapeText } from '../../core/text-escape.ts';
import { AppError } from '../../lib/app-error.ts';
import { toBase64Url } from '../../lib/bytes.ts';
import { isJsonObject, readObject } from '../../lib/json-object.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Reads, RegistrationRow, Store, Tables } from '../../ports/store.ts';
import type { EventBus } from '../base/event-bus.ts';
import { knownDialect, nameOfArea } from './agent-profile.ts';
import type { AgentProfile, AgentRegistry } from './agent-registry.ts';
import type { AuditTrail, Actor } from '../base/audit-trail.ts';
import {
  REGISTRATION_FAILURES_MAX,
  REGISTRATION_LIFETIME_MS,
  REGISTRATIONS_PENDING_MAX,
} from './limits.ts';
import type { UnitOfWork } from '../base/unit-of-work.ts';

interface NewRegistration {
  readonly registration: RegistrationDto;
  /** Fetches the token later; shown once. */
  readonly secret: string;
}

interface RegistrationOutcome {
  readonly state: 'pending' | 'confirmed' | 'declined' | 'expired';
  readonly token: string | null;
  readonly agent: string | null;
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventBus;
  readonly unit: UnitOfWork;
  readonly agents: AgentRegistry;
  readonly audit: AuditTrail;
  readonly mintAgentToken: (agent: string) => Promise<string>;
}

const SECRET_SIZE_BYTES = 32;
const CODE_DIGITS = 6;

export class Registrations {
  readonly #deps: Deps;
  readonly #failures = new Map<string, number>();
  readonly #delivering = new Set<string>();
  #timer: TimerHandle | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  start(): void {
    this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  pending(): readonly RegistrationDto[] {
    return this.#deps.store.read
      .registrations()
      .flatMap((row) => (row.state === 'pending' && !this.#isOver(row) ? [this.#dto(row)] : []));
  }

  /** @throws AppError bad_request, overloaded (8 wait already), conflict (an agent has the name) */
  async register(name: string, profile: AgentProfile): Promise<NewRegistration> {
    const { unit, clock, random, events, audit } = this.#deps;
    knownDialect(profile.dialect);
    const secret = toBase64Url(random.bytes(SECRET_SIZE_BYTES));
    const createdAt = clock.wallMs();
    const row: RegistrationRow = {
      id: random.uuid(),
      secretSha256: sha256(secret),
      code: digits(random),
      agentName: name,
      request: JSON.stringify(profile),
      state: 'pending',
      createdAt,
      expiresAt: createdAt + REGISTRATION_LIFETIME_MS,
    };
    await unit.run((tables, after) => {
      this.#forgetOver(tables, (id) =>
        after(() => events.publish({ type: 'registration_gone', id })),
      );
      this.#checkName(tables, name);
      const waiting = tables.registrations().filter((other) => other.state === 'pending').length;
      if (waiting >= REGISTRATIONS_PENDING_MAX) {
        throw new AppError(
          'overloaded',
          `${REGISTRATIONS_PENDING_MAX} programs wait to be connected already.`,
          {
            hint: 'A person has to confirm or decline some of them first.',
            retryAfterMs: 60_000,
          },
        );
      }
      tables.putRegistration(row);
      audit.append(tables, {
        actor: 'anonymous',
        surface: 'agent',
        action: 'registration.requested',
        object: row.id,
      });
      after(() => {
        events.publish({ type: 'registration', registration: this.#dto(row) });
        this.#arm();
      });
    });
    return { registration: this.#dto(row), secret };
  }

  /**
   * What became of it; the token, once, to whoever has the secret. @throws AppError gone for an
   * unknown id or a wrong secret alike, conflict when there is an agent of that name by now
   */
  async poll(id: string, secret: string): Promise<RegistrationOutcome> {
    const row = this.#deps.store.read.registration(id);
    const same = timingSafeEqual(sha256(secret), row?.secretSha256 ?? sha256(''));
    if (!row || !same)
      throw new AppError('gone', 'There is no such request any more.', {
        failedBy: 'input',
        hint: 'Connect it again: POST /v1/agents, or "axon agents connect".',
      });
    if (row.state === 'declined') return noToken('declined');
    if (this.#isOver(row)) return noToken('expired');
    if (row.state !== 'pending') return this.#lease(row);
    // The person connected it in another way: nobody can confirm this any more.
    this.#checkName(this.#deps.store.read, row.agentName);
    return noToken('pending');
  }

  /**
   * A person confirms the code that the program shows. @throws AppError gone, bad_request (wrong
   * code), conflict
   */
  async confirm(
    id: string,
    code: string,
    riskClass: RiskClass | undefined,
    actor: Actor,
  ): Promise<AgentDto> {
    const { unit, agents, audit, events } = this.#deps;
    const outcome = await unit.run((tables, after): string | AppError => {
      const row = this.#waiting(tables, id);
      if (!timingSafeEqual(sha256(code.trim()), sha256(row.code))) {
        const failures = (this.#failures.get(id) ?? 0) + 1;
        this.#failures.set(id, failures);
        if (failures >= REGISTRATION_FAILURES_MAX) this.#close(tables, row, 'declined');
        if (failures >= REGISTRATION_FAILURES_MAX)
          after(() => events.publish({ type: 'registration_gone', id }));
        return new AppError('bad_request', 'That is not the code the program shows.', {
          failedBy: 'input',
        });
      }
      const profile = readProfile(row);
      const returning = this.#returning(tables, row.agentName);
      // Whoever was confirmed before and has not fetched the token is lost, or it is not this one.
      if (returning !== undefined) this.declineUnfetched(tables, returning);
      const agent =
        returning === undefined
          ? agents.add(tables, after, row.agentName, profile, riskClass)
          : agents.reconnect(tables, after, returning, profile);
      // From now on under its handle, which may be another than the name that was asked for.
      this.#close(tables, { ...row, agentName: agent.name }, 'confirmed');
      audit.append(tables, {
        actor: actor.actor,
        surface: actor.surface,
        action: 'registration.confirmed',
        object: agent.name,
        detail: { risk_class: agent.riskClass },
      });
      after(() => events.publish({ type: 'registration_gone', id }));
      return agent.name;
    });
    if (outcome instanceof AppError) throw outcome;
    return agents.get(outcome);
  }

  async decline(id: string, actor: Actor): Promise<void> {
    const { unit, audit, events } = this.#deps;
    await unit.run((tables, after) => {
      this.#close(tables, this.#waiting(tables, id), 'declined');
      audit.append(tables, {
        actor: actor.actor,
        surface: actor.surface,
        action: 'registration.declined',
        object: id,
      });
      after(() => events.publish({ type: 'registration_gone', id }));
    });
  }

  /**
   * Inside the commit that removes the agent, or gives it to another program: who asked for it and
   * has not fetched its token yet gets none.
   */
  declineUnfetched(tables: Tables, agent: string): void {
    for (const row of tables.registrations()) {
      if (row.agentName === agent && row.state === 'confirmed')
        this.#close(tables, row, 'declined');
    }
  }

  /** Minted now; the row goes before the answer does, so that no second poll ever gets one. */
  async #lease(row: RegistrationRow): Promise<RegistrationOutcome> {
    if (this.#delivering.has(row.id)) return noToken('confirmed');
    this.#delivering.add(row.id);
    try {
      const token = await this.#deps.mintAgentToken(row.agentName);
      await this.#deps.unit.run((tables) => tables.deleteRegistration(row.id));
      this.#deps.agents.presence.tokenMade(row.agentName);
      return { state: 'confirmed', token, agent: row.agentName };
    } finally {
      this.#delivering.delete(row.id);
    }
  }

  #dto(row: RegistrationRow): RegistrationDto {
    const { agents, store } = this.#deps;
    const profile = readProfile(row);
    const returning = this.#returning(store.read, row.agentName);
    return {
      id: row.id,
      agent_name: escapeText(row.agentName),
      display_name:
        returning === undefined
          ? agents.nameOfNew(store.read, row.agentName, profile)
          : agents.get(returning).display_name,
      was_connected: returning !== undefined,
      removed_at: agents.removedAt(store.read, row.agentName),
      code: row.code,
      domains: (profile.domains ?? []).map((area) => escapeText(nameOfArea(area))),
      capabilities: (profile.capabilities ?? []).map(escapeText),
      created_at: row.createdAt,
      expires_at: row.expiresAt,
    };
  }

  /** @throws AppError conflict for the name of an agent that needs no token */
  #checkName(reads: Reads, name: string): void {
    if (this.#returning(reads, name) === undefined) this.#deps.agents.checkName(reads, name);
  }

  /** The handle of the agent of this name that has no token, and is not given one just now. */
  #returning(reads: Reads, name: string): string | undefined {
    const { agents } = this.#deps;
    const handle = agents.handleOf(reads, name);
    const isGivenOne = ({ id, agentName }: RegistrationRow): boolean =>
      agentName === handle && this.#delivering.has(id);
    return agents.isWithoutToken(reads, handle) && !reads.registrations().some(isGivenOne)
      ? handle
      : undefined;
  }

  #waiting(tables: Tables, id: string): RegistrationRow {
    const row = tables.registration(id);
    if (row?.state === 'pending' && !this.#isOver(row)) return row;
    throw new AppError('gone', 'This request is no longer waiting.', { failedBy: 'input' });
  }

  #close(tables: Tables, row: RegistrationRow, state: 'confirmed' | 'declined'): void {
    this.#failures.delete(row.id);
    tables.putRegistration({ ...row, state });
  }

  #isOver(row: RegistrationRow): boolean {
    return this.#deps.clock.wallMs() >= row.expiresAt;
  }

  #forgetOver(tables: Tables, gone: (id: string) => void): void {
    for (const row of tables.registrations()) {
      if (!this.#isOver(row)) continue;
      tables.deleteRegistration(row.id);
      this.#failures.delete(row.id);
      gone(row.id);
    }
  }

  #arm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const ends = this.#deps.store.read.registrations().map((row) => row.expiresAt);
    if (ends.length === 0) return;
    const waitMs = Math.max(0, Math.min(...ends) - this.#deps.clock.wallMs());
    this.#timer = this.#deps.clock.setTimer(waitMs, () => {
      this.#timer = undefined;
      void this.#sweep();
    });
  }

  async #sweep(): Promise<void> {
    const { unit, events } = this.#deps;
    try {
      await unit.run((tables, after) =>
        this.#forgetOver(tables, (id) =>
          after(() => events.publish({ type: 'registration_gone', id })),
        ),
      );
      this.#arm();
    } catch {
      // The store did not take it: an over request is refused by its time, and the next one sweeps
      // again.
    }
  }
}

function noToken(state: RegistrationOutcome['state']): RegistrationOutcome {
  return { state, token: null, agent: null };
}

/** Our own row: what was validated when it came. */
function readProfile(row: RegistrationRow): AgentProfile {
  const profile = readObject(row.request);
  return isJsonObject(profile) ? (profile as AgentProfile) : {};
}

function digits(random: Random): string {
  const bytes = random.bytes(8);
  const number =
    new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(0) %
    10n ** BigInt(CODE_DIGITS);
  return String(number).padStart(CODE_DIGITS, '0');
}

function sha256(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text, 'utf8').digest());
}
