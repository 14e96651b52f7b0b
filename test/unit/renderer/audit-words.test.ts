// The record in plain words: a sentence for every action that the hub writes down, with the names
// people know.
import { readFileSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AuditRowDto } from '../../../preload/contract/audit.ts';
import { OPERATIONS } from '../../../preload/contract/operations.ts';
import { words } from '../../../renderer/app/words.ts';
import { daysOf, iconOf, sentenceOf } from '../../../renderer/features/settings/audit-words.ts';
import { WAITING } from '../../fakes/remote-approval-cards.ts';
import { AGENTS, DAD, NOW, snapshotOf } from '../../fakes/household.ts';

const ROOT = join(import.meta.dirname, '../../..');
const { actions } = words.audit;
const household = snapshotOf();

const rowOf = (action: string, more: Partial<AuditRowDto> = {}): AuditRowDto => ({
  seq: 1,
  at: NOW,
  monotonic_ms: null,
  actor: 'token-1',
  surface: 'browser',
  action,
  object: 'object-1',
  rule: null,
  digest: null,
  detail: {},
  ...more,
});

/**
 * Every name of an action that stands in the hub's sources: whole ones, and those made of an area
 * and a state.
 */
function actionsInSources(): ReadonlySet<string> {
  const sources = ['main/services/**/*.ts', 'main/adapters/sqlite/**/*.ts'].flatMap((pattern) =>
    globSync(pattern, { cwd: ROOT }),
  );
  const found = new Set<string>();
  for (const path of sources) {
    const source = readFileSync(join(ROOT, path), 'utf8');
    const isWriter = /appendAudit|audit\.(append|refusal|note)|#note\(|#audit\.|action/.test(
      source,
    );
    if (!isWriter) continue;
    for (const [, name] of source.matchAll(/['`]([a-z_]+\.[a-z_]+)['`]/g))
      if (name !== undefined) found.add(name);
    for (const [, area] of source.matchAll(/`([a-z_]+)\.\$\{/g))
      if (area !== undefined) found.add(`${area}.*`);
  }
  return found;
}

/**
 * Named like an action and none: keys of tables and of the vault, content types, and operations.
 */
const NO_ACTIONS = [
  'area.verb',
  'attention.pending_notification',
  'audit.counter',
  'identity.key',
  'hub.db',
  'axon.agents',
  'axon.inbox',
  'axon.receipt',
  'outbox.uptime_ms',
  'auth.passphrase',
];
const OTHERS = new Set([...NO_ACTIONS, ...Object.keys(OPERATIONS)]);
/** What the states behind an area can be, as the sources spell them. */
const MADE: Readonly<Record<string, readonly string[]>> = {
  'approval.*': ['approval.declined', 'approval.expired', 'approval.cancelled'],
  'peer.*': ['peer.resumed', 'peer.suspended'],
};

describe('the words of the record', () => {
  test('every action that the hub writes down has a sentence, and every sentence is for one that it writes', () => {
    const written = [...actionsInSources()].flatMap((name) => MADE[name] ?? [name]);
    expect(written).toEqual(
      expect.arrayContaining(['approval.allowed', 'peer.suspended', 'peer.wrong_key']),
    );
    expect(written.filter((name) => !OTHERS.has(name) && !Object.hasOwn(actions, name))).toEqual(
      [],
    );
    expect(Object.keys(actions).filter((name) => !written.includes(name))).toEqual([]);
  });

  test('the owner is “you” wherever it was done', () => {
    for (const surface of ['window', 'browser', 'command_line']) {
      expect(sentenceOf(rowOf('settings.changed', { surface }), household)).toBe(
        'You changed the settings.',
      );
    }
    expect(
      sentenceOf(rowOf('delegation.sent', { actor: 'owner', surface: 'agent' }), household),
    ).toBe('You sent a task to another hub.');
  });

  test('hubs and agents have their names, and one that is gone is said to be', () => {
    const [agent] = AGENTS;
    if (agent === undefined) throw new Error('no agent');
    const dad = { object: DAD.public_key };
    expect(sentenceOf(rowOf('peer.muted', dad), household)).toBe(`You muted ${DAD.name}.`);
    const asked = rowOf('request.asked', { actor: DAD.public_key, surface: 'peer' });
    expect(sentenceOf(asked, household)).toBe(
      `${DAD.name} asked for something that waited for a decision.`,
    );
    expect(sentenceOf(rowOf('agent.removed', { object: agent.name }), household)).toBe(
      `You removed ${agent.display_name}.`,
    );
    const gone = rowOf('peer.revoked', { object: 'ab'.repeat(32) });
    expect(sentenceOf(gone, household)).toBe('You removed a hub that isn’t known any more.');
    const forged = rowOf('peer.forged_sender', { actor: 'ab'.repeat(32), surface: 'peer' });
    expect(sentenceOf(forged, household)).toMatch(/^A hub that isn’t known any more sent /);
    const sent = rowOf('delegation.sent', { actor: `agent:${agent.name}`, surface: 'agent' });
    expect(sentenceOf(sent, household)).toBe(`${agent.display_name} sent a task to another hub.`);
  });

  test('what an adult’s hub is asked and says is told of the request by whose it is', () => {
    const card = WAITING;
    const household = snapshotOf({ approvals: [card] });
    const what = words.audit.what.requestOf(card.peer_name);
    const hub = { actor: 'hub', surface: 'hub' };
    expect(sentenceOf(rowOf('remote_approval.asked', { object: card.id, ...hub }), household)).toBe(
      `This hub asked an adult’s hub about ${what}.`,
    );
    const dads = { object: card.id, actor: DAD.public_key, surface: 'peer' };
    expect(sentenceOf(rowOf('remote_approval.answered', dads), household)).toBe(
      `${DAD.name} decided about ${what}, as an adult’s hub.`,
    );
    const unused = `${DAD.name} sent a decision about ${what} that was not used.`;
    expect(sentenceOf(rowOf('remote_approval.refused', dads), household)).toBe(unused);
    const gone = rowOf('remote_approval.asked', {
      object: '3f0c1f5e-0000-4000-8000-000000000000',
      ...hub,
    });
    expect(sentenceOf(gone, household)).toBe(
      `This hub asked an adult’s hub about ${words.audit.what.request}.`,
    );
    expect(sentenceOf(rowOf('remote_approval.set', { object: 'remote_approval' }), household)).toBe(
      'You set which adults’ hubs decide, and about what.',
    );
  });

  test('an unexpected end says what was not signed then', () => {
    const ended = (detail: object) =>
      sentenceOf(
        rowOf('hub.ended_unexpectedly', { actor: 'hub', surface: 'hub', detail }),
        household,
      );
    const before = 'This hub had ended unexpectedly before this start:';
    expect(ended({ rows: 3, from_row: 12, from_at: NOW })).toBe(
      `${before} 3 rows from row 12 on were not signed yet.`,
    );
    expect(ended({ rows: 1, from_row: 12, from_at: NOW })).toBe(
      `${before} 1 row from row 12 on was not signed yet.`,
    );
    expect(ended({ rows: 0, from_row: 0, from_at: null })).toBe(
      `${before} all that it had written was signed.`,
    );
  });

  test('a tamper finding and its acknowledgement name the first row', () => {
    const found = rowOf('audit.tampered', {
      actor: 'hub',
      surface: 'hub',
      detail: { row: 1200, kind: 'changed', following: 3 },
    });
    expect(sentenceOf(found, household)).toBe(
      'This hub found that the audit log does not fit from row 1,200 on.',
    );
    const seen = rowOf('audit.acknowledged', { detail: { row: 6 } });
    expect(sentenceOf(seen, household)).toBe(
      'You acknowledged that the audit log does not fit from row 6 on.',
    );
  });

  test('an action without words is shown by its name, also one that objects have by themselves', () => {
    expect(sentenceOf(rowOf('tea.made'), household)).toBe('tea.made');
    expect(sentenceOf(rowOf('constructor'), household)).toBe('constructor');
  });

  test('what was removed after its time is said in numbers', () => {
    const detail = { tasks: 12, messages: 1, deliveries: 9, outbox: 3, feed: 0 };
    const row = rowOf('records.removed', { actor: 'hub', surface: 'hub', object: 'hub', detail });
    expect(sentenceOf(row, household)).toMatch(
      /removed the words of old requests: 12 requests, 1 message and 0 notices\.$/,
    );
  });

  test('every kind of row has a mark of its area, and what became of a request the mark of that', () => {
    const marks = Object.keys(actions).map((action) => [action, iconOf(rowOf(action))] as const);
    expect(marks.filter(([action, mark]) => mark === 'hub' && !action.startsWith('hub.'))).toEqual(
      [],
    );
    expect(Object.fromEntries(marks)).toMatchObject({
      'approval.allowed': 'mark-let',
      'approval.declined': 'mark-back',
      'approval.expired': 'mark-late',
      'request.passed': 'mark-rule',
      'peer.paired': 'people',
    });
    expect(
      ['tea.made', 'constructor', 'toString.call'].map((action) => iconOf(rowOf(action))),
    ).toEqual(['hub', 'hub', 'hub']);
  });

  test('rows stand by day, and only the ends of the owner’s own sessions are set aside', () => {
    const rows = [
      rowOf('token.revoked', { seq: 5, detail: { kind: 'owner', agent: null } }),
      rowOf('token.revoked', { seq: 4, detail: { kind: 'agent', agent: 'family' } }),
      rowOf('rule.made', { seq: 3, at: NOW - 86_400_000, detail: 'no object' }),
      rowOf('rule.made', { seq: 2, at: null }),
    ];
    const days = daysOf(rows, NOW).map(({ name, rows: some, ownSessions }) => [
      name,
      some.map(({ seq }) => seq),
      ownSessions.map(({ seq }) => seq),
    ]);
    expect(days).toEqual([
      ['Today', [4], [5]],
      ['Yesterday', [3], []],
      ['Without a time', [2], []],
    ]);
  });
});
