// Messages of each dialect as fast-check makes them: with members that nobody knows, nulls, and
// anything at all where the dialect does not say what must stand.
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

const maybeText = maybe(text);
const object = fc.dictionary(
  text.filter((key) => key !== '__proto__'),
  anything,
  { maxKeys: 3 },
);
const name = text.filter((said) => said.trim() !== '' && said !== '*');
/** Members that mean something, and some that may be anything. */
const said = (known: Readonly<Record<string, fc.Arbitrary<unknown>>>, ...others: string[]) =>
  message({ ...known, ...Object.fromEntries(others.map((one) => [one, anything])) });

export const MESSAGES: Readonly<Record<DialectName, fc.Arbitrary<JsonObject>>> = {
  'claude-crunch': message({
    id: text.map((hash) => `MSG-1705234567890-${hash}`),
    type: fc.constantFrom('REQUEST', 'RESPONSE', 'HANDOFF', 'ESCALATE', 'BROADCAST', 'VOTE'),
    from: text,
    to: name,
    correlation_id: maybeText,
    priority: fc.constantFrom('CRITICAL', 'HIGH', 'NORMAL', 'LOW', null),
    payload: said(
      {
        action: maybeText,
        context: fc.oneof(object, message({ issue: fields('title') })),
        constraints: message({ timeout_ms: maybe(fc.integer({ min: 1 })) }),
        status: fc.constantFrom('SUCCESS', 'PARTIAL', 'BLOCKED', 'FAILED'),
        result: said({ summary: maybeText, error: maybeText }, 'outputs'),
        metrics: fields('tokens_used'),
        reason: maybeText,
        context_transfer: fc.oneof(object, fields('remaining_work')),
        urgency: fc.constantFrom('IMMEDIATE', 'NORMAL', null),
        event: fc.constantFrom('CONTEXT_UPDATE', 'CHECKPOINT', 'PHASE_CHANGE', 'ABORT', null),
        content: said({ message: maybeText }, 'data'),
      },
      'findings',
      'veto_details',
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
    receiver: message({ agent_id: name }),
    in_reply_to: maybeText,
    ontology: maybeText,
    payload: said(
      {
        task_type: maybeText,
        task_description: maybeText,
        task_parameters: maybe(object),
        task_status: fc.constantFrom('success', 'failure', 'partial_success'),
        result_summary: maybeText,
        reference: maybeText,
        reason_code: maybeText,
        error_text: maybeText,
      },
      'result_details',
      'artifacts',
      'condition',
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
    ref: maybeText,
    payload: said(
      {
        question: maybeText,
        task: maybeText,
        context: maybe(object),
        outcome: maybeText,
        summary: maybeText,
        message: maybeText,
        accepted: fc.boolean(),
        status: fc.constantFrom('completed', 'failed', 'partial'),
      },
      'data',
      'code',
    ),
  }),
};
