// What becomes of a connection that may be dead: the transport is asked, and one that is only slow
// keeps its work.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import type { HubStack } from '../../../fakes/hub-stack.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closePairedRawHub, openPairedRawHub } from './paired-raw-hub.ts';
import type { RawHub } from './raw-hub.ts';

let clock: ManualClock;
let dad: HubStack;
let raw: RawHub;

beforeEach(async () => {
  ({ clock, dad, raw } = await openPairedRawHub());
});
afterEach(() => closePairedRawHub({ clock, dad, raw }));

async function connected(): Promise<number> {
  const line = await raw.connect(dad);
  const hello = raw.hello(line, dad);
  await clock.until(() => dad.links.isOnline(raw.key), 'it is online');
  await hello;
  return line.connectionId;
}

it('a hub that answers nothing for long but is heard keeps its connection, and the work on it, through a change of network', async () => {
  const line = await connected();
  let failed = false;
  const question = { id: randomUUID(), kind: 'query', ref: null, payload: { question: 'slow?' } };
  const answer = dad.links.request(raw.key, question, 120_000).then((outcome) => {
    failed = !outcome.ok;
    return outcome;
  });
  await clock.advance(100);
  dad.links.redial();
  await clock.advance(30_000);
  expect([failed, dad.links.isOnline(raw.key)]).toEqual([false, true]);
  const asked = raw.events.flatMap((event) => (event.type === 'request' ? [event] : []));
  const query = asked.find(({ bytes }) => new TextDecoder().decode(bytes).includes(question.id));
  if (query === undefined) throw new Error('the question did not come');
  const payload = { data: null, summary: 'at last' };
  raw.transport.respond(
    line,
    query.streamId,
    raw.envelope(dad.agentId, 'response', payload, { ref: question.id }),
  );
  await clock.settle();
  expect(await answer).toMatchObject({ ok: true });
});
