// All pairings in one list with their timers: requests that wait for a person, the one that is
// under way, and those that ended and are still shown. Also what a person's acts and the other
// side's steps share: the window, the invitations, what must survive a crash, and how a pairing
// continues or ends. It pins nothing by itself (PROTOCOL.md, Pairing).
import { AppError, inputError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type {
  PairingDto,
  PairingRequestState,
  PairingState,
} from '../../../preload/contract/pairing-dto.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Store, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { PAIRING_NONCE_BYTES } from '../../protocol/limits.ts';
import { abortPayload, answerPayload, type PairRole } from '../../protocol/pairing.ts';
import type { EventBus } from '../base/event-bus.ts';
import type { IdentityService } from '../base/identity.ts';
import type { HubProfile } from '../links/hub-profile.ts';
import type { PeerDirectory } from '../links/peer-directory.ts';
import type { UnpairedConnections } from '../links/unpaired-connections.ts';
import { Confirmations } from './confirmations.ts';
import { Invitations } from './invitations.ts';
import { BURNT_IDS_MAX, CONFIRM_ACCEPT_MS, ENDED_SHOWN_MS, PAIRING_DURATION_MS } from './limits.ts';
import { PairingSession, type SessionInvitation } from './pairing-session.ts';
import { PairingWindow } from './pairing-window.ts';
import type { Actor } from '../base/audit-trail.ts';
import type { After } from '../base/unit-of-work.ts';

export interface PairingDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly events: EventBus;
  readonly identity: IdentityService;
  readonly directory: PeerDirectory;
  readonly connections: UnpairedConnections;
  readonly profile: () => HubProfile;
}

export class PairingSessions {
  readonly deps: PairingDeps;
  readonly window: PairingWindow;
  readonly confirmations: Confirmations;
  readonly invitations: Invitations;
  readonly #sessions = new Map<string, PairingSession>();
  readonly #timers = new Map<string, TimerHandle>();
  readonly #burnt = new Set<string>();
  #wasOpen = false;
  /** Ends with the window: until then hubs nearby are told this hub's name. */
  #introducing = new AbortController();

  constructor(deps: PairingDeps) {
    this.deps = deps;
    const { clock, random, events, directory } = deps;
    this.invitations = new Invitations(clock, random, (isAnyOut) =>
      directory.pardon('all', isAnyOut),
    );
    this.window = new PairingWindow(clock, (window) => {
      events.publish({ type: 'pairing_window', window });
      this.#windowChanged();
    });
    this.confirmations = new Confirmations({
      ...deps,
      onPinned: (pid, key) => this.#pinned(pid, key),
      onLost: (pid, why) => this.#lost(pid, why),
    });
    directory.stored.onTrustEnding((tables, after, key) => this.#trustEnded(tables, after, key));
  }

  start(): void {
    this.confirmations.start();
  }

  /** Ends every pairing: whatever a step still waits for changes nothing any more. */
  stop(): void {
    this.confirmations.stop();
    this.window.stop();
    this.#introducing.abort();
    for (const session of this.#sessions.values()) {
      if (!session.isOver) session.state = 'failed';
      this.#letGo(session);
    }
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    this.#sessions.clear();
    this.invitations.clear();
  }

  list(): readonly PairingDto[] {
    return this.#all()
      .filter((session) => this.#isShown(session))
      .map(({ dto }) => dto);
  }

  /** The pairing that goes on: there is one at most. */
  running(): PairingSession | undefined {
    return this.#all().find(({ isOver, state }) => !isOver && state !== 'offered');
  }

  /**
   * For a person who would begin or open a second pairing: which one goes on, and how it is ended.
   */
  refuseWhileRunning(running = this.running()): void {
    if (running === undefined) return;
    const { id, dto } = running;
    throw inputError('conflict', `A pairing with ${dto.label} is under way.`, {
      hint: `Finish it or stop it first, under People & hubs or with "axon pair cancel ${id}".`,
      data: { id },
    });
  }

  /** Requests that wait for a person, oldest first. */
  waiting(): readonly PairingSession[] {
    return this.#all().filter(({ state }) => state === 'offered');
  }

  /** The two hubs pair in another way, or are paired already: drops that hub's waiting requests. */
  dropWaitingOf(key: KeyHex): void {
    for (const session of this.waiting()) if (session.peerKey === key) this.drop(session);
  }

  /** Throws AppError not_found, also for a request that is not to be shown. */
  get(id: string): PairingSession {
    const session = this.#sessions.get(id);
    if (session === undefined || !this.#isShown(session))
      throw inputError('not_found', 'No such pairing is here, or it ended a while ago.', {
        hint: '"axon pair list" shows those there are.',
      });
    return session;
  }

  byPid(pidText: string, key?: KeyHex): PairingSession | undefined {
    return this.#all().find(
      (session) => session.pidText === pidText && (key === undefined || session.peerKey === key),
    );
  }

  /**
   * A pairing on this side, with fresh chance and what this hub says of itself. @param wantedName
   * what people here want to call the hub
   */
  create(
    role: PairRole,
    peerKey: KeyHex,
    pid: Uint8Array,
    wantedName: string | null,
    invitation?: SessionInvitation,
  ): PairingSession {
    const { identity, random, clock, directory, profile } = this.deps;
    const { name, person, platform } = profile();
    const row = directory.row(peerKey);
    return new PairingSession({
      id: random.uuid(),
      role,
      ownKey: identity.keyHex,
      peerKey,
      pid,
      ownMeta: { hub: name, platform, ...(person === null ? {} : { person }) },
      wantedName,
      invitation: invitation ?? null,
      nonce: random.bytes(PAIRING_NONCE_BYTES),
      petnames: directory.namesInUse(peerKey),
      removed: row?.trust === 'revoked' ? { name: row.petname, at: row.revokedAt } : null,
      expiresAt: clock.wallMs() + PAIRING_DURATION_MS,
      sinceMs: clock.monotonicMs(),
    });
  }

  /** Takes it into the list; its id is used up with that. */
  add(session: PairingSession): void {
    this.#burn(session.pidText);
    this.#sessions.set(session.id, session);
    this.deps.connections.hold(session.peerKey);
    this.#setTimer(session, PAIRING_DURATION_MS, () => this.#timeIsUp(session));
    this.#publish(session);
  }

  isBurnt(pidText: string): boolean {
    return this.#burnt.has(pidText);
  }

  move(session: PairingSession, state: PairingState): void {
    if (session.isOver) return;
    session.state = state;
    this.#publish(session);
  }

  /** As far as our own request came; pages are told of a change. */
  cameTo(session: PairingSession, request: PairingRequestState): void {
    if (session.isOver || session.request === request) return;
    session.request = request;
    this.#publish(session);
  }

  /** R: the request is answered, and the steps go on. */
  answer(session: PairingSession): void {
    this.move(session, 'exchanging');
    void this.request(session, answerPayload(session.pid, session.ownMeta, session.ownNonce));
  }

  /**
   * Sends a step of ours. False when the other side refused it, and the pairing has failed then.
   */
  async request(session: PairingSession, payload: JsonObject): Promise<boolean> {
    const answered = await this.deps.connections.request(
      session.peerKey,
      'pair',
      payload,
      session.ended.signal,
    );
    if (session.isOver) return false;
    if (answered.ok) return true;
    const isGone = answered.error.failedBy !== 'peer' || answered.error.code === 'peer_unreachable';
    this.abort(
      session,
      isGone ? 'The connection was lost. Start again.' : 'The other hub refused to go on.',
      'a step failed',
      false,
    );
    return false;
  }

  /** What there is to check on this side has passed: durable from now on, whatever happens. */
  async pass(session: PairingSession, by: Actor): Promise<void> {
    try {
      await this.confirmations.passed(
        session.passed(this.deps.directory.live(session.peerKey), by),
        session.peerHasConfirmed,
      );
    } catch (error) {
      const isRefused = error instanceof AppError && error.code === 'rejected';
      const failure = isRefused
        ? error.message
        : 'The pairing could not be stored. Nothing was paired.';
      this.abort(
        session,
        failure,
        isRefused ? 'not trusted any more' : 'failed at the other hub',
        false,
      );
      throw error;
    }
  }

  /** Fails here and tells the other side, best effort; no person waits for that. */
  abort(session: PairingSession, failure: string, reason: string, isFailedCheck: boolean): void {
    if (session.isOver) return;
    const { connections } = this.deps;
    const isOpen = connections.isOpen(session.peerKey);
    const told = isOpen
      ? connections.request(session.peerKey, 'pair', abortPayload(session.pid, reason))
      : undefined;
    this.fail(session, failure, isFailedCheck, told);
  }

  /** @param told the last word to the other side, while it is on its way */
  fail(
    session: PairingSession,
    failure: string,
    isFailedCheck: boolean,
    told?: Promise<unknown>,
  ): void {
    if (session.isOver) return;
    session.failure = failure;
    this.window.asksNoMore(session.peerKey);
    if (session.state === 'offered') return this.drop(session, told);
    this.#end(session, 'failed', told);
    if (isFailedCheck) this.window.failed();
    this.deps.log.info('pairing failed', { role: session.role, check: isFailedCheck });
  }

  /** Ends a request that nobody opened or that reached nobody: nothing of it is shown. */
  drop(session: PairingSession, told?: Promise<unknown>): void {
    session.state = 'failed';
    this.#letGo(session, told);
    this.remove(session);
  }

  remove(session: PairingSession): void {
    this.#timers.get(session.id)?.cancel();
    this.#timers.delete(session.id);
    if (this.#sessions.delete(session.id))
      this.deps.events.publish({ type: 'pairing_gone', id: session.id });
  }

  /** What ended with this hub is not of interest any more: a new pairing takes its place. */
  forgetEnded(key: KeyHex): void {
    for (const session of this.#all())
      if (session.isOver && session.peerKey === key) this.remove(session);
  }

  #all(): readonly PairingSession[] {
    return [...this.#sessions.values()];
  }

  #burn(pidText: string): void {
    this.#burnt.add(pidText);
    const oldest = this.#burnt.values().next();
    if (this.#burnt.size > BURNT_IDS_MAX && !oldest.done) this.#burnt.delete(oldest.value);
  }

  #openWith(key: KeyHex): readonly PairingSession[] {
    return this.#all().filter(({ isOver, peerKey }) => !isOver && peerKey === key);
  }

  #setTimer(session: PairingSession, delayMs: number, run: () => void): void {
    this.#timers.get(session.id)?.cancel();
    this.#timers.set(session.id, this.deps.clock.setTimer(delayMs, run));
  }

  #end(session: PairingSession, state: 'paired' | 'failed', told?: Promise<unknown>): void {
    session.state = state;
    this.#letGo(session, told);
    this.#setTimer(session, ENDED_SHOWN_MS, () => this.remove(session));
    this.#publish(session);
  }

  /**
   * Releases the connection once the last message was sent. A hub that was removed here is refused
   * again from then on.
   */
  #letGo({ ended, peerKey }: PairingSession, told?: Promise<unknown>): void {
    ended.abort();
    const release = (): void => {
      if (this.#openWith(peerKey).length > 0) return;
      this.deps.connections.release(peerKey);
      this.deps.directory.pardon(peerKey, false);
    };
    if (told === undefined) release();
    else void told.then(release, release);
  }

  /**
   * Requests of hubs that nobody here chose are shown only while pairing is open. Else they wait
   * unseen until their time is up.
   */
  #isShown({ state, isInvited }: PairingSession): boolean {
    return state !== 'offered' || isInvited || this.window.isOpen;
  }

  #publish(session: PairingSession): void {
    if (this.#isShown(session)) this.deps.events.publish({ type: 'pairing', pairing: session.dto });
  }

  #windowChanged(): void {
    if (this.window.isOpen === this.#wasOpen) return;
    this.#wasOpen = this.window.isOpen;
    this.#introducing.abort();
    if (this.#wasOpen) {
      this.#introducing = new AbortController();
      this.deps.connections.introduce(this.#introducing.signal);
    }
    for (const session of this.waiting()) {
      if (this.#isShown(session)) this.#publish(session);
      else this.deps.events.publish({ type: 'pairing_gone', id: session.id });
    }
  }

  #timeIsUp(session: PairingSession): void {
    if (session.isOver) return;
    if (!this.confirmations.has(session.pidText))
      return this.abort(session, 'The time was up. Start again.', 'time is up', false);
    // Our own check has passed; the other side's confirmation may still be on its way.
    session.expiresAt = this.deps.clock.wallMs() + CONFIRM_ACCEPT_MS - PAIRING_DURATION_MS;
    this.move(session, 'confirming');
  }

  #pinned(pid: string, key: KeyHex): void {
    this.dropWaitingOf(key);
    this.window.asksNoMore(key);
    const session = this.byPid(pid);
    if (session === undefined || session.isOver) return;
    this.#end(session, 'paired');
    this.window.close();
  }

  #lost(pid: string, why: 'refused' | 'expired'): void {
    const session = this.byPid(pid);
    if (session === undefined || session.state === 'failed') return;
    session.failure =
      why === 'refused'
        ? 'The other hub did not stand by the pairing. Nothing was paired.'
        : 'The other side did not finish in time. Nothing was paired.';
    this.#end(session, 'failed');
  }

  /**
   * When a hub loses its trust, every pairing with it ends in the same commit, as far as it is
   * durable: nothing of it may undo that decision later.
   */
  #trustEnded(tables: Tables, after: After, key: KeyHex): void {
    this.confirmations.trustEnded(tables, after, key);
    const why = tables.peer(key)?.trust === 'suspended' ? 'suspended' : 'removed';
    after(() => {
      for (const session of this.#openWith(key))
        this.fail(session, `That hub was ${why} here. Nothing was paired.`, false);
    });
  }
}
