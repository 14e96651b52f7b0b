// A message of a dialect beside the AXON fields that it stands for: whatever else it holds, it is
// carried whole; and fields that say something else than it does are found out.
import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import type { Dialect } from '../../../main/dialects/dialect.ts';
import { DIALECTS, dialectNamed, dialectOf } from '../../../main/dialects/index.ts';
import { checkOrigin, originOf, readOrigin } from '../../../main/dialects/origin.ts';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { rounds } from '../../support/counts.ts';
import { DIALECTS as NAMES, type DialectName } from '../../support/seed-messages.ts';

const text = fc.string({ minLength: 1, maxLength: 40 });
const anything = fc.jsonValue({ maxDepth: 3 }).map((value): unknown => {
  const copied: unknown = JSON.parse(JSON.stringify(value));
  return copied;
});
const unknowns = fc.dictionary(
  fc.string({ maxLength: 12 }).map((key) => `x_${key}`),
  anything,
  { maxKeys: 3 },
);
/** A message with members that nobody knows, in any order. */
function message(known: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<JsonObject> {
  return fc.tuple(fc.record(known), unknowns).chain(([members, more]) =>
    fc
      .shuffledSubarray(Object.entries({ ...more, ...members }), {
        minLength: Object.keys({ ...more, ...members }).length,
      })
      .map((entries): JsonObject => Object.fromEntries(entries)),
  );
}
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value);
const fields = (...names: readonly string[]) =>
  message(Object.fromEntries(names.map((name) => [name, fc.oneof(text, anything)])));

const MESSAGES: Readonly<Record<DialectName, fc.Arbitrary<JsonObject>>> = {
  'claude-crunch': message({
    id: text.map((hash) => `MSG-1705234567890-${hash}`),
    type: fc.constantFrom('REQUEST', 'RESPONSE', 'HANDOFF', 'ESCALATE', 'BROADCAST', 'VOTE'),
    from: text,
    to: text.filter((name) => name !== '*'),
    correlation_id: maybe(text),
    priority: fc.constantFrom('CRITICAL', 'HIGH', 'NORMAL', 'LOW', null),
    payload: fields(
      'action',
      'context',
      'constraints',
      'status',
      'result',
      'findings',
      'metrics',
      'reason',
      'context_transfer',
      'urgency',
      'veto_details',
      'event',
      'content',
      'position',
      'veto',
    ),
  }),
  'fipa-acl': message({
    performative: fc.constantFrom(
      'REQUEST',
      'QUERY',
      'INFORM',
      'FAILURE',
      'NOT_UNDERSTOOD',
      'PROPOSE',
      'accept-proposal',
      'REJECT_PROPOSAL',
      'CFP',
      'CONFIRM',
      'CANCEL',
      'SUBSCRIBE',
      'Agree',
      'refuse',
    ),
    sender: text,
    capability: maybe(text),
    content: fc.oneof(text, anything, fields('text', 'structured')),
    conversation_id: text,
    reply_with: maybe(text),
    in_reply_to: maybe(text),
    reply_by: maybe(fc.oneof(text, fc.integer())),
  }),
  elizaos: message({
    mcp_version: fc.constant('0.1.0'),
    message_id: text.filter((id) => id.trim() !== ''),
    performative: fc.constantFrom(
      'TASK_REQUEST',
      'TASK_ACCEPT',
      'TASK_REJECT',
      'INFORM_RESULT',
      'QUERY_IF',
      'QUERY_REF',
      'FAILURE',
      'NOT_UNDERSTOOD',
      'QUERY_CAPABILITIES',
      'INFORM_CAPABILITIES',
      'CANCEL',
    ),
    sender: fields('agent_id'),
    receiver: fields('agent_id'),
    in_reply_to: maybe(text),
    ontology: maybe(text),
    payload: fields(
      'task_type',
      'task_description',
      'task_parameters',
      'task_status',
      'result_summary',
      'result_details',
      'artifacts',
      'condition',
      'reference',
      'reason_code',
      'error_text',
    ),
  }),
  'acp-draft': message({
    id: text.filter((id) => id.trim() !== ''),
    kind: fc.constantFrom(
      'query',
      'delegate',
      'notify',
      'cancel',
      'response',
      'result',
      'error',
      'ack',
    ),
    ref: maybe(text),
    payload: fields('question', 'task', 'context', 'data', 'outcome', 'summary', 'code', 'message'),
  }),
};
const RUNS = rounds('messages of each dialect, carried beside their fields', {
  short: 1_000,
  long: 100_000,
});
const FORGED = rounds('forged messages of each dialect', { short: 500, long: 2_500 });

/** What crosses the wire for it, as the other hub parses it. */
function carried(dialect: Dialect, written: JsonObject) {
  const read = dialect.read(written);
  if (!read.ok) throw new Error(read.error);
  const { payload: members, from } = read.value;
  const origin = originOf({ dialect, message: written });
  const payload = { ...members, route: { from }, origin };
  const kind = read.value.kind === 'accept' ? 'notify' : read.value.kind;
  return { kind, payload: JSON.parse(JSON.stringify(payload)) as JsonObject };
}

test('there are four, in any order', () => {
  expect(DIALECTS.map(({ name }) => name).sort()).toEqual([...NAMES].sort());
});

describe.each(NAMES)('%s', { timeout: 900_000 }, (name) => {
  const dialect = dialectNamed(name) as Dialect; // the test above
  test('every message comes out as it was written', () => {
    fc.assert(
      fc.property(MESSAGES[name], (written) => {
        const { kind, payload } = carried(dialect, written);
        expect(checkOrigin(kind, payload)).toEqual({ ok: true });
        expect(readOrigin(payload)?.message).toEqual(written);
        expect(dialectOf(written)?.name).toBe(name);
      }),
      { numRuns: RUNS },
    );
  });

  test('fields that say something else are found out', () => {
    const lies = ['task', 'question', 'context', 'data', 'outcome', 'status', 'priority', 'act'];
    const lie = fc.tuple(fc.constantFrom(...lies), fc.oneof(text, anything));
    fc.assert(
      fc.property(MESSAGES[name], lie, (written, [member, said]) => {
        const { kind, payload } = carried(dialect, written);
        const forged = { ...payload, [member]: said };
        fc.pre(JSON.stringify(forged[member] ?? null) !== JSON.stringify(payload[member] ?? null));
        fc.pre(!(member === 'priority' && (said === 'normal' || said === null)));
        expect(checkOrigin(kind, forged)).toEqual({
          ok: false,
          error: `"${member}" is not what "origin" says`,
        });
      }),
      { numRuns: FORGED },
    );
  });
});

test('an origin that is no message, or of another kind, is found out', () => {
  const message = { performative: 'INFORM', content: 'Done', in_reply_to: 'r-1' };
  const of = (origin: JsonObject) => checkOrigin('delegate', { task: 'Done', origin });
  expect(of({ dialect: 'fipa-acl', message })).toMatchObject({ ok: false });
  expect(of({ dialect: 'fipa-acl', message: { performative: 'SING' } })).toMatchObject({
    ok: false,
  });
  expect(of({ dialect: 'klingon', message })).toEqual({ ok: true });
});
