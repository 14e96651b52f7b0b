// The last step of pairing, made to survive anything: once our own check has passed, that is durable, our confirmation is sent until the
// other side has it (on a new connection and after a restart too), and the key is pinned in the very commit in which both the check and
// the other side's signature hold. Nothing is pinned on less, and nothing of a hub that was suspended or removed since its pairing began
// (PROTOCOL.md, Pairing).
import { AppError } from '../../lib/app-error.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { fromBase64Url, fromHex } from '../../lib/bytes.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Store, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { isSameMac } from '../../protocol/invitation.ts';
import { confirmMessage, confirmPayload } from '../../protocol/pairing.ts';
import { verify } from '../../protocol/signature.ts';
import type { IdentityService } from '../identity.ts';
import type { OpenLines } from '../links/open-lines.ts';
import type { PeerDirectory } from '../links/peer-directory.ts';
import { CONFIRM_ACCEPT_MS, CONFIRM_BACKOFF, CONFIRM_RESEND_MS } from './limits.ts';
import { keyBytes } from './pairing-session.ts';
import { readUnsettled, wayOf, writeUnsettled, type Unsettled } from './unsettled.ts';

export interface ConfirmationsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly identity: IdentityService;
  readonly directory: PeerDirectory;
  readonly lines: Pick<OpenLines, 'request' | 'open' | 'isOpen' | 'onLine'>;
  /** The key is pinned and durable. */
  readonly onPinned: (pid: string, key: KeyHex) => void;
  /** It will never be: the other side refused, or the time is up. */
  readonly onLost: (pid: string, why: 'refused' | 'expired') => void;
}

/** What a confirmation brings; `mac` where an invitation stands for the typing. */
export interface PeerConfirmation {
  readonly sig: Uint8Array;
  readonly mac: Uint8Array | null;
}

interface Delivery {
  /** Since when this run waits, monotonic. */
  readonly sinceMs: number;
  attempt: number;
  timer: TimerHandle | undefined;
  isBusy: boolean;
  /** A new connection is there: the other side may have lost what it acked before its own check was durable. */
  isOnNewLine: boolean;
}

export class Confirmations {
  readonly #deps: ConfirmationsDeps;
  readonly #entries = new Map<string, Unsettled>();
  readonly #deliveries = new Map<string, Delivery>();
  /** Checks and pins that are on their way into the store: whoever comes meanwhile waits for them, so that nothing is decided twice. */
  readonly #underWay = new Map<string, { readonly key: KeyHex; readonly done: Promise<void> }>();
  #stopped = new AbortController();
  #stopListening: (() => void) | undefined;

  constructor(deps: ConfirmationsDeps) {
    this.#deps = deps;
  }

  /** Takes up what a former run left unsettled. */
  start(): void {
    this.#stopped = new AbortController();
    this.#entries.clear();
    for (const entry of readUnsettled(this.#deps.store.read)) this.#entries.set(entry.pid, entry);
    this.#stopListening = this.#deps.lines.onLine((key) => this.#hurry(key));
    for (const entry of this.#entries.values()) this.#plan(entry, 0);
  }

  stop(): void {
    this.#stopped.abort();
    this.#stopListening?.();
    for (const delivery of this.#deliveries.values()) delivery.timer?.cancel();
    this.#deliveries.clear();
  }

  /** Whether the check of this pairing has passed here, though it may not be durable yet. */
  has(pid: string): boolean {
    return this.#entries.has(pid) || this.#underWay.has(pid);
  }

  /** Whether a passed check of this pairing with this key waits here. */
  isOf(pid: string, key: KeyHex): boolean {
    return (this.#entries.get(pid) ?? this.#underWay.get(pid))?.key === key;
  }

  /**
   * Our own check passed. Durable before it returns; pins at once when the other side's signature already held. Throws AppError rejected
   * when the hub was suspended or removed since this pairing began.
   */
  async passed(entry: Omit<Unsettled, 'checkedAt' | 'isPinned' | 'wasPaired' | 'isAcked'>, peerHasConfirmed: boolean): Promise<void> {
    const kept: Unsettled = {
      ...entry,
      checkedAt: this.#deps.clock.wallMs(),
      isPinned: peerHasConfirmed,
      wasPaired: this.#deps.directory.isPaired(entry.key),
      isAcked: false,
    };
    await this.#once(kept, () => this.#commit(kept, { isPinned: peerHasConfirmed }, true));
    if (this.#entries.has(kept.pid)) this.#plan(kept, 0);
  }

  /**
   * The other side's confirmation of a pairing whose check passed here. Resolves once the pin is durable: then it may be acked.
   * Throws AppError rejected when the signature or the code of an invitation does not hold, no such pairing waits here, or the hub was
   * suspended or removed since.
   */
  async received(key: KeyHex, pid: string, { sig, mac }: PeerConfirmation): Promise<void> {
    await this.#settled(pid);
    const entry = this.#entries.get(pid);
    if (entry === undefined || entry.key !== key) {
      // A repeated confirmation after everything was settled changes nothing.
      if (this.#deps.directory.isPaired(key)) return;
      throw nothingWaits();
    }
    // The timer that ends it may be late, as after a sleep of the computer.
    if (!entry.isPinned && this.#isExpired(entry)) {
      await this.#expire(pid);
      throw nothingWaits();
    }
    const peerRole = entry.role === 'I' ? 'R' : 'I';
    if (!verify(sig, confirmMessage(peerRole, transcriptOf(entry)), keyBytes(key))) {
      throw new AppError('rejected', 'The signature of the confirmation does not hold.');
    }
    const isInvited = entry.peerMac === null || (mac !== null && isSameMac(mac, fromHex(entry.peerMac) ?? new Uint8Array()));
    if (!isInvited) {
      if (!entry.isPinned) await this.#refused(entry);
      throw new AppError('rejected', 'The code of the invitation does not hold.');
    }
    if (!entry.isPinned) await this.#once(entry, () => this.#commit(entry, { isPinned: true }));
  }

  /** Takes a passed check back; false when the key is pinned already. */
  async withdraw(pid: string): Promise<boolean> {
    await this.#settled(pid);
    const entry = this.#entries.get(pid);
    if (entry?.isPinned === true) return false;
    if (entry !== undefined) await this.#drop(entry);
    return true;
  }

  /**
   * The hub is suspended or removed, in the commit at hand: what waits for its word ends with that, and of one that is removed all that is
   * unsettled. What is returned runs after the commit. Also while nothing of this runs.
   */
  trustEnded(tables: Tables, key: KeyHex): () => void {
    const isKept = (entry: Unsettled): boolean => entry.key !== key || (entry.isPinned && tables.peer(key)?.trust === 'suspended');
    const stored = readUnsettled(tables);
    if (!stored.every(isKept)) writeUnsettled(tables, stored.filter(isKept));
    return () => {
      const now = new Set(readUnsettled(this.#deps.store.read).map(({ pid }) => pid));
      for (const entry of this.#entries.values()) if (entry.key === key && !now.has(entry.pid)) this.#forget(entry.pid);
    };
  }

  /** Commits, and marks the pairing as on its way from before the first wait until the commit is durable or has failed. */
  async #once({ pid, key }: Unsettled, commit: () => Promise<void>): Promise<void> {
    const done = commit().finally(() => this.#underWay.delete(pid));
    this.#underWay.set(pid, { key, done });
    await done;
  }

  /** Resolves once nothing of this pairing is on its way into the store, whatever became of it. */
  async #settled(pid: string): Promise<void> {
    for (let commit = this.#underWay.get(pid); commit !== undefined; commit = this.#underWay.get(pid)) {
      await commit.done.catch(() => undefined);
    }
  }

  /** Makes the entry and what became true of it durable; a pin is part of the same unit of work. Of what is in the store no more, nothing. */
  async #commit(entry: Unsettled, change: Partial<Pick<Unsettled, 'isPinned' | 'isAcked'>>, isNew = false): Promise<void> {
    const { store, directory } = this.#deps;
    const isWritten = await store.write((tables) => {
      const stored = readUnsettled(tables);
      const base = stored.find(({ pid }) => pid === entry.pid) ?? (isNew ? entry : undefined);
      if (base === undefined) return false;
      // Judged as things stand in this commit: a removal may have come between.
      if (isNew || change.isPinned === true) refuseUntrusted(tables, entry);
      if (change.isPinned === true) this.#pin(tables, entry);
      writeUnsettled(tables, [...stored.filter(({ pid }) => pid !== entry.pid), { ...base, ...change }]);
      return true;
    });
    if (!isWritten) {
      this.#forget(entry.pid);
      throw nothingWaits();
    }
    const settled = { ...(this.#entries.get(entry.pid) ?? entry), ...change };
    this.#entries.set(entry.pid, settled);
    if (change.isPinned === true) {
      directory.pinned(entry.key);
      this.#deps.onPinned(entry.pid, entry.key);
    }
    if (settled.isPinned && settled.isAcked) await this.#drop(settled);
  }

  #pin(tables: Tables, entry: Unsettled): void {
    const { directory, clock } = this.#deps;
    const petname = directory.proposePetname(entry.proposedName, entry.key);
    const way = wayOf(entry);
    directory.pinInside(tables, {
      key: entry.key,
      petname,
      person: null,
      platform: entry.platform,
      advertisedName: entry.saidHub,
      introduction: { way, by: entry.actor, surface: entry.surface },
    });
    tables.appendAudit({
      at: clock.wallMs(),
      actor: entry.actor,
      surface: entry.surface,
      action: 'peer.paired',
      object: entry.key,
      digest: entry.transcript,
      detail: JSON.stringify({ role: entry.role, way }),
    });
  }

  #forget(pid: string): void {
    this.#deliveries.get(pid)?.timer?.cancel();
    this.#deliveries.delete(pid);
    this.#entries.delete(pid);
  }

  async #drop(entry: Unsettled): Promise<void> {
    this.#forget(entry.pid);
    await this.#deps.store.write((tables) =>
      writeUnsettled(
        tables,
        readUnsettled(tables).filter(({ pid }) => pid !== entry.pid),
      ),
    );
  }

  /** A connection to this key is there: what waits for it goes now. */
  #hurry(key: KeyHex): void {
    for (const entry of this.#entries.values()) {
      if (entry.key !== key) continue;
      this.#plan(entry, 0);
      const delivery = this.#deliveries.get(entry.pid);
      if (delivery !== undefined) delivery.isOnNewLine = true;
    }
  }

  #plan(entry: Unsettled, delayMs: number): void {
    if (this.#stopped.signal.aborted) return;
    const sinceMs = this.#deps.clock.monotonicMs();
    const delivery = this.#deliveries.get(entry.pid) ?? { sinceMs, attempt: 0, timer: undefined, isBusy: false, isOnNewLine: false };
    this.#deliveries.set(entry.pid, delivery);
    delivery.timer?.cancel();
    delivery.timer = this.#deps.clock.setTimer(delayMs, () => {
      delivery.timer = undefined;
      if (!delivery.isBusy) void this.#deliver(entry.pid, delivery);
    });
  }

  async #deliver(pid: string, delivery: Delivery): Promise<void> {
    const entry = this.#entries.get(pid);
    if (entry === undefined || this.#stopped.signal.aborted) return;
    if (this.#isExpired(entry)) return this.#expire(pid);
    delivery.isBusy = true;
    try {
      const isDue = !entry.isAcked || (!entry.isPinned && delivery.isOnNewLine);
      delivery.isOnNewLine = false;
      if (isDue && this.#ageMs(entry) < CONFIRM_RESEND_MS) await this.#send(entry);
      else if (!this.#deps.lines.isOpen(entry.key)) await this.#open(entry);
    } catch (error) {
      this.#deps.log.warn('a pairing confirmation could not be settled', { error: error instanceof Error ? error.message : 'unknown' });
    } finally {
      delivery.isBusy = false;
    }
    if (this.#entries.has(pid)) this.#plan(entry, backoffMs(delivery.attempt++, this.#deps.random.fraction(), CONFIRM_BACKOFF));
  }

  async #send(entry: Unsettled): Promise<void> {
    const { lines, identity } = this.#deps;
    if (!lines.isOpen(entry.key) && !(await this.#open(entry))) return;
    const signature = identity.sign(confirmMessage(entry.role, transcriptOf(entry)));
    const mac = entry.mac === null ? undefined : fromHex(entry.mac);
    const payload = confirmPayload(fromBase64Url(entry.pid) ?? new Uint8Array(), signature, mac);
    const answered = await lines.request(entry.key, 'pair', payload, this.#stopped.signal);
    await this.#settled(entry.pid);
    const now = this.#entries.get(entry.pid);
    if (now === undefined) return;
    if (answered.ok) await this.#commit(now, { isAcked: true });
    else if (answered.error.code === 'rejected' && answered.error.failedBy === 'peer') await this.#refused(now);
  }

  async #open(entry: Unsettled): Promise<boolean> {
    const hint = entry.host !== null && entry.port !== null ? [{ host: entry.host, port: entry.port }] : [];
    const opened = await this.#deps.lines.open(entry.key, this.#stopped.signal, hint);
    return opened.ok;
  }

  /** The other side does not stand by this pairing: neither do we, so that nobody stays pinned alone. */
  async #refused(entry: Unsettled): Promise<void> {
    const { store, directory, clock } = this.#deps;
    if (entry.isPinned && !entry.wasPaired) {
      await store.write((tables) => {
        // It was removed here meanwhile, and stays so.
        if (!readUnsettled(tables).some(({ pid }) => pid === entry.pid)) return;
        tables.deletePeer(entry.key);
        tables.appendAudit({
          at: clock.wallMs(),
          actor: entry.key,
          surface: 'peer',
          action: 'peer.pairing_refused',
          object: entry.key,
          digest: entry.transcript,
          detail: '{}',
        });
      });
      directory.pinned(entry.key);
    }
    await this.#drop(entry);
    this.#deps.onLost(entry.pid, 'refused');
  }

  async #expire(pid: string): Promise<void> {
    await this.#settled(pid);
    const entry = this.#entries.get(pid);
    if (entry === undefined) return;
    await this.#drop(entry);
    if (!entry.isPinned) this.#deps.onLost(entry.pid, 'expired');
  }

  #isExpired(entry: Unsettled): boolean {
    return this.#ageMs(entry) >= (entry.isPinned ? CONFIRM_RESEND_MS : CONFIRM_ACCEPT_MS);
  }

  /** By the wall clock, since it must hold across restarts, or by how long this run has waited: a clock that is set back makes it no longer. */
  #ageMs({ pid, checkedAt }: Unsettled): number {
    const { clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    return Math.max(clock.wallMs() - checkedAt, nowMs - (this.#deliveries.get(pid)?.sinceMs ?? nowMs));
  }
}

/** Only the removal that people here knew of as the pairing began is undone by it. */
function refuseUntrusted(tables: Tables, { key, removedAt }: Unsettled): void {
  const row = tables.peer(key);
  if (row?.trust === 'suspended' || (row?.trust === 'revoked' && row.revokedAt !== removedAt)) {
    throw new AppError('rejected', 'That hub was suspended or removed here meanwhile. Nothing was paired.');
  }
}

function nothingWaits(): AppError {
  return new AppError('rejected', 'No pairing with that id waits here for a confirmation. A person must start again.');
}

function transcriptOf(entry: Unsettled): Uint8Array {
  return fromHex(entry.transcript) ?? new Uint8Array();
}
