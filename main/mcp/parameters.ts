// What a tool may be given: as a model is shown it, in a schema plain enough for every provider and
// with a sentence for each parameter; and as it is read, which forgives what programs add to a call
// or write in another way. What is left must fit the operation's own parameters.
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { isJsonObject, type JsonObject } from '../lib/json-object.ts';

/** Any JSON: a text of it is that text. */
const ANYTHING = new Set(['data']);

/** Of each parameter, by its name; of one inside another, by both. */
export const WORDS: Readonly<Record<string, string>> = {
  accepts: 'The id of a task of yours that ended with an offer, to accept that offer.',
  attempt: 'The "attempt" of the item, so that an answer to an earlier hand-out does not count.',
  before: 'Shows what was said before the entry of this "seq".',
  capability: 'What the agent must be able to do, such as "web_search".',
  code: 'A short word for the kind of failure.',
  context: 'Anything the agent needs to know, as an object.',
  conversation: 'The conversation that this belongs to: its id, or that of what it follows.',
  'conversation.id': 'The id of the conversation, as "conversation_id" tells it.',
  'conversation.parent': 'The id of the conversation that this one follows.',
  cursor: '"next" of the page before.',
  data: 'The result itself: any JSON.',
  deadline_ms: 'How long it may take, in ms.',
  delivery: 'The delivery_id of the item.',
  domain: 'The area that this is about, such as "family.calendar".',
  error: 'Why it failed, in a sentence.',
  estimated_ms: 'How long the work will take, in ms.',
  id: 'Which one: its id, or the name of a hub.',
  importance: 'How much it matters.',
  kind: 'What you would send.',
  kinds: 'Only items of these kinds.',
  lease_ms: 'How long an item is yours before you say axon_ack, in ms.',
  limit: 'How many at most.',
  max_tokens: 'How long the answer may be, in tokens. 0 is no limit.',
  offset: 'Where the texts go on that were shown in part, as "part" told.',
  options: 'What the person chooses from.',
  'options.id': 'A short name for it, by which you hear what was chosen.',
  'options.label': 'What the person reads of it, in a line.',
  'options.pros': 'What speaks for it, a line each.',
  'options.cons': 'What speaks against it, a line each.',
  outcome: 'What came of it, in a sentence or more.',
  priority: 'Whether it cannot wait.',
  q: 'Words, and filters as the tool tells.',
  question: 'The question, whole: whoever answers knows nothing else.',
  reason: 'Why, for the person who decides.',
  recommendation: 'The id of the option that you would choose.',
  ref: 'The id of the message that this is about.',
  refresh: 'false: what it told last, also while it is offline.',
  report_back: 'false: no result is wanted.',
  retryable: 'Of a failure: whether the same may work later.',
  route: 'Names of agents as you write them, where another program reads them.',
  'route.from': 'The name of the agent that asks.',
  'route.to': 'The name of the agent that is asked.',
  status: 'Whether it worked. "cancelled" only where you were asked to stop.',
  summary: 'The answer in a line.',
  tag: 'A later notice with this tag replaces the one before.',
  task: 'What is to be done, whole: whoever does it knows nothing else.',
  to: 'A hub ("Mum"), one of its agents ("Mum/chat"), or what is needed: {"domain": "family.calendar"} or {"capability": "web_search"}; or "any", whoever offers the "domain" or "capability" beside it.',
  'to.capability': 'What the agent must be able to do, such as "web_search".',
  'to.domain': 'The area that this is about, such as "family.calendar".',
  tokens_used: 'How many tokens it took.',
  topic: 'What it is about, such as "dinner": agents subscribe to topics.',
  truncated: 'Whether the answer was cut.',
  trust: 'Which hubs: paired with this one, only seen in the network, or all.',
  wait: 'How long to wait for a change, in ms. At most 45 s; then call again.',
  wait_ms: 'How long to wait for an item, in ms. At most 45 s; then call again.',
};

type Schema = v.StrictObjectSchema<v.ObjectEntries, undefined>;

/** The schema of a tool's parameters. */
export function parameters(params: Schema): StandardSchemaWithJSON<unknown, JsonObject> {
  const standard = toStandardJsonSchema(params)['~standard'];
  const { validate, jsonSchema } = standard;
  const shown = (options: { readonly target: string }): JsonObject =>
    described(plain(jsonSchema.input(options)) as JsonObject);
  const known = propertiesOf(shown({ target: 'draft-2020-12' }));
  return {
    '~standard': {
      ...standard,
      jsonSchema: { input: shown, output: shown },
      // The schema gives objects alone.
      validate: (given: unknown) => validate(forgiven(given, known)) as never,
    },
  };
}

function propertiesOf({ properties }: JsonObject): Readonly<Record<string, JsonObject>> {
  return properties as Readonly<Record<string, JsonObject>>; // as valibot writes it
}

/** Without the words that only some readers of schemas know. */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (!isJsonObject(schema)) return schema;
  const { propertyNames: _, ...rest } = schema;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, plain(value)]));
}

/** @param within the parameter that this is the form of */
function described(schema: JsonObject, within?: string): JsonObject {
  const { properties, anyOf, items } = schema;
  const inside = (one: JsonObject): JsonObject => described(one, within);
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: withWords(schema, within) }),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map(inside) } : {}),
    ...(isJsonObject(items) ? { items: inside(items) } : {}),
  };
}

function withWords(schema: JsonObject, within: string | undefined): JsonObject {
  const properties = Object.entries(propertiesOf(schema)).map(([own, property]) => {
    const name = within === undefined ? own : `${within}.${own}`;
    const form = ANYTHING.has(name)
      ? { type: 'object', additionalProperties: true }
      : described(property, name);
    return [own, { description: WORDS[name], ...form }];
  });
  return Object.fromEntries(properties);
}

/**
 * The parameters that the tool has. Programs add some of their own, write null for one that they
 * leave out, and numbers and objects as text.
 */
function forgiven(given: unknown, known: Readonly<Record<string, JsonObject>>): unknown {
  if (!isJsonObject(given)) return given;
  const meant = { ...given, to: whoever(given) };
  return Object.fromEntries(
    Object.entries(known)
      .map(([name, property]) => [name, read((meant as JsonObject)[name], name, property)] as const)
      .filter(([, value]) => value !== undefined && value !== null),
  );
}

/** No hub is called so: whoever offers what is named beside it. */
function whoever({ to, domain, capability }: JsonObject): unknown {
  if (to !== 'any') return to;
  if (typeof domain === 'string') return { domain };
  return typeof capability === 'string' ? { capability } : to;
}

function read(value: unknown, name: string, { type, anyOf }: JsonObject): unknown {
  if (typeof value !== 'string' || ANYTHING.has(name) || type === 'string') return value;
  if (anyOf !== undefined && !value.trimStart().startsWith('{')) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
