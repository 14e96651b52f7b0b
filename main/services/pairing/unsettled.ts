// A check that passed here and is not settled on both sides yet, as it is kept in the store: enough to go on after a crash with sending
// our confirmation and taking theirs, so that no side stays pinned alone (PROTOCOL.md, Pairing). Form only; no decision.
import type { IntroductionWay } from '../../../preload/contract/introduction.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import type { Reads, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import type { PairRole } from '../../protocol/pairing.ts';
import { UNSETTLED_MAX } from './limits.ts';

const META_UNSETTLED = 'pairing_unsettled';
const KEY = /^[0-9a-f]{64}$/;

export interface Unsettled {
  /** The pairing's id, base64url. */
  readonly pid: string;
  readonly key: KeyHex;
  /** Our own role. */
  readonly role: PairRole;
  /** T, hex. */
  readonly transcript: string;
  readonly proposedName: string;
  readonly saidHub: string | null;
  readonly platform: string | null;
  /** When our own check passed, wall clock. */
  readonly checkedAt: number;
  /** Who typed here, for the audit. */
  readonly actor: string;
  readonly surface: string;
  /** Where the hub was, to find it again. */
  readonly host: string | null;
  readonly port: number | null;
  /** With an invitation: the code that goes with our confirmation, and the one theirs must bring; hex. Null where people type. */
  readonly mac: string | null;
  readonly peerMac: string | null;
  /** Their signature held too, and the key is pinned. */
  readonly isPinned: boolean;
  /** It was paired before this pairing, so a refusal must not take that away. */
  readonly wasPaired: boolean;
  /** When the hub had been removed as this pairing began, wall clock: what people here let in again. Null where it was not. */
  readonly removedAt: number | null;
  /** They have our confirmation. */
  readonly isAcked: boolean;
}

export function readUnsettled(reads: Reads): readonly Unsettled[] {
  const text = reads.getMeta(META_UNSETTLED);
  if (text === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  return Array.isArray(value) ? value.flatMap(readEntry) : [];
}

export function writeUnsettled(tables: Tables, entries: readonly Unsettled[]): void {
  tables.setMeta(META_UNSETTLED, JSON.stringify(entries.slice(-UNSETTLED_MAX)));
}

/** In what way the two came together: an invitation is always used by the side that asks, and made by the other. */
export function wayOf({ mac, role }: Pick<Unsettled, 'mac' | 'role'>): IntroductionWay {
  if (mac === null) return 'digits';
  return role === 'I' ? 'invitation_used_here' : 'invitation_made_here';
}

function readEntry(value: unknown): readonly Unsettled[] {
  if (!isJsonObject(value)) return [];
  const { pid, key, role, transcript, checkedAt } = value;
  const isRole = role === 'I' || role === 'R';
  if (typeof pid !== 'string' || typeof key !== 'string' || !KEY.test(key) || !isRole) return [];
  if (typeof transcript !== 'string' || !KEY.test(transcript) || typeof checkedAt !== 'number') return [];
  return [
    {
      pid,
      key,
      role,
      transcript,
      checkedAt,
      proposedName: textOf(value.proposedName) ?? '',
      saidHub: textOf(value.saidHub),
      platform: textOf(value.platform),
      actor: textOf(value.actor) ?? 'hub',
      surface: textOf(value.surface) ?? 'hub',
      host: textOf(value.host),
      port: typeof value.port === 'number' ? value.port : null,
      mac: textOf(value.mac),
      peerMac: textOf(value.peerMac),
      isPinned: value.isPinned === true,
      wasPaired: value.wasPaired === true,
      removedAt: typeof value.removedAt === 'number' ? value.removedAt : null,
      isAcked: value.isAcked === true,
    },
  ];
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
