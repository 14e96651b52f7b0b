// Questions to a peer of the reference profile: what counts as delivered, how many may wait, and
// what ends the wait.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { AppError } from '../../../../main/lib/app-error.ts';
import { utf8 } from '../../../../main/lib/bytes.ts';
import { REFERENCE_QUESTIONS_MAX } from '../../../../main/services/links/limits.ts';
import { PendingReplies } from '../../../../main/services/links/reference/pending-replies.ts';
import { HubStack, PERSON } from '../../../fakes/hub-stack.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-transport.ts';
import { RawHub } from './raw-hub.ts';

let clock: ManualClock;
let dad: HubStack;
let daemon: RawHub;
let line: number;

type Payload = Readonly<Record<string, unknown>>;
const envelope = (kind: string, payload: Payload, ref?: string): Uint8Array =>
  utf8(JSON.stringify({ id: randomUUID(), kind, payload, ...(ref === undefined ? {} : { ref }) }));

beforeEach(async () => {
  clock = new ManualClock();
  const network = new MemoryNetwork(clock);
  dad = await new HubStack({ clock, name: 'Dad', transport: network.create() }).start();
  daemon = await new RawHub(network.create()).start();
  await dad.keyTrust.add(
    { keyHex: daemon.key, host: '192.0.2.7', port: 1, name: 'Attic', way: 'share_token' },
    PERSON,
  );
  const connection = await daemon.connect(dad);
  line = connection.connectionId;
  // By a request as its first word it is known.
  await daemon.transport.request(line, envelope('request', { axon_kind: 'ping' }), 5_000);
  await clock.until(() => dad.links.isOnline(daemon.key), 'it is online');
});
afterEach(async () => {
  await dad.stop();
  await daemon.transport.stop();
  expect(clock.timers).toBe(0);
});

/** Asks, and lets the daemon answer on the stream, if at all. */
async function ask(kind: string, answer?: readonly [kind: string, payload: Payload]) {
  const id = randomUUID();
  const payload = { question: 'Who is home?', task: 'Sing', task_id: id };
  const outcome = dad.links.request(daemon.key, { id, kind, ref: null, payload }, 10_000);
  await clock.settle();
  const request = daemon.events.find(
    (event) => event.type === 'request' && new TextDecoder().decode(event.bytes).includes(id),
  );
  if (request?.type !== 'request') throw new Error('the question did not come');
  if (answer !== undefined)
    daemon.transport.respond(line, request.streamId, envelope(...answer, id));
  await clock.settle();
  return { id, outcome };
}

const PLAIN = ['response', { message: 'Fine.' }] as const;
const UNHANDLED = ['error', { code: 'unhandled' }] as const;

for (const [kind, reply] of [
  ['ping', { kind: 'pong', payload: { status: 'idle' } }],
  ['delegate', { kind: 'ack', payload: { accepted: true, state: 'queued' } }],
  ['cancel', { kind: 'ack', payload: { accepted: true, state: 'working' } }],
  ['query', { kind: 'response', payload: { summary: 'Fine.' } }],
] as const) {
  it(`a plain response to a ${kind} is no broken form, however often it comes`, async () => {
    for (let count = 0; count < 25; count++) {
      const { outcome } = await ask(kind, PLAIN);
      expect(await outcome).toMatchObject({ ok: true, value: reply });
    }
    expect(dad.links.isOnline(daemon.key)).toBe(true);
  });
}

it('a plain response to a discover says that it was delivered, and the answer may still come', async () => {
  const { id, outcome } = await ask('discover', PLAIN);
  await daemon.transport.send(
    line,
    envelope('message', { axon_kind: 'capabilities', domains: ['house'] }, id),
  );
  await clock.settle();
  expect(await outcome).toMatchObject({
    ok: true,
    value: { kind: 'capabilities', payload: { domains: ['house'] } },
  });
});

it('a response of another kind than was asked for is still broken form', async () => {
  const { outcome } = await ask('ping', ['response', { axon_kind: 'ack', accepted: true }]);
  expect(await outcome).toMatchObject({
    ok: false,
    error: { code: 'internal', data: { failed_by: 'peer' } },
  });
});

for (const trust of ['suspended', 'removed'] as const) {
  it(`nobody waits for the answer of a peer that is ${trust}`, async () => {
    const { outcome } = await ask('query', UNHANDLED);
    if (trust === 'removed') await dad.directory.remove(daemon.key, PERSON);
    else await dad.directory.update(daemon.key, { trust: 'suspended' }, PERSON);
    let settled = false;
    void outcome.then(() => (settled = true));
    await clock.settle();
    expect(settled).toBe(true);
    expect(await outcome).toMatchObject({
      ok: false,
      error: { code: 'cancelled', failedBy: 'local' },
    });
  });
}

it('is said to be delivered only when the other side has said so', async () => {
  const [told, silent] = [await ask('query', UNHANDLED), await ask('query')];
  await clock.advance(10_100);
  expect(await told.outcome).toMatchObject({
    error: { code: 'timeout', message: expect.stringContaining('was delivered') },
  });
  expect(await silent.outcome).toMatchObject({
    error: { code: 'timeout', message: 'Attic did not answer in time.' },
  });
});

it('so many wait in all, and those of one peer end together', async () => {
  const questions = new PendingReplies(clock);
  const open = (key: string) =>
    questions.open({ key, id: randomUUID(), kind: 'query', timeoutMs: 1_000, name: key });
  for (let count = 0; count < REFERENCE_QUESTIONS_MAX; count++)
    open(count % 4 === 0 ? 'attic' : 'cellar');
  expect(await open('one more').answer).toMatchObject({ ok: false, error: { code: 'overloaded' } });
  questions.closeKey('attic', new AppError('cancelled', 'gone'));
  const again = open('one more').answer;
  questions.stop();
  expect(await again).toMatchObject({ ok: false, error: { code: 'cancelled' } });
});
