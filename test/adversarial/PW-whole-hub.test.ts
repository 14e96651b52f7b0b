// The storms of strangers against a whole headless hub: its two processes live and do not grow, a
// paired hub has its ack in time, nothing of a stranger stays in the store, and what a paired hub
// does wrong stands in the record.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newIdentity } from '../integration/quic-test-hub.ts';
import { rounds } from '../support/counts.ts';
import { CrowdedHub } from '../support/crowd/crowded-hub.ts';
import { LightPeer } from '../support/crowd/light-peer.ts';
import { expectPromptAck } from '../support/crowd/prompt-ack.ts';
import { until } from '../support/until.ts';
import { CraftingPeer } from './PW-crafted-packets.ts';
import { House } from './PW-house.ts';
import {
  forgedPapers,
  honestPapers,
  LawlessConnection,
  lawlessConfig,
  type Attacked,
  type Papers,
} from './PW-lawless-peer.ts';
import {
  beginHandshakes,
  FRAME_STORMS,
  halfRightDatagram,
  longHeader,
  sendCounted,
  STORM_BURST,
} from './PW-storms.ts';

const MEMORY_GROWTH_MAX_BYTES = 50 * 1024 * 1024;
const WAIT_LIMIT_MS = 15_000;
/** The control peer asks after every storm: more often than a household does. */
const FLAGS = ['--peer-rate-factor', '100'];
const STRANGER = '127.0.0.2';
const HALF_RIGHT = 5_000;
/** The others are answered as a first packet is. */
const DROPPED_SHARE_MIN = 0.9;
const togetherMs =
  1_000 * rounds('PW-09 seconds of two computers with one key', { short: 3, long: 10 });
/**
 * One each, and one more a second should a line break for want of a processor: two that put each
 * other out would make eight.
 */
const LINES_OF_TWO_MAX = 2 + togetherMs / 1_000;
const NOTHING_WRONG = /unhandled|uncaught|RangeError/;

describe.runIf(process.platform === 'linux')('a whole hub under attack', () => {
  const [own, careless, lawless] = [newIdentity(), newIdentity(), newIdentity()];
  const paired = [own, careless, lawless];
  const house = new House();
  let hub: CrowdedHub;
  let control: LightPeer;
  let target: Attacked;
  let processIds: readonly number[];

  beforeAll(async () => {
    hub = await CrowdedHub.start(paired, FLAGS);
    target = { host: '127.0.0.1', port: hub.peerPort, identity: hub.identity };
    control = await new LightPeer(own, '127.0.9.1', hub.target).start();
    processIds = [hub.processId, hub.quicProcessId];
    await expectPromptAck(control, processIds);
  }, 60_000);
  afterEach(() => house.close());
  afterAll(async () => {
    await control.stop();
    hub.kill();
  });

  const counters = async () => (await hub.owner.call('hub.status', {})).transport.counters;
  const received = async () => (await counters())['datagrams.received'] ?? 0;
  /** Dropped for whatever reason. */
  const dropped = async () =>
    Object.entries(await counters()).reduce(
      (sum, [name, count]) => sum + (name.startsWith('dropped.') ? count : 0),
      0,
    );
  const counted = (name: string, atLeast: number) =>
    until(
      `${name} to be ${atLeast}`,
      WAIT_LIMIT_MS,
      async () => ((await counters())[name] ?? 0) >= atLeast || undefined,
    );
  const audited = async (action: string, object: string) =>
    (await hub.owner.call('audit.list', { limit: 100 })).items.some(
      (row) => row.action === action && row.object === object,
    );

  async function knock(
    papers: Papers | null,
    protocols?: readonly string[],
    host = STRANGER,
  ): Promise<LawlessConnection> {
    const connection = new LawlessConnection(
      await house.socket(host),
      target,
      lawlessConfig(papers, protocols),
    );
    house.atEnd(() => connection.stop());
    return connection;
  }

  async function carelessPeer(): Promise<LightPeer> {
    const peer = await new LightPeer(careless, '127.0.9.2', hub.target).start();
    house.atEnd(() => void peer.stop());
    await peer.connected();
    return peer;
  }

  const storms: Readonly<Record<string, () => Promise<void>>> = {
    'PW-01: a thousand 57-byte 0-RTT packets': async () => {
      const socket = await house.socket(STRANGER);
      await sendCounted(socket, target, 1_000, () => longHeader('zero-rtt', 57), received);
      await counted('dropped.zero-rtt', 1_000);
      expect(socket.receivedBytes).toBe(0);
    },
    'PW-02: Initials under 1,200 bytes': async () => {
      const socket = await house.socket(STRANGER);
      await sendCounted(
        socket,
        target,
        1_192,
        (number) => longHeader('initial', 8 + number),
        received,
      );
      await counted('dropped.short-initial', 1_000);
      expect(socket.receivedBytes).toBe(0);
    },
    'PW-04: random and half-right datagrams': async () => {
      const socket = await house.socket(STRANGER);
      const droppedBefore = await dropped();
      await sendCounted(socket, target, HALF_RIGHT, halfRightDatagram, received);
      const wanted = droppedBefore + HALF_RIGHT * DROPPED_SHARE_MIN;
      await until(
        'nearly all of them to be dropped',
        WAIT_LIMIT_MS,
        async () => (await dropped()) >= wanted || undefined,
      );
      expect((await counters())['dropped.failed'] ?? 0).toBe(0);
      expect(socket.receivedBytes).toBeLessThanOrEqual(3 * socket.sentBytes);
    },
    'PW-05: handshakes that are begun and left': async () => {
      for (let number = 1; number <= 16; number += 1)
        await beginHandshakes(await house.socket(`127.0.1.${number}`), target, 16);
      await counted('half-open.now', 1);
    },
    'PW-06: handshakes with certificates that are none, of another kind, or of another key':
      async () => {
        const papers = [
          null,
          await forgedPapers('rsa'),
          await forgedPapers('p256'),
          await forgedPapers('ed25519', { signedByAnother: true }),
        ];
        for (const shown of papers)
          expect(await (await knock(shown)).closed()).toMatchObject({ isApp: false });
      },
    'PW-08: other application protocols': async () => {
      const papers = await honestPapers(newIdentity());
      for (const protocols of [['h3'], ['axon/2'], ['axon', 'h3']]) {
        expect(await (await knock(papers, protocols)).closed()).toMatchObject({ isApp: false });
      }
    },
    // Before the strangers in numbers: they take every place that a stranger can have.
    'PW-16: frames of a stranger that no library sends': async () => {
      for (const frames of Object.values(FRAME_STORMS)) {
        const admitted = (await counters())['connections.quarantined'] ?? 0;
        const isIn = () => counted('connections.quarantined', admitted + 1);
        const peer = await CraftingPeer.open(
          await house.socket(STRANGER),
          target,
          newIdentity(),
          isIn,
        );
        house.atEnd(() => peer.connection.stop());
        for (let number = 0; number < 512; number += STORM_BURST) {
          await Promise.all(
            Array.from({ length: STORM_BURST }, (_, index) => peer.send(...frames(number + index))),
          );
        }
      }
    },
    'PW-09: sixty strangers with good papers': async () => {
      const refusedBefore = await refusals();
      for (let number = 0; number < 60; number += 1) {
        await (
          await knock(
            await honestPapers(newIdentity()),
            undefined,
            `127.0.2.${1 + Math.floor(number / 10)}`,
          )
        ).established();
      }
      await until(
        'the refusals',
        WAIT_LIMIT_MS,
        async () => (await refusals()) > refusedBefore || undefined,
      );
    },
    'PW-10: sixteen streams of a paired hub that never end': async () => {
      const peer = await knock(await honestPapers(lawless), undefined, '127.0.9.3');
      await peer.established();
      for (let number = 0; number < 16; number += 1)
        await peer.write(number * 4, new Uint8Array(65_536), false);
      await counted('unfinished-bytes.now', 1);
    },
    'PW-09: two computers with one key that both dial': async () => {
      const madeBefore = (await counters())['connections.paired'] ?? 0;
      const twins = await Promise.all(
        ['127.0.9.4', '127.0.9.5'].map((host) => new LightPeer(careless, host, hub.target).start()),
      );
      for (const twin of twins) house.atEnd(() => void twin.stop());
      await Promise.all(twins.map((twin) => twin.connected()));
      // Each dials again a quarter of a second after it lost its line: were one put out for the
      // other, that would go on and on.
      await new Promise((resolve) => setTimeout(resolve, togetherMs));
      const made = ((await counters())['connections.paired'] ?? 0) - madeBefore;
      expect(made).toBeGreaterThanOrEqual(2);
      expect(made).toBeLessThanOrEqual(LINES_OF_TWO_MAX);
    },
    'PW-12: messages of a paired hub that are too large, two, or followed by more': async () => {
      const peer = await carelessPeer();
      const whole = Buffer.from(peer.envelope('ping', {}));
      expect(await peer.askBytes(Buffer.concat([whole, whole]), WAIT_LIMIT_MS)).toBe(
        'invalid_envelope',
      );
      expect(
        await peer.askBytes(Buffer.concat([whole, Buffer.from('garbage')]), WAIT_LIMIT_MS),
      ).toBe('invalid_envelope');
      const wide = await knock(await honestPapers(lawless), undefined, '127.0.9.3');
      await wide.established();
      expect(await wide.write(0, new Uint8Array(10 * 1024 * 1024), true)).toBe('stopped');
      expect(await peer.ask('ping', {}, WAIT_LIMIT_MS)).toMatchObject({ kind: 'pong' });
      expect(peer.greetings).toBe(1);
    },
    'PW-14: deep and odd JSON of a paired hub, until it is put on record and kept out':
      async () => {
        const peer = await carelessPeer();
        const odd = [
          '['.repeat(32_768),
          `${'['.repeat(32_000)}${']'.repeat(32_000)}`,
          '{"a":1e999}',
          '{"a":9007199254740993}',
          '{"v":-0}',
        ];
        for (const document of odd)
          expect(await peer.askBytes(Buffer.from(document), WAIT_LIMIT_MS)).toBe(
            'invalid_envelope',
          );
        while (peer.isConnected) await peer.askBytes(Buffer.from('{}{}'), WAIT_LIMIT_MS);
        await until(
          'the record to say so',
          WAIT_LIMIT_MS,
          async () => (await audited('peer.malformed', careless.keyHex)) || undefined,
        );
      },
  };

  async function refusals(): Promise<number> {
    const { 'refused.no-place': noPlace = 0, 'connections.evicted': evicted = 0 } =
      await counters();
    return noPlace + evicted;
  }

  for (const [storm, raise] of Object.entries(storms)) {
    test(
      `${storm}; the hub lives, has not grown, and a paired one has its ack in time`,
      { timeout: 60_000 },
      async () => {
        const before = hub.memoryBytes();
        await raise();
        await expectPromptAck(control, processIds);
        const growth = hub.memoryBytes() - before;
        expect(growth).toBeLessThan(MEMORY_GROWTH_MAX_BYTES);
        expect([hub.processId, hub.quicProcessId]).toEqual(processIds);
        expect(hub.log).not.toMatch(NOTHING_WRONG);
      },
    );
  }

  test('PW-06: after all of them the store knows the paired hubs and nobody else', async () => {
    expect(control.greetings).toBe(1);
    await control.stop();
    await hub.stop((store) => {
      const known = store.read.peers().map(({ key }) => key);
      expect(known.toSorted()).toEqual(paired.map(({ keyHex }) => keyHex).toSorted());
    });
    expect(hub.log).not.toMatch(NOTHING_WRONG);
  });
});
