// The story of a request and its words: every combination that can be reached has some, and the
// named stories read word by word as they stand here.
import { describe, expect, it } from 'vitest';
import {
  APPROVAL_STATES,
  PEOPLE_SURFACES,
  REQUEST_KINDS,
  TASK_DIRECTIONS,
  type TaskDirection,
} from '../../../preload/contract/closed-lists.ts';
import {
  ENDED_KINDS,
  ENDERS,
  STORY_KINDS,
  VERDICTS,
  VERDICT_ROLES,
  type StoryDto,
} from '../../../preload/contract/story.ts';
import * as words from '../../../preload/contract/strings/story.ts';
import {
  wantedFor,
  type StoryApproval,
  type StoryContext,
  type StoryRow,
} from '../../../main/core/story-row.ts';
import { canMove, isTerminal, type TaskState } from '../../../main/core/task-state.ts';
import { TASK_STATES } from '../../../preload/contract/closed-lists.ts';
import { outcomeOf } from '../../../main/services/tasks/outcome.ts';
import { a2aState } from '../../../main/api/a2a/task-form.ts';
import { DADS, HERE, LEOS, story } from '../../fakes/stories.ts';

const AT = 1_800_000_000_000;
const time = (at: number): string => `at ${(at - AT) / 60_000}`;
const DIGEST = 'd'.repeat(64);

/** All that a surface may show of one story, in its order. */
function told(of: StoryDto): readonly string[] {
  return [
    words.askedOf(of),
    words.headlineOf(of),
    words.decidedOf(of),
    words.handedOverOf(of, time),
    words.shownOf(of),
    words.stopOf(of),
    words.toldOf(of, time),
  ].filter((sentence) => sentence !== null);
}

function reachable(direction: TaskDirection): readonly TaskState[] {
  const found = new Set<TaskState>([direction === 'outgoing' ? 'sending' : 'received']);
  for (const from of found)
    for (const to of TASK_STATES) if (canMove(from, to, direction)) found.add(to);
  return [...found];
}

function* rows(): Generator<Partial<StoryRow>> {
  const stops = [
    {},
    { stopAt: AT, stopParty: 'dad' },
    { stopAt: AT, stopPerson: 'Mum', stopReachedAt: AT },
    { cancelCause: 'cancelled' as const, cancelAnswer: 'not_taken' as const },
    { stopAt: AT, stopParty: 'agent:openclaw', cancelAnswer: 'asked_to_stop' as const },
    { stopAt: AT, stopParty: 'agent:openclaw', code: 'overloaded' },
    { stopAt: AT, stopParty: 'agent:openclaw', code: 'timeout' },
  ];
  for (const direction of TASK_DIRECTIONS)
    for (const state of reachable(direction))
      for (const verdict of [null, ...VERDICTS])
        for (const kind of verdict === null ? REQUEST_KINDS : (['delegate'] as const))
          for (const handedAt of [null, AT])
            for (const stop of stops)
              for (const endedKind of isTerminal(state) ? [null, ...ENDED_KINDS] : [null])
                for (const endedBy of endedKind === null ? [null] : [null, ...ENDERS])
                  yield { direction, state, kind, verdict, handedAt, endedKind, endedBy, ...stop };
}

function* decided(): Generator<Partial<StoryRow>> {
  for (const verdictAs of [null, ...VERDICT_ROLES])
    for (const verdictBy of [null, 'Mum'])
      for (const verdictHub of [null, 'dad'])
        for (const verdictSurface of [null, 'rule' as const, ...PEOPLE_SURFACES])
          for (const verdict of ['allowed', 'declined', 'answered', 'chosen'] as const)
            yield { verdict, verdictAs, verdictBy, verdictHub, verdictSurface, state: 'completed' };
}

function check(of: StoryDto, row: Partial<StoryRow>): void {
  const sentences = told(of);
  for (const sentence of sentences)
    if (!/^[\p{Lu}].*[.]$/u.test(sentence) || /undefined|null|\[object/.test(sentence))
      expect.unreachable(`${JSON.stringify(row)}: ${sentence}`);
  const headline = words.headlineOf(of);
  const isDone = ['Answered.', 'Done.', 'Chosen.'].includes(headline);
  if (isDone && row.state !== 'completed' && row.endedKind !== 'completed')
    expect.unreachable(`${JSON.stringify(row)}: ${headline}`);
  const state = a2aState(of).replace('TASK_STATE_', '');
  const isFinished =
    isDone ||
    /^(Answered|Chosen) by |^De(livered|cided)|^Done, though|^Partly|may do it|whether it ran/.test(
      headline,
    );
  if ((state === 'COMPLETED') !== isFinished)
    expect.unreachable(`A2A ${state} of ${JSON.stringify(row)}: ${headline}`);
  if ((state === 'AUTH_REQUIRED') !== (of.verdict.outcome === 'waiting'))
    expect.unreachable(`A2A ${state} of ${JSON.stringify(row)}: ${headline}`);
  const isOpen = ['SUBMITTED', 'WORKING', 'AUTH_REQUIRED'].includes(state);
  const isTurnedAway = of.verdict.outcome === 'declined' || of.verdict.outcome === 'expired';
  if (isOpen === (of.end !== null || isTurnedAway))
    expect.unreachable(`A2A ${state} of ${JSON.stringify(row)}: ${headline}`);
  if (of.verdict.outcome === 'expired' && sentences.some((words) => words.includes('eclined')))
    expect.unreachable(`nobody declined ${JSON.stringify(row)}`);
  if (words.shownOf(of) !== null && of.handed_over.state !== 'handed')
    expect.unreachable(`nothing ran: ${JSON.stringify(row)}`);
  checkOutcome(of, row, { isOpen, isFinished });
}

/** A search finds it by the word that its sentences say. */
function checkOutcome(
  of: StoryDto,
  row: Partial<StoryRow>,
  { isOpen, isFinished }: { readonly isOpen: boolean; readonly isFinished: boolean },
): void {
  const outcome = outcomeOf(of);
  const headline = words.headlineOf(of);
  const is = {
    stopped: headline.startsWith('Stopped'),
    declined: headline === 'Declined.',
    expired: headline === 'Nobody decided in time.',
  };
  const isRight =
    (outcome === 'waiting' || outcome === 'running') === isOpen &&
    (outcome === 'done' || outcome === 'partial') === isFinished &&
    (outcome !== 'running' || of.handed_over.state !== 'waits') &&
    (!headline.startsWith('Cancelled') || outcome === 'cancelled' || isOpen) &&
    Object.entries(is).every(([word, isSo]) => (outcome === word) === isSo);
  if (!isRight) expect.unreachable(`outcome:${outcome} of ${JSON.stringify(row)}: ${headline}`);
}

describe('the words of a story', () => {
  it('are there for every state, verdict, end and stop that a request can reach', () => {
    let count = 0;
    for (const row of rows()) {
      check(story(row), row);
      count += 1;
    }
    expect(count).toBeGreaterThan(10_000);
  });

  it('name a hub with every decision, whoever made it and wherever', () => {
    for (const row of decided())
      for (const kind of STORY_KINDS)
        for (const direction of TASK_DIRECTIONS) {
          const of = story({ ...row, direction }, { kind });
          check(of, row);
          const decision = words.decidedOf(of) ?? '';
          expect(decision).toMatch(/Mum’s PC|Dad’s laptop|An adult of Dad’s/);
        }
  });

  it('are there for rows of before, of which only the approval is known', () => {
    for (const state of reachable('incoming'))
      for (const approved of APPROVAL_STATES)
        for (const surface of [null, 'rule', 'peer', 'hub', 'clock', ...PEOPLE_SURFACES])
          for (const decidedBy of [null, 'owner', 'Mum', 'Nadia, Mum’s PC'])
            check(story({ state }, {}, approval({ state: approved, surface, decidedBy })), {
              state,
            });
  });
});

it('keeps of a failure whether the same may be asked again: by the agent’s word, or by its code', () => {
  const failed = (code: string, result: object) =>
    story({
      state: 'failed',
      endedKind: 'failed',
      endedBy: 'agent',
      finishedAt: AT,
      code,
      result: JSON.stringify(result),
    }).end;
  expect(failed('overloaded', {})).toMatchObject({ code: 'overloaded', retryable: true });
  expect(failed('overloaded', { retryable: false })).toMatchObject({ retryable: false });
  expect(failed('unknown_domain', {})).toMatchObject({ retryable: false });
});

it('tells an agent that a person of its own hub is asked, and the person that it waits for them', () => {
  const waiting = { direction: 'local', state: 'awaiting_approval', party: 'agent:chat' } as const;
  expect(words.headlineOf(story(waiting))).toBe('Waits for you.');
  expect(words.headlineOf(story(waiting, { isForAgent: true }))).toBe(
    `Waits until a person decides for ${HERE.hub_name}.`,
  );
});

it('waits for nobody to take what an agent says of a task whose report nobody wanted', () => {
  const failed = { state: 'failed', code: 'internal', reportBack: false, ...END } as const;
  const told = (row: Partial<StoryRow>) => story({ ...failed, ...row }).told;
  expect(told({ endedKind: 'failed', endedBy: 'agent' })).toBeNull();
  expect(told({ endedKind: 'cancelled', endedBy: 'agent' })).toEqual({ at: null });
  expect(told({ endedKind: 'failed', endedBy: 'hub' })).toEqual({ at: null });
});

function approval(row: Partial<StoryApproval> = {}): StoryApproval {
  return {
    state: 'approved',
    digest: DIGEST,
    decidedAt: AT,
    decidedBy: 'Mum',
    surface: 'window',
    ruleId: null,
    reason: null,
    ...row,
  };
}

const BY_MUM = {
  verdict: 'allowed',
  verdictBy: 'Mum',
  verdictSurface: 'window',
  verdictAs: 'owner',
} as const;
const MUMS = {
  direction: 'outgoing',
  party: 'dad',
  toAgent: 'chat',
  fromAgent: 'openclaw',
} as const;
const END = { finishedAt: AT + 5 * 60_000 } as const;
const RULE = {
  id: 'rule',
  effect: 'allow',
  peer_name: 'Dad’s laptop',
  asking_local: null,
  asking_local_name: null,
  asking_agent_name: null,
  kind: 'query',
  agent_name: 'Chat',
  domain: 'family.chat',
} as const;

type Named = readonly [
  title: string,
  row: Partial<StoryRow>,
  context: Partial<StoryContext>,
  approval: StoryApproval | undefined,
  sentences: readonly string[],
];

const ASKED = 'OpenClaw on Dad’s laptop gives Chat a task.';
const SENT = 'OpenClaw on Mum’s PC gives Chat on Dad’s laptop a task.';

const STORIES: readonly Named[] = [
  ['waits for a person here', {}, {}, undefined, [ASKED, 'Waits for you.']],
  [
    'waits for an adult',
    {},
    { adults: [DADS] },
    undefined,
    [ASKED, 'Waits for an adult at Dad’s laptop.'],
  ],
  [
    'waits for a person at the other hub',
    { ...MUMS },
    {},
    undefined,
    [SENT, 'Waits until a person decides for Dad’s laptop.'],
  ],
  [
    'was cancelled by its asker when its agent had begun',
    {
      ...BY_MUM,
      ...END,
      state: 'cancelled',
      handedAt: AT,
      handedTimes: 1,
      stopAt: AT + 60_000,
      stopParty: 'dad',
      endedKind: 'cancelled',
      endedBy: 'agent',
    },
    {},
    approval(),
    [
      ASKED,
      'Cancelled: Chat had it already.',
      'Mum allowed it, on Mum’s PC.',
      'Chat got it, at 0.',
      'The agent got exactly what was shown.',
      'Cancelled: Chat had it already.',
      'Dad’s laptop does not have the answer yet.',
    ],
  ],
  [
    'is being cancelled at a hub that takes no cancels',
    {
      ...MUMS,
      state: 'cancelling',
      cancelCause: 'cancelled',
      cancelAnswer: 'not_taken',
      stopAt: AT,
      stopParty: 'agent:openclaw',
    },
    {},
    undefined,
    [
      SENT,
      'Dad’s laptop takes no cancels; it is still open there.',
      'Dad’s laptop takes no cancels; it is still open there.',
    ],
  ],
  [
    'was allowed, and its agent is away',
    { ...BY_MUM, state: 'queued' },
    { away: () => ({ since: AT }) },
    approval(),
    [
      ASKED,
      'Waits for Chat, which is away.',
      'Mum allowed it, on Mum’s PC.',
      'It waits for Chat, which is away since at 0.',
    ],
  ],
  [
    'was allowed, handed over and done',
    {
      ...BY_MUM,
      ...END,
      state: 'completed',
      handedAt: AT,
      handedTimes: 1,
      endedKind: 'completed',
      endedBy: 'agent',
      toldAt: AT + 60_000,
    },
    {},
    approval(),
    [
      ASKED,
      'Done.',
      'Mum allowed it, on Mum’s PC.',
      'Chat got it, at 0.',
      'The agent got exactly what was shown.',
      'Dad’s laptop has the answer, at 1.',
    ],
  ],
  [
    'failed at its agent',
    {
      ...BY_MUM,
      ...END,
      state: 'failed',
      code: 'internal',
      handedAt: AT,
      handedTimes: 3,
      endedKind: 'failed',
      endedBy: 'agent',
    },
    {},
    approval(),
    [
      ASKED,
      'Chat could not do it.',
      'Mum allowed it, on Mum’s PC.',
      'Chat got it 3 times, first at 0.',
      'The agent got exactly what was shown.',
      'Dad’s laptop does not have the answer yet.',
    ],
  ],
  [
    'was declined by a person',
    {
      ...END,
      verdict: 'declined',
      verdictBy: 'Mum',
      verdictAs: 'owner',
      state: 'declined',
      endedBy: 'person',
      code: 'rejected',
      toldAt: AT,
    },
    {},
    approval({ state: 'declined' }),
    [
      ASKED,
      'Declined.',
      'Mum declined it, on Mum’s PC.',
      'No agent got it.',
      'Dad’s laptop has the answer, at 0.',
    ],
  ],
  [
    'expired undecided',
    { ...END, verdict: 'expired', state: 'expired', endedBy: 'clock', code: 'approval_expired' },
    {},
    approval({ state: 'expired' }),
    [
      ASKED,
      'Nobody decided in time.',
      'Nobody here decided in time. No agent got it.',
      'Dad’s laptop does not have the answer yet.',
    ],
  ],
  [
    'expired while an adult was asked',
    {
      ...END,
      verdict: 'expired',
      state: 'expired',
      waitsFor: 'adult',
      endedBy: 'clock',
      code: 'approval_expired',
    },
    {},
    approval({ state: 'expired' }),
    [
      ASKED,
      'Nobody decided in time.',
      'No adult decided in time. No agent got it.',
      'Dad’s laptop does not have the answer yet.',
    ],
  ],
  [
    'is queued at the other hub, which does not say whether its agent took it',
    { ...MUMS, state: 'queued', verdict: 'allowed', verdictBy: 'Dad', verdictHub: 'dad' },
    {},
    undefined,
    [SENT, 'Dad’s laptop has it.', 'Dad allowed it, on Dad’s laptop.'],
  ],
  [
    'expired at the other hub',
    { ...MUMS, ...END, verdict: 'expired', verdictHub: 'dad', state: 'expired', endedBy: 'clock' },
    {},
    undefined,
    [SENT, 'Nobody decided in time.', 'Nobody decided for Dad’s laptop in time. No agent got it.'],
  ],
  [
    'was let through by a rule',
    {
      verdict: 'allowed',
      verdictSurface: 'rule',
      verdictRule: 'rule',
      state: 'running',
      handedAt: AT,
      handedTimes: 1,
    },
    { rule: () => RULE },
    approval({ surface: 'rule', ruleId: 'rule', decidedBy: 'hub' }),
    [
      ASKED,
      'Chat is working on it.',
      'Your rule “Dad’s laptop may ask Chat about Family chat” allowed it.',
      'Chat got it, at 0.',
    ],
  ],
  [
    'only looks',
    {
      kind: 'query',
      verdict: 'passed',
      state: 'completed',
      handedAt: AT,
      handedTimes: 1,
      endedKind: 'completed',
      endedBy: 'agent',
      ...END,
    },
    { kind: 'question' },
    undefined,
    [
      'OpenClaw on Dad’s laptop asks Chat a question.',
      'Answered.',
      'Nobody was asked: Chat only looks.',
      'Chat got it, at 0.',
    ],
  ],
  [
    'was answered by a person',
    {
      verdict: 'answered',
      verdictBy: 'Mum',
      verdictAs: 'owner',
      state: 'completed',
      endedKind: 'completed',
      endedBy: 'person',
      ...END,
    },
    {},
    approval({ state: 'answered' }),
    [
      ASKED,
      'Answered by Mum on Mum’s PC.',
      'Mum answered it, on Mum’s PC.',
      'No agent got it.',
      'Dad’s laptop does not have the answer yet.',
    ],
  ],
  [
    'is decided here for a child',
    {
      party: 'leo',
      fromAgent: null,
      toAgent: null,
      verdict: 'allowed',
      verdictBy: 'Mum',
      verdictAs: 'adult',
      state: 'completed',
      endedKind: 'completed',
      endedBy: 'person',
      toldAt: AT,
      ...END,
    },
    {
      kind: 'decision',
      onBehalfOf: {
        hub: LEOS,
        asked_by: null,
        asking_agent: 'Homework',
        agent: 'Doors',
        kind: 'task',
        text: 'Unlock',
        reason: null,
      },
    },
    approval(),
    [
      'Leo’s tablet asks Mum whether it may be done. Decided here for Leo.',
      'Allowed: Leo’s tablet may do it.',
      'Mum allowed it, on Mum’s PC, as Leo’s adult.',
      'Leo’s tablet has the answer, at 0.',
    ],
  ],
  [
    'was allowed by an adult of the hub that was asked',
    {
      ...MUMS,
      party: 'leo',
      verdict: 'allowed',
      verdictHub: 'leo',
      verdictAs: 'adult',
      state: 'running',
    },
    {},
    undefined,
    [
      'OpenClaw on Mum’s PC gives Chat on Leo’s tablet a task.',
      'Chat on Leo’s tablet has begun.',
      'An adult of Leo’s allowed it.',
      'Chat on Leo’s tablet got it.',
    ],
  ],
  [
    'was cancelled before anybody began',
    {
      ...BY_MUM,
      ...END,
      state: 'cancelled',
      code: 'cancelled',
      stopParty: 'dad',
      stopAt: AT,
      endedKind: 'cancelled',
      endedBy: 'agent',
    },
    {},
    approval(),
    [
      ASKED,
      'Cancelled: nobody had begun.',
      'Mum allowed it, on Mum’s PC.',
      'No agent got it.',
      'Cancelled: nobody had begun.',
    ],
  ],
  [
    'was asked to stop, and still runs',
    {
      ...MUMS,
      state: 'running',
      cancelAnswer: 'asked_to_stop',
      stopParty: 'agent:openclaw',
      stopAt: AT,
      verdict: 'allowed',
      verdictBy: 'Dad',
      verdictHub: 'dad',
      verdictAs: 'owner',
    },
    {},
    undefined,
    [
      SENT,
      'Asked Chat on Dad’s laptop to stop; it had begun.',
      'Dad allowed it, on Dad’s laptop.',
      'Chat on Dad’s laptop got it.',
      'Asked Chat on Dad’s laptop to stop; it had begun.',
    ],
  ],
  [
    'was asked to stop when its agent had it and had said nothing',
    {
      ...MUMS,
      state: 'queued',
      cancelAnswer: 'asked_to_stop',
      stopParty: 'agent:openclaw',
      stopAt: AT,
    },
    {},
    undefined,
    [
      SENT,
      'Asked Chat on Dad’s laptop to stop; it had it already.',
      'Asked Chat on Dad’s laptop to stop; it had it already.',
    ],
  ],
  [
    'was a question whose agent had it when it was cancelled',
    {
      ...MUMS,
      kind: 'query',
      state: 'queued',
      cancelAnswer: 'asked_to_stop',
      stopParty: 'agent:openclaw',
      stopAt: AT,
    },
    { kind: 'question' },
    undefined,
    [
      'OpenClaw on Mum’s PC asks Chat on Dad’s laptop a question.',
      'Cancelled: Chat on Dad’s laptop had it already.',
      'Cancelled: Chat on Dad’s laptop had it already.',
    ],
  ],
  [
    'was asked to stop, and did',
    {
      ...BY_MUM,
      ...END,
      state: 'cancelled',
      code: 'cancelled',
      handedAt: AT,
      handedTimes: 1,
      stopParty: 'dad',
      stopAt: AT,
      stopReachedAt: AT,
      stopObeyed: true,
      endedKind: 'stopped',
      endedBy: 'agent',
      toldAt: AT,
    },
    {},
    approval(),
    [
      ASKED,
      'Stopped.',
      'Mum allowed it, on Mum’s PC.',
      'Chat got it, at 0.',
      'The agent got exactly what was shown.',
      'Stopped.',
      'Dad’s laptop has the answer, at 0.',
    ],
  ],
  [
    'was asked to stop, and was finished all the same',
    {
      ...BY_MUM,
      ...END,
      state: 'completed',
      handedAt: AT,
      handedTimes: 1,
      stopParty: 'dad',
      stopAt: AT,
      stopReachedAt: AT,
      stopObeyed: false,
      endedKind: 'completed',
      endedBy: 'agent',
      toldAt: AT,
    },
    {},
    approval(),
    [
      ASKED,
      'Done, though OpenClaw on Dad’s laptop asked it to stop.',
      'Mum allowed it, on Mum’s PC.',
      'Chat got it, at 0.',
      'The agent got exactly what was shown.',
      'Asked to stop; Chat finished all the same.',
      'Dad’s laptop has the answer, at 0.',
    ],
  ],
  [
    'was stopped by a person before its agent had it',
    {
      ...BY_MUM,
      ...END,
      state: 'failed',
      code: 'rejected',
      stopPerson: 'Mum',
      stopAt: AT,
      endedKind: 'stopped',
      endedBy: 'person',
      toldAt: AT,
    },
    {},
    approval(),
    [
      ASKED,
      'Stopped by Mum on Mum’s PC: nothing ran.',
      'Mum allowed it, on Mum’s PC.',
      'No agent got it.',
      'Stopped by Mum on Mum’s PC: nothing ran.',
      'Dad’s laptop has the answer, at 0.',
    ],
  ],
  [
    'may have run when the hub stopped',
    {
      kind: 'query',
      ...BY_MUM,
      ...END,
      state: 'cancelled',
      code: 'cancelled',
      endedKind: 'possibly_executed',
      endedBy: 'hub',
    },
    { kind: 'question' },
    approval(),
    [
      'OpenClaw on Dad’s laptop asks Chat a question.',
      'Ended by Mum’s PC. It may have been done.',
      'Mum allowed it, on Mum’s PC.',
    ],
  ],
  [
    'was allowed by an adult before that was written down',
    { ...END, state: 'completed', kind: 'query' },
    { kind: 'question' },
    approval({ surface: 'peer', decidedBy: 'Nadia, Dad’s laptop' }),
    [
      'OpenClaw on Dad’s laptop asks Chat a question.',
      'Answered.',
      'Nadia allowed it, on Dad’s laptop, as Mum’s adult.',
      'Chat got it.',
      'The agent got exactly what was shown.',
    ],
  ],
  [
    'was allowed by a rule before that was written down, which is not kept any more',
    { state: 'running' },
    {},
    approval({ surface: 'rule', ruleId: 'gone', decidedBy: 'hub' }),
    [ASKED, 'Chat is working on it.', 'A rule on Mum’s PC allowed it.', 'Chat got it.'],
  ],
  [
    'expired before that was written down',
    { ...END, state: 'expired', code: 'approval_expired' },
    {},
    approval({ state: 'expired', surface: 'clock', decidedBy: 'hub' }),
    [ASKED, 'Nobody decided in time.', 'Nobody here decided in time. No agent got it.'],
  ],
  [
    'ran out of time before that was written down',
    { ...MUMS, ...END, state: 'failed', code: 'timeout' },
    {},
    undefined,
    [SENT, 'Its time ran out.'],
  ],
  [
    'its agent wants to hand on, which waits for a person',
    { ...BY_MUM, state: 'running', handedAt: AT, handedTimes: 1, handedOnTo: 'jules' },
    { handOnWaits: HERE },
    approval(),
    [
      ASKED,
      'Chat wants to hand it on to jules. That waits until a person decides for Mum’s PC.',
      'Mum allowed it, on Mum’s PC.',
      'Chat got it, at 0. It wants to hand it on to jules. That waits until a person decides for Mum’s PC.',
      'The agent got exactly what was shown.',
    ],
  ],
  [
    'its agent there wants to hand on, which waits for a person somewhere',
    { ...MUMS, state: 'running', handedOnTo: wantedFor('Jules') },
    {},
    undefined,
    [
      SENT,
      'Chat on Dad’s laptop wants to hand it on to Jules. That waits until a person decides.',
      'Chat on Dad’s laptop got it. It wants to hand it on to Jules. That waits until a person decides.',
    ],
  ],
  [
    'its agent there wanted to hand on, and did it itself',
    {
      ...MUMS,
      ...END,
      state: 'completed',
      endedKind: 'completed',
      endedBy: 'agent',
      handedOnTo: wantedFor('Jules'),
    },
    {},
    undefined,
    [SENT, 'Done.', 'Chat on Dad’s laptop got it.'],
  ],
  [
    'was allowed, and no agent took it in time',
    {
      ...BY_MUM,
      ...END,
      state: 'failed',
      code: 'timeout',
      endedKind: 'timed_out',
      endedBy: 'clock',
    },
    {},
    approval(),
    [
      ASKED,
      'Its time ran out. No agent took it.',
      'Mum allowed it, on Mum’s PC.',
      'No agent got it.',
      'Dad’s laptop does not have the answer yet.',
    ],
  ],
  [
    'was finished before the cancel was there',
    {
      ...MUMS,
      ...END,
      state: 'completed',
      stopParty: 'agent:openclaw',
      stopAt: AT,
      stopObeyed: false,
      endedKind: 'completed',
      endedBy: 'agent',
    },
    {},
    undefined,
    [SENT, 'Done.', 'Chat on Dad’s laptop got it.', 'Too late: it was finished.'],
  ],
  [
    'was only delivered before that was written down',
    { ...MUMS, ...END, state: 'completed', reportBack: false },
    {},
    undefined,
    [SENT, 'Delivered to Dad’s laptop. No report was wanted.'],
  ],
];

describe('a request that', () => {
  it.each(STORIES)('%s reads so', (_, row, context, approved, sentences) => {
    expect(told(story(row, context, approved))).toEqual(sentences);
  });

  it('was asked here is asked of this hub', () => {
    expect(story().asked.for.hub_name).toBe(HERE.hub_name);
  });
});
