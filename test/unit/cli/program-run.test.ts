// What a listener that was killed left running is ended by the next one, if it is still that.
import { afterEach, expect, test } from 'vitest';
import { endLeft, ProgramGroup } from '../../../main/cli/program-run.ts';
import { endAfterTest } from '../../support/programs.ts';

let group: ProgramGroup;
afterEach(() => group.child.kill('SIGKILL'));

test('a number that another program has by now is left alone', async () => {
  group = new ProgramGroup(
    [process.execPath, '-e', 'console.log(1); setInterval(() => {}, 1000)'],
    process.cwd(),
    process.env,
  );
  endAfterTest(group.child);
  await new Promise((resolve) => group.child.stdout.once('data', resolve));
  const { mark } = group;
  if (mark === undefined) throw new Error('no mark');
  // It was born at another time than the one that was left.
  endLeft({ ...mark, born: `${mark.born}1` });
  endLeft({ ...mark, born: '' });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(group.child.signalCode).toBeNull();
  endLeft(mark);
  await group.exited;
  expect(group.child.signalCode).toBe('SIGKILL');
});
