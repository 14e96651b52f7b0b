// What two hubs used for each other: by question and by task, at both, and no more than a month.
import { expect, it, onTestFinished } from 'vitest';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { delegation, OWNER } from '../../../fakes/work-hub.ts';

const DAY_MS = 86_400_000;

it('counts the answer of a question and the result of a task once, at both hubs', async () => {
  const hubs = await openTwoHubs();
  onTestFinished(() => closeTwoHubs(hubs));
  const { clock, dad, mum } = hubs;
  await mum.work.agents.setClass('claude', { riskClass: 'R0', isDefault: false }, OWNER);
  const answered = dad.work.sender.query(
    { to: 'mum', question: 'When is dinner?', domain: 'family.chat' },
    'openclaw',
    new AbortController().signal,
  );
  await clock.settle();
  const question = await mum.claim('claude');
  const words = { status: 'completed', outcome: 'At 7', truncated: false } as const;
  await mum.work.inbox.reply('claude', question.delivery_id, { ...words, tokens_used: 120 });
  await answered;
  await dad.work.sender.delegate(
    delegation('mum', 'Cook', { domain: 'family.chat' }),
    'openclaw',
    null,
  );
  await clock.settle();
  await mum.decide(mum.card, 'allow');
  const task = await mum.claim('claude');
  for (let again = 0; again < 2; again++)
    await mum.work.inbox.reply('claude', task.delivery_id, { ...words, tokens_used: 3_000 });
  await clock.advance(1_000);
  expect(mum.work.tokenUse(dad.key)).toEqual({ days: 30, here: 3_120, there: 0 });
  expect(dad.work.tokenUse(mum.key)).toEqual({ days: 30, here: 0, there: 3_120 });
  clock.jumpWall(31 * DAY_MS);
  expect(mum.work.tokenUse(dad.key)).toEqual({ days: 30, here: 0, there: 0 });
});

it('is an exact number whatever another hub claims', async () => {
  const hubs = await openTwoHubs();
  onTestFinished(() => closeTwoHubs(hubs));
  const { clock, dad, mum } = hubs;
  await dad.store.write((tables) => {
    for (let claim = 0; claim < 3; claim++)
      tables.addTokens(mum.key, clock.wallMs(), 'there', Number.MAX_SAFE_INTEGER);
  });
  expect(dad.work.tokenUse(mum.key)).toEqual({ days: 30, here: 0, there: 3_000_000_000 });
});
