// The table of whom the owner does not want to hear for a while, a part of the store's port. What is muted still asks and still tells; it only
// waits longer and makes no sound.
import type { PartyKey } from './store.ts';

export interface MuteRow {
  readonly party: PartyKey;
  /** Wall clock, ms since 1970, as `until`. */
  readonly since: number;
  readonly until: number;
}

export interface MuteReads {
  /** Those whose time may be over, too: whoever reads looks at `until`. */
  mutes(): readonly MuteRow[];
  mute(party: PartyKey): MuteRow | undefined;
}

export interface MuteWrites {
  putMute(row: MuteRow): void;
  deleteMute(party: PartyKey): void;
}
