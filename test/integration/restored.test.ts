// A real hub whose database was put back from an older copy: locked at every door and on the wire
// until its owner confirms that, once; then what waited in the copy has ended, and nothing of it
// runs again.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HubNode } from '../../main/app/node.ts';
import { A2aServer } from '../support/a2a-servers.ts';
import { axon, choosePassphrase, type Ended } from '../support/programs.ts';
import { RawPeer } from '../support/raw-peer.ts';
import { TestHub } from '../support/test-hub.ts';
import { ANYBODY } from '../fakes/ruled-hubs.ts';
import { BROWSER, delegation } from '../fakes/work-hub.ts';

/** A dozen commands, each a process of its own, on a computer that may be busy. */
const TEST_MAX_MS = 180_000;
const PERSON = { actor: 'ui:test', surface: 'browser' } as const;
const ENDED =
  'This hub was restored from a backup, so it cannot tell whether this was done. Ask again if it is still wanted.';

let hub: TestHub;
let other: TestHub;
let node: HubNode;
let elsewhere: string;
let passphrase: string;
/** The agents whose programs were started. */
let started: string[];
beforeEach(async () => {
  elsewhere = mkdtempSync(join(tmpdir(), 'axon-restored-'));
  started = [];
  const startRunner = ({ agent }: { readonly agent: string }) => {
    started.push(agent);
    return { pid: undefined, end: async () => undefined };
  };
  [hub, other] = [await TestHub.start({ startRunner }), await TestHub.start()];
  node = hub.node;
  passphrase = await choosePassphrase(hub.home, join(elsewhere, 'passphrase'));
});
afterEach(async () => {
  await node.stop();
  await Promise.all([hub.stop(), other.stop()]);
  rmSync(elsewhere, { recursive: true, force: true });
});

const owner = (...parameters: readonly string[]): Promise<Ended> =>
  axon(hub.home, ['--passphrase-file', passphrase, ...parameters]);
const database = (): string => join(hub.home, 'hub.db');

async function startAgain(): Promise<void> {
  node = await hub.restart();
  await node.start();
}

async function ask(
  path: string,
  token?: string,
  body?: object,
): Promise<readonly [status: number, code: unknown]> {
  const answer = await fetch(`http://127.0.0.1:${node.apiPort}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const parsed = (await answer.json()) as { readonly code?: unknown };
  return [answer.status, parsed.code];
}

async function pair(): Promise<void> {
  for (const [one, two, name] of [
    [node, other.node, 'Other'],
    [other.node, node, 'Restored'],
  ] as const) {
    const address = { host: '127.0.0.1', port: two.services.peers.port ?? 0 };
    await one.services.keyTrust.add(
      { keyHex: two.services.identity.keyHex, ...address, name, way: 'key' },
      PERSON,
    );
  }
}

const seenByOther = (): boolean | undefined => other.node.services.directory.list('all')[0]?.online;
const trustInOther = () => node.services.directory.row(other.node.services.identity.keyHex)?.trust;
const tasks = async () =>
  (await node.services.work.tasks.list({ limit: 10 }, { person: BROWSER })).items.map(
    ({ state, reason }) => [state, reason],
  );
const claimed = async () =>
  (await node.services.work.inbox.claim('bot', 5)).map(({ kind, untrusted }) => [
    kind,
    untrusted.text,
  ]);

test('is locked until its owner confirms the restore, once', { timeout: TEST_MAX_MS }, async () => {
  const [asker, login] = [await hub.agent('asker'), await hub.page(), await hub.agent('bot')];
  await pair();
  await expect.poll(seenByOther, { timeout: 20_000 }).toBe(true);
  const third = await RawPeer.pair(hub, 'Third');
  const isThirdHere = (): boolean => node.services.links.isOnline(third.raw.key);
  expect(await owner('agents', 'class', 'bot', 'R1')).toMatchObject({ code: 0 });
  const { work } = node.services;
  await work.sender.delegate(
    delegation('local/bot', 'Wait for a person', { domain: 'bot.work' }),
    'asker',
    null,
  );
  await work.rules.create(
    { effect: 'allow', ...ANYBODY, peer: 'local/asker', agent: 'bot', domain: 'bot.work' },
    BROWSER,
  );
  await work.sender.delegate(
    delegation('local/bot', 'Pay it', { domain: 'bot.work' }),
    'asker',
    null,
  );
  await node.stop();
  copyFileSync(database(), join(elsewhere, 'older.db'));

  await startAgain();
  expect(await claimed()).toEqual([['delegate', 'Pay it']]);
  await expect.poll(isThirdHere, { timeout: 20_000 }).toBe(true);
  const wish = { task: 'Pay the baker', domain: 'bot.work' };
  const asked = { id: crypto.randomUUID(), ts: Date.now() };
  expect((await third.ask('delegate', wish, asked)).payload).toMatchObject({ accepted: true });
  expect(await owner('agents', 'remove', 'asker')).toMatchObject({ code: 0 });
  expect(await owner('peers', 'remove', 'Other', '--yes')).toMatchObject({ code: 0 });
  await node.stop();

  copyFileSync(join(elsewhere, 'older.db'), database());
  for (let start = 0; start < 2; start++) {
    await startAgain();
    // The removed agent's token, and the removed hub, are back in this copy.
    for (const [path, body] of [
      ['/v1/peers', undefined],
      ['/v1/whoami', undefined],
      ['/v1/inbox/stream', undefined],
      ['/v1/inbox/claim', {}],
      ['/v1/delegate', { to: 'Other', task: 'Open the door' }],
    ] as const) {
      expect([path, ...(await ask(path, asker, body))]).toEqual([path, 503, 'hub_locked']);
    }
    expect(await ask('/v1/agents', undefined, { name: 'new' })).toEqual([503, 'hub_locked']);
    expect(node.services.peers.port).toBeNull();
    expect(node.services.directory.list('paired').map(({ online }) => online)).toEqual([
      false,
      false,
    ]);
    expect(seenByOther()).toBe(false);
    // Nor does a login of the time of the copy: it may have been ended since.
    expect((await ask('/v1/approvals', login))[0]).toBe(401);
    // People see what there is, and change nothing.
    expect(await node.invoke('approvals.list', {})).toMatchObject({ ok: true });
    expect(await node.invoke('settings.update', { person: 'Mum' })).toMatchObject({
      ok: false,
      problem: { code: 'hub_locked' },
    });
    expect(await owner('agents', 'add', 'another')).toMatchObject({
      code: 1,
      error: expect.stringContaining('restored from a backup'),
    });
    expect((await axon(hub.home, ['status'])).out).toContain(
      'This hub was restored from an older copy.',
    );
    for (const list of [
      ['approvals'],
      ['history'],
      ['invite', 'list'],
      ['search', 'nothing'],
      ['rules'],
      ['peers'],
    ]) {
      const { code, out, error } = await owner(...list);
      const isEmpty = ['invite', 'search'].includes(list[0] ?? '');
      expect({ list, code }).toEqual({ list, code: isEmpty ? 1 : 0 });
      const said = isEmpty ? error : out;
      expect(said).toContain('This hub was restored from an older copy.');
      expect(said).toMatch(
        new RegExp(
          `Confirm it with "npx axon --home ${hub.home} --passphrase-file \\S+ confirm-restore"\\.`,
        ),
      );
      expect(out).not.toContain('Nothing');
      if (!isEmpty) continue;
      const json = await owner(...list, '--json');
      expect({ list, code: json.code, out: json.out }).toEqual({ list, code: 1, out: '' });
      expect(JSON.parse(json.error)).toMatchObject({ code: 'hub_locked' });
    }
    expect((await owner('audit', 'verify')).code).toBe(1);
    if (start === 0) await node.stop();
  }

  // Both are back in the copy, so the owner has to say of each whether it is still theirs.
  const unasked = await owner('confirm-restore', '--yes');
  expect(unasked).toMatchObject({ code: 2 });
  expect(unasked.error).toContain('Hubs: Other, Third. Agents: Asker, Bot.');
  expect(await owner('confirm-restore', '--yes', '--keep-hub', 'Nobody')).toMatchObject({
    code: 2,
    error: expect.stringContaining('"Nobody" is not one of those in this copy: Other, Third.'),
  });
  expect(await owner('confirm-restore', '--yes', '--keep-all')).toMatchObject({ code: 0 });
  expect(await tasks()).toEqual([
    ['cancelled', ENDED],
    ['cancelled', ENDED],
  ]);
  expect(await claimed()).toEqual([]);
  expect(node.services.work.approvals.pending()).toEqual([]);
  const told = (await node.services.work.inbox.claim('asker', 5)).map(({ kind, untrusted }) => [
    kind,
    untrusted.text,
  ]);
  expect(told).toEqual([
    ['result', ENDED],
    ['result', ENDED],
  ]);
  await expect.poll(seenByOther, { timeout: 20_000 }).toBe(true);
  expect((await ask('/v1/peers', asker))[0]).toBe(200);
  // What was sent before may have been done by what the copy has not got; a fresh wish was not.
  await expect.poll(isThirdHere, { timeout: 20_000 }).toBe(true);
  expect((await third.ask('delegate', wish, asked)).payload).toMatchObject({
    accepted: false,
    retryable: false,
    reason: expect.stringContaining('fresh id'),
  });
  expect(node.services.work.approvals.pending()).toEqual([]);
  expect((await third.ask('delegate', wish, { ts: Date.now() })).payload).toMatchObject({
    accepted: true,
  });
  await third.stop();
  expect(await owner('confirm-restore', '--yes', '--keep-none')).toMatchObject({ code: 3 });

  await node.stop();
  await startAgain();
  expect([node.services.audit.state, (await ask('/v1/peers', asker))[0], await claimed()]).toEqual([
    'ok',
    200,
    [],
  ]);
  const confirmed = node.services.audit
    .list({ limit: 200 })
    .items.filter(({ action }) => action === 'hub.restore_confirmed');
  expect(confirmed.map(({ surface }) => surface)).toEqual(['command_line']);
  expect((await owner('audit', 'verify')).code).toBe(0);
});

test(
  'leaves out what its owner does not keep, in the commit that opens it',
  { timeout: TEST_MAX_MS },
  async () => {
    const [asker, bot] = [await hub.agent('asker'), await hub.agent('bot')];
    await pair();
    await expect.poll(seenByOther, { timeout: 20_000 }).toBe(true);
    await node.stop();
    copyFileSync(database(), join(elsewhere, 'older.db'));
    await startAgain();
    expect(await owner('agents', 'remove', 'asker')).toMatchObject({ code: 0 });
    expect(await owner('peers', 'remove', 'Other', '--yes')).toMatchObject({ code: 0 });
    await node.stop();
    copyFileSync(join(elsewhere, 'older.db'), database());
    await startAgain();
    expect(trustInOther()).toBe('paired');
    for (const kept of [
      { keep_hubs: ['ed25519.00000000000000000000000000000000'], keep_agents: [] },
      { keep_hubs: [], keep_agents: ['stranger'] },
      {},
    ])
      expect(await node.invoke('hub.confirmRestore', kept)).toMatchObject({
        ok: false,
        problem: { code: 'bad_request' },
      });
    expect(node.services.audit.state).toBe('restored');

    expect(await owner('confirm-restore', '--yes', '--keep-agent', 'bot')).toMatchObject({
      code: 0,
    });
    expect(trustInOther()).toBe('revoked');
    expect([(await ask('/v1/peers', asker))[0], (await ask('/v1/peers', bot))[0]]).toEqual([
      401, 200,
    ]);
    const said = node.services.audit
      .list({ limit: 50 })
      .items.filter(({ action }) => /^(?:hub\.restore|peer\.revoked|token\.revoked)/.test(action))
      .map(({ action, object, surface }) => [action, surface === 'command_line' ? object : '']);
    expect(said).toEqual(
      expect.arrayContaining([
        ['peer.revoked', other.node.services.identity.keyHex],
        ['hub.restore_confirmed', 'audit'],
      ]),
    );
    await node.stop();
    await startAgain();
    expect([(await ask('/v1/peers', asker))[0], (await ask('/v1/peers', bot))[0]]).toEqual([
      401, 200,
    ]);
    expect(trustInOther()).toBe('revoked');
    expect(seenByOther()).toBe(false);
  },
);

test(
  'starts no program of an agent before that, and then none of those that are left out',
  { timeout: TEST_MAX_MS },
  async () => {
    const invoke = async (name: string, params: object): Promise<Record<string, unknown>> => {
      const outcome = await node.invoke(name, params);
      if (!outcome.ok) throw new Error(outcome.problem.detail);
      return outcome.value as Record<string, unknown>;
    };
    const runner = { kind: 'acp', program: 'gemini' };
    for (const name of ['kept', 'left']) {
      await hub.agent(name);
      await invoke('runners.set', { name, runner });
      await invoke('agents.setWebhook', { name, preset: 'generic', address: 'http://127.0.0.1:9' });
    }
    const server = await A2aServer.start();
    const { digest } = await invoke('a2a.look', { url: server.url });
    await invoke('a2a.add', { name: 'far', url: server.url, digest });
    server.stop();
    await expect.poll(() => started).toEqual(['kept', 'left']);
    await node.stop();
    copyFileSync(database(), join(elsewhere, 'older.db'));
    await startAgain();
    await invoke('settings.update', { person: 'Mum' });
    await node.stop();
    copyFileSync(join(elsewhere, 'older.db'), database());

    started = [];
    await startAgain();
    const { audit, hub: status, runners, a2a, tokens, work } = node.services;
    expect([audit.state, started]).toEqual(['restored', []]);
    expect(
      status
        .current()
        .restored_copy?.agents.map(({ id }) => id)
        .toSorted(),
    ).toEqual(['far', 'kept', 'left']);
    await invoke('hub.confirmRestore', { keep_hubs: [], keep_agents: ['kept'] });
    await expect.poll(() => started).toEqual(['kept']);
    expect(runners.list().map(({ agent }) => agent)).toEqual(['kept']);
    expect(a2a.list()).toEqual([]);
    const named = (name: string) => work.agents.get(name);
    expect([named('kept').webhook, named('left').webhook]).toEqual([expect.anything(), null]);
    expect(tokens.list().some(({ agent }) => agent === 'left')).toBe(false);
    // What opens the hub twice starts nothing twice.
    await invoke('hub.unlock', {});
    expect(started).toEqual(['kept']);
  },
);
