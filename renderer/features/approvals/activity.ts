// What became of requests today, hour by hour, and how that is drawn: allowed, or answered by a
// person, above the line; declined, or left undecided, below it. Hours that are not known in full
// are left out, never drawn short. Pure.
import type { ApprovalDto } from '../../../preload/contract/dto.ts';
import type { StoryDto } from '../../../preload/contract/story.ts';
import { isByRule } from '../../../preload/contract/strings/story.ts';

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

interface Counts {
  /** By a person, here or at an adult's hub. */
  readonly allowed: number;
  /** By a rule. */
  readonly unasked: number;
  /** By a person, instead of letting an agent do it. */
  readonly answered: number;
  readonly declined: number;
  /** Nobody's decision. */
  readonly expired: number;
}
type Became = keyof Counts;

export interface Hour extends Counts {
  /** When it begins, ms since 1970. */
  readonly at: number;
}

export interface Activity extends Counts {
  /** From the first one shown to the present one, without gaps. */
  readonly hours: readonly Hour[];
  /** Of those declined. */
  readonly declinedByRule: number;
  /** The day is shown from its beginning; else from the first hour of which everything is known. */
  readonly isWhole: boolean;
}

type Decided = Pick<ApprovalDto, 'id' | 'story' | 'decided_at'>;

/** @param knownFrom everything decided since then is among `decided`; 0: all there is */
export function activityOf(decided: readonly Decided[], knownFrom: number, now: number): Activity {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const isWhole = knownFrom <= midnight;
  const from = isWhole ? midnight : hourOf(knownFrom) + HOUR_MS;
  const counted = [...new Map(decided.map((approval) => [approval.id, approval])).values()].flatMap(
    ({ story, decided_at }) => {
      if (decided_at === null || decided_at < from || decided_at > now) return [];
      const what = whatBecame(story);
      return what === undefined
        ? []
        : [{ at: hourOf(decided_at), what, isByRule: isByRule(story) }];
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
        unasked: of('unasked'),
        answered: of('answered'),
        declined: of('declined'),
        expired: of('expired'),
      };
    },
  );
  const sum = (what: Became) => hours.reduce((all, hour) => all + hour[what], 0);
  return {
    hours,
    allowed: sum('allowed'),
    unasked: sum('unasked'),
    answered: sum('answered'),
    declined: sum('declined'),
    expired: sum('expired'),
    declinedByRule: counted.filter(({ what, isByRule }) => what === 'declined' && isByRule).length,
    isWhole,
  };
}

/**
 * What its asker cancelled, and what waits, is none of these; nor is a question to an agent that
 * only looks, which is no approval.
 */
function whatBecame(story: StoryDto): Became | undefined {
  const { outcome } = story.verdict;
  switch (outcome) {
    case 'allowed':
      return isByRule(story) ? 'unasked' : 'allowed';
    case 'answered':
    case 'chosen':
      return 'answered';
    case 'declined':
    case 'expired':
      return outcome;
    case 'none':
    case 'passed':
    case 'waiting':
    case 'withdrawn':
      return undefined;
  }
}

const hourOf = (at: number): number => new Date(at).setMinutes(0, 0, 0);

/** Its top and height, px; a height of 0 is not drawn. */
interface Block {
  readonly y: number;
  readonly height: number;
}

interface Bar {
  readonly hour: Hour;
  readonly x: number;
  readonly allowed: Block;
  readonly unasked: Block;
  readonly answered: Block;
  readonly declined: Block;
  readonly expired: Block;
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
    ...hours.map(({ allowed, unasked, answered }) => allowed + unasked + answered),
  );
  const down = Math.max(...hours.map(({ declined, expired }) => declined + expired), 0);
  const unit = Math.min(UNIT_MAX_PX, UP_PX / Math.max(up, down));
  const zero = 10 + up * unit;
  const column = (width - GUTTER_PX) / Math.max(1, hours.length);
  const barWidth = Math.max(3, Math.min(BAR_MAX_PX, column - 8));
  const every = Math.max(1, Math.ceil(LABEL_MIN_PX / column));
  const bars = hours.map((hour, index): Bar => {
    const unasked = hour.unasked * unit;
    const allowed = hour.allowed * unit;
    const answered = hour.answered * unit;
    const declined = hour.declined * unit;
    return {
      hour,
      x: GUTTER_PX + index * column + (column - barWidth) / 2,
      unasked: { y: zero - unasked, height: unasked },
      allowed: { y: zero - unasked - allowed, height: allowed },
      answered: { y: zero - unasked - allowed - answered, height: answered },
      declined: { y: zero + 2, height: declined },
      expired: { y: zero + 2 + declined, height: hour.expired * unit },
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
