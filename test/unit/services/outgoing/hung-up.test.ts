// Questions whose asker hung up: the other hub is told, takes its card back and says why, and both
// end in the same state.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AppError } from '../../../../main/lib/app-error.ts';
import { err } from '../../../../main/lib/result.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, newest, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { headlineOf } from '../../../../preload/contract/strings/story.ts';
import { BROWSER, type WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
});

afterEach(() => closeTwoHubs({ clock, dad, mum }));

interface Asked {
  readonly hangUp: () => Promise<void>;
  readonly code: () => string | undefined;
}

async function ask(domain = 'family.chat', deadlineMs = 600_000): Promise<Asked> {
  const gone = new AbortController();
  let code: string | undefined;
  const params = { to: 'mum', question: 'Milk?', domain, deadline_ms: deadlineMs };
  dad.work.sender
    .query(params, 'openclaw', gone.signal)
    .catch((error: { code: string }) => (code = error.code));
  await clock.advance(100);
  return {
    hangUp: async () => {
      gone.abort();
      await clock.settle();
    },
    code: () => code,
  };
}

const headlineAt = async (hub: WorkHub) => {
  const signal = new AbortController().signal;
  const task = await hub.work.tasks.get(newest(hub).id, { person: BROWSER }, 0, signal);
  return headlineOf(task.story);
};
const stateAt = (hub: WorkHub) => newest(hub).state;
const cancels = () => dad.messenger.sent.filter((envelope) => envelope.kind === 'cancel');

it('takes the card back at the other hub, which says why', async () => {
  const asked = await ask();
  const { card } = mum;
  await asked.hangUp();
  expect(asked.code()).toBe('cancelled');
  expect([stateAt(dad), stateAt(mum)]).toEqual(['cancelled', 'cancelled']);
  expect(mum.work.approvals.pending()).toEqual([]);
  const row = mum.store.read.audit({ limit: 9 }).find(({ object }) => object === card.id);
  expect(row).toMatchObject({ action: 'approval.cancelled', actor: dad.key, surface: 'peer' });
  expect(mum.work.approvals.get(card.id)).toMatchObject({
    state: 'cancelled',
    decline_reason: expect.stringContaining('Nobody waits'),
  });
  await expect(mum.decide(card, 'allow')).rejects.toMatchObject({ code: 'already_decided' });
  expect(await mum.work.inbox.claim('claude', 1)).toEqual([]);
});

it('is over once it was allowed and not yet answered: its agent learns that nobody waits, and whoever asked that it had begun', async () => {
  const asked = await ask();
  await mum.decide(mum.card, 'allow');
  const { delivery_id: id } = await mum.claim('claude');
  await asked.hangUp();
  expect([stateAt(dad), stateAt(mum)]).toEqual(['cancelled', 'cancelled']);
  expect(newest(dad).reason).toMatch(/Its agent there had begun already\.$/);
  const late = mum.work.inbox.reply('claude', id, {
    status: 'completed',
    summary: 'Yes',
    truncated: false,
  });
  await expect(late).rejects.toMatchObject({ code: 'not_found' });
});

it('ends one that went straight to its agent, of which nothing is written down', async () => {
  await mum.agent('calendar', ['family.calendar'], { risk: 'R0' });
  const asked = await ask('family.calendar');
  await asked.hangUp();
  await clock.advance(100);
  expect([stateAt(dad), stateAt(mum)]).toEqual(['cancelled', 'cancelled']);
  expect(await mum.work.inbox.claim('calendar', 1)).toEqual([]);
});

it('that went straight to an agent which has it is not said to have begun nowhere', async () => {
  await mum.agent('calendar', ['family.calendar'], { risk: 'R0' });
  const asked = await ask('family.calendar');
  expect(await mum.work.inbox.claim('calendar', 1)).toHaveLength(1);
  await asked.hangUp();
  await clock.advance(100);
  expect([stateAt(dad), stateAt(mum)]).toEqual(['cancelled', 'cancelled']);
  expect(newest(dad).reason).toMatch(/Its agent there had begun already\.$/);
  expect([await headlineAt(dad), await headlineAt(mum)]).toEqual([
    'Cancelled: an agent on mum had it already.',
    'Cancelled: Calendar had it already.',
  ]);
});

it('is being called off, and not more, until the other hub has said so', async () => {
  const asked = await ask();
  mum.messenger.swallowed.add('ack');
  await asked.hangUp();
  expect(stateAt(dad)).toBe('cancelling');
  mum.messenger.swallowed.clear();
  await clock.advance(60_000);
  expect([stateAt(dad), stateAt(mum)]).toEqual(['cancelled', 'cancelled']);
  expect(new Set(cancels().map((envelope) => envelope.id)).size).toBe(1);
});

it('is told after a restart of the hub that asked, as the first thing when the line is back', async () => {
  const asked = await ask();
  mum.messenger.swallowed.add('ack');
  await asked.hangUp();
  await dad.restart();
  expect([stateAt(dad), cancels()]).toEqual(['cancelling', []]);
  mum.messenger.swallowed.clear();
  dad.connect(mum);
  await clock.settle();
  expect(dad.messenger.sent[0]?.kind).toBe('cancel');
  expect([stateAt(dad), stateAt(mum)]).toEqual(['cancelled', 'cancelled']);
});

it('that the run before left open is taken back at the start of the next', async () => {
  await ask();
  await dad.restart();
  expect(newest(dad)).toMatchObject({
    state: 'cancelling',
    reason: 'The hub was restarted while somebody waited for the answer.',
  });
  dad.connect(mum);
  await clock.settle();
  expect(cancels()).toHaveLength(1);
  expect([stateAt(dad), stateAt(mum)]).toEqual(['cancelled', 'cancelled']);
});

it('says that it does not know, when the other hub had ended it already', async () => {
  const asked = await ask();
  const { card } = mum;
  mum.messenger.swallowed.add('error');
  await mum.decide(card, 'decline');
  await asked.hangUp();
  expect(stateAt(mum)).toBe('declined');
  expect(newest(dad)).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('had ended it already'),
  });
  // Nobody’s time ran out, and nobody said that nobody had begun.
  expect(await headlineAt(dad)).toBe('Cancelled.');
});

it('says so whatever sentence its people were shown', async () => {
  const asked = await ask();
  const { card } = mum;
  mum.messenger.swallowed.add('error');
  mum.messenger.swallowed.add('ack');
  await mum.decide(card, 'decline');
  await asked.hangUp();
  const { id, revision } = newest(dad);
  await dad.store.write((tables) =>
    tables.updateTask(id, revision, { reason: 'Nobody waits for it any more.' }),
  );
  mum.messenger.swallowed.clear();
  await clock.advance(60_000);
  expect(newest(dad)).toMatchObject({
    state: 'failed',
    cancelCause: 'hung_up',
    reason: expect.stringContaining('had ended it already'),
  });
});

it('is no longer spoken of after its deadline, when the other hub never came back', async () => {
  const asked = await ask('family.chat', 60_000);
  mum.messenger.swallowed.add('ack');
  await asked.hangUp();
  dad.cut(mum);
  expect(stateAt(dad)).toBe('cancelling');
  await clock.advance(60_000 + 600_000);
  expect(newest(dad)).toMatchObject({ state: 'failed', code: 'timeout' });
  expect(await headlineAt(dad)).toBe('Asked mum to cancel it; no answer came.');
  expect(dad.store.read.outboxOf(mum.key)).toEqual([]);
});

it('is not asked of anybody when its cancel overtakes it', async () => {
  const id = crypto.randomUUID();
  const cancel = await mum.hears(dad.key, {
    id: crypto.randomUUID(),
    kind: 'cancel',
    ref: id,
    payload: {},
  });
  expect(cancel.payload).toMatchObject({ accepted: false, code: 'rejected' });
  const answer = await mum.hears(dad.key, {
    id,
    kind: 'query',
    payload: { question: 'Milk?', domain: 'family.chat' },
  });
  expect([answer.kind, answer.payload.code]).toEqual(['error', 'cancelled']);
  expect(mum.work.approvals.pending()).toEqual([]);
});

it('is taken back too when its time was over here before the other hub said so', async () => {
  const request = dad.messenger.request.bind(dad.messenger);
  dad.messenger.request = async (peer, message, timeoutMs, signal) => {
    const reply = request(peer, message, timeoutMs, signal);
    if (message.kind !== 'query') return reply;
    await clock.settle();
    return err(new AppError('timeout', 'Mum did not answer in time.', { failedBy: 'timeout' }));
  };
  const asked = await ask();
  expect(asked.code()).toBe('timeout');
  expect([stateAt(dad), stateAt(mum)]).toEqual(['failed', 'cancelled']);
  expect(mum.work.approvals.pending()).toEqual([]);
});

it('DL-03: of nobody else is taken back: another hub that knows its id ends nothing', async () => {
  await ask();
  const stranger = 'f'.repeat(64);
  await mum.store.write((tables) => {
    const row = tables.peer(dad.key);
    if (row)
      tables.putPeer({
        ...row,
        key: stranger,
        agentId: `ed25519.${'e'.repeat(32)}`,
        petname: 'kid',
      });
  });
  const cancel = await mum.hears(stranger, {
    id: crypto.randomUUID(),
    kind: 'cancel',
    ref: newest(dad).messageId,
    payload: {},
  });
  expect(cancel.payload).toMatchObject({ accepted: false, code: 'rejected' });
  expect(mum.work.approvals.pending()).toHaveLength(1);
});
