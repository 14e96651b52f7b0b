// Peers that are paired and break the rules of streams: too large, too slow, never ending. The
// connection lives on.
import { afterEach, beforeEach, expect } from 'vitest';
import { CONNECTION_WINDOW_BYTES } from '../../main/adapters/quic/limits.ts';
import { CLOSE_CODES } from '../../main/ports/transport.ts';
import { newIdentity, type TestHub } from '../integration/quic-test-hub.ts';
import { honestPapers, LawlessConnection, lawlessConfig } from './PW-lawless-peer.ts';
import { attack, expectService, House } from './PW-house.ts';

let house: House;
beforeEach(() => {
  house = new House();
});
afterEach(() => house.close());

const text = (words: string): Uint8Array => new TextEncoder().encode(words);

/** A paired peer without manners. */
async function lawlessPeer(hub: TestHub, control: TestHub): Promise<LawlessConnection> {
  const identity = newIdentity();
  hub.trust(control, identity);
  const connection = new LawlessConnection(
    await house.socket('127.0.0.2'),
    hub,
    lawlessConfig(await honestPapers(identity)),
  );
  house.atEnd(() => connection.stop());
  await connection.established();
  return connection;
}

attack(
  'PW-12: 65,536 bytes pass; 65,537 bytes and 10 MB are reset, and the connection lives on',
  async () => {
    const { hub, control } = await house.open();
    const peer = await lawlessPeer(hub, control);
    const largest = new Uint8Array(65_536).fill(65);
    await peer.write(0, largest, true);
    const answer = await peer.until('the answer', () => peer.answers.get(0));
    expect(answer.equals(largest)).toBe(true);

    await peer.write(4, new Uint8Array(65_537), true);
    expect(await peer.until('the reset', () => peer.resets.get(4))).toBe(CLOSE_CODES.overLimit);
    expect(await peer.write(8, new Uint8Array(10 * 1024 * 1024), true)).toBe('stopped');
    await hub.until('two violations', () =>
      hub.eventsOf('violation').length === 2 ? true : undefined,
    );
    for (const violation of hub.eventsOf('violation')) expect(violation.rule).toBe('too-large');
    expect(hub.eventsOf('request')).toHaveLength(1);

    await peer.write(12, text('and now a short one'), true);
    await peer.until('the answer', () => peer.answers.get(12));
    expect(hub.eventsOf('disconnected')).toEqual([]);
    await expectService(hub, control);
  },
);

attack('PW-12: a one-way message of 65,537 bytes is not delivered', async () => {
  const { hub, control } = await house.open();
  const peer = await lawlessPeer(hub, control);
  await peer.write(2, new Uint8Array(65_537), true);
  await hub.event('violation');
  await peer.write(6, text('short'), true);
  const { bytes } = await hub.event('message');
  expect(Buffer.from(bytes).toString()).toBe('short');
  expect(hub.eventsOf('message')).toHaveLength(1);
  await expectService(hub, control);
});

attack('PW-10: a stream that brings one byte a second is reset within ten seconds', async () => {
  const { hub, control } = await house.open();
  const peer = await lawlessPeer(hub, control);
  const startedAt = performance.now();
  const drip = setInterval(() => void peer.write(0, text('x'), false).catch(() => {}), 1_000);
  house.atEnd(() => clearInterval(drip));
  await peer.write(0, text('x'), false);
  expect(await hub.event('violation')).toMatchObject({ rule: 'too-slow' });
  expect(await peer.until('the reset', () => peer.resets.get(0))).toBe(CLOSE_CODES.tooSlow);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  clearInterval(drip);
  await expectService(hub, control);
});

attack(
  'PW-10: sixteen streams that bring 64 KiB and never end are reset within ten seconds, and their credit returns',
  async () => {
    const { hub, control } = await house.open();
    const peer = await lawlessPeer(hub, control);
    const before = peer.native.peerStreamsLeftBidi();
    const startedAt = performance.now();
    for (let number = 0; number < 16; number += 1)
      await peer.write(number * 4, new Uint8Array(65_536), false);
    await expectService(hub, control);
    await hub.until('sixteen violations', () =>
      hub.eventsOf('violation').length === 16 ? true : undefined,
    );
    expect(performance.now() - startedAt).toBeLessThan(12_000);
    expect(hub.eventsOf('request').filter((request) => request.bytes.length === 65_536)).toEqual(
      [],
    );
    await peer.until('the resets', () => (peer.resets.size === 16 ? true : undefined));
    // As many streams as ever can be opened afterwards. And they bring more than the connection's
    // window held: what the sixteen took of it is given back, too.
    const next = new Uint8Array(2 * Math.ceil(CONNECTION_WINDOW_BYTES / before));
    for (let number = 16; number < 16 + before; number += 1)
      await peer.write(number * 4, next, true);
    await peer.until('the answers', () => (peer.answers.size === before ? true : undefined));
    // The hub gives streams back by the half: with those of the sixteen counted as taken there
    // would be fewer.
    await peer.until('the credit', () =>
      peer.native.peerStreamsLeftBidi() >= before / 2 ? true : undefined,
    );
    expect((await hub.transport.statistics()).counters['unfinished-bytes.now']).toBe(0);
    expect(hub.eventsOf('disconnected')).toEqual([]);
  },
);

attack('PW-10: a stream whose answer is never read does not stop the others', async () => {
  const { hub, control } = await house.open();
  const identity = newIdentity();
  hub.trust(control, identity);
  const config = lawlessConfig(await honestPapers(identity));
  // Answers on its own streams may not be longer than this until it reads, and it never does.
  config.setInitialMaxStreamDataBidiLocal(1_000);
  const peer = new LawlessConnection(await house.socket('127.0.0.2'), hub, config);
  house.atEnd(() => peer.stop());
  await peer.established();
  peer.reads = (streamId) => streamId !== 0;
  await peer.write(0, new Uint8Array(50_000), true);
  await hub.event('request');
  for (let number = 1; number <= 20; number += 1)
    await peer.write(number * 4, text(`quick ${number}`), true);
  await peer.until('the other answers', () => (peer.answers.size === 20 ? true : undefined));
  expect(peer.answers.has(0)).toBe(false);
  await expectService(hub, control);
});

attack(
  'PW-14: deep and odd JSON passes the transport as bytes, and the connection lives on',
  async () => {
    const { hub, control } = await house.open();
    const peer = await lawlessPeer(hub, control);
    const documents = [
      '['.repeat(32_768),
      `${'['.repeat(32_000)}${']'.repeat(32_000)}`,
      '{"a":1e999}',
      '{"a":9007199254740993}',
      '\ud800',
      '{}{}',
    ];
    for (const [number, document] of documents.entries())
      await peer.write(number * 4, text(document), true);
    await peer.until('the answers', () =>
      peer.answers.size === documents.length ? true : undefined,
    );
    for (const [number, document] of documents.entries())
      expect(peer.answers.get(number * 4)?.equals(text(document))).toBe(true);
    expect(hub.eventsOf('disconnected')).toEqual([]);
    await expectService(hub, control);
  },
);
