// Clients that no QUIC library lets one be, with a handshake made by hand: no application protocol
// at all, and certificates that are cut or bent where only the hub's own TLS sees it.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { afterEach, beforeEach, expect } from 'vitest';
import { newIdentity, type Identity, type TestHub } from '../integration/quic-test-hub.ts';
import { CraftedHandshake, type ClientPapers } from './PW-crafted-handshake.ts';
import { honestPapers } from './PW-lawless-peer.ts';
import { attack, expectService, House } from './PW-house.ts';

const ALERTS = { from: 0x100, to: 0x1ff, noApplicationProtocol: 0x178 } as const;

let house: House;
beforeEach(() => {
  house = new House();
});
afterEach(() => house.close());

async function papersOf(
  identity: Identity,
): Promise<{ readonly certificate: Buffer; readonly key: KeyObject }> {
  const { keys, certificates } = await honestPapers(identity);
  const certificate = Buffer.from(
    String(certificates[0]).replace(/-----[^-]+-----|\s/g, ''),
    'base64',
  );
  return { certificate, key: createPrivateKey(Buffer.from(keys[0] ?? [])) };
}

async function shake(
  hub: TestHub,
  papers: ClientPapers,
  protocols: readonly string[] | null = ['axon/1'],
  firstIdBytes?: number,
) {
  const before = hub.eventsOf('connected').length;
  const handshake = new CraftedHandshake(
    await house.socket('127.0.0.2'),
    hub,
    protocols,
    papers,
    firstIdBytes,
  );
  return handshake.run(() => hub.eventsOf('connected').length > before);
}

attack(
  'PW-06: a handshake made by hand with honest papers is let in, so the refusals below are for what is wrong in them',
  async () => {
    const { hub, control } = await house.open();
    const identity = newIdentity();
    const { certificate, key } = await papersOf(identity);
    expect(await shake(hub, { certificates: [certificate], key })).toEqual({
      errorCode: null,
      sentAll: true,
    });
    expect(await hub.event('connected')).toMatchObject({
      connection: { keyHex: identity.keyHex, direction: 'incoming' },
    });
    await expectService(hub, control);
  },
);

attack(
  'PW-06: a client may make up a first connection id of any length that QUIC allows',
  async () => {
    const { hub, control } = await house.open();
    for (let length = 8; length <= 20; length += 1) {
      const { certificate, key } = await papersOf(newIdentity());
      expect(await shake(hub, { certificates: [certificate], key }, ['axon/1'], length)).toEqual({
        errorCode: null,
        sentAll: true,
      });
    }
    expect(hub.eventsOf('connected')).toHaveLength(13);
    await expectService(hub, control);
  },
);

attack('PW-08: a client without any application protocol is closed within a second', async () => {
  const { hub, control } = await house.open();
  const { certificate, key } = await papersOf(newIdentity());
  const { errorCode } = await shake(hub, { certificates: [certificate], key }, null);
  expect(errorCode).toBe(ALERTS.noApplicationProtocol);
  await hub.counter('half-open.now', (count) => count === 0);
  expect(hub.events).toEqual([]);
  // The second is the hub's own: where none ever ends, the client is closed all the same, so no
  // limit of time had to run out.
  const timeless = await house.hubOfOneSecond();
  expect((await shake(timeless, { certificates: [certificate], key }, null)).errorCode).toBe(
    ALERTS.noApplicationProtocol,
  );
  await timeless.counter('half-open.now', (count) => count === 0);
  expect(timeless.events).toEqual([]);
  await expectService(hub, control);
});

attack(
  'PW-06: certificates that are cut, empty, padded, bent or not proved are refused in the handshake itself',
  async () => {
    const { hub, control } = await house.open();
    const { certificate, key } = await papersOf(newIdentity());
    const bent = Buffer.from(certificate);
    // A byte of the key's own algorithm: it is no Ed25519 certificate any more.
    bent[certificate.indexOf(Buffer.from('302a300506032b6570', 'hex')) + 8] = 0x71;
    const overlong = Buffer.concat([certificate, Buffer.alloc(5_000)]);
    const cases: Readonly<Record<string, ClientPapers>> = {
      'cut in half': { certificates: [certificate.subarray(0, certificate.length / 2)], key },
      'without its last byte': { certificates: [certificate.subarray(0, -1)], key },
      'only its first byte': { certificates: [certificate.subarray(0, 1)], key },
      empty: { certificates: [Buffer.alloc(0)], key },
      'no certificate, but proof': { certificates: [], key },
      'a certificate without proof': { certificates: [certificate], key: null },
      'proof by another key': {
        certificates: [certificate],
        key: generateKeyPairSync('ed25519').privateKey,
      },
      padded: { certificates: [overlong], key },
      'a good one and a cut one': { certificates: [certificate, certificate.subarray(0, 40)], key },
      'of another algorithm': { certificates: [bent], key },
    };
    const outcomes: Record<string, string> = {};
    for (const [name, papers] of Object.entries(cases)) {
      const { errorCode } = await shake(hub, papers);
      const isAlert = errorCode !== null && errorCode >= ALERTS.from && errorCode <= ALERTS.to;
      outcomes[name] = isAlert ? 'TLS alert' : String(errorCode);
    }
    expect(outcomes).toEqual(
      Object.fromEntries(Object.keys(cases).map((name) => [name, 'TLS alert'])),
    );
    await hub.counter('half-open.now', (count) => count === 0);
    expect(hub.events).toEqual([]);
    await expectService(hub, control);
  },
);
