// The last step of pairing, made to survive anything: once our own check has passed, that is
// durable, our confirmation is sent until the other side has it (on a new connection and after a
// restart too), and the key is pinned in the very commit in which both the check and the other
// side's signature hold. Nothing is pinned on less, and nothing of a hub that was suspended or
// removed since its pairing began. Its times go by the wall clock, since they must hold across
// restarts (PROTOCOL.md, Pairing).
import { AppError, messageOf } from '../../lib/app-error.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { fromBase64Url, fromHex } from '../../lib/bytes.ts';
import { SerialQueue } from '../../lib/serial-queue.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Store, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { isSameMac } from '../../protocol/invitation.ts';
import { confirmMessage, confirmPayload } from '../../protocol/pairing.ts';
import { verify } from '../../protocol/signature.ts';
import type { IdentityService } from '../base/identity.ts';
import type { PeerDirectory } from '../links/peer-directory.ts';
import type { UnpairedConnections } from '../links/unpaired-connections.ts';
import { CONFIRM_ACCEPT_MS, CONFIRM_BACKOFF, CONFIRM_RESEND_MS } from './limits.ts';
import { keyBytes } from './pairing-session.ts';
import { readUnsettled, wayOf, writeUnsettled, type Unsettled } from './unsettled.ts';
import { auditRow } from '../base/audit-trail.ts';
import type { After } from '../base/unit-of-work.ts';

interface ConfirmationsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly identity: IdentityService;
  readonly directory: PeerDirectory;
  readonly connections: Pick<UnpairedConnections, 'request' | 'open' | 'isOpen' | 'onConnection'>;
  /** The key is pinned and durable. */
  readonly onPinned: (pid: string, key: KeyHex) => void;
  /** It will never be: the other side refused, or the time is up. */
  readonly onLost: (pid: string, why: 'refused' | 'expired') => void;
}

/** What a confirmation brings; `mac` where an invitation stands for the typing. */
interface PeerConfirmation {
  readonly sig: Uint8Array;
  readonly mac: Uint8Array | null;
}

export class Confirmations {
  readonly #deps: ConfirmationsDeps;
  readonly #entries = new Map<string, Unsettled>();
  /** Each entry is delivered by a loop of its own; this ends its present wait. */
  readonly #wake = new Map<string, () => void>();
  /** Decisions about entries, one at a time: none is made twice. */
  readonly #queue = new SerialQueue();
  #stopped = new AbortController();
  #stopListening: () => void = () => undefined;

  constructor(deps: ConfirmationsDeps) {
    this.#deps = deps;
  }

  /** Takes up what a former run left unsettled. */
  start(): void {
    this.#stopped = new AbortController();
    this.#entries.clear();
    for (const entry of readUnsettled(this.#deps.store.read)) this.#entries.set(entry.pid, entry);
    this.#stopListening = this.#deps.connections.onConnection((key) => this.#connected(key));
    for (const pid of this.#entries.keys()) void this.#deliver(pid);
  }

  stop(): void {
    this.#stopped.abort();
    this.#stopListening();
    for (const wake of this.#wake.values()) wake();
  }

  /** Whether the check of this pairing has passed here, though it may not be durable yet. */
  has(pid: string): boolean {
    return this.#entries.has(pid);
  }

  /** Whether a passed check of this pairing with this key waits here. */
  isOf(pid: string, key: KeyHex): boolean {
    return this.#entries.get(pid)?.key === key;
  }

  /**
   * Our own check passed. Durable before it returns; pins at once when the other side's signature
   * already held. Throws AppError rejected when the hub was suspended or removed since this pairing
   * began.
   */
  passed(
    check: Omit<Unsettled, 'checkedAt' | 'isPinned' | 'wasPaired' | 'isAcked'>,
    peerHasConfirmed: boolean,
  ): Promise<void> {
    const { clock, directory } = this.#deps;
    const wasPaired = directory.isPaired(check.key);
    const entry: Unsettled = {
      ...check,
      checkedAt: clock.wallMs(),
      isPinned: false,
      wasPaired,
      isAcked: false,
    };
    this.#entries.set(entry.pid, entry);
    return this.#queue.run(async () => {
      try {
        await this.#commit(entry, { isPinned: peerHasConfirmed }, true);
      } catch (error) {
        this.#forget(entry.pid);
        throw error;
      }
      void this.#deliver(entry.pid);
    });
  }

  /**
   * The other side's confirmation of a pairing whose check passed here. Resolves once the pin is
   * durable: then it may be acked. Throws AppError rejected when the signature or the code of an
   * invitation does not hold, no such pairing waits here, or the hub was suspended or removed
   * since.
   */
  received(key: KeyHex, pid: string, { sig, mac }: PeerConfirmation): Promise<void> {
    return this.#queue.run(async () => {
      const entry = this.#entries.get(pid);
      if (entry === undefined || entry.key !== key) {
        // A repeated confirmation after everything was settled changes nothing.
        if (this.#deps.directory.isPaired(key)) return;
        throw nothingWaits();
      }
      // The timer that ends it may be late, as after a sleep of the computer.
      if (!entry.isPinned && this.#isExpired(entry)) {
        await this.#lose(pid, 'expired');
        throw nothingWaits();
      }
      const peerRole = entry.role === 'I' ? 'R' : 'I';
      if (!verify(sig, confirmMessage(peerRole, transcriptOf(entry)), keyBytes(key))) {
        throw new AppError('rejected', 'The signature of the confirmation does not hold.');
      }
      if (
        entry.peerMac !== null &&
        (mac === null || !isSameMac(mac, fromHex(entry.peerMac) ?? new Uint8Array()))
      ) {
        if (!entry.isPinned) await this.#lose(pid, 'refused');
        throw new AppError('rejected', 'The code of the invitation does not hold.');
      }
      if (!entry.isPinned) await this.#commit(entry, { isPinned: true });
    });
  }

  /** Withdraws a passed check; false when the key is pinned already. */
  withdraw(pid: string): Promise<boolean> {
    return this.#queue.run(async () => {
      const entry = this.#entries.get(pid);
      if (entry !== undefined && !entry.isPinned) await this.#drop(pid);
      return entry?.isPinned !== true;
    });
  }

  /**
   * The hub is suspended or removed, in the commit at hand: what waits for its word ends with that,
   * and of one that is removed all that is unsettled. Also while nothing of this runs.
   */
  trustEnded(tables: Tables, after: After, key: KeyHex): void {
    const isKept = (entry: Unsettled): boolean =>
      entry.key !== key || (entry.isPinned && tables.peer(key)?.trust === 'suspended');
    const stored = readUnsettled(tables);
    if (!stored.every(isKept)) writeUnsettled(tables, stored.filter(isKept));
    after(() => {
      const now = new Set(readUnsettled(this.#deps.store.read).map(({ pid }) => pid));
      for (const entry of this.#entries.values())
        if (entry.key === key && !now.has(entry.pid)) this.#forget(entry.pid);
    });
  }

  /**
   * Makes the entry and what became true of it durable; a pin is part of the same unit of work. Of
   * what is in the store no more, nothing.
   */
  async #commit(
    entry: Unsettled,
    change: Partial<Pick<Unsettled, 'isPinned' | 'isAcked'>>,
    isNew = false,
  ): Promise<void> {
    const { store, directory } = this.#deps;
    const isWritten = await store.write((tables) => {
      const stored = readUnsettled(tables);
      const base = stored.find(({ pid }) => pid === entry.pid) ?? (isNew ? entry : undefined);
      if (base === undefined) return false;
      // Judged as things stand in this commit: a removal may have come between.
      if (isNew || change.isPinned === true) refuseUntrusted(tables, entry);
      if (change.isPinned === true) this.#pin(tables, entry);
      writeUnsettled(tables, [
        ...stored.filter(({ pid }) => pid !== entry.pid),
        { ...base, ...change },
      ]);
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
    if (settled.isPinned && settled.isAcked) await this.#drop(entry.pid);
  }

  #pin(tables: Tables, entry: Unsettled): void {
    const { directory, clock } = this.#deps;
    const way = wayOf(entry);
    directory.pinInside(tables, {
      key: entry.key,
      petname: directory.proposePetname(entry.proposedName, entry.key),
      person: null,
      saidPerson: entry.saidPerson,
      platform: entry.platform,
      advertisedName: entry.saidHub,
      introduction: { way, by: entry.actor, surface: entry.surface },
    });
    tables.appendAudit(
      auditRow(clock.wallMs(), {
        actor: entry.actor,
        surface: entry.surface,
        action: 'peer.paired',
        object: entry.key,
        digest: entry.transcript,
        detail: { role: entry.role, way },
      }),
    );
  }

  #forget(pid: string): void {
    this.#entries.delete(pid);
    this.#wake.get(pid)?.();
  }

  async #drop(pid: string): Promise<void> {
    this.#forget(pid);
    await this.#deps.store.write((tables) => {
      const stored = readUnsettled(tables);
      writeUnsettled(
        tables,
        stored.filter((entry) => entry.pid !== pid),
      );
    });
  }

  /**
   * A connection to this key is there: what waits for it goes now, also what a hub that was started
   * anew may have lost.
   */
  #connected(key: KeyHex): void {
    for (const entry of this.#entries.values()) {
      if (entry.key !== key) continue;
      if (!entry.isPinned) this.#entries.set(entry.pid, { ...entry, isAcked: false });
      this.#wake.get(entry.pid)?.();
    }
  }

  /** Sends until the other side has our confirmation, and stays connected until we have theirs. */
  async #deliver(pid: string): Promise<void> {
    const { clock, random, log } = this.#deps;
    const { signal } = this.#stopped;
    for (let attempt = 0; ; attempt++) {
      const entry = this.#entries.get(pid);
      if (entry === undefined || signal.aborted) return;
      try {
        if (this.#isExpired(entry)) return await this.#queue.run(() => this.#lose(pid, 'expired'));
        if (!entry.isAcked && clock.wallMs() - entry.checkedAt < CONFIRM_RESEND_MS)
          await this.#send(entry, signal);
        else await this.#open(entry, signal);
      } catch (error) {
        log.warn('a pairing confirmation could not be settled', {
          error: messageOf(error),
        });
      }
      if (this.#entries.has(pid) && !signal.aborted)
        await this.#wait(pid, backoffMs(attempt, random.fraction(), CONFIRM_BACKOFF));
    }
  }

  #wait(pid: string, delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        timer.cancel();
        this.#wake.delete(pid);
        resolve();
      };
      const timer = this.#deps.clock.setTimer(delayMs, wake);
      this.#wake.set(pid, wake);
    });
  }

  async #send(entry: Unsettled, signal: AbortSignal): Promise<void> {
    if (!(await this.#open(entry, signal))) return;
    const { connections, identity } = this.#deps;
    const signature = identity.sign(confirmMessage(entry.role, transcriptOf(entry)));
    const mac = entry.mac === null ? undefined : fromHex(entry.mac);
    const payload = confirmPayload(fromBase64Url(entry.pid) ?? new Uint8Array(), signature, mac);
    const answered = await connections.request(entry.key, 'pair', payload, signal);
    await this.#queue.run(async () => {
      const now = this.#entries.get(entry.pid);
      if (now === undefined) return;
      if (answered.ok) await this.#commit(now, { isAcked: true });
      else if (answered.error.code === 'rejected' && answered.error.failedBy === 'peer')
        await this.#lose(now.pid, 'refused');
    });
  }

  async #open({ key, host, port }: Unsettled, signal: AbortSignal): Promise<boolean> {
    if (this.#deps.connections.isOpen(key)) return true;
    const hint = host !== null && port !== null ? [{ host, port }] : [];
    return (await this.#deps.connections.open(key, signal, hint)).ok;
  }

  /**
   * It ends here. If the other side does not keep it, neither do we, so that nobody stays pinned
   * alone.
   */
  async #lose(pid: string, why: 'refused' | 'expired'): Promise<void> {
    const entry = this.#entries.get(pid);
    if (entry === undefined) return;
    if (why === 'refused' && entry.isPinned && !entry.wasPaired) await this.#unpin(entry);
    await this.#drop(pid);
    if (why === 'refused' || !entry.isPinned) this.#deps.onLost(pid, why);
  }

  async #unpin({ pid, key, transcript }: Unsettled): Promise<void> {
    const { store, directory, clock } = this.#deps;
    const at = clock.wallMs();
    await store.write((tables) => {
      // It was removed here meanwhile, and stays so.
      if (!readUnsettled(tables).some((entry) => entry.pid === pid)) return;
      tables.deletePeer(key);
      tables.appendAudit(
        auditRow(at, {
          actor: key,
          surface: 'peer',
          action: 'peer.pairing_refused',
          object: key,
          digest: transcript,
        }),
      );
    });
    directory.pinned(key);
  }

  #isExpired({ checkedAt, isPinned }: Unsettled): boolean {
    return (
      this.#deps.clock.wallMs() - checkedAt >= (isPinned ? CONFIRM_RESEND_MS : CONFIRM_ACCEPT_MS)
    );
  }
}

/** Only the removal that people here knew of as the pairing began is undone by it. */
function refuseUntrusted(tables: Tables, { key, removedAt }: Unsettled): void {
  const row = tables.peer(key);
  if (row?.trust === 'suspended' || (row?.trust === 'revoked' && row.revokedAt !== removedAt)) {
    throw new AppError(
      'rejected',
      'That hub was suspended or removed here meanwhile. Nothing was paired.',
    );
  }
}

function nothingWaits(): AppError {
  return new AppError(
    'rejected',
    'No pairing with that id waits here for a confirmation. A person must start again.',
  );
}

function transcriptOf(entry: Unsettled): Uint8Array {
  return fromHex(entry.transcript) ?? new Uint8Array();
}
