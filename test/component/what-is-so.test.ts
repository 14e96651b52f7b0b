// What pages say of the hub is what the hub holds: while events come in, after a reply that comes
// late, and in a page that is opened now.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { ConversationEntryDto } from '../../preload/contract/conversation-dto.ts';
import type { UiSnapshot } from '../../preload/contract/dto.ts';
import { FakeHubApi } from '../fakes/fake-hub-api.ts';
import {
  agentOf,
  approvalOf,
  DAD,
  DECIDED,
  DINNER_THREAD,
  NOW,
  PEERS,
  SALT,
  snapshotOf,
} from '../fakes/household.ts';
import { CALENDAR_RULE, ruleOf } from '../fakes/household-rules.ts';
import { WAITING } from '../fakes/remote-approval-cards.ts';
import { DRAWINGS, type Drawing } from '../../renderer/ui/icons.ts';
import { press, showApp } from './support/page.ts';

const button = (name: string) => page.getByRole('button', { name, exact: true });
const title = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Looks at a page that was open all the time, then at one that is opened now. */
async function inBothPages(
  hub: FakeHubApi,
  place: string,
  look: () => Promise<unknown>,
): Promise<void> {
  await look();
  await showApp(new FakeHubApi(hub.snapshot), place);
  await look();
}

describe('the page of a hub says what it may do', () => {
  const place = `people/hub/${DAD.id}`;
  const rows = () => {
    const heading = [...document.querySelectorAll('h2')].find(
      ({ textContent }) => textContent === 'What Dad’s laptop may do here',
    );
    const list = heading?.parentElement?.querySelectorAll('li p:first-child') ?? [];
    return [...list].map(({ textContent }) => textContent.replaceAll(/\s+/g, ' ').trim());
  };
  const SEES = 'It may see what your agents offer, and put notices in your feed.';
  const ASKS = 'Everything else asks first.';

  test('by the rules in force about it, while they come and go', async () => {
    const hub = new FakeHubApi(snapshotOf({ agents: [agentOf('claude-code')], rules: [] }));
    await showApp(hub, place);
    await expect.poll(rows).toEqual([SEES, ASKS]);
    hub.emit({ type: 'rule', rule: CALENDAR_RULE });
    hub.emit({
      type: 'rule',
      rule: ruleOf('chat', {
        effect: 'never',
        peer_id: null,
        peer_name: null,
        domain: 'family.chat',
      }),
    });
    hub.emit({
      type: 'rule',
      rule: ruleOf('attic', {
        peer_id: PEERS.find(({ name }) => name === 'Attic')?.id ?? '',
        peer_name: 'Attic',
        domain: 'family.school',
      }),
    });
    hub.emit({
      type: 'rule',
      rule: ruleOf('paused', { suspended: true, domain: 'family.school' }),
    });
    hub.emit({
      type: 'rule',
      rule: ruleOf('over', { expires_at: NOW - 1, domain: 'family.school' }),
    });
    await inBothPages(hub, place, () =>
      expect
        .poll(rows)
        .toEqual([
          SEES,
          'Dad’s laptop may ask Household lists about Family calendar.',
          'Any hub may never ask Household lists about Family chat.',
          ASKS,
        ]),
    );
  });

  test('by the classes of the agents', async () => {
    const lists = agentOf('lists', {
      risk_class: 'R0',
      domains: [{ domain: 'family.calendar', risk_class: null }],
    });
    const hub = new FakeHubApi(snapshotOf({ agents: [lists] }));
    await showApp(hub, place);
    await expect
      .poll(rows)
      .toEqual([
        SEES,
        'Questions that name Family calendar are answered without asking you, unless a rule says otherwise.',
        ASKS,
      ]);
    hub.emit({ type: 'agent', agent: { ...lists, risk_class: 'R2' } });
    await inBothPages(hub, place, () => expect.poll(rows).toEqual([SEES, ASKS]));
  });
});

test('a reply to a decision that comes after a newer event does not take the row back', async () => {
  const allowed = {
    ...SALT,
    state: 'approved',
    decided_at: NOW,
    decided_by: 'Mum',
    surface: 'window',
    task_state: 'queued',
  } as const;
  const hub: FakeHubApi = new FakeHubApi(snapshotOf({ approvals: [SALT], recently_decided: [] }), {
    'approvals.decide': () => {
      hub.emit({ type: 'approval', approval: { ...allowed, task_revision: 3 } });
      hub.emit({
        type: 'approval',
        approval: { ...allowed, task_state: 'claimed', task_revision: 4 },
      });
      return { ok: true, value: { ...allowed, task_revision: 3 } };
    },
  });
  await showApp(hub);
  await press(button('Allow once'));
  const taken = page.getByText(`${SALT.to_name} has it.`, { exact: false });
  await expect.element(taken).toBeVisible();
  await userEvent.hover(page.getByRole('navigation'));
  await vi.advanceTimersByTimeAsync(5_100);
  await inBothPages(hub, 'now', () => expect.element(taken).toBeVisible());
});

test('how far something has come moves no row of what was decided', async () => {
  const [first, second] = DECIDED;
  if (first === undefined || second === undefined) throw new Error('two were decided');
  const hub = new FakeHubApi(snapshotOf());
  await showApp(hub);
  const order = () =>
    DECIDED.map(({ text }) => page.getByText(text).element().getBoundingClientRect().top);
  await expect.element(page.getByText(first.text)).toBeVisible();
  const before = order();
  hub.emit({ type: 'approval', approval: { ...second, task_revision: second.task_revision + 1 } });
  await inBothPages(hub, 'now', () => expect.poll(order).toEqual(before));
});

describe('the thread of a request', () => {
  const [, , TASK] = DINNER_THREAD.entries;
  if (TASK === undefined) throw new Error('no entry');
  const place = `conversations/${DINNER_THREAD.conversation.id}`;
  const ours = {
    ...TASK,
    direction: 'out' as const,
    who: 'This hub',
    agent: 'claude-code',
    agent_name: 'Claude Code',
  };
  const theirs = { ...TASK, seq: 9, kind: 'notify', text: 'Nana comes, too' };
  const answers = (request: ConversationEntryDto, state: string) => {
    const title_by = request === ours ? ('us' as const) : ('them' as const);
    const conversation = { ...DINNER_THREAD.conversation, title_by, state };
    const entries = [{ ...request, state }, theirs];
    return {
      'conversations.list': () => ({
        ok: true as const,
        value: { items: [conversation], next: null },
      }),
      'conversations.get': () => ({
        ok: true as const,
        value: { ...DINNER_THREAD, conversation, entries },
      }),
    };
  };
  /** The name of the mark that is drawn: by its lines, dashes and dots. */
  const draws = (knot: Element | null | undefined) => {
    const lines = [...(knot?.querySelectorAll('path') ?? [])].map((path) => path.getAttribute('d'));
    const dots = knot?.querySelectorAll('circle').length;
    return Object.entries<Drawing>(DRAWINGS).find(
      ([, mark]) =>
        [mark.lines, mark.dashed].filter(Boolean).join() === lines.join() &&
        (mark.dots?.length ?? 0) === dots,
    )?.[0];
  };

  const STATES = [
    ['awaiting_approval', 'Waits for you.', 'mark-waiting'],
    ['held', 'Put off by a person.', 'mark-held'],
    ['declined', 'Declined.', 'mark-back'],
    ['expired', 'Nobody decided in time.', 'mark-late'],
    ['cancelled', 'Cancelled.', 'mark-gone'],
    ['failed', 'It failed.', 'mark-failed'],
  ] as const;
  const moments = () => document.querySelectorAll('.thread > li:not(.ends)');

  /** Looks at the request once it is in that state: in an open page, and in one opened then. */
  async function inBothThreads(
    request: ConversationEntryDto,
    [state, said, mark]: readonly [state: string, said: string, mark: string],
    look: (first: Element | undefined) => void,
  ): Promise<void> {
    let now = answers(request, 'received');
    const hub = new FakeHubApi(snapshotOf(), {
      'conversations.list': () => now['conversations.list'](),
      'conversations.get': () => now['conversations.get'](),
    });
    await showApp(hub, place);
    const row = page.getByRole('listitem').filter({ has: page.getByRole('link') });
    await expect.element(row.getByText('Waits for Chat.', { exact: true })).toBeVisible();
    now = answers(request, state);
    hub.emit({ type: 'conversation', id: DINNER_THREAD.conversation.id });
    const lookAtPage = async () => {
      await expect.element(row.getByText(said, { exact: true })).toBeVisible();
      await expect.poll(() => draws(moments()[0]?.querySelector('.knot'))).toBe(mark);
      look(moments()[0]);
    };
    await lookAtPage();
    await showApp(new FakeHubApi(hub.snapshot, now), place);
    await lookAtPage();
  }

  test.each(STATES)('%s: its own word and mark, and our own words as ours', async (...end) =>
    inBothThreads(ours, end, (first) => {
      expect(first?.querySelector('.said.own')?.textContent).toContain(TASK.text);
      expect(first?.querySelector('.quoted-text'), 'nor as words from elsewhere').toBeNull();
      expect(first?.querySelector('.event')?.textContent).toContain(end[1]);
      const [, second] = moments();
      expect(second?.querySelector('.quoted-text')?.textContent).toContain('Nana comes, too');
      expect(draws(second?.querySelector('.knot')), 'what came in waits for nobody').toBe('feed');
    }),
  );

  test('that was refused says why in our words, and quotes the other hub as such', async () => {
    const [reason, reason_there] = ['The other hub refused: busy.', 'Your owner allowed it.'];
    const refused = { ...ours, reason, reason_there };
    await showApp(new FakeHubApi(snapshotOf(), answers(refused, 'failed')), place);
    const said = (which: string) =>
      [...(moments()[0]?.querySelectorAll(which) ?? [])].map(({ textContent }) => textContent);
    await expect.poll(() => said('.said.own')).toContain(reason);
    expect(said('.said.own').join('')).not.toContain(reason_there);
    expect(said('.said:not(.own)')).toEqual([reason_there]);
  });

  test.each(STATES)('%s: its own word and mark at the hub that was asked, too', async (...end) =>
    inBothThreads(TASK, end, (first) => {
      expect(first?.querySelector('.event.inside')?.textContent.trim()).toBe(end[1]);
      expect(first?.querySelector('.quoted-text')?.textContent).toContain(TASK.text);
      expect(first?.querySelector('.said.own'), 'nor as our own words').toBeNull();
    }),
  );
});

test('without rules the page promises no offer that does not come', async () => {
  const hub = new FakeHubApi(snapshotOf({ rules: [] }));
  await showApp(hub, 'rules');
  await expect
    .element(page.getByText(/You can make a rule here, or with “More choices” on a request/))
    .toBeVisible();
  expect(document.querySelector('main')?.textContent).not.toContain('three times');
});

test('a card that an adult decides is not denied by the title, nor counted as one that needs you', async () => {
  const hub = new FakeHubApi(snapshotOf());
  await showApp(hub);
  await expect.element(title('Nothing needs you')).toBeVisible();
  hub.emit({ type: 'approval', approval: WAITING });
  await inBothPages(hub, 'now', async () => {
    await expect.element(title('1 request waits for an adult')).toBeVisible();
    expect(document.title).toBe('AXON Hub');
  });
  hub.emit({ type: 'approval', approval: SALT });
  await showApp(new FakeHubApi(hub.snapshot));
  await expect.element(title('1 request needs you')).toBeVisible();
});

describe('Welcome', () => {
  const remove = (hub: FakeHubApi) => {
    for (const { id } of hub.snapshot.peers) hub.emit({ type: 'peer_gone', id });
  };

  test('does not come back when the last hub is removed: the day stays, and what is to be set up below it', async () => {
    const hub = new FakeHubApi(snapshotOf());
    await showApp(hub);
    remove(hub);
    await inBothPages(hub, 'now', async () => {
      await expect.element(title('Nothing needs you')).toBeVisible();
      await expect
        .element(page.getByRole('heading', { name: 'Today, hour by hour' }))
        .toBeVisible();
      await expect.element(page.getByRole('link', { name: 'Add a hub' })).toBeVisible();
    });
  });

  test.each([
    ['an agent', { agents: [agentOf('claude-code')] }],
    ['a hub', { peers: [DAD] }],
    ['a rule', { rules: [CALENDAR_RULE] }],
    [
      'something that was done',
      { recently_decided: [approvalOf('done', { state: 'approved', decided_at: NOW })] },
    ],
    ['a notice from elsewhere', { feed: snapshotOf().feed }],
  ] satisfies readonly (readonly [string, Partial<UiSnapshot>])[])(
    'is not for a hub that has %s',
    async (_what, over) => {
      const bare = { peers: [], agents: [], recently_decided: [], feed: [] };
      await showApp(new FakeHubApi(snapshotOf({ ...bare, ...over })));
      await expect.element(title('Nothing needs you')).toBeVisible();
    },
  );
});

test('Esc closes "Name and role", and the focus is where it was opened', async () => {
  await showApp(new FakeHubApi(snapshotOf()), `people/hub/${DAD.id}`);
  await button('Name and role').click();
  const name = page.getByRole('textbox', { name: 'Your name for this hub' });
  await name.fill('Dad’s old laptop');
  await userEvent.keyboard('{Escape}');
  await expect.element(name).not.toBeInTheDocument();
  await vi.waitFor(() => expect(document.activeElement?.textContent.trim()).toBe('Name and role'));
});

describe('a page says nothing that is not so now', () => {
  test('a page that lost its hub counts no hub as online', async () => {
    const hub = new FakeHubApi(snapshotOf({ approvals: [], recently_decided: [] }));
    await showApp(hub, 'people');
    await expect.element(page.getByText(/^\d+ of \d+ online\./)).toBeVisible();
    hub.link({ state: 'lost', since: NOW, retry_in_ms: 9_000 });
    await expect.element(page.getByText(/^\d+ of \d+ online\./)).not.toBeInTheDocument();
    expect(document.querySelector('.rail .status')?.textContent).not.toMatch(/online/);
    await showApp(hub, 'now');
    await expect.element(page.getByText(/^Online: /)).toBeVisible();
    hub.link({ state: 'lost', since: NOW, retry_in_ms: 9_000 });
    await expect.element(page.getByText(/^Online: /)).not.toBeInTheDocument();
  });

  test('the session that one looks at is in use, and no other one', async () => {
    await showApp(new FakeHubApi(snapshotOf()), 'settings');
    await expect.element(page.getByText('In use now.', { exact: false })).toBeVisible();
    const rows = [...document.querySelectorAll('li')].filter(({ textContent }) =>
      textContent.includes('In use now.'),
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.textContent).not.toContain('Last used');
  });

  test('the tester lets nothing through while all is paused', async () => {
    const paused = {
      ...snapshotOf().attention,
      paused: { until: null, since: NOW, stopped: false },
    };
    const hub = new FakeHubApi(snapshotOf({ attention: paused }), {
      'rules.test': () => ({
        ok: true,
        value: {
          decision: 'deliver',
          ground: 'allow',
          agent: 'claude-code',
          agent_name: 'Claude Code',
          risk_class: 'R1',
          rule: null,
          held: { why: 'paused', until: null },
          stopped: false,
          considered: [],
        },
      }),
    });
    await showApp(hub, 'rules');
    await button('Try it').click();
    await expect.element(page.getByText('It would be held: everything is paused.')).toBeVisible();
    expect(document.body.textContent).not.toContain('It would be allowed.');
  });

  test('a decided card promises no time at which it leaves', async () => {
    await showApp(new FakeHubApi(snapshotOf({ approvals: [SALT] })));
    await press(button('Allow once'));
    await expect.element(page.getByRole('heading', { name: /allowed it/ })).toBeVisible();
    expect(document.querySelector('article.row-form')?.textContent).not.toMatch(/goes away/);
  });
});
