// Who may change who decides: a wrong owner passphrase at a page is on record, and holds up no
// terminal.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SystemRandom } from '../../../main/adapters/clock/system-clock.ts';
import { remoteApprovalHandlers } from '../../../main/api/operations/remote-approval.ts';
import type { Caller } from '../../../main/api/caller.ts';
import { PASSPHRASE_FAILURE_DELAY_MS } from '../../../main/services/auth/limits.ts';
import { PassphraseService } from '../../../main/services/auth/passphrase-service.ts';
import { RemoteApprovalHouse } from '../../fakes/remote-approval-house.ts';
import { SILENT_LOG } from '../../fakes/memory-store.ts';

const CONTEXT = { signal: new AbortController().signal, idempotencyKey: null };
const PAGE: Caller = { kind: 'ui', tokenId: 'ui-1', surface: 'browser' };
const TERMINAL: Caller = { kind: 'owner', tokenId: 'owner-1', surface: 'command_line' };

let house: RemoteApprovalHouse;
beforeEach(async () => {
  house = await new RemoteApprovalHouse().open();
});
afterEach(() => house.close());

it('HT-09: writes down who gave a wrong passphrase, changes nothing, and lets the terminal in meanwhile', async () => {
  const { leo, clock } = house;
  const passphrase = new PassphraseService({
    store: leo.store,
    clock,
    log: SILENT_LOG,
    random: new SystemRandom(),
  });
  await passphrase.setFirst('correct horse', { actor: 'test', surface: 'hub' });
  const handlers = remoteApprovalHandlers({ setting: leo.work.remoteApproval, passphrase });
  await handlers['remote_approval.set'](
    { from: 'R2', hubs: ['mum'], passphrase: 'correct horse' },
    PAGE,
    CONTEXT,
  );
  const timers = clock.timers;
  const guess = handlers['remote_approval.set'](
    { from: null, hubs: [], passphrase: 'a guess' },
    PAGE,
    CONTEXT,
  ).catch((error: unknown) => error);
  await expect.poll(() => house.audit(leo, 'passphrase.refused')).toHaveLength(1);
  await expect.poll(() => clock.timers).toBe(timers + 1);
  const set = handlers['remote_approval.set'](
    { from: 'R1', hubs: ['mum'], passphrase: 'correct horse' },
    TERMINAL,
    CONTEXT,
  );
  expect((await set).from, 'while the page still waits').toBe('R1');
  await clock.advance(PASSPHRASE_FAILURE_DELAY_MS);
  expect(await guess).toMatchObject({ code: 'wrong_passphrase' });
  expect(house.audit(leo, 'passphrase.refused')).toMatchObject([
    { actor: 'ui:ui-1', surface: 'browser', object: 'owner' },
  ]);
});
