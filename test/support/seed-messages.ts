// Every example of the documents that this system comes from, as a message of its dialect. They are
// made by the same steps each time: comments go, "..." between braces is empty, "a | b" is one
// message for each of the two, and a part of a message stands in the smallest whole one.
import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../../main/lib/json-object.ts';

/** The dialects that this hub speaks. */
export const DIALECTS = ['claude-crunch', 'fipa-acl', 'elizaos', 'acp-draft'] as const;
export type DialectName = (typeof DIALECTS)[number];

export interface SeedMessage {
  readonly dialect: DialectName;
  /** Document, line and alternative. */
  readonly title: string;
  readonly message: JsonObject;
}

interface Block {
  readonly language: string;
  /** The headings above it, the nearest first. */
  readonly headings: readonly string[];
  readonly line: number;
  readonly code: string;
}

export type SeedName = 'acp-draft' | 'axon' | 'claude-crunch' | 'fipa-acl' | 'elizaos';

function seedText(name: SeedName): string {
  return readFileSync(new URL(`../fixtures/seeds/${name}.md`, import.meta.url), 'utf8');
}

/** The blocks of code of a document. */
export function seedBlocks(name: SeedName): readonly Block[] {
  const blocks: Block[] = [];
  const headings: string[] = [];
  let open: { language: string; line: number; lines: string[] } | undefined;
  for (const [index, line] of seedText(name).split('\n').entries()) {
    const fence = /^\s*```([a-z]*)\s*$/.exec(line);
    if (fence && open) {
      const { language, line: at, lines } = open;
      blocks.push({ language, line: at, code: lines.join('\n'), headings: headings.toReversed() });
      open = undefined;
    } else if (fence) open = { language: fence[1] ?? '', line: index + 1, lines: [] };
    else if (open) open.lines.push(line);
    else if (/^\s*(?:#+ |- `|\d\.)/.test(line)) headings.push(line);
  }
  return blocks;
}

const STRING = /"(?:[^"\\]|\\.)*"/g;

/** JSON as a document writes it. */
function readExample(code: string): JsonObject {
  const strings: string[] = [];
  const bare = code
    .replaceAll(STRING, (text) => `"${strings.push(text) - 1}"`)
    .replaceAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\.\.\./g, '')
    .replaceAll(/,(\s*[}\]])/g, '$1');
  // A comment held quotes of its own: what is left of the text is what stands outside them.
  const text = bare.replaceAll(/"(\d+)"/g, (_, at: string) => strings[Number(at)] ?? '""');
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new Error(`no object: ${code}`);
  return value;
}

const ALTERNATIVES = /^[A-Za-z_]+(?:\s*\|\s*[A-Za-z_]+)+$/;

/** One message for each alternative of each text that names some; the others take their first. */
function alternatives(message: JsonObject): readonly JsonObject[] {
  const found: { readonly path: readonly string[]; readonly words: readonly string[] }[] = [];
  const look = (value: unknown, path: readonly string[]): void => {
    if (typeof value === 'string' && ALTERNATIVES.test(value))
      found.push({ path, words: value.split('|').map((word) => word.trim()) });
    else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value)) look(member, [...path, key]);
  };
  look(message, []);
  const first = found.reduce(
    (made, { path, words }) => replaced(made, path, words[0] ?? ''),
    message,
  );
  return [
    first,
    ...found.flatMap(({ path, words }) =>
      words.slice(1).map((word) => replaced(first, path, word)),
    ),
  ];
}

function replaced(message: JsonObject, path: readonly string[], word: string): JsonObject {
  const copy: unknown = structuredClone(message);
  let at = copy as Record<string, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
  at[path.at(-1) ?? ''] = word;
  return copy as JsonObject;
}

const CRUNCH: JsonObject = {
  id: 'MSG-1705234567890-a3f2b7c9',
  type: 'REQUEST',
  from: 'agent-a',
  to: 'agent-b',
  timestamp: '2025-01-14T10:30:00Z',
  priority: 'NORMAL',
  metadata: { issue_number: 0, phase: 'enrich', attempt: 1 },
};
const ELIZA: JsonObject = {
  mcp_version: '0.1.0',
  message_id: 'unique_message_identifier_uuid',
  sender: { agent_id: 'agent-a' },
  receiver: { agent_id: 'agent-b' },
};
/** What a whole message of the two others needs, and does not say in an example. */
const ID = 'a0f2b7c9-0000-4000-8000-000000000001';

/** The least that a payload must hold, where an example leaves it empty. */
const SMALLEST: Readonly<Record<string, JsonObject>> = {
  query: { question: 'Who is home?' },
  delegate: { task: 'Call home' },
  notify: { topic: 'home', data: {} },
  response: { data: {}, summary: 'Nobody' },
  result: { status: 'completed', outcome: 'Called', data: {}, error: null },
  ack: { accepted: true },
  RESPONSE: { status: 'SUCCESS' },
};

/** The word that a heading above names. */
function wordAbove(headings: readonly string[], words: readonly string[]): string | undefined {
  for (const heading of headings.slice(0, 6)) {
    const word = words.find((one) => heading.includes(`\`${one}\``) || heading.endsWith(` ${one}`));
    if (word !== undefined) return word;
    if (heading.startsWith('## ')) return undefined;
  }
  return undefined;
}

/** Sections that show the payloads of two performatives. */
const TOLD_BY_FIELD = [
  ['task_status', 'INFORM_RESULT'],
  ['condition', 'QUERY_IF'],
  ['reference', 'QUERY_REF'],
] as const;

const KINDS = [
  'ping',
  'pong',
  'query',
  'response',
  'delegate',
  'ack',
  'result',
  'notify',
  'cancel',
  'discover',
  'capabilities',
  'error',
  'hello',
];
const CRUNCH_TYPES = ['REQUEST', 'RESPONSE', 'HANDOFF', 'ESCALATE', 'BROADCAST', 'VOTE'];
const PERFORMATIVES = [
  'TASK_REQUEST',
  'TASK_ACCEPT',
  'INFORM_RESULT',
  'QUERY_IF',
  'QUERY_REF',
  'TASK_REJECT',
  'FAILURE',
  'NOT_UNDERSTOOD',
  'QUERY_CAPABILITIES',
  'INFORM_CAPABILITIES',
];

function whole(name: SeedName, part: JsonObject, headings: readonly string[]): JsonObject {
  if (name === 'claude-crunch') {
    if ('type' in part) return { ...part, payload: leastOf(part['payload'], part['type']) };
    const type = CRUNCH_TYPES.find((one) => headings[0]?.includes(one));
    return { ...CRUNCH, type, ...part };
  }
  if (name === 'elizaos') {
    if ('mcp_version' in part) return { ...part, performative: 'TASK_REQUEST' };
    const [, performative] = TOLD_BY_FIELD.find(([field]) => field in part) ?? [];
    const named = performative ?? wordAbove(headings, PERFORMATIVES);
    return { ...ELIZA, performative: named, payload: part };
  }
  if ('kind' in part) {
    const kind = String(part['kind']).startsWith('<') ? 'query' : String(part['kind']);
    const { payload } = part;
    return {
      id: ID,
      ...part,
      kind,
      ...(payload === undefined ? {} : { payload: leastOf(payload, kind) }),
    };
  }
  return { id: ID, kind: wordAbove(headings, KINDS), payload: part };
}

/** The payload of an example, or the least that may stand where it leaves that empty. */
function leastOf(payload: unknown, word: unknown): unknown {
  const isEmpty = !isJsonObject(payload) || Object.keys(payload).length === 0;
  return isEmpty ? (SMALLEST[String(word)] ?? {}) : payload;
}

/** The messages of a document whose examples are JSON. */
function jsonMessages(name: SeedName, dialect: DialectName): readonly SeedMessage[] {
  return seedBlocks(name)
    .filter(({ language }) => language === 'json')
    .flatMap(({ code, line, headings }) =>
      alternatives(readExample(code)).map((part, index) => ({
        dialect,
        title: `${name}:${line} ${index + 1}`,
        message: whole(name, part, headings),
      })),
    );
}

/** Rust of the one document that has no JSON: its three messages, and one for each performative. */
function rustMessages(): readonly SeedMessage[] {
  const rust = seedBlocks('fipa-acl').filter(({ language }) => language === 'rust');
  const made = rust.flatMap(({ code, line }) =>
    [...code.matchAll(/= FipaMessage \{([\s\S]*?)\n\};/g)].map(([, body = '']) => ({
      dialect: 'fipa-acl' as const,
      title: `fipa-acl:${line} ${/Performative::(\w+)/.exec(body)?.[1]}`,
      message: readStruct(body),
    })),
  );
  const named = rust
    .filter(({ code }) => /enum (?:Deferred)?Performatives? /.test(code))
    .flatMap(({ code, line }) =>
      [...code.matchAll(/^ {4}([A-Z_]+),/gm)].map(([, performative = '']) => ({
        dialect: 'fipa-acl' as const,
        title: `fipa-acl:${line} ${performative}`,
        message: { performative, sender: 'agent-a', capability: 'data-analysis', content: 'Text' },
      })),
    );
  return [...made, ...named];
}

function readStruct(body: string): JsonObject {
  const members = [...body.matchAll(/^ {4}(\w+): (.*),$/gm)].map(([, name = '', value = '']) => {
    const text = /"(.*)"/.exec(value)?.[1];
    const read = value.startsWith('Performative::')
      ? value.slice('Performative::'.length)
      : value.startsWith('MessageContent::text')
        ? { text }
        : value.startsWith('MessageContent::structured')
          ? { structured: { results: [1, 2] } }
          : (text ?? `${name}-of-the-example`);
    return [name, read] as const;
  });
  return Object.fromEntries(members);
}

/** All of them. */
export function seedMessages(): readonly SeedMessage[] {
  return [
    ...jsonMessages('acp-draft', 'acp-draft'),
    ...jsonMessages('axon', 'acp-draft'),
    ...jsonMessages('claude-crunch', 'claude-crunch'),
    ...rustMessages(),
    ...jsonMessages('elizaos', 'elizaos'),
  ];
}
