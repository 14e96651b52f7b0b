// One pairing: which side we are, what was exchanged, and what may be shown now. It computes and
// remembers. It sends nothing, pins nothing, and shows digits only on the side and in the state
// that must show them (PROTOCOL.md, Pairing).
import { timingSafeEqual } from 'node:crypto';
import type {
  PairingDto,
  PairingRequestState,
  PairingState,
} from '../../../preload/contract/pairing-dto.ts';
import { escapeText, HIDDEN_NAME } from '../../core/text-escape.ts';
import { assert } from '../../lib/assert.ts';
import { fromHex, toBase64Url, toHex, utf8 } from '../../lib/bytes.ts';
import { shortened } from '../../lib/shortened.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { agentIdOfKeyHex } from '../../protocol/agent-id.ts';
import { invitationMac, isSameMac } from '../../protocol/invitation.ts';
import {
  commitment,
  digitsOf,
  readPairMeta,
  transcript,
  type PairMeta,
  type PairRole,
} from '../../protocol/pairing.ts';
import { type HubAddress, writeHubAddress } from '../links/hub-address.ts';
import { hubLabel, shownName, shownPerson, twinOf } from '../links/peer-names.ts';
import type { Actor } from '../base/audit-trail.ts';

/** The longest platform text shown, in characters. */
const PLATFORM_SHOWN_MAX = 64;

/** The secret that stands for the typing, and whose word that is here. */
export interface SessionInvitation {
  readonly secret: Uint8Array;
  readonly by: Actor;
}

/**
 * A hub that people here removed: what they called it, and when that was, wall clock; null where
 * that is not kept.
 */
interface RemovedHere {
  readonly name: string;
  readonly at: number | null;
}

interface SessionStart {
  readonly id: string;
  readonly role: PairRole;
  readonly ownKey: KeyHex;
  readonly peerKey: KeyHex;
  readonly pid: Uint8Array;
  readonly ownMeta: PairMeta;
  /** The name the owner wants for the hub, if any. */
  readonly wantedName: string | null;
  readonly expiresAt: number;
  /** Monotonic. */
  readonly sinceMs: number;
  readonly nonce: Uint8Array;
  /** The owner's names for other hubs: the other side is not shown under one of them. */
  readonly petnames: readonly string[];
  readonly removed: RemovedHere | null;
  readonly invitation: SessionInvitation | null;
}

export class PairingSession {
  readonly id: string;
  readonly role: PairRole;
  readonly peerKey: KeyHex;
  readonly pid: Uint8Array;
  readonly pidText: string;
  readonly ownMeta: PairMeta;
  readonly ownNonce: Uint8Array;
  /** What the owner wants to call the hub, if anything. */
  wantedName: string | null;
  /**
   * A person here chose this hub: it is shown and may be opened although pairing is closed for
   * others.
   */
  isInvited: boolean;
  /** Aborted when the session has ended. */
  readonly ended = new AbortController();
  state: PairingState;
  failure: string | null = null;
  /** I: as far as the request came. */
  request: PairingRequestState | null;
  /** Where the other side is, once there is a connection. */
  peerAddress: HubAddress | null = null;
  /** Wall clock, for display. */
  expiresAt: number;
  /** When it came to be, on the monotonic clock. */
  readonly sinceMs: number;
  peerMeta: PairMeta = {};
  /** R: what I promised. I: our own promise. */
  commit: Uint8Array = new Uint8Array();
  /** R: I's valid signature, which came before our own check. */
  peerHasConfirmed = false;
  /** Set where it comes of an invitation: then nobody types. */
  readonly invitation: SessionInvitation | null;
  /** I: where the invitation says that the other hub is. */
  places: readonly HubAddress[] = [];
  readonly #removed: RemovedHere | null;
  readonly #ownKey: KeyHex;
  readonly #petnames: readonly string[];
  #transcript: Uint8Array | undefined;

  constructor(start: SessionStart) {
    this.id = start.id;
    this.role = start.role;
    this.peerKey = start.peerKey;
    this.pid = start.pid;
    this.pidText = toBase64Url(start.pid);
    this.ownMeta = start.ownMeta;
    this.ownNonce = start.nonce;
    this.wantedName = start.wantedName;
    this.isInvited = start.role === 'I';
    this.expiresAt = start.expiresAt;
    this.sinceMs = start.sinceMs;
    this.#ownKey = start.ownKey;
    this.#petnames = start.petnames;
    this.invitation = start.invitation;
    this.#removed = start.removed;
    this.state = start.role === 'I' ? 'waiting_for_answer' : 'offered';
    this.request = start.role === 'I' ? 'connecting' : null;
  }

  get isOver(): boolean {
    return this.state === 'paired' || this.state === 'failed';
  }

  /** T; known once both nonces are. */
  get transcript(): Uint8Array {
    assert(this.#transcript !== undefined, 'the transcript is read after the exchange');
    return this.#transcript;
  }

  /** I: the answer came; both nonces are known. */
  takeAnswer(meta: PairMeta, nonceR: Uint8Array): void {
    this.peerMeta = meta;
    this.#transcript = this.#computeTranscript(nonceR, this.ownNonce);
  }

  /** R: false when what was revealed is not what was promised. */
  takeReveal(nonceI: Uint8Array): boolean {
    const expected = commitment({
      pid: this.pid,
      key: keyBytes(this.peerKey),
      meta: this.peerMeta,
      nonce: nonceI,
    });
    if (expected.byteLength !== this.commit.byteLength || !timingSafeEqual(expected, this.commit))
      return false;
    this.#transcript = this.#computeTranscript(this.ownNonce, nonceI);
    return true;
  }

  /** Whether these are the digits of the other screen: six for I, two for R. */
  isRight(typed: string): boolean {
    const digits = digitsOf(this.transcript);
    const expected = utf8(this.role === 'I' ? digits.six : digits.two);
    const given = utf8(typed);
    return given.byteLength === expected.byteLength && timingSafeEqual(given, expected);
  }

  /** Whether the other side knows the secret of the invitation and has seen what we have. */
  isInvitationKept(mac: Uint8Array | null): boolean {
    if (this.invitation === null || mac === null) return false;
    return isSameMac(
      mac,
      invitationMac(this.invitation.secret, this.role === 'I' ? 'R' : 'I', this.transcript),
    );
  }

  /**
   * What is kept of a check that has just passed here. @param at where the hub is, `by` who typed
   */
  passed(at: { readonly host: string | null; readonly port: number | null }, by: Actor) {
    const said = readPairMeta(this.peerMeta);
    return {
      pid: this.pidText,
      key: this.peerKey,
      role: this.role,
      transcript: toHex(this.transcript),
      proposedName: this.proposedName,
      saidHub: said.hub,
      saidPerson: this.#saidPerson,
      platform: said.platform,
      host: at.host,
      port: at.port,
      mac: this.#mac(this.role),
      peerMac: this.#mac(this.role === 'I' ? 'R' : 'I'),
      removedAt: this.#removed?.at ?? null,
      ...by,
    };
  }

  #mac(role: PairRole): string | null {
    return this.invitation === null
      ? null
      : toHex(invitationMac(this.invitation.secret, role, this.transcript));
  }

  /**
   * What the hub may be called, from what it says of itself; empty when nothing of it is fit to be
   * a name.
   */
  get proposedName(): string {
    if (this.wantedName !== null) return this.wantedName;
    const said = readPairMeta(this.peerMeta);
    for (const text of [said.hub, said.person]) {
      const name = text === null ? HIDDEN_NAME : shownName(text, this.#petnames);
      if (name !== HIDDEN_NAME) return name;
    }
    return '';
  }

  /** Who the other hub says is behind it; null: nobody, or nothing that is fit to be a name. */
  get #saidPerson(): string | null {
    const { person } = readPairMeta(this.peerMeta);
    const name = person === null ? HIDDEN_NAME : shownPerson(person, this.#petnames);
    return name === HIDDEN_NAME ? null : name;
  }

  get dto(): PairingDto {
    const said = readPairMeta(this.peerMeta);
    return {
      id: this.id,
      peer_id: agentIdOfKeyHex(this.peerKey),
      label: hubLabel(agentIdOfKeyHex(this.peerKey)),
      address: this.peerAddress === null ? null : writeHubAddress(this.peerAddress),
      role: this.role === 'I' ? 'initiator' : 'responder',
      state: this.state,
      request: this.request,
      said_hub: said.hub === null ? null : shownName(said.hub, this.#petnames),
      said_person: said.person === null ? null : shownPerson(said.person, this.#petnames),
      said_platform:
        said.platform === null ? null : escapeText(shortened(said.platform, PLATFORM_SHOWN_MAX)),
      lookalike: said.hub === null ? null : twinOf(said.hub, this.#petnames),
      six: this.role === 'R' && this.state === 'show_six' ? digitsOf(this.transcript).six : null,
      two: this.role === 'I' && this.state === 'show_two' ? digitsOf(this.transcript).two : null,
      expires_at: this.expiresAt,
      failure: this.failure,
      invited: this.invitation !== null,
      removed: this.#removed,
    };
  }

  #computeTranscript(nonceR: Uint8Array, nonceI: Uint8Array): Uint8Array {
    const own = { key: keyBytes(this.#ownKey), meta: this.ownMeta };
    const peer = { key: keyBytes(this.peerKey), meta: this.peerMeta };
    const [initiator, responder] = this.role === 'I' ? [own, peer] : [peer, own];
    return transcript({
      pid: this.pid,
      keyI: initiator.key,
      metaI: initiator.meta,
      keyR: responder.key,
      metaR: responder.meta,
      commit: this.commit,
      nonceR,
      nonceI,
    });
  }
}

export function keyBytes(key: KeyHex): Uint8Array {
  const bytes = fromHex(key);
  assert(bytes?.byteLength === 32, 'a key is 32 bytes in hex');
  return bytes;
}
