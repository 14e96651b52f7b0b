// What a conversation shows of a request and of who decided: reason, fields, options, the rule; and
// of what is decided for another hub, the request itself.
import { describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import type { ConversationEntryDto } from '../../preload/contract/conversation-dto.ts';
import { FakeHubApi } from '../fakes/fake-hub-api.ts';
import { DINNER_THREAD, NOW, requestWords, snapshotOf } from '../fakes/household.ts';
import { HERE, LEOS, story } from '../fakes/stories.ts';
import { expectAccessible, showApp } from './support/page.ts';

const [, , REQUEST] = DINNER_THREAD.entries;
const SPEAKERS = [
  { hub_name: 'Mum', agent_name: 'Chat' },
  { hub_name: 'Dad', agent_name: 'Planner' },
];

async function showThread(entries: readonly Partial<ConversationEntryDto>[]): Promise<HTMLElement> {
  if (REQUEST === undefined) throw new Error('no request');
  const { request: _, ...plain } = REQUEST;
  const shown = entries.map((over, at) => ({ ...plain, seq: at + 1, ...over }));
  const api = new FakeHubApi(snapshotOf(), {
    'conversations.get': () => ({
      ok: true,
      value: { ...DINNER_THREAD, participants: SPEAKERS, entries: shown },
    }),
  });
  await showApp(api, `conversations/${DINNER_THREAD.conversation.id}`);
  const list = page.getByRole('list').filter({ hasText: REQUEST.who }).last();
  await expect.element(list).toBeVisible();
  const thread = document.querySelector<HTMLElement>('.thread');
  if (thread === null) throw new Error('no thread');
  return thread;
}

const textOf = (node: Element | null): string =>
  (node?.textContent ?? '').replaceAll(/\s+/g, ' ').trim();

describe('a request in its conversation', () => {
  test('shows its area, its fields and its reason, as words that nobody has checked', async () => {
    const thread = await showThread([
      {
        request: requestWords({
          reason: 'Grandma visits',
          fields: [['context.dinner_time', '19:00']],
          fields_left_out: 2,
        }),
      },
    ]);
    const text = textOf(thread);
    expect(text).toContain('a task from OpenClaw, in Family chat');
    expect(text).toContain('Dinner time 19:00');
    expect(text).toContain('2 more fields are too long to be kept here.');
    expect(textOf(document.body)).toContain('Taking part: Chat, Mum; Planner, Dad.');
    expect(text).toContain('Reason, not checked Grandma visits');
    expect(textOf(thread.querySelector('.said.sheet'))).toBe('Dinner time 19:00');
    await expectAccessible();
  });

  test('of another day than today shows the day, too', async () => {
    const thread = await showThread([{ at: NOW - 86_400_000 }, { at: NOW }]);
    const [before, today] = [...thread.querySelectorAll('.meta')].map(textOf);
    expect(before).toMatch(/^Yesterday, [0-9:]+, a task/);
    expect(today).toMatch(/^[0-9:]+, a task/);
  });

  test('shows the options of a choice and what was recommended', async () => {
    const option = { pros: [], cons: [] };
    const thread = await showThread([
      {
        request: requestWords({
          domain: null,
          choice: {
            recommended: 'train',
            options: [
              { ...option, id: 'bus', label: 'Take the bus', pros: ['cheap'] },
              { ...option, id: 'train', label: 'Take the train', cons: ['dear'] },
            ],
          },
        }),
      },
    ]);
    const offered = [...thread.querySelectorAll('.offered > li')].map(textOf);
    expect(offered).toEqual([
      'Take the bus For: cheap',
      'Take the train Recommended, not checked Against: dear',
    ]);
    await expectAccessible();
  });

  test('names the rule that decided, and leads to the rules', async () => {
    const rule = {
      id: 'rule-1',
      effect: 'allow',
      peer_name: 'Dad’s laptop',
      asking_local: null,
      asking_local_name: null,
      asking_agent_name: null,
      kind: null,
      agent_name: 'Chat',
      domain: 'family.chat',
    } as const;
    const told = story(
      {
        state: 'queued',
        verdict: 'allowed',
        verdictSurface: 'rule',
        verdictRule: 'rule-1',
        verdictAt: 1,
      },
      { rule: () => rule },
    );
    const thread = await showThread([
      { kind: 'decision', direction: 'here', message_id: null, text: null, story: told },
    ]);
    expect(textOf(thread)).toContain(
      'Your rule “Dad’s laptop may ask Chat for anything in Family chat” allowed it.',
    );
    await expect
      .element(page.getByRole('list').last().getByRole('link', { name: 'Rules' }))
      .toHaveAttribute('href', '#/rules');
  });

  test.each([
    ['does not have the answer yet', null],
    ['has the answer, 18:04', NOW],
  ])(
    'says once it is over which agent got it and when, and that the hub that asked %s',
    async (what, toldAt) => {
      const done = { endedBy: 'agent', endedKind: 'completed', finishedAt: NOW } as const;
      const told = story({
        state: 'completed',
        verdict: 'allowed',
        verdictAt: NOW,
        handedAt: NOW,
        handedTimes: 1,
        ...done,
        toldAt,
      });
      const thread = await showThread([{ kind: 'delegate', story: told }]);
      expect(textOf(thread.querySelector('.event.inside'))).toBe(
        `Done. Chat got it, 18:04. Dad’s laptop ${what}.`,
      );
    },
  );

  test.each(['in', 'out'] as const)(
    'is, where one hub decides for another (%s), what that one was asked, by whom, and who would do it',
    async (direction) => {
      const isHere = direction === 'in';
      const told = story(
        isHere
          ? { party: 'leo', fromAgent: null, toAgent: null }
          : { direction: 'outgoing', fromAgent: null, toAgent: null },
        {
          kind: 'decision',
          onBehalfOf: {
            hub: isHere ? LEOS : HERE,
            asked_by: 'Ben’s phone',
            asking_agent: null,
            agent: 'Home robot',
            kind: 'task',
            text: 'Open the back door',
            reason: null,
          },
        },
      );
      const thread = await showThread([
        {
          direction,
          who: isHere ? 'Leo’s tablet' : 'This hub',
          agent: null,
          agent_name: null,
          text: 'Open the back door',
          request: requestWords({ domain: 'home.doors', decision: told }),
        },
      ]);
      const [row] = [...thread.querySelectorAll('li')].slice(-1);
      const text = textOf(row ?? null);
      expect(text).toContain('Ben’s phone wrote');
      expect(text).toContain('Open the back door');
      expect(text).toContain(
        isHere
          ? 'Leo’s tablet asks Mum whether it may be done. Decided here for Leo. Home robot on Leo’s tablet would do it.'
          : 'Mum’s PC asks Dad’s laptop whether it may be done. Home robot would do it.',
      );
      // They are nobody's words of this hub.
      expect(row?.querySelector('.said.own')).toBeNull();
      await expectAccessible();
    },
  );
});
