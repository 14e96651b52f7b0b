// Login codes, the owner passphrase and the settings, on a real store with a clock the test moves.
import { scryptSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SystemRandom } from '../../../../main/adapters/clock/system-clock.ts';
import {
  LOGIN_CODE_FAILURES_MAX,
  LOGIN_CODE_MAX_MS,
  PASSPHRASE_BACK_OFF_MAX_MS,
  PASSPHRASE_FAILURE_DELAY_MS,
  PASSPHRASE_FAILURES_FREE,
  PASSPHRASE_SCRYPT,
  PASSPHRASE_TRIES_WAITING_MAX,
} from '../../../../main/services/auth/limits.ts';
import { AppError } from '../../../../main/lib/app-error.ts';
import { toBase64 } from '../../../../main/lib/bytes.ts';
import { LoginService } from '../../../../main/services/auth/login-service.ts';
import {
  PassphraseService,
  type PassphraseLine,
} from '../../../../main/services/auth/passphrase-service.ts';
import { SECURITY_AUDIT } from '../../../../main/services/base/limits.ts';
import { SettingsService } from '../../../../main/services/auth/settings-service.ts';
import { EventBus } from '../../../../main/services/base/event-bus.ts';
import type { FixedSettings } from '../../../../preload/contract/settings-dto.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { SILENT_LOG, openTemporaryStore } from '../../../fakes/memory-store.ts';
import type { TemporaryStore } from '../../../fakes/memory-store.ts';
import { quickPassphrase } from '../../../support/quick-passphrase.ts';

const BY = { actor: 'test', surface: 'hub' } as const;
const random = new SystemRandom();
const { signal } = new AbortController();
let clock: ManualClock;
let store: TemporaryStore;

beforeEach(() => {
  clock = new ManualClock();
  store = openTemporaryStore(clock);
});
afterEach(() => store.close());

describe('HT-13: a login code', () => {
  test('has 128 bits and works once', () => {
    const login = new LoginService({ clock, random });
    const { code } = login.makeCode();
    expect(Buffer.from(code, 'base64url')).toHaveLength(16);
    login.spend(code);
    expect(() => login.spend(code)).toThrow(expect.objectContaining({ code: 'unauthenticated' }));
  });

  test('is refused after 90 seconds, with the same words as a wrong one', async () => {
    const login = new LoginService({ clock, random });
    const { code } = login.makeCode();
    await clock.advance(LOGIN_CODE_MAX_MS);
    const late = thrownBy(() => login.spend(code));
    const wrong = thrownBy(() => login.spend('wrong'));
    expect(late).toMatchObject({ code: 'unauthenticated' });
    expect(late.message).toBe(wrong.message);
  });

  test('is void after five wrong tries at it, and a new code works again', () => {
    const login = new LoginService({ clock, random });
    const { code } = login.makeCode();
    for (let count = 0; count < LOGIN_CODE_FAILURES_MAX; count += 1)
      thrownBy(() => login.spend(nearly(code)));
    expect(() => login.spend(code)).toThrow();
    login.spend(login.makeCode().code);
  });

  test('still works after four wrong ones', () => {
    const login = new LoginService({ clock, random });
    const { code } = login.makeCode();
    for (let count = 1; count < LOGIN_CODE_FAILURES_MAX; count += 1)
      thrownBy(() => login.spend(nearly(code)));
    expect(() => login.spend(code)).not.toThrow();
  });

  test('is not void because somebody who knows nothing of it guesses without end', () => {
    const login = new LoginService({ clock, random });
    const { code } = login.makeCode();
    for (let count = 0; count < 500; count += 1) thrownBy(() => login.spend(`guess ${count}`));
    expect(() => login.spend(code)).not.toThrow();
  });
});

describe('the owner passphrase', () => {
  test('is kept as a slow hash only, and is recognised', async () => {
    const service = new PassphraseService({ store, clock, log: SILENT_LOG, random });
    expect(service.isSet()).toBe(false);
    await expect(service.check('anything', signal)).rejects.toMatchObject({
      code: 'passphrase_required',
    });
    await service.setFirst('correct horse', BY);
    expect(store.read.getMeta('auth.passphrase')).not.toContain('correct horse');
    await expect(service.check('correct horse', signal)).resolves.toBeUndefined();
  });

  test('costs a second when it is wrong, and nobody is answered sooner', async () => {
    const service = new PassphraseService({ store, clock, log: SILENT_LOG, random });
    await service.setFirst('correct horse', BY);
    const answers: unknown[] = [];
    const before = clock.timers;
    const heldUp = () => expect.poll(() => clock.timers).toBe(before + 1);
    const tries = ['wrong one', 'wrong two'].map((wrong) =>
      service.check(wrong, signal).catch((error: unknown) => answers.push(error)),
    );
    await heldUp();
    expect(answers).toHaveLength(0);
    await clock.advance(PASSPHRASE_FAILURE_DELAY_MS);
    await tries[0];
    expect(answers).toEqual([expect.objectContaining({ code: 'wrong_passphrase' })]);
    await heldUp();
    expect(answers).toHaveLength(1);
    await clock.advance(PASSPHRASE_FAILURE_DELAY_MS);
    await tries[1];
    expect(answers).toHaveLength(2);
  });

  test('is not tried beyond the queue: the next one is told when to come back', async () => {
    const service = new PassphraseService({ store, clock, log: SILENT_LOG, random });
    await service.setFirst('correct horse', BY);
    const gone = AbortSignal.abort();
    const waiting = Array.from({ length: PASSPHRASE_TRIES_WAITING_MAX }, () =>
      service.check('wrong', gone).catch(() => 'refused'),
    );
    await expect(service.check('correct horse', signal)).rejects.toMatchObject({
      code: 'rate_limited',
    });
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => 'refused'));
    await expect(service.check('correct horse', signal)).resolves.toBeUndefined();
  });
});

describe('HT-09: a wrong owner passphrase at a page that is logged in', () => {
  const PAGE = { actor: 'ui:1', surface: 'browser' } as const;
  let service: PassphraseService;
  beforeEach(async () => {
    service = new PassphraseService({ store, clock, log: SILENT_LOG, random });
    await store.write((tables) =>
      tables.setMeta('auth.passphrase', quickPassphrase('correct horse')),
    );
  });
  const refused = () =>
    store.read.audit({ limit: 200 }).filter(({ action }) => action === 'passphrase.refused');
  const isWrong = async (line: PassphraseLine): Promise<void> => {
    const before = clock.timers;
    const answer = service.check('a guess', signal, line, PAGE).catch((error: unknown) => error);
    await expect.poll(() => clock.timers).toBe(before + 1);
    await clock.advance(PASSPHRASE_FAILURE_DELAY_MS);
    expect(await answer).toMatchObject({ code: 'wrong_passphrase' });
  };
  const severalWrong = async (line: PassphraseLine, times: number): Promise<void> => {
    for (let count = 0; count < times; count += 1) await isWrong(line);
  };

  test('is on record with who gave it, and never what was given', async () => {
    await isWrong('page');
    expect(refused()).toMatchObject([
      { actor: 'ui:1', surface: 'browser', object: 'owner', detail: '{"line":"page"}' },
    ]);
    expect(JSON.stringify(store.read.audit({ limit: 200 }))).not.toContain('a guess');
    await service.check('correct horse', signal, 'page', PAGE);
    expect(refused()).toHaveLength(1);
  });

  test('closes that line for longer each time, up to a minute, and a right one opens it', async () => {
    await severalWrong('page', PASSPHRASE_FAILURES_FREE);
    const closed = {
      code: 'rate_limited',
      message: expect.stringContaining('5 times in a row') as string,
    };
    await expect(service.check('correct horse', signal, 'page', PAGE)).rejects.toMatchObject({
      ...closed,
      retryAfterMs: 1_000,
    });
    await clock.advance(1_000);
    await isWrong('page');
    await expect(service.check('correct horse', signal, 'page', PAGE)).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 3_000,
    });
    for (let count = 0; count < 5; count += 1) {
      await clock.advance(PASSPHRASE_BACK_OFF_MAX_MS.page);
      await isWrong('page');
    }
    await clock.advance(PASSPHRASE_BACK_OFF_MAX_MS.page - PASSPHRASE_FAILURE_DELAY_MS - 1);
    await expect(service.check('correct horse', signal, 'page', PAGE)).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 1,
    });
    await clock.advance(1);
    await service.check('correct horse', signal, 'page', PAGE);
    await isWrong('page');
    await service.check('correct horse', signal, 'page', PAGE);
  });

  test('keeps nobody out at a terminal: neither by a full line nor by a closed one', async () => {
    await severalWrong('page', PASSPHRASE_FAILURES_FREE);
    await service.check('correct horse', signal, 'owner');
    await service.check('correct horse', signal, 'anyone');
    const gone = AbortSignal.abort();
    const waiting = Array.from({ length: PASSPHRASE_TRIES_WAITING_MAX }, () =>
      service.check('wrong', gone, 'page', PAGE).catch(() => null),
    );
    await expect(service.check('wrong', signal, 'page', PAGE)).rejects.toMatchObject({
      code: 'rate_limited',
    });
    await service.check('correct horse', signal, 'owner');
    await Promise.all(waiting);
  });

  test('fills no record: the rows of each line are bounded', async () => {
    const { burst, perMinute } = SECURITY_AUDIT;
    const startMs = clock.monotonicMs();
    await severalWrong('owner', burst + 5);
    // The last of them was given before its own second had passed.
    const passedMs = clock.monotonicMs() - startMs - PASSPHRASE_FAILURE_DELAY_MS;
    const rows = burst + Math.floor((passedMs * perMinute) / 60_000);
    expect(rows).toBeLessThan(burst + 5);
    expect(refused()).toHaveLength(rows);
    await isWrong('page');
    expect(refused()).toHaveLength(rows + 1);
  });

  test('costs its second and is answered as wrong though the disk takes no row about it, which the log tells', async () => {
    const told: unknown[] = [];
    const log = {
      ...SILENT_LOG,
      warn: (message: string, fields?: object) => void told.push([message, fields]),
    };
    service = new PassphraseService({ store, clock, log, random });
    const write = store.write.bind(store);
    store.write = () => Promise.reject(new AppError('storage_failed', 'The disk is full.'));
    await isWrong('page');
    store.write = write;
    expect(refused()).toEqual([]);
    expect(told).toEqual([
      ['a wrong owner passphrase is not on record', { line: 'page', error: 'The disk is full.' }],
    ]);
    await isWrong('page');
    expect(refused()).toHaveLength(1);
  });
});

describe('an owner passphrase that is set', () => {
  test.each([
    ['correct horse', 'correct horse '],
    [' correct horse\t', 'correct horse'],
    ['Gru\u0308sse an Oma', 'Gr\u00fcsse an Oma'],
    ['correct\u00a0horse', 'correct horse'],
    ['パスワードは長い', 'ﾊﾟｽﾜｰﾄﾞは長い'],
    ['می\u200cخواهم بروم', 'می\u200cخواهم بروم'],
  ])('as %j is recognised as %j', async (set, typed) => {
    const service = new PassphraseService({ store, clock, log: SILENT_LOG, random });
    await service.setFirst(set, BY);
    await expect(service.check(typed, signal)).resolves.toBeUndefined();
  });

  test('with a blank around it by an older version is still recognised', async () => {
    const service = new PassphraseService({ store, clock, log: SILENT_LOG, random });
    await service.setFirst('correct horse', BY);
    const salt = random.bytes(16);
    const { N, r, p } = PASSPHRASE_SCRYPT;
    const hash = scryptSync('correct horse ', salt, 32, PASSPHRASE_SCRYPT);
    const record = { salt: toBase64(salt), hash: toBase64(hash), N, r, p };
    await store.write((tables) => tables.setMeta('auth.passphrase', JSON.stringify(record)));
    await expect(service.check('correct horse ', signal)).resolves.toBeUndefined();
  });

  test.each([
    'correct\nhorse battery',
    'correct\0horse battery',
    'correct\thorse battery',
    'correct\u200bhorse battery',
    'correct\u202ehorse battery',
    'correct \ufffd\ufffd horse',
    'correct \ud800 horse battery',
    '1234567        ',
  ])('is never %j', async (wanted) => {
    const service = new PassphraseService({ store, clock, log: SILENT_LOG, random });
    await expect(service.setFirst(wanted, BY)).rejects.toMatchObject({ code: 'bad_request' });
    expect(service.isSet()).toBe(false);
  });
});

describe('HT-13: of several owner passphrases set at once', () => {
  test('one first one is kept and the others are told', async () => {
    const service = new PassphraseService({ store, clock, log: SILENT_LOG, random });
    const wanted = ['passphrase one', 'passphrase two', 'passphrase three'];
    const outcomes = await Promise.allSettled(
      wanted.map((passphrase) => service.setFirst(passphrase, BY)),
    );
    const kept = wanted.filter((_passphrase, at) => outcomes[at]?.status === 'fulfilled');
    expect(kept).toHaveLength(1);
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason] : [],
    );
    expect(refused).toEqual([
      expect.objectContaining({ code: 'conflict' }),
      expect.objectContaining({ code: 'conflict' }),
    ]);
    await expect(service.check(kept[0] ?? '', signal)).resolves.toBeUndefined();
    expect(
      store.read.audit({ limit: 9 }).filter(({ action }) => action === 'passphrase.set'),
    ).toHaveLength(1);
  });

  test('one change is kept and the other is told', async () => {
    const service = new PassphraseService({ store, clock, log: SILENT_LOG, random });
    await service.setFirst('the one before', BY);
    const outcomes = await Promise.allSettled(
      ['passphrase one', 'passphrase two'].map((passphrase) =>
        service.change('the one before', passphrase, BY, signal),
      ),
    );
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes).toContainEqual({
      status: 'rejected',
      reason: expect.objectContaining({ code: 'conflict' }),
    });
  });
});

describe('the settings', () => {
  const make = (
    overrides: { name?: string; discovery?: boolean; approvals_wait_minutes?: number } = {},
    events = new EventBus(),
  ): SettingsService =>
    new SettingsService(
      { store, clock, events, log: SILENT_LOG, defaultName: () => 'Hub 3f2a' },
      overrides,
    );

  test('have defaults, keep what was changed across a restart, and tell pages', async () => {
    const events = new EventBus();
    const settings = make({}, events);
    expect(settings.current()).toMatchObject({
      name: 'Hub 3f2a',
      discovery: true,
      theme: 'system',
    });
    await settings.update({ name: "Mum's PC", theme: 'dark', person: undefined }, BY);
    expect(events.since(0)).toEqual([{ seq: 1, type: 'settings', settings: settings.current() }]);
    expect(make().current()).toMatchObject({ name: "Mum's PC", theme: 'dark', person: null });
  });

  test('given at start count until a person changes them, and not again after a restart with the same, which the log tells', async () => {
    const given = { name: 'flag', discovery: false, approvals_wait_minutes: 60 };
    const settings = make(given);
    expect(settings.current()).toMatchObject(given);
    const chosen = { name: 'typed', discovery: true, approvals_wait_minutes: 240 };
    await settings.update({ name: chosen.name }, BY);
    expect(settings.current()).toMatchObject({ ...given, name: 'typed' });
    await settings.update(chosen, BY);
    const told: unknown[] = [];
    const log = {
      ...SILENT_LOG,
      warn: (_message: string, fields?: object) => void told.push(fields),
    };
    const restarted = new SettingsService(
      { store, clock, events: new EventBus(), log, defaultName: () => 'Hub 3f2a' },
      given,
    );
    expect(restarted.current()).toMatchObject(chosen);
    expect(told).toEqual([
      { setting: 'name' },
      { setting: 'discovery' },
      { setting: 'approvals_wait_minutes' },
    ]);
    make(chosen);
    expect(make().current()).toMatchObject(chosen);
  });

  test('find no hub in a run that was told so, whatever a person changed before or in it, and again in the next', async () => {
    await make().update({ discovery: true }, BY);
    const warned: unknown[] = [];
    const log = {
      ...SILENT_LOG,
      warn: (_message: string, fields?: object) => void warned.push(fields),
    };
    const deps = { store, clock, events: new EventBus(), log, defaultName: () => 'Hub 3f2a' };
    const abroad = new SettingsService(deps, { discovery: false }, { discovery: '--discovery' });
    expect([abroad.current().discovery, warned]).toEqual([false, []]);
    expect((await abroad.update({ discovery: true, theme: 'dark' }, BY)).discovery).toBe(false);
    expect(make().current()).toMatchObject({ discovery: true, theme: 'dark' });
  });

  test('say how long a request waits for a person: half a day, then what was given at start, then what a person chose', async () => {
    expect(make().current().approvals_wait_minutes).toBe(720);
    const settings = make({ approvals_wait_minutes: 60 });
    expect(settings.current().approvals_wait_minutes).toBe(60);
    await settings.update({ approvals_wait_minutes: 240 }, BY);
    expect([settings.current(), make().current()].map((now) => now.approvals_wait_minutes)).toEqual(
      [240, 240],
    );
  });

  test('say how long things are kept: the default, what config.json says, what a person chose, and above all what this run was told', async () => {
    const by = { store, clock, events: new EventBus(), defaultName: () => 'Hub 3f2a' };
    const warned: unknown[] = [];
    const log = {
      ...SILENT_LOG,
      warn: (_message: string, fields?: object) => void warned.push(fields),
    };
    const open = (given: object, fixed: FixedSettings = {}) =>
      new SettingsService({ ...by, log }, given, fixed);
    expect(open({}).current()).toMatchObject({ keep_messages_days: 365, keep_feed_days: 90 });
    expect(open({}).current().fixed_at_start).toEqual({});
    const inFile = { keep_messages_days: 30, keep_feed_days: 7 };
    expect(open(inFile).current()).toMatchObject(inFile);
    await open(inFile).update({ keep_messages_days: 60 }, BY);
    expect(open(inFile).current()).toMatchObject({ keep_messages_days: 60, keep_feed_days: 7 });
    expect(warned).toEqual([{ setting: 'keep_messages_days' }]);
    const fixed = open(inFile, { keep_messages_days: '--keep-messages' });
    expect(await fixed.update({ keep_messages_days: 90, keep_feed_days: 14 }, BY)).toMatchObject({
      keep_messages_days: 30,
      keep_feed_days: 14,
      fixed_at_start: { keep_messages_days: '--keep-messages' },
    });
    expect(warned).toHaveLength(1);
    expect(open({}).current()).toMatchObject({ keep_messages_days: 90, keep_feed_days: 14 });
    expect(open({}).current().fixed_at_start).toEqual({});
  });

  test('keep all others where one cannot be read, and change nothing but what a person changes', async () => {
    await make().update({ keep_messages_days: 2_000, theme: 'dark' }, BY);
    const kept = { ...JSON.parse(store.read.getMeta('settings') ?? ''), theme: 'purple' };
    await store.write((tables) => tables.setMeta('settings', JSON.stringify(kept)));
    const damaged = make();
    expect(damaged.current()).toMatchObject({ keep_messages_days: 2_000, theme: 'system' });
    await damaged.update({ person: 'Mum' }, BY);
    expect(make().current()).toMatchObject({ keep_messages_days: 2_000, person: 'Mum' });
  });

  test('changed at the same moment by two pages are both kept', async () => {
    const settings = make();
    await Promise.all([
      settings.update({ name: 'one' }, BY),
      settings.update({ theme: 'light' }, BY),
    ]);
    expect(make().current()).toMatchObject({ name: 'one', theme: 'light' });
  });
});

/** The code with its last characters wrong. */
function nearly(code: string): string {
  return `${code.slice(0, -4)}....`;
}

function thrownBy(run: () => void): Error {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}
