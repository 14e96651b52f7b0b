// A request that waits for a person, over the real doors: it ends by this hub's own wait, and a
// person keeps it open, by HTTP and at a terminal.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApprovalDto } from '../../preload/contract/dto.ts';
import { axon, choosePassphrase, type Ended } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';

const HOUR_MS = 3_600_000;
const SLOW = { timeout: 60_000 };
let hub: TestHub;
let page: string;
let agent: string;
let passphrase: string;

const owner = (...parameters: readonly string[]): Promise<Ended> =>
  axon(hub.home, ['--passphrase-file', passphrase, ...parameters]);

beforeAll(async () => {
  hub = await TestHub.start();
  passphrase = await choosePassphrase(hub.home);
  [page, agent] = [await hub.page(), await hub.agent('bot')];
}, 60_000);
afterAll(() => hub.stop());

/** A request of one agent of this hub to another, and its card. */
async function asks(task: string, deadlineMs: number): Promise<ApprovalDto> {
  const body = { to: 'local/bot', task, domain: 'bot.work', deadline_ms: deadlineMs };
  const sent = await hub.ask('/v1/delegate', { method: 'POST', token: agent, body });
  expect(sent.status).toBe(202);
  const { text } = await hub.ask('/v1/approvals', { token: page });
  const card = (JSON.parse(text) as { items: readonly ApprovalDto[] }).items.find(
    (item) => item.text === task,
  );
  if (card === undefined) throw new Error(text);
  return card;
}

const keepOpen = (card: ApprovalDto, token: string | undefined, waitMs = card.wait_ms) =>
  hub.ask(`/v1/approvals/${card.id}/keep-open`, {
    method: 'POST',
    ...(token === undefined ? {} : { token }),
    body: { wait_ms: waitMs },
  });

it(
  'waits as long as the setting says, which a person changes and a wrong value does not',
  SLOW,
  async () => {
    const set = (minutes: unknown) =>
      hub.ask('/v1/settings', {
        method: 'PATCH',
        token: page,
        body: { approvals_wait_minutes: minutes },
      });
    for (const wrong of [0, 1_441, 2.5, '60', null]) expect((await set(wrong)).status).toBe(400);
    const card = await asks('As long as it is by default', 24 * HOUR_MS);
    expect([card.wait_ms, card.deadline_at - card.expires_at]).toEqual([
      12 * HOUR_MS,
      12 * HOUR_MS,
    ]);
    expect((await set(60)).status).toBe(200);
    expect((await asks('For an hour', 24 * HOUR_MS)).wait_ms).toBe(HOUR_MS);
    expect((await hub.ask(`/v1/approvals/${card.id}`, { token: page })).text).toContain(
      '"wait_ms":43200000',
    );
  },
);

it(
  'is kept open by a person only, once for each press, and the record says by whom',
  SLOW,
  async () => {
    const card = await asks('Open longer', 3 * HOUR_MS);
    for (const token of [undefined, agent])
      expect([401, 403]).toContain((await keepOpen(card, token)).status);
    const [first, second] = await Promise.all([keepOpen(card, page), keepOpen(card, page)]);
    expect([first.status, second.status]).toEqual([200, 200]);
    const kept = JSON.parse(first.text) as ApprovalDto;
    expect(kept).toMatchObject({
      wait_ms: 2 * HOUR_MS,
      digest: card.digest,
      revision: card.revision,
      expires_at: card.expires_at + HOUR_MS,
    });
    expect((JSON.parse(second.text) as ApprovalDto).wait_ms).toBe(2 * HOUR_MS);
    expect((await keepOpen(kept, page, 5 * HOUR_MS)).status).toBe(409);
    const rows = hub.node.services.audit
      .list({ limit: 50 })
      .items.filter(({ action }) => action === 'approval.kept_open');
    expect(rows).toMatchObject([{ object: card.id, surface: 'browser', digest: card.digest }]);
    const decided = await hub.ask(`/v1/approvals/${card.id}/decide`, {
      method: 'POST',
      token: page,
      body: { revision: card.revision, digest: card.digest, decision: 'allow' },
    });
    expect(decided.status).toBe(200);
  },
);

it(
  'is kept open at a terminal, until whoever asked waits no longer, and says so',
  SLOW,
  async () => {
    const card = await asks('At a terminal', 2 * HOUR_MS);
    expect((await owner('approvals', 'show', card.id)).out).toContain(
      'You can keep it open until ',
    );
    const kept = await owner('approvals', 'keep-open', card.id);
    expect(kept).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^It now waits until \d{4}-.*\.\nWhoever asked won’t wait longer than that\./,
      ),
    });
    const again = await owner('approvals', 'keep-open', card.id, '--json');
    expect(again).toMatchObject({ code: 3, error: expect.stringContaining('conflict') });
    expect((await owner('approvals', 'show', card.id)).out).not.toContain('keep it open');
    expect(
      await axon(hub.home, ['--as', 'bot', 'approvals', 'keep-open', card.id]),
    ).not.toMatchObject({ code: 0 });
  },
);
