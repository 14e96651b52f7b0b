// What the two hands of pairing share, the person's acts and the other side's steps: the window, the pairings there are, what must survive a
// crash, and the ways in which one goes on or ends. It decides nothing about a step, and pins nothing by itself (PROTOCOL.md, Pairing).
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { PairingWindowDto } from '../../../preload/contract/pairing-dto.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Store, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { abortPayload, type PairRole } from '../../protocol/pairing.ts';
import type { EventBus } from '../event-bus.ts';
import type { IdentityService } from '../identity.ts';
import type { OpenLines } from '../links/open-lines.ts';
import type { PeerDirectory } from '../links/peer-directory.ts';
import type { HubProfile } from '../links/hub-profile.ts';
import { Confirmations } from './confirmations.ts';
import { Invitations } from './invitations.ts';
import { CONFIRM_ACCEPT_MS, PAIRING_DURATION_MS } from './limits.ts';
import { newSession, type SessionWishes } from './new-session.ts';
import type { PairingActor, PairingSession } from './pairing-session.ts';
import { PairingShelf } from './pairing-shelf.ts';
import { PairingWindow } from './pairing-window.ts';

export interface PairingDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly events: EventBus;
  readonly identity: IdentityService;
  readonly directory: PeerDirectory;
  readonly lines: OpenLines;
  readonly profile: () => HubProfile;
}

export class PairingCourse {
  readonly deps: PairingDeps;
  readonly window: PairingWindow;
  readonly confirmations: Confirmations;
  readonly shelf: PairingShelf;
  readonly invitations: Invitations;

  constructor(deps: PairingDeps) {
    this.deps = deps;
    const { store, clock, random, log, identity, directory, lines } = deps;
    this.invitations = new Invitations(clock, random, (isAnyOut) => directory.pardon('all', isAnyOut));
    const publish = (window: PairingWindowDto): void => deps.events.publish({ type: 'pairing_window', window });
    const onWindow = (window: PairingWindowDto): void => {
      publish(window);
      this.shelf.windowChanged();
    };
    this.window = new PairingWindow(clock, onWindow, publish);
    this.shelf = new PairingShelf({
      clock,
      events: deps.events,
      directory,
      lines,
      isOpen: () => this.window.isOpen,
      onTimeUp: (session) => this.#timeIsUp(session),
      onHidden: ({ peerKey }, leftMs) => {
        if (!directory.isPaired(peerKey)) this.window.asksInVain(peerKey, leftMs);
      },
    });
    this.confirmations = new Confirmations({
      store,
      clock,
      random,
      log,
      identity,
      directory,
      lines,
      onPinned: (pid, key) => this.#pinned(pid, key),
      onLost: (pid, why) => this.#lost(pid, why),
    });
    directory.stored.endsWithTrust((tables, key) => this.#trustEnded(tables, key));
  }

  start(): void {
    this.confirmations.start();
  }

  stop(): void {
    this.confirmations.stop();
    this.window.stop();
    this.shelf.stop();
    this.invitations.clear();
  }

  /** What there is to check on this side has passed: durable from now on, whatever happens. */
  async pass(session: PairingSession, by: PairingActor): Promise<void> {
    try {
      await this.confirmations.passed(session.passed(this.deps.directory.live(session.peerKey), by), session.peerHasConfirmed);
    } catch (error) {
      const isRefused = error instanceof AppError && error.code === 'rejected';
      const failure = isRefused ? error.message : 'The pairing could not be stored. Nothing was paired.';
      this.abort(session, failure, isRefused ? 'not trusted any more' : 'could not be stored', false);
      throw error;
    }
  }

  /** A step of ours; false when the other side did not take it, and the pairing has failed then. */
  async request(session: PairingSession, payload: JsonObject): Promise<boolean> {
    const answered = await this.deps.lines.request(session.peerKey, 'pair', payload, session.ended.signal);
    if (session.isOver) return false;
    if (answered.ok) return true;
    const isGone = answered.error.failedBy !== 'peer' || answered.error.code === 'peer_unreachable';
    this.abort(session, isGone ? 'The connection was lost. Start again.' : 'The other hub refused to go on.', 'a step failed', false);
    return false;
  }

  /** Fails here and tells the other side, best effort; no person waits for that. */
  abort(session: PairingSession, failure: string, reason: string, isFailedCheck: boolean): void {
    if (session.isOver) return;
    const { lines } = this.deps;
    // On its way before the pairing is let go of: with that a hub that was removed here is refused again.
    if (lines.isOpen(session.peerKey)) session.farewell = lines.request(session.peerKey, 'pair', abortPayload(session.pid, reason));
    this.fail(session, failure, isFailedCheck);
  }

  fail(session: PairingSession, failure: string, isFailedCheck: boolean): void {
    if (session.isOver) return;
    session.failure = failure;
    this.shelf.burn(session.pidText);
    this.window.asksNoMore(session.peerKey);
    if (session.state === 'offered') return this.shelf.drop(session);
    this.shelf.end(session, 'failed');
    if (isFailedCheck) this.window.failed();
    this.deps.log.info('pairing failed', { role: session.role, check: isFailedCheck });
  }

  #pinned(pid: string, key: KeyHex): void {
    this.shelf.dropWaitingOf(key);
    this.window.asksNoMore(key);
    const session = this.shelf.byPid(pid);
    if (session === undefined || session.isOver) return;
    this.shelf.end(session, 'paired');
    this.window.close();
  }

  /** With the trust in a hub ends every pairing with it, in the same commit as far as it is durable: nothing of it may undo that word later. */
  #trustEnded(tables: Tables, key: KeyHex): () => void {
    const forget = this.confirmations.trustEnded(tables, key);
    const why = tables.peer(key)?.trust === 'suspended' ? 'suspended' : 'removed';
    return () => {
      forget();
      for (const session of this.shelf.openWith(key)) this.fail(session, `That hub was ${why} here. Nothing was paired.`, false);
    };
  }

  #lost(pid: string, why: 'refused' | 'expired'): void {
    const session = this.shelf.byPid(pid);
    if (session === undefined || session.state === 'failed') return;
    session.failure =
      why === 'refused'
        ? 'The other hub did not stand by the pairing. Nothing was paired.'
        : 'The other side did not finish in time. Nothing was paired.';
    this.shelf.end(session, 'failed');
  }

  #timeIsUp(session: PairingSession): void {
    if (session.isOver) return;
    if (this.confirmations.has(session.pidText)) {
      // Our own check has passed; the other side's confirmation may still be on its way.
      session.expiresAt = this.deps.clock.wallMs() + CONFIRM_ACCEPT_MS - PAIRING_DURATION_MS;
      this.shelf.move(session, 'confirming');
      return;
    }
    this.abort(session, 'The time was up. Start again.', 'time is up', false);
  }

  newSession(role: PairRole, peerKey: KeyHex, pid: Uint8Array, wishes: SessionWishes): PairingSession {
    return newSession(this.deps, role, peerKey, pid, wishes);
  }
}
