// What a hub keeps of its webhooks, runners, files and agents of elsewhere, with one entry damaged:
// the others go on, the damaged one is shown as such, and its owner gets rid of it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestHub } from '../support/test-hub.ts';

const ADDRESS = 'http://127.0.0.1:9/wake';
const FILE = [
  '---',
  'name: good',
  'model: small:1b',
  'endpoint: http://127.0.0.1:9/v1',
  'areas: [helper.work]',
  '---',
  'You help.',
].join('\n');
const ELSEWHERE = { agent: 'good', url: 'http://127.0.0.1:9/card', host: '127.0.0.1:9' };

const STORED = {
  webhooks: [
    { preset: 'generic', address: ADDRESS },
    { agent: 'bad', preset: 'generic', address: ADDRESS, announced: 'x' },
    {
      agent: 'good',
      preset: 'generic',
      address: ADDRESS,
      secret: null,
      announced: 0,
      calling: null,
      last: null,
    },
  ],
  runners: [
    { runner: { kind: 'acp', program: 'of nobody' }, token: null },
    { agent: 'bad', runner: 5, token: null },
    { agent: 'good', runner: { kind: 'acp', program: 'of later' } },
  ],
  agent_files: [
    { text: FILE },
    { file: 'nobodys.md', text: FILE },
    { file: 'gone.md', agent: 'bad', text: FILE },
    { file: 'bad.md', agent: 'bad', text: FILE },
    { file: 'good.md', agent: 'good', text: FILE, key: null, at: 1 },
  ],
  a2a_agents: {
    rows: [
      { url: ELSEWHERE.url, host: ELSEWHERE.host },
      { agent: 'bad', url: ELSEWHERE.url, host: ELSEWHERE.host },
      { agent: 'removed', url: ELSEWHERE.url, host: ELSEWHERE.host },
      { ...ELSEWHERE, leavesComputer: false, digest: '', endpoint: '', token: null, tasks: {} },
    ],
  },
};

let hub: TestHub;
let page: string;
beforeAll(async () => {
  hub = await TestHub.start();
  for (const name of ['good', 'bad']) await hub.agent(name);
  await hub.node.stop();
  mkdirSync(join(hub.home, 'agents'), { recursive: true });
  for (const name of ['good.md', 'bad.md']) writeFileSync(join(hub.home, 'agents', name), FILE);
  const records = new Database(join(hub.home, 'hub.db'));
  const put = records.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)');
  for (const [name, value] of Object.entries(STORED)) put.run(name, JSON.stringify(value));
  records.close();
  hub = await TestHub.start({ home: hub.home });
  page = await hub.page();
}, 60_000);
afterAll(() => hub.stop());

const ask = async (
  path: string,
  method = 'GET',
  body?: object,
): Promise<Readonly<Record<string, unknown>>> => {
  const asking = { method, token: page, ...(body === undefined ? {} : { body }) };
  const { status, text } = await hub.ask(path, asking);
  expect(status, text).toBe(200);
  return JSON.parse(text);
};

test('one damaged entry is shown as such if it is an agent’s, and takes no other with it', async () => {
  expect(await ask('/v1/agents/good')).toMatchObject({ webhook: { address: ADDRESS, last: null } });
  expect(await ask('/v1/agents/bad')).toMatchObject({
    webhook: { address: ADDRESS, last: { outcome: 'unreadable' } },
  });
  expect(await ask('/v1/runners')).toMatchObject({
    items: [
      { agent: 'good', kind: 'gone', program: 'of later' },
      { agent: 'bad', kind: 'gone', program: '?', state: 'cannot_start' },
    ],
  });
  expect(await ask('/v1/agent-files')).toMatchObject({
    items: [
      { file: 'bad.md', flaw: expect.stringContaining('cannot be read'), confirmed: null },
      { file: 'good.md', flaw: null, confirmed: { agent: 'good' } },
      { file: 'gone.md', state: 'gone', flaw: expect.stringContaining('cannot be read') },
    ],
  });
  expect(await ask('/v1/a2a/agents')).toMatchObject({
    items: [
      { agent: 'good', host: ELSEWHERE.host },
      {
        agent: 'bad',
        host: ELSEWHERE.host,
        state: 'away',
        trouble: expect.stringContaining('cannot be read'),
      },
    ],
  });
});

test('its owner ends what is damaged, and the rest stays as it was', async () => {
  await ask('/v1/agent-files/remove', 'POST', { file: 'gone.md' });
  await ask('/v1/agents/bad/runner', 'DELETE');
  await ask('/v1/agents/bad/webhook', 'DELETE');
  await ask('/v1/agents/bad', 'DELETE');
  const kept = (list: unknown) => (list as { readonly items: readonly object[] }).items.length;
  expect(kept(await ask('/v1/runners'))).toBe(1);
  expect(kept(await ask('/v1/a2a/agents'))).toBe(1);
  expect(await ask('/v1/agent-files')).toMatchObject({
    items: [{ file: 'bad.md', flaw: null }, { confirmed: { agent: 'good' } }],
  });
  expect(await ask('/v1/agents/good')).toMatchObject({ webhook: { address: ADDRESS } });
});
