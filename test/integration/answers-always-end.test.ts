// Whatever a program or a model says, the task that it was given ends at whoever gave it: with the
// whole of it, its data too, with a beginning that says that it is one, or with the reason why it
// could not be sent. Two paired hubs; the answers go the way of `axon listen`, without a process for
// each: in AXON's words, in each language, and as an agent from a file reads its model. And what
// people write in thirty languages goes there and back as it was written.
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DATA_LIMITS, fittingAnswers } from '../../main/cli/fitting-answers.ts';
import { HubClient } from '../../main/cli/hub-client.ts';
import { Listener, WORK_KINDS, type Worked, type Worker } from '../../main/cli/listen.ts';
import { failure, readAnswer, repliesOf, whole } from '../../main/cli/model-words.ts';
import { nativeAnswer } from '../../main/cli/native-answer.ts';
import { programWorker } from '../../main/cli/program-worker.ts';
import { Kept, type Printed } from '../../main/cli/program-run.ts';
import { escapeJson, escapeText } from '../../main/core/text-escape.ts';
import { AppError } from '../../main/lib/app-error.ts';
import { isJsonObject } from '../../main/lib/json-object.ts';
import { parseStrictJson } from '../../main/lib/strict-json.ts';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import languages from '../fixtures/languages.json' with { type: 'json' };
import { rounds } from '../support/counts.ts';
import { pairHubs } from '../support/paired-hubs.ts';
import { axon } from '../support/programs.ts';
import { atDoor } from '../support/raw-peer.ts';
import { DIALECTS, type DialectName } from '../support/seed-messages.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

const COUNT = rounds('answers of a program that end its task', { short: 80, long: 2_000 });
const WITHIN_MS = 20_000;
const PERSON = { actor: 'ui:test', surface: 'browser' } as const;
const NOT_SENT = /^The agent's answer could not be sent: /;
const MARK = /\n… \(shortened: the program printed \d+ bytes\)$/;
const never = new AbortController().signal;

let dad: TestHub;
let mum: TestHub;
const tokens = new Map<string, string>();
const clients = new Map<string, HubClient>();
const stop = new AbortController();

beforeAll(async () => {
  const options = { peerRateFactor: 10_000, requestsPerSecond: 100_000 };
  [dad, mum] = [await TestHub.start(options), await TestHub.start(options)];
  await pairHubs(dad, mum, ['Mum', 'Dad']);
  await dad.agent('asker');
  await joins('bot');
  for (const dialect of DIALECTS) await joins(dialect, dialect);
}, 60_000);
afterAll(async () => {
  stop.abort();
  for (const client of clients.values()) client.close();
  await Promise.all([dad.stop(), mum.stop()]);
});

/** An agent of Mum's that may answer whatever it is asked. */
async function joins(name: string, dialect?: DialectName): Promise<void> {
  const page = await mum.page();
  const offer = { name, domains: [`${name}.work`], risk_class: 'R0' };
  const token = String((await atDoor(mum, page, '/v1/agents/create', offer))['token']);
  const client = (await HubClient.connect(mum.home)).withToken(token);
  if (dialect !== undefined) await client.call('agents.update', { name, dialect });
  clients.set(name, client);
  tokens.set(name, token);
}

const tokenOf = (agent: string): string => tokens.get(agent) ?? '?';

async function printed(said: Buffer): Promise<Printed> {
  const bytes = said.equals(TOKEN) ? Buffer.from(tokenOf('bot')) : said;
  const stream = Readable.from(bytes.byteLength === 0 ? [] : [bytes]);
  const kept = new Kept(stream);
  await finished(stream);
  return kept.printed();
}

interface Heard {
  readonly state: 'completed' | 'failed';
  readonly text: string;
  readonly data: unknown;
  readonly isTruncated?: boolean;
}

/** What the asker of a question hears. */
async function asks(agent: string): Promise<Heard> {
  const { sender } = dad.node.services.work;
  const question = {
    to: `Mum/${agent}`,
    question: 'What do you say?',
    domain: `${agent}.work`,
  };
  try {
    const { untrusted } = await sender.query(
      { ...question, deadline_ms: WITHIN_MS },
      'asker',
      never,
    );
    if (untrusted === null) throw new Error('an answer has words');
    const { summary, data, truncated } = untrusted;
    return { state: 'completed', text: summary ?? '', data, isTruncated: truncated };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const said = error.data['untrusted'] as { message: string; data?: unknown };
    return { state: 'failed', text: said.message, data: said.data ?? null };
  }
}

/** What whoever gives a task hears. A person allows it. */
async function delegates(agent: string): Promise<Heard> {
  const { sender, tasks } = dad.node.services.work;
  const work = {
    to: `Mum/${agent}`,
    task: 'Say it',
    domain: `${agent}.work`,
    priority: 'normal',
    report_back: true,
  } as const;
  const { id } = await sender.delegate(work, 'asker', null);
  const { approvals } = mum.node.services.work;
  const card = await until('a card', WITHIN_MS, () => approvals.pending()[0]);
  const { id: request, revision, digest } = card;
  await approvals.decide({ id: request, revision, digest, decision: 'allow' }, PERSON);
  const task = await tasks.get(id, { agent: 'asker' }, WITHIN_MS, never);
  const { outcome = '', error = '', data = null } = task.untrusted ?? {};
  if (task.state === 'completed') return { state: 'completed', text: outcome ?? '', data };
  expect(task.state).toBe('failed');
  return { state: 'failed', text: error ?? '', data };
}

/** Takes what waits and tells what `answer` makes of it, as `axon listen --once`; its exit code. */
async function answers(
  agent: string,
  answer: (item: DeliveryDto) => Worked,
  note: (words: string) => void = () => undefined,
): Promise<number> {
  const work = (item: DeliveryDto): Promise<Worked> => Promise.resolve(answer(item));
  return listensOnce(agent, { kinds: WORK_KINDS, work }, note);
}

async function listensOnce(
  agent: string,
  worker: Worker,
  note: (words: string) => void,
): Promise<number> {
  const client = clients.get(agent);
  if (client === undefined) throw new Error(`nobody is ${agent}`);
  return new Listener(await client.again(), { note }, { worker, once: true }, stop.signal).run();
}

/** What the asker hears, and how it was told. */
async function between(
  agent: string,
  isQuestion: boolean,
  answer: (item: DeliveryDto) => Worked,
): Promise<{ readonly heard: Heard; readonly told: number }> {
  const hearing = isQuestion ? asks(agent) : delegates(agent);
  const told = await answers(agent, answer);
  return { heard: await hearing, told };
}

const EMPTY: Printed = { text: '', bytes: 0, isWhole: true };
const endOf = (output: Printed, errors: Printed, exitCode: number) => ({
  exitCode,
  wasEnded: false,
  output,
  errors,
});

function check(heard: Heard, told: number, output: Printed, errors: Printed, exit: number): void {
  const holdsToken = `${output.text}${errors.text}`.includes(tokenOf('bot'));
  if (holdsToken || told !== 0) {
    expect([heard.state, holdsToken]).toEqual(['failed', true]);
    expect(heard.text).toMatch(NOT_SENT);
    return;
  }
  checkData(heard, exit === 0 ? output.text : '');
  expect(heard.state).toBe(exit === 0 ? 'completed' : 'failed');
  const whole = exit === 0 ? output : errors;
  if (whole.text === '') return void expect(heard.text.length).toBeLessThan(60);
  const shown = escapeText(whole.text);
  const isWhole = heard.text === shown && whole.isWhole;
  const isMarked =
    exit === 0
      ? MARK.test(heard.text) && heard.isTruncated !== false
      : /… \(shortened: the program printed \d+ bytes of errors\)$|…$/.test(heard.text);
  const beginning = heard.text.replace(MARK, '').replace(/\n?… \(shortened: [^\n]*$|…$/, '');
  expect(isWhole || (isMarked && shown.startsWith(beginning))).toBe(true);
  // As much arrives as there is room for, not only a word of it; of blanks little may be left.
  if (!isWhole && exit === 0)
    expect(heard.text.length).toBeGreaterThan(Math.min(4_000, shown.length - 1));
}

/** Limits within which an answer arrives as it is. */
const SMALL = { sizeMaxBytes: 6_000, depthMax: 12, nodesMax: 500, keysPerObjectMax: 100 };

/** As an agent reads it; no JSON has a zero with a sign. */
const asRead = (value: unknown): unknown => escapeJson(JSON.parse(JSON.stringify(value)));

/** What was printed as one object is the answer's data, whole or not at all. */
function checkData({ data }: Heard, printedText: string): void {
  const read = parseStrictJson(printedText, DATA_LIMITS);
  const object = read.ok && isJsonObject(read.value) ? asRead(read.value) : null;
  if (data !== null || parseStrictJson(printedText, SMALL).ok) expect(data).toEqual(object);
}

const LETTERS = [
  'x',
  '"',
  '\\',
  'é',
  '€',
  '한',
  'अ',
  'م',
  '😀',
  '\u0001',
  '\u007f',
  '\u202e',
  '\n',
];
const KEYS = ['__proto__', 'constructor', 'prototype', 'a', '', '€', 'k'.repeat(5_000), '[U+202E]'];
const NUMBERS = [
  '1035342667379599058',
  '1e400',
  '-0',
  '1E21',
  '5e-324',
  '0.1',
  '-9007199254740993',
];
const ODD = [String.raw`"\ud800"`, String.raw`"\udc00\ud800"`, '"\u0000"', 'NaN', 'nul', '\ufeff'];

const long = fc
  .tuple(fc.constantFrom(...LETTERS), fc.integer({ min: 0, max: 300_000 }))
  .map(([letter, bytes]) => letter.repeat(Math.ceil(bytes / Buffer.byteLength(letter))));
const deep = fc
  .tuple(fc.constantFrom('[', '{"a":'), fc.integer({ min: 1, max: 3_000 }))
  .map(([open, depth]) => {
    const close = open === '[' ? ']' : '}';
    return `{"deep":${open.repeat(depth)}1${close.repeat(depth)}}`;
  });
const value = fc.oneof(
  fc.constantFrom(...NUMBERS, ...ODD),
  fc.json({ maxDepth: 6 }),
  long.map((text) => JSON.stringify(text)),
);
const object = fc
  .array(fc.tuple(fc.constantFrom(...KEYS), value), { maxLength: 4 })
  .map((members) => `{${members.map(([key, one]) => `${JSON.stringify(key)}:${one}`).join(',')}}`);
const many = fc
  .integer({ min: 200, max: 9_000 })
  .map((count) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [n, n]))),
  );
const text = fc.oneof(
  object,
  deep,
  many,
  long,
  fc.array(long, { maxLength: 3 }).map((parts) => parts.join(' ')),
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.constantFrom('', ' \n', '{', '{}', '{"a":1,"a":2}'),
  fc.constant('TOKEN'),
);
const TOKEN = Buffer.from('TOKEN');
const output = fc.oneof(
  { weight: 6, arbitrary: text.map((one) => Buffer.from(one)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)) },
);

test('any answer ends its task, whole, marked as shortened, or with the reason', async () => {
  await fc.assert(
    fc.asyncProperty(
      output,
      output,
      fc.constantFrom(0, 0, 0, 1),
      fc.boolean(),
      async (said, complained, exit, isQuestion) => {
        const [out, errors] = await Promise.all([printed(said), printed(complained)]);
        const end = endOf(out, exit === 0 ? { ...errors, text: '' } : errors, exit);
        const { heard, told } = await between('bot', isQuestion, () => ({
          answers: fittingAnswers(end, false),
        }));
        check(heard, told, end.output, end.errors, exit);
      },
    ),
    { numRuns: COUNT },
  );
}, 600_000);

test.each(['bot', 'elizaos'] as const)(
  'a listener says what came of an answer of %s, and who gets it',
  async (agent) => {
    const said = agent === 'bot' ? 'Here' : MESSAGES[agent][0]('{}');
    const end = endOf(await printed(Buffer.from(said)), EMPTY, 0);
    const notes: string[] = [];
    const hearing = delegates(agent);
    const worked = (item: DeliveryDto): Worked => ({
      ...(agent === 'bot' ? {} : { native: nativeAnswer(item, end) }),
      answers: fittingAnswers(end, false),
    });
    await answers(agent, worked, (words) => void notes.push(words));
    expect((await hearing).text).toBe('Here');
    expect(notes.at(-1)).toBe('replied: Done. The answer goes to Asker on Dad.');
  },
);

test('a HANDOFF that a program prints hands its task on, and the listener goes on', async () => {
  await joins('helper');
  const handOff = {
    type: 'HANDOFF',
    to: 'helper',
    payload: { reason: 'Not mine', context_transfer: { remaining_work: 'Say it' } },
  };
  const program = `console.log(${JSON.stringify(JSON.stringify(handOff))})`;
  const worker = programWorker([process.execPath, '-e', program]);
  const hearing = delegates('claude-crunch');
  const notes: string[] = [];
  const note = (words: string): void => void notes.push(words);
  expect(await listensOnce('claude-crunch', worker, note)).toBe(0);
  expect(notes.at(-1)).toBe('handed on');
  const { approvals } = mum.node.services.work;
  const { id, revision, digest } = await until('a card', WITHIN_MS, () => approvals.pending()[0]);
  await approvals.decide({ id, revision, digest, decision: 'allow' }, PERSON);
  const done = { answers: [whole({ status: 'completed' as const, outcome: 'Here' })] };
  expect(await answers('helper', () => done)).toBe(0);
  expect(await hearing).toMatchObject({ state: 'completed', text: 'Here' });
});

test('so does any answer of a model, in an agent from a file', async () => {
  await fc.assert(
    fc.asyncProperty(output, fc.boolean(), async (said, isQuestion) => {
      const { text: words } = await printed(said);
      const read = readAnswer(`INFORM: ${words}`);
      const { heard, told } = await between('bot', isQuestion, () => ({
        answers: read.ok ? repliesOf(read.value, 7) : [whole(failure(read.error))],
      }));
      const holdsToken = words.includes(tokenOf('bot'));
      if (holdsToken || told !== 0) {
        expect([heard.state, holdsToken]).toEqual(['failed', true]);
        return void expect(heard.text).toMatch(NOT_SENT);
      }
      expect(heard.state).toBe(read.ok ? 'completed' : 'failed');
      if (!read.ok) return void expect(heard.text).toBe(read.error);
      const { content } = read.value;
      checkData(heard, heard.text === escapeText(content) ? content : '');
      const beginning = heard.text.replace(/\n… \(shortened\)$/, '');
      expect(escapeText(content).startsWith(beginning)).toBe(true);
      if (beginning !== escapeText(content)) {
        expect(heard.text).not.toBe(beginning);
        expect(heard.isTruncated).not.toBe(false);
        expect(heard.text.length).toBeGreaterThan(4_000);
      }
    }),
    { numRuns: COUNT / 4 },
  );
}, 600_000);

/** A message of each language that answers with this JSON, and what its asker has of it as data. */
const MESSAGES: Readonly<
  Record<DialectName, readonly [text: (json: string) => string, data: (value: unknown) => unknown]>
> = {
  'claude-crunch': [
    (json) =>
      `{"type":"RESPONSE","payload":{"status":"SUCCESS","result":{"summary":"Here","outputs":${json}}}}`,
    (outputs) => ({ outputs }),
  ],
  'fipa-acl': [
    (json) => `{"performative":"INFORM","content":{"text":"Here","structured":${json}}}`,
    (value) => value,
  ],
  elizaos: [
    (json) =>
      `{"mcp_version":"0.1.0","performative":"INFORM_RESULT","payload":{"task_status":"success","result_summary":"Here","result_details":${json}}}`,
    (value) => value,
  ],
  'acp-draft': [
    (json) => `{"kind":"response","payload":{"summary":"Here","data":${json}}}`,
    (value) => value,
  ],
};

test('so does any message of a language', async () => {
  const json = fc.oneof(object, deep, many, value, fc.constant('"TOKEN"'));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...DIALECTS),
      json,
      fc.boolean(),
      async (dialect, said, isQuestion) => {
        const [message, dataOf] = MESSAGES[dialect];
        const own = tokenOf(dialect);
        const text = message(said.replace('"TOKEN"', `"${own}"`));
        const out = await printed(Buffer.from(text));
        const end = endOf(out, EMPTY, 0);
        const { heard, told } = await between(dialect, isQuestion, (item) => ({
          native: nativeAnswer(item, end),
          answers: fittingAnswers(end, false),
        }));
        const isSmall = parseStrictJson(text, SMALL).ok && !text.includes(own);
        if (told !== 0 || heard.state === 'failed') {
          expect([heard.state, isSmall]).toEqual(['failed', false]);
          return void expect(heard.text).toMatch(NOT_SENT);
        }
        const read = parseStrictJson(said, DATA_LIMITS);
        if (heard.text !== 'Here') {
          expect(isSmall).toBe(false);
          return void check(heard, told, end.output, end.errors, 0);
        }
        // An object without members says no more than none, and some languages leave it out.
        if (['null', '{}'].includes(said)) return void expect(heard.data ?? {}).toEqual({});
        const all = asRead(dataOf(read.ok ? read.value : undefined));
        expect(heard.data).toEqual(all);
      },
    ),
    { numRuns: COUNT / 2 },
  );
}, 600_000);

const ONES_THAT_DECEIVE = '\u202e\u2066\u200e\ufeff\u3164\u00ad\u{e0041}\u001b\u009b\u2028';

test('what people write in thirty languages reaches an agent, its asker and a terminal as they wrote it, and nothing that deceives is unmarked', async () => {
  const asker = await dad.agent('reader');
  const written = languages.map(({ text: sentence }) => sentence.trim());
  const said = [...written, ...Array.from(ONES_THAT_DECEIVE, (sign) => `pay${sign}pal`)];
  const shown = [...written, ...Array.from(ONES_THAT_DECEIVE, (sign) => `pay${codeOf(sign)}pal`)];
  const context = Object.fromEntries(said.map((one) => [one, [one]]));
  const contextShown = Object.fromEntries(shown.map((one) => [one, [one]]));
  const work = { to: 'Mum/bot', task: said.join('\n'), context, domain: 'bot.work' };
  const { id, http } = await atDoor(dad, asker, '/v1/delegate', work);
  expect(http).toBe(202);
  const { approvals } = mum.node.services.work;
  const card = await until('a card', WITHIN_MS, () => approvals.pending()[0]);
  expect(card.text).toBe(shown.join('\n'));
  const { id: request, revision, digest } = card;
  await approvals.decide({ id: request, revision, digest, decision: 'allow' }, PERSON);
  await answers('bot', ({ untrusted }) => {
    expect(untrusted.text).toBe(shown.join('\n'));
    expect(untrusted.payload).toMatchObject({ context: contextShown });
    return { answers: [whole({ status: 'completed', outcome: said.join('\n'), data: context })] };
  });
  const task = await atDoor(dad, asker, `/v1/tasks/${String(id)}?wait=${WITHIN_MS}`);
  expect(task).toMatchObject({ untrusted: { outcome: shown.join('\n'), data: contextShown } });
  const { out } = await axon(dad.home, ['tasks', String(id)], { AXON_TOKEN: asker });
  // The marks of its lines, and the word space that a break writes out.
  const drawn = out
    .replaceAll('\u001b[7m', '')
    .replaceAll('\u001b[27m', '')
    .replaceAll('[U+200B]', '\u200b');
  const flat = (lines: string): string => lines.replaceAll(/^ *[|:]/gm, '').replaceAll(/\s/g, '');
  for (const one of shown) expect(flat(drawn)).toContain(flat(one));
  for (const sign of ONES_THAT_DECEIVE) expect(drawn.replaceAll(/\r?\n/g, '')).not.toContain(sign);
}, 60_000);

function codeOf(sign: string): string {
  return `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;
}
