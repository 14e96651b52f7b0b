// Messages of each dialect as fast-check makes them: with members that nobody knows, nulls, and
// anything at all where text should stand.
import * as fc from 'fast-check';
import type { JsonObject } from '../../main/lib/json-object.ts';
import type { DialectName } from './seed-messages.ts';

export const text = fc.string({ minLength: 1, maxLength: 40 });
export const anything = fc.jsonValue({ maxDepth: 3 }).map((value): unknown => {
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

export const MESSAGES: Readonly<Record<DialectName, fc.Arbitrary<JsonObject>>> = {
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
