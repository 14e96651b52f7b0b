// The thin line of work over real QUIC, real stores and the real clock: delegated, allowed, done,
// reported, with a line that breaks between.
import { afterEach, expect, it } from 'vitest';
import { ok } from '../../main/lib/result.ts';
import { SystemClock, SystemRandom } from '../../main/adapters/clock/system-clock.ts';
import { PeerRates } from '../../main/services/links/peer-rates.ts';
import { composeTaskServices, type TaskServices } from '../../main/app/task-services.ts';
import { HubStack } from '../fakes/hub-stack.ts';
import { SILENT_LOG } from '../fakes/memory-store.ts';
import { BROWSER, delegation, OWNER } from '../fakes/work-hub.ts';
import { createInProcessTransport } from '../support/in-process-transport.ts';

const WAIT_LIMIT_MS = 20_000;
const PERSON = { person: BROWSER };
const clock = new SystemClock();
const random = new SystemRandom();
const never = new AbortController().signal;
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

interface Hub {
  readonly stack: HubStack;
  readonly work: TaskServices;
}

async function hub(name: string): Promise<Hub> {
  const stack = new HubStack({
    clock,
    name,
    transport: createInProcessTransport({ clock, random }),
  });
  stops.push(() => stack.stop());
  const work = composeTaskServices({
    approvalWaitMs: () => 3_600_000,
    turnsMax: () => 12,
    rulesMayAct: () => true,
    personName: () => null,
    timeZone: () => 'UTC',
    store: stack.store,
    clock,
    random,
    log: SILENT_LOG,
    events: stack.events,
    messenger: stack.links,
    rates: new PeerRates(clock),
    resolvePeer: (to) => stack.directory.resolve(to),
    pinnedPeer: (id) => stack.directory.resolvePinned(id),
    refreshCapabilities: () => Promise.resolve(ok()),
    hubName: () => name,
    mintAgentToken: (agent) => Promise.resolve(agent),
    revokeAgentTokens: () => () => undefined,
  });
  await stack.start();
  await work.start();
  stops.push(() => work.stop());
  return { stack, work };
}

/** Waits, woken by the hubs' events, until the condition holds. */
function until(hubs: readonly Hub[], condition: () => boolean, what: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (failure?: Error): void => {
      timer.cancel();
      for (const stop of listening) stop();
      if (failure) reject(failure);
      else resolve();
    };
    const check = (): void => {
      if (condition()) finish();
    };
    const timer = clock.setTimer(WAIT_LIMIT_MS, () =>
      finish(new Error(`${what} did not come true`)),
    );
    const listening = hubs.map(({ stack }) => stack.events.subscribe(check));
    check();
  });
}

async function household(): Promise<{ dad: Hub; mum: Hub }> {
  const [dad, mum] = [await hub('Dad'), await hub('Mum')];
  await dad.stack.pins(mum.stack);
  await mum.stack.pins(dad.stack);
  dad.stack.hears(mum.stack);
  mum.stack.hears(dad.stack);
  await online(dad, mum);
  await mum.work.agents.create('claude', { domains: ['family.chat'] }, 'R2', OWNER);
  return { dad, mum };
}

const online = (dad: Hub, mum: Hub): Promise<void> =>
  until(
    [dad, mum],
    () => dad.stack.links.isOnline(mum.stack.key) && mum.stack.links.isOnline(dad.stack.key),
    'both are online',
  );

async function allow(mum: Hub): Promise<string> {
  await until([mum], () => mum.work.approvals.pending().length === 1, 'a card waits');
  const [card] = mum.work.approvals.pending();
  if (!card) throw new Error('no card waits');
  await mum.work.approvals.decide(
    { id: card.id, revision: card.revision, digest: card.digest, decision: 'allow' },
    BROWSER,
  );
  const [item] = await mum.work.inbox.claim('claude', 1);
  if (!item) throw new Error('nothing waits for claude');
  await mum.work.inbox.ack('claude', item.delivery_id, null);
  return item.delivery_id;
}

it('takes a delegation from one hub to an agent of another and its result back, receipt included', async () => {
  const { dad, mum } = await household();
  const report = await dad.work.sender.delegate(
    delegation('Mum', 'Tell the family chat that dinner is at 7'),
    null,
    null,
  );
  expect(report.state).toBe('awaiting_approval');
  const delivery = await allow(mum);
  const waiting = dad.work.tasks.get(report.id, PERSON, 15_000, never);
  await mum.work.inbox.reply('claude', delivery, {
    status: 'completed',
    outcome: 'Sent.',
    truncated: false,
  });
  expect(await waiting).toMatchObject({ state: 'completed', untrusted: { outcome: 'Sent.' } });
  await expect.poll(() => mum.stack.store.read.outboxOf(dad.stack.key)).toEqual([]);
});

it('brings a result that was made while the line was broken, once the hubs hear each other again', async () => {
  const { dad, mum } = await household();
  const report = await dad.work.sender.delegate(
    delegation('Mum', 'Tell the family chat that dinner is at 7'),
    null,
    null,
  );
  const delivery = await allow(mum);
  await dad.stack.links.stop();
  await until([mum], () => !mum.stack.links.isOnline(dad.stack.key), 'Mum notices');
  await mum.work.inbox.reply('claude', delivery, {
    status: 'completed',
    outcome: 'Sent.',
    truncated: false,
  });
  expect(mum.stack.store.read.outboxOf(dad.stack.key)).toHaveLength(1);
  await dad.stack.start();
  mum.stack.hears(dad.stack);
  dad.stack.hears(mum.stack);
  await online(dad, mum);
  expect((await dad.work.tasks.get(report.id, PERSON, 15_000, never)).state).toBe('completed');
});

it('asks a question across, lets a person allow it, and brings the answer on the same stream', async () => {
  const { dad, mum } = await household();
  const answer = dad.work.sender.query(
    { to: 'Mum', question: 'Who is home?', domain: 'family.chat' },
    null,
    never,
  );
  await until([mum], () => mum.work.approvals.pending().length === 1, 'a card waits');
  const [card] = mum.work.approvals.pending();
  await mum.work.approvals.decide(
    { id: card?.id ?? '', revision: 0, digest: card?.digest ?? '', decision: 'allow' },
    BROWSER,
  );
  const [item] = await mum.work.inbox.claim('claude', 1);
  await mum.work.inbox.reply('claude', item?.delivery_id ?? '', {
    status: 'completed',
    summary: 'Everyone',
    truncated: false,
  });
  expect(await answer).toMatchObject({ state: 'answered', untrusted: { summary: 'Everyone' } });
});

it('takes a question back from the other hub when its asker hangs up, and both tell the same end', async () => {
  const { dad, mum } = await household();
  const gone = new AbortController();
  const answer = dad.work.sender.query(
    { to: 'Mum', question: 'Who is home?', domain: 'family.chat', deadline_ms: 600_000 },
    null,
    gone.signal,
  );
  await until([mum], () => mum.work.approvals.pending().length === 1, 'a card waits');
  const [card] = mum.work.approvals.pending();
  gone.abort();
  await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
  await until([mum], () => mum.work.approvals.pending().length === 0, 'the card is taken back');
  expect(mum.work.approvals.get(card?.id ?? '')).toMatchObject({
    state: 'cancelled',
    decline_reason: expect.stringContaining('It was cancelled'),
  });
  const ended = (): readonly string[] =>
    [dad, mum].map(({ stack }) => stack.store.read.tasks({ limit: 1 })[0]?.state ?? 'none');
  await until(
    [dad, mum],
    () => ended().every((state) => state === 'cancelled'),
    'both tell the same end',
  );
});

it('HE-09: with another key in the place of the asking hub people are stopped, what it asked before still waits unchanged, and nothing is paired anew', async () => {
  const { dad, mum } = await household();
  await dad.work.sender.delegate(
    delegation('Mum', 'Tell the family chat that dinner is at 7'),
    null,
    null,
  );
  await until([mum], () => mum.work.approvals.pending().length === 1, 'a card waits');
  const [before] = mum.work.approvals.pending();
  await dad.work.stop();
  await dad.stack.halt();
  const twin = new HubStack({
    clock,
    name: 'Dad',
    transport: createInProcessTransport({ clock, random }),
  });
  stops.push(() => twin.stop());
  await twin.start(dad.stack.port);
  twin.hears(mum.stack);
  await until([mum], () => mum.stack.peer(dad.stack).key_change !== null, 'the stop is there');
  expect(mum.stack.peer(dad.stack).key_change).toMatchObject({ seen_key: twin.key, kept_at: null });

  expect(await twin.links.unpaired.open(mum.stack.key, never)).toEqual(ok());
  const refused = await twin.links.unpaired.request(mum.stack.key, 'delegate', {
    task: 'Open the door',
  });
  expect(refused).toMatchObject({
    ok: false,
    error: { code: 'pairing_required', failedBy: 'peer' },
  });
  expect(mum.work.approvals.pending()).toEqual([before]);
  expect(mum.stack.pairing.list()).toEqual([]);
  expect(mum.stack.store.read.peers().map(({ key, trust }) => [key, trust])).toEqual([
    [dad.stack.key, 'paired'],
  ]);

  // Allowed after all, it is done, and its result waits for the key that asked.
  const delivery = await allow(mum);
  await mum.work.inbox.reply('claude', delivery, {
    status: 'completed',
    outcome: 'Sent.',
    truncated: false,
  });
  await expect.poll(() => mum.stack.store.read.outboxOf(dad.stack.key).length).toBeGreaterThan(0);
  expect(mum.stack.store.read.outboxOf(twin.key)).toEqual([]);
});
