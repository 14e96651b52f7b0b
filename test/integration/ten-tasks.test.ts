// The ten tasks of an agent by MCP alone, at a hub with a long history of tasks, many other hubs and
// many agents: whatever there is, no answer is longer than a model reads at once.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SystemClock } from '../../main/adapters/clock/system-clock.ts';
import { openStore } from '../../main/adapters/sqlite/open-store.ts';
import type { TOOLS } from '../../main/mcp/tools.ts';
import type { JsonObject } from '../../main/lib/json-object.ts';
import { SILENT_LOG } from '../fakes/memory-store.ts';
import { agentRow, keyOf, peerRow, taskRow } from '../fakes/sample-rows.ts';
import { callTool } from '../support/mcp-calls.ts';
import { pairHubs } from '../support/paired-hubs.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

const TASKS = 5_000;
const MESSAGES_MIN = 10_000;
const HUBS = 120;
const AGENTS = 64;
const ANSWER_MAX_CHARACTERS = 20_000;
const PERSON = { actor: 'ui:test', surface: 'browser' } as const;
/** Of each message of the history, and of what is said now, several times. */
const TEXT = 'The garden has to be watered in the evening, all of it. '.repeat(3);

let mum: TestHub;
let dad: TestHub;
let asker: string;
let doer: string;

beforeAll(async () => {
  dad = await TestHub.start({ peerRateFactor: 100 });
  const before = await TestHub.start();
  [asker, doer] = [await before.agent('asker'), await dad.agent('doer')];
  await before.node.stop();
  await fill(before.home);
  mum = await TestHub.start({ home: before.home });
  await pairHubs(mum, dad, ['Dad', 'Mum']);
}, 60_000);
afterAll(() => Promise.all([mum.stop(), dad.stop()]));

const NAMES = Array.from({ length: AGENTS }, (_, n) => `gardener-of-the-long-garden-${n}`);

async function fill(home: string): Promise<void> {
  const clock = new SystemClock();
  const party = dad.node.services.identity.keyHex;
  const agents = NAMES.map((name) => ({ name, domains: ['family.garden'], capabilities: ['dig'] }));
  const capabilities = JSON.stringify({ agents });
  const store = openStore({ path: join(home, 'hub.db'), clock, log: SILENT_LOG });
  await store.write((tables) => {
    for (let hub = 0; hub < HUBS; hub++)
      tables.putPeer(peerRow({ key: keyOf(`hub ${hub}`), petname: `Hub ${hub}`, capabilities }));
    // One more is who asks.
    for (const name of NAMES.slice(1))
      tables.putAgent(
        agentRow({
          name,
          displayName: name,
          isDefault: false,
          capabilities: ['dig'],
          domains: [{ domain: 'family.garden', riskClass: null, byOwner: false, isOffered: true }],
        }),
      );
  });
  await store.write((tables) => {
    for (let one = 0; one < TASKS; one++) {
      const id = crypto.randomUUID();
      const at = clock.wallMs();
      tables.insertTask(
        taskRow({
          id,
          messageId: id,
          conversationId: `talk ${one % 40}`,
          fromAgent: 'asker',
          toAgent: 'doer',
          party,
          direction: 'outgoing',
          state: 'completed',
          payload: JSON.stringify({ task: `${one}: ${TEXT}` }),
          result: JSON.stringify({ status: 'completed', outcome: TEXT }),
          receivedAt: at,
          finishedAt: at,
        }),
      );
      tables.answerTask(id, { messageId: `of ${id}`, kind: 'result', fromAgent: 'doer', at });
    }
  });
  while (await store.write((tables) => tables.tendSearch(100)));
  await store.close();
}

/** As a model reads it. */
async function answerTo(
  name: keyof typeof TOOLS,
  given: JsonObject = {},
  [hub, token]: readonly [TestHub, string] = [mum, asker],
): Promise<JsonObject> {
  const { result } = await callTool(hub, token, name, given);
  const { content, isError, structuredContent } = result as {
    readonly content: readonly { readonly text: string }[];
    readonly isError?: boolean;
    readonly structuredContent: JsonObject;
  };
  const said = content.map(({ text }) => text).join('\n');
  expect([isError, said.length < ANSWER_MAX_CHARACTERS], `${name}: ${said.slice(0, 300)}`).toEqual([
    undefined,
    true,
  ]);
  return structuredContent;
}

async function allows(): Promise<void> {
  const { approvals } = dad.node.services.work;
  const { id, revision, digest } = await until('a card', 10_000, () => approvals.pending()[0]);
  await approvals.decide({ id, revision, digest, decision: 'allow' }, PERSON);
}

/** All that waits at Dad's. */
async function taken(kind: string): Promise<JsonObject> {
  return until(`a ${kind}`, 20_000, async () => {
    const { items } = await answerTo('axon_inbox', { wait_ms: 1_000 }, [dad, doer]);
    return (items as readonly JsonObject[]).find((item) => item['kind'] === kind);
  });
}

it('has that many messages', () => {
  const records = new Database(join(mum.home, 'hub.db'), { readonly: true });
  const count = records.prepare('SELECT count(*) FROM said').pluck().get();
  records.close();
  expect(count).toBeGreaterThanOrEqual(MESSAGES_MIN);
});

it.each([
  ['axon_whoami', {}],
  ['axon_peers', {}],
  ['axon_peers', { trust: 'all' }],
  ['axon_discover', { id: 'Hub 7', refresh: false }],
  ['axon_discover', { id: 'Dad' }],
  ['axon_find_agent', { to: { domain: 'family.garden' } }],
  ['axon_find_agent', { to: { capability: 'dig' } }],
  ['axon_find_agent', { to: 'Hub 7', kind: 'delegate' }],
  ['axon_conversations', {}],
  ['axon_conversations', { limit: 20 }],
  ['axon_search', { q: 'garden' }],
  ['axon_search', { q: 'garden', limit: 20 }],
  ['axon_history', { id: 'talk 7' }],
] as const)('%s %j', async (name, given) => {
  await answerTo(name, given);
});

it('the other hubs are all named, part after part', async () => {
  let read = '';
  for (let offset: unknown = 0, parts = 0; typeof offset === 'number'; parts += 1) {
    expect(parts).toBeLessThan(100);
    const said = await answerTo('axon_peers', offset === 0 ? {} : { offset });
    read += JSON.stringify(said);
    const { read_on: next } = (said['part'] ?? {}) as { readonly read_on?: JsonObject | null };
    offset = (next?.['arguments'] as JsonObject | undefined)?.['offset'];
  }
  for (let hub = 0; hub < HUBS; hub++) expect(read).toContain(`Hub ${hub}`);
}, 120_000);

it('a task, from giving it to its end, a notice, and one that is taken back', async () => {
  const work = { to: 'Dad/doer', task: TEXT.repeat(60), domain: 'doer.work' };
  const { id } = await answerTo('axon_delegate', work);
  await allows();
  const item = await taken('delegate');
  const { delivery_id: delivery } = item;
  // No tool does that.
  expect(JSON.stringify(item)).not.toMatch(/extend/i);
  await answerTo('axon_ack', { delivery }, [dad, doer]);
  await answerTo('axon_task', { id });
  await answerTo('axon_reply', { delivery, outcome: TEXT.repeat(60) }, [dad, doer]);
  const ended = await answerTo('axon_task', { id, wait: 20_000 });
  expect(ended['state']).toBe('completed');
  await answerTo('axon_notify', { to: 'Dad/doer', topic: 'doer.work', data: TEXT });
  const { id: other } = await answerTo('axon_delegate', work);
  await answerTo('axon_cancel', { id: other, reason: TEXT });
  const { untrusted } = await answerTo('axon_task', { id: other });
  expect(JSON.stringify(untrusted)).toContain('cancelled');
}, 60_000);

it('a question and its answer', async () => {
  await dad.node.services.work.agents.setClass('doer', { riskClass: 'R0' }, PERSON);
  const question = TEXT.repeat(20);
  const asked = answerTo('axon_query', { to: 'Dad/doer', domain: 'doer.work', question });
  const { delivery_id: delivery } = await taken('query');
  const data = Array.from({ length: 1_000 }, (_, day) => ({ day, free: true }));
  await answerTo('axon_reply', { delivery, summary: 'Free.', data }, [dad, doer]);
  expect((await asked)['part']).toBeDefined();
}, 60_000);
