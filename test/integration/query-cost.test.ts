// What one question costs in SQL, from the POST to the reply and the records of it, at both hubs
// together, once both are warm. What follows on a clock of its own (the search index, the signature
// of the audit log) is not counted, and neither are BEGIN and COMMIT.
import Database from 'better-sqlite3';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import { isJsonObject } from '../../main/lib/json-object.ts';
import { pairHubs } from '../support/paired-hubs.ts';
import { atDoor } from '../support/raw-peer.ts';
import { TestHub } from '../support/test-hub.ts';

const QUESTIONS = 10;
const EXECUTIONS_MAX = 16;
/** Twice the time within which records are written behind. */
const RECORDED_AFTER_MS = 100;
/**
 * A savepoint is the beginning of one of several works in a commit: how many fall into one is a
 * matter of how busy the computer is.
 */
const NOT_COUNTED =
  /^BEGIN|^COMMIT|^SAVEPOINT|^RELEASE|\bsearch\b|audit_signatures|^SELECT seq FROM sqlite_sequence|^SELECT payload, result FROM tasks|seq > \?|ORDER BY seq DESC LIMIT 1$|\bmeta\b|synchronous/;

const executed: string[] = [];
let dad: TestHub;
let mum: TestHub;

/** Notes what every connection of this process executes. */
function noteExecutions(): void {
  const methods = ['get', 'all', 'run', 'iterate'];
  const probe = new Database(':memory:');
  const ofStatements: object = Object.getPrototypeOf(probe.prepare('SELECT 1'));
  probe.close();
  for (const [owner, names] of [
    [ofStatements, methods],
    [Database.prototype, ['exec']],
  ] as const) {
    for (const name of names) {
      const original: unknown = Reflect.get(owner, name);
      if (typeof original !== 'function') throw new Error(`better-sqlite3 has no ${name}`);
      Reflect.set(owner, name, function (this: { readonly source?: string }, ...values: unknown[]) {
        executed.push(this.source ?? String(values[0]));
        return Reflect.apply(original, this, values);
      });
    }
  }
}

beforeAll(async () => {
  noteExecutions();
  [dad, mum] = [await TestHub.start(), await TestHub.start()];
  await pairHubs(dad, mum, ['Mum', 'Dad']);
});
afterAll(() => Promise.all([dad.stop(), mum.stop()]));

test(`a question takes at most ${EXECUTIONS_MAX} statements`, async () => {
  const asker = await dad.agent('planner');
  const body = { name: 'reader', domains: ['household.notes'], risk_class: 'R0' };
  const made = await mum.ask('/v1/agents/create', {
    method: 'POST',
    token: await mum.page(),
    body,
  });
  const { token: reader } = JSON.parse(made.text) as { readonly token: string }; // the hub's own JSON
  const question = { to: 'Mum/reader', question: 'Is the gate closed?', domain: 'household.notes' };
  const ask = async (): Promise<void> => {
    const asked = atDoor(dad, asker, '/v1/query', question);
    const { text } = await mum.ask('/v1/inbox/claim', {
      method: 'POST',
      token: reader,
      body: { max: 1, wait_ms: 10_000 },
    });
    const [item] = (JSON.parse(text) as { readonly items: readonly DeliveryDto[] }).items; // the hub's own JSON
    const reply = { status: 'completed', summary: 'Yes.' };
    await atDoor(mum, reader, `/v1/inbox/${item?.delivery_id ?? 'none'}/reply`, reply);
    expect(await asked).toMatchObject({ state: 'answered', untrusted: { summary: 'Yes.' } });
    await wait(RECORDED_AFTER_MS);
  };
  await ask();
  executed.length = 0;
  for (let index = 0; index < QUESTIONS; index++) await ask();
  const counted = executed.filter((sql) => !NOT_COUNTED.test(sql));
  const counts = Object.entries(Object.groupBy(counted, (sql) => sql)).map(
    ([sql, times = []]) => `${times.length / QUESTIONS} ${sql}`,
  );
  expect(counted.length / QUESTIONS, counts.join('\n')).toBeLessThanOrEqual(EXECUTIONS_MAX);
  // The records are among them: one row at each hub.
  expect(counts.filter((count) => count.includes('INSERT INTO'))).toHaveLength(1);
  expect(counts.join('\n')).toContain('2 INSERT INTO tasks');
}, 60_000);

test('a question is encoded once, and one that no hub takes is on no record', async () => {
  const asker = await dad.agent('planner-two');
  const stringify = vi.spyOn(JSON, 'stringify');
  const ask = (question: string) =>
    atDoor(dad, asker, '/v1/query', { to: 'Mum/reader', question, deadline_ms: 200 });
  expect(await ask('Is it?')).toMatchObject({ http: 504 });
  const encoded = stringify.mock.calls.filter(
    ([value]) => isJsonObject(value) && value.kind === 'query' && value.v === 1,
  );
  stringify.mockRestore();
  expect(encoded).toHaveLength(1);
  await wait(RECORDED_AFTER_MS);
  const before = await atDoor(dad, asker, '/v1/tasks');
  expect(await ask('ä'.repeat(20_000))).toMatchObject({ code: 'payload_too_large' });
  await wait(RECORDED_AFTER_MS);
  expect(await atDoor(dad, asker, '/v1/tasks')).toEqual(before);
}, 60_000);
