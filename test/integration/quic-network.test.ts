// The transport on a network as it is: losing, slow, changing addresses, gone.
import dgram from 'node:dgram';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LAST_WORD_LIMIT_MS } from '../../main/adapters/quic/limits.ts';
import { CLOSE_CODES } from '../../main/ports/transport.ts';
import { UdpLine } from '../support/udp-line.ts';
import { createInProcessTransport } from '../support/in-process-transport.ts';
import { Household, newIdentity, systemDeps, type TestHub } from './quic-test-hub.ts';

/** Beyond what any of them needs, and far below what a line that never ends sends. */
const DATAGRAMS_OF_A_LINE_MAX = 100;
const HASTY_LINES = 40;

let household: Household;
const links: UdpLine[] = [];
beforeEach(() => {
  household = new Household(() => createInProcessTransport(systemDeps));
});
afterEach(async () => {
  await household.stop();
  for (const link of links.splice(0)) link.close();
});

async function linked(): Promise<{
  near: TestHub;
  far: TestHub;
  link: UdpLine;
  connectionId: number;
}> {
  const [near, far] = [await household.hub(), await household.hub()];
  near.trust(far);
  far.trust(near);
  const link = new UdpLine(far.port);
  links.push(link);
  const port = await link.open();
  const dialled = await near.transport.dial({ ...far.target, port }, AbortSignal.timeout(10_000));
  if (!dialled.ok) throw new Error(`the dial failed: ${JSON.stringify(dialled.error)}`);
  await far.event('connected');
  return { near, far, link, connectionId: dialled.value.connectionId };
}

it('F-19: a link that loses every fifth datagram and takes 60 ms carries every message once', async () => {
  const { near, far, link, connectionId } = await linked();
  link.loss = 0.2;
  link.delayMs = 30;
  const sizes = Array.from({ length: 60 }, (_, number) => (number % 10 === 0 ? 20_000 : 400));
  const answers = await Promise.all(
    sizes.map((size, number) =>
      near.transport.request(connectionId, new Uint8Array(size).fill(number), 50_000),
    ),
  );
  for (const [number, answer] of answers.entries()) {
    expect(answer).toMatchObject({ ok: true });
    expect(
      answer.ok && Buffer.from(answer.value).equals(Buffer.alloc(sizes[number] ?? 0, number)),
    ).toBe(true);
  }
  expect(far.eventsOf('request')).toHaveLength(sizes.length);
  // A peer is not to be blamed for its line.
  for (const hub of [near, far]) expect(hub.eventsOf('violation')).toEqual([]);
}, 60_000);

it('a message that is late is written to its end: a reset would cost the line its credit', async () => {
  const { near, far, link, connectionId } = await linked();
  link.delayMs = 400;
  const sent = near.transport.request(connectionId, new Uint8Array(60_000), 1_000);
  expect(await sent).toMatchObject({ ok: false, error: { type: 'timeout' } });
  expect(far.eventsOf('request')).toEqual([]);
  expect((await far.event('request')).bytes).toHaveLength(60_000);
  link.delayMs = 0;
  expect(await near.transport.request(connectionId, new Uint8Array([1]), 5_000)).toMatchObject({
    ok: true,
  });
}, 30_000);

it('follows a peer whose address a NAT has changed, once the new path is validated', async () => {
  const { near, far, link, connectionId } = await linked();
  const port = await link.rebind();
  expect(await near.transport.request(connectionId, new Uint8Array([1]), 5_000)).toMatchObject({
    ok: true,
  });
  expect(await far.event('path-changed')).toMatchObject({
    connection: { port, keyHex: near.identity.keyHex },
  });
  const { connection } = await far.event('connected');
  expect(
    await far.transport.request(connection.connectionId, new Uint8Array([2]), 5_000),
  ).toMatchObject({ ok: true });
  expect(far.eventsOf('disconnected')).toEqual([]);
});

it('F-19: follows a peer that a NAT moves again and again', async () => {
  const { near, far, link, connectionId } = await linked();
  for (let number = 0; number < 12; number += 1) {
    const port = await link.rebind();
    const answer = await near.transport.request(
      connectionId,
      new Uint8Array(400).fill(number),
      10_000,
    );
    expect(answer.ok && Buffer.from(answer.value).equals(Buffer.alloc(400, number))).toBe(true);
    await far.event('path-changed', ({ connection }) => connection.port === port);
  }
  expect(far.eventsOf('request')).toHaveLength(12);
  for (const hub of [near, far]) expect(hub.eventsOf('disconnected')).toEqual([]);
});

it.each([4_000, 60_000])(
  'F-19: an answer of %i bytes that was under way when a NAT moved its asker arrives all the same',
  async (size) => {
    const { near, far, link, connectionId } = await linked();
    link.delayMs = 2;
    far.answer = async (hub, { connectionId: from, streamId, bytes }) => {
      const isLong = bytes.length === 1;
      // All that leaves at once goes to where the asker was.
      if (isLong) await link.rebind();
      hub.transport.respond(from, streamId, new Uint8Array(isLong ? size : 1).fill(7));
      // Only when it speaks again can the asker be followed.
      if (isLong)
        setImmediate(() => void near.transport.request(connectionId, new Uint8Array(2), 5_000));
    };
    const answer = await near.transport.request(connectionId, new Uint8Array(1), 5_000);
    expect(answer.ok && Buffer.from(answer.value).equals(Buffer.alloc(size, 7))).toBe(true);
    await far.event('path-changed');
  },
);

it('F-19: few connections end where a NAT moves the peer and every tenth datagram is lost', async () => {
  const ends = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const { near, far, link, connectionId } = await linked();
      far.answer = (hub, { connectionId: from, streamId }) =>
        hub.transport.respond(from, streamId, new Uint8Array(5_000));
      Object.assign(link, { delayMs: 2, loss: 0.1, rebindEvery: 40 });
      const ask = async (): Promise<void> => {
        for (let number = 0; number < 25; number += 1)
          await near.transport.request(connectionId, new Uint8Array(2_000), 4_000);
      };
      await Promise.all([ask(), ask(), ask(), ask()]);
      expect(link.counts.rebindings).toBeGreaterThan(0);
      return far.eventsOf('disconnected').length;
    }),
  );
  // Most of them did while the library was left to ask a moved peer for proof when it liked; chance
  // alone may still end one.
  expect(ends.reduce((sum, count) => sum + count, 0)).toBeLessThan(4);
  // Twenty-five one after the other, of which each may wait for its whole limit.
}, 120_000);

it('P12: a peer that falls silent counts as lost within twenty seconds, one that is merely idle does not', async () => {
  const idle = await linked();
  const { near, far, link, connectionId } = await linked();
  link.isCut = true;
  const startedAt = performance.now();
  const waiting = near.transport.request(connectionId, new Uint8Array([1]), 60_000);
  const lost = await near.until('the loss', () => near.eventsOf('disconnected')[0], 25_000);
  expect(lost).toMatchObject({ by: 'network', code: null });
  expect(performance.now() - startedAt).toBeGreaterThan(15_000);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  expect(await waiting).toMatchObject({ ok: false, error: { type: 'closed', by: 'network' } });
  await far.until('the loss at the other end', () => far.eventsOf('disconnected')[0], 10_000);
  // Nobody said a word on the other connection for as long: pings kept it.
  expect(idle.near.eventsOf('disconnected')).toEqual([]);
  expect(idle.far.eventsOf('disconnected')).toEqual([]);
  expect(
    await idle.near.transport.request(idle.connectionId, new Uint8Array([1]), 2_000),
  ).toMatchObject({ ok: true });
}, 40_000);

it.each([
  ['passes everything on', Infinity],
  // Only what asks for the connection and shows the token: the dialled end is never done.
  ['holds the end of the handshake back', 2],
])('a hub knows itself through a relay that %s', async (_what, outMax) => {
  const near = await household.hub();
  const relay = new UdpLine(near.port);
  links.push(relay);
  relay.outMax = outMax;
  const port = await relay.open();
  expect(
    await near.transport.dial({ ...near.target, port }, AbortSignal.timeout(10_000)),
  ).toMatchObject({ ok: false, error: { type: 'refused' } });
  expect(near.eventsOf('connected')).toEqual([]);
});

it('a dial into nothing fails with a timeout after ten seconds', async () => {
  const { near, link, far } = await linked();
  link.isCut = true;
  const nowhere = new UdpLine(far.port);
  links.push(nowhere);
  nowhere.isCut = true;
  const port = await nowhere.open();
  const startedAt = performance.now();
  const result = await near.transport.dial({ ...far.target, port }, AbortSignal.timeout(30_000));
  expect(result).toEqual({ ok: false, error: { type: 'timeout' } });
  expect(performance.now() - startedAt).toBeLessThan(15_000);
});

it('a dial that is given up in silence is heard of once more, so that the other side can be told', async () => {
  const near = await household.hub();
  const silent = dgram.createSocket('udp4');
  let arrived = 0;
  silent.on('message', () => (arrived += 1));
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
  try {
    const nobody = newIdentity();
    const giveUp = new AbortController();
    const { port } = silent.address();
    const dialled = near.transport.dial({ ...nobody, host: '127.0.0.1', port }, giveUp.signal);
    // One at 0 and at 1 second, two at 3; the next ones are due at 7.
    await expect.poll(() => arrived, { timeout: 8_000 }).toBe(4);
    giveUp.abort();
    expect(await dialled).toEqual({ ok: false, error: { type: 'aborted' } });
    await expect.poll(() => arrived, { timeout: LAST_WORD_LIMIT_MS }).toBe(6);
  } finally {
    silent.close();
  }
});

it('a hub that hangs up before its handshake is confirmed says so in a few datagrams', async () => {
  const { near, far } = await linked();
  const before = (await near.transport.statistics()).counters['datagrams.sent'] ?? 0;
  for (let lines = 0; lines < HASTY_LINES; lines += 1) {
    const { connectionId } = await near.connect(far);
    await near.transport.send(connectionId, new Uint8Array(20_000));
    near.transport.close(connectionId, CLOSE_CODES.done, 'done');
  }
  const { counters } = await near.transport.statistics();
  expect((counters['datagrams.sent'] ?? 0) - before).toBeLessThan(
    DATAGRAMS_OF_A_LINE_MAX * HASTY_LINES,
  );
});

it('seventeen dials at once leave one that is told to wait', async () => {
  const { near, far } = await linked();
  const nowhere = new UdpLine(far.port);
  links.push(nowhere);
  nowhere.isCut = true;
  const port = await nowhere.open();
  const abort = new AbortController();
  const dials = Array.from({ length: 17 }, () =>
    near.transport.dial({ ...far.target, port }, abort.signal),
  );
  expect(await dials[16]).toEqual({ ok: false, error: { type: 'busy' } });
  abort.abort();
  for (const dial of dials.slice(0, 16))
    expect(await dial).toEqual({ ok: false, error: { type: 'aborted' } });
});

it('works over IPv6, and over both with one socket', async () => {
  const [dual, six, four] = [
    await household.hub('::'),
    await household.hub('::1'),
    await household.hub('127.0.0.1'),
  ];
  for (const other of [six, four]) {
    const { connectionId, host } = await dual.connect(other);
    expect(host).toBe(other.host);
    expect(await dual.transport.request(connectionId, new Uint8Array([1]), 5_000)).toMatchObject({
      ok: true,
    });
    const incoming = await other.event('connected');
    expect(incoming.connection.host).toBe(other.host);
  }
});
