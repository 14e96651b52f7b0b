// What one delegation that a rule allows is read and checked by, from the POST to the result, at
// both hubs together: its words are held against their digest where they are let in and where they
// are handed over, and nowhere else.
import crypto, { type Hash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import zlib from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import { pairHubs } from '../support/paired-hubs.ts';
import { atDoor } from '../support/raw-peer.ts';
import { TestHub } from '../support/test-hub.ts';

const CONTENT = '{"kind":"delegate","payload"';
const VIEW = 'axon-hub/approval/v1\0';
const IN_VIEWS = '"received_seq"';

const hashed: string[] = [];
const inflated: string[] = [];
const original = {
  createHash: crypto.createHash,
  inflateRawSync: zlib.inflateRawSync,
};
let dad: TestHub;
let mum: TestHub;

/** Notes what is hashed, inflated and written as JSON in this process. */
function noteWork(): void {
  crypto.createHash = (...parameters: Parameters<typeof crypto.createHash>): Hash => {
    const hash = original.createHash(...parameters);
    const update = hash.update.bind(hash);
    hash.update = (data: crypto.BinaryLike, encoding?: crypto.Encoding) => {
      if (typeof data === 'string') hashed.push(data);
      return encoding === undefined ? update(data) : update(String(data), encoding);
    };
    return hash;
  };
  zlib.inflateRawSync = (...parameters: Parameters<typeof zlib.inflateRawSync>) => {
    const bytes = original.inflateRawSync(...parameters);
    inflated.push(bytes.toString());
    return bytes;
  };
  syncBuiltinESMExports();
}

beforeAll(async () => {
  noteWork();
  [dad, mum] = [await TestHub.start(), await TestHub.start()];
  await pairHubs(dad, mum, ['Mum', 'Dad']);
});
afterAll(async () => {
  Object.assign(crypto, { createHash: original.createHash });
  Object.assign(zlib, { inflateRawSync: original.inflateRawSync });
  syncBuiltinESMExports();
  await Promise.all([dad.stop(), mum.stop()]);
});

test('a delegation is held against its digest twice, and its card inflated once', async () => {
  const asker = await dad.agent('planner');
  const page = await mum.page();
  const agent = { name: 'writer', domains: ['household.notes'], risk_class: 'R1' };
  const made = await atDoor(mum, page, '/v1/agents/create', agent);
  const writer = String(made.token);
  const rule = {
    effect: 'allow',
    peer: 'Dad',
    agent: 'writer',
    domain: 'household.notes',
    kind: 'delegate',
  };
  const ruled = await atDoor(mum, page, '/v1/rules', rule);
  expect(ruled, JSON.stringify(ruled)).toHaveProperty('id');
  const claim = async (hub: TestHub, token: string): Promise<DeliveryDto> => {
    const { items } = await atDoor(hub, token, '/v1/inbox/claim', { max: 1, wait_ms: 10_000 });
    return (items as readonly DeliveryDto[])[0] ?? expect.fail('nothing came'); // the hub's own JSON
  };
  const delegate = async (): Promise<void> => {
    const task = `Write down what is for dinner. ${'It is a long list. '.repeat(20)}`;
    const sent = { to: 'Mum/writer', task, domain: 'household.notes' };
    expect(await atDoor(dad, asker, '/v1/delegate', sent)).toMatchObject({ state: 'queued' });
    const item = await claim(mum, writer);
    const way = `/v1/inbox/${item.delivery_id}`;
    const taken = await atDoor(mum, writer, `${way}/ack`, {});
    expect(taken).toMatchObject({ untrusted: { text: task } });
    const reply = { status: 'completed', outcome: 'Done.' };
    expect(await atDoor(mum, writer, `${way}/reply`, reply)).toMatchObject({
      state: 'completed',
      sent_to: 'Dad/planner',
    });
    const result = await claim(dad, asker);
    await atDoor(dad, asker, `/v1/inbox/${result.delivery_id}/ack`, {});
  };
  await delegate();
  hashed.length = 0;
  inflated.length = 0;
  await delegate();
  const digests = hashed.filter((text) => text.startsWith(CONTENT));
  // Once more where it is sent: the asking hub keeps the digest of what it asked.
  expect(digests).toHaveLength(3);
  expect(hashed.filter((text) => text === VIEW)).toHaveLength(2);
  expect(inflated.filter((text) => text.includes(IN_VIEWS))).toHaveLength(1);
}, 60_000);
