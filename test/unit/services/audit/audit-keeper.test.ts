// Signing the audit at intervals, counting the signatures where the identity is kept, and seeing by that count that an older database was put
// back.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../../main/lib/app-error.ts';
import { AUDIT_NUMBER_MAX } from '../../../../main/ports/audit.ts';
import { SEAL_INTERVAL_MS, SEAL_ROWS_MAX, STOP_COUNT_MAX_MS } from '../../../../main/services/audit/limits.ts';
import { AuditHouse, PERSON } from '../../../fakes/audit-house.ts';

let house: AuditHouse;
beforeEach(async () => {
  house = await AuditHouse.start();
});
afterEach(() => house.close());

const seals = () => house.store.read.auditSeals(0, 100);

describe('the signatures over the audit', () => {
  it('are made a minute after rows were added, once for all of them, and none where nothing was', async () => {
    await house.act(3);
    await house.clock.advance(SEAL_INTERVAL_MS - 1);
    expect(seals()).toEqual([]);
    await house.minute();
    expect(seals().map(({ counter, previous, seq }) => [counter, previous, seq])).toEqual([[1, 0, 3]]);
    await house.minute();
    await house.act(2);
    await house.minute();
    expect(seals().map(({ counter, previous, seq }) => [counter, previous, seq])).toEqual([
      [1, 0, 3],
      [2, 1, 5],
    ]);
  });

  it('are made at an orderly stop, with their count', async () => {
    await house.act();
    await house.stop();
    expect(house.counter.mark?.value).toBe(1);
    await house.startAgain();
    expect(seals().at(-1)?.seq).toBe(1);
  });

  it('are made at once when many rows were added, and raise the count once a minute at most', async () => {
    const before = house.counter.writes;
    for (let round = 0; round < 3; round++) {
      await house.act(SEAL_ROWS_MAX);
      for (let row = 0; row < SEAL_ROWS_MAX; row++) house.audit.appended('peer');
      await house.clock.settle();
    }
    await expect.poll(() => seals().length).toBe(3);
    expect(house.counter.writes).toBe(before);
    await house.minute();
    expect(house.counter.writes).toBe(before + 1);
    expect(house.counter.mark?.value).toBe(3);
  });

  it('are made at a stop even while the vault hangs, and the stop waits two seconds for it at most', async () => {
    await house.act();
    house.counter.hangs = true;
    await house.clock.advance(SEAL_INTERVAL_MS);
    await house.act();
    const stopped = house.audit.stop();
    await house.clock.advance(STOP_COUNT_MAX_MS);
    await stopped;
    expect(house.store.read.lastAuditSeal()?.seq).toBe(2);
    house.counter.hangs = false;
  });

  it('are made at a stop though the keeper was started twice while the vault hung', async () => {
    await house.act();
    house.counter.hangs = true;
    await house.clock.advance(SEAL_INTERVAL_MS);
    house.audit.start();
    const stopped = house.audit.stop();
    await house.clock.advance(STOP_COUNT_MAX_MS);
    await stopped;
    expect(house.store.read.lastAuditSeal()?.seq).toBe(1);
    house.counter.hangs = false;
  });

  it('are counted after growing pauses of an hour at most while the vault takes no count, and soon after it was unlocked', async () => {
    house.counter.trouble = 'locked';
    const askedAtMinute: number[] = [];
    for (let minute = 1; minute <= 130; minute++) {
      await house.act();
      const before = house.counter.refusals;
      await house.minute();
      if (house.counter.refusals > before) askedAtMinute.push(minute);
    }
    expect(askedAtMinute).toEqual([1, 2, 4, 8, 16, 32, 64, 124]);
    house.counter.trouble = undefined;
    await house.audit.identityReady(new AbortController().signal);
    await house.minute();
    expect(house.counter.mark?.value).toBe(house.store.read.lastAuditSeal()?.counter);
    expect(house.store.read.lastAuditSeal()?.counter).toBe(130);
  });

  it('wait until their count can be kept', async () => {
    const other = await AuditHouse.start();
    try {
      other.counter.trouble = 'locked';
      await other.stop();
      await other.startAgain();
      await other.act();
      await other.minute();
      expect([other.audit.state, other.audit.rulesMayAct, other.store.read.lastAuditSeal()]).toEqual(['unchecked', false, undefined]);
      other.counter.trouble = undefined;
      await other.minute();
      await other.minute();
      expect([other.audit.state, other.audit.rulesMayAct, other.store.read.lastAuditSeal()?.seq]).toEqual(['current', true, 1]);
    } finally {
      await other.close();
    }
  });
});

describe('a chain that no longer fits', () => {
  const lastRow = () => house.store.read.audit({ limit: 1 })[0];

  it.each([
    ['a changed row', "UPDATE audit SET actor = 'nobody' WHERE seq = 6", { row: 6, flaw: 'changed' }],
    ['a removed row', 'DELETE FROM audit WHERE seq = 6', { row: 6, flaw: 'missing' }],
    ['a removed end', 'DELETE FROM audit WHERE seq > 7', { row: 8, flaw: 'missing' }],
    ['every new row removed', 'DELETE FROM audit WHERE seq > 4', { row: 5, flaw: 'missing' }],
    ['a removed row that was signed', 'DELETE FROM audit WHERE seq > 3', { row: 4, flaw: 'missing' }],
    ['the signed row removed from between', 'DELETE FROM audit WHERE seq = 4', { row: 4, flaw: 'missing' }],
    ['the signed row exchanged', 'UPDATE audit SET chain = zeroblob(32) WHERE seq = 4', { row: 4, flaw: 'changed' }],
    [
      'another row in the place of the signed one',
      "DELETE FROM audit WHERE seq > 4; UPDATE audit SET chain = zeroblob(32) WHERE seq = 4; UPDATE sqlite_sequence SET seq = 4 WHERE name = 'audit'",
      { row: 4, flaw: 'changed' },
    ],
  ])('is signed no further, is put on record once, and lets no rule act over any number of starts: %s', async (_what, sql, flaw) => {
    await house.act(4);
    await house.minute();
    await house.act(4);
    house.tamper(sql);
    await house.minute();
    const noted = lastRow();
    expect(noted).toMatchObject({ action: 'audit.doubted', actor: 'hub' });
    expect(JSON.parse(noted?.detail ?? '')).toMatchObject({ why: 'broken', counted: 1, kept: 1, ...flaw });
    for (let start = 0; start < 2; start++) {
      expect([house.audit.state, house.states.at(-1), house.audit.rulesMayAct]).toEqual(['broken', 'broken', false]);
      await house.act();
      await house.minute();
      await house.stop();
      await house.startAgain();
    }
    expect(seals()).toHaveLength(1);
    expect(house.actions().filter((action) => action === 'audit.doubted')).toHaveLength(1);
  });

  it('is gone on with once the owner has said so, with the row on record, and a check still names that row', async () => {
    await house.act(5);
    house.tamper("UPDATE audit SET actor = 'nobody' WHERE seq = 2");
    await house.minute();
    expect(seals()).toEqual([]);
    await house.confirm();
    expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['current', true]);
    expect(lastRow()).toMatchObject({ action: 'audit.confirmed', ...PERSON });
    expect(JSON.parse(lastRow()?.detail ?? '')).toMatchObject({ why: 'broken', counted: 0, kept: 0, row: 2, flaw: 'changed' });
    await house.act();
    await house.minute();
    expect(seals().map(({ seq }) => seq)).toEqual([7, 8]);
    expect((await house.verify()).flaw).toMatchObject({ kind: 'row_changed', seq: 2 });
    await house.stop();
    await house.startAgain();
    expect(house.audit.state).toBe('current');
  });
});

describe('what another program does while the key vault takes its time over the owner’s word', () => {
  const lastRow = () => house.store.read.audit({ limit: 1 })[0];

  async function confirmSlowly(meanwhile: () => Promise<void>): Promise<PromiseSettledResult<void>> {
    house.counter.hangs = true;
    const confirmed = Promise.allSettled([house.confirm()]);
    await house.clock.settle();
    await meanwhile();
    house.counter.answer();
    const [settled] = await confirmed;
    return settled;
  }

  async function inDoubt(): Promise<void> {
    await house.act(4);
    await house.minute();
    await house.addForeign();
    await house.act();
    await house.minute();
    expect([house.audit.state, lastRow()?.action]).toEqual(['broken', 'audit.doubted']);
  }

  it.each([
    ['last', 0],
    ['before a row of the hub', 1],
  ])('is not signed when it is a row more, %s, and is named on record', async (_where, more) => {
    await inDoubt();
    const before = seals().length;
    const added = (lastRow()?.seq ?? 0) + 1;
    const settled = await confirmSlowly(async () => {
      await house.addForeign();
      if (more > 0) await house.act(more);
    });
    expect(settled).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } });
    expect([house.audit.state, house.audit.rulesMayAct, seals().length]).toEqual(['broken', false, before]);
    expect(house.actions()).not.toContain('audit.confirmed');
    expect(JSON.parse(lastRow()?.detail ?? '')).toMatchObject({ why: 'broken', row: added, flaw: 'added' });
    await house.confirm();
    expect([house.audit.state, seals().at(-1)?.seq]).toEqual(['current', lastRow()?.seq]);
    expect((await house.verify()).flaw).toBeNull();
  });

  it('is not signed when it takes rows away', async () => {
    await inDoubt();
    await house.act(2);
    const settled = await confirmSlowly(async () => {
      await house.act();
      house.tamper('DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)');
    });
    expect(settled).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } });
    expect([house.audit.state, house.actions().includes('audit.confirmed')]).toEqual(['broken', false]);
  });

  it('is told from what the hub writes itself, which is signed with the word', async () => {
    await inDoubt();
    const settled = await confirmSlowly(() => house.act(3));
    expect(settled.status).toBe('fulfilled');
    expect([house.audit.state, lastRow()?.action, seals().at(-1)?.seq]).toEqual(['current', 'audit.confirmed', lastRow()?.seq]);
    expect((await house.verify()).flaw).toBeNull();
    await house.addForeign();
    await house.minute();
    expect(house.audit.state).toBe('broken');
  });

  it('is named by the next word, too, after one that the disk did not take', async () => {
    await inDoubt();
    const foreign = house.store.read.audit({ limit: 10 }).find(({ object }) => object === 'foreign')?.seq;
    const write = house.store.write.bind(house.store);
    house.store.write = () => Promise.reject(new AppError('storage_failed', 'The disk is full.'));
    await expect(house.confirm()).rejects.toMatchObject({ code: 'storage_failed' });
    house.store.write = write;
    expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['broken', false]);
    await house.confirm();
    expect(JSON.parse(lastRow()?.detail ?? '')).toMatchObject({ why: 'broken', row: foreign, flaw: 'added' });
    expect(house.audit.state).toBe('current');
  });
});

describe('a database that was put back', () => {
  async function rolledBack(): Promise<void> {
    await house.act(4);
    await house.stop();
    house.keepAs('older');
    await house.startAgain();
    await house.act(4, 'rule.removed');
    await house.stop();
    house.putBack('older');
    await house.startAgain();
  }

  it('is seen by the count, put on record once, and lets no rule act over any number of starts', async () => {
    await rolledBack();
    for (let start = 0; start < 2; start++) {
      expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['older_copy', false]);
      expect(house.actions().filter((action) => action === 'audit.doubted')).toHaveLength(1);
      await house.minute();
      await house.stop();
      await house.startAgain();
    }
    expect(house.states.at(-1)).toBe('older_copy');
    expect(await house.verify()).toMatchObject({ state: 'done', flaw: { kind: 'older_copy' } });
  });

  it.each([
    ['a signature of its own under a higher count', 'counter + 1000000, counter, seq, chain, at, key, signature'],
    ['a signature over another row', 'counter + 1000000, counter, 3, (SELECT chain FROM audit WHERE seq = 3), at, key, signature'],
    ['a signature by another key', `counter + 1000000, counter, seq, chain, at, '${'a'.repeat(64)}', randomblob(64)`],
  ])('is in doubt as well when %s stands in it, at a start and while the hub runs', async (_what, columns) => {
    const forged = `INSERT INTO audit_seals SELECT ${columns} FROM audit_seals ORDER BY counter DESC LIMIT 1`;
    await house.act(4);
    await house.stop();
    house.keepAs('older');
    await house.startAgain();
    await house.act(4);
    await house.stop();
    house.putBack('older');
    house.tamper(forged);
    for (let start = 0; start < 2; start++) {
      await house.startAgain();
      expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['broken', false]);
      await house.minute();
      await house.stop();
      expect(house.counter.mark?.value).toBe(2);
    }
    await house.startAgain();
    // The next signature has to count above the forged one, and the owner is told so before.
    await expect(house.confirm()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/number 1000001; .* number 2\.$/),
    });
    expect([house.audit.state, house.counter.mark?.value]).toEqual(['broken', 2]);
    await house.confirm();
    await house.act();
    await house.minute();
    expect([house.audit.state, house.counter.mark?.value]).toEqual(['current', 1_000_003]);
    house.tamper(forged);
    await house.stop();
    expect([house.audit.state, house.counter.mark?.value]).toEqual(['broken', 1_000_003]);
    await house.startAgain();
  });

  it('is taken for the record by nobody where a forged signature leaves no higher count, and the vault keeps its own', async () => {
    await house.act();
    await house.stop();
    house.tamper(`INSERT INTO audit_seals SELECT ${AUDIT_NUMBER_MAX}, counter, seq, chain, at, key, signature FROM audit_seals`);
    await house.startAgain();
    for (let word = 0; word < 2; word++) {
      await expect(house.confirm()).rejects.toMatchObject({ code: 'storage_failed' });
    }
    expect([house.audit.state, house.audit.rulesMayAct, house.counter.mark?.value]).toEqual(['broken', false, 1]);
  });

  it('is taken for the record once its owner says so, which is on record, and the count goes on above both', async () => {
    await rolledBack();
    await house.confirm();
    expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['current', true]);
    expect(house.store.read.audit({ limit: 1 })[0]).toMatchObject({ action: 'audit.confirmed', ...PERSON });
    expect(house.counter.mark?.value).toBe(3);
    expect(await house.verify()).toMatchObject({ state: 'done', flaw: null, counted: true });
    await house.act();
    await house.stop();
    await house.startAgain();
    expect(house.audit.state).toBe('current');
    await expect(house.confirm()).rejects.toMatchObject({ code: 'conflict' });
  });

  it.each([
    ['were changed', 5, () => Promise.resolve(house.tamper("UPDATE audit SET actor = 'nobody' WHERE seq = 5"))],
    [
      'were changed further back, as a check found,',
      2,
      async () => {
        house.tamper("UPDATE audit SET actor = 'nobody' WHERE seq = 2");
        await house.places();
      },
    ],
    ['were added', 6, () => house.addForeign()],
  ] as const)(
    'is not taken for the record by a first word when its rows %s as well, and stays one that was put back',
    async (_how, row, change) => {
      await rolledBack();
      await change();
      await expect(house.confirm()).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('as well') });
      expect([house.audit.state, house.audit.isPutBack, house.audit.rulesMayAct]).toEqual(['older_copy', true, false]);
      expect(house.states.slice(house.states.lastIndexOf('older_copy'))).toEqual(['older_copy']);
      expect(house.actions().filter((action) => action === 'audit.doubted')).toHaveLength(2);
      await house.confirm();
      expect([house.audit.state, house.counter.mark?.value]).toEqual(['current', 3]);
      expect(house.store.read.audit({ limit: 1 })[0]?.detail).toContain(`"row":${row}`);
    },
  );

  it.each(['older_copy', 'counter_lost', 'other_database'] as const)(
    'stays in doubt while the vault does not keep the count: %s',
    async (doubt) => {
      await rolledBack();
      if (doubt !== 'older_copy') {
        await house.stop();
        house.counter.mark = doubt === 'counter_lost' ? undefined : { databaseId: 'f'.repeat(32), value: 1 };
        await house.startAgain();
      }
      const before = house.actions();
      house.counter.trouble = 'locked';
      await expect(house.confirm()).rejects.toMatchObject({ code: 'identity_locked' });
      expect([house.audit.state, house.audit.rulesMayAct, house.actions()]).toEqual([doubt, false, before]);
      house.counter.trouble = undefined;
      await house.confirm();
      expect([house.audit.state, house.counter.mark?.value]).toEqual(['current', house.store.read.lastAuditSeal()?.counter]);
      expect(await house.verify()).toMatchObject({ flaw: null, counted: true });
    },
  );

  it('is no older one after a kill before the count was raised', async () => {
    await house.act(4);
    await house.minute();
    await house.act(4);
    await house.clock.advance(1);
    await house.crash();
    await house.startAgain();
    expect(house.audit.state).toBe('current');
  });

  it('is another one where its own name differs from the counted one', async () => {
    await house.act();
    await house.stop();
    const { mark } = house.counter;
    house.counter.mark = { databaseId: 'f'.repeat(32), value: mark?.value ?? 0 };
    await house.startAgain();
    expect(house.audit.state).toBe('other_database');
    expect((await house.verify()).flaw?.kind).toBe('older_copy');
    await house.confirm();
    expect(house.counter.mark?.databaseId).toBe(mark?.databaseId);
  });

  it.each(['absent', 'damaged'] as const)('is in doubt while the count is %s', async (how) => {
    await house.act();
    await house.stop();
    if (how === 'absent') house.counter.mark = undefined;
    else house.counter.trouble = 'damaged';
    await house.startAgain();
    expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['counter_lost', false]);
    await house.confirm();
    expect([house.audit.state, house.counter.mark?.value]).toEqual(['current', 2]);
  });
});
