// Strangers who finish a handshake with papers, protocols or sessions that are not acceptable, and
// strangers in numbers.
import { afterEach, beforeEach, expect } from 'vitest';
import { createPrivateKey } from 'node:crypto';
import { QUARANTINED_CONNECTIONS_MAX } from '../../main/adapters/quic/limits.ts';
import { keyOfChain } from '../../main/adapters/quic/handshake-check.ts';
import { CLOSE_CODES } from '../../main/ports/transport.ts';
import { newIdentity, type TestHub } from '../integration/quic-test-hub.ts';
import { allowingEarlyData } from './PW-early-session.ts';
import {
  forgedPapers,
  honestPapers,
  LawlessConnection,
  lawlessConfig,
  type Papers,
} from './PW-lawless-peer.ts';
import { LawlessServer } from './PW-lawless-server.ts';
import { attack, expectService, House } from './PW-house.ts';

let house: House;
beforeEach(() => {
  house = new House();
});
afterEach(() => house.close());

async function knock(
  hub: TestHub,
  host: string,
  papers: Papers | null,
  protocols?: readonly string[],
) {
  const connection = new LawlessConnection(
    await house.socket(host),
    hub,
    lawlessConfig(papers, protocols),
  );
  house.atEnd(() => connection.stop());
  return connection;
}

async function twoCertificates(): Promise<Papers> {
  const papers = await honestPapers(newIdentity());
  const other = await honestPapers(newIdentity());
  const chain = Buffer.concat([...papers.certificates, Buffer.from('\n'), ...other.certificates]);
  return { ...papers, certificates: [chain] };
}

attack(
  'PW-06: certificates that are none, of another kind, too many, too large or signed by another key are refused',
  async () => {
    const { hub, control } = await house.open();
    const cases: Readonly<Record<string, Papers | null>> = {
      none: null,
      rsa: await forgedPapers('rsa'),
      p256: await forgedPapers('p256'),
      'two certificates': await twoCertificates(),
      '60 KB': await forgedPapers('ed25519', { paddingBytes: 60_000 }),
      '5 KB': await forgedPapers('ed25519', { paddingBytes: 5_000 }),
      'signed by another key': await forgedPapers('ed25519', { signedByAnother: true }),
    };
    const ends: Record<string, unknown> = {};
    for (const [name, papers] of Object.entries(cases)) {
      const connection = await knock(hub, '127.0.0.2', papers);
      const { isApp, errorCode } = await connection.closed();
      ends[name] =
        !isApp && errorCode >= 0x100 && errorCode < 0x200 ? 'TLS alert' : { isApp, errorCode };
    }
    const expected = Object.keys(cases).map((name) => [name, 'TLS alert']);
    expect(ends).toEqual(Object.fromEntries(expected));
    expect(hub.eventsOf('connected')).toEqual([]);
    await expectService(hub, control);
    expect(hub.eventsOf('connected')).toHaveLength(1);
  },
);

attack(
  'PW-06: a certificate that is cut, padded or bent anywhere is refused without an exception',
  async () => {
    const { certificates } = await honestPapers(newIdentity());
    const der = Buffer.from(String(certificates[0]).replace(/-----[^-]+-----|\s/g, ''), 'base64');
    expect(keyOfChain([der])).toMatchObject({ ok: true });
    for (let length = 0; length < der.length; length += 1)
      expect(keyOfChain([der.subarray(0, length)]).ok).toBe(false);
    expect(keyOfChain([Buffer.concat([der, Buffer.from([0])])]).ok).toBe(false);
    for (let at = 0; at < der.length; at += 1) {
      const bent = Buffer.from(der);
      bent[at] = (bent[at] ?? 0) ^ 0x55;
      expect(keyOfChain([bent]).ok).toBe(false);
    }
    expect(keyOfChain([])).toEqual({ ok: false, error: 'no certificate' });
    expect(keyOfChain(null)).toEqual({ ok: false, error: 'no certificate' });
  },
);

attack(
  'PW-06: whoever is dialled and shows papers that are not acceptable reads why, in a TLS alert',
  async () => {
    const { hub, control } = await house.open();
    const wanted = newIdentity();
    const cases = {
      'another key': [0x12e, await honestPapers(newIdentity())],
      'two certificates': [0x12a, await twoCertificates()],
      '5 KB': [0x12a, await forgedPapers('ed25519', { paddingBytes: 5_000 })],
      '60 KB': [0x12a, await forgedPapers('ed25519', { paddingBytes: 60_000 })],
      'signed by another key': [0x12a, await forgedPapers('ed25519', { signedByAnother: true })],
    } as const;
    for (const [name, [errorCode, papers]] of Object.entries(cases)) {
      const socket = await house.socket('127.0.0.2');
      const server = new LawlessServer(socket, lawlessConfig(papers));
      house.atEnd(() => server.stop());
      const dialled = await hub.transport.dial(
        { ...wanted, ...socket.address },
        AbortSignal.timeout(10_000),
      );
      expect(dialled.ok, name).toBe(false);
      expect(await server.closed(), name).toEqual({ isApp: false, errorCode });
    }
    expect(hub.eventsOf('connected')).toEqual([]);
    await expectService(hub, control);
  },
);

attack('PW-06: a certificate shown without its key does not get through', async () => {
  const { hub, control } = await house.open();
  const [victim, thief] = [await honestPapers(newIdentity()), newIdentity()];
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  const key = createPrivateKey({
    key: Buffer.concat([prefix, thief.seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const stolen = { ...victim, keys: [Buffer.from(key.export({ format: 'pem', type: 'pkcs8' }))] };
  const connection = await knock(hub, '127.0.0.2', stolen);
  expect(await connection.closed()).toMatchObject({ isApp: false });
  expect(hub.eventsOf('connected')).toEqual([]);
  await expectService(hub, control);
});

attack('PW-08: another application protocol is closed within a second', async () => {
  const { hub, control } = await house.open();
  const papers = await honestPapers(newIdentity());
  for (const protocols of [['h3'], ['axon/2'], ['axon'], ['h3', 'axon/10']]) {
    const connection = await knock(hub, '127.0.0.2', papers, protocols);
    const startedAt = performance.now();
    expect(await connection.closed()).toMatchObject({ isApp: false });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  }
  expect(hub.eventsOf('connected')).toEqual([]);
  await expectService(hub, control);
});

attack('PW-09: of 200 strangers 16 find a place, and a paired hub finds its own', async () => {
  const { hub, control } = await house.open();
  const connections: LawlessConnection[] = [];
  for (let number = 0; number < 200; number += 1) {
    // Ten strangers share an address, so the budget of Initials lets them all through.
    const connection = await knock(
      hub,
      `127.0.2.${1 + Math.floor(number / 10)}`,
      await honestPapers(newIdentity()),
    );
    await connection.established();
    connections.push(connection);
  }
  const isClosed = (connection: LawlessConnection): boolean =>
    connection.native.peerError() !== null;
  await connections[0]?.until('the refusals', () =>
    connections.filter(isClosed).length >= 200 - QUARANTINED_CONNECTIONS_MAX ? true : undefined,
  );
  const { connections: open, counters } = await hub.transport.statistics();
  expect(open).toBe(QUARANTINED_CONNECTIONS_MAX);
  // Some were let in first and had to leave for a stranger from an address that had no place yet.
  expect((counters['refused.no-place'] ?? 0) + (counters['connections.evicted'] ?? 0)).toBe(
    200 - QUARANTINED_CONNECTIONS_MAX,
  );
  const refused = connections.filter(isClosed);
  expect(refused).toHaveLength(200 - QUARANTINED_CONNECTIONS_MAX);
  for (const connection of refused)
    expect(connection.native.peerError()).toMatchObject({
      isApp: true,
      errorCode: CLOSE_CODES.overLimit,
    });
  await expectService(hub, control);
  expect((await hub.transport.statistics()).connections).toBe(QUARANTINED_CONNECTIONS_MAX + 1);
});

attack('PW-09: ten parallel connections of one key leave two', async () => {
  const { hub, control } = await house.open();
  const papers = await honestPapers(newIdentity());
  // From two addresses: one source may not have ten handshakes in progress.
  const connections = await Promise.all(
    Array.from({ length: 10 }, (_, number) => knock(hub, `127.0.0.${2 + (number % 2)}`, papers)),
  );
  await hub.until('eight ends', () =>
    hub.eventsOf('disconnected').length === 8 ? true : undefined,
  );
  for (const ended of hub.eventsOf('disconnected'))
    expect(ended).toMatchObject({ code: CLOSE_CODES.duplicate, by: 'local' });
  expect((await hub.transport.statistics()).connections).toBe(2);
  await connections[0]?.until('the closes to arrive', () =>
    connections.filter((connection) => connection.native.peerError() !== null).length === 8
      ? true
      : undefined,
  );
  await expectService(hub, control);
});

/** A stranger's first line, and the ticket it was given there. */
async function ticketOf(hub: TestHub, papers: Papers): Promise<Buffer> {
  const first = await knock(hub, '127.0.0.2', papers);
  await first.established();
  return Buffer.from(
    await first.until('a session ticket', () => first.native.session() ?? undefined),
  );
}

/**
 * Comes back with the ticket, ready for early data, and writes at once, if it may and again when
 * the handshake goes on.
 */
async function comeBack(
  hub: TestHub,
  papers: Papers,
  session: Uint8Array,
): Promise<{ mayWriteEarly: boolean; back: LawlessConnection }> {
  const config = lawlessConfig(papers);
  config.enableEarlyData();
  const back = new LawlessConnection(await house.socket('127.0.0.2'), hub, config, session);
  house.atEnd(() => back.stop());
  const mayWriteEarly = back.native.isInEarlyData();
  if (mayWriteEarly) await back.write(0, Buffer.from('too early'), true);
  return { mayWriteEarly, back };
}

attack(
  'PW-18: a ticket allows no early data, and a session that is resumed after a revoke is closed',
  async () => {
    const { hub, control } = await house.open();
    const identity = newIdentity();
    const papers = await honestPapers(identity);
    const session = await ticketOf(hub, papers);
    hub.transport.setAdmission({ paired: [control.identity.keyHex], refused: [identity.keyHex] });
    await hub.event('disconnected');
    const { mayWriteEarly, back } = await comeBack(hub, papers, session);
    expect(mayWriteEarly).toBe(false);
    expect(await back.closed()).toMatchObject({ isApp: false });
    await hub.counter('refused.resumed', (count) => count === 1);
    expect(hub.eventsOf('connected')).toHaveLength(1);
    await expectService(hub, control);
  },
);

attack(
  'PW-18: early data sent with a bent ticket is counted and never delivered, not even of a paired hub',
  async () => {
    const { hub, control } = await house.open();
    const identity = newIdentity();
    hub.trust(control, identity);
    const papers = await honestPapers(identity);
    const session = allowingEarlyData(await ticketOf(hub, papers));
    const { mayWriteEarly, back } = await comeBack(hub, papers, session);
    expect(mayWriteEarly).toBe(true);
    await hub.counter('dropped.zero-rtt', (count) => count > 0);
    expect(await back.closed()).toMatchObject({ isApp: false });
    await hub.counter('refused.resumed', (count) => count === 1);
    expect(hub.eventsOf('connected')).toHaveLength(1);
    expect(hub.eventsOf('request')).toEqual([]);
    expect(back.answers.size).toBe(0);
    await expectService(hub, control);
  },
);
