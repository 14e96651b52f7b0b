// How QUIC processes are started: before they are needed, and what happens when the system starts
// none (an error that can be handled, never one that ends the hub).
import { afterEach, expect, it } from 'vitest';
import {
  spawnNodeQuicProcess,
  startEarly,
  type QuicChild,
} from '../../../../main/adapters/quic/quic-process.ts';
import { AppError } from '../../../../main/lib/app-error.ts';

const node = process.execPath;
const started: QuicChild[] = [];
const spawnOne = (): QuicChild => {
  const child = spawnNodeQuicProcess();
  started.push(child);
  return child;
};
const ended = (child: QuicChild | undefined): Promise<string> =>
  new Promise((resolve) => child?.onExit(resolve));

afterEach(() => {
  process.execPath = node;
  for (const child of started.splice(0)) child.kill();
});

it('the early QUIC process is handed out once, and others are started from then on', () => {
  const early = startEarly(spawnOne);
  expect(started).toHaveLength(1);
  expect(early.spawn()).toBe(started[0]);
  expect(early.spawn()).toBe(started[1]);
  expect(started).toHaveLength(2);
});

it('an early QUIC process that ended before it was asked for is never handed out', async () => {
  const early = startEarly(spawnOne);
  const end = ended(started[0]);
  started[0]?.kill();
  await end;
  expect(early.spawn()).toBe(started[1]);
});

it('an early QUIC process that nobody asks for is ended, one that was taken is not', async () => {
  const unused = startEarly(spawnOne);
  const used = startEarly(spawnOne);
  const ends = Promise.race([
    ended(used.spawn()).then(() => 'taken'),
    ended(started[0]).then(() => 'unused'),
  ]);
  used.discard();
  unused.discard();
  expect(await ends).toBe('unused');
});

it('a QUIC process that the system does not start early is an error once it is asked for', () => {
  process.execPath = `${node}-that-is-not-there`;
  const early = startEarly(() => spawnNodeQuicProcess('nothing.ts'));
  expect(() => early.spawn()).toThrow(AppError);
  early.discard();
});

it('a QUIC process that the system does not start is an error of the call', async () => {
  process.execPath = `${node}-that-is-not-there`;
  expect(() => spawnNodeQuicProcess('nothing.ts')).toThrow(AppError);
  // The system's own word comes a turn later; with nobody listening it would be an uncaught
  // exception.
  await new Promise((resolve) => setImmediate(resolve));
});
