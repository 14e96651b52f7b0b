// The other side's steps of a pairing, each answered at once: a step that fits the current pairing
// is accepted, any other is refused with a reason. Most callers are strangers; it never acts for
// the person (PROTOCOL.md, Pairing).
import { AppError, messageOf } from '../../lib/app-error.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { PairingState } from '../../../preload/contract/pairing-dto.ts';
import type { ConnectionInfo, KeyHex } from '../../ports/transport.ts';
import {
  confirmMessage,
  parsePairStep,
  revealPayload,
  type PairStep,
} from '../../protocol/pairing.ts';
import { verify } from '../../protocol/signature.ts';
import type { HubAddress } from '../links/hub-address.ts';
import type { ReplyDraft } from '../base/peer-messenger.ts';
import { OFFER_PLACE_KEPT_MS, OFFERS_WAITING_MAX } from './limits.ts';
import { keyBytes, type PairingSession, type SessionInvitation } from './pairing-session.ts';
import type { PairingSessions } from './pairing-sessions.ts';

const ACCEPTED: ReplyDraft = { kind: 'ack', payload: { accepted: true } };
/** States in which an abort by the other side means that digits were typed wrong. */
const DIGIT_STATES: readonly PairingState[] = ['show_six', 'type_two', 'show_two'];

type Step<Name extends PairStep['step']> = Extract<PairStep, { step: Name }>;

export class PairingSteps {
  readonly #sessions: PairingSessions;

  constructor(sessions: PairingSessions) {
    this.#sessions = sessions;
  }

  /**
   * Every step that comes from the other side; answered at once. Throws AppError for what is
   * refused.
   */
  async take(
    { keyHex: key, host, port }: ConnectionInfo,
    payload: JsonObject,
  ): Promise<ReplyDraft> {
    const parsed = parsePairStep(payload);
    if (!parsed.ok)
      throw new AppError('invalid_envelope', `The pairing step does not fit: ${parsed.error}.`);
    const step = parsed.value;
    if (step.step === 'offer') return this.#offered(key, { host, port }, step);
    const session = this.#sessions.byPid(step.pidText, key);
    if (step.step === 'confirm') return this.#confirmed(key, step, session);
    if (step.step === 'abort') {
      await this.#aborted(key, step.pidText, session);
      return ACCEPTED;
    }
    if (session === undefined || session.isOver)
      throw new AppError('rejected', 'No such pairing is under way here.');
    return step.step === 'answer' ? this.#answered(session, step) : this.#revealed(session, step);
  }

  #offered(key: KeyHex, at: HubAddress, step: Step<'offer'>): ReplyDraft {
    const known = this.#sessions.byPid(step.pidText, key);
    if (known?.role === 'R' && !known.isOver) return ACCEPTED;
    if (this.#sessions.isBurnt(step.pidText))
      throw new AppError(
        'rejected',
        'That pairing id was used before. Start again with a new one.',
      );
    if (step.invite !== null) return this.#invited(key, at, step, step.invite);
    const own = this.#ownRequestTo(key);
    if (own === undefined) this.#makePlace(key, at.host);
    else this.#yieldTo(own, key);
    this.#sessions.dropWaitingOf(key);
    this.#respond(key, at, step, {
      wantedName: own?.wantedName ?? null,
      isInvited: own !== undefined,
    });
    return ACCEPTED;
  }

  /**
   * An offer that names an invitation: a person here has answered it beforehand, so it needs no
   * open window and takes no place. Only a hub that was removed here waits until a person opens it.
   */
  #invited(key: KeyHex, at: HubAddress, step: Step<'offer'>, invite: Uint8Array): ReplyDraft {
    const { invitations, window, deps } = this.#sessions;
    const refused = (): AppError =>
      new AppError(
        'rejected',
        'That invitation doesn’t work here: it was used, is over or was revoked.',
      );
    if (!invitations.holds(invite)) throw refused();
    // It still holds, and may outlive the lock.
    window.refuseWhileLocked();
    // Our own request to that very hub, which nobody over there has opened, gives way.
    const own = this.#ownRequestTo(key);
    if (own !== undefined) this.#sessions.drop(own);
    else if (this.#sessions.running() !== undefined)
      throw new AppError('overloaded', 'Another pairing is under way here.');
    this.#sessions.dropWaitingOf(key);
    // The invitation names no hub, so adding a removed one again needs its own consent.
    const wasRemoved = deps.directory.row(key)?.trust === 'revoked';
    if (wasRemoved) deps.directory.pardon(key, true);
    const invitation = invitations.take(invite);
    if (invitation === undefined) throw refused();
    const session = this.#respond(key, at, step, { wantedName: null, isInvited: true, invitation });
    if (!wasRemoved) this.#sessions.answer(session);
    return ACCEPTED;
  }

  #respond(
    key: KeyHex,
    at: HubAddress,
    step: Step<'offer'>,
    said: {
      readonly wantedName: string | null;
      readonly isInvited: boolean;
      readonly invitation?: SessionInvitation;
    },
  ): PairingSession {
    const wantedName =
      said.wantedName ?? this.#sessions.deps.directory.staticHub(key)?.name ?? null;
    const session = this.#sessions.create('R', key, step.pid, wantedName, said.invitation);
    session.isInvited = said.isInvited;
    session.peerAddress = at;
    session.commit = step.commit;
    session.peerMeta = step.meta;
    if (session.invitation !== null && session.dto.removed === null) session.state = 'exchanging';
    this.#sessions.add(session);
    return session;
  }

  /** Our own request to that hub, which nobody over there has opened yet. */
  #ownRequestTo(key: KeyHex): PairingSession | undefined {
    const running = this.#sessions.running();
    return running?.peerKey === key && running.state === 'waiting_for_answer' ? running : undefined;
  }

  /**
   * A few requests wait at once, one from each address, so that a stranger with ever fresh keys
   * neither fills the screen nor keeps the family's own hub out. When all places are taken, the
   * oldest that nobody opened for half a minute gives way, unless people chose that hub.
   */
  #makePlace(key: KeyHex, host: string): void {
    const { window, deps } = this.#sessions;
    if (!window.admits(key)) {
      if (!deps.directory.isPaired(key)) window.asks(key);
      throw new AppError('not_authorized', 'Pairing is closed here.', {
        hint: 'A person at this hub must open pairing first.',
      });
    }
    // A hub that asks anew gives up its older request: that one holds no place.
    const others = this.#sessions.waiting().filter(({ peerKey }) => peerKey !== key);
    const isFull = others.length >= OFFERS_WAITING_MAX;
    const since = deps.clock.monotonicMs() - OFFER_PLACE_KEPT_MS;
    const oldest = isFull
      ? others.find(({ isInvited, sinceMs }) => !isInvited && sinceMs <= since)
      : undefined;
    const isFromThere = others.some(({ peerAddress }) => peerAddress?.host === host);
    if (
      this.#sessions.running()?.peerKey === key ||
      (isFull && oldest === undefined) ||
      isFromThere
    ) {
      throw new AppError('overloaded', 'Another request to pair waits here.', {
        hint: 'Try again in a minute.',
      });
    }
    if (oldest !== undefined)
      this.#sessions.abort(oldest, 'Its place was needed.', 'its place was needed', false);
  }

  /**
   * Both pressed Add: the pairing of the lower key goes on, and the other side becomes its
   * responder.
   */
  #yieldTo(own: PairingSession, key: KeyHex): void {
    // Over there a person has given us an invitation: that is the quicker way for both.
    if (own.invitation !== null || this.#sessions.deps.identity.keyHex < key) {
      throw new AppError(
        'overloaded',
        'Both hubs asked at once; the request of this one goes on.',
        {
          hint: 'Look for it on your screen.',
        },
      );
    }
    this.#sessions.drop(own);
  }

  #answered(session: PairingSession, step: Step<'answer'>): ReplyDraft {
    if (session.role !== 'I' || session.state !== 'waiting_for_answer')
      throw new AppError('rejected', 'That step is not due.');
    session.takeAnswer(step.meta, step.nonce);
    this.#sessions.move(session, 'exchanging');
    void this.#reveal(session);
    return ACCEPTED;
  }

  async #reveal(session: PairingSession): Promise<void> {
    if (!(await this.#sessions.request(session, revealPayload(session.pid, session.ownNonce))))
      return;
    if (session.invitation === null) return this.#sessions.move(session, 'type_six');
    this.#sessions.move(session, 'confirming');
    await this.#sessions.pass(session, session.invitation.by).catch((error: unknown) => {
      this.#sessions.deps.log.warn('a pairing could not be stored', {
        error: messageOf(error),
      });
    });
  }

  #revealed(session: PairingSession, step: Step<'reveal'>): ReplyDraft {
    if (session.role !== 'R' || session.state !== 'exchanging')
      throw new AppError('rejected', 'That step is not due.');
    if (!session.takeReveal(step.nonce)) {
      this.#sessions.abort(
        session,
        'The other hub did not keep to what it had promised. Nothing was paired.',
        'broken promise',
        true,
      );
      throw new AppError('rejected', 'What was revealed is not what was promised.');
    }
    this.#sessions.move(session, session.invitation === null ? 'show_six' : 'confirming');
    return ACCEPTED;
  }

  async #confirmed(
    key: KeyHex,
    step: Step<'confirm'>,
    session: PairingSession | undefined,
  ): Promise<ReplyDraft> {
    if (session?.role === 'R' && (session.state === 'show_six' || session.state === 'type_two')) {
      if (!verify(step.sig, confirmMessage('I', session.transcript), keyBytes(key))) {
        this.#sessions.abort(
          session,
          'The other hub could not prove itself. Nothing was paired.',
          'wrong signature',
          true,
        );
        throw new AppError('rejected', 'The signature of the confirmation does not hold.');
      }
      session.peerHasConfirmed = true;
      this.#sessions.move(session, 'type_two');
      return ACCEPTED;
    }
    if (
      session?.role === 'R' &&
      session.invitation !== null &&
      session.state === 'confirming' &&
      !this.#sessions.confirmations.has(step.pidText)
    ) {
      await this.#kept(session, step);
    } else await this.#sessions.confirmations.received(key, step.pidText, step);
    return ACCEPTED;
  }

  /**
   * R, invited: the code that comes with the signature is our check. One try, and the invitation is
   * used up either way.
   */
  async #kept(session: PairingSession, { sig, mac }: Step<'confirm'>): Promise<void> {
    const { invitation, peerKey } = session;
    const isSigned = verify(sig, confirmMessage('I', session.transcript), keyBytes(peerKey));
    if (invitation === null || !isSigned || !session.isInvitationKept(mac)) {
      this.#sessions.abort(
        session,
        'The other hub does not know the secret of the invitation. Nothing was paired.',
        'wrong secret',
        true,
      );
      throw new AppError('rejected', 'The code of the invitation does not hold.');
    }
    session.peerHasConfirmed = true;
    await this.#sessions.pass(session, invitation.by);
  }

  async #aborted(key: KeyHex, pidText: string, session: PairingSession | undefined): Promise<void> {
    if (
      this.#sessions.confirmations.isOf(pidText, key) &&
      !(await this.#sessions.confirmations.withdraw(pidText))
    )
      return;
    if (session === undefined || session.isOver) return;
    const isWrong = DIGIT_STATES.includes(session.state);
    this.#sessions.fail(
      session,
      isWrong
        ? 'The digits did not match, or the other side cancelled it. Nothing was paired.'
        : 'The other side cancelled it.',
      isWrong,
    );
  }
}
