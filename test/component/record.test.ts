// The page of the record: whether it is the newest and whole, the record as a file, and the word that an older one is meant.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { AuditCheckDto, AuditRowDto } from '../../preload/contract/audit.ts';
import type { CallOutcome } from '../../preload/contract/hub-api.ts';
import type { OperationResult } from '../../preload/contract/operations.ts';
import { FakeHubApi, problemOf } from '../fakes/fake-hub-api.ts';
import { MUM, NOW, snapshotOf } from '../fakes/household.ts';
import { callsOf, expectAccessible, press, showApp } from './support/page.ts';

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
  seals: 9,
  counted: true,
  finished_at: NOW,
  flaw: null,
  flaws: [],
  problem: null,
  unsigned_end: null,
};
const NONE: AuditCheckDto = { ...DONE, state: 'none', rows: 0, checked: 0 };

function hubWith(checks: readonly AuditCheckDto[], record: typeof MUM.record = 'current'): FakeHubApi {
  const left = [...checks];
  const next = (): AuditCheckDto => (left.length > 1 ? left.shift() : left[0]) ?? NONE;
  return new FakeHubApi(snapshotOf({ hub: { ...MUM, record } }), {
    'audit.list': ({ cursor }) => ({
      ok: true,
      value: cursor === undefined ? { items: [rowOf(40), rowOf(39)], next: '39' } : { items: [rowOf(38)], next: null },
    }),
    'audit.verification': () => ({ ok: true, value: next() }),
    'audit.verify': () => ({ ok: true, value: next() }),
    'audit.cancelVerification': () => ({ ok: true, value: { ...DONE, state: 'cancelled', checked: 500 } }),
    'audit.export': ({ format, cursor }) => ({
      ok: true,
      value: cursor === undefined ? { text: `first ${format} `, next: 'rows.1.2.3' } : { text: 'second', next: null },
    }),
    'audit.confirm': () => ({ ok: true, value: { state: 'current' } }),
  });
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('the record', () => {
  test('shows a row that another program left without a time, and one that says nothing, beside the others', async () => {
    const api = new FakeHubApi(snapshotOf({ hub: { ...MUM, record: 'broken' } }), {
      'audit.list': () => ({
        ok: true,
        value: { items: [rowOf(40), { ...rowOf(39), at: null, action: '', actor: '', object: '' }], next: null, doubt: rowOf(40) },
      }),
      'audit.verification': () => ({ ok: true, value: NONE }),
    });
    await showApp(api, 'settings/record');
    await expect.element(page.getByRole('heading', { name: 'Without a time', level: 3 })).toBeVisible();
    await expect.element(page.getByText('What was done does not stand here.')).toBeVisible();
    await expect.element(page.getByText('in a browser', { exact: true })).toBeVisible();
    await expect.element(button('This record is meant')).toBeVisible();
  });

  test('opens from the settings, with its newest rows, and older ones on request', async () => {
    await showApp(hubWith([NONE]), 'settings');
    await page.getByRole('link', { name: 'Open it' }).click();
    await expect.element(page.getByRole('heading', { name: 'The record', level: 1 })).toBeVisible();
    await expect.element(page.getByText('You allowed a request.').first()).toBeVisible();
    await expect.element(page.getByRole('heading', { name: 'Today', level: 3 })).toBeVisible();
    const exact = page.getByText('Row 40, by ui:0123456789abcdef, of approval-40', { exact: false });
    await expect.element(exact).not.toBeVisible();
    await page.getByText('Exact identifiers').first().click();
    await expect.element(exact).toBeVisible();
    await button('Show older ones').click();
    await expect.element(page.getByText('Row 38,', { exact: false })).toBeInTheDocument();
    await expect.element(button('Show older ones')).not.toBeInTheDocument();
    await expectAccessible();
  });

  test('says that nothing is on record yet once the hub has said so, and not before', async () => {
    const { promise, resolve } = Promise.withResolvers<CallOutcome<OperationResult<'audit.list'>>>();
    const hub = new FakeHubApi(snapshotOf({ hub: MUM }), {
      'audit.list': () => promise,
      'audit.verification': () => ({ ok: true, value: NONE }),
    });
    await showApp(hub, 'settings/record');
    await expect.element(page.getByRole('heading', { name: 'The newest rows' })).toBeVisible();
    expect(document.body.textContent).not.toContain('Nothing is on record yet.');
    resolve({ ok: true, value: { items: [], next: null } });
    await expect.element(page.getByText('Nothing is on record yet.')).toBeVisible();
    await expectAccessible();
  });

  test('the owner’s own logins of a day are one quiet line', async () => {
    const login = (seq: number): AuditRowDto => ({ ...rowOf(seq), action: 'token.revoked', detail: { kind: 'owner', agent: null } });
    const hub = new FakeHubApi(snapshotOf({ hub: MUM }), {
      'audit.list': () => ({ ok: true, value: { items: [login(40), rowOf(39), login(38)], next: null } }),
      'audit.verification': () => ({ ok: true, value: NONE }),
    });
    await showApp(hub, 'settings/record');
    await expect.element(page.getByText('You logged in or out 2 times.')).toBeVisible();
    await expect.element(page.getByText('You allowed a request.')).toBeVisible();
    await expectAccessible();
  });

  test('a second press while older rows are on their way asks for nothing, and no row stands there twice', async () => {
    const { promise, resolve } = Promise.withResolvers<CallOutcome<OperationResult<'audit.list'>>>();
    const hub = new FakeHubApi(snapshotOf({ hub: MUM }), {
      'audit.list': ({ cursor }) => (cursor === undefined ? { ok: true, value: { items: [rowOf(40), rowOf(39)], next: '39' } } : promise),
      'audit.verification': () => ({ ok: true, value: NONE }),
    });
    await showApp(hub, 'settings/record');
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
    await showApp(hub, 'settings/record');
    await expect.element(page.getByText('Checked 500 of', { exact: false })).toBeVisible();
    await vi.advanceTimersByTimeAsync(300);
    await expect.element(page.getByText('The hub does not answer.')).toBeVisible();
    await vi.advanceTimersByTimeAsync(2_000);
    await expect.element(page.getByText('The record is whole', { exact: false })).toBeVisible();
    await expect.element(page.getByText('The hub does not answer.')).not.toBeInTheDocument();
  });

  test('is checked while its progress shows, and the verdict says what it means', async () => {
    const running: AuditCheckDto = { ...DONE, state: 'running', checked: 500 };
    await showApp(hubWith([NONE, running, { ...running, checked: 9_000 }, DONE]), 'settings/record');
    await button('Check it').click();
    await expect.element(page.getByText('Checked 500 of', { exact: false })).toBeVisible();
    await vi.advanceTimersByTimeAsync(300);
    await expect.element(page.getByText('Checked 9,000 of', { exact: false })).toBeVisible();
    await vi.advanceTimersByTimeAsync(300);
    await expect.element(page.getByText('The record is whole', { exact: false })).toBeVisible();
    await expect.element(page.getByText('It is signed up to row 12,340', { exact: false })).toBeVisible();
  });

  test('a check can be stopped, and one that is under way shows when the page is opened', async () => {
    const hub = hubWith([{ ...DONE, state: 'running', checked: 400 }]);
    await showApp(hub, 'settings/record');
    await press(button('Stop checking'));
    await expect.element(page.getByText('The check was stopped after 500', { exact: false })).toBeVisible();
    expect(callsOf(hub, 'audit.cancelVerification')).toEqual([{}]);
    await expect.element(button('Check it')).toBeVisible();
  });

  test('is begun by keyboard without losing the place, and says by itself only what came of it', async () => {
    const running: AuditCheckDto = { ...DONE, state: 'running', checked: 500 };
    await showApp(hubWith([NONE, running, { ...running, checked: 9_000 }, DONE]), 'settings/record');
    const check = button('Check it').element();
    check.focus();
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByText('Checked 500 of 12,345 rows…')).toBeVisible();
    expect(document.activeElement).toBe(check);
    expect(check.textContent.trim()).toBe('Stop checking');
    const region = page.getByText('Checked 500 of 12,345 rows…').element().closest('[role="status"]');
    expect(region?.getAttribute('aria-live')).toBe('off');
    await vi.advanceTimersByTimeAsync(300);
    await vi.advanceTimersByTimeAsync(300);
    await expect.element(page.getByText(/^The record is whole/)).toBeVisible();
    expect(region?.getAttribute('aria-live')).toBe('polite');
    expect(document.activeElement).toBe(check);
  });

  test('rows that were not signed when the hub ended are said before any check, and with every one', async () => {
    const end = { rows: 3, from_seq: 38, from_at: NOW - 60_000, ends: 1 };
    await showApp(
      hubWith([
        { ...NONE, unsigned_end: end },
        { ...DONE, unsigned_end: { ...end, ends: 2 } },
      ]),
      'settings/record',
    );
    const said = page.getByText('When the hub ended, 3 rows from row 38 on', { exact: false });
    await expect.element(said).toBeVisible();
    await expect.element(said).not.toHaveTextContent('in all');
    await expect.element(page.getByText('The record is whole', { exact: false })).not.toBeInTheDocument();
    await button('Check it').click();
    await expect.element(page.getByText('The record is whole', { exact: false })).toBeVisible();
    await expect.element(said).toHaveTextContent('That happened 2 times in all; the record says when.');
    await expectAccessible();
  });

  test('a record that is not whole says which row and what to do, and does not by its colour alone', async () => {
    const sentence = 'Row 57 was changed after it was written.';
    const flaw = { kind: 'row_changed', seq: 57, sentence, meant: false } as const;
    const known = { kind: 'row_missing', seq: 80, sentence: 'Row 80 is missing.', meant: true } as const;
    await showApp(hubWith([{ ...DONE, flaw, flaws: [flaw, known] }]), 'settings/record');
    const verdict = page.getByText(`The record is not whole. ${sentence} Row 80 is missing. You have said that it is meant.`, {
      exact: false,
    });
    await expect.element(verdict).toBeVisible();
    await expect.element(page.getByText('Keep a copy of the data folder as it is', { exact: false })).toBeVisible();
    await expectAccessible();
  });

  test('is handed out as one file, made of every piece', async () => {
    const saved: Promise<string>[] = [];
    const names: string[] = [];
    vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
      saved.push(blob instanceof Blob ? blob.text() : Promise.resolve(''));
      return 'blob:of-this-test';
    });
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      names.push(this.download);
    });
    const hub = hubWith([NONE]);
    await showApp(hub, 'settings/record');
    // The other click is a real one.
    button('CSV')
      .element()
      .dispatchEvent(new MouseEvent('click', { bubbles: true }));
    await expect.element(page.getByText('The file is yours: axon-record.csv.')).toBeInTheDocument();
    expect([names, await Promise.all(saved)]).toEqual([['axon-record.csv'], ['first csv second']]);
    expect(callsOf(hub, 'audit.export')).toEqual([{ format: 'csv' }, { format: 'csv', cursor: 'rows.1.2.3' }]);
  });

  test('an older one is said on every screen, and confirmed on the page of the record only', async () => {
    const hub = hubWith([NONE], 'older_copy');
    await showApp(hub, 'rules');
    await expect.element(page.getByText('An older record was put back.')).toBeVisible();
    await expect.element(button('This record is meant')).not.toBeInTheDocument();
    await page.getByRole('link', { name: 'Look at it' }).click();
    await expect.element(button('This record is meant')).toBeVisible();
    expect(page.getByText('An older record was put back.').elements()).toHaveLength(1);
    await expectAccessible();
    await press(button('This record is meant'));
    expect(callsOf(hub, 'audit.confirm')).toEqual([{ seen: 0 }]);
    hub.emit({ type: 'hub', hub: { ...MUM, record: 'current' } });
    await expect.element(page.getByText('An older record was put back.')).not.toBeInTheDocument();
    const confirmed = page.getByText('Confirmed and on record. Rules act again.');
    await expect.element(confirmed).toBeVisible();
    expect(confirmed.element().getBoundingClientRect().width).toBeGreaterThan(100);
    hub.emit({ type: 'hub', hub: { ...MUM, record: 'broken' } });
    await expect.element(confirmed).not.toBeInTheDocument();
  });

  test.each(['here', 'elsewhere'])(
    'once it was said %s that the record is meant, no check of before says that it is not whole',
    async (where) => {
      const flaw = { kind: 'older_copy', seq: 24, sentence: 'This record ends with row 24.', meant: false } as const;
      const checks: AuditCheckDto[] = [{ ...DONE, flaw, flaws: [flaw] }];
      const hub = hubWith([], 'older_copy');
      const api = new FakeHubApi(hub.snapshot, {
        'audit.list': () => ({ ok: true, value: { items: [rowOf(24)], next: null } }),
        'audit.verification': () => ({ ok: true, value: checks[0] ?? NONE }),
        'audit.confirm': () => {
          checks.length = 0;
          return { ok: true, value: { state: 'current' } };
        },
      });
      await showApp(api, 'settings/record');
      const alarm = page.getByText('The record is not whole. This record ends with row 24.', { exact: false });
      await expect.element(alarm).toBeVisible();
      if (where === 'here') await press(button('This record is meant'));
      else checks.length = 0;
      api.emit({ type: 'hub', hub: { ...MUM, record: 'current' } });
      await expect.element(alarm).not.toBeInTheDocument();
      await expectAccessible();
    },
  );

  test('every row shows the number by which the page speaks of it', async () => {
    await showApp(hubWith([NONE]), 'settings/record');
    await expect.element(page.getByText('Row 40', { exact: true })).toBeVisible();
  });

  test('a word that more was added to is refused, with the newest row that names it', async () => {
    const doubted: AuditRowDto = { ...rowOf(41), actor: 'hub', surface: 'hub', action: 'audit.doubted', detail: { added: [[7, 7]] } };
    let asked = 0;
    const hub = new FakeHubApi(snapshotOf({ hub: { ...MUM, record: 'broken' } }), {
      'audit.list': () => ({ ok: true, value: { items: asked++ === 0 ? [rowOf(40)] : [doubted, rowOf(40)], next: null } }),
      'audit.verification': () => ({ ok: true, value: NONE }),
      'audit.confirm': () => ({ ok: false, problem: problemOf('conflict', 'Rows were added as well.') }),
    });
    await showApp(hub, 'settings/record');
    await press(button('This record is meant'));
    await expect.element(page.getByText('another program added row 7', { exact: false })).toBeVisible();
    await expect.element(page.getByText('Rows were added as well.', { exact: false })).toBeVisible();
    await expectAccessible();
  });

  test('a word means what the page shows: the row about the doubt, by its number, also where that arose with the page open', async () => {
    const doubted = (seq: number, from: number): AuditRowDto => ({
      ...rowOf(seq),
      actor: 'hub',
      surface: 'hub',
      action: 'audit.doubted',
      detail: { added: [[from, from]] },
    });
    let doubt: AuditRowDto | undefined;
    const hub = new FakeHubApi(snapshotOf({ hub: MUM }), {
      'audit.list': () => ({ ok: true, value: { items: [rowOf(90)], next: null, ...(doubt === undefined ? {} : { doubt }) } }),
      'audit.verification': () => ({ ok: true, value: NONE }),
      'audit.confirm': () => ({ ok: false, problem: problemOf('conflict', 'Another row says so by now.') }),
    });
    await showApp(hub, 'settings/record');
    await expect.element(page.getByText('You allowed a request.').first()).toBeVisible();
    doubt = doubted(41, 7);
    hub.emit({ type: 'hub', hub: { ...MUM, record: 'broken' } });
    await expect.element(page.getByText('Row 41 tells of it: another program added row 7.', { exact: false })).toBeVisible();
    doubt = doubted(43, 42);
    await vi.advanceTimersByTimeAsync(5_000);
    await userEvent.click(button('This record is meant').element());
    await expect.element(page.getByText('Row 43 tells of it: another program added row 42.', { exact: false })).toBeVisible();
    expect(callsOf(hub, 'audit.confirm')).toEqual([{ seen: 41 }]);
    await expectAccessible();
  });

  test('one that does not fit together is said on every screen, with what to do', async () => {
    await showApp(hubWith([NONE], 'broken'), 'rules');
    await expect
      .element(
        page.getByText('Rows of the record were changed, removed or added by another program. Check it to see which.', { exact: false }),
      )
      .toBeVisible();
    await page.getByRole('link', { name: 'Look at it' }).click();
    await expect.element(button('This record is meant')).toBeVisible();
    await expectAccessible();
  });

  test('what the hub refuses stands on the page', async () => {
    const hub = hubWith([NONE]);
    const refused = new FakeHubApi(hub.snapshot, {
      'audit.list': () => ({ ok: false, problem: problemOf('storage_failed', 'The disk did not give it back.') }),
    });
    await showApp(refused, 'settings/record');
    await expect.element(page.getByText('The disk did not give it back.', { exact: false })).toBeVisible();
  });
});
