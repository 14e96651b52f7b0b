// What a person approves is what the agent receives, and nothing can change it unseen.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  approvalFields,
  buildApprovalView,
  digestOfView,
  isViewOf,
  READERS,
  readApprovalView,
  readView,
  type ApprovalInput,
  type ApprovalView,
  type ViewReader,
} from '../../../main/core/approval-view.ts';
import { AppError } from '../../../main/lib/app-error.ts';
import { canonicalJson } from '../../../main/lib/canonical-json.ts';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { utf8 } from '../../../main/lib/bytes.ts';
import { encodeEnvelope } from '../../../main/protocol/encode-envelope.ts';
import { parseEnvelope } from '../../../main/protocol/parse-envelope.ts';
import { arbitraryPayload, envelope, MESSAGE_ID } from '../protocol/envelopes.ts';

const INPUT: ApprovalInput = {
  kind: 'delegate',
  payload: {
    task: 'Tell the family chat that dinner\u202e is at 7',
    context: { dinner_time: '7:00 PM', guests: ['Ana', 'Ben'], 'a.b': 1, none: {} },
    priority: 'urgent',
    report_back: false,
    deadline_ms: 60_000,
    domain: 'family.chat',
    reason: 'they asked',
    'hidden\u200bkey': ['\u0000'],
  },
  peerKey: 'ab'.repeat(32),
  peerName: 'Dad',
  fromAgent: 'planner',
  toAgent: 'house',
  riskClass: 'R2',
  riskReason: 'agent_class',
  receivedAt: 1_771_108_000_000,
  receivedSeq: 42,
  conversationId: 'c-91',
  messageId: MESSAGE_ID,
};

function viewOf(change: Partial<ApprovalInput> = {}): ApprovalView {
  const read = readApprovalView(buildApprovalView({ ...INPUT, ...change }).view);
  if (!read.ok) throw new Error(read.error);
  return read.value;
}

describe('the view', () => {
  it('holds every field of the request, escaped', () => {
    expect(viewOf()).toEqual({
      version: 2,
      kind: 'delegate',
      peer_key: 'ab'.repeat(32),
      peer_name: 'Dad',
      from_agent: 'planner',
      to_agent: 'house',
      domain: 'family.chat',
      risk_class: 'R2',
      risk_reason: 'agent_class',
      text: 'Tell the family chat that dinner[U+202E] is at 7',
      payload: {
        task: 'Tell the family chat that dinner[U+202E] is at 7',
        context: { dinner_time: '7:00 PM', guests: ['Ana', 'Ben'], 'a.b': 1, none: {} },
        priority: 'urgent',
        report_back: false,
        deadline_ms: 60_000,
        domain: 'family.chat',
        reason: 'they asked',
        'hidden[U+200B]key': ['[U+0000]'],
      },
      reason: 'they asked',
      report_back: false,
      urgent: true,
      deadline_ms: 60_000,
      received_at: 1_771_108_000_000,
      received_seq: 42,
      conversation_id: 'c-91',
      message_id: MESSAGE_ID,
    });
  });

  it('of a query holds its question and its defaults', () => {
    const view = viewOf({ kind: 'query', payload: { question: 'What is on?' } });
    expect(view).toMatchObject({
      kind: 'query',
      text: 'What is on?',
      domain: null,
      urgent: false,
      report_back: true,
      deadline_ms: 30_000,
    });
  });

  it('is canonical and comes back as it was', () => {
    fc.assert(
      fc.property(arbitraryPayload, fc.string({ unit: 'binary', minLength: 1 }), (extra, task) => {
        fc.pre(task.trim() !== '');
        const payload = { more: extra, task: task.toWellFormed() };
        const { view, digest } = buildApprovalView({ ...INPUT, payload });
        const read = readApprovalView(view);
        expect(read.ok && canonicalJson(read.value)).toBe(view);
        expect(digestOfView(view)).toBe(digest);
      }),
      { numRuns: 200 },
    );
  });

  it('can be built for every message that a hub accepts, the worst included', () => {
    const worst = [
      { task: '\u007f'.repeat(65_000) },
      { task: 'x', context: { text: '\\'.repeat(30_000) } },
      { task: 'x', context: { list: Array.from({ length: 4000 }, () => 0) } },
      {
        task: 'x',
        context: JSON.parse(`${'{"a":'.repeat(29)}1${'}'.repeat(29)}`) as Record<string, unknown>,
      },
      {
        task: 'x',
        context: Object.fromEntries(
          Array.from({ length: 256 }, (_, index) => [`k${index}`, '[U+0]'.repeat(20)]),
        ),
      },
    ];
    for (const payload of worst) {
      const arrived = parseEnvelope(utf8(JSON.stringify(envelope({ kind: 'delegate', payload }))));
      expect(arrived.ok).toBe(true);
      expect(readApprovalView(buildApprovalView({ ...INPUT, payload }).view).ok).toBe(true);
    }
    const question = { text: '"\\'.repeat(12_000) };
    expect(encodeEnvelope(envelope({ payload: { question } })).length).toBeLessThan(65_537);
    expect(viewOf({ kind: 'query', payload: { question } }).text).toBe(canonicalJson(question));
  });

  it.each([
    ['no task', { context: {} }],
    ['a deadline that is none', { task: 'x', deadline_ms: -1 }],
    [
      'more than a message may hold',
      { task: 'x', context: { list: Array.from({ length: 5000 }, () => 0) } },
    ],
    ['an integer that would change', { task: 'x', context: { count: 2 ** 60 } }],
  ])('is refused for a payload with %s: nobody is asked', (_name, payload) => {
    expect(() => buildApprovalView({ ...INPUT, payload })).toThrow(AppError);
  });
});

describe('the digest', () => {
  it('is the SHA-256 of the prefix, a zero byte and the view', () => {
    const { view, digest } = buildApprovalView(INPUT);
    expect(digest).toBe(createHash('sha256').update(`axon-hub/approval/v1\0${view}`).digest('hex'));
  });

  it('differs when any field does', () => {
    const { digest } = buildApprovalView(INPUT);
    const changes: Partial<ApprovalInput>[] = [
      { peerKey: 'ac'.repeat(32) },
      { peerName: 'Mum' },
      { fromAgent: null },
      { toAgent: 'door' },
      { riskClass: 'R3' },
      { riskReason: 'unknown' },
      { receivedAt: INPUT.receivedAt + 1 },
      { receivedSeq: 43 },
      { conversationId: 'c-92' },
      { messageId: MESSAGE_ID.replace('3', '4') },
    ];
    const withoutOne = Object.keys(INPUT.payload)
      .filter((key) => key !== 'task')
      .map((key): Partial<ApprovalInput> => ({
        payload: withoutUndefined({ ...INPUT.payload, [key]: undefined }),
      }));
    changes.push(
      ...withoutOne,
      { payload: { ...INPUT.payload, task: 'Another task' } },
      { payload: { ...INPUT.payload, more: null } },
    );
    const digests = changes.map((change) => buildApprovalView({ ...INPUT, ...change }).digest);
    expect(new Set([digest, ...digests]).size).toBe(changes.length + 1);
  });

  it('differs between a hidden character and the text that looks like its escape', () => {
    const digest = (task: string) => buildApprovalView({ ...INPUT, payload: { task } }).digest;
    expect(digest('go\u202e')).not.toBe(digest('go[U+202E]'));
    expect(digest('go ')).not.toBe(digest('go'));
  });

  it('differs between an absent field and one that is there with its default', () => {
    const digest = (payload: Record<string, unknown>) =>
      buildApprovalView({ ...INPUT, payload }).digest;
    expect(digest({ task: 'x' })).not.toBe(digest({ task: 'x', priority: 'normal' }));
  });
});

describe('reading a stored view', () => {
  const { view } = buildApprovalView(INPUT);
  const parsed = JSON.parse(view) as Record<string, unknown>;
  const changed = (change: Record<string, unknown>) =>
    canonicalJson(withoutUndefined({ ...parsed, ...change }));

  it.each([
    ['nothing', ''],
    ['no JSON', 'view'],
    ['a space more', `${view} `],
    ['other key order', JSON.stringify(Object.fromEntries(Object.entries(parsed).reverse()))],
    ['a field twice', view.replace('{', '{"domain":null,')],
    ['a field less', changed({ urgent: undefined })],
    ['a field more', changed({ approved: true })],
    ['a field of another name', changed({ urgent: undefined, Urgent: true })],
    ['another version', changed({ version: 3 })],
    ['another kind', changed({ kind: 'notify' })],
    ['an unknown class', changed({ risk_class: 'R4' })],
    ['an unknown reason', changed({ risk_reason: 'because' })],
    ['a flag as text', changed({ report_back: 'false' })],
    ['a deadline as text', changed({ deadline_ms: '60000' })],
    ['a negative time', changed({ received_at: -1 })],
    ['a list as payload', changed({ payload: [] })],
    ['a number as text', changed({ text: 7 })],
  ])('refuses %s', (_name, text) => {
    expect(readApprovalView(text)).toMatchObject({
      ok: false,
      error: expect.stringContaining("an approval's view") as string,
    });
  });
});

describe('a view that was stored in version 1', () => {
  const [stored = '', digest = ''] = readFileSync(
    'test/fixtures/approval-view-1.txt',
    'utf8',
  ).split('\n');

  it('reads as it was shown, under the digest that a person saw', () => {
    const read = readApprovalView(stored);
    expect(read).toMatchObject({
      ok: true,
      value: { version: 1, text: 'Add salt[U+202E] and pepper', reason: 'Dinner at 7' },
    });
    expect(read.ok && canonicalJson(read.value)).toBe(stored);
    expect(digestOfView(stored)).toBe(digest);
  });

  it('stays readable once a later version has one field more, and each version has exactly its own fields', () => {
    type Later = ApprovalView & { readonly place: string | null };
    const isLater = (view: JsonObject): view is JsonObject & Later =>
      typeof view.place === 'string';
    const later: Readonly<Record<number, ViewReader<Later>>> = {
      1: (view) => {
        const first = READERS[1]?.(view);
        return first && { ...first, place: null };
      },
      2: (view) => (isLater(view) ? view : undefined),
    };
    const newer = canonicalJson({
      ...(JSON.parse(stored) as JsonObject),
      version: 2,
      place: 'kitchen',
    });
    expect(readView(stored, later)).toMatchObject({
      ok: true,
      value: { text: 'Add salt[U+202E] and pepper', place: null },
    });
    expect(readView(newer, later)).toMatchObject({
      ok: true,
      value: { text: 'Add salt[U+202E] and pepper', place: 'kitchen' },
    });
    expect(readView(stored.replace('"version":1', '"version":2'), later).ok).toBe(false);
    expect(readView(newer.replace('"version":2', '"version":1'), later).ok).toBe(false);
    expect(readApprovalView(newer).ok).toBe(false);
    expect(digestOfView(stored)).toBe(digest);
  });
});

describe('a stored request', () => {
  it('is the one that was shown only as long as nothing of it that runs is another', () => {
    const view = viewOf();
    expect(isViewOf(view, INPUT)).toBe(true);
    const others: readonly Partial<ApprovalInput>[] = [
      { kind: 'query' },
      { peerKey: 'cd'.repeat(32) },
      { toAgent: 'robot' },
      { toAgent: '' },
      { messageId: '5a1d7c1e-94b0-4d5c-8a0e-2f6b7c8d9e01' },
      { receivedSeq: 43 },
      { payload: { ...INPUT.payload, task: 'Tell the family chat that dinner[U+202E] is at 7' } },
      { payload: { ...INPUT.payload, context: {} } },
      { payload: { ...INPUT.payload, more: null } },
    ];
    for (const other of others)
      expect(isViewOf(view, { ...INPUT, ...other }), JSON.stringify(other)).toBe(false);
  });

  it('reads as no other payload, whatever the two hold', () => {
    fc.assert(
      fc.property(arbitraryPayload, arbitraryPayload, (one, other) => {
        const first = { task: 'Feed the cat', context: { data: one } };
        const second = { task: 'Feed the cat', context: { data: other } };
        expect(isViewOf(viewOf({ payload: first }), { ...INPUT, payload: second })).toBe(
          canonicalJson(first) === canonicalJson(second),
        );
      }),
      { numRuns: 100 },
    );
  });
});

describe('the fields of the card', () => {
  it('are every member of the payload but the text, as path and value', () => {
    expect(approvalFields(viewOf())).toEqual([
      ['context["a.b"]', '1'],
      ['context.dinner_time', '7:00 PM'],
      ['context.guests[0]', 'Ana'],
      ['context.guests[1]', 'Ben'],
      ['context.none', '{}'],
      ['deadline_ms', '60000'],
      ['domain', 'family.chat'],
      ['["hidden[U+200B]key"][0]', '[U+0000]'],
      ['priority', 'urgent'],
      ['reason', 'they asked'],
      ['report_back', 'false'],
    ]);
  });

  it('show the members of a structured question', () => {
    const view = viewOf({ kind: 'query', payload: { question: { select: 'events' } } });
    expect(view.text).toBe('{"select":"events"}');
    expect(approvalFields(view)).toEqual([['question.select', 'events']]);
  });

  it('leave no value of a payload out, and never give two values one path', () => {
    fc.assert(
      fc.property(arbitraryPayload, (extra) => {
        const view = viewOf({ payload: { extra, task: 'x' } });
        const fields = approvalFields(view);
        expect(fields).toHaveLength(leaves(extra));
        expect(new Set(fields.map(([path]) => path)).size).toBe(fields.length);
      }),
      { numRuns: 200 },
    );
  });
});

function leaves(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const members = Object.values(value);
  return members.length === 0
    ? 1
    : members.reduce<number>((sum, member) => sum + leaves(member), 0);
}

function withoutUndefined(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
