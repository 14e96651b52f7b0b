// What became of requests today, hour by hour, and how that is drawn: allowed, or answered by a
// person, above the line; declined below it. Hours that are not known in full are left out, never
// drawn short. Pure.
import type { ApprovalDto } from '../../../preload/contract/dto.ts';

const HOUR_MS = 3_600_000;
/** Fewer columns than this make no picture of a day. */
const HOURS_MIN = 8;
const GUTTER_PX = 34;
const UP_PX = 112;
const FOOT_PX = 34;
const BAR_MAX_PX = 30;
const LABEL_MIN_PX = 34;
const LINES_MAX = 4;
/** One request is never drawn higher than this. */
const UNIT_MAX_PX = 28;

export interface Hour {
  /** When it begins, ms since 1970. */
  readonly at: number;
  readonly allowed: number;
  readonly byRule: number;
  /** By a person, instead of letting an agent do it. */
  readonly answered: number;
  readonly away: number;
}

export interface Activity {
  /** From the first one shown to the present one, without gaps. */
  readonly hours: readonly Hour[];
  readonly allowed: number;
  readonly byRule: number;
  readonly answered: number;
  readonly away: number;
  /** Of those declined: by a rule. */
  readonly awayByRule: number;
  /** The day is shown from its beginning; else from the first hour of which everything is known. */
  readonly isWhole: boolean;
}

type Decided = Pick<ApprovalDto, 'id' | 'state' | 'rule_id' | 'decided_at'>;

/** @param knownFrom everything decided since then is among `decided`; 0: all there is */
export function activityOf(decided: readonly Decided[], knownFrom: number, now: number): Activity {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const isWhole = knownFrom <= midnight;
  const from = isWhole ? midnight : hourOf(knownFrom) + HOUR_MS;
  const counted = [...new Map(decided.map((approval) => [approval.id, approval])).values()].flatMap(
    ({ state, rule_id, decided_at }) => {
      if (decided_at === null || decided_at < from || decided_at > now) return [];
      const what = whatBecame(state, rule_id);
      return what === undefined
        ? []
        : [{ at: hourOf(decided_at), what, isByRule: rule_id !== null }];
    },
  );
  const last = hourOf(now);
  const first = Math.max(
    from,
    Math.min(last - (HOURS_MIN - 1) * HOUR_MS, ...counted.map(({ at }) => at)),
  );
  const hours = Array.from(
    { length: Math.max(0, Math.round((last - first) / HOUR_MS) + 1) },
    (_, index): Hour => {
      const at = first + index * HOUR_MS;
      const of = (what: Became) =>
        counted.filter((one) => one.at === at && one.what === what).length;
      return {
        at,
        allowed: of('allowed'),
        byRule: of('byRule'),
        answered: of('answered'),
        away: of('away'),
      };
    },
  );
  const sum = (of: (hour: Hour) => number) => hours.reduce((all, hour) => all + of(hour), 0);
  return {
    hours,
    allowed: sum((hour) => hour.allowed),
    byRule: sum((hour) => hour.byRule),
    answered: sum((hour) => hour.answered),
    away: sum((hour) => hour.away),
    awayByRule: counted.filter(({ what, isByRule }) => what === 'away' && isByRule).length,
    isWhole,
  };
}

type Became = 'allowed' | 'byRule' | 'answered' | 'away';

/** Nobody answering is a no; what its asker cancelled is neither. */
function whatBecame(state: ApprovalDto['state'], rule: string | null): Became | undefined {
  switch (state) {
    case 'approved':
      return rule === null ? 'allowed' : 'byRule';
    case 'answered':
      return 'answered';
    case 'declined':
    case 'expired':
      return 'away';
    case 'pending':
    case 'cancelled':
      return undefined;
    default:
      return state satisfies never;
  }
}

const hourOf = (at: number): number => new Date(at).setMinutes(0, 0, 0);

interface Bar {
  readonly hour: Hour;
  readonly x: number;
  /** Tops and heights, px; a height of 0 is not drawn. */
  readonly allowed: { readonly y: number; readonly height: number };
  readonly byRule: { readonly y: number; readonly height: number };
  readonly answered: { readonly y: number; readonly height: number };
  readonly away: { readonly y: number; readonly height: number };
  readonly isLabelled: boolean;
}

interface ActivityLayout {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly zero: number;
  readonly foot: number;
  readonly barWidth: number;
  readonly bars: readonly Bar[];
  readonly lines: readonly { readonly count: number; readonly y: number }[];
}

/** Where everything stands in a picture of this width, px; text keeps its size at any width. */
export function layoutActivity({ hours }: Activity, width: number): ActivityLayout {
  const up = Math.max(
    1,
    ...hours.map(({ allowed, byRule, answered }) => allowed + byRule + answered),
  );
  const down = Math.max(...hours.map(({ away }) => away), 0);
  const unit = Math.min(UNIT_MAX_PX, UP_PX / Math.max(up, down));
  const zero = 10 + up * unit;
  const column = (width - GUTTER_PX) / Math.max(1, hours.length);
  const barWidth = Math.max(3, Math.min(BAR_MAX_PX, column - 8));
  const every = Math.max(1, Math.ceil(LABEL_MIN_PX / column));
  const bars = hours.map((hour, index): Bar => {
    const byRule = hour.byRule * unit;
    const allowed = hour.allowed * unit;
    const answered = hour.answered * unit;
    return {
      hour,
      x: GUTTER_PX + index * column + (column - barWidth) / 2,
      byRule: { y: zero - byRule, height: byRule },
      allowed: { y: zero - byRule - allowed, height: allowed },
      answered: { y: zero - byRule - allowed - answered, height: answered },
      away: { y: zero + 2, height: hour.away * unit },
      isLabelled: (hours.length - 1 - index) % every === 0,
    };
  });
  const step = stepOf(up);
  const lines = Array.from({ length: Math.floor(up / step) }, (_, index) => (index + 1) * step);
  const foot = zero + Math.max(down * unit, 18) + FOOT_PX - 8;
  return {
    width,
    height: foot + 8,
    left: GUTTER_PX,
    zero,
    foot,
    barWidth,
    bars,
    lines: lines.map((count) => ({ count, y: zero - count * unit })),
  };
}

/** The distance of the lines: 1, 2 or 5 times a power of ten, so that there are few. */
function stepOf(max: number): number {
  for (let power = 1; ; power *= 10) {
    for (const step of [1, 2, 5]) if (max / (step * power) <= LINES_MAX) return step * power;
  }
}
