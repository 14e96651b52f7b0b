// The words of the day at the door. English.

export const activity = {
  today: 'Today, hour by hour',
  since: (time: string) => `Since ${time}, hour by hour`,
  allowed: 'allowed by you',
  byRule: 'let in by your rules',
  answered: 'answered by you',
  away: 'turned away',
  in: 'in',
  out: 'out',
  table: 'As a table',
  hour: 'From',
} as const;
