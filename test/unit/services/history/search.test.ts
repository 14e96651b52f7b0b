// Finding what was said: what people type, what they are told of it, and that an agent finds only
// what it took part in.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { INDEX_LOOK_MS, SEARCH_BUDGET_MS } from '../../../../main/services/history/limits.ts';
import { OUTCOMES, type Outcome } from '../../../../main/services/tasks/outcome.ts';
import { readSearchBox } from '../../../../main/services/history/search-box.ts';
import { Search } from '../../../../main/services/history/search.ts';
import { Parties } from '../../../../main/services/tasks/parties.ts';
import type { OperationParams } from '../../../../preload/contract/operations.ts';
import type { SearchHitDto } from '../../../../preload/contract/conversation-dto.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { RemoteApprovalHouse } from '../../../fakes/remote-approval-house.ts';
import { story } from '../../../fakes/stories.ts';
import { closeTwoHubs, newest, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { BROWSER, delegation, OWNER, type WorkHub } from '../../../fakes/work-hub.ts';

const DINNER = 'Tell the family chat that dinner is at 7';
let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs(['work.code']));
  mum.person = 'Mum';
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

async function ask(text: string, more: object = {}): Promise<void> {
  await dad.work.sender.delegate(
    delegation('mum', text, { domain: 'family.chat', ...more }),
    'openclaw',
    null,
  );
  await clock.settle();
}

const notice = (to: string, data: string): OperationParams<'send.notify'> => ({
  to,
  topic: 'house',
  data,
  importance: 'low',
});

async function tended(): Promise<void> {
  for (const hub of [dad, mum])
    while (hub.store.read.isSearchBehind()) await clock.advance(INDEX_LOOK_MS);
}

const never = new AbortController().signal;
const find = (hub: WorkHub, q: string): readonly SearchHitDto[] =>
  hub.work.search.find(q, { limit: 50 }).items;
const findAs = async (hub: WorkHub, agent: string, q: string): Promise<readonly SearchHitDto[]> =>
  (await hub.work.search.findAs(agent, q, { limit: 50 }, never)).items;
const texts = (hits: readonly SearchHitDto[]): readonly string[] =>
  hits.map(({ snippet }) => snippet.map(([piece]) => piece).join(''));

it('tells nothing of where a request is just now', async () => {
  await ask(DINNER);
  await tended();
  expect(find(dad, 'from:mum')).toEqual([]);
});

it('finds what an agent told others, by its text and its topic, within half a second', async () => {
  const ref = '7c1d1c9e-0000-4000-8000-000000000000';
  await dad.work.sender.notify(
    { ...notice('mum', 'Milk is bought'), topic: 'pantry', ref },
    'openclaw',
  );
  await clock.settle();
  await clock.advance(600);
  for (const word of ['milk', 'pantry']) {
    expect(find(dad, word), word).toHaveLength(1);
    expect(await findAs(dad, 'openclaw', word), word).toHaveLength(1);
  }
});

it('finds, and shows in the feed, what another hub tells, whatever it says that it is about', async () => {
  await ask(DINNER);
  const [task] = mum.store.read.tasks({ limit: 1 });
  const refs = [null, task?.messageId ?? '', task?.id ?? '', crypto.randomUUID()];
  for (const [number, ref] of refs.entries())
    await mum.isTold(dad.key, {
      id: crypto.randomUUID(),
      kind: 'notify',
      ref,
      payload: { topic: 'pantry', data: { text: `Milk ${number}` }, importance: 'low' },
    });
  await clock.settle();
  await tended();
  const fed = JSON.stringify(mum.store.read.feed({ limit: 50 }));
  for (const number of refs.keys()) {
    expect(find(mum, `"milk ${number}"`), `search ${number}`).toHaveLength(1);
    expect(fed, `feed ${number}`).toContain(`Milk ${number}`);
  }
});

it('finds at an adult’s hub what the child’s agent asked, and no question of the hub', async () => {
  const house = await new RemoteApprovalHouse().open();
  try {
    await house.letDecide();
    await house.ask('Mow the lawn', { reason: 'Guests come' });
    await house.clock.settle();
    while (house.mum.store.read.isSearchBehind()) await house.clock.advance(INDEX_LOOK_MS);
    expect(texts(find(house.mum, 'lawn'))).toEqual(['Mow the lawn']);
    expect(find(house.mum, 'guests')).toHaveLength(1);
    expect(find(house.mum, '"may this be done"')).toEqual([]);
  } finally {
    await house.close();
  }
});

it('finds a request by the reason that was given for it', async () => {
  await ask(DINNER, { reason: 'Grandma visits' });
  await tended();
  for (const hub of [dad, mum]) expect(find(hub, 'grandma')).toHaveLength(1);
});

it('finds what is said after a restored hub was opened', async () => {
  await ask(DINNER);
  await mum.restart(() => mum.work.endRestored({ by: 'ui:1', surface: 'browser' }));
  await clock.advance(2 * INDEX_LOOK_MS);
  dad.connect(mum);
  await ask('Breakfast is at 8');
  await clock.advance(2 * INDEX_LOOK_MS);
  expect(texts(find(mum, 'breakfast'))).toEqual(['Breakfast is at 8']);
});

describe('on a quiet hub, within two seconds, whoever stored it', () => {
  const options = [
    { id: 'bus', label: 'Take the bus' },
    { id: 'train', label: 'Take the train' },
  ];
  const reply = { status: 'completed', truncated: false } as const;

  it.each<readonly [string, string, () => Promise<unknown>]>([
    [
      'a notice to people',
      'chimney',
      () => mum.work.sender.notify(notice('local', 'chimney'), 'claude'),
    ],
    [
      'a notice to one agent, which no page hears of',
      'lantern',
      () => mum.work.sender.notify(notice('local/claude', 'lantern'), 'claude'),
    ],
    ['a task', 'marzipan', () => ask('Buy marzipan')],
    [
      'a result',
      'walnut',
      async () => {
        await ask('What cake?');
        await mum.decide(mum.card, 'allow');
        const { delivery_id } = await mum.claim('claude');
        await mum.work.inbox.reply('claude', delivery_id, { ...reply, outcome: 'Walnut cake' });
      },
    ],
    [
      'an answer to a question',
      'harbour',
      async () => {
        const question = { to: 'mum', question: 'Where?', domain: 'family.chat' };
        void dad.work.sender.query(question, 'openclaw', never).catch(() => undefined);
        await clock.settle();
        await mum.decide(mum.card, 'allow');
        const { delivery_id } = await mum.claim('claude');
        await mum.work.inbox.reply('claude', delivery_id, { ...reply, summary: 'The harbour' });
      },
    ],
    [
      'a person’s own words',
      'tandem',
      async () => {
        await ask('How do we get there?', { options });
        const { id, revision, digest } = mum.card;
        const answer = { decision: 'answer', answer: 'By tandem' } as const;
        await mum.work.approvals.decide({ id, revision, digest, ...answer }, BROWSER);
      },
    ],
    [
      'a request in another dialect',
      'saffron',
      async () => {
        await mum.work.agents.create('fred', { dialect: 'fipa-acl' }, 'R2', OWNER);
        const receiver = { name: 'claude' };
        const message = { performative: 'request', sender: { name: 'fred' }, receiver };
        await mum.work.nativeMessages.post('fred', { ...message, content: 'Buy saffron' }, never);
      },
    ],
  ])('finds %s', async (_, word, store) => {
    await clock.advance(5_000);
    await store();
    await clock.settle();
    await clock.advance(2_000);
    expect(texts(find(mum, word))).toEqual([expect.stringMatching(new RegExp(word, 'i'))]);
  });

  it('goes on after a restart with what it had not taken in', async () => {
    for (let count = 0; count < 9; count++)
      await mum.work.sender.notify(notice('local', `Sesame ${count}`), 'claude');
    await clock.advance(100);
    await mum.restart();
    expect(mum.store.read.isSearchBehind()).toBe(true);
    await clock.advance(2_000);
    expect(find(mum, 'sesame')).toHaveLength(9);
  });
});

it('tells who asked whom, what was decided by whom, and what came of it, at both hubs', async () => {
  await ask(DINNER);
  await mum.decide(mum.card, 'allow');
  const { delivery_id } = await mum.claim('claude');
  await mum.work.inbox.reply('claude', delivery_id, {
    status: 'completed',
    outcome: 'They know of dinner now',
    truncated: false,
  });
  await clock.settle();
  await tended();
  for (const [hub, direction, surface] of [
    [dad, 'in', 'peer'],
    [mum, 'here', 'browser'],
  ] as const) {
    const [result, request] = find(hub, 'dinner');
    expect(result).toMatchObject({
      kind: 'result',
      from: { hub_name: 'mum' },
      to: { hub_name: 'dad', agent_name: 'OpenClaw' },
    });
    expect(request).toMatchObject({
      kind: 'delegate',
      from: { hub_name: 'dad', agent_name: 'OpenClaw' },
      to: { hub_name: 'mum' },
      state: 'completed',
      decision: { state: 'approved', direction, surface },
    });
    expect(request?.snippet).toEqual([
      ['Tell the family chat that ', false],
      ['dinner', true],
      [' is at 7', false],
    ]);
  }
  expect(find(dad, 'dinner')[1]?.decision?.person).toBe('Mum');
});

describe('what people type', () => {
  beforeEach(async () => {
    await ask(DINNER);
    await mum.decide(mum.card, 'decline');
    await ask('Dinner is cold, at seven');
    await clock.settle();
    await tended();
  });

  it.each([
    ['dinner', 2],
    ['dinn', 2],
    ['dinn ', 0],
    ['DINNER cold', 1],
    ['"dinner is at"', 1],
    ['"is dinner"', 0],
    ['"dinner is at', 1],
    ['"is din', 0],
    ['"is din" from:dad', 0],
    ['cold di', 0],
    ['dinner from:dad', 2],
    ['dinner from:openclaw', 2],
    ['dinner from:mum', 0],
    ['to:Mum dinner', 2],
    ['outcome:declined', 2],
    ['dinner outcome:declined', 1],
    ['action:task', 2],
    ['action:question dinner', 0],
    ['dinner before:2020-01', 0],
    ['dinner after:2020-01-01', 2],
    ['dinner before:2200-01', 2],
    ['dinner after:2200-01', 0],
    ['dinner"; DROP TABLE messages --', 0],
    ['dinner AND cold', 0],
    ['dinner*', 2],
    ['(dinner)', 2],
    ['%', null],
    ['"', null],
    ['\u0000', null],
    ['before:yesterday', null],
    ['before:2026-02-30', null],
    ['outcome:nice', null],
    ['from:a from:b', null],
    ['a '.repeat(17), null],
  ])('%j finds %j', (q, count) => {
    if (count === null) expect(() => find(mum, q)).toThrow(/[.]$/);
    else expect(find(mum, q)).toHaveLength(count);
  });

  it('marks the beginnings that were searched for, and whole words where they are short', () => {
    const marked = (q: string): readonly string[] =>
      find(mum, q).flatMap(({ snippet }) =>
        snippet.flatMap(([piece, isHit]) => (isHit ? [piece] : [])),
      );
    expect(marked('cold din')).toEqual(['Dinner', 'cold']);
    expect(marked('dinner i')).toEqual([]);
    expect(marked('seven is')).toEqual(['is', 'seven']);
  });

  it('gives pages, each from where the last one ended', () => {
    const first = mum.work.search.find('dinner', { limit: 1 });
    expect(texts(first.items)).toEqual(['Dinner is cold, at seven']);
    const second = mum.work.search.find('dinner', { limit: 1, cursor: first.next ?? undefined });
    expect(texts(second.items)).toEqual([DINNER]);
    expect(() => mum.work.search.find('dinner', { limit: 1, cursor: 'x' })).toThrow(
      'That cursor is not one this hub gave out.',
    );
  });
});

it('finds by who decided: a person, a hub, a rule by its sentence, or any rule', async () => {
  await ask(DINNER);
  await mum.decide(mum.card, 'allow');
  await mum.work.inbox.claim('claude', 1);
  await ask('Dinner is cold');
  const { id, revision, digest } = mum.card;
  await mum.work.approvals.decide(
    { id, revision, digest, decision: 'decline', scope: 'never' },
    BROWSER,
  );
  await expect(ask('Dinner is burnt')).rejects.toMatchObject({ code: 'rejected' });
  await clock.settle();
  await tended();
  const found = (hub: WorkHub, q: string) => texts(find(hub, `action:task ${q}`));
  const persons = ['Dinner is cold', DINNER];
  for (const q of ['by:Mum', 'by:"mum"', 'by:mum dinner'])
    expect(found(mum, q), q).toEqual(persons);
  const rule = 'dad may never ask Claude for anything in Family chat';
  for (const q of ['by:rule', `by:"${rule}"`, 'by:"Dad may"', 'burnt by:rule'])
    expect(found(mum, q), q).toEqual(['Dinner is burnt']);
  for (const q of ['by:dad', 'by:nobody', 'by:"dad may ask"', 'burnt by:mum'])
    expect(found(mum, q), q).toEqual([]);
  // At the hub that asked: what the other one told it, and that a rule declined stays untold.
  expect(found(dad, 'by:mum')).toEqual(['Dinner is burnt', ...persons]);
  expect(found(dad, 'by:rule')).toEqual([]);
  expect(texts(await findAs(mum, 'claude', 'action:task by:mum'))).toEqual([DINNER]);
});

it('a long text is shown around the hit, escaped', async () => {
  await ask(`${'word '.repeat(200)}\u202edinner${' more'.repeat(200)}`);
  await tended();
  const [hit] = find(mum, 'dinner');
  const shown = texts(hit ? [hit] : [])[0] ?? '';
  expect(shown).toContain('[U+202E]dinner more');
  expect(shown.length).toBeLessThan(200);
  expect(hit?.snippet.filter(([, isHit]) => isHit)).toEqual([['dinner', true]]);
});

it('an agent finds what it took part in: nothing that was not allowed, nothing of others', async () => {
  await ask(DINNER);
  await tended();
  expect(await findAs(mum, 'claude', 'dinner')).toEqual([]);
  expect(await findAs(dad, 'openclaw', 'dinner')).toHaveLength(1);
  expect(await findAs(dad, 'claude', 'dinner')).toEqual([]);
  await mum.decide(mum.card, 'allow');
  expect(texts(await findAs(mum, 'claude', 'dinner'))).toEqual([DINNER]);
  await ask(`${DINNER} again`);
  await mum.decide(mum.card, 'decline');
  await clock.settle();
  await tended();
  expect(texts(await findAs(mum, 'claude', 'dinner'))).toEqual([DINNER]);
});

it.each(['a:'.repeat(250), '"'.repeat(500), 'from:'.repeat(100), `${'z'.repeat(500)}:x`, ' '])(
  'reads %j at once or refuses it',
  (q) => {
    const startedAt = performance.now();
    try {
      readSearchBox(q);
    } catch (error) {
      expect(error).toMatchObject({ code: 'bad_request' });
    }
    expect(performance.now() - startedAt).toBeLessThan(200);
  },
);

it('an agent cannot tell by the cursor what others said, or asked of it in vain', async () => {
  await ask('The door code is hunter2x');
  await mum.work.sender.notify(
    { to: 'local', topic: 'guess', data: 'hunter2x', importance: 'low' },
    'claude',
  );
  await clock.settle();
  await tended();
  const first = { limit: 1 } as const;
  const known = await mum.work.search.findAs('claude', 'hunter2x', first, never);
  expect([known.items.length, known.next]).toEqual([1, null]);
  const all = mum.work.search.find('hunter2x', first);
  expect(all.next).toEqual(expect.any(String));
  const rest = mum.work.search.find('hunter2x', { limit: 9, cursor: all.next ?? '' });
  expect(texts([...all.items, ...rest.items])).toEqual(['hunter2x', 'The door code is hunter2x']);
});

it('an agent finds what it said long ago, however much others have said since, and works no longer for it', async () => {
  await mum.agent('gardener', ['work.garden']);
  await mum.work.sender.notify(
    { to: 'local', topic: 'garden', data: 'The roses need water', importance: 'low' },
    'gardener',
  );
  for (let count = 0; count < 4; count++) await ask(`Buy roses, ${count}`);
  await tended();
  let now = 0;
  const search = new Search({
    store: mum.store,
    // Each look at the clock is as long as a search may take.
    clock: Object.assign(Object.create(clock), {
      monotonicMs: () => (now += SEARCH_BUDGET_MS),
      setTimer: (_: number, run: () => void) => setImmediate(run),
    }),
    parties: new Parties({ store: mum.store, clock, hubName: () => 'mum', personName: () => null }),
    conversations: mum.work.conversations,
    tasks: { story: () => story() },
  });
  expect(search.find('roses', { limit: 50 }).items.length).toBeLessThan(4);
  const read = vi.spyOn(mum.store.read, 'messageAt');
  const found = await search.findAs('gardener', 'roses', { limit: 50 }, never);
  expect([texts(found.items), found.next]).toEqual([['The roses need water'], null]);
  expect(read).toHaveBeenCalledTimes(1);
});

it('a hub at rest does not look whether there is something to take in', async () => {
  await tended();
  await clock.advance(INDEX_LOOK_MS);
  const looked = vi.spyOn(mum.store.read, 'isSearchBehind');
  await clock.advance(10_000);
  expect(looked).not.toHaveBeenCalled();
  await ask(DINNER);
  await clock.advance(2 * INDEX_LOOK_MS);
  expect(texts(find(mum, 'dinner'))).toEqual([DINNER]);
});

describe('by what became of it', () => {
  const stop = () => mum.work.tasks.cancel(newest(mum).id, { person: BROWSER }, null);
  const cancel = () => dad.work.tasks.cancel(newest(dad).id, { agent: 'openclaw' }, null);
  const reply = async (words: object, meanwhile?: () => Promise<unknown>): Promise<void> => {
    const { delivery_id: delivery } = await mum.claim('claude');
    await meanwhile?.();
    await clock.settle();
    const whole = { status: 'completed', truncated: false, ...words } as const;
    await mum.work.inbox.reply('claude', delivery, whole);
  };
  const stopping = { status: 'cancelled' };
  const allow = () => mum.decide(mum.card, 'allow');

  it.each<readonly [string, Outcome, () => Promise<unknown>]>([
    ['its agent did', 'done', () => allow().then(() => reply({ outcome: 'Told.' }))],
    ['its agent could not do', 'failed', () => allow().then(() => reply({ status: 'failed' }))],
    ['a person declined', 'declined', () => mum.decide(mum.card, 'decline')],
    ['nobody decided', 'expired', () => clock.advance(61_000)],
    ['a person stopped before its agent had it', 'stopped', () => allow().then(stop)],
    [
      'a person stopped, and its agent stopped',
      'stopped',
      () => allow().then(() => reply(stopping, stop)),
    ],
    [
      'its asker cancelled, and its agent stopped',
      'stopped',
      () => allow().then(() => reply(stopping, cancel)),
    ],
    ['its asker cancelled in time', 'cancelled', () => allow().then(cancel)],
    ['its asker took back', 'cancelled', cancel],
    ['waits for a person', 'waiting', () => Promise.resolve()],
    ['waits for its agent', 'waiting', allow],
    ['its agent has', 'running', () => allow().then(() => mum.claim('claude'))],
  ])('finds what %s, at both hubs', async (_, outcome, happens) => {
    await ask(DINNER, { deadline_ms: 60_000 });
    await happens();
    await clock.settle();
    await tended();
    const found = (hub: WorkHub) =>
      OUTCOMES.filter((word) => find(hub, `dinner outcome:${word}`).length > 0);
    expect(found(mum)).toEqual([outcome]);
    // What waits for an agent there, its asker does not know.
    if (outcome !== 'waiting') expect(found(dad)).toEqual([outcome]);
  });
});
