// A hostile computer on the home network: crafted packets, false announcements and floods, and what
// our own packets give away.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BareSocket } from './bare-socket.ts';
import {
  advertBytes,
  answerBytes,
  nameBytes,
  queryBytes,
  readMessage,
  recordBytes,
  srvData,
  TYPES,
  txtData,
} from './dns-message.ts';
import { DiscoveryProgram, identityOf, type HubIdentity } from './found-hubs.ts';
import { rounds } from '../support/counts.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { Lan } from './namespaces.ts';

const SERVICE = '_axon._udp.local';
const FOUND_WITHIN_MS = 5_000;
const KID = '10.77.0.3';

function txtOf(identity: HubIdentity): string[] {
  return [`agent_id=${identity.agentId}`, `pubkey=${identity.publicKeyBase64}`, 'v=1'];
}

/** Packets that break the format in every way that has been thought of. */
function malformedPackets(): readonly Uint8Array[] {
  const service = nameBytes(SERVICE);
  const fixed = (type: number, size: number): Buffer => {
    const middle = Buffer.alloc(10);
    middle.writeUInt16BE(type, 0);
    middle.writeUInt16BE(1, 2);
    middle.writeUInt32BE(120, 4);
    middle.writeUInt16BE(size, 8);
    return middle;
  };
  const random = Buffer.from(Array.from({ length: 512 }, (_, index) => (index * 167 + 13) % 256));
  const instance = `x.${SERVICE}`;
  const pointer = { name: SERVICE, type: 'PTR', ttl: 120 } as const;
  // 1,000 records fit into 9 KB only as pointers to one name.
  const small: Uint8Array = Buffer.concat([
    Buffer.from([0xc0, 0x0c]),
    fixed(TYPES.PTR, 2),
    Buffer.from([0xc0, 0x0c]),
  ]);
  const chain = Buffer.concat([
    service,
    ...Array.from({ length: 600 }, (_, index) =>
      pointerTo(index === 0 ? 12 : 12 + service.length + 2 * (index - 1)),
    ),
  ]);
  return [
    Buffer.alloc(0),
    Buffer.from([0]),
    random,
    Buffer.concat([Buffer.from([0, 0, 0x84, 0]), random]),
    Buffer.alloc(9_216, 0xc0),
    Buffer.concat([answerBytes([], { answers: 2 }), Buffer.alloc(9_000)]),
    answerBytes([], { answers: 65_535 }),
    answerBytes([], { flags: 0, questions: 65_535, answers: 65_535 }),
    answerBytes([Buffer.concat([pointerTo(12), fixed(TYPES.PTR, 2), pointerTo(12)])]),
    answerBytes([Buffer.concat([pointerTo(200), fixed(TYPES.PTR, 2), pointerTo(0x3fff)])]),
    answerBytes([Buffer.concat([Buffer.of(1, 97), pointerTo(12), fixed(TYPES.PTR, 2)])]),
    answerBytes([Buffer.concat([Buffer.of(0x40, 1, 0x80, 2), fixed(TYPES.A, 4), Buffer.alloc(4)])]),
    answerBytes([Buffer.concat([chain, fixed(TYPES.PTR, 2), pointerTo(1_100)])]),
    answerBytes(
      Array.from({ length: 1_000 }, () => small).toSpliced(
        0,
        1,
        recordBytes({ ...pointer, data: nameBytes(instance) }),
      ),
    ),
    answerBytes([Buffer.concat([service, fixed(5, service.length), service])]),
    answerBytes([Buffer.concat([service, fixed(TYPES.PTR, 500)])]),
    answerBytes([Buffer.concat([nameBytes(instance), fixed(TYPES.TXT, 3), Buffer.of(255, 1, 2)])]),
    answerBytes([
      Buffer.concat([nameBytes(instance), fixed(TYPES.TXT, 65_535), Buffer.alloc(900, 200)]),
    ]),
    answerBytes([Buffer.concat([nameBytes(instance), fixed(TYPES.SRV, 2), Buffer.of(0, 1)])]),
    answerBytes([Buffer.concat([nameBytes(instance), fixed(TYPES.A, 2), Buffer.of(10, 77)])]),
    answerBytes([Buffer.concat([nameBytes(instance), fixed(TYPES.AAAA, 1), Buffer.of(1)])]),
    answerBytes([Buffer.concat([Buffer.of(0), fixed(41, 65_000)])]),
    answerBytes([Buffer.concat([nameBytes(instance), fixed(47, 40), random.subarray(0, 40)])]),
    answerBytes([
      recordBytes({ ...pointer, data: Buffer.from([4, 0xff, 0xfe, 0xc3, 0x28, ...service]) }),
    ]),
    answerBytes([recordBytes({ ...pointer, data: nameBytes(`__proto__.${SERVICE}`) })]),
    answerBytes([
      recordBytes({
        name: `__proto__.${SERVICE}`,
        type: 'TXT',
        ttl: 120,
        data: txtData(['__proto__=1', 'constructor=2', '=', '']),
      }),
    ]),
    answerBytes([
      recordBytes({ name: SERVICE, type: 'SRV', ttl: 120, data: srvData(7_100, SERVICE) }),
    ]),
    answerBytes([nameBytes(SERVICE)], { flags: 0, questions: 1, answers: 0 }),
  ];
}

function pointerTo(offset: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(0xc000 | offset);
  return bytes;
}

/** Well-formed announcements of hubs that must not be believed, each with what is wrong. */
function falseAdverts(): readonly {
  readonly wrong: string;
  readonly identity: HubIdentity;
  readonly bytes: Buffer;
}[] {
  const advert = (
    wrong: string,
    change: Partial<Parameters<typeof advertBytes>[0]> & {
      readonly txtFor?: (identity: HubIdentity) => string[];
    },
  ) => {
    const identity = identityOf(wrong);
    const label = `false-${identity.agentId.slice(8, 20)}`;
    const txt = change.txtFor?.(identity) ?? txtOf(identity);
    return {
      wrong,
      identity,
      bytes: advertBytes({
        label,
        host: `${label}.local`,
        address: KID,
        port: 7_100,
        ...change,
        txt,
      }),
    };
  };
  const padless = (text: string): string => text.replaceAll('=', '');
  return [
    ...[
      '127.0.0.1',
      '224.0.0.251',
      '255.255.255.255',
      '10.77.0.255',
      '10.77.0.0',
      '0.0.0.0',
      '169.254.169.254',
      '8.8.8.8',
      '192.168.1.7',
    ].map((address) => advert(`address ${address}`, { address })),
    ...[0, 22, 1_023].map((port) => advert(`port ${port}`, { port })),
    advert('another key', {
      txtFor: (identity) => [
        `agent_id=${identity.agentId}`,
        `pubkey=${identityOf('somebody').publicKeyBase64}`,
        'v=1',
      ],
    }),
    advert('upper case', {
      txtFor: (identity) => txtOf({ ...identity, agentId: identity.agentId.toUpperCase() }),
    }),
    advert('no padding', {
      txtFor: (identity) => [
        `agent_id=${identity.agentId}`,
        `pubkey=${padless(identity.publicKeyBase64)}`,
        'v=1',
      ],
    }),
    advert('short key', {
      txtFor: (identity) => [`agent_id=${identity.agentId}`, 'pubkey=AAAA', 'v=1'],
    }),
    advert('version 2', { txtFor: (identity) => [...txtOf(identity).slice(0, 2), 'v=2'] }),
    advert('no version', { txtFor: (identity) => txtOf(identity).slice(0, 2) }),
    advert('another first', {
      txtFor: (identity) => [`agent_id=ed25519.${'0'.repeat(32)}`, ...txtOf(identity)],
    }),
    advert('large TXT', {
      txtFor: (identity) => [
        ...txtOf(identity),
        ...Array.from({ length: 4 }, () => 'x'.repeat(250)),
      ],
    }),
    advert('many strings', {
      txtFor: (identity) => [...txtOf(identity), ...Array.from({ length: 40 }, () => 'k=v')],
    }),
  ];
}

describe.skipIf(!hasRealPart('namespaces'))('a hostile computer on the home network', () => {
  let lan: Lan;
  beforeEach(() => {
    lan = new Lan(['dad', 'mum', 'kid']);
  });
  afterEach(async () => {
    await lan.close();
  });

  it('MD-04: malformed packets of every kind end nothing, and hubs are still found and answered', async () => {
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    const kid = await BareSocket.open(lan.host('kid'));
    await kid.send(malformedPackets());
    await kid.send(malformedPackets(), lan.host('dad').address);
    const mum = await DiscoveryProgram.start(lan.host('mum'), 'mum');
    await Promise.all([
      dad.found(mum.identity.agentId, FOUND_WITHIN_MS),
      mum.found(dad.identity.agentId, FOUND_WITHIN_MS),
    ]);
    expect(dad.foundIds).toEqual([mum.identity.agentId]);
    expect(dad.crashes).toEqual([]);
    expect(await dad.stop()).toBe(0);
  });

  it('MD-04: an announcement from an address that is not on the link is dropped, also when it comes by unicast', async () => {
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    lan.host('kid').run('ip', ['addr', 'add', '172.30.9.9/24', 'dev', 'eth0']);
    lan
      .host('kid')
      .run('ip', ['route', 'replace', '10.77.0.0/24', 'dev', 'eth0', 'src', '172.30.9.9']);
    const kid = await BareSocket.open(lan.host('kid'), '172.30.9.9');
    const stranger = identityOf('stranger');
    const packet = advertBytes({
      label: 'stranger',
      host: 'stranger.local',
      address: '10.77.0.9',
      port: 7_100,
      txt: txtOf(stranger),
    });
    const witness = await BareSocket.open(lan.host('mum'));
    await kid.send([packet]);
    await kid.send([packet], lan.host('dad').address);
    await witness.until(({ from }) => from === '172.30.9.9', FOUND_WITHIN_MS);
    const mum = await DiscoveryProgram.start(lan.host('mum'), 'mum');
    await dad.found(mum.identity.agentId, FOUND_WITHIN_MS);
    expect(dad.foundIds).not.toContain(stranger.agentId);
  });

  it('announcements of addresses, ports, keys or versions that do not fit are not believed', async () => {
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    const kid = await BareSocket.open(lan.host('kid'));
    const adverts = falseAdverts();
    await kid.send(adverts.map((advert) => advert.bytes));
    const honest = identityOf('honest');
    await kid.send([
      advertBytes({
        label: 'honest',
        host: 'honest.local',
        address: KID,
        port: 7_100,
        txt: txtOf(honest),
      }),
    ]);
    expect(await dad.found(honest.agentId, FOUND_WITHIN_MS)).toMatchObject({
      addresses: [KID],
      label: 'honest',
    });
    const believed = adverts
      .filter((advert) => dad.foundIds.includes(advert.identity.agentId))
      .map((advert) => advert.wrong);
    expect(believed).toEqual([]);
  });

  it('MD-01: another computer can neither displace nor end the announcement of a hub', async () => {
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    const mum = await DiscoveryProgram.start(lan.host('mum'), 'mum');
    const { label } = await dad.found(mum.identity.agentId, FOUND_WITHIN_MS);
    const kid = await BareSocket.open(lan.host('kid'));
    const copy = { label, host: 'copy.local', address: KID, port: 7_100, txt: txtOf(mum.identity) };
    await kid.send([advertBytes(copy)]);
    const both = await dad.found(mum.identity.agentId, FOUND_WITHIN_MS, 0, (hub) =>
      hub.addresses.includes(KID),
    );
    expect(both.addresses).toContain('10.77.0.2');
    const mark = dad.mark;
    await kid.send([advertBytes({ ...copy, ttl: 0 })]);
    const one = await dad.found(
      mum.identity.agentId,
      FOUND_WITHIN_MS,
      mark,
      (hub) => !hub.addresses.includes(KID),
    );
    expect(one.addresses).toEqual(['10.77.0.2']);
    await expect(dad.lost(mum.identity.agentId, 1_500)).rejects.toThrow('nothing of the kind');
  });

  it('MD-03: 5,000 random announcements from one computer take few places and starve nobody', async () => {
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    const kid = await BareSocket.open(lan.host('kid'));
    const flood = Array.from({ length: 5_000 }, (_, index) => {
      const label = `flood-${index}`;
      return advertBytes({
        label,
        host: `${label}.local`,
        address: KID,
        port: 7_100,
        txt: txtOf(identityOf(label)),
      });
    });
    await kid.send(flood);
    const mum = await DiscoveryProgram.start(lan.host('mum'), 'mum');
    await Promise.all([
      dad.found(mum.identity.agentId, FOUND_WITHIN_MS),
      mum.found(dad.identity.agentId, FOUND_WITHIN_MS),
    ]);
    expect(new Set(dad.foundIds).size).toBeLessThanOrEqual(17);
    expect(dad.crashes).toEqual([]);
  });

  it('a flood of questions is answered at a bounded rate, and the next computer is still found', async () => {
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    const kid = await BareSocket.open(lan.host('kid'));
    await kid.send(Array.from({ length: 60 }, () => queryBytes(SERVICE, 24)));
    const mum = await DiscoveryProgram.start(lan.host('mum'), 'mum');
    await Promise.all([
      dad.found(mum.identity.agentId, FOUND_WITHIN_MS),
      mum.found(dad.identity.agentId, FOUND_WITHIN_MS),
    ]);
    const answers = kid
      .captured('10.77.0.1')
      .filter(({ bytes }) => readMessage(bytes).isAnswer).length;
    expect(answers).toBeGreaterThan(20);
    expect(answers).toBeLessThan(140);
    expect(dad.crashes).toEqual([]);
  });

  it('an announcement that nobody repeats is lost', async () => {
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    const kid = await BareSocket.open(lan.host('kid'));
    const ghost = identityOf('ghost');
    await kid.send([
      advertBytes({
        label: 'ghost',
        host: 'ghost.local',
        address: KID,
        port: 7_100,
        txt: txtOf(ghost),
        ttl: 4,
      }),
    ]);
    await dad.found(ghost.agentId, FOUND_WITHIN_MS);
    await dad.lost(ghost.agentId, 8_000);
  });

  it('records that come in several packets are put together by asking', async () => {
    const dad = await DiscoveryProgram.start(lan.host('dad'), 'dad');
    const kid = await BareSocket.open(lan.host('kid'));
    const slow = identityOf('slow');
    const instance = `slow.${SERVICE}`;
    const send = async (
      type: 'PTR' | 'SRV' | 'TXT' | 'A',
      name: string,
      data: Uint8Array,
    ): Promise<void> =>
      await kid.send([answerBytes([recordBytes({ name, type, ttl: 120, data })])]);
    await send('PTR', SERVICE, nameBytes(instance));
    await kid.until(
      ({ from, bytes }) => from === '10.77.0.1' && readMessage(bytes).questions.includes(instance),
      FOUND_WITHIN_MS,
    );
    await send('TXT', instance, txtData(txtOf(slow)));
    await send('SRV', instance, srvData(7_100, 'slow.local'));
    await send('A', 'slow.local', Buffer.from([10, 77, 0, 3]));
    expect(await dad.found(slow.agentId, FOUND_WITHIN_MS)).toMatchObject({
      addresses: [KID],
      port: 7_100,
      label: 'slow',
    });
  });

  it('MD-06: our packets hold what PROTOCOL.md lists, change every time, and name no user and no machine', async () => {
    const kid = await BareSocket.open(lan.host('kid'));
    const dad = lan.host('dad');
    const environment = { USER: 'zebedee', LOGNAME: 'zebedee', HOSTNAME: 'zebedee-laptop' };
    const script = 'hostname zebedee-laptop && exec "$@"';
    const started = dad.start(
      'unshare',
      [
        '--uts',
        'sh',
        '-c',
        script,
        'sh',
        ...dad.nodeCommand('test/lan/discovery-process.ts'),
        'dad',
        '7100',
      ],
      environment,
    );
    await started.until((line) => line.includes('"started"'), 20_000);
    const announcements = (): readonly string[] =>
      kid.captured('10.77.0.1').flatMap(({ bytes }) =>
        readMessage(bytes)
          .records.filter(({ type }) => type === TYPES.TXT)
          .map(({ texts }) => texts.join(' ')),
      );
    const wanted = rounds('changes of the announcement that are read for what they give away', {
      short: 2,
      long: 3,
    });
    await kid.until(() => new Set(announcements()).size >= wanted, 40_000);
    started.write('stop');
    expect(await started.ended).toBe(0);

    const captured = kid.captured('10.77.0.1');
    for (const { bytes } of captured)
      expect(bytes.toString('latin1').toLowerCase()).not.toMatch(/zebedee|laptop|root/);
    const { agentId, publicKeyBase64 } = identityOf('dad');
    const digits = agentId.slice('ed25519.'.length);
    const instance = `axon-${digits.slice(0, 16)}.${SERVICE}`;
    const host = `axon-${digits.slice(0, 16)}.local`;
    const said = new Set<string>();
    for (const { bytes } of captured) {
      for (const { name, type, texts, port } of readMessage(bytes).records)
        said.add(
          [name, type, port ?? '', ...texts.map((text) => text.replace(/^fresh=.*/, 'fresh'))].join(
            ' ',
          ),
        );
    }
    expect([...said].toSorted()).toEqual(
      [
        `${SERVICE} ${TYPES.PTR}  ${instance}`,
        `${instance} ${TYPES.SRV} 7100 ${host}`,
        `${instance} ${TYPES.TXT}  agent_id=${agentId} pubkey=${publicKeyBase64} v=1 fresh`,
        `${host} ${TYPES.A}  10.77.0.1`,
        `_services._dns-sd._udp.local ${TYPES.PTR}  ${SERVICE}`,
      ].toSorted(),
    );
  });
});
