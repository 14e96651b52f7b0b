// What a time that was typed is for the hub.
import { expect, test } from 'vitest';
import { common } from '../../../main/cli/commands/send.ts';

test('a part of a second makes whole milliseconds', () => {
  expect(common({ deadline: 32.3 }).deadline_ms).toBe(32_300);
});
