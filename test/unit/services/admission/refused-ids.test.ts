// What was refused leaves nothing behind: the same message may be sent again under its id, and is
// then taken as if it came for the first time.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '../../../../main/lib/json-object.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

const heard = (id: string, kind: string, payload: JsonObject, ref?: string) =>
  mum.hears(dad.key, { id, kind, payload, ...(ref === undefined ? {} : { ref }) });

it('takes a delegation that was refused before, once somebody handles it', async () => {
  const id = crypto.randomUUID();
  const payload = { task: 'Water it', route: { to: 'gardener' } };
  const refused = await heard(id, 'delegate', payload);
  expect(refused.payload).toMatchObject({ accepted: false, code: 'unknown_domain' });
  await mum.agent('gardener', ['home.garden']);
  expect((await heard(id, 'delegate', payload)).payload).toMatchObject({ accepted: true });
  expect((await heard(id, 'delegate', payload)).payload).toMatchObject({ accepted: true });
  expect(mum.work.approvals.pending()).toHaveLength(1);
});

it('takes a question that was refused before, once somebody handles it', async () => {
  const id = crypto.randomUUID();
  const payload = { question: 'Is it dry?', route: { to: 'gardener' } };
  expect((await heard(id, 'query', payload)).payload).toMatchObject({ code: 'unknown_domain' });
  await mum.agent('gardener', ['home.garden']);
  const answer = heard(id, 'query', payload);
  await clock.settle();
  await mum.decide(mum.card, 'allow');
  const { delivery_id } = await mum.claim('gardener');
  await mum.work.inbox.reply('gardener', delivery_id, {
    status: 'completed',
    summary: 'Yes.',
    truncated: false,
  });
  expect((await answer).payload).toMatchObject({ summary: 'Yes.' });
  expect((await heard(id, 'query', payload)).payload).toMatchObject({ code: 'conflict' });
});

it('takes a notice that was refused before, once its sender is known', async () => {
  const id = crypto.randomUUID();
  const payload = { topic: 'home', data: 'Rain', route: { from: 'weather' } };
  const notice = () => mum.isTold(dad.key, { id, kind: 'notify', payload });
  const refused = notice();
  await clock.advance(60_000);
  await refused;
  expect(mum.work.feed.list({ limit: 9 }).items).toHaveLength(0);
  await dad.agent('weather');
  await mum.knows(dad);
  await notice();
  await clock.advance(100);
  expect(mum.work.feed.list({ limit: 9 }).items).toHaveLength(1);
});

it('takes a cancel that was refused before, once there is something to cancel', async () => {
  const [id, ref] = [crypto.randomUUID(), crypto.randomUUID()];
  expect((await heard(id, 'cancel', {}, ref)).payload).toMatchObject({ accepted: false });
  // What it overtook stays cancelled for as long as that is remembered.
  await clock.advance(600_001);
  await heard(ref, 'delegate', { task: 'Dinner is at 7', domain: 'family.chat' });
  expect((await heard(id, 'cancel', {}, ref)).payload).toMatchObject({ accepted: true });
});

it('sends again under the same key what the other hub refused', async () => {
  const send = (task: string) =>
    dad.work.sender.delegate(
      delegation('mum', task, { route: { to: 'gardener' } }),
      'openclaw',
      'the key',
    );
  await expect(send('Water it')).rejects.toMatchObject({ code: 'unknown_domain' });
  await mum.agent('gardener', ['home.garden']);
  const { id } = await send('Water it, please');
  expect((await send('Water it, please')).id).toBe(id);
  await expect(send('Mow it')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  expect(mum.work.approvals.pending()).toHaveLength(1);
});
