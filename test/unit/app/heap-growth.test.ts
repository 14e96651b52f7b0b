// What V8 takes beyond what is in use, under a stream of messages, in processes of their own: it is
// a setting of the whole process.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const MEBIBYTE = 1024 * 1024;
const MODULE = new URL('../../../main/app/heap-growth.ts', import.meta.url).href;
/** Some survive a while, as messages do that wait for an answer: that is what makes V8 grow. */
const MESSAGES = `
  const { getHeapSpaceStatistics } = await import('node:v8');
  const lives = Array.from({ length: 150_000 }, (_, number) => ({ number }));
  const most = { young: 0, old: 0, lives: lives.length };
  let waiting = [];
  for (let number = 0; number < 600_000; number += 1) {
    waiting.push(JSON.parse(JSON.stringify({ number, task: 'Close the garden gate', context: { at: [number, number] } })));
    if (waiting.length > 20_000) waiting = waiting.slice(10_000);
    if (number % 1_000 !== 0) continue;
    for (const { space_name, physical_space_size } of getHeapSpaceStatistics()) {
      if (space_name === 'new_space') most.young = Math.max(most.young, physical_space_size);
      if (space_name === 'old_space') most.old = Math.max(most.old, physical_space_size);
    }
  }
  process.stdout.write(JSON.stringify(most));
`;

function mostAfter(preparation: string): { readonly young: number; readonly old: number } {
  const words = ['--no-warnings', '--input-type=module', '-e', `${preparation}\n${MESSAGES}`];
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

it('holds the young generation at its first size, and the old one near what lives', () => {
  const held = mostAfter(`(await import(${JSON.stringify(MODULE)})).holdHeapGrowth();`);
  const onlyYoung = mostAfter(
    `(await import('node:v8')).setFlagsFromString('--semi-space-growth-factor=1');`,
  );
  expect(held.young).toBeLessThan(8 * MEBIBYTE);
  expect(held.old).toBeLessThan(0.7 * onlyYoung.old);
  expect(mostAfter('').young).toBeGreaterThan(2 * held.young);
}, 60_000);

it('collects what is dropped once a hub is at rest, and never while it works', () => {
  const script = `
    const { collectorAtRest, holdHeapGrowth } = await import(${JSON.stringify(MODULE)});
    holdHeapGrowth();
    let nowMs = 0;
    let due;
    const clock = { monotonicMs: () => nowMs, setTimer: (ms, run) => void (due = { at: nowMs + ms, run }) };
    const passes = (ms) => { nowMs += ms; if (due && due.at <= nowMs) { const { run } = due; due = undefined; run(); } };
    const used = [];
    const look = () => used.push(process.memoryUsage().heapUsed);
    const committed = collectorAtRest(clock);
    let dropped = Array.from({ length: 400_000 }, (_, number) => ({ number }));
    for (let count = 0; count < 100; count += 1) committed();
    dropped = undefined;
    passes(30_000); look();
    committed(); passes(30_000); look();
    committed(); passes(30_000);
    process.stdout.write(JSON.stringify({ used, isDue: due !== undefined }));
  `;
  const words = ['--no-warnings', '--input-type=module', '-e', script];
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect(stderr).toBe('');
  const { used, isDue } = JSON.parse(stdout) as { used: number[]; isDue: boolean };
  const [busy = 0, rested = Infinity] = used;
  expect(busy).toBeGreaterThan(8 * MEBIBYTE);
  expect(rested).toBeLessThan(busy - 8 * MEBIBYTE);
  // A hub at rest has nothing more to look at.
  expect(isDue).toBe(false);
}, 60_000);
