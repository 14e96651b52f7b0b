// Every drawing of the app on a 20 by 20 grid, as data: paths are stroked, dots are filled. The
// marks (let, back, late ...) are one language: the line is the threshold, the dot is the request,
// left is outside. Holds no meaning beyond the drawing.

export interface Drawing {
  /** Stroked path data. */
  readonly lines: string;
  /** Filled circles: x, y, radius. */
  readonly dots?: readonly (readonly [number, number, number])[];
  /** Stroked with dashes, for what is not there. */
  readonly dashed?: string;
}

export const DRAWINGS = {
  hub: { lines: 'M4.5 17V9a5.5 5.5 0 0 1 11 0v8M2 17h16', dots: [[10, 12.2, 1.7]] },
  now: { lines: 'M9 17V9.5a4.5 4.5 0 0 1 9 0V17M1.5 17h17', dots: [[4.6, 13, 1.8]] },
  people: { lines: 'M2.5 17v-6.5a3.5 3.5 0 0 1 7 0V17M10.5 17v-4a3.5 3.5 0 0 1 7 0v4M1 17h18' },
  feed: {
    lines: 'M7.5 5H17M7.5 10H17M7.5 15h6',
    dots: [
      [3.6, 5, 1.3],
      [3.6, 10, 1.3],
      [3.6, 15, 1.3],
    ],
  },
  conversations: { lines: 'M10 2.5v15M7.5 5H2.5v4h5M12.5 11h5v4h-5' },
  rules: { lines: 'M5 17V4h7v13M2 17h16M12 4l4 2.2V17', dots: [[9.7, 10.8, 1]] },
  agents: { lines: 'M7 3v4M13 3v4M4.5 7h11v2.5a5.5 5.5 0 0 1-11 0zM10 15v3' },
  settings: {
    lines:
      'M3 6h6M14 6h3M3 14h3M11 14h6M9.2 6a2.3 2.3 0 1 0 4.6 0 2.3 2.3 0 1 0-4.6 0M6.2 14a2.3 2.3 0 1 0 4.6 0 2.3 2.3 0 1 0-4.6 0',
  },
  more: {
    lines: '',
    dots: [
      [4, 10, 1.5],
      [10, 10, 1.5],
      [16, 10, 1.5],
    ],
  },
  enter: { lines: 'M4 3.5v13M8 10h8.5M13 6.5l3.5 3.5-3.5 3.5' },
  leave: { lines: 'M16 3.5v13M12 10H3.5M7 6.5 3.5 10 7 13.5' },
  check: { lines: 'm4 10.5 4 4 8-9' },
  cross: { lines: 'm5 5 10 10M15 5 5 15' },
  minus: { lines: 'M4 10h12' },
  plus: { lines: 'M10 4v12M4 10h12' },
  down: { lines: 'm5.5 8 4.5 4.5L14.5 8' },
  clock: { lines: 'M10 2.7a7.3 7.3 0 1 0 0 14.6 7.3 7.3 0 0 0 0-14.6M10 5.8V10l3 2' },
  copy: { lines: 'M7 7h9.5v9.5H7zM13 7V3.5H3.5V13H7' },
  turn: { lines: 'M4 7.5h8.5a4 4 0 0 1 0 8H8M7 4 3.7 7.5 7 11' },
  others: {
    lines:
      'M4.8 7a2.7 2.7 0 1 0 5.4 0 2.7 2.7 0 1 0-5.4 0M2.5 16a5 5 0 0 1 10 0M13 4.7a2.6 2.6 0 0 1 0 4.8M14.7 11.6a5 5 0 0 1 3 4.4',
  },
  fork: { lines: 'M10 17.5V12L5 7.5V3M10 12l5-4.5V3M3 5l2-2 2 2M13 5l2-2 2 2' },
  danger: { lines: 'M10 4.5v7', dots: [[10, 15, 1.3]] },
  eye: {
    lines: 'M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5zM7.7 10a2.3 2.3 0 1 0 4.6 0 2.3 2.3 0 1 0-4.6 0',
  },
  verified: { lines: 'M10 2.5 16 5v4.5c0 3.8-2.5 6.5-6 8-3.5-1.5-6-4.2-6-8V5zM7.3 9.8l2 2 3.5-4' },
  laptop: { lines: 'M4.5 4.5h11v8.5h-11zM2 15.5h16' },
  desktop: { lines: 'M2.5 4h11v8.5h-11zM5.5 16h5M8 12.5V16M16 4v12' },
  tablet: { lines: 'M5 2.5h10v15H5zM9 15h2' },
  server: {
    lines: 'M3 4h14v5H3zM3 11h14v5H3z',
    dots: [
      [6, 6.5, 1],
      [6, 13.5, 1],
    ],
  },
  moon: { lines: 'M16.5 12A7 7 0 1 1 8.2 3.3 5.6 5.6 0 0 0 16.5 12z' },
  mute: { lines: 'M4 8h2.5L10.5 4.5v11L6.5 12H4zM13.5 8l4 4M17.5 8l-4 4' },
  pause: { lines: 'M7 4.5v11M13 4.5v11' },
  warn: { lines: 'M10 3 18 17H2zM10 8v4', dots: [[10, 14.5, 1]] },
  link: {
    lines:
      'M8.5 11.5a3.5 3.5 0 0 0 5 0l2.5-2.5a3.5 3.5 0 0 0-5-5L9.8 5.2M11.5 8.5a3.5 3.5 0 0 0-5 0L4 11a3.5 3.5 0 0 0 5 5l1.2-1.2',
  },
  key: { lines: 'M2.5 7.5a3.5 3.5 0 1 0 7 0 3.5 3.5 0 1 0-7 0M8.8 9.3l7.7 7.2M13 13.2l1.8-1.8' },
  'mark-waiting': { lines: 'M12 2v16', dots: [[5.5, 10, 2.6]] },
  'mark-held': { lines: 'M12 2v16M4 7v6M7.5 7v6' },
  'mark-let': { lines: 'M8 2v4.5M8 13.5V18', dots: [[14.5, 10, 2.6]] },
  'mark-rule': { lines: 'M10 2v4.5M10 13.5V18M2.5 10H15', dots: [[15.8, 10, 2.3]] },
  'mark-back': { lines: 'M15 2v16M11.5 10H3.5M6.5 7l-3 3 3 3' },
  'mark-late': { lines: 'M12 2v16', dashed: 'M2.7 10a2.8 2.8 0 1 0 5.6 0 2.8 2.8 0 1 0-5.6 0' },
  'mark-failed': { lines: 'M7 2v4.5M7 13.5V18M11.5 7.5l5 5M16.5 7.5l-5 5' },
  'mark-gone': { lines: 'M13 2v16M2.5 13.5l7-7M3.2 10a2.8 2.8 0 1 0 5.6 0 2.8 2.8 0 1 0-5.6 0' },
  'mark-out': { lines: 'M12 2v4.5M12 13.5V18M17 10H4M7 7l-3 3 3 3' },
} as const satisfies Record<string, Drawing>;

export type IconName = keyof typeof DRAWINGS;
