// Pairing as people do it: one at a time, started by a person here or offered by a hub while a person has pairing open. Several requests may
// wait; a person opens the one whose label the other screen shows, and digits are typed once on each side. Owns the running pairing, the
// window and what is shown; what must survive a crash is Confirmations' part. It must never pin a key, and never let a stranger make it ask
// a person anything while pairing is closed (PROTOCOL.md, Pairing).
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { PairingDto, PairingState, PairingWindowDto } from '../../../preload/contract/pairing-dto.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Store } from '../../ports/store.ts';
import type { ConnectionInfo, KeyHex } from '../../ports/transport.ts';
import { PAIRING_ID_BYTES, PAIRING_NONCE_BYTES } from '../../protocol/limits.ts';
import {
  abortPayload,
  answerPayload,
  confirmMessage,
  parsePairStep,
  revealPayload,
  type PairRole,
  type PairStep,
} from '../../protocol/pairing.ts';
import { verify } from '../../protocol/signature.ts';
import type { EventBus } from '../event-bus.ts';
import type { IdentityService } from '../identity.ts';
import type { HubAddress } from '../links/hub-address.ts';
import { checkPetname } from '../links/peer-names.ts';
import type { OpenLines } from '../links/open-lines.ts';
import type { PeerDirectory } from '../links/peer-directory.ts';
import type { HubProfile } from '../links/hub-profile.ts';
import type { ReplyDraft } from '../peer-messenger.ts';
import { Confirmations } from './confirmations.ts';
import { ASKING_REMEMBERED_MS, CONFIRM_ACCEPT_MS, PAIRING_DURATION_MS } from './limits.ts';
import { anotherIsUnderWay, placeFor } from './offer-places.ts';
import { offerUntilTaken } from './offering.ts';
import { keyBytes, type PairingActor, PairingSession } from './pairing-session.ts';
import { PairingShelf } from './pairing-shelf.ts';
import { PairingWindow } from './pairing-window.ts';

export interface PairingServiceDeps {
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

const ACCEPTED: ReplyDraft = { kind: 'ack', payload: { accepted: true } };
/** States in which an abort by the other side means that digits were typed wrong. */
const DIGIT_STATES: readonly PairingState[] = ['show_six', 'type_two', 'show_two'];

export class PairingService {
  readonly #deps: PairingServiceDeps;
  readonly #window: PairingWindow;
  readonly #confirmations: Confirmations;
  readonly #shelf: PairingShelf;
  #isRunning = false;

  constructor(deps: PairingServiceDeps) {
    this.#deps = deps;
    const { store, clock, random, log, identity, directory, lines } = deps;
    const publish = (window: PairingWindowDto): void => deps.events.publish({ type: 'pairing_window', window });
    const onWindow = (window: PairingWindowDto): void => {
      publish(window);
      this.#shelf.windowChanged();
    };
    this.#window = new PairingWindow(clock, onWindow, publish);
    this.#shelf = new PairingShelf({
      clock,
      events: deps.events,
      directory,
      lines,
      isOpen: () => this.#window.isOpen,
      onTimeUp: (session) => this.#timeIsUp(session),
      onHidden: ({ peerKey }, leftMs) => this.#window.asksInVain(peerKey, leftMs),
    });
    this.#confirmations = new Confirmations({
      store,
      clock,
      random,
      log,
      identity,
      directory,
      lines,
      onPinned: (pid) => this.#pinned(pid),
      onLost: (pid, why) => this.#lost(pid, why),
    });
    lines.onRequest('pair', ({ link, envelope }) => this.#step(link.info, envelope.payload));
  }

  /** Call after the links were started. */
  start(): void {
    this.#isRunning = true;
    this.#confirmations.start();
  }

  stop(): void {
    this.#isRunning = false;
    this.#confirmations.stop();
    this.#window.stop();
    this.#shelf.stop();
  }

  get window(): PairingWindowDto {
    return this.#window.dto;
  }

  list(): readonly PairingDto[] {
    return this.#shelf.list();
  }

  /** A person opens or closes pairing for offers. Throws AppError rate_limited while it is locked. */
  setWindow(open: boolean, minutes: number): PairingWindowDto {
    if (!open) this.#window.close();
    else {
      this.#window.refuseWhileLocked();
      this.#window.open(minutes);
    }
    return this.#window.dto;
  }

  /**
   * A person pressed Add; beside a hub whose request waits here, that opens the request, and where ours is with that hub already, it goes on.
   * Throws AppError conflict, rate_limited, peer_not_found or blocked; what fails later shows in the pairing.
   */
  begin(peer: string, name: string | null): PairingDto {
    const { directory, random } = this.#deps;
    this.#window.refuseWhileLocked();
    const key = directory.keyOf(peer);
    if (directory.row(key)?.trust === 'suspended') throw new AppError('blocked', 'That hub is suspended here. Resume it first.');
    const wantedName = name === null ? (directory.staticHub(key)?.name ?? null) : checkPetname(name);
    const running = this.#shelf.running();
    if (running !== undefined) {
      if (running.peerKey !== key || running.state !== 'waiting_for_answer') throw anotherIsUnderWay(running);
      running.wantedName = wantedName ?? running.wantedName;
      if (running.request !== 'connecting') return running.dto;
      // It reached nobody yet: the address may have been mended since.
      this.#shelf.drop(running);
    }
    this.#shelf.forgetEnded(key);
    const asked = this.#shelf.waiting().find(({ peerKey }) => peerKey === key);
    if (asked !== undefined) {
      asked.isInvited = true;
      asked.wantedName = wantedName;
      return this.open(asked.id);
    }
    const session = this.#newSession('I', key, random.bytes(PAIRING_ID_BYTES), wantedName);
    if (directory.row(key)?.trust === 'revoked') directory.pardon(key, true);
    this.#shelf.add(session);
    void this.#offer(session);
    return session.dto;
  }

  /** A person here opens the request that came in. */
  open(id: string): PairingDto {
    const session = this.#shelf.get(id);
    this.#expect(session, 'offered');
    const running = this.#shelf.running();
    if (running !== undefined) throw anotherIsUnderWay(running);
    this.#shelf.move(session, 'exchanging');
    void this.#request(session, answerPayload(session.pid, session.ownMeta, session.ownNonce));
    return session.dto;
  }

  /** A person typed the digits of the other screen: one try. */
  async type(id: string, digits: string, actor: PairingActor): Promise<PairingDto> {
    const session = this.#shelf.get(id);
    this.#expect(session, session.role === 'I' ? 'type_six' : 'type_two');
    if (!session.isRight(digits)) {
      this.#abort(session, 'The digits were not those of the other screen. Nothing was paired; start again.', 'wrong digits', true);
      return session.dto;
    }
    this.#shelf.move(session, 'confirming');
    try {
      // Durable from now on, whatever happens.
      const passed = session.passed(this.#deps.directory.live(session.peerKey), actor);
      await this.#confirmations.passed(passed, session.peerHasConfirmed);
    } catch (error) {
      this.#abort(session, 'The pairing could not be stored. Nothing was paired.', 'could not be stored', false);
      throw error;
    }
    if (session.role === 'I' && session.state === 'confirming') this.#shelf.move(session, 'show_two');
    return session.dto;
  }

  /** A person calls the pairing off, or puts away one that had ended: `cancelled` is false then. Throws AppError conflict once it is done. */
  async cancel(id: string): Promise<{ readonly cancelled: boolean; readonly pairing: PairingDto }> {
    const session = this.#shelf.get(id);
    if (session.isOver) {
      this.#shelf.remove(session);
      return { cancelled: false, pairing: session.dto };
    }
    if (!(await this.#confirmations.withdraw(session.pidText))) throw new AppError('conflict', 'The two hubs are paired already.');
    if (session.role === 'R') this.#window.cameToNothing(session.peerKey, session.peerAddress?.host, true);
    this.#abort(session, 'Called off here. Nothing was paired.', 'called off', false);
    return { cancelled: true, pairing: session.dto };
  }

  async #offer(session: PairingSession): Promise<void> {
    const failure = await offerUntilTaken(session, {
      ...this.#deps,
      cameTo: (request) => this.#shelf.cameTo(session, request),
      pause: (delayMs) => this.#shelf.pause(session, delayMs),
    });
    if (failure !== undefined) this.#fail(session, failure, false);
  }

  /** Every step that comes from the other side; answered at once. Throws AppError for what is refused. */
  async #step({ keyHex: key, host, port }: ConnectionInfo, payload: JsonObject): Promise<ReplyDraft> {
    if (!this.#isRunning) throw new AppError('overloaded', 'This hub is stopping.');
    const parsed = parsePairStep(payload);
    if (!parsed.ok) throw new AppError('invalid_envelope', `The pairing step does not fit: ${parsed.error}.`);
    const step = parsed.value;
    if (step.step === 'offer') return this.#offered(key, { host, port }, step);
    const session = this.#shelf.byPid(step.pidText, key);
    if (step.step === 'confirm') return this.#confirmed(key, step, session);
    if (step.step === 'abort') {
      await this.#aborted(key, step.pidText, session);
      return ACCEPTED;
    }
    if (session === undefined || session.isOver) throw new AppError('rejected', 'No such pairing is under way here.');
    return step.step === 'answer' ? this.#answered(session, step) : this.#revealed(session, step);
  }

  #offered(key: KeyHex, at: HubAddress, step: Extract<PairStep, { step: 'offer' }>): ReplyDraft {
    const known = this.#shelf.byPid(step.pidText, key);
    if (known?.role === 'R' && !known.isOver) return ACCEPTED;
    if (this.#shelf.isBurnt(step.pidText)) throw new AppError('rejected', 'That pairing id was used before. Start again with a new one.');
    const running = this.#shelf.running();
    const isCrossing = running?.role === 'I' && running.peerKey === key && running.state === 'waiting_for_answer';
    if (isCrossing) this.#yieldTo(running, key);
    else if (!this.#deps.directory.isPaired(key)) this.#window.asksInVain(key, ASKING_REMEMBERED_MS);
    const displaced = isCrossing ? undefined : placeFor({ key, host: at.host }, this.#shelf, this.#window, this.#deps.clock.monotonicMs());
    if (displaced !== undefined) this.#abort(displaced, 'Its place was needed.', 'its place was needed', false);
    for (const older of this.#shelf.waiting()) {
      if (older.peerKey !== key) continue;
      this.#window.cameToNothing(key, at.host, false);
      this.#shelf.drop(older);
    }
    this.#shelf.burn(step.pidText);
    const wantedName = (isCrossing ? running.wantedName : null) ?? this.#deps.directory.staticHub(key)?.name ?? null;
    const session = this.#newSession('R', key, step.pid, wantedName);
    session.isInvited = isCrossing;
    session.peerAddress = at;
    session.commit = step.commit;
    session.peerMeta = step.meta;
    this.#shelf.add(session);
    return ACCEPTED;
  }

  /** Both pressed Add: the pairing of the lower key goes on, and the other side becomes its responder. */
  #yieldTo(own: PairingSession, key: KeyHex): void {
    if (this.#deps.identity.keyHex < key) {
      throw new AppError('overloaded', 'Both hubs asked at once; the request of this one goes on.', {
        hint: 'Look for it on your screen.',
      });
    }
    own.state = 'failed';
    this.#shelf.remove(own);
  }

  #answered(session: PairingSession, step: Extract<PairStep, { step: 'answer' }>): ReplyDraft {
    if (session.role !== 'I' || session.state !== 'waiting_for_answer') throw new AppError('rejected', 'That step is not due.');
    session.takeAnswer(step.meta, step.nonce);
    this.#shelf.move(session, 'exchanging');
    void this.#reveal(session);
    return ACCEPTED;
  }

  async #reveal(session: PairingSession): Promise<void> {
    if (await this.#request(session, revealPayload(session.pid, session.ownNonce))) this.#shelf.move(session, 'type_six');
  }

  #revealed(session: PairingSession, step: Extract<PairStep, { step: 'reveal' }>): ReplyDraft {
    if (session.role !== 'R') throw new AppError('rejected', 'That step is not due.');
    if (session.state !== 'exchanging') throw new AppError('rejected', 'That step is not due.');
    if (!session.takeReveal(step.nonce)) {
      this.#abort(session, 'The other hub did not keep to what it had promised. Nothing was paired.', 'broken promise', true);
      throw new AppError('rejected', 'What was revealed is not what was promised.');
    }
    this.#shelf.move(session, 'show_six');
    return ACCEPTED;
  }

  async #confirmed(key: KeyHex, step: Extract<PairStep, { step: 'confirm' }>, session: PairingSession | undefined): Promise<ReplyDraft> {
    if (session?.role === 'R' && (session.state === 'show_six' || session.state === 'type_two')) {
      if (!verify(step.sig, confirmMessage('I', session.transcript), keyBytes(key))) {
        this.#abort(session, 'The other hub could not prove itself. Nothing was paired.', 'wrong signature', true);
        throw new AppError('rejected', 'The signature of the confirmation does not hold.');
      }
      session.peerHasConfirmed = true;
      this.#shelf.move(session, 'type_two');
      return ACCEPTED;
    }
    await this.#confirmations.received(key, step.pidText, step.sig);
    return ACCEPTED;
  }

  async #aborted(key: KeyHex, pidText: string, session: PairingSession | undefined): Promise<void> {
    this.#shelf.burn(pidText);
    if (this.#confirmations.isOf(pidText, key) && !(await this.#confirmations.withdraw(pidText))) return;
    if (session === undefined || session.isOver) return;
    if (session.role === 'R') this.#window.cameToNothing(key, session.peerAddress?.host, false);
    const isWrong = DIGIT_STATES.includes(session.state);
    this.#fail(
      session,
      isWrong ? 'The digits did not match, or the other side called it off. Nothing was paired.' : 'The other side called it off.',
      isWrong,
    );
  }

  /** A step of ours; false when the other side did not take it, and the pairing has failed then. */
  async #request(session: PairingSession, payload: JsonObject): Promise<boolean> {
    const answered = await this.#deps.lines.request(session.peerKey, 'pair', payload, session.ended.signal);
    if (session.isOver) return false;
    if (answered.ok) return true;
    const isGone = answered.error.failedBy !== 'peer' || answered.error.code === 'peer_unreachable';
    this.#abort(session, isGone ? 'The connection was lost. Start again.' : 'The other hub refused to go on.', 'a step failed', false);
    return false;
  }

  /** Fails here and tells the other side, best effort; no person waits for that. */
  #abort(session: PairingSession, failure: string, reason: string, isFailedCheck: boolean): void {
    if (session.isOver) return;
    this.#fail(session, failure, isFailedCheck);
    if (this.#deps.lines.isOpen(session.peerKey)) void this.#deps.lines.request(session.peerKey, 'pair', abortPayload(session.pid, reason));
  }

  #fail(session: PairingSession, failure: string, isFailedCheck: boolean): void {
    if (session.isOver) return;
    session.failure = failure;
    this.#shelf.burn(session.pidText);
    this.#window.asksNoMore(session.peerKey);
    if (session.state === 'offered') return this.#shelf.drop(session);
    this.#shelf.end(session, 'failed');
    if (isFailedCheck) this.#window.failed();
    this.#deps.log.info('pairing failed', { role: session.role, check: isFailedCheck });
  }

  #pinned(pid: string): void {
    const session = this.#shelf.byPid(pid);
    if (session === undefined || session.isOver) return;
    this.#shelf.end(session, 'paired');
    this.#window.close();
  }

  #lost(pid: string, why: 'refused' | 'expired'): void {
    const session = this.#shelf.byPid(pid);
    if (session === undefined || session.state === 'failed') return;
    session.failure =
      why === 'refused'
        ? 'The other hub did not stand by the pairing. Nothing was paired.'
        : 'The other side did not finish in time. Nothing was paired.';
    this.#shelf.end(session, 'failed');
  }

  #timeIsUp(session: PairingSession): void {
    if (session.isOver) return;
    if (this.#confirmations.has(session.pidText)) {
      // Our own check has passed; the other side's confirmation may still be on its way.
      session.expiresAt = this.#deps.clock.wallMs() + CONFIRM_ACCEPT_MS - PAIRING_DURATION_MS;
      this.#shelf.move(session, 'confirming');
      return;
    }
    this.#abort(session, 'The time was up. Start again.', 'time is up', false);
  }

  #expect(session: PairingSession, state: PairingState): void {
    if (session.state === state) return;
    throw new AppError('conflict', 'That step of the pairing is not due now.', { failedBy: 'input', data: { state: session.state } });
  }

  #newSession(role: PairRole, peerKey: KeyHex, pid: Uint8Array, wantedName: string | null): PairingSession {
    const { identity, random, clock, profile } = this.#deps;
    const { name, person, platform } = profile();
    return new PairingSession({
      id: random.uuid(),
      role,
      ownKey: identity.keyHex,
      peerKey,
      pid,
      ownMeta: { hub: name, platform, ...(person === null ? {} : { person }) },
      wantedName,
      nonce: random.bytes(PAIRING_NONCE_BYTES),
      petnames: this.#deps.directory.petnames(peerKey),
      expiresAt: clock.wallMs() + PAIRING_DURATION_MS,
      sinceMs: clock.monotonicMs(),
    });
  }
}
