// When a person is asked and when not, as it crosses a process boundary. Same conventions as
// dto.ts. Imports nothing.

/**
 * Why a person is asked later: everything is paused, it is a quiet hour, whoever asks is muted, or
 * a person put the card off.
 */
export type HoldReason = 'paused' | 'quiet_hours' | 'muted' | 'person';

/** A request that is held: nothing of it is allowed by itself, and its own time goes on. */
export interface HeldDto {
  readonly why: HoldReason;
  /** When a person is asked; null: when somebody goes on. */
  readonly until: number | null;
}

export interface QuietPeriodDto {
  readonly name: string;
  /** "HH:MM" by the clock of the hub. */
  readonly from: string;
  /** At or before `from`: on the next day. */
  readonly to: string;
  /** The days on which it begins: 1 Monday to 7 Sunday. */
  readonly days: readonly number[];
  readonly on: boolean;
}

interface QuietHoursDto {
  readonly periods: readonly QuietPeriodDto[];
  /** Agent ids of the hubs whose urgent requests are asked all the same. */
  readonly urgent_peers: readonly string[];
}

interface MuteDto {
  readonly peer_id: string;
  readonly peer_name: string;
  readonly since: number;
  readonly until: number;
}

/** A hub that asks more than anybody answers. */
export interface FloodDto {
  readonly peer_id: string;
  readonly peer_name: string;
  /** When the first of these came. */
  readonly since: number;
  /** Requests that were refused as too many since then; they left nothing else behind. */
  readonly refused: number;
  /**
   * Three refusals or more within ten minutes: it makes no sound meanwhile, and muting it for a day
   * is offered.
   */
  readonly silent: boolean;
}

export interface AttentionDto {
  /**
   * Nothing is asked and nothing allowed; `until` null: until a person resumes. `stopped`: nothing
   * gets in either, and what ran here was asked to stop.
   */
  readonly paused: {
    readonly since: number;
    readonly until: number | null;
    readonly stopped: boolean;
  } | null;
  readonly quiet_hours: QuietHoursDto;
  /** The quiet hour that is on now. */
  readonly quiet_now: { readonly name: string; readonly until: number } | null;
  /** The hub's own time zone, such as "Europe/Berlin": quiet hours are by its clock. */
  readonly time_zone: string;
  readonly mutes: readonly MuteDto[];
  readonly floods: readonly FloodDto[];
}
