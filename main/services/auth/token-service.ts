// Maps a bearer token to its holder. Owns making, checking, ending and listing tokens. Keeps only
// the SHA-256 of a secret (256 random bits need no slow hash), compares in constant time, and runs
// the same path for an unknown id. Never logs a token; never widens a token's scopes.
import { createHash, timingSafeEqual } from 'node:crypto';
import { AGENT_SCOPES } from '../../../preload/contract/operations.ts';
import { AppError, inputError } from '../../lib/app-error.ts';
import { utf8 } from '../../lib/bytes.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Store, Tables, TokenRow } from '../../ports/store.ts';
import type { After } from '../base/unit-of-work.ts';
import {
  LAST_USED_WRITE_INTERVAL_MS,
  OWNER_TOKEN_MAX_MS,
  SESSIONS_MAX,
  UI_SESSION_IDLE_MAX_MS,
  UI_SESSION_MAX_MS,
} from './limits.ts';
import {
  TOKEN_ID_SIZE_BYTES,
  TOKEN_SECRET_SIZE_BYTES,
  readToken,
  writeToken,
} from './token-format.ts';
import { auditRow, type Actor } from '../base/audit-trail.ts';

interface TokenServiceDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}

interface IssuedToken {
  /** The whole token: shown or written down once, never again. */
  readonly token: string;
  readonly id: string;
  readonly expiresAt: number | null;
}

/**
 * What of a token's life is measured by the monotonic clock, so that a jump of the wall clock ends
 * no session.
 */
interface Liveness {
  /** Monotonic ms; null = no end. */
  readonly endsAtMs: number | null;
  readonly idleMs: number | null;
  lastUsedAtMs: number;
  lastWrittenAtMs: number;
}

type Check = (tables: Tables) => void;

/** Compared against when the id is unknown; no secret has this hash. */
const NO_SECRET_SHA256 = new Uint8Array(32);

export class TokenService {
  readonly #deps: TokenServiceDeps;
  readonly #alive = new Map<string, Liveness>();
  readonly #listeners = new Set<(tokenId: string) => void>();

  constructor(deps: TokenServiceDeps) {
    this.#deps = deps;
  }

  /**
   * An agent's token, with all six scopes unless told otherwise; its old tokens keep working until
   * they are revoked.
   * @throws AppError not_found: it is no agent of this hub, or was removed meanwhile
   */
  issueForAgent(agent: string, scopes: readonly string[] = AGENT_SCOPES): Promise<IssuedToken> {
    return this.#issue({ kind: 'agent', agent, scopes, label: agent, lifeMs: null, idleMs: null });
  }

  /** A new token for an agent, whose other tokens end. */
  async renewForAgent(agent: string, by: Actor): Promise<IssuedToken> {
    const issued = await this.issueForAgent(agent);
    for (const row of this.list())
      if (row.agent === agent && row.id !== issued.id) await this.#revokeIfThere(row.id, by);
    return issued;
  }

  /**
   * A logged-in page: may decide. Ends after 12 h, or after 30 min without a call.
   * @param check inside the commit; what it throws is thrown here
   */
  issueForPage(label: string, check?: Check): Promise<IssuedToken> {
    return this.#issue(
      {
        kind: 'ui',
        agent: null,
        scopes: [],
        label,
        lifeMs: UI_SESSION_MAX_MS,
        idleMs: UI_SESSION_IDLE_MAX_MS,
      },
      check,
    );
  }

  /** A person at a terminal who gave the owner passphrase: 5 minutes. @param check as above */
  issueForOwner(label: string, check?: Check): Promise<IssuedToken> {
    return this.#issue(
      {
        kind: 'owner',
        agent: null,
        scopes: [],
        label,
        lifeMs: OWNER_TOKEN_MAX_MS,
        idleMs: null,
      },
      check,
    );
  }

  /**
   * The token's row when it is whole, known, not revoked and not over; notes the use. Undefined for
   * every other reason alike.
   */
  authenticate(text: string): TokenRow | undefined {
    const parts = readToken(text);
    const row = parts === undefined ? undefined : this.#deps.store.read.token(parts.id);
    const given = sha256(parts?.secret ?? '');
    const same = timingSafeEqual(
      given,
      row?.secretSha256.byteLength === 32 ? row.secretSha256 : NO_SECRET_SHA256,
    );
    if (!same || row === undefined || row.kind !== parts?.kind || !this.isAlive(row))
      return undefined;
    this.#noteUse(row);
    return row;
  }

  /** True while the row is neither revoked nor over. Does not count as a use. */
  isAlive(row: TokenRow): boolean {
    if (row.revokedAt !== null) return false;
    const now = this.#deps.clock.monotonicMs();
    const life = this.#livenessOf(row);
    if (life.endsAtMs !== null && now >= life.endsAtMs) return false;
    return life.idleMs === null || now < life.lastUsedAtMs + life.idleMs;
  }

  isIdAlive(id: string): boolean {
    const row = this.#deps.store.read.token(id);
    return row !== undefined && this.isAlive(row);
  }

  /** Sessions and agent tokens that work now, newest first. */
  list(): readonly TokenRow[] {
    return this.#deps.store.read
      .tokens()
      .filter((row) => this.isAlive(row))
      .sort((a, b) => b.createdAt - a.createdAt);
  }

  /**
   * Ends the token now: calls that come after fail, and listeners end its streams. Throws
   * `not_found` when there is none.
   */
  async revoke(id: string, by: Actor): Promise<void> {
    if (!(await this.#revokeIfThere(id, by)))
      throw inputError('not_found', 'There is no such session or token.');
  }

  /** Ends every token of an agent, inside the commit in which the agent is removed. */
  revokeAllOfAgent(tables: Tables, after: After, agent: string, by: Actor): void {
    for (const { id } of tables.tokens().filter((row) => row.agent === agent))
      if (this.#revokeIn(tables, id, by)) after(() => this.#ended(id));
  }

  /** Ends every session of a page or of an owner at a terminal; agents' tokens keep working. */
  async revokeSessions(by: Actor): Promise<void> {
    for (const { id, kind } of this.list()) if (kind !== 'agent') await this.#revokeIfThere(id, by);
  }

  /** The same inside a commit, but for `exceptId`. */
  revokeSessionsBut(tables: Tables, after: After, exceptId: string | null, by: Actor): void {
    for (const row of tables.tokens()) {
      if (row.kind === 'agent' || row.id === exceptId || !this.isAlive(row)) continue;
      if (this.#revokeIn(tables, row.id, by)) after(() => this.#ended(row.id));
    }
  }

  /**
   * Called at once, in the same turn, for every token that ends: revoked, or made room for another.
   */
  onRevoked(listener: (tokenId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  stop(): void {
    this.#listeners.clear();
  }

  /** False when there was none to end, for example because another call just ended it. */
  async #revokeIfThere(id: string, by: Actor): Promise<boolean> {
    const found = await this.#deps.store.write((tables) => this.#revokeIn(tables, id, by));
    if (found) this.#ended(id);
    return found;
  }

  #revokeIn(tables: Tables, id: string, by: Actor): boolean {
    const row = tables.token(id);
    if (row === undefined || row.revokedAt !== null) return false;
    const now = this.#deps.clock.wallMs();
    tables.putToken({ ...row, revokedAt: now });
    // A terminal's session ends with its command. What was done is on record; a mere look leaves no
    // record.
    if (row.kind === 'owner' && by.actor === `owner:${id}`) return true;
    tables.appendAudit(
      auditRow(now, {
        ...by,
        action: 'token.revoked',
        object: id,
        detail: { kind: row.kind, agent: row.agent },
      }),
    );
    return true;
  }

  async #issue(
    wanted: {
      readonly kind: TokenRow['kind'];
      readonly agent: string | null;
      readonly scopes: readonly string[];
      readonly label: string;
      readonly lifeMs: number | null;
      readonly idleMs: number | null;
    },
    check?: Check,
  ): Promise<IssuedToken> {
    const { clock, random, store } = this.#deps;
    const token = writeToken(
      wanted.kind,
      random.bytes(TOKEN_ID_SIZE_BYTES),
      random.bytes(TOKEN_SECRET_SIZE_BYTES),
    );
    const parts = readToken(token);
    if (parts === undefined) throw new AppError('internal', 'A token could not be made.');
    const now = clock.wallMs();
    const expiresAt = wanted.lifeMs === null ? null : now + wanted.lifeMs;
    const row: TokenRow = {
      id: parts.id,
      kind: wanted.kind,
      agent: wanted.agent,
      secretSha256: new Uint8Array(sha256(parts.secret)),
      scopes: wanted.scopes,
      label: wanted.label,
      createdAt: now,
      lastUsedAt: null,
      expiresAt,
      idleExpiresAfterMs: wanted.idleMs,
      revokedAt: null,
    };
    const over = wanted.kind === 'agent' ? this.#revokedOf(wanted.agent) : this.#sessionsToDrop();
    await store.write((tables) => {
      // Checked in the commit that writes it: no token outlives its agent, even if the agent is
      // removed at the same moment.
      if (wanted.agent !== null && tables.agent(wanted.agent)?.state !== 'active')
        throw noSuchAgent(wanted.agent);
      check?.(tables);
      for (const id of over) tables.deleteToken(id);
      tables.putToken(row);
    });
    for (const id of over) this.#ended(id);
    this.#livenessOf(row);
    return { token, id: row.id, expiresAt };
  }

  #revokedOf(agent: string | null): readonly string[] {
    return this.#deps.store.read
      .tokens()
      .filter((row) => row.agent === agent && row.revokedAt !== null)
      .map(({ id }) => id);
  }

  /** Sessions that are over, and the least used ones where a new one would be too many. */
  #sessionsToDrop(): readonly string[] {
    const sessions = this.#deps.store.read.tokens().filter((row) => row.kind !== 'agent');
    const over = sessions.filter((row) => !this.isAlive(row));
    const alive = sessions
      .filter((row) => this.isAlive(row))
      .sort((a, b) => this.#livenessOf(a).lastUsedAtMs - this.#livenessOf(b).lastUsedAtMs);
    return [...over, ...alive.slice(0, Math.max(0, alive.length - SESSIONS_MAX + 1))].map(
      (row) => row.id,
    );
  }

  #ended(id: string): void {
    this.#alive.delete(id);
    for (const listener of this.#listeners) listener(id);
  }

  #livenessOf(row: TokenRow): Liveness {
    const known = this.#alive.get(row.id);
    if (known !== undefined) return known;
    const { clock } = this.#deps;
    const wall = clock.wallMs();
    const now = clock.monotonicMs();
    const life: Liveness = {
      // Never longer than its whole life, also when the wall clock was set back while the hub was
      // off.
      endsAtMs:
        row.expiresAt === null
          ? null
          : now + Math.min(row.expiresAt - wall, row.expiresAt - row.createdAt),
      idleMs: row.idleExpiresAfterMs,
      lastUsedAtMs: now - Math.max(0, wall - (row.lastUsedAt ?? row.createdAt)),
      lastWrittenAtMs: row.lastUsedAt === null ? -Infinity : now,
    };
    this.#alive.set(row.id, life);
    return life;
  }

  #noteUse(row: TokenRow): void {
    const life = this.#livenessOf(row);
    const now = this.#deps.clock.monotonicMs();
    life.lastUsedAtMs = now;
    if (now - life.lastWrittenAtMs < LAST_USED_WRITE_INTERVAL_MS) return;
    life.lastWrittenAtMs = now;
    const wall = this.#deps.clock.wallMs();
    this.#deps.store.writeBehind((tables) => {
      const current = tables.token(row.id);
      if (current !== undefined && current.revokedAt === null)
        tables.putToken({ ...current, lastUsedAt: wall });
    });
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(utf8(text)).digest();
}

function noSuchAgent(name: string): AppError {
  return inputError('not_found', `There is no agent named "${name}" on this hub.`);
}
