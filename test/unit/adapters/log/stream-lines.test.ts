// Where lines go when the stream for them has gone away.
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { linesTo } from '../../../../main/adapters/log/stream-lines.ts';

class Pipe extends Writable {
  readonly read: string[] = [];
  broken = false;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    if (this.broken) return done(new Error('write EPIPE'));
    this.read.push(chunk.toString('utf8'));
    done();
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
