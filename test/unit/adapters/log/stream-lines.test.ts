// Where lines go when the stream for them has gone away.
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { linesTo, WAITING_MAX_BYTES } from '../../../../main/adapters/log/stream-lines.ts';

class Pipe extends Writable {
  readonly read: string[] = [];
  broken = false;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    if (this.broken) return done(new Error('write EPIPE'));
    this.read.push(chunk.toString('utf8'));
    done();
  }
}

/** Reads nothing until it is told to go on. */
class SlowPipe extends Writable {
  last = '';
  #waiting: (() => void) | undefined;
  #isPaused = true;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.last = chunk.toString('utf8');
    if (this.#isPaused) this.#waiting = done;
    else done();
  }

  goOn(): void {
    this.#isPaused = false;
    this.#waiting?.();
  }
}

test('lines go to the stream while somebody reads it, and elsewhere once its reader is gone', async () => {
  const pipe = new Pipe();
  const elsewhere: string[] = [];
  const write = linesTo(pipe, (line) => elsewhere.push(line));
  write('first\n');
  pipe.broken = true;
  const failed = once(pipe, 'error');
  write('lost\n');
  await failed;
  write('after\n');
  expect({ read: pipe.read, elsewhere }).toEqual({ read: ['first\n'], elsewhere: ['after\n'] });
});

test('lines go elsewhere from the start when the stream was closed before', () => {
  const pipe = new Pipe();
  pipe.on('error', () => {});
  pipe.destroy();
  const elsewhere: string[] = [];
  linesTo(pipe, (line) => elsewhere.push(line))('only\n');
  expect(elsewhere).toEqual(['only\n']);
});

test('lines go elsewhere while a reader that pauses has a megabyte before it, and to the stream again once all of it was read', async () => {
  const pipe = new SlowPipe();
  const elsewhere: string[] = [];
  const write = linesTo(pipe, (line) => elsewhere.push(line));
  const line = `${'x'.repeat(1_023)}\n`;
  for (let count = 0; count < 2_000; count++) write(line);
  expect(pipe.writableLength).toBe(WAITING_MAX_BYTES);
  expect(elsewhere).toHaveLength(2_000 - WAITING_MAX_BYTES / 1_024);
  const drained = once(pipe, 'drain');
  pipe.goOn();
  await drained;
  write('after\n');
  expect(elsewhere).not.toContain('after\n');
  expect(pipe.last).toBe('after\n');
});
