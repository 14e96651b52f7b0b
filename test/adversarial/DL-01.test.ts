// One delegate, sent again and again over real QUIC, to a hub that is killed between, and whose
// records of it are removed after their time: there is one card, and every time the same answer.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { openStore } from '../../main/adapters/sqlite/open-store.ts';
import { HubClient } from '../../main/cli/hub-client.ts';
import type { Store } from '../../main/ports/store.ts';
import type { DialTarget } from '../../main/ports/transport.ts';
import { SILENT_LOG } from '../fakes/memory-store.ts';
import { newIdentity, systemDeps } from '../integration/quic-test-hub.ts';
import { AgedHub } from '../support/aged-hub.ts';
import { LightPeer, type Reply } from '../support/crowd/light-peer.ts';
import { prepareHome } from '../support/prepared-home.ts';
import { endPrograms, startHeadless, type HeadlessHub } from '../support/programs.ts';
import { until } from '../support/until.ts';
import { verifyAudit } from '../support/verify-audit.ts';

const REPLAYS = 1_000;
const AT_ONCE = 8;
const CONNECTIONS = 20;
const ASK_LIMIT_MS = 20_000;
const WAIT_LIMIT_MS = 60_000;
const PASSPHRASE = 'a passphrase of replays';
const PAYLOAD = { task: 'Tell the family chat that dinner is at 7', domain: 'family.chat' };

const [own, asker] = [newIdentity(), newIdentity()];
const id = randomUUID();
const closes: (() => Promise<void>)[] = [];
const home = mkdtempSync(join(tmpdir(), 'axon-replays-'));

afterEach(async () => {
  for (const close of closes.splice(0).reverse()) await close();
  await endPrograms();
  rmSync(home, { recursive: true, force: true });
});

async function connect(port: number): Promise<LightPeer> {
  const target: DialTarget = { keyHex: own.keyHex, agentId: own.agentId, host: '127.0.0.1', port };
  const peer = await new LightPeer(asker, '127.0.0.1', target).start();
  closes.push(() => peer.stop());
  await peer.connected();
  return peer;
}

const ask = (peer: LightPeer, payload: object = PAYLOAD): Promise<Reply | string> =>
  peer.ask('delegate', payload, ASK_LIMIT_MS, id);

/**
 * The different answers to so many replays; one, where all is well. A line that breaks for want of
 * a processor is no answer.
 */
async function answers(peer: LightPeer, count: number): Promise<ReadonlySet<string>> {
  const heard = new Set<string>();
  let left = count;
  const oneAfterTheOther = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await peer.connected();
      const answer = await ask(peer);
      if (typeof answer === 'string') left += 1;
      else heard.add(JSON.stringify(answer));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, oneAfterTheOther));
  return heard;
}

async function owner(): Promise<HubClient> {
  const line = await HubClient.connect(home);
  closes.push(() => Promise.resolve(line.close()));
  const { token } = await line.call('hub.login', { passphrase: PASSPHRASE });
  return line.withToken(token);
}

async function portOf(client: HubClient): Promise<number> {
  return (await client.call('hub.status', {})).hub.peer_port ?? 0;
}

async function stored(look: (store: Store) => void): Promise<void> {
  const store = openStore({ path: join(home, 'hub.db'), clock: systemDeps.clock, log: SILENT_LOG });
  try {
    look(store);
  } finally {
    await store.close();
  }
}

it('DL-01: a delegate replayed 1,000 times each on one connection, on new ones, after a kill and after the purge is one approval and the same ack', async () => {
  await prepareHome(home, own, [{ identity: asker, name: 'Dad' }]);
  let hub: HeadlessHub = await startHeadless(home);
  const line = await HubClient.connect(home);
  await line.call('hub.setPassphrase', {
    passphrase: PASSPHRASE,
    boot_secret: line.facts.bootSecret,
  });
  line.close();
  let client = await owner();
  await client.call('agents.create', { name: 'claude', domains: ['family.chat'] });

  const first = await connect(await portOf(client));
  const ack = await ask(first);
  expect(ack).toMatchObject({
    kind: 'ack',
    payload: { accepted: true, state: 'pending_approval' },
  });
  const same = new Set([JSON.stringify(ack)]);
  expect(await answers(first, REPLAYS)).toEqual(same);
  await first.stop();

  for (let number = 0; number < CONNECTIONS; number += 1) {
    const peer = await connect(await portOf(client));
    expect(await answers(peer, REPLAYS / CONNECTIONS)).toEqual(same);
    await peer.stop();
  }

  hub.program.kill('SIGKILL');
  await hub.program.ended();
  hub = await startHeadless(home);
  client = await owner();
  const restarted = await connect(await portOf(client));
  expect(await answers(restarted, REPLAYS)).toEqual(same);
  const { items } = await client.call('approvals.list', {});
  expect(items).toHaveLength(1);
  const [card] = items;
  await client.call('approvals.decide', {
    id: card?.id ?? '',
    revision: card?.revision ?? 0,
    digest: card?.digest ?? '',
    decision: 'decline',
  });
  expect(await answers(restarted, 10)).toEqual(same);
  await restarted.stop();
  hub.program.kill('SIGTERM');
  await hub.program.ended();

  const aged = await AgedHub.start(home);
  closes.push(() => aged.stop());
  const late = await connect(aged.peerPort);
  await until(
    'the refusal to be told',
    WAIT_LIMIT_MS,
    () => aged.value('SELECT count(*) FROM outbox WHERE settled_at IS NULL') === 0 || undefined,
  );
  await aged.age(400);
  await until(
    'the words to be removed',
    WAIT_LIMIT_MS,
    () =>
      aged.value("SELECT count(*) FROM audit WHERE action = 'records.removed'") === 1 || undefined,
  );
  expect(aged.value('SELECT length(payload) FROM tasks')).toBe(0);
  expect(await answers(late, REPLAYS)).toEqual(same);
  expect(await ask(late, { ...PAYLOAD, task: 'Unlock the door' })).toMatchObject({
    kind: 'error',
    payload: { code: 'conflict' },
  });
  await late.stop();
  await aged.stop();
  closes.splice(0);

  await stored(({ read }) => {
    expect(read.tasks({ limit: 9 })).toEqual([
      expect.objectContaining({ messageId: id, state: 'declined', code: 'rejected', payload: '' }),
    ]);
    expect(read.decidedApprovals({ limit: 9 })).toHaveLength(1);
    expect(read.pendingApprovals()).toEqual([]);
    expect(verifyAudit(read).brokenSeq).toBeNull();
  });
}, 240_000);
