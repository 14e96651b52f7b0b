// The table of muted parties, a part of the store's port. A muted party still asks and sends
// notices: its requests are held, its notices silent.
import type { PartyKey } from './transport.ts';

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
