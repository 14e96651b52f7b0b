// The invitations that are out: made by a person here for one hub, good once and for a few minutes, listed and taken back. They live in memory
// alone, so that a secret is in no file and a restart takes them all back, and hold by both clocks, so that a sleep makes none last. It knows
// nothing of the steps (PROTOCOL.md, Invitation).
import { AppError } from '../../lib/app-error.ts';
import { toHex } from '../../lib/bytes.ts';
import type { InvitationDto } from '../../../preload/contract/pairing-dto.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { invitationId } from '../../protocol/invitation.ts';
import { PAIRING_SECRET_BYTES } from '../../protocol/limits.ts';
import type { HubAddress } from '../links/hub-address.ts';
import { isOver, msLeft, stretchFromNow, type Stretch } from './both-clocks.ts';
import { writeInvitationLink } from './invitation-link.ts';
import { INVITATION_ADDRESSES_MAX, INVITATION_DURATION_MS, INVITATION_LOOK_INTERVAL_MS, INVITATIONS_MAX } from './limits.ts';
import type { PairingActor } from './pairing-session.ts';

interface Invitation {
  readonly id: string;
  readonly secret: Uint8Array;
  /** Who made it, for the audit of what comes of it. */
  readonly by: PairingActor;
  readonly holds: Stretch;
}

export type TakenInvitation = Pick<Invitation, 'secret' | 'by'>;

/** Where this hub is, and what it is called to those it invites. */
export interface Inviting {
  readonly keyHex: KeyHex;
  readonly name: string;
  readonly addresses: readonly HubAddress[];
}

export class Invitations {
  readonly #clock: Clock;
  readonly #random: Random;
  /** By the id that travels in the offer, in hex. */
  readonly #open = new Map<string, Invitation>();
  readonly #onAnyOut: (isAnyOut: boolean) => void;
  #isAnyOut = false;
  #look: TimerHandle | undefined;

  /** @param onAnyOut called when the first one is out, and when none is any more */
  constructor(clock: Clock, random: Random, onAnyOut: (isAnyOut: boolean) => void) {
    this.#clock = clock;
    this.#random = random;
    this.#onAnyOut = onAnyOut;
  }

  /**
   * Makes one. The link holds the secret and is given out this once. Throws AppError overloaded when too many are out, and not_found while
   * no address is known at which another hub could reach this one.
   */
  create({ keyHex, name, addresses }: Inviting, by: PairingActor): { readonly invitation: InvitationDto; readonly link: string } {
    this.#expire();
    if (addresses.length === 0) {
      throw new AppError('not_found', 'This hub has no address that another one could reach, so an invitation would lead nowhere.', {
        hint: 'Connect it to a network first; Settings says what is wrong.',
      });
    }
    if (this.#open.size >= INVITATIONS_MAX) {
      throw new AppError('overloaded', `At most ${INVITATIONS_MAX} invitations can be out at once. Take one back first.`);
    }
    const secret = this.#random.bytes(PAIRING_SECRET_BYTES);
    const invitation: Invitation = {
      id: this.#random.uuid(),
      secret,
      by,
      holds: stretchFromNow(this.#clock, INVITATION_DURATION_MS),
    };
    this.#open.set(toHex(invitationId(secret)), invitation);
    this.#tell();
    const link = writeInvitationLink({ keyHex, name, secret, addresses: addresses.slice(0, INVITATION_ADDRESSES_MAX) });
    return { invitation: toDto(invitation), link };
  }

  /** Those that still hold, oldest first; never their secrets. */
  list(): readonly InvitationDto[] {
    this.#expire();
    return [...this.#open.values()].map(toDto);
  }

  /** Takes one back. Throws AppError not_found when it is used, over or taken back already. */
  revoke(id: string): void {
    this.#expire();
    const found = [...this.#open].find(([, invitation]) => invitation.id === id);
    if (found === undefined) throw new AppError('not_found', 'That invitation is used, over or taken back already.', { failedBy: 'input' });
    this.#open.delete(found[0]);
    this.#tell();
  }

  /** Whether an offer with this id comes of an invitation that holds. */
  holds(offered: Uint8Array): boolean {
    this.#expire();
    return this.#open.has(toHex(offered));
  }

  /** Uses it up, whatever comes of the pairing; undefined when it does not hold. */
  take(offered: Uint8Array): TakenInvitation | undefined {
    this.#expire();
    const id = toHex(offered);
    const taken = this.#open.get(id);
    this.#open.delete(id);
    this.#tell();
    return taken;
  }

  clear(): void {
    this.#open.clear();
    this.#tell();
  }

  #expire(): void {
    for (const [id, { holds }] of this.#open) if (isOver(holds, this.#clock)) this.#open.delete(id);
    this.#tell();
  }

  /** By the time the first one ends, and often enough that one which ended in a sleep is told soon after it. */
  #lookAgain(): void {
    const lefts = [...this.#open.values()].map(({ holds }) => msLeft(holds, this.#clock));
    this.#look = this.#clock.setTimer(Math.ceil(Math.min(...lefts, INVITATION_LOOK_INTERVAL_MS)), () => {
      this.#look = undefined;
      this.#expire();
    });
  }

  #tell(): void {
    const isAnyOut = this.#open.size > 0;
    if (!isAnyOut) {
      this.#look?.cancel();
      this.#look = undefined;
    } else if (this.#look === undefined) this.#lookAgain();
    if (isAnyOut === this.#isAnyOut) return;
    this.#isAnyOut = isAnyOut;
    this.#onAnyOut(isAnyOut);
  }
}

function toDto({ id, holds }: Invitation): InvitationDto {
  return { id, created_at: holds.beganAt, expires_at: holds.endsAt };
}
