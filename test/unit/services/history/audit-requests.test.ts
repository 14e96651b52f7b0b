// A row of the audit log leads to the request that it is about, and says how that stands.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { auditRowDto } from '../../../../main/services/audit/audit-rows.ts';
import { becameOf } from '../../../../preload/contract/strings/story.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { closeTwoHubs, openTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { BROWSER, delegation, type WorkHub } from '../../../fakes/work-hub.ts';

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;

beforeEach(async () => {
  ({ clock, dad, mum } = await openTwoHubs());
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

const rowsAt = (hub: WorkHub) =>
  hub.store.read
    .audit({ limit: 50 })
    .map((row) => hub.work.auditRequests.withRequest(auditRowDto(row)));

it('leads from what was asked, sent, allowed and cancelled to its conversation', async () => {
  const report = await dad.work.sender.delegate(
    delegation('mum', 'Dinner is at 7', {
      domain: 'family.chat',
      conversation: { id: 'dinner-plans' },
    }),
    'openclaw',
    null,
  );
  await clock.settle();
  await mum.decide(mum.card, 'allow');
  await dad.work.tasks.cancel(report.id, { person: BROWSER }, null);
  await clock.settle();
  const found = Object.fromEntries(
    rowsAt(mum).map(({ action, request }) => [
      action,
      request && [request.conversation_id, request.message_id, becameOf(request.story)],
    ]),
  );
  const place = ['dinner-plans', report.id];
  const words = "mum's person allowed it, on mum. Cancelled: nobody had begun.";
  expect(found).toMatchObject({
    'request.asked': [...place, words],
    'approval.allowed': [...place, words],
    'cancel.accepted': [...place, words],
  });
  expect(found['agent.created']).toBeUndefined();
  const sent = rowsAt(dad).find(({ action }) => action === 'delegation.sent');
  expect(sent?.request).toMatchObject({ conversation_id: 'dinner-plans' });
});

it('leads from what a person stopped to its conversation, by the row of that person', async () => {
  const report = await dad.work.sender.delegate(
    delegation('mum', 'Dinner is at 7', { domain: 'family.chat' }),
    'openclaw',
    null,
  );
  await clock.settle();
  await mum.decide(mum.card, 'allow');
  const [{ id = '' } = {}] = mum.store.read.tasks({ limit: 1 });
  await mum.claim('claude');
  await mum.work.tasks.cancel(id, { person: BROWSER }, null);
  await clock.settle();
  const row = rowsAt(mum).find(({ action }) => action === 'request.stopped');
  expect(row).toMatchObject({ actor: 'owner', surface: BROWSER.surface, object: id });
  expect(row?.request).toMatchObject({ conversation_id: report.id, message_id: report.id });
  expect(row?.request && becameOf(row.request.story)).toBe(
    "mum's person allowed it, on mum. Asked Claude to stop; it had it already.",
  );
});

it('leads nowhere where another program wrote what is no request', () => {
  const row = { seq: 1, at: null, monotonic_ms: null, actor: 'x', surface: 'x', rule: null };
  for (const action of ['approval.allowed', 'request.asked', 'cancel.accepted', 'delivery.refused'])
    for (const object of ['', 'nothing', '\u0000', 'constructor']) {
      const told = { ...row, action, object, digest: null, detail: null };
      expect(mum.work.auditRequests.withRequest(told), `${action} ${object}`).toEqual(told);
    }
});
