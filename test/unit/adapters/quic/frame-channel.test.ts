// The private channel between the hub and its QUIC process.
import { expect, it } from 'vitest';
import { SystemClock } from '../../../../main/adapters/clock/system-clock.ts';
import { FrameChannel, type ByteChannel } from '../../../../main/adapters/quic/frame-channel.ts';
import {
  CHANNEL_UNRECEIVED_MAX_BYTES,
  CHANNEL_WINDOW_BYTES,
} from '../../../../main/adapters/quic/limits.ts';
import type { Clock } from '../../../../main/ports/clock.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { parseReport } from '../../../../main/adapters/quic/process-messages.ts';

class Wire implements ByteChannel {
  readonly written: Buffer[] = [];
  #listener: (bytes: Uint8Array) => void = () => {};

  send(bytes: Uint8Array, written: () => void): void {
    this.written.push(Buffer.from(bytes));
    written();
  }

  onMessage(listener: (bytes: Uint8Array) => void): void {
    this.#listener = listener;
  }

  deliver(bytes: Uint8Array): void {
    this.#listener(bytes);
  }
}

function side(clock: Clock = new SystemClock()): {
  wire: Wire;
  channel: FrameChannel;
  frames: string[];
  happened: string[];
} {
  const wire = new Wire();
  const frames: string[] = [];
  const happened: string[] = [];
  const channel = new FrameChannel(wire, clock, CHANNEL_WINDOW_BYTES, {
    frame: (type, body) => frames.push(`${type}:${body.toString()}`),
    caughtUp: () => happened.push('caught up'),
    broken: () => happened.push('broken'),
  });
  channel.open();
  return { wire, channel, frames, happened };
}

it('frames of one turn leave as one write', async () => {
  const { wire, channel } = side();
  channel.post(1, Buffer.from('a'));
  channel.post(2, Buffer.from('b'), Buffer.from('c'));
  expect(wire.written).toHaveLength(0);
  await new Promise((resolve) => setImmediate(resolve));
  expect(wire.written).toHaveLength(1);
  const receiver = side();
  receiver.wire.deliver(wire.written[0] ?? Buffer.alloc(0));
  expect(receiver.frames).toEqual(['1:a', '2:bc']);
});

it('a quiet channel writes what one callback and its promises post at once, a busy one at the end of the turn', async () => {
  const { wire, channel } = side(new ManualClock());
  const writes: number[] = [];
  setImmediate(() => {
    channel.post(1, Buffer.from('a'));
    void Promise.resolve().then(() => channel.post(1, Buffer.from('b')));
  });
  for (const text of ['c', 'd']) {
    setImmediate(() => {
      writes.push(wire.written.length);
      channel.post(1, Buffer.from(text));
    });
  }
  // The turn of those three callbacks, and the one at whose end the busy channel writes.
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(writes).toEqual([1, 1]);
  expect(wire.written).toHaveLength(2);
  const receiver = side();
  for (const bytes of wire.written) receiver.wire.deliver(bytes);
  expect(receiver.frames).toEqual(['1:a', '1:b', '1:c', '1:d']);
});

it('frames arrive whole however the bytes are cut', () => {
  const { wire, channel } = side();
  for (const words of ['one', '', 'three']) channel.post(7, Buffer.from(words));
  channel.flush();
  const bytes = Buffer.concat(wire.written);
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const receiver = side();
    receiver.wire.deliver(bytes.subarray(0, cut));
    receiver.wire.deliver(bytes.subarray(cut));
    expect(receiver.frames).toEqual(['7:one', '7:', '7:three']);
  }
});

it('one write at a time is under way, and what waits for it leaves in the buffers that were used before', () => {
  const { wire, channel } = side();
  const buffers = new Set<unknown>();
  const sizes: number[] = [];
  const pending: (() => void)[] = [];
  wire.send = (bytes, written) => {
    buffers.add(bytes.buffer);
    sizes.push(bytes.length);
    pending.push(written);
  };
  for (let turn = 0; turn < 100; turn += 1) {
    for (let frame = 0; frame < 3; frame += 1) channel.post(9, Buffer.alloc(30_000));
    channel.flush();
    expect(pending).toHaveLength(1);
    while (pending.length > 0) pending.shift()?.();
  }
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(100 * 3 * 30_005);
  expect(buffers.size).toBeLessThanOrEqual(3);
});

it('a frame of no length or too much ends the channel', () => {
  for (const length of [0, 0xffff_ffff]) {
    const receiver = side();
    const header = Buffer.alloc(8);
    header.writeUInt32BE(length, 0);
    receiver.wire.deliver(header);
    receiver.wire.deliver(Buffer.alloc(100));
    expect(receiver.happened).toEqual(['broken']);
    expect(receiver.frames).toEqual([]);
  }
});

it('a side knows when the other is behind, and when it has caught up', () => {
  const sender = side();
  const receiver = side();
  const part = Buffer.alloc(64 * 1024);
  while (!sender.channel.isBehind) {
    sender.channel.post(9, part);
    sender.channel.flush();
  }
  expect(Buffer.concat(sender.wire.written).length).toBeGreaterThan(CHANNEL_WINDOW_BYTES);
  expect(sender.happened).toEqual([]);
  for (const bytes of sender.wire.written) receiver.wire.deliver(bytes);
  receiver.channel.flush();
  for (const bytes of receiver.wire.written) sender.wire.deliver(bytes);
  expect(sender.channel.isBehind).toBe(false);
  expect(sender.happened).toEqual(['caught up']);
});

it('a channel into which much goes and nothing is received counts as broken', () => {
  const sender = side();
  const part = Buffer.alloc(1024 * 1024 - 1);
  for (
    let bytes = 0;
    bytes + part.length < CHANNEL_UNRECEIVED_MAX_BYTES;
    bytes += part.length + 5
  ) {
    expect(sender.happened).toEqual([]);
    sender.channel.post(9, part);
    sender.channel.flush();
  }
  sender.channel.post(9, part);
  expect(sender.happened).toEqual(['broken']);
  const written = sender.wire.written.length;
  sender.channel.post(9, part);
  sender.channel.flush();
  expect(sender.wire.written).toHaveLength(written);
});

it('the hub takes from the process only what a QUIC process can say', () => {
  const connection = {
    connectionId: 1,
    keyHex: 'ab'.repeat(32),
    direction: 'incoming',
    host: '10.0.0.1',
    port: 7100,
  };
  const good = [
    { type: 'started', port: 7100 },
    {
      type: 'heartbeat',
      sign: { memoryBytes: 1, atMs: 1.5, processorMs: 0.5, activeMs: 1, work: 0 },
    },
    { type: 'event', event: { type: 'connected', connection } },
    {
      type: 'event',
      event: { type: 'disconnected', connection, code: null, by: 'network', reason: '' },
    },
    {
      type: 'dialled',
      call: 1,
      result: { ok: false, error: { type: 'wrong-key', keyHex: connection.keyHex } },
    },
    { type: 'failed', call: 1, failure: { type: 'reset', code: 3 } },
  ];
  for (const report of good) expect(parseReport(JSON.stringify(report))).toEqual(report);
  const bad = [
    null,
    [],
    { type: 'approve' },
    {
      type: 'heartbeat',
      sign: { memoryBytes: 1, atMs: 'late', processorMs: 0, activeMs: 1, work: 0 },
    },
    { type: 'started', port: '7100' },
    { type: 'event', event: { type: 'request', connectionId: 1, streamId: 0, bytes: [] } },
    { type: 'event', event: { type: 'connected', connection: { ...connection, keyHex: 'AB' } } },
    {
      type: 'event',
      event: { type: 'disconnected', connection, code: 'x', by: 'network', reason: '' },
    },
    { type: 'dialled', call: 1, result: { ok: true, value: {} } },
    { type: 'failed', call: -1, failure: { type: 'timeout' } },
    { type: 'start-failed', code: 'no_such_code', message: '' },
  ];
  for (const report of bad) expect(parseReport(JSON.stringify(report))).toBeUndefined();
  expect(parseReport('{')).toBeUndefined();
});
