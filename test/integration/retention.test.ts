// Removing ten thousand old records from a whole hub that goes on serving, and from one that is
// killed in the middle of it.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore } from '../../main/adapters/sqlite/open-store.ts';
import type { Store } from '../../main/ports/store.ts';
import { readState, RETENTION_META } from '../../main/services/retention/retention.ts';
import { SILENT_LOG } from '../fakes/memory-store.ts';
import {
  approvalRow,
  auditRow,
  feedRow,
  messageRow,
  peerRow,
  taskRow,
} from '../fakes/sample-rows.ts';
import { AgedHub } from '../support/aged-hub.ts';
import { rounds } from '../support/counts.ts';
import { NO_TIME, slowest, timesOf, tooSlow, waitsOf } from '../support/crowd/health-times.ts';
import { prepareHome } from '../support/prepared-home.ts';
import { axon, choosePassphrase, endAfterTest, endPrograms } from '../support/programs.ts';
import { until } from '../support/until.ts';
import { verifyAudit } from '../support/verify-audit.ts';
import { newIdentity, systemDeps } from './quic-test-hub.ts';

const { clock } = systemDeps;
const DAY_MS = 86_400_000;
const WAIT_LIMIT_MS = 120_000;
const WORDS = 'the words of long ago';
const CHILD = join(import.meta.dirname, 'store', 'purging-child.ts');
const HOOKS = join(import.meta.dirname, '..', 'support', 'raw-imports.mjs');
const KILLS = rounds('retention: hubs killed while they remove', { short: 6, long: 60 });

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'axon-retention-'));
});
afterEach(async () => {
  await endPrograms();
  rmSync(home, { recursive: true, force: true });
});

const path = (): string => join(home, 'hub.db');

async function withStore<T>(use: (store: Store) => T | Promise<T>): Promise<T> {
  const store = openStore({ path: path(), clock, log: SILENT_LOG });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/**
 * Requests that were decided and done at a time, each with its card, its message and a notice: four
 * rows each.
 */
async function fill(store: Store, count: number, at: number): Promise<void> {
  await store.write((tables) => {
    tables.appendAudit(auditRow({ at }));
    const decided = {
      state: 'approved',
      decidedAt: at,
      decidedBy: 'ui:1',
      surface: 'browser',
    } as const;
    for (let index = 0; index < count; index += 1) {
      const id = `old-${index}`;
      tables.insertTask(
        taskRow({
          id,
          state: 'completed',
          payload: JSON.stringify({ task: WORDS }),
          result: '{}',
          receivedAt: at,
          finishedAt: at,
        }),
      );
      tables.insertApproval(
        approvalRow({
          id: `card-${index}`,
          taskId: id,
          view: JSON.stringify({ text: WORDS }),
          ...decided,
        }),
      );
      tables.insertMessage(
        messageRow({
          messageId: id,
          taskId: id,
          conversationId: `c${index % 100}`,
          payload: JSON.stringify({ text: WORDS }),
          at,
        }),
      );
      tables.insertFeed(feedRow({ id, at, data: JSON.stringify({ text: WORDS }) }));
    }
    // Of a hub that is paired: what is open with any other ends as the hub starts.
    tables.putPeer(peerRow());
    tables.insertTask(
      taskRow({
        id: 'open',
        state: 'awaiting_approval',
        receivedAt: at,
        elapsedAt: clock.wallMs(),
      }),
    );
    tables.insertApproval(approvalRow({ id: 'open-card', taskId: 'open', createdAt: at }));
  });
}

it('F-09: ten thousand records are removed while /health answers within a second, and what was open until now stays', async () => {
  await prepareHome(home, newIdentity(), []);
  await withStore((store) => fill(store, 2_500, clock.wallMs()));
  const hub = await AgedHub.start(home);
  try {
    await hub.age(370);
    let longest = NO_TIME;
    let count = 0;
    await until('the removal', WAIT_LIMIT_MS, async () => {
      const waits = waitsOf([process.pid]);
      const startedAt = performance.now();
      expect((await fetch(`http://127.0.0.1:${hub.node.apiPort}/health`)).status).toBe(200);
      longest = slowest(longest, timesOf(performance.now() - startedAt, waits()));
      count += 1;
      return (
        hub.value("SELECT count(*) FROM audit WHERE action = 'records.removed'") === 1 || undefined
      );
    });
    expect(count).toBeGreaterThan(20);
    expect(tooSlow(longest)).toEqual([]);
    expect(hub.value("SELECT detail FROM audit WHERE action = 'records.removed'")).toBe(
      JSON.stringify({ tasks: 2_500, messages: 2_500, deliveries: 0, outbox: 0, feed: 2_500 }),
    );
    expect(hub.value("SELECT count(*) FROM approvals WHERE id LIKE 'card-%' AND view <> x''")).toBe(
      0,
    );
    expect(
      hub.value(
        "SELECT count(*) FROM conversations WHERE conversation_id <> 'conversation of open'",
      ),
    ).toBe(0);
    // Its time ran out with the days that passed: it ended today.
    expect(hub.value("SELECT payload <> x'' FROM tasks WHERE id = 'open'")).toBe(1);
    expect(hub.value("SELECT view <> x'' FROM approvals WHERE id = 'open-card'")).toBe(1);
  } finally {
    await hub.stop();
  }
}, 180_000);

it('F-12: status tells of a clock that jumped, and the owner alone confirms the date, at a terminal', async () => {
  await prepareHome(home, newIdentity(), []);
  const hub = await AgedHub.start(home);
  try {
    const passphrase = await choosePassphrase(home);
    const owner = ['--passphrase-file', passphrase, 'confirm-date'];
    expect(await axon(home, owner)).toMatchObject({ code: 0, out: 'No date is in question.\n' });
    hub.clock.move(370 * DAY_MS, DAY_MS);
    const status = await axon(home, ['status']);
    expect(status.out).toMatch(
      /^ATTENTION +The clock of this computer says \d{4}-.*more than 60 days/m,
    );
    expect(status.out).toContain('confirm-date');
    expect(await axon(home, ['confirm-date'])).not.toMatchObject({ code: 0 });
    expect(hub.node.services.retention.dateInQuestion).not.toBeNull();
    expect(await axon(home, owner)).toMatchObject({
      code: 0,
      out: 'The date is confirmed. Old messages are removed again.\n',
    });
    expect((await axon(home, ['status'])).out).not.toContain('The clock of this computer');
    expect(
      hub.value(
        "SELECT count(*) FROM audit WHERE action = 'settings.date_confirmed' AND actor LIKE 'owner:%'",
      ),
    ).toBe(1);
  } finally {
    await hub.stop();
  }
}, 120_000);

it('the flags say how long messages and the feed are kept', async () => {
  await prepareHome(home, newIdentity(), []);
  await withStore((store) => fill(store, 10, clock.wallMs()));
  const hub = await AgedHub.start(home, ['--keep-messages', '30', '--keep-feed', '10']);
  try {
    await hub.age(15);
    await until(
      'the removal',
      WAIT_LIMIT_MS,
      () =>
        hub.value("SELECT count(*) FROM audit WHERE action = 'records.removed'") === 1 || undefined,
    );
    expect(hub.value('SELECT count(*) FROM feed')).toBe(0);
    expect(hub.value("SELECT count(*) FROM tasks WHERE payload = x''")).toBe(0);
    expect(hub.value("SELECT count(*) FROM messages WHERE message_id LIKE 'old-%'")).toBe(10);
  } finally {
    await hub.stop();
  }
});

it('what a person changes counts without a restart, and not where a flag of this run says otherwise', async () => {
  await prepareHome(home, newIdentity(), []);
  await withStore((store) => fill(store, 10, clock.wallMs()));
  const hub = await AgedHub.start(home, ['--keep-messages', '30']);
  try {
    const { settings } = hub.node.services;
    const now = await settings.update(
      { keep_messages_days: 1, keep_feed_days: 10 },
      { actor: 'ui:1', surface: 'browser' },
    );
    expect(now).toMatchObject({
      keep_messages_days: 30,
      keep_feed_days: 10,
      fixed_at_start: { keep_messages_days: '--keep-messages' },
    });
    await hub.age(15);
    await until(
      'the removal',
      WAIT_LIMIT_MS,
      () =>
        hub.value("SELECT count(*) FROM audit WHERE action = 'records.removed'") === 1 || undefined,
    );
    expect(hub.value('SELECT count(*) FROM feed')).toBe(0);
    expect(hub.value("SELECT count(*) FROM tasks WHERE payload = x''")).toBe(0);
  } finally {
    await hub.stop();
  }
});

it('a hub that is killed while it removes has removed whole commits, counted, and goes on at the next start', async () => {
  const daysAgo = clock.wallMs() - 3 * DAY_MS;
  await withStore((store) => fill(store, 2_000, daysAgo));
  const records = new Database(path(), { readonly: true });
  const count = (sql: string): number => Number(records.prepare(sql).pluck().get());
  const purged = (): number => count('SELECT count(*) FROM tasks WHERE purged_at IS NOT NULL');
  let before = 0;
  let inTheMiddle = 0;
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const child = spawn(process.execPath, ['--import', HOOKS, CHILD, path()], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    endAfterTest(child);
    const enough = before + Math.floor(2_000 / (KILLS + 2));
    await until(
      'some to be removed',
      WAIT_LIMIT_MS,
      () => purged() >= Math.min(enough, 2_000) || undefined,
    );
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    before = purged();
    if (before < 2_000) inTheMiddle += 1;
    expect(count('SELECT count(*) FROM approvals WHERE purged_at IS NOT NULL')).toBe(before);
    expect(
      count(
        "SELECT count(*) FROM tasks JOIN approvals ON task_id = tasks.id WHERE (payload = x'') <> (view = x'')",
      ),
    ).toBe(0);
    const told = count(
      "SELECT coalesce(sum(json_extract(detail, '$.tasks')), 0) FROM audit WHERE action = 'records.removed'",
    );
    const meta = records
      .prepare('SELECT value FROM meta WHERE name = ?')
      .pluck()
      .get(RETENTION_META);
    expect(told + (readState(String(meta))?.removed.tasks ?? 0)).toBe(before);
    expect(records.pragma('integrity_check', { simple: true })).toBe('ok');
  }
  expect(inTheMiddle).toBeGreaterThan(0);

  const child = spawn(process.execPath, ['--import', HOOKS, CHILD, path()], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  endAfterTest(child);
  await until('all to be removed and told', WAIT_LIMIT_MS, () => {
    const told = count(
      "SELECT coalesce(sum(json_extract(detail, '$.feed')), 0) FROM audit WHERE action = 'records.removed'",
    );
    return told === 2_000 || undefined;
  });
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  expect(count(`SELECT count(*) FROM messages`)).toBe(0);
  expect(count("SELECT count(*) FROM tasks WHERE id = 'open' AND payload <> x''")).toBe(1);
  expect(count("SELECT count(*) FROM approvals WHERE id = 'open-card' AND view <> x''")).toBe(1);
  records.close();
  await withStore(({ read }) => expect(verifyAudit(read).brokenSeq).toBeNull());
}, 240_000);
