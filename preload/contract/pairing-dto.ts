// What crosses a process about pairing: whether hubs may ask, and each pairing as far as it may be
// shown. Shapes only, no words of the other side except as OutsideText.
import type { OutsideText } from './formats.ts';

export type PairingState =
  /** We pressed Add; the other side has not opened the request yet. */
  | 'waiting_for_answer'
  /**
   * A request came in, or a hub that was removed here brought an invitation; a person here has not
   * opened it yet. Several may wait; one pairing at most is beyond this.
   */
  | 'offered'
  | 'exchanging'
  /** Initiator: type the six digits that the other screen shows. */
  | 'type_six'
  /** Responder: six digits are shown here. */
  | 'show_six'
  /** Initiator: two digits are shown here; the other side types them. */
  | 'show_two'
  /** Responder: type the two digits that the other screen shows. */
  | 'type_two'
  | 'confirming'
  | 'paired'
  | 'failed';

/**
 * What has become of our own request: no connection yet; refused there because pairing is closed,
 * or for want of a place; or it is there.
 */
export type PairingRequestState = 'connecting' | 'closed' | 'busy' | 'taken';

export interface PairingDto {
  readonly id: string;
  readonly peer_id: string;
  /** As HubDto.label on the other screen: by it a person picks among several that wait. */
  readonly label: string;
  /** Where the other hub is, as this one sees it; null while there is no connection. */
  readonly address: string | null;
  readonly role: 'initiator' | 'responder';
  readonly state: PairingState;
  /**
   * Initiator: as far as the request came; it stays as it was once the pairing has ended. Null for
   * the responder.
   */
  readonly request: PairingRequestState | null;
  /** What the other side says of itself: quoted, unchecked. */
  readonly said_hub: OutsideText | null;
  readonly said_person: OutsideText | null;
  readonly said_platform: OutsideText | null;
  /** As PeerDto.lookalike. */
  readonly lookalike: string | null;
  /** Present only while it is ours to show. */
  readonly six: string | null;
  readonly two: string | null;
  readonly expires_at: number;
  /** A sentence, when failed. */
  readonly failure: string | null;
  /** It comes of an invitation: nobody types anything. */
  readonly invited: boolean;
  /** People here removed this hub: the name it had then, and when; null where nobody did. */
  readonly removed: { readonly name: string; readonly at: number | null } | null;
}

/**
 * An invitation that still holds. Its link, which holds the secret, is given out once, when it is
 * made.
 */
export interface InvitationDto {
  readonly id: string;
  readonly created_at: number;
  readonly expires_at: number;
}

export interface PairingWindowDto {
  readonly open: boolean;
  readonly closes_at: number | null;
  /** After too many failures pairing stays shut until then. */
  readonly locked_until: number | null;
  /**
   * While it is closed: a hub that is not paired asks to be added. The label is null when several
   * ask. Nothing it says of itself is here.
   */
  readonly asked: { readonly label: string | null } | null;
}
