// A hub's audit log over a real store, with an identity and a count in memory that outlive it: the
// store can be closed, put back from a copy and opened again, as a data folder is.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemRandom } from '../../main/adapters/clock/system-clock.ts';
import { openStore } from '../../main/adapters/sqlite/open-store.ts';
import { AppError } from '../../main/lib/app-error.ts';
import type {
  CounterMark,
  CounterRead,
  RollbackCounter,
} from '../../main/ports/rollback-counter.ts';
import type { Store } from '../../main/ports/store.ts';
import { Audit } from '../../main/services/audit/audit.ts';
import { watchAudit } from '../../main/services/audit/watched-store.ts';
import { IdentityService } from '../../main/services/base/identity.ts';
import { MemoryVault } from './hub-stack.ts';
import { ManualClock } from './manual-clock.ts';
import { SILENT_LOG } from './memory-store.ts';
import { auditRow } from './sample-rows.ts';
import { tamperWith } from './tampering.ts';

export const PERSON = { actor: 'owner:1', surface: 'command_line' } as const;

/** A count that can be locked, lost and spoiled. */
export class MemoryCounter implements RollbackCounter {
  mark: CounterMark | undefined;
  trouble: 'locked' | 'damaged' | undefined;
  writes = 0;
  refusals = 0;
  /** Answers nothing until whoever asks gives up. */
  hangs = false;

  #answer: (() => void) | undefined;

  /** Hangs no longer: what was asked is done. */
  answer(): void {
    this.hangs = false;
    this.#answer?.();
  }

  read(): Promise<CounterRead> {
    if (this.trouble === 'locked')
      return Promise.resolve({ state: 'locked', reason: 'It is locked.' });
    if (this.trouble === 'damaged') return Promise.resolve({ state: 'damaged' });
    return Promise.resolve(
      this.mark === undefined ? { state: 'absent' } : { state: 'found', mark: this.mark },
    );
  }

  write(mark: CounterMark, signal: AbortSignal): Promise<void> {
    if (this.hangs) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      this.#answer = () => resolve(this.write(mark, signal));
      givenUp(signal, () => reject(new AppError('identity_locked', 'It hangs.')));
      return promise;
    }
    if (this.trouble === 'locked') {
      this.refusals += 1;
      return Promise.reject(new AppError('identity_locked', 'It is locked.'));
    }
    this.writes += 1;
    this.trouble = undefined;
    this.mark = mark;
    return Promise.resolve();
  }
}

function givenUp(signal: AbortSignal, then: () => void): void {
  if (signal.aborted) then();
  else signal.addEventListener('abort', then, { once: true });
}

interface Parts {
  readonly store: Store;
  readonly identity: IdentityService;
  readonly audit: Audit;
}

class CountingVault extends MemoryVault {
  readonly counter = new MemoryCounter();
}

export class AuditHouse {
  readonly clock = new ManualClock();
  readonly vault = new CountingVault();
  readonly states: string[] = [];
  #acts = 0;
  readonly #folder = mkdtempSync(join(tmpdir(), 'axon-audit-'));
  #parts: Parts;

  private constructor() {
    this.#parts = this.#open();
  }

  static async start(): Promise<AuditHouse> {
    const house = new AuditHouse();
    await house.#begin();
    return house;
  }

  get store(): Store {
    return this.#parts.store;
  }

  get audit(): Audit {
    return this.#parts.audit;
  }

  get counter(): MemoryCounter {
    return this.vault.counter;
  }

  /** With one signature, over four rows. */
  static async signed(): Promise<AuditHouse> {
    const house = await AuditHouse.start();
    await house.act(4);
    await house.minute();
    return house;
  }

  /** Adds rows of what nobody here did in person, in one commit. */
  async act(rows = 1, action = 'task.ended'): Promise<void> {
    await this.#add(rows, { action, surface: 'peer' });
  }

  /** Adds a row of what a person did. */
  async decide(surface = 'browser'): Promise<void> {
    await this.#add(1, { action: 'approval.allowed', surface });
  }

  /** A minute of the hub. */
  async minute(): Promise<void> {
    await this.clock.advance(60_000);
    await this.clock.settle();
  }

  /**
   * To an empty record: three signatures, over the rows up to 4, 8 and 12; then two rows unsigned.
   */
  async signThrice(): Promise<void> {
    for (let minute = 0; minute < 3; minute++) {
      await this.act(4);
      await this.minute();
    }
    await this.act(2);
  }

  async stop(): Promise<void> {
    await this.audit.stop();
    await this.store.close();
  }

  /** As a kill does: nothing is signed any more. */
  async crash(): Promise<void> {
    await this.store.close();
  }

  async startAgain(): Promise<void> {
    this.#parts = this.#open();
    await this.#begin();
  }

  /** Copies the closed database. */
  keepAs(name: string): void {
    copyFileSync(join(this.#folder, 'hub.db'), join(this.#folder, name));
  }

  putBack(name: string): void {
    for (const suffix of ['-wal', '-shm'])
      rmSync(join(this.#folder, `hub.db${suffix}`), { force: true });
    copyFileSync(join(this.#folder, name), join(this.#folder, 'hub.db'));
  }

  tamper(sql: string): void {
    tamperWith(join(this.#folder, 'hub.db'), sql);
  }

  /**
   * Adds a row that nobody waits for, as what other hubs should not have done is; resolves once it
   * is durable.
   */
  async notice(): Promise<void> {
    this.store.writeBehind((tables) =>
      tables.appendAudit(auditRow({ action: 'peer.forged_sender', surface: 'peer' })),
    );
    await this.store.write(() => undefined);
  }

  actions(): readonly string[] {
    return this.store.read.audit({ limit: 100 }).map(({ action }) => action);
  }

  /** The owner acknowledges what they were shown. */
  acknowledge(): Promise<void> {
    return this.audit.acknowledge(PERSON, this.audit.finding?.row ?? 0);
  }

  async verify(): Promise<ReturnType<Audit['verification']>> {
    this.audit.verify(PERSON);
    while (this.audit.verification().state === 'running') await this.clock.settle();
    await this.clock.settle();
    return this.audit.verification();
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #add(
    rows: number,
    what: { readonly action: string; readonly surface: string },
  ): Promise<void> {
    await this.store.write((tables) => {
      for (let index = 0; index < rows; index++)
        tables.appendAudit(auditRow({ ...what, object: `object-${++this.#acts}` }));
    });
  }

  async #begin(): Promise<void> {
    const { signal } = new AbortController();
    await this.#parts.identity.open(signal);
    this.audit.start();
    await this.audit.check(signal);
  }

  #open(): Parts {
    const { clock, vault } = this;
    const opened = openStore({ path: join(this.#folder, 'hub.db'), clock, log: SILENT_LOG });
    const store = watchAudit(opened, (surface) => audit.appended(surface));
    const identity = new IdentityService({
      store,
      vaults: [vault],
      clock,
      random: new SystemRandom(),
      log: SILENT_LOG,
    });
    const audit: Audit = new Audit({
      store,
      clock,
      log: SILENT_LOG,
      identity,
      onState: () => this.states.push(audit.state),
    });
    return { store, identity, audit };
  }
}
