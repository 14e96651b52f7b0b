// A real hub process and the scripted reference daemon, joined with nothing but the command `axon`:
// a share token each way, and then work in both directions.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  axon,
  choosePassphrase,
  Program,
  startHeadless,
  type HeadlessHub,
} from '../support/programs.ts';
import { ReferenceDaemon } from '../support/reference-daemon.ts';

const PATIENCE = { timeout: 20_000, interval: 100 };
let home: string;
let passphrase: string;
let hub: HeadlessHub;
let daemon: ReferenceDaemon;

const run = (...parameters: readonly string[]) => axon(home, [...parameters, '--json']);
const owner = (...parameters: readonly string[]) =>
  run('--passphrase-file', passphrase, ...parameters);

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'axon-reference-'));
  hub = await startHeadless(home);
  passphrase = await choosePassphrase(home);
  daemon = await new ReferenceDaemon().start();
  expect(await owner('agents', 'add', 'bot', '--domain', 'family.chat')).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await daemon.stop();
  hub.program.kill('SIGKILL');
  await hub.program.ended();
  rmSync(home, { recursive: true, force: true });
});

async function peer(): Promise<Readonly<Record<string, unknown>>> {
  const { items } = JSON.parse((await run('peers')).out);
  return items[0];
}

test('an owner trusts the key in a share token, and is told that the daemon does not trust this hub yet', async () => {
  const added = await owner('peers', 'add', daemon.shareToken, '--name', 'Attic', '--trust');
  expect(JSON.parse(added.out)).toMatchObject({
    trust: 'paired',
    name: 'Attic',
    id: daemon.agentId,
  });
  await expect.poll(peer, PATIENCE).toMatchObject({ online: false, not_trusted_there: true });
  const { hub: own } = JSON.parse((await run('status')).out);
  const key = Buffer.from(own.public_key, 'hex').toString('base64url');
  for (const token of own.share_tokens)
    expect(token).toMatch(new RegExp(`^axon://${key}@[0-9.]+:${own.peer_port}$`));
  daemon.knows(own.public_key);
  await expect
    .poll(peer, PATIENCE)
    .toMatchObject({ online: true, profile: 'reference', trouble: null, not_trusted_there: false });
});

test('an agent here asks and an agent there answers', async () => {
  const asking = Program.start(
    'cli',
    ['query', 'Attic', 'Wer ist da? Ärger?', '--as', 'bot', '--json'],
    { AXON_HOME: home },
  );
  const { id, payload } = await daemon.sees(({ kind }) => kind === 'request');
  expect(payload).toMatchObject({ axon_kind: 'query', question: 'Wer ist da? Ärger?' });
  daemon.tell({ message: 'Only the cat.' }, id);
  const answered = await asking.ended();
  expect(JSON.parse(answered.out)).toMatchObject({
    state: 'answered',
    untrusted: { summary: 'Only the cat.' },
  });
});

test('a request from there waits for a person, and its answer goes back', async () => {
  const answer = daemon.request({
    message: 'Tell the family chat that dinner is at 7',
    domain: 'family.chat',
  });
  const cards = async () => JSON.parse((await owner('approvals', 'list')).out).items;
  await expect.poll(cards, PATIENCE).toMatchObject([{ peer_name: 'Attic', kind: 'query' }]);
  const [card] = await cards();
  expect(await owner('approvals', 'decline', card.id, '--reason', 'Not now.')).toMatchObject({
    code: 0,
  });
  expect(await answer).toMatchObject({ kind: 'error', payload: { code: 'rejected' } });
});

test('a hub that was killed and started again still speaks its words', async () => {
  hub.program.kill('SIGKILL');
  await hub.program.ended();
  hub = await startHeadless(home);
  await expect.poll(peer, PATIENCE).toMatchObject({ online: true, profile: 'reference' });
  const delegated = await run('delegate', 'Attic', 'Water the plants', '--as', 'bot');
  expect(delegated.code).toBe(0);
  const { id } = await daemon.sees(({ payload }) => payload.axon_kind === 'delegate');
  daemon.tell({ axon_kind: 'result', status: 'completed', outcome: 'Watered.' }, id);
  const task = async () =>
    JSON.parse((await run('tasks', JSON.parse(delegated.out).id, '--as', 'bot')).out);
  await expect.poll(task, PATIENCE).toMatchObject({ state: 'completed' });
});
