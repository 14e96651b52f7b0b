// The open invitations: made by a person here for one hub, good once and for a few minutes, listed
// and revoked. They live in memory alone: no file holds a secret, and a restart revokes them all.
// Knows nothing of the pairing steps (PROTOCOL.md, Invitation).
import { AppError, inputError } from '../../lib/app-error.ts';
import { toHex } from '../../lib/bytes.ts';
import type { InvitationDto } from '../../../preload/contract/pairing-dto.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { invitationId } from '../../protocol/invitation.ts';
import { PAIRING_SECRET_BYTES } from '../../protocol/limits.ts';
import type { HubAddress } from '../links/hub-address.ts';
import { writeInvitationLink } from './invitation-link.ts';
import { INVITATION_ADDRESSES_MAX, INVITATION_DURATION_MS, INVITATIONS_MAX } from './limits.ts';
import type { Actor } from '../base/audit-trail.ts';

interface Invitation {
  readonly secret: Uint8Array;
  /** Who made it, for the audit of what comes of it. */
  readonly by: Actor;
  readonly dto: InvitationDto;
  readonly end: TimerHandle;
}

type TakenInvitation = Pick<Invitation, 'secret' | 'by'>;

/** Where this hub is, and what it is called to those it invites. */
interface Inviting {
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

  /** @param onAnyOut called when the first one is out, and when none is any more */
  constructor(clock: Clock, random: Random, onAnyOut: (isAnyOut: boolean) => void) {
    this.#clock = clock;
    this.#random = random;
    this.#onAnyOut = onAnyOut;
  }

  /**
   * Makes one. The link holds the secret and is given out this once. Throws AppError overloaded
   * when too many are out, and not_found while no address is known at which another hub could reach
   * this one.
   */
  create(
    { keyHex, name, addresses }: Inviting,
    by: Actor,
  ): { readonly invitation: InvitationDto; readonly link: string } {
    if (addresses.length === 0) {
      throw new AppError(
        'not_found',
        'This hub has no address that another one could reach, so an invitation would lead nowhere.',
        {
          hint: 'Connect it to a network first; Settings says what is wrong.',
        },
      );
    }
    if (this.#open.size >= INVITATIONS_MAX) {
      throw new AppError(
        'overloaded',
        `At most ${INVITATIONS_MAX} invitations can be out at once. Revoke one first.`,
      );
    }
    const secret = this.#random.bytes(PAIRING_SECRET_BYTES);
    const now = this.#clock.wallMs();
    const dto = {
      id: this.#random.uuid(),
      created_at: now,
      expires_at: now + INVITATION_DURATION_MS,
    };
    const sent = toHex(invitationId(secret));
    const end = this.#clock.setTimer(INVITATION_DURATION_MS, () => this.#remove(sent));
    this.#open.set(sent, { secret, by, dto, end });
    if (this.#open.size === 1) this.#onAnyOut(true);
    const link = writeInvitationLink({
      keyHex,
      name,
      secret,
      addresses: addresses.slice(0, INVITATION_ADDRESSES_MAX),
    });
    return { invitation: dto, link };
  }

  /** Those that still hold, oldest first; never their secrets. */
  list(): readonly InvitationDto[] {
    return [...this.#open.values()].map(({ dto }) => dto);
  }

  /** Revokes one. Throws AppError not_found when it is used, over or revoked already. */
  revoke(id: string): void {
    const found = [...this.#open].find(([, { dto }]) => dto.id === id);
    if (found === undefined)
      throw inputError('not_found', 'That invitation is used, over or revoked already.');
    this.#remove(found[0]);
  }

  /** Whether an offer with this id comes of an invitation that holds. */
  holds(offered: Uint8Array): boolean {
    return this.#open.has(toHex(offered));
  }

  /** Uses it up, whatever comes of the pairing; undefined when it does not hold. */
  take(offered: Uint8Array): TakenInvitation | undefined {
    return this.#remove(toHex(offered));
  }

  clear(): void {
    for (const sent of this.#open.keys()) this.#remove(sent);
  }

  #remove(sent: string): Invitation | undefined {
    const removed = this.#open.get(sent);
    if (removed === undefined) return undefined;
    removed.end.cancel();
    this.#open.delete(sent);
    if (this.#open.size === 0) this.#onAnyOut(false);
    return removed;
  }
}
