// The page of the audit log: its rows, the check, the export and the acknowledgement; and the one
// page of a hub that was restored.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { AuditCheckDto, AuditRowDto, TamperFindingDto } from '../../preload/contract/audit.ts';
import type { HubDto } from '../../preload/contract/dto.ts';
import type { CallOutcome } from '../../preload/contract/hub-api.ts';
import type { OperationResult } from '../../preload/contract/operations.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { DINNER_THREAD, MUM, NOW, RESTORED, snapshotOf } from '../fakes/household.ts';
import { callsOf, expectAccessible, press, showApp, watchDownloads } from './support/page.ts';

const button = (name: string) => page.getByRole('button', { name, exact: true });

const rowOf = (seq: number): AuditRowDto => ({
  seq,
  at: NOW - 60_000,
  monotonic_ms: 5,
  actor: 'ui:0123456789abcdef',
  surface: 'browser',
  action: 'approval.allowed',
  object: `approval-${seq}`,
  rule: null,
  digest: null,
  detail: {},
});
const DONE: AuditCheckDto = {
  state: 'done',
  rows: 12_345,
  checked: 12_345,
  signed_seq: 12_340,
  signatures: 9,
  counted: true,
  finished_at: NOW,
  finding: null,
  acknowledged: [],
  problem: null,
};
const NONE: AuditCheckDto = { ...DONE, state: 'none', rows: 0, checked: 0 };

const FOUND: TamperFindingDto = { kind: 'changed', row: 57, up_to: 57, following: 12 };
const TAMPERED = { ...MUM, audit: 'tampered', tamper_finding: FOUND } as const;

function hubWith(checks: readonly AuditCheckDto[], about: HubDto = MUM): FakeHubApi {
  const left = [...checks];
  const next = (): AuditCheckDto => (left.length > 1 ? left.shift() : left[0]) ?? NONE;
  return new FakeHubApi(snapshotOf({ hub: about }), {
    'audit.list': ({ cursor }) => ({
      ok: true,
      value:
        cursor === undefined
          ? { items: [rowOf(40), rowOf(39)], next: '39' }
          : { items: [rowOf(38)], next: null },
    }),
    'audit.verification': () => ({ ok: true, value: next() }),
    'audit.verify': () => ({ ok: true, value: next() }),
    'audit.cancelVerification': () => ({
      ok: true,
      value: { ...DONE, state: 'cancelled', checked: 500 },
    }),
    'audit.export': ({ format, cursor }) => ({
      ok: true,
      value:
        cursor === undefined
          ? { text: `first ${format} `, next: 'rows.1.2.3' }
          : { text: 'second', next: null },
    }),
    'audit.acknowledge': () => ({ ok: true, value: { state: 'ok' } }),
    'hub.confirmRestore': () => ({ ok: true, value: MUM }),
  });
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('the audit log', () => {
  test('shows a row that another program left without a time, and one that says nothing, beside the others', async () => {
    const api = new FakeHubApi(snapshotOf({ hub: TAMPERED }), {
      'audit.list': () => ({
        ok: true,
        value: {
          items: [rowOf(40), { ...rowOf(39), at: null, action: '', actor: '', object: '' }],
          next: null,
        },
      }),
      'audit.verification': () => ({ ok: true, value: NONE }),
    });
    await showApp(api, 'settings/audit-log');
    await expect
      .element(page.getByRole('heading', { name: 'Without a time', level: 3 }))
      .toBeVisible();
    await expect.element(page.getByText('It doesn’t say what was done.')).toBeVisible();
    await expect.element(page.getByText('in a browser', { exact: true })).toBeVisible();
    await expect.element(button('I have seen it')).toBeVisible();
  });

  test('says of a row about a request how that stands, and opens its conversation there', async () => {
    const [, , asked] = DINNER_THREAD.entries;
    const told = DINNER_THREAD.entries.at(-1)?.story;
    if (!asked?.message_id || !told) throw new Error('no request');
    const request = {
      conversation_id: DINNER_THREAD.conversation.id,
      message_id: asked.message_id,
      story: told,
    };
    const api = new FakeHubApi(snapshotOf(), {
      'audit.list': () => ({
        ok: true,
        value: {
          items: [
            { ...rowOf(40), request },
            { ...rowOf(39), action: 'rule.made' },
          ],
          next: null,
        },
      }),
      'audit.verification': () => ({ ok: true, value: NONE }),
    });
    await showApp(api, 'settings/audit-log');
    await expect.element(page.getByText('Mum allowed it, on Mum’s PC. Done.')).toBeVisible();
    const links = page.getByRole('link', { name: /^Conversation, at the request of row/ });
    expect(links.elements()).toHaveLength(1);
    await expectAccessible();
    await links.click();
    await expect
      .poll(() => document.activeElement?.closest('.thread li')?.textContent)
      .toContain('dinner is at 7');
  });

  test('opens from the settings, with its newest rows, and older ones on request', async () => {
    await showApp(hubWith([NONE]), 'settings');
    await page.getByRole('link', { name: 'Open it' }).click();
    await expect.element(page.getByRole('heading', { name: 'Audit log', level: 1 })).toBeVisible();
    await expect.element(page.getByText('You allowed a request.').first()).toBeVisible();
    await expect.element(page.getByRole('heading', { name: 'Today', level: 3 })).toBeVisible();
    const exact = page.getByText('Row 40, by ui:0123456789abcdef, of approval-40', {
      exact: false,
    });
    await expect.element(exact).not.toBeVisible();
    await page.getByText('Exact identifiers').first().click();
    await expect.element(exact).toBeVisible();
    await button('Show older ones').click();
    await expect.element(page.getByText('Row 38,', { exact: false })).toBeInTheDocument();
    await expect.element(button('Show older ones')).not.toBeInTheDocument();
    await expectAccessible();
  });

  test('says that nothing was written yet once the hub has said so, and not before', async () => {
    const { promise, resolve } =
      Promise.withResolvers<CallOutcome<OperationResult<'audit.list'>>>();
    const hub = new FakeHubApi(snapshotOf({ hub: MUM }), {
      'audit.list': () => promise,
      'audit.verification': () => ({ ok: true, value: NONE }),
    });
    await showApp(hub, 'settings/audit-log');
    await expect.element(page.getByRole('heading', { name: 'The newest rows' })).toBeVisible();
    expect(document.body.textContent).not.toContain('Nothing was written yet.');
    resolve({ ok: true, value: { items: [], next: null } });
    await expect.element(page.getByText('Nothing was written yet.')).toBeVisible();
    await expectAccessible();
  });

  test('the owner’s sessions that ended on a day are one quiet line', async () => {
    const ended = (seq: number): AuditRowDto => ({
      ...rowOf(seq),
      action: 'token.revoked',
      detail: { kind: 'owner', agent: null },
    });
    const hub = new FakeHubApi(snapshotOf({ hub: MUM }), {
      'audit.list': () => ({
        ok: true,
        value: { items: [ended(40), rowOf(39), ended(38)], next: null },
      }),
      'audit.verification': () => ({ ok: true, value: NONE }),
    });
    await showApp(hub, 'settings/audit-log');
    await expect.element(page.getByText('You ended 2 sessions.')).toBeVisible();
    await expect.element(page.getByText('You allowed a request.')).toBeVisible();
    await expectAccessible();
  });

  test('a second press while older rows are on their way asks for nothing, and no row stands there twice', async () => {
    const { promise, resolve } =
      Promise.withResolvers<CallOutcome<OperationResult<'audit.list'>>>();
    const hub = new FakeHubApi(snapshotOf({ hub: MUM }), {
      'audit.list': ({ cursor }) =>
        cursor === undefined
          ? { ok: true, value: { items: [rowOf(40), rowOf(39)], next: '39' } }
          : promise,
      'audit.verification': () => ({ ok: true, value: NONE }),
    });
    await showApp(hub, 'settings/audit-log');
    await button('Show older ones').click();
    await expect.element(button('Show older ones')).toHaveAttribute('aria-disabled', 'true');
    await button('Show older ones').click({ force: true });
    resolve({ ok: true, value: { items: [rowOf(38), rowOf(37)], next: null } });
    await expect.element(page.getByText('Row 37,', { exact: false })).toBeInTheDocument();
    expect(page.getByText(/Row \d+,/).elements()).toHaveLength(4);
    expect(callsOf(hub, 'audit.list')).toHaveLength(2);
  });

  test('a look that fails while it is checked is said, and the next one goes on', async () => {
    const looks: CallOutcome<AuditCheckDto>[] = [
      { ok: true, value: { ...DONE, state: 'running', checked: 500 } },
      { ok: false, problem: problemOf('hub_unreachable', 'The hub does not answer.') },
      { ok: true, value: DONE },
    ];
    const hub = new FakeHubApi(snapshotOf({ hub: MUM }), {
      'audit.list': () => ({ ok: true, value: { items: [], next: null } }),
      'audit.verification': () => looks.shift() ?? { ok: true, value: DONE },
    });
    await showApp(hub, 'settings/audit-log');
    await expect.element(page.getByText('Checked 500 of', { exact: false })).toBeVisible();
    await vi.advanceTimersByTimeAsync(300);
    await expect.element(page.getByText('The hub does not answer.')).toBeVisible();
    await vi.advanceTimersByTimeAsync(2_000);
    await expect
      .element(page.getByText('Nothing was changed: 12,345 rows', { exact: false }))
      .toBeVisible();
    await expect.element(page.getByText('The hub does not answer.')).not.toBeInTheDocument();
  });

  test('is checked while its progress shows, and the verdict says what it means', async () => {
    const running: AuditCheckDto = { ...DONE, state: 'running', checked: 500 };
    await showApp(
      hubWith([NONE, running, { ...running, checked: 9_000 }, DONE]),
      'settings/audit-log',
    );
    await button('Check now').click();
    await expect.element(page.getByText('Checked 500 of', { exact: false })).toBeVisible();
    await vi.advanceTimersByTimeAsync(300);
    await expect.element(page.getByText('Checked 9,000 of', { exact: false })).toBeVisible();
    await vi.advanceTimersByTimeAsync(300);
    await expect
      .element(page.getByText('Nothing was changed: 12,345 rows', { exact: false }))
      .toBeVisible();
    await expect
      .element(page.getByText('It is signed up to row 12,340', { exact: false }))
      .toBeVisible();
  });

  test('a check can be stopped, and one that is under way shows when the page is opened', async () => {
    const hub = hubWith([{ ...DONE, state: 'running', checked: 400 }]);
    await showApp(hub, 'settings/audit-log');
    await press(button('Stop checking'));
    await expect
      .element(page.getByText('The check was stopped after 500', { exact: false }))
      .toBeVisible();
    expect(callsOf(hub, 'audit.cancelVerification')).toEqual([{}]);
    await expect.element(button('Check now')).toBeVisible();
  });

  test('is begun by keyboard without losing the place, and says by itself only what came of it', async () => {
    const running: AuditCheckDto = { ...DONE, state: 'running', checked: 500 };
    await showApp(
      hubWith([NONE, running, { ...running, checked: 9_000 }, DONE]),
      'settings/audit-log',
    );
    const check = button('Check now').element();
    check.focus();
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByText('Checked 500 of 12,345 rows…')).toBeVisible();
    expect(document.activeElement).toBe(check);
    expect(check.textContent.trim()).toBe('Stop checking');
    const region = page
      .getByText('Checked 500 of 12,345 rows…')
      .element()
      .closest('[role="status"]');
    expect(region?.getAttribute('aria-live')).toBe('off');
    await vi.advanceTimersByTimeAsync(300);
    await vi.advanceTimersByTimeAsync(300);
    await expect.element(page.getByText(/^Nothing was changed: /)).toBeVisible();
    expect(region?.getAttribute('aria-live')).toBe('polite');
    expect(document.activeElement).toBe(check);
  });

  test('a log that does not fit says which row is the first, how many follow and what to do, and not by its colour alone', async () => {
    const acknowledged = [{ row: 20, acknowledged_row: 30, at: NOW, by: 'ui:1' }];
    await showApp(hubWith([{ ...DONE, finding: FOUND, acknowledged }]), 'settings/audit-log');
    const verdict = page.getByText(
      'The audit log was changed. Row 57 was changed after it was written',
      { exact: false },
    );
    await expect
      .element(verdict)
      .toHaveTextContent('12 rows after it cannot be vouched for either.');
    await expect.element(verdict).toHaveTextContent('Keep a copy of the data folder as it is');
    await expect.element(verdict).toHaveTextContent('Row 20 did not fit. You acknowledged that');
    await expectAccessible();
  });

  test('is handed out as one file, made of every piece', async () => {
    const downloads = watchDownloads();
    const hub = hubWith([NONE]);
    await showApp(hub, 'settings/audit-log');
    await press(button('CSV'));
    await expect.element(page.getByText('Saved as axon-audit-log.csv.')).toBeInTheDocument();
    expect(await downloads()).toEqual([['axon-audit-log.csv', 'first csv second']]);
    expect(callsOf(hub, 'audit.export')).toEqual([
      { format: 'csv' },
      { format: 'csv', cursor: 'rows.1.2.3' },
    ]);
  });

  test('a tamper finding is said on every screen, and acknowledged once on this page, as it is shown', async () => {
    const hub = hubWith([NONE], TAMPERED);
    await showApp(hub, 'rules');
    await expect
      .element(page.getByText('The audit log was changed by another program.'))
      .toBeVisible();
    await expect.element(button('I have seen it')).not.toBeInTheDocument();
    await page.getByRole('link', { name: 'Look at it' }).click();
    await expect
      .element(page.getByText('Row 57 was changed after it was written', { exact: false }))
      .toBeVisible();
    await expectAccessible();
    await press(button('I have seen it'));
    expect(callsOf(hub, 'audit.acknowledge')).toEqual([{ row: 57 }]);
    hub.emit({ type: 'hub', hub: MUM });
    await expect.element(button('I have seen it')).not.toBeInTheDocument();
    await expect
      .element(page.getByText('Acknowledged and recorded. Rules work again.'))
      .toBeVisible();
  });

  test('an acknowledgement that the hub refuses is said, and what it knows by now is shown', async () => {
    const hub = hubWith([NONE], TAMPERED);
    const refused = new FakeHubApi(hub.snapshot, {
      'audit.list': () => ({ ok: true, value: { items: [rowOf(40)], next: null } }),
      'audit.verification': () => ({ ok: true, value: NONE }),
      'audit.acknowledge': () => ({
        ok: false,
        problem: problemOf('conflict', 'The first row that does not fit is row 9 by now.'),
      }),
    });
    await showApp(refused, 'settings/audit-log');
    await press(button('I have seen it'));
    await expect
      .element(page.getByText('The first row that does not fit is row 9 by now.', { exact: false }))
      .toBeVisible();
    refused.emit({ type: 'hub', hub: { ...TAMPERED, tamper_finding: { ...FOUND, row: 9 } } });
    await expect
      .element(page.getByText('Row 9 was changed after it was written', { exact: false }))
      .toBeVisible();
  });

  test('every row shows the number by which the page speaks of it', async () => {
    await showApp(hubWith([NONE]), 'settings/audit-log');
    await expect.element(page.getByText('Row 40', { exact: true })).toBeVisible();
  });

  test('what the hub refuses stands on the page', async () => {
    const hub = hubWith([NONE]);
    const refused = new FakeHubApi(hub.snapshot, {
      'audit.list': () => ({
        ok: false,
        problem: problemOf('storage_failed', 'The disk did not give it back.'),
      }),
    });
    await showApp(refused, 'settings/audit-log');
    await expect
      .element(page.getByText('The disk did not give it back.', { exact: false }))
      .toBeVisible();
  });
});

describe('a hub that was restored from an older copy', () => {
  test.each(['now', 'settings/audit-log', 'people'])(
    'shows one page and nothing else, wherever it is opened: %s',
    async (place) => {
      const hub = hubWith([NONE]);
      await showApp(hub, place);
      hub.emit({ type: 'hub', hub: RESTORED });
      await expect
        .element(
          page.getByRole('heading', {
            name: 'This hub was restored from an older copy.',
            level: 1,
          }),
        )
        .toBeVisible();
      await expect
        .element(
          page.getByText('Hubs and agents that you removed since the copy was made are back', {
            exact: false,
          }),
        )
        .toBeVisible();
      await expect
        .element(page.getByText('Requests that were waiting in the copy end now', { exact: false }))
        .toBeVisible();
      expect(page.getByRole('navigation').elements()).toEqual([]);
      await expectAccessible();
    },
  );

  test('is open again once its owner has confirmed that, by one press', async () => {
    const hub = hubWith([NONE]);
    await showApp(hub, 'now');
    hub.emit({ type: 'hub', hub: RESTORED });
    // Nothing is kept unless somebody says so, and the button says what it does.
    for (const box of page.getByRole('checkbox').elements()) expect(box).not.toBeChecked();
    await expect.element(button('Use this copy and keep no hub and no agent')).toBeVisible();
    const [first] = hub.snapshot.peers.filter(({ trust }) => trust === 'paired');
    await page.getByRole('checkbox', { name: first?.name ?? '', exact: true }).click();
    await press(button('Use this copy and keep 1 hub and no agent'));
    expect(callsOf(hub, 'hub.confirmRestore')).toEqual([
      { keep_hubs: [first?.id], keep_agents: [] },
    ]);
    hub.emit({ type: 'hub', hub: MUM });
    await expect
      .element(page.getByText('This hub was restored from an older copy.'))
      .not.toBeInTheDocument();
    await expect.element(page.getByRole('navigation').first()).toBeVisible();
  });

  test('says why it stays locked where the confirmation was refused', async () => {
    const hub = hubWith([NONE]);
    const refused = new FakeHubApi(hub.snapshot, {
      'hub.confirmRestore': () => ({
        ok: false,
        problem: problemOf('identity_locked', 'The key vault did not keep the counter.'),
      }),
    });
    await showApp(refused, 'now');
    refused.emit({ type: 'hub', hub: RESTORED });
    await press(button('Use this copy and keep no hub and no agent'));
    await expect
      .element(page.getByText('The key vault did not keep the counter.', { exact: false }))
      .toBeVisible();
    await expect.element(button('Use this copy and keep no hub and no agent')).toBeVisible();
  });
});

test('a hub that met another one with its own key says so on every page until that is gone', async () => {
  const hub = hubWith([NONE]);
  await showApp(hub, 'now');
  const said = page.getByText('Another hub with the key of this one was met at 192.168.1.8:7100.');
  await expect.element(said).not.toBeInTheDocument();
  hub.emit({ type: 'hub', hub: { ...MUM, copy_at: '192.168.1.8:7100' } });
  await expect.element(said).toBeVisible();
  await expect.element(page.getByText('stop one of them for good', { exact: false })).toBeVisible();
  await expectAccessible();
  hub.emit({ type: 'hub', hub: MUM });
  await expect.element(said).not.toBeInTheDocument();
});
