// A person stops everything at a hub: what runs is asked to stop, what waits is declined, and
// nothing gets in until they resume.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AppError } from '../../../../main/lib/app-error.ts';
import { closeTwoHubs, newest, openTwoHubs, type TwoHubs } from '../../../fakes/two-work-hubs.ts';
import { headlineOf } from '../../../../preload/contract/strings/story.ts';
import { BROWSER, delegation } from '../../../fakes/work-hub.ts';

const ANY = { status: 'completed', truncated: false } as const;
let hubs: TwoHubs;

beforeEach(async () => {
  hubs = await openTwoHubs();
});
afterEach(() => closeTwoHubs(hubs));

async function send(task: string): Promise<void> {
  await hubs.dad.work.sender.delegate(
    delegation('mum', task, { domain: 'family.chat' }),
    'openclaw',
    null,
  );
  await hubs.clock.settle();
}
const atDad = () =>
  hubs.dad.store.read
    .tasks({ limit: 9 })
    .map(({ payload, state, code }) => [JSON.parse(payload).task, state, code]);

test('declines what waits, ends what no agent has, and asks what runs to stop', async () => {
  await send('Runs');
  await hubs.mum.decide(hubs.mum.card, 'allow');
  const item = await hubs.mum.claim('claude');
  await hubs.mum.work.inbox.ack('claude', item.delivery_id, null, null);
  await send('Is allowed');
  await hubs.mum.decide(hubs.mum.card, 'allow');
  await send('Waits');

  const { paused } = await hubs.mum.work.stopEverything(BROWSER);
  await hubs.clock.settle();
  expect(paused).toMatchObject({ until: null, stopped: true });
  expect(hubs.mum.work.approvals.pending()).toEqual([]);
  expect(atDad()).toEqual([
    ['Waits', 'declined', 'rejected'],
    ['Is allowed', 'failed', 'rejected'],
    ['Runs', 'running', null],
  ]);
  // Each hub says what it knows: the asker is not told whether an agent had it.
  const headline = async (hub: typeof hubs.mum) => {
    const allowed = hub.store.read.tasks({ limit: 9 })[1]?.id ?? '';
    const signal = new AbortController().signal;
    return headlineOf((await hub.work.tasks.get(allowed, { person: BROWSER }, 0, signal)).story);
  };
  expect(await headline(hubs.mum)).toBe("Stopped by mum's person on mum: nothing ran.");
  expect(await headline(hubs.dad)).toBe("Stopped by mum's person on mum.");
  const stop = await hubs.mum.claim('claude');
  expect([stop.kind, stop.task_id]).toEqual(['cancel', item.task_id]);
  expect(await hubs.mum.work.inbox.claim('claude', 9)).toEqual([]);
  expect(hubs.mum.auditActions()).toContain('attention.stopped');
  // A decline of this kind is no sign of a flood.
  expect(hubs.mum.work.doNotDisturb.dto()).toMatchObject({ floods: [], mutes: [] });
});

test('ends a question that its agent has, about which nobody was asked', async () => {
  await hubs.mum.work.agents.setClass('claude', { riskClass: 'R0' }, BROWSER);
  const line = new AbortController();
  const asked = hubs.dad.work.sender
    .query({ to: 'mum', question: 'Open?', domain: 'family.chat' }, 'openclaw', line.signal)
    .catch((error: unknown) => error);
  await hubs.clock.settle();
  const item = await hubs.mum.claim('claude');
  await hubs.mum.work.stopEverything(BROWSER);
  const error = await asked;
  expect(error instanceof AppError && [error.code, error.message]).toEqual([
    'rejected',
    "Nobody was asked: an agent on mum only looks. Cancelled by mum's person on mum: an agent on mum had it already.",
  ]);
  // It was taken, and no hub and no person declined it.
  await hubs.clock.advance(100);
  const signal = new AbortController().signal;
  const said = [];
  for (const hub of [hubs.mum, hubs.dad])
    said.push(
      headlineOf((await hub.work.tasks.get(newest(hub).id, { person: BROWSER }, 0, signal)).story),
    );
  expect(said).toEqual([
    "Cancelled by mum's person on mum: Claude had it already.",
    "Cancelled by mum's person on mum: an agent on mum had it already.",
  ]);
  for (const hub of [hubs.mum, hubs.dad])
    expect(newest(hub)).toMatchObject({ state: 'failed', code: 'rejected', verdict: 'passed' });
  await expect(
    hubs.mum.work.inbox.reply('claude', item.delivery_id, { ...ANY, outcome: 'Yes' }, null),
  ).rejects.toMatchObject({ code: 'not_found' });
});

test('lets in no task and no question, from here or elsewhere, until a person resumes, over a restart too', async () => {
  await hubs.mum.work.stopEverything(BROWSER);
  await hubs.mum.restart();
  hubs.mum.connect(hubs.dad);
  await expect(send('Dinner is at 7')).rejects.toMatchObject({ code: 'rejected' });
  const own = delegation('local/claude', 'Dinner is at 7', { domain: 'family.chat' });
  await expect(hubs.mum.work.sender.delegate(own, 'claude', null)).rejects.toMatchObject({
    code: 'rejected',
  });
  const question = { to: 'mum', question: 'Open?', domain: 'family.chat' };
  await expect(
    hubs.dad.work.sender.query(question, 'openclaw', new AbortController().signal),
  ).rejects.toMatchObject({ code: 'rejected' });
  expect(hubs.mum.store.read.tasks({ limit: 9 })).toEqual([]);

  await hubs.clock.jumpWall(40 * 86_400_000);
  await expect(hubs.mum.work.doNotDisturb.pause('in_an_hour', BROWSER)).rejects.toMatchObject({
    code: 'conflict',
  });
  expect(hubs.mum.work.doNotDisturb.dto().paused?.stopped).toBe(true);
  await hubs.mum.work.doNotDisturb.resume(BROWSER);
  await send('Dinner is at 8');
  expect(hubs.mum.card.text).toBe('Dinner is at 8');
  expect(atDad()).toContainEqual(['Dinner is at 8', 'awaiting_approval', null]);
});

test('work whose lease ends after a stop is over, and nobody says that its agent obeyed', async () => {
  await send('Runs');
  await hubs.mum.decide(hubs.mum.card, 'allow');
  const { task_id: task } = await hubs.mum.claim('claude');
  await hubs.mum.work.tasks.cancel(task ?? '', { person: BROWSER }, null);
  await hubs.clock.advance(61_000);
  const signal = new AbortController().signal;
  const said = [];
  for (const hub of [hubs.mum, hubs.dad])
    said.push(
      headlineOf((await hub.work.tasks.get(newest(hub).id, { person: BROWSER }, 0, signal)).story),
    );
  expect(said).toEqual([
    "Cancelled by mum's person on mum: Claude had it already.",
    "Cancelled by mum's person on mum: an agent on mum had it already.",
  ]);
});

test('an agent ends work as cancelled only after somebody asked it to stop', async () => {
  await send('Runs');
  await hubs.mum.decide(hubs.mum.card, 'allow');
  const { delivery_id: delivery, task_id: task } = await hubs.mum.claim('claude');
  const reply = (status: 'cancelled' | 'failed', code?: string) =>
    hubs.mum.work.inbox.reply('claude', delivery, { status, truncated: false, code }, null);
  await expect(reply('cancelled')).rejects.toMatchObject({ code: 'conflict' });
  await expect(reply('failed', 'cancelled')).rejects.toMatchObject({ code: 'conflict' });
  await hubs.mum.work.tasks.cancel(task ?? '', { person: BROWSER }, null);
  await reply('cancelled');
  await hubs.clock.settle();
  expect(newest(hubs.dad)).toMatchObject({
    state: 'failed',
    code: 'rejected',
    endedKind: 'stopped',
    endedBy: 'agent',
    stopPerson: "mum's person",
    stopObeyed: true,
  });
  const { story } = await hubs.dad.work.tasks.get(
    newest(hubs.dad).id,
    { agent: 'openclaw' },
    0,
    new AbortController().signal,
  );
  expect(headlineOf(story)).toBe("Stopped by mum's person on mum.");
});
