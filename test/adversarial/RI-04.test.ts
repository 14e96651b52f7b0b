// RI-04: what a page that was taken over may send through the window's own door to have something
// approved: another digest or none, an older revision, what waits no more, what a removed or
// suspended hub asked. Real door, dispatcher and store; nothing of it reaches an agent.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Dispatcher } from '../../main/api/dispatch.ts';
import { WindowDoor } from '../../main/api/ipc/window-door.ts';
import { approvalsHandlers } from '../../main/api/operations/decisions.ts';
import type { PeerRow } from '../../main/ports/store.ts';
import type { ApprovalDto } from '../../preload/contract/dto.ts';
import type { ManualClock } from '../fakes/manual-clock.ts';
import { SILENT_LOG } from '../fakes/memory-store.ts';
import { closeTwoHubs, openTwoHubs } from '../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;
let door: WindowDoor;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
  // The operations of the other services are not part of this: a call of one of them would throw,
  // and be seen.
  door = new WindowDoor({
    dispatcher: new Dispatcher({ ...approvalsHandlers(mum.work) } as never),
    log: SILENT_LOG,
  });
});
afterEach(async () => {
  door.close();
  await closeTwoHubs({ clock, dad, mum });
});

async function waiting(task = 'Dinner is at 7'): Promise<ApprovalDto> {
  await dad.work.sender.delegate(
    delegation('mum', task, { domain: 'family.chat', deadline_ms: 60_000 }),
    'openclaw',
    null,
  );
  await clock.settle();
  return mum.card;
}
const allow = ({ id, revision, digest }: ApprovalDto, more: object = {}) =>
  door.invoke('approvals.decide', { id, revision, digest, decision: 'allow', ...more });
const trustIs = (trust: PeerRow['trust']) =>
  mum.store.write((tables) => {
    const row = tables.peer(dad.key);
    if (row) tables.putPeer({ ...row, trust, revokedAt: trust === 'revoked' ? 1 : null });
  });

describe('RI-04, E7: through the door of the window', () => {
  const digestOf = (change: (digest: string) => unknown) => (card: ApprovalDto) =>
    allow(card, { digest: change(card.digest) });
  it.each([
    ['without a digest', digestOf(() => undefined), 'bad_request'],
    ['with a digest of nothing', digestOf(() => ''), 'bad_request'],
    ['with a digest that is no text', digestOf((digest) => [digest]), 'bad_request'],
    ['with the digest in capitals', digestOf((digest) => `${digest.slice(0, 63)}A`), 'bad_request'],
    [
      'with another digest',
      digestOf((digest) => `${digest.startsWith('0') ? '1' : '0'}${digest.slice(1)}`),
      'request_changed',
    ],
    ['with the digest of zeros', digestOf(() => '0'.repeat(64)), 'request_changed'],
    [
      'with a revision to come',
      (card: ApprovalDto) => allow(card, { revision: card.revision + 1 }),
      'request_changed',
    ],
    [
      'without a revision',
      (card: ApprovalDto) => allow(card, { revision: undefined }),
      'bad_request',
    ],
    [
      'with more than the operation takes',
      (card: ApprovalDto) => allow(card, { approved: true, force: true }),
      'bad_request',
    ],
    [
      'for an id that nobody has',
      (card: ApprovalDto) => allow(card, { id: card.task_id }),
      'not_found',
    ],
    ['for all ids', (card: ApprovalDto) => allow(card, { id: '%' }), 'bad_request'],
  ])('nothing is approved %s', async (_what, attempt, code) => {
    const card = await waiting();
    expect(await attempt(card)).toMatchObject({ ok: false, problem: { code } });
    expect(mum.card).toEqual(card);
    expect(await mum.work.inbox.claim('claude', 8)).toEqual([]);
    // As it was shown, it can still be allowed, once.
    expect(await allow(card)).toMatchObject({ ok: true, value: { state: 'approved' } });
    expect(await mum.work.inbox.claim('claude', 8)).toHaveLength(1);
  });

  it('the digest of one request approves no other', async () => {
    const first = await waiting('Dinner is at 7');
    expect(await allow(first)).toMatchObject({ ok: true });
    const second = await waiting('Dinner is at 8');
    expect(await allow(second, { digest: first.digest })).toMatchObject({
      ok: false,
      problem: { code: 'request_changed' },
    });
    expect(mum.work.approvals.pending().map(({ id }) => id)).toEqual([second.id]);
  });

  it.each([
    [
      'declined',
      (card: ApprovalDto) =>
        door.invoke('approvals.decide', { ...pick(card), decision: 'decline' }),
    ],
    ['allowed', (card: ApprovalDto) => allow(card)],
    ['expired', (card: ApprovalDto) => clock.advance(card.expires_at - clock.wallMs() + 1_000)],
  ])('what was %s before is not approved afterwards', async (_how, end) => {
    const card = await waiting();
    await end(card);
    const handed = await mum.work.inbox.claim('claude', 8);
    expect(await allow(card)).toMatchObject({ ok: false, problem: { status: 409 } });
    expect(await mum.work.inbox.claim('claude', 8)).toEqual([]);
    expect(handed.length).toBeLessThanOrEqual(1);
  });

  it.each(['revoked', 'suspended'] as const)(
    'nothing of a hub that is %s meanwhile is approved or handed out',
    async (trust) => {
      const card = await waiting();
      await trustIs(trust);
      expect(await allow(card)).toMatchObject({ ok: false });
      expect(await mum.work.inbox.claim('claude', 8)).toEqual([]);
      expect(mum.store.read.approval(card.id)?.state).not.toBe('approved');
    },
  );

  it.each([
    'approvals.approve',
    'work.decide',
    'inbox.claim',
    'rules.constructor',
    'send.delegate',
  ])('there is no %s', async (name) => {
    const card = await waiting();
    expect(await door.invoke(name, pick(card))).toMatchObject({
      ok: false,
      problem: { code: 'not_found' },
    });
    expect(mum.card).toEqual(card);
  });
});

function pick({ id, revision, digest }: ApprovalDto): object {
  return { id, revision, digest };
}
