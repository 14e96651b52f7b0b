import { describe, expect, test } from 'vitest';
import { layoutHousehold } from '../../../renderer/features/people/household-diagram.ts';

interface Segment {
  readonly wire: number;
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
}

/** The straight parts of a wire: M, V, H, v and the ends of arcs. */
function segmentsOf(path: string, wire: number): readonly Segment[] {
  const segments: Segment[] = [];
  let at: readonly [number, number] = [0, 0];
  for (const [, command = '', numbers = ''] of path.matchAll(/([MVHva])([^MVHva]*)/g)) {
    const values = numbers
      .trim()
      .split(/[\s,]+/)
      .map(Number);
    const [first = 0, second = 0] = values;
    const to: readonly [number, number] =
      command === 'M'
        ? [first, second]
        : command === 'V'
          ? [at[0], first]
          : command === 'H'
            ? [first, at[1]]
            : command === 'v'
              ? [at[0], at[1] + first]
              : [at[0] + (values[5] ?? 0), at[1] + (values[6] ?? 0)];
    if (command !== 'M' && command !== 'a') segments.push({ wire, from: at, to });
    at = to;
  }
  return segments;
}

/** True when an upright and a level part cross inside both, not where they meet. */
function cross(one: Segment, other: Segment): boolean {
  const upright = one.from[0] === one.to[0] ? one : other;
  const level = upright === one ? other : one;
  if (level.from[1] !== level.to[1] || upright.from[0] !== upright.to[0]) return false;
  const [x, y] = [upright.from[0], level.from[1]];
  const inside = (value: number, a: number, b: number) =>
    value > Math.min(a, b) + 0.5 && value < Math.max(a, b) - 0.5;
  return inside(x, level.from[0], level.to[0]) && inside(y, upright.from[1], upright.to[1]);
}

const CASES = [320, 432, 520, 620, 760, 1200].flatMap((room) =>
  [0, 1, 2, 3, 4, 5, 7, 10].flatMap((near) => [0, 1, 2, 4].map((far) => ({ room, near, far }))),
);

describe('the picture of the household', () => {
  test('every hub has a door inside the picture, and none stands on another', () => {
    for (const { room, near, far } of CASES) {
      const plan = layoutHousehold(room, near, far);
      const doors = [...plan.near, ...plan.far];
      expect(doors).toHaveLength(near + far);
      for (const [index, door] of doors.entries()) {
        expect(door.x - door.width / 2).toBeGreaterThanOrEqual(0);
        expect(door.x + door.width / 2).toBeLessThanOrEqual(plan.width);
        expect(door.base).toBeLessThanOrEqual(plan.height);
        for (const other of doors.slice(index + 1)) {
          const apart =
            Math.abs(door.x - other.x) >= (door.width + other.width) / 2 ||
            Math.abs(door.base - other.base) >= door.height;
          expect(apart, `doors at ${room} px with ${near} near and ${far} far`).toBe(true);
        }
      }
    }
  });

  test('wires never cross', () => {
    for (const { room, near, far } of CASES) {
      const plan = layoutHousehold(room, near, far);
      const segments = [...plan.near, ...plan.far].flatMap((door, index) =>
        segmentsOf(door.wire, index),
      );
      const crossing = segments.flatMap((one, index) =>
        segments
          .slice(index + 1)
          .filter((other) => other.wire !== one.wire && cross(one, other))
          .map((other) => `${room}/${near}/${far}: wire ${one.wire} and ${other.wire}`),
      );
      expect(crossing).toEqual([]);
    }
  });

  test('no wire runs through a door that is not its own', () => {
    for (const { room, near, far } of CASES) {
      const plan = layoutHousehold(room, near, far);
      const doors = [...plan.near, ...plan.far];
      for (const [index, door] of doors.entries()) {
        for (const { from, to } of segmentsOf(door.wire, index)) {
          if (from[0] !== to[0]) continue;
          const through = doors.filter(
            (other, place) =>
              place !== index &&
              Math.abs(other.x - from[0]) < other.width / 2 - 1 &&
              Math.min(from[1], to[1]) < other.base - 2 &&
              Math.max(from[1], to[1]) > other.base - other.height + 2,
          );
          expect(through, `at ${room} px with ${near} near and ${far} far`).toEqual([]);
        }
      }
    }
  });
});
