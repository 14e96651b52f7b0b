// Pairing as people do it: one at a time, started by a person here or offered by a hub while a
// person has pairing open. Several requests may wait. A person opens the one whose label the other
// screen shows, and digits are typed once on each side; or one hub uses an invitation of the other.
// Owns what a person may do and when. It must never pin a key, and never let a stranger make it ask
// a person anything while pairing is closed (PROTOCOL.md, Pairing).
import { AppError, inputError } from '../../lib/app-error.ts';
import type {
  InvitationDto,
  PairingDto,
  PairingState,
  PairingWindowDto,
} from '../../../preload/contract/pairing-dto.ts';
import { PAIRING_ID_BYTES } from '../../protocol/limits.ts';
import type { KeyHex } from '../../ports/transport.ts';
import type { HubAddress } from '../links/hub-address.ts';
import { checkPetname } from '../links/peer-names.ts';
import { readInvitationLink } from './invitation-link.ts';
import { offerUntilTaken } from './offering.ts';
import { PairingSessions, type PairingDeps } from './pairing-sessions.ts';
import type { PairingSession } from './pairing-session.ts';
import { PairingSteps } from './pairing-steps.ts';
import type { Actor } from '../base/audit-trail.ts';

export class PairingService {
  readonly #sessions: PairingSessions;
  #isRunning = false;

  constructor(deps: PairingDeps) {
    this.#sessions = new PairingSessions(deps);
    const steps = new PairingSteps(this.#sessions);
    deps.connections.onRequest('pair', async ({ link, envelope }) => {
      if (!this.#isRunning) throw new AppError('overloaded', 'This hub is stopping.');
      return steps.take(link.info, envelope.payload);
    });
  }

  /** Call after the links were started. */
  start(): void {
    this.#isRunning = true;
    this.#sessions.start();
  }

  stop(): void {
    this.#isRunning = false;
    this.#sessions.stop();
  }

  get window(): PairingWindowDto {
    return this.#sessions.window.dto;
  }

  list(): readonly PairingDto[] {
    return this.#sessions.list();
  }

  /**
   * A person opens or closes pairing for offers. Throws AppError rate_limited while it is locked.
   */
  setWindow(open: boolean, minutes: number): PairingWindowDto {
    const { window } = this.#sessions;
    if (open) {
      window.refuseWhileLocked();
      window.open(minutes);
    } else window.close();
    return window.dto;
  }

  /**
   * A person pressed Add. Beside a hub whose request waits here, that opens the request; a request
   * of ours that waits over there is made anew. Throws AppError conflict, rate_limited,
   * peer_not_found or blocked; what fails later shows in the pairing.
   */
  begin(peer: string, name: string | null): PairingDto {
    const { directory, random } = this.#sessions.deps;
    this.#sessions.window.refuseWhileLocked();
    const key = directory.keyOf(peer);
    this.#refuseSuspended(key);
    const wantedName =
      name === null ? (directory.staticHub(key)?.name ?? null) : checkPetname(name);
    const running = this.#sessions.running();
    if (running?.peerKey === key && running.state === 'waiting_for_answer')
      this.#sessions.drop(running);
    else this.#sessions.refuseWhileRunning(running);
    this.#sessions.forgetEnded(key);
    const asked = this.#sessions.waiting().find(({ peerKey }) => peerKey === key);
    if (asked === undefined)
      return this.#ask(this.#sessions.create('I', key, random.bytes(PAIRING_ID_BYTES), wantedName));
    asked.isInvited = true;
    asked.wantedName = wantedName;
    return this.open(asked.id);
  }

  /**
   * A person brought the link of an invitation: the hub in it is asked, and nobody types. Throws
   * AppError bad_request for a link that is none, conflict while another pairing goes on or where
   * that hub is paired already, rate_limited or blocked; what fails later shows in the pairing.
   */
  join(link: string, name: string | null, by: Actor): PairingDto {
    const { directory, random, identity } = this.#sessions.deps;
    this.#sessions.window.refuseWhileLocked();
    const { keyHex: key, secret, addresses } = readInvitationLink(link);
    if (key === identity.keyHex)
      throw inputError('bad_request', 'That invitation was made by this very hub.');
    this.#refuseSuspended(key);
    // One that has let this hub go may be joined anew.
    const row = directory.row(key);
    if (row?.trust === 'paired' && !directory.live(key).notTrustedThere)
      throw pairedAlready(row.petname);
    const wantedName = name === null ? null : checkPetname(name);
    this.#sessions.refuseWhileRunning();
    this.#sessions.forgetEnded(key);
    const session = this.#sessions.create('I', key, random.bytes(PAIRING_ID_BYTES), wantedName, {
      secret,
      by,
    });
    session.places = addresses;
    return this.#ask(session);
  }

  /** The invitations of this hub that still hold. */
  invitations(): readonly InvitationDto[] {
    return this.#sessions.invitations.list();
  }

  /**
   * A person makes an invitation for one hub; the link is given out this once. `addresses` is where
   * another hub can reach this one. Throws AppError rate_limited while pairing is locked, not_found
   * without an address, overloaded when too many are out.
   */
  invite(
    addresses: readonly HubAddress[],
    by: Actor,
  ): { readonly invitation: InvitationDto; readonly link: string } {
    this.#sessions.window.refuseWhileLocked();
    const { identity, profile } = this.#sessions.deps;
    return this.#sessions.invitations.create(
      { keyHex: identity.keyHex, name: profile().name, addresses },
      by,
    );
  }

  /** A person revokes an invitation. Throws AppError not_found when it holds no more. */
  revoke(id: string): void {
    this.#sessions.invitations.revoke(id);
  }

  /** A person here opens the request that came in. */
  open(id: string): PairingDto {
    const session = this.#sessions.get(id);
    expectState(session, 'offered');
    this.#sessions.refuseWhileRunning();
    this.#sessions.answer(session);
    return session.dto;
  }

  /** A person typed the digits of the other screen: one try. */
  async type(id: string, digits: string, actor: Actor): Promise<PairingDto> {
    const session = this.#sessions.get(id);
    expectState(session, session.role === 'I' ? 'type_six' : 'type_two');
    if (!session.isRight(digits)) {
      const failure =
        'The digits were not those of the other screen. Nothing was paired; start again.';
      this.#sessions.abort(session, failure, 'wrong digits', true);
      return session.dto;
    }
    this.#sessions.move(session, 'confirming');
    await this.#sessions.pass(session, actor);
    if (session.role === 'I' && session.state === 'confirming')
      this.#sessions.move(session, 'show_two');
    return session.dto;
  }

  /**
   * A person cancels the pairing, or dismisses one that had ended: `cancelled` is false then.
   * Throws AppError conflict once it is done.
   */
  async cancel(id: string): Promise<{ readonly cancelled: boolean; readonly pairing: PairingDto }> {
    const session = this.#sessions.get(id);
    if (session.isOver) {
      this.#sessions.remove(session);
      return { cancelled: false, pairing: session.dto };
    }
    const isWithdrawn = await this.#sessions.confirmations.withdraw(session.pidText);
    if (!isWithdrawn) throw new AppError('conflict', 'The two hubs are paired already.');
    if (session.role === 'R') this.#sessions.window.declined(session.peerKey);
    this.#sessions.abort(session, 'Cancelled here. Nothing was paired.', 'cancelled', false);
    return { cancelled: true, pairing: session.dto };
  }

  #ask(session: PairingSession): PairingDto {
    const { directory } = this.#sessions.deps;
    if (directory.row(session.peerKey)?.trust === 'revoked')
      directory.pardon(session.peerKey, true);
    this.#sessions.add(session);
    void this.#offer(session);
    return session.dto;
  }

  async #offer(session: PairingSession): Promise<void> {
    const failure = await offerUntilTaken(session, {
      ...this.#sessions.deps,
      cameTo: (request) => {
        this.#sessions.cameTo(session, request);
        // The other hub has let go of its own request for our invitation.
        if (request === 'taken') this.#sessions.dropWaitingOf(session.peerKey);
      },
    });
    if (failure !== undefined) this.#sessions.fail(session, failure, false);
  }

  #refuseSuspended(key: KeyHex): void {
    if (this.#sessions.deps.directory.row(key)?.trust !== 'suspended') return;
    throw new AppError('blocked', 'That hub is suspended here. Resume it first.');
  }
}

function expectState(session: PairingSession, state: PairingState): void {
  if (session.state === state) return;
  throw inputError('conflict', 'That step of the pairing is not due now.', {
    data: { state: session.state },
  });
}

function pairedAlready(petname: string): AppError {
  return inputError('conflict', `${petname} is paired already.`, {
    hint: 'If that hub does not know this one any more, remove it here first, then use the invitation.',
  });
}
