// What a hub opens only once its audit log was compared with the counter in the key vault: the work
// of its agents and the links to other hubs. Until then it is locked: at every start for a moment,
// while the keychain is locked, and after a restore until the owner has confirmed that. It opens
// once and never locks again while it runs. People's doors are open all the time; what they may be
// used for meanwhile stands here.
import type { RestoredCopyDto } from '../../preload/contract/dto.ts';
import { operationEntry, type OperationName } from '../../preload/contract/operations.ts';
import type { Caller } from '../api/caller.ts';
import { AppError } from '../lib/app-error.ts';
import { SerialQueue } from '../lib/serial-queue.ts';
import type { Clock, TimerHandle } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Tables } from '../ports/store.ts';
import { notRestored, type Audit } from '../services/audit/audit.ts';
import type { A2aAgents } from '../services/elsewhere/a2a-agents.ts';
import type { Runners } from '../services/agents/runners.ts';
import type { TokenService } from '../services/auth/token-service.ts';
import type { HubStatus } from '../services/pages/hub-status.ts';
import type { IdentityService } from '../services/base/identity.ts';
import { runEffects, type After } from '../services/base/unit-of-work.ts';
import type { Webhooks } from '../services/inbox/webhooks.ts';
import type { Retention } from '../services/retention/retention.ts';
import { ReplayGuard } from '../services/tasks/replay-guard.ts';
import type { PeerDirectory } from '../services/links/peer-directory.ts';
import type { KeyHex } from '../ports/transport.ts';
import type { TaskServices } from './task-services.ts';
import type { PeerSide } from './peers.ts';
import type { Actor } from '../services/base/audit-trail.ts';

/** What of a copy its owner still has: hubs by their agent ids, agents by their names. */
interface KeptOfCopy {
  readonly hubs: readonly string[];
  readonly agents: readonly string[];
}

interface Deps {
  readonly clock: Clock;
  readonly log: Log;
  readonly identity: IdentityService;
  readonly audit: Audit;
  readonly tokens: TokenService;
  readonly hub: HubStatus;
  readonly work: TaskServices;
  readonly webhooks: Pick<Webhooks, 'start' | 'agentRemoved'>;
  readonly a2a: Pick<A2aAgents, 'start' | 'agentRemoved'>;
  readonly runners: Pick<Runners, 'start' | 'agentRemoved'>;
  readonly peers: PeerSide;
  readonly directory: PeerDirectory;
  readonly retention: Retention;
}

/** How often a vault that could not be asked is asked again. */
const ASK_AGAIN_MS = 60_000;
const BY_HUB = { actor: 'hub', surface: 'hub' } as const;
const STARTING_RETRY_MS = 1_000;
const LOCKED_RETRY_MS = 30_000;

export class AuditLock {
  readonly #deps: Deps;
  readonly #stopping = new AbortController();
  #timer: TimerHandle | undefined;
  #isOpen = false;
  readonly #queue = new SerialQueue();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * At the start, and when a person unlocked the keychain: asks the vault, and opens unless that
   * leaves the hub locked.
   */
  open(signal: AbortSignal): Promise<void> {
    return this.#queue.run(() => this.#open(signal));
  }

  /**
   * The owner means this older copy. What waited in it ends, because it may have been done since
   * the copy was made. Of the hubs and agents in it those stay that the owner names; the others may
   * have been removed since, so they call this hub no longer, and it calls them no longer. Then the
   * hub opens.
   * @throws AppError bad_request, conflict, identity_locked, storage_failed
   */
  confirmRestore(by: Actor, kept: KeptOfCopy): Promise<void> {
    return this.#queue.run(async () => {
      const { audit, work, clock, log, hub } = this.#deps;
      const { restored_copy: copy } = hub.current();
      if (copy === null) throw notRestored();
      const left = this.#leftOut(copy, kept);
      // Before the word that opens the hub is on disk: a crash in between only makes the question
      // come again.
      await work.endRestored({ by: by.actor, surface: by.surface });
      const effects: (() => void)[] = [];
      await audit.confirmRestore(by, (tables) => {
        const after = (effect: () => void): void => void effects.push(effect);
        ReplayGuard.restored(tables, clock.wallMs());
        for (const key of left.hubs) this.#deps.directory.removeInside(tables, after, key, by);
        for (const name of left.agents) this.#endAgent(tables, after, name, by);
      });
      runEffects(effects, log);
      await this.#open(this.#stopping.signal);
    });
  }

  /** The agent itself stays, which remote approval may forbid to remove. */
  #endAgent(tables: Tables, after: After, name: string, by: Actor): void {
    const { tokens, work, runners, webhooks, a2a } = this.#deps;
    tokens.revokeAllOfAgent(tables, after, name, by);
    work.registrations.declineUnfetched(tables, name);
    for (const way of [runners, webhooks, a2a]) way.agentRemoved(tables, after, name);
  }

  /** @throws AppError bad_request for what is not in this copy */
  #leftOut(
    { hubs, agents }: RestoredCopyDto,
    kept: KeptOfCopy,
  ): {
    readonly hubs: readonly KeyHex[];
    readonly agents: readonly string[];
  } {
    const unknown =
      kept.hubs.find((wanted) => !hubs.some(({ id }) => id === wanted)) ??
      kept.agents.find((wanted) => !agents.some(({ id }) => id === wanted));
    if (unknown !== undefined) {
      throw new AppError('bad_request', `"${unknown}" is not in this copy, so it cannot be kept.`, {
        failedBy: 'input',
      });
    }
    const { directory } = this.#deps;
    return {
      hubs: hubs.filter(({ id }) => !kept.hubs.includes(id)).map(({ id }) => directory.keyOf(id)),
      agents: agents.map(({ id }) => id).filter((id) => !kept.agents.includes(id)),
    };
  }

  /** @throws AppError hub_locked while the hub is locked and this is not for that time */
  check(name: OperationName, caller: Caller): void {
    if (this.#isOpen) return;
    const { method, whileLocked = false } = operationEntry(name);
    const isPerson = caller.kind === 'ui' || caller.kind === 'owner';
    if (caller.kind !== 'agent' && (whileLocked || (isPerson && method === 'GET'))) return;
    throw this.#locked();
  }

  /** Ends what waits for the vault. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#timer?.cancel();
    await this.#queue.idle();
  }

  async #open(signal: AbortSignal): Promise<void> {
    const { identity, audit, tokens, hub, work, webhooks, a2a, runners, peers, retention } =
      this.#deps;
    await identity.open(signal);
    const before = audit.state;
    await audit.check(signal);
    // Logins that were ended since the copy was made are back in it.
    if (audit.state === 'restored' && before === 'unchecked') await tokens.revokeSessions(BY_HUB);
    if (audit.isOpen && !this.#stopping.signal.aborted) {
      await work.start();
      await webhooks.start();
      a2a.start();
      this.#isOpen = true;
      runners.start();
      retention.start();
      await peers.open();
    } else if (audit.state === 'unchecked') this.#askAgainLater();
    hub.changed();
  }

  #askAgainLater(): void {
    const { clock, log, identity } = this.#deps;
    // A keychain that is locked is opened by a person, who says so.
    if (!identity.ready || this.#stopping.signal.aborted) return;
    this.#timer?.cancel();
    this.#timer = clock.setTimer(ASK_AGAIN_MS, () => {
      this.open(this.#stopping.signal).catch((error: unknown) =>
        log.error('the hub did not open', { error: String(error) }),
      );
    });
  }

  #locked(): AppError {
    const { audit, hub } = this.#deps;
    if (audit.state === 'restored') {
      return new AppError(
        'hub_locked',
        'This hub was restored from a backup, and its owner has not confirmed that yet.',
        {
          hint: 'Its owner confirms it on the page of the hub, or with "axon confirm-restore".',
          retryAfterMs: LOCKED_RETRY_MS,
        },
      );
    }
    if (hub.current().state === 'starting') {
      return new AppError('hub_locked', 'This hub is just starting.', {
        hint: 'Try again in a moment.',
        retryAfterMs: STARTING_RETRY_MS,
      });
    }
    return new AppError('hub_locked', 'This hub cannot read its key vault, so it is locked.', {
      hint: 'Its owner unlocks the keychain, then the page of the hub.',
      retryAfterMs: LOCKED_RETRY_MS,
    });
  }
}
