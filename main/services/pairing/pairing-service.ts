// Pairing as people do it: one at a time, started by a person here or offered by a hub while a person has pairing open. Several requests may
// wait; a person opens the one whose label the other screen shows, and digits are typed once on each side; or one hub is given an invitation
// of the other. Owns what a person may do and when. It must never pin a key, and never let a stranger make it ask a person anything while
// pairing is closed (PROTOCOL.md, Pairing).
import { AppError } from '../../lib/app-error.ts';
import type { InvitationDto, PairingDto, PairingState, PairingWindowDto } from '../../../preload/contract/pairing-dto.ts';
import { PAIRING_ID_BYTES } from '../../protocol/limits.ts';
import { answerPayload } from '../../protocol/pairing.ts';
import type { HubAddress } from '../links/hub-address.ts';
import { checkPetname } from '../links/peer-names.ts';
import { readInvitationLink } from './invitation-link.ts';
import { anotherIsUnderWay } from './offer-places.ts';
import { offerUntilTaken } from './offering.ts';
import { PairingCourse, type PairingDeps } from './pairing-course.ts';
import type { PairingActor, PairingSession } from './pairing-session.ts';
import { PairingSteps } from './pairing-steps.ts';

export class PairingService {
  readonly #course: PairingCourse;
  #isRunning = false;

  constructor(deps: PairingDeps) {
    this.#course = new PairingCourse(deps);
    const steps = new PairingSteps(this.#course);
    deps.lines.onRequest('pair', async ({ link, envelope }) => {
      if (!this.#isRunning) throw new AppError('overloaded', 'This hub is stopping.');
      return steps.take(link.info, envelope.payload);
    });
  }

  /** Call after the links were started. */
  start(): void {
    this.#isRunning = true;
    this.#course.start();
  }

  stop(): void {
    this.#isRunning = false;
    this.#course.stop();
  }

  get window(): PairingWindowDto {
    return this.#course.window.dto;
  }

  list(): readonly PairingDto[] {
    return this.#course.shelf.list();
  }

  /** A person opens or closes pairing for offers. Throws AppError rate_limited while it is locked. */
  setWindow(open: boolean, minutes: number): PairingWindowDto {
    if (!open) this.#course.window.close();
    else {
      this.#course.window.refuseWhileLocked();
      this.#course.window.open(minutes);
    }
    return this.#course.window.dto;
  }

  /**
   * A person pressed Add; beside a hub whose request waits here, that opens the request, and where ours is with that hub already, it goes on.
   * Throws AppError conflict, rate_limited, peer_not_found or blocked; what fails later shows in the pairing.
   */
  begin(peer: string, name: string | null): PairingDto {
    const { directory, random } = this.#course.deps;
    this.#course.window.refuseWhileLocked();
    const key = directory.keyOf(peer);
    if (directory.row(key)?.trust === 'suspended') throw new AppError('blocked', 'That hub is suspended here. Resume it first.');
    const wantedName = name === null ? (directory.staticHub(key)?.name ?? null) : checkPetname(name);
    const running = this.#course.shelf.running();
    if (running !== undefined) {
      if (running.peerKey !== key || running.state !== 'waiting_for_answer') throw anotherIsUnderWay(running);
      running.wantedName = wantedName ?? running.wantedName;
      if (running.request !== 'connecting') return running.dto;
      // It reached nobody yet: the address may have been mended since.
      this.#course.shelf.drop(running);
    }
    this.#course.shelf.forgetEnded(key);
    const asked = this.#course.shelf.waiting().find(({ peerKey }) => peerKey === key);
    if (asked !== undefined) {
      asked.isInvited = true;
      asked.wantedName = wantedName;
      return this.open(asked.id);
    }
    return this.#ask(this.#course.newSession('I', key, random.bytes(PAIRING_ID_BYTES), { wantedName }));
  }

  /**
   * A person brought the link of an invitation: the hub in it is asked, and nobody types. Throws AppError bad_request for a link that is
   * none, conflict while another pairing goes on or where that hub is paired already, rate_limited or blocked; what fails later shows in the
   * pairing.
   */
  join(link: string, name: string | null, by: PairingActor): PairingDto {
    const { directory, random, identity } = this.#course.deps;
    this.#course.window.refuseWhileLocked();
    const { keyHex: key, secret, addresses } = readInvitationLink(link);
    if (key === identity.keyHex) throw new AppError('bad_request', 'That invitation was made by this very hub.', { failedBy: 'input' });
    if (directory.row(key)?.trust === 'suspended') throw new AppError('blocked', 'That hub is suspended here. Resume it first.');
    // One that has let this hub go may be joined anew.
    const row = directory.row(key);
    if (row?.trust === 'paired' && !directory.live(key).notTrustedThere) throw pairedAlready(row.petname);
    const wantedName = name === null ? null : checkPetname(name);
    const running = this.#course.shelf.running();
    if (running !== undefined) throw anotherIsUnderWay(running);
    this.#course.shelf.forgetEnded(key);
    const session = this.#course.newSession('I', key, random.bytes(PAIRING_ID_BYTES), { wantedName, invitation: { secret, by } });
    session.places = addresses;
    return this.#ask(session);
  }

  #ask(session: PairingSession): PairingDto {
    const { directory } = this.#course.deps;
    if (directory.row(session.peerKey)?.trust === 'revoked') directory.pardon(session.peerKey, true);
    this.#course.shelf.add(session);
    void this.#offer(session);
    return session.dto;
  }

  /** The invitations of this hub that still hold. */
  invitations(): readonly InvitationDto[] {
    return this.#course.invitations.list();
  }

  /**
   * A person makes an invitation for one hub; the link is given out this once. `addresses` is where another hub can reach this one.
   * Throws AppError rate_limited while pairing is locked, not_found without an address, overloaded when too many are out.
   */
  invite(addresses: readonly HubAddress[], by: PairingActor): { readonly invitation: InvitationDto; readonly link: string } {
    this.#course.window.refuseWhileLocked();
    const { identity, profile } = this.#course.deps;
    return this.#course.invitations.create({ keyHex: identity.keyHex, name: profile().name, addresses }, by);
  }

  /** A person takes an invitation back. Throws AppError not_found when it holds no more. */
  takeBack(id: string): void {
    this.#course.invitations.revoke(id);
  }

  /** A person here opens the request that came in. */
  open(id: string): PairingDto {
    const session = this.#course.shelf.get(id);
    this.#expect(session, 'offered');
    const running = this.#course.shelf.running();
    if (running !== undefined) throw anotherIsUnderWay(running);
    this.#course.shelf.move(session, 'exchanging');
    void this.#course.request(session, answerPayload(session.pid, session.ownMeta, session.ownNonce));
    return session.dto;
  }

  /** A person typed the digits of the other screen: one try. */
  async type(id: string, digits: string, actor: PairingActor): Promise<PairingDto> {
    const session = this.#course.shelf.get(id);
    this.#expect(session, session.role === 'I' ? 'type_six' : 'type_two');
    if (!session.isRight(digits)) {
      this.#course.abort(session, 'The digits were not those of the other screen. Nothing was paired; start again.', 'wrong digits', true);
      return session.dto;
    }
    this.#course.shelf.move(session, 'confirming');
    await this.#course.pass(session, actor);
    if (session.role === 'I' && session.state === 'confirming') this.#course.shelf.move(session, 'show_two');
    return session.dto;
  }

  /** A person calls the pairing off, or puts away one that had ended: `cancelled` is false then. Throws AppError conflict once it is done. */
  async cancel(id: string): Promise<{ readonly cancelled: boolean; readonly pairing: PairingDto }> {
    const session = this.#course.shelf.get(id);
    if (session.isOver) {
      this.#course.shelf.remove(session);
      return { cancelled: false, pairing: session.dto };
    }
    if (!(await this.#course.confirmations.withdraw(session.pidText))) throw new AppError('conflict', 'The two hubs are paired already.');
    if (session.role === 'R') this.#course.window.cameToNothing(session.peerKey, session.peerAddress?.host, true);
    this.#course.abort(session, 'Called off here. Nothing was paired.', 'called off', false);
    return { cancelled: true, pairing: session.dto };
  }

  async #offer(session: PairingSession): Promise<void> {
    const failure = await offerUntilTaken(session, {
      ...this.#course.deps,
      cameTo: (request) => {
        this.#course.shelf.cameTo(session, request);
        // The other hub has let go of its own request for our invitation.
        if (request === 'taken') this.#course.shelf.dropWaitingOf(session.peerKey);
      },
      pause: (delayMs) => this.#course.shelf.pause(session, delayMs),
    });
    if (failure !== undefined) this.#course.fail(session, failure, false);
  }

  #expect(session: PairingSession, state: PairingState): void {
    if (session.state === state) return;
    throw new AppError('conflict', 'That step of the pairing is not due now.', { failedBy: 'input', data: { state: session.state } });
  }
}

function pairedAlready(petname: string): AppError {
  return new AppError('conflict', `${petname} is paired already.`, {
    failedBy: 'input',
    hint: 'If that hub does not know this one any more, remove it here first, then use the invitation.',
  });
}
