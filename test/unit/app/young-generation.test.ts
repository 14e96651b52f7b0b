// The space for objects that live a moment, under a stream of messages, in processes of their own:
// it is a setting of the whole process.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const MEBIBYTE = 1024 * 1024;
const MODULE = new URL('../../../main/app/young-generation.ts', import.meta.url).href;
/**
 * Some survive a while, as messages do that wait for an answer: that is what makes V8 double the
 * space.
 */
const MESSAGES = `
  const waiting = [];
  for (let number = 0; number < 200_000; number += 1) {
    waiting.push(JSON.parse(JSON.stringify({ number, task: 'Close the garden gate', context: { at: [number, number] } })));
    if (waiting.length > 5_000) waiting.splice(0, 2_500);
  }
  const { getHeapSpaceStatistics } = await import('node:v8');
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  process.stdout.write(String(young.physical_space_size));
`;

function youngBytesAfter(preparation: string): number {
  const words = ['--no-warnings', '--input-type=module', '-e', `${preparation}\n${MESSAGES}`];
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect(stderr).toBe('');
  return Number(stdout);
}

it('is held at its first size, and would be many times that', () => {
  const held = youngBytesAfter(`(await import(${JSON.stringify(MODULE)})).holdYoungGeneration();`);
  expect(held).toBeLessThan(8 * MEBIBYTE);
  expect(youngBytesAfter('')).toBeGreaterThan(2 * held);
});
