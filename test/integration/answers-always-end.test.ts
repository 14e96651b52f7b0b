// Whatever a program prints, the task that it was given ends at whoever gave it: with the whole of
// it, with a beginning that says that it is one, or with the reason why it could not be sent. Two
// paired hubs; the answers go the way of `axon listen`, without a process for each.
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fittingAnswers } from '../../main/cli/fitting-answers.ts';
import { HubClient } from '../../main/cli/hub-client.ts';
import { Listener } from '../../main/cli/listen.ts';
import { programWorker } from '../../main/cli/program-worker.ts';
import { Kept, type Printed } from '../../main/cli/program-run.ts';
import { escapeText } from '../../main/core/text-escape.ts';
import { AppError } from '../../main/lib/app-error.ts';
import { rounds } from '../support/counts.ts';
import { pairHubs } from '../support/paired-hubs.ts';
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
let token: string;
let client: HubClient;
const stop = new AbortController();

beforeAll(async () => {
  const options = { peerRateFactor: 10_000, requestsPerSecond: 100_000 };
  [dad, mum] = [await TestHub.start(options), await TestHub.start(options)];
  await pairHubs(dad, mum, ['Mum', 'Dad']);
  await dad.agent('asker');
  const body = { name: 'bot', domains: ['bot.work'], risk_class: 'R0' };
  const { text } = await mum.ask('/v1/agents/create', {
    method: 'POST',
    token: await mum.page(),
    body,
  });
  ({ token } = JSON.parse(text) as { token: string });
  client = (await HubClient.connect(mum.home)).withToken(token);
}, 60_000);
afterAll(async () => {
  stop.abort();
  client.close();
  await Promise.all([dad.stop(), mum.stop()]);
});

async function printed(bytes: Buffer): Promise<Printed> {
  const stream = Readable.from(bytes.byteLength === 0 ? [] : [bytes]);
  const kept = new Kept(stream);
  await finished(stream);
  return kept.printed();
}

interface Heard {
  readonly state: 'completed' | 'failed';
  readonly text: string;
  readonly isTruncated?: boolean;
}

/** What the asker of a question hears. */
async function asks(): Promise<Heard> {
  const { sender } = dad.node.services.work;
  const question = { to: 'Mum/bot', question: 'What do you say?', domain: 'bot.work' };
  try {
    const { untrusted } = await sender.query(
      { ...question, deadline_ms: WITHIN_MS },
      'asker',
      never,
    );
    if (untrusted === null) throw new Error('an answer has words');
    return { state: 'completed', text: untrusted.summary ?? '', isTruncated: untrusted.truncated };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const said = error.data['untrusted'] as { message: string };
    return { state: 'failed', text: said.message };
  }
}

/** What whoever gives a task hears. A person allows it. */
async function delegates(): Promise<Heard> {
  const { sender, tasks } = dad.node.services.work;
  const work = {
    to: 'Mum/bot',
    task: 'Say it',
    domain: 'bot.work',
    priority: 'normal',
    report_back: true,
  } as const;
  const { id } = await sender.delegate(work, 'asker', null);
  const { approvals } = mum.node.services.work;
  const card = await until('a card', WITHIN_MS, () => approvals.pending()[0]);
  const { id: request, revision, digest } = card;
  await approvals.decide({ id: request, revision, digest, decision: 'allow' }, PERSON);
  const task = await tasks.get(id, { agent: 'asker' }, WITHIN_MS, never);
  const result = task.untrusted as { outcome: string; error: string | null } | null;
  if (task.state === 'completed') return { state: 'completed', text: result?.outcome ?? '' };
  expect(task.state).toBe('failed');
  return { state: 'failed', text: result?.error ?? '' };
}

async function answers(output: Printed, errors: Printed, exitCode: number): Promise<number> {
  const claim = { max: 1, wait_ms: WITHIN_MS, kinds: ['query' as const, 'delegate' as const] };
  const { items } = await client.call('inbox.claim', claim);
  const [item] = items;
  if (item === undefined) throw new Error('nothing came');
  const listener = new Listener(
    client,
    { note: () => undefined },
    { worker: programWorker([]), once: true },
    stop.signal,
  );
  const end = { exitCode, wasEnded: false, output, errors };
  return listener.tell(item, fittingAnswers(end, false));
}

function check(heard: Heard, told: number, output: Printed, errors: Printed, exit: number): void {
  const holdsToken = `${output.text}${errors.text}`.includes(token);
  if (holdsToken || told !== 0) {
    expect([heard.state, holdsToken]).toEqual(['failed', true]);
    expect(heard.text).toMatch(NOT_SENT);
    return;
  }
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
  // As much arrives as there is room for, not only a word of it.
  if (!isWhole && exit === 0) expect(heard.text.length).toBeGreaterThan(4_000);
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
        const [out, errors] = await Promise.all(
          [said, complained].map((bytes) =>
            printed(bytes.toString() === 'TOKEN' ? Buffer.from(token) : bytes),
          ),
        );
        if (out === undefined || errors === undefined) throw new Error('there are two');
        const hearing = isQuestion ? asks() : delegates();
        const told = await answers(out, exit === 0 ? { ...errors, text: '' } : errors, exit);
        check(await hearing, told, out, exit === 0 ? { ...errors, text: '' } : errors, exit);
      },
    ),
    { numRuns: COUNT },
  );
}, 600_000);
