// Two versions of what counts as hidden: hubs that both know the newer one show words as they are
// written, an older one gets what it can make, and what was asked before an update is decided after
// it. What the adult saw is always what the agent gets.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Gate } from '../../../../main/services/tasks/verdict.ts';
import { EXTENSIONS } from '../../../../main/protocol/kinds.ts';
import { RemoteApprovalHouse } from '../../../fakes/remote-approval-house.ts';
import type { WorkHub } from '../../../fakes/work-hub.ts';

const WORDS = 'چراغ‌ها را خاموش کن 今日\u3000明日 👨‍👩‍👧\u202e';
const OLD_WORDS = 'چراغ[U+200C]ها را خاموش کن 今日[U+3000]明日 👨‍👩‍👧[U+202E]';
const NEW_WORDS = 'چراغ‌ها را خاموش کن 今日\u3000明日 👨‍👩‍👧[U+202E]';
const FIRST_ONLY = EXTENSIONS.filter((name) => name !== 'remote-approval/2');
/** Stores every card as the program did before the second version. */
const BEFORE_THE_UPDATE: Gate = {
  judge: (_reads, _request, verdict) => ({ ...verdict, viewVersion: 1 }),
};

let house: RemoteApprovalHouse;
let leo: WorkHub;
let mum: WorkHub;
let dad: WorkHub;

async function openHouse(gates: readonly Gate[] = []): Promise<void> {
  house = await new RemoteApprovalHouse({ moreGates: gates }).open();
  ({ leo, mum, dad } = house);
}
async function isOld(hub: WorkHub): Promise<void> {
  hub.messenger.ownExtensionsAre(FIRST_ONLY);
  await house.isAdult(hub);
}
async function isUpdated(hub: WorkHub): Promise<void> {
  hub.messenger.ownExtensionsAre(EXTENSIONS);
  await house.isAdult(hub);
}
const sentQuestions = () =>
  leo.messenger.sent
    .filter(({ kind, payload }) => kind === 'delegate' && payload?.['act'] === 'escalate')
    .map(({ payload }) => payload?.['approval']);
const robotGets = async () =>
  (await leo.work.inbox.claim('robot', 5)).map(({ untrusted }) => untrusted?.text);

beforeEach(() => openHouse());
afterEach(() => house.close());

describe('a request in Persian, Japanese and emoji', () => {
  it('is shown and run as it was written where both hubs know the second version', async () => {
    await house.letDecide();
    await house.ask(WORDS);
    expect(sentQuestions()).toMatchObject([{ version: 2, digest: leo.card.digest }]);
    expect(mum.card).toMatchObject({
      text: NEW_WORDS,
      remote_question: { digest: leo.card.digest },
    });
    await house.decide(mum, 'allow');
    expect(await robotGets()).toEqual([NEW_WORDS]);
  });

  it('is asked in the first version where the adult’s hub knows no other, and runs as it was shown there', async () => {
    await isOld(mum);
    await house.letDecide();
    await house.ask(WORDS);
    expect(sentQuestions()).toHaveLength(1);
    expect(sentQuestions()[0]).not.toHaveProperty('version');
    expect([leo.card.text, mum.card.text]).toEqual([OLD_WORDS, OLD_WORDS]);
    await house.decide(mum, 'allow');
    expect(await robotGets()).toEqual([OLD_WORDS]);
  });

  it('is asked in one version everywhere, which the oldest hub that decides can make', async () => {
    await isOld(dad);
    await house.letDecide([mum, dad]);
    await house.ask(WORDS);
    expect([leo.card.text, mum.card.text, dad.card.text]).toEqual(Array(3).fill(OLD_WORDS));
    await house.decide(dad, 'allow');
    expect(await robotGets()).toEqual([OLD_WORDS]);
  });

  it('that nobody elsewhere decides is shown as it was written, however old the hubs are', async () => {
    await isOld(mum);
    await house.ask(WORDS);
    expect(leo.card.text).toBe(NEW_WORDS);
  });

  it('waits in the second version for a hub that makes it, and is not put to one that cannot', async () => {
    await house.ask(WORDS);
    await isOld(mum);
    await house.letDecide();
    expect(leo.card.decided_by_hubs).toMatchObject([{ name: 'mum', state: 'older' }]);
    expect(sentQuestions()).toEqual([]);
    await isUpdated(mum);
    leo.cut(mum);
    leo.connect(mum);
    await house.clock.settle();
    await house.decide(mum, 'allow');
    expect(await robotGets()).toEqual([NEW_WORDS]);
  });
});

describe('what was asked before an update', () => {
  it('is decided after it, at the hub that asked and at the one that decides', async () => {
    await house.close();
    await openHouse([BEFORE_THE_UPDATE]);
    await isOld(mum);
    await house.letDecide();
    await house.ask(WORDS);
    await isUpdated(mum);
    for (const hub of [mum, leo]) await hub.restart();
    for (const other of [mum, house.friend]) leo.connect(other);
    await house.clock.settle();
    expect([leo.card.text, mum.card.text]).toEqual([OLD_WORDS, OLD_WORDS]);
    await house.decide(mum, 'allow');
    expect(await robotGets()).toEqual([OLD_WORDS]);
  });

  it('and not sent yet goes out in its own version to a hub that knows both', async () => {
    await isOld(mum);
    await house.letDecide();
    leo.cut(mum);
    await house.ask(WORDS);
    expect(sentQuestions()).toEqual([]);
    await isUpdated(mum);
    leo.connect(mum);
    await house.clock.settle();
    expect(sentQuestions()[0]).not.toHaveProperty('version');
    await house.decide(mum, 'allow');
    expect(await robotGets()).toEqual([OLD_WORDS]);
  });
});
