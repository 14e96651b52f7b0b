// The pure rules of the QUIC adapter: which tokens, which datagrams, how long a silence.
import { describe, expect, it } from 'vitest';
import { forSocket, shown, sourceOf } from '../../../../main/adapters/quic/addresses.ts';
import { HalfOpen } from '../../../../main/adapters/quic/half-open.ts';
import {
  BUSY_BEATS_MAX,
  HALF_OPEN_MAX,
  HEARTBEATS_MISSED_MAX,
  HALF_OPEN_PER_SOURCE_MAX,
  LOST_AFTER_CHECK_MS,
  LOST_AFTER_SILENCE_MS,
  PING_AFTER_SILENCE_MS,
  PROCESS_MEMORY_MAX_BYTES,
  RETRY_KEY_LIFETIME_MS,
  RETRY_TOKEN_LIFETIME_MS,
} from '../../../../main/adapters/quic/limits.ts';
import { loadBinding } from '../../../../main/adapters/quic/native-binding.ts';
import { readDatagram } from '../../../../main/adapters/quic/packet-guard.ts';
import { RetryTokens } from '../../../../main/adapters/quic/retry-tokens.ts';
import { Silence } from '../../../../main/adapters/quic/silence.ts';
import { Watchdog, type SignOfLife } from '../../../../main/adapters/quic/watchdog.ts';
import { SystemRandom } from '../../../../main/adapters/clock/system-clock.ts';
import { AppError } from '../../../../main/lib/app-error.ts';

describe('half-open handshakes', () => {
  it('PW-05: push out the oldest of a crowded source, else the oldest of all', () => {
    const halfOpen = new HalfOpen<number>();
    const pushedOut = Array.from({ length: HALF_OPEN_PER_SOURCE_MAX + 1 }, (_, number) =>
      halfOpen.add(number, 'crowded'),
    );
    expect(pushedOut.at(-1)).toBe(0);
    for (let number = 100; halfOpen.size < HALF_OPEN_MAX; number += 1)
      halfOpen.add(number, `source ${number}`);
    expect(halfOpen.add(1_000, 'another')).toBe(1);
    expect(halfOpen.size).toBe(HALF_OPEN_MAX);
    halfOpen.remove(2);
    halfOpen.remove(2);
    expect(halfOpen.size).toBe(HALF_OPEN_MAX - 1);
    expect(halfOpen.add(1_001, 'another')).toBeUndefined();
  });
});

describe('Retry tokens', () => {
  const [original, retry] = [new Uint8Array(16).fill(1), new Uint8Array(16).fill(2)];
  const start = (): { tokens: RetryTokens; pass: (ms: number) => void } => {
    let nowMs = 1_000;
    const clock = {
      wallMs: () => 0,
      monotonicMs: () => nowMs,
      setTimer: () => ({ cancel: () => {} }),
    };
    return {
      tokens: new RetryTokens({ clock, random: new SystemRandom() }),
      pass: (ms) => (nowMs += ms),
    };
  };

  it("give the client's first id back to the address and id they were made for, and to no other", () => {
    const { tokens } = start();
    const token = tokens.mint('127.0.0.1 7', original, retry);
    expect(tokens.verify(token, '127.0.0.1 7', retry)).toEqual(original);
    expect(tokens.verify(token, '127.0.0.1 8', retry)).toBeUndefined();
    expect(tokens.verify(token, '127.0.0.2 7', retry)).toBeUndefined();
    expect(tokens.verify(token, '127.0.0.1 7', original)).toBeUndefined();
    for (let at = 0; at < token.length; at += 1) {
      const bent = Uint8Array.from(token, (byte, index) => (index === at ? byte ^ 1 : byte));
      expect(tokens.verify(bent, '127.0.0.1 7', retry)).toBeUndefined();
    }
    for (let length = 0; length < token.length; length += 1)
      expect(tokens.verify(token.subarray(0, length), '127.0.0.1 7', retry)).toBeUndefined();
  });

  it('grow old, and survive one change of keys', () => {
    const { tokens, pass } = start();
    const old = tokens.mint('a', original, retry);
    pass(RETRY_TOKEN_LIFETIME_MS + 1);
    expect(tokens.verify(old, 'a', retry)).toBeUndefined();
    pass(RETRY_KEY_LIFETIME_MS - RETRY_TOKEN_LIFETIME_MS - 2);
    const late = tokens.mint('a', original, retry);
    pass(5_000);
    expect(tokens.verify(late, 'a', retry)).toEqual(original);
  });
});

describe('the packet guard', () => {
  it('reads the ids and the token of an Initial', () => {
    const initial = Buffer.concat([
      Buffer.from('c300000001', 'hex'),
      Buffer.from([2, 1, 2, 1, 9, 3, 7, 7, 7]),
      Buffer.alloc(20),
    ]);
    expect(readDatagram(initial)).toEqual({
      type: 'initial',
      destination: '\x01\x02',
      source: Buffer.from([9]),
      token: Buffer.from([7, 7, 7]),
    });
  });

  it('drops other versions, 0-RTT, and what lies about its lengths', () => {
    const header = (first: number, version: number, ...rest: number[]): Buffer => {
      const bytes = Buffer.from([first, 0, 0, 0, 0, ...rest]);
      bytes.writeUInt32BE(version, 1);
      return bytes;
    };
    expect(readDatagram(header(0xc0, 0, 0, 0))).toEqual({ type: 'drop', reason: 'version' });
    expect(readDatagram(header(0xd0, 1, 0, 0))).toEqual({ type: 'drop', reason: 'zero-rtt' });
    const malformed = [
      Buffer.alloc(0),
      Buffer.from([0x40]),
      Buffer.alloc(40),
      header(0x80, 1, 0, 0),
      header(0xc0, 1, 21, ...new Uint8Array(40)),
      header(0xc0, 1, 5, 1, 2),
      header(0xc0, 1, 0, 5, 1, 2),
      header(0xc0, 1, 0, 0),
      header(0xc0, 1, 0, 0, 9, 1, 2),
      header(0xc0, 1, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0),
    ];
    for (const bytes of malformed)
      expect(readDatagram(bytes)).toEqual({ type: 'drop', reason: 'malformed' });
  });
});

describe('addresses', () => {
  it('are written for the socket, shown to people, and counted by source', () => {
    expect(forSocket('192.168.1.5', 4)).toBe('192.168.1.5');
    expect(forSocket('192.168.1.5', 6)).toBe('::ffff:192.168.1.5');
    expect(forSocket('::ffff:192.168.1.5', 4)).toBe('192.168.1.5');
    expect(forSocket('fe80::1%eth0', 6)).toBe('fe80::1%eth0');
    expect(forSocket('fe80::1', 4)).toBeUndefined();
    expect(forSocket('a-name.example', 6)).toBeUndefined();
    expect(shown('::ffff:10.0.0.1')).toBe('10.0.0.1');
    expect(shown('2001:0db8:0:0::1')).toBe('2001:db8::1');
    expect(sourceOf('::ffff:10.0.0.1')).toBe(sourceOf('10.0.0.1'));
    expect(sourceOf('2001:db8:1:2::1')).toBe(sourceOf('2001:db8:1:2:ffff::9'));
    expect(sourceOf('2001:db8:1:2::1')).not.toBe(sourceOf('2001:db8:1:3::1'));
  });
});

describe('silence', () => {
  it('leads to pings, and then to the end', () => {
    const silence = new Silence(0);
    expect(silence.dueMs).toBe(PING_AFTER_SILENCE_MS);
    expect(silence.judge(PING_AFTER_SILENCE_MS - 1)).toBe('nothing');
    expect(silence.judge(PING_AFTER_SILENCE_MS)).toBe('ping');
    expect(silence.judge(PING_AFTER_SILENCE_MS)).toBe('nothing');
    expect(silence.judge(2 * PING_AFTER_SILENCE_MS)).toBe('ping');
    expect(silence.dueMs).toBe(LOST_AFTER_SILENCE_MS);
    expect(silence.judge(LOST_AFTER_SILENCE_MS)).toBe('lost');
    silence.heard(LOST_AFTER_SILENCE_MS);
    expect(silence.judge(LOST_AFTER_SILENCE_MS)).toBe('nothing');
  });

  const near = (): number => 20;

  it('is short where there is a doubt: a ping at once and every second, and the end in seconds unless something is heard', () => {
    const silence = new Silence(0);
    expect(silence.startCheck(1_000, near)).toBe(true);
    expect(silence.judge(1_000)).toBe('ping');
    expect(silence.startCheck(1_500, near)).toBe(false);
    expect(silence.judge(1_500)).toBe('nothing');
    for (const second of [2_000, 3_000, 4_000]) expect(silence.judge(second)).toBe('ping');
    expect(silence.judge(1_000 + LOST_AFTER_CHECK_MS)).toBe('lost');
    silence.heard(4_500);
    expect(silence.judge(1_000 + LOST_AFTER_CHECK_MS)).toBe('nothing');
    expect(silence.dueMs).toBe(5_000 + PING_AFTER_SILENCE_MS);
  });

  it('of many peers leads to their pings at one moment', () => {
    const silences = [4_001, 4_500, 5_000].map((nowMs) => new Silence(nowMs));
    for (const silence of silences) expect(silence.dueMs).toBe(5_000 + PING_AFTER_SILENCE_MS);
  });

  it('PW-02: is as long in doubt as a slow line needs, and never longer than without', () => {
    const slow = new Silence(0);
    slow.startCheck(0, () => 300);
    expect(slow.judge(LOST_AFTER_CHECK_MS)).toBe('ping');
    expect(slow.judge(18 * 300)).toBe('lost');
    const slowest = new Silence(0);
    slowest.startCheck(0, () => 5_000);
    expect(slowest.judge(LOST_AFTER_SILENCE_MS)).toBe('lost');
  });
});

describe('the native binding', () => {
  it('names the supported systems on every other one', () => {
    for (const [platform, arch] of [
      ['linux', 'arm64'],
      ['freebsd', 'x64'],
      ['win32', 'arm64'],
    ] as const) {
      expect(() => loadBinding(platform, arch)).toThrow(AppError);
      expect(() => loadBinding(platform, arch)).toThrow(/Linux on x64.*macOS.*Windows on x64/);
    }
  });
});

describe('the watch over the process', () => {
  const sign = (
    second: number,
    processorMs: number,
    activeMs: number,
    work: number,
  ): SignOfLife => ({
    memoryBytes: 1,
    atMs: second * 1_000,
    processorMs: second * processorMs,
    activeMs: second * activeMs,
    work: second * work,
  });
  const verdicts = (
    processorMs: number,
    activeMs: number,
    work: number,
  ): (string | undefined)[] => {
    const watchdog = new Watchdog();
    return Array.from({ length: BUSY_BEATS_MAX + 1 }, (_, second) =>
      watchdog.heard(sign(second, processorMs, activeMs, work)),
    );
  };

  it('ends a process that spins, also on a computer that is short of processors', () => {
    expect(verdicts(990, 1_000, 2).at(-1)).toBe('busy');
    expect(verdicts(120, 1_000, 2).at(-1)).toBe('busy');
    expect(verdicts(990, 1_000, 2).slice(0, -1)).toEqual(Array.from({ length: BUSY_BEATS_MAX }));
  });

  it('leaves one alone that works hard, waits, or spins for a moment only', () => {
    expect(verdicts(990, 1_000, 5_000).at(-1)).toBeUndefined();
    expect(verdicts(50, 1_000, 400).at(-1)).toBeUndefined();
    expect(verdicts(300, 400, 2).at(-1)).toBeUndefined();
    const watchdog = new Watchdog();
    for (let second = 0; second < BUSY_BEATS_MAX; second += 1)
      watchdog.heard(sign(second, 990, 1_000, 2));
    expect(
      watchdog.heard({ ...sign(BUSY_BEATS_MAX, 990, 1_000, 2), work: 10_000 }),
    ).toBeUndefined();
    expect(
      watchdog.heard({ ...sign(BUSY_BEATS_MAX + 1, 990, 1_000, 2), work: 10_002 }),
    ).toBeUndefined();
  });

  it('ends one that swells, and one that misses three beats', () => {
    const watchdog = new Watchdog();
    expect(watchdog.heard({ ...sign(1, 0, 0, 0), memoryBytes: PROCESS_MEMORY_MAX_BYTES + 1 })).toBe(
      'memory',
    );
    const silent = new Watchdog();
    expect(Array.from({ length: HEARTBEATS_MISSED_MAX + 1 }, () => silent.beat()).at(-1)).toBe(
      'silent',
    );
    expect(silent.isCalm).toBe(false);
    expect(silent.heard(sign(1, 0, 0, 0))).toBeUndefined();
    expect(silent.isCalm).toBe(true);
    expect(silent.beat()).toBeUndefined();
  });
});
