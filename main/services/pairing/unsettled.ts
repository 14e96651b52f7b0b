// A check that passed here and is not settled on both sides yet, in its stored form: enough to go
// on after a crash with sending our confirmation and accepting theirs, so that no side stays pinned
// alone (PROTOCOL.md, Pairing). Form only; no decision.
import * as v from 'valibot';
import { SURFACES } from '../../../preload/contract/closed-lists.ts';
import type { IntroductionWay } from '../../../preload/contract/introduction.ts';
import type { Reads, Tables } from '../../ports/store.ts';
import { UNSETTLED_MAX } from './limits.ts';

const META_UNSETTLED = 'pairing_unsettled';
const HEX_32 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const TEXT_OR_NULL = v.nullable(v.string());

const UNSETTLED = v.object({
  /** The pairing's id, base64url. */
  pid: v.string(),
  key: HEX_32,
  /** Our own role. */
  role: v.picklist(['I', 'R']),
  /** T. */
  transcript: HEX_32,
  proposedName: v.string(),
  saidHub: TEXT_OR_NULL,
  /** Fit to be shown; absent in what an older hub left. */
  saidPerson: v.optional(TEXT_OR_NULL, null),
  platform: TEXT_OR_NULL,
  /** When our own check passed, wall clock. */
  checkedAt: v.number(),
  /** Who typed here, for the audit. */
  actor: v.string(),
  surface: v.picklist(SURFACES),
  /** Where the hub was, to find it again. */
  host: TEXT_OR_NULL,
  port: v.nullable(v.number()),
  /**
   * With an invitation: the code that goes with our confirmation, and the one theirs must bring;
   * hex. Null where people type.
   */
  mac: TEXT_OR_NULL,
  peerMac: TEXT_OR_NULL,
  /** Their signature held too, and the key is pinned. */
  isPinned: v.boolean(),
  /** It was paired before this pairing, so a refusal must not take that away. */
  wasPaired: v.boolean(),
  /**
   * When the hub had been removed as this pairing began, wall clock: what people here add again.
   * Null where it was not.
   */
  removedAt: v.nullable(v.number()),
  /** They have our confirmation. */
  isAcked: v.boolean(),
});
export type Unsettled = Readonly<v.InferOutput<typeof UNSETTLED>>;

export function readUnsettled(reads: Reads): readonly Unsettled[] {
  const entries = v.safeParse(
    v.pipe(v.string(), v.parseJson(), v.array(v.unknown())),
    reads.getMeta(META_UNSETTLED),
  );
  if (!entries.success) return [];
  return entries.output.flatMap((entry) => {
    const read = v.safeParse(UNSETTLED, entry);
    return read.success ? [read.output] : [];
  });
}

export function writeUnsettled(tables: Tables, entries: readonly Unsettled[]): void {
  tables.setMeta(META_UNSETTLED, JSON.stringify(entries.slice(-UNSETTLED_MAX)));
}

/**
 * In what way the two came together: an invitation is always used by the side that asks, and made
 * by the other.
 */
export function wayOf({ mac, role }: Unsettled): IntroductionWay {
  if (mac === null) return 'digits';
  return role === 'I' ? 'invitation_used_here' : 'invitation_made_here';
}
