// The other side's steps of a pairing, each answered at once: what fits the pairing that goes on is taken, everything else is refused with a
// word of why. Most of what comes here comes from strangers; it never acts for the person (PROTOCOL.md, Pairing).
import { AppError } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { PairingState } from '../../../preload/contract/pairing-dto.ts';
import type { ConnectionInfo, KeyHex } from '../../ports/transport.ts';
import { answerPayload, confirmMessage, parsePairStep, revealPayload, type PairStep } from '../../protocol/pairing.ts';
import { verify } from '../../protocol/signature.ts';
import type { HubAddress } from '../links/hub-address.ts';
import type { ReplyDraft } from '../peer-messenger.ts';
import { ASKING_REMEMBERED_MS } from './limits.ts';
import { placeFor } from './offer-places.ts';
import type { PairingCourse } from './pairing-course.ts';
import { keyBytes, type PairingSession } from './pairing-session.ts';

const ACCEPTED: ReplyDraft = { kind: 'ack', payload: { accepted: true } };
/** States in which an abort by the other side means that digits were typed wrong. */
const DIGIT_STATES: readonly PairingState[] = ['show_six', 'type_two', 'show_two'];

export class PairingSteps {
  readonly #course: PairingCourse;

  constructor(course: PairingCourse) {
    this.#course = course;
  }

  /** Every step that comes from the other side; answered at once. Throws AppError for what is refused. */
  async take({ keyHex: key, host, port }: ConnectionInfo, payload: JsonObject): Promise<ReplyDraft> {
    const parsed = parsePairStep(payload);
    if (!parsed.ok) throw new AppError('invalid_envelope', `The pairing step does not fit: ${parsed.error}.`);
    const step = parsed.value;
    if (step.step === 'offer') return this.#offered(key, { host, port }, step);
    const session = this.#course.shelf.byPid(step.pidText, key);
    if (step.step === 'confirm') return this.#confirmed(key, step, session);
    if (step.step === 'abort') {
      await this.#aborted(key, step.pidText, session);
      return ACCEPTED;
    }
    if (session === undefined || session.isOver) throw new AppError('rejected', 'No such pairing is under way here.');
    return step.step === 'answer' ? this.#answered(session, step) : this.#revealed(session, step);
  }

  #offered(key: KeyHex, at: HubAddress, step: Extract<PairStep, { step: 'offer' }>): ReplyDraft {
    const known = this.#course.shelf.byPid(step.pidText, key);
    if (known?.role === 'R' && !known.isOver) return ACCEPTED;
    if (this.#course.shelf.isBurnt(step.pidText))
      throw new AppError('rejected', 'That pairing id was used before. Start again with a new one.');
    if (step.invite !== null) return this.#invited(key, at, step, step.invite);
    const running = this.#course.shelf.running();
    const isCrossing = running?.role === 'I' && running.peerKey === key && running.state === 'waiting_for_answer';
    if (isCrossing) this.#yieldTo(running, key);
    else if (!this.#course.deps.directory.isPaired(key)) this.#course.window.asksInVain(key, ASKING_REMEMBERED_MS);
    const displaced = isCrossing
      ? undefined
      : placeFor({ key, host: at.host }, this.#course.shelf, this.#course.window, this.#course.deps.clock.monotonicMs());
    if (displaced !== undefined) this.#course.abort(displaced, 'Its place was needed.', 'its place was needed', false);
    for (const older of this.#course.shelf.waiting()) {
      if (older.peerKey !== key) continue;
      this.#course.window.cameToNothing(key, at.host, false);
      this.#course.shelf.drop(older);
    }
    this.#course.shelf.burn(step.pidText);
    const wantedName = (isCrossing ? running.wantedName : null) ?? this.#course.deps.directory.staticHub(key)?.name ?? null;
    const session = this.#course.newSession('R', key, step.pid, { wantedName });
    session.isInvited = isCrossing;
    session.peerAddress = at;
    session.commit = step.commit;
    session.peerMeta = step.meta;
    this.#course.shelf.add(session);
    return ACCEPTED;
  }

  /**
   * An offer that names an invitation: a person here has answered it beforehand, so it needs no open window and takes no place. Only a hub that
   * was removed here waits until a person opens it.
   */
  #invited(key: KeyHex, at: HubAddress, step: Extract<PairStep, { step: 'offer' }>, invite: Uint8Array): ReplyDraft {
    const refused = (): AppError => new AppError('rejected', 'That invitation does not hold here: it was used, is over or was taken back.');
    if (!this.#course.invitations.holds(invite)) throw refused();
    // It still holds, and may outlive the lock.
    this.#course.window.refuseWhileLocked();
    const running = this.#course.shelf.running();
    // Our own request to that very hub, which nobody over there has opened, gives way.
    if (running?.role === 'I' && running.peerKey === key && running.state === 'waiting_for_answer') this.#course.shelf.drop(running);
    else if (running !== undefined) throw new AppError('overloaded', 'Another pairing is under way here.');
    this.#course.shelf.dropWaitingOf(key);
    // Whoever made the invitation did not name this hub: that one which was removed here is let in again is a word of its own.
    const wasRemoved = this.#course.deps.directory.row(key)?.trust === 'revoked';
    if (wasRemoved) this.#course.deps.directory.pardon(key, true);
    const invitation = this.#course.invitations.take(invite);
    if (invitation === undefined) throw refused();
    const wantedName = this.#course.deps.directory.staticHub(key)?.name ?? null;
    const session = this.#course.newSession('R', key, step.pid, { wantedName, invitation });
    this.#course.shelf.burn(step.pidText);
    session.isInvited = true;
    session.peerAddress = at;
    session.commit = step.commit;
    session.peerMeta = step.meta;
    if (!wasRemoved) session.state = 'exchanging';
    this.#course.shelf.add(session);
    if (!wasRemoved) void this.#course.request(session, answerPayload(session.pid, session.ownMeta, session.ownNonce));
    return ACCEPTED;
  }

  /** Both pressed Add: the pairing of the lower key goes on, and the other side becomes its responder. */
  #yieldTo(own: PairingSession, key: KeyHex): void {
    // Over there a person has given us an invitation: that is the quicker way for both.
    if (own.invitation !== null || this.#course.deps.identity.keyHex < key) {
      throw new AppError('overloaded', 'Both hubs asked at once; the request of this one goes on.', {
        hint: 'Look for it on your screen.',
      });
    }
    own.state = 'failed';
    this.#course.shelf.remove(own);
  }

  #answered(session: PairingSession, step: Extract<PairStep, { step: 'answer' }>): ReplyDraft {
    if (session.role !== 'I' || session.state !== 'waiting_for_answer') throw new AppError('rejected', 'That step is not due.');
    session.takeAnswer(step.meta, step.nonce);
    this.#course.shelf.move(session, 'exchanging');
    void this.#reveal(session);
    return ACCEPTED;
  }

  async #reveal(session: PairingSession): Promise<void> {
    if (!(await this.#course.request(session, revealPayload(session.pid, session.ownNonce)))) return;
    if (session.invitation === null) return this.#course.shelf.move(session, 'type_six');
    this.#course.shelf.move(session, 'confirming');
    await this.#course.pass(session, session.invitation.by).catch((error: unknown) => {
      this.#course.deps.log.warn('a pairing could not be stored', { error: error instanceof Error ? error.message : 'unknown' });
    });
  }

  #revealed(session: PairingSession, step: Extract<PairStep, { step: 'reveal' }>): ReplyDraft {
    if (session.role !== 'R') throw new AppError('rejected', 'That step is not due.');
    if (session.state !== 'exchanging') throw new AppError('rejected', 'That step is not due.');
    if (!session.takeReveal(step.nonce)) {
      this.#course.abort(session, 'The other hub did not keep to what it had promised. Nothing was paired.', 'broken promise', true);
      throw new AppError('rejected', 'What was revealed is not what was promised.');
    }
    this.#course.shelf.move(session, session.invitation === null ? 'show_six' : 'confirming');
    return ACCEPTED;
  }

  async #confirmed(key: KeyHex, step: Extract<PairStep, { step: 'confirm' }>, session: PairingSession | undefined): Promise<ReplyDraft> {
    if (session?.role === 'R' && (session.state === 'show_six' || session.state === 'type_two')) {
      if (!verify(step.sig, confirmMessage('I', session.transcript), keyBytes(key))) {
        this.#course.abort(session, 'The other hub could not prove itself. Nothing was paired.', 'wrong signature', true);
        throw new AppError('rejected', 'The signature of the confirmation does not hold.');
      }
      session.peerHasConfirmed = true;
      this.#course.shelf.move(session, 'type_two');
      return ACCEPTED;
    }
    if (
      session?.role === 'R' &&
      session.invitation !== null &&
      session.state === 'confirming' &&
      !this.#course.confirmations.has(step.pidText)
    ) {
      await this.#kept(session, step);
    } else await this.#course.confirmations.received(key, step.pidText, step);
    return ACCEPTED;
  }

  /** R, invited: the code that comes with the signature is our check. One try, and the invitation is used up either way. */
  async #kept(session: PairingSession, { sig, mac }: Extract<PairStep, { step: 'confirm' }>): Promise<void> {
    const { invitation, peerKey } = session;
    const isSigned = verify(sig, confirmMessage('I', session.transcript), keyBytes(peerKey));
    if (invitation === null || !isSigned || !session.isInvitationKept(mac)) {
      this.#course.abort(session, 'The other hub does not know the secret of the invitation. Nothing was paired.', 'wrong secret', true);
      throw new AppError('rejected', 'The code of the invitation does not hold.');
    }
    session.peerHasConfirmed = true;
    await this.#course.pass(session, invitation.by);
  }

  async #aborted(key: KeyHex, pidText: string, session: PairingSession | undefined): Promise<void> {
    this.#course.shelf.burn(pidText);
    if (this.#course.confirmations.isOf(pidText, key) && !(await this.#course.confirmations.withdraw(pidText))) return;
    if (session === undefined || session.isOver) return;
    if (session.role === 'R') this.#course.window.cameToNothing(key, session.peerAddress?.host, false);
    const isWrong = DIGIT_STATES.includes(session.state);
    this.#course.fail(
      session,
      isWrong ? 'The digits did not match, or the other side called it off. Nothing was paired.' : 'The other side called it off.',
      isWrong,
    );
  }
}
