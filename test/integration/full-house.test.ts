// A hub whose places for strangers are all taken, by real connections from as many addresses: who
// still gets in, and who stays.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { QUARANTINED_CONNECTIONS_MAX } from '../../main/adapters/quic/limits.ts';
import { createQuicTransport } from '../../main/adapters/quic/process-transport.ts';
import { CLOSE_CODES, type ConnectionInfo, type Transport } from '../../main/ports/transport.ts';
import { newOffer } from '../../main/protocol/pairing.ts';
import { HubStack, PERSON } from '../fakes/hub-stack.ts';
import { createInProcessTransport } from '../support/in-process-transport.ts';
import { until } from '../support/until.ts';
import { RawHub } from '../unit/services/links/raw-hub.ts';
import { systemDeps } from './quic-test-hub.ts';

const WAIT_LIMIT_MS = 20_000;

interface Stranger {
  readonly raw: RawHub;
  readonly line: ConnectionInfo;
}

const stops: (() => Promise<void>)[] = [];
let mum: HubStack;
let strangers: Stranger[];

beforeEach(async () => {
  mum = await hub('Mum', createQuicTransport(systemDeps));
  strangers = [];
  for (let number = 0; number < QUARANTINED_CONNECTIONS_MAX; number += 1)
    strangers.push(await knock(await rawHub(`127.0.0.${number + 2}`)));
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

async function hub(
  name: string,
  transport: Transport = createInProcessTransport(systemDeps),
): Promise<HubStack> {
  const stack = new HubStack({ ...systemDeps, name, transport });
  stops.push(() => stack.stop());
  return stack.start();
}

async function rawHub(host: string): Promise<RawHub> {
  const raw = new RawHub(createInProcessTransport(systemDeps));
  stops.push(() => raw.transport.stop());
  return raw.start(host);
}

/** Connects and says hello, which is answered where there is a place. */
async function knock(raw: RawHub): Promise<Stranger> {
  const line = await raw.connect(mum);
  await raw.hello(line, mum);
  return { raw, line };
}

const hasPlace = ({ raw, line }: Stranger): boolean => raw.ended(line) === undefined;

function comesTrue(holds: () => boolean): Promise<boolean> {
  return until('the next step of the pairing', WAIT_LIMIT_MS, () => holds() || undefined);
}

/** Asks for a pairing, as a hub does whose person pressed Add. */
async function offer({ raw, line }: Stranger): Promise<unknown> {
  const { payload } = newOffer({
    pid: systemDeps.random.bytes(16),
    key: Buffer.from(raw.key, 'hex'),
    meta: { hub: 'Dad', person: 'Dad' },
    nonce: systemDeps.random.bytes(32),
  });
  return (await raw.ask(line, raw.envelope(mum.agentId, 'pair', payload)))?.payload;
}

it('lets a person here add a hub at once', async () => {
  const dad = await hub('Dad');
  dad.pairing.setWindow(true, 5);
  mum.hears(dad);
  expect(strangers.every(hasPlace)).toBe(true);
  mum.pairing.begin(dad.agentId, null);
  await comesTrue(() => dad.currentPairing?.state === 'offered');
  dad.pairing.open(dad.currentPairing?.id ?? '');
  await comesTrue(
    () => dad.currentPairing?.six !== null && mum.currentPairing?.state === 'type_six',
  );
  await mum.pairing.type(mum.currentPairing?.id ?? '', dad.currentPairing?.six ?? '', PERSON);
  await comesTrue(() => dad.currentPairing?.state === 'type_two');
  await dad.pairing.type(dad.currentPairing?.id ?? '', mum.currentPairing?.two ?? '', PERSON);
  await comesTrue(() => dad.links.isOnline(mum.key) && mum.links.isOnline(dad.key));
  expect(strangers.filter(hasPlace)).toHaveLength(QUARANTINED_CONNECTIONS_MAX - 1);
});

it('lets the next stranger in once the oldest had time to begin a pairing, and keeps the one that has begun one', async () => {
  mum.pairing.setWindow(true, 5);
  const [oldest, second] = strangers;
  if (oldest === undefined || second === undefined) throw new Error('there are strangers');
  expect(await offer(oldest)).toMatchObject({ accepted: true });
  const dad = await rawHub('127.0.0.99');
  let dads = await knock(dad);
  await dad.untilEnded(dads.line);
  expect(dad.ended(dads.line)).toMatchObject({ by: 'peer', code: CLOSE_CODES.overLimit });
  for (;;) {
    dads = await knock(dad);
    if (hasPlace(dads)) break;
  }
  expect(await offer(dads)).toMatchObject({ accepted: true });
  await second.raw.untilEnded(second.line);
  expect(second.raw.ended(second.line)).toMatchObject({ by: 'peer', code: CLOSE_CODES.overLimit });
  expect(strangers.filter((stranger) => !hasPlace(stranger))).toEqual([second]);
  expect(hasPlace(oldest)).toBe(true);
}, 60_000);
