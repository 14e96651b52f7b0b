// What a person did is signed and counted soon; what another program takes away while the hub runs shows, signed or not; and a hub that ended
// without order says which rows it had not signed.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COUNT_SOON_MS, SEAL_INTERVAL_MS, SEAL_SOON_MS, WRITTEN_ROWS_MAX } from '../../../../main/services/audit/limits.ts';
import { AuditHouse, PERSON } from '../../../fakes/audit-house.ts';
import { auditRow } from '../../../fakes/sample-rows.ts';

let house: AuditHouse;
beforeEach(async () => {
  house = await AuditHouse.start();
});
afterEach(() => house.close());

const sealed = () => house.store.read.auditSeals(0, 100).map(({ seq }) => seq);
const lastRow = () => house.store.read.audit({ limit: 1 })[0];

async function pass(ms: number): Promise<void> {
  await house.clock.advance(ms);
  await house.clock.settle();
}

describe('what a person did', () => {
  it.each(['window', 'browser', 'command_line'])(
    'is signed a second later, in the %s, with all that came before and meanwhile',
    async (surface) => {
      await house.act(2);
      await house.decide(surface);
      await pass(SEAL_SOON_MS - 1);
      await house.decide(surface);
      expect(sealed()).toEqual([]);
      await pass(1);
      expect(sealed()).toEqual([4]);
      await pass(SEAL_SOON_MS);
      expect(sealed()).toEqual([4]);
    },
  );

  it('alone is: what others did waits for the minute', async () => {
    for (const surface of ['peer', 'agent', 'rule', 'clock', 'hub']) await house.decide(surface);
    await pass(SEAL_INTERVAL_MS - 1);
    expect(sealed()).toEqual([]);
    await pass(1);
    expect(sealed()).toEqual([5]);
  });

  it('is counted in the vault as soon as it is signed, and once in five seconds at most', async () => {
    await pass(COUNT_SOON_MS);
    const before = house.counter.writes;
    await house.decide();
    await pass(SEAL_SOON_MS);
    expect([house.counter.mark?.value, house.counter.writes - before]).toEqual([1, 1]);
    for (let decision = 0; decision < 4; decision++) {
      await house.decide();
      await pass(SEAL_SOON_MS);
    }
    expect([house.counter.mark?.value, sealed().length]).toEqual([1, 5]);
    await pass(COUNT_SOON_MS - 4 * SEAL_SOON_MS);
    expect([house.counter.mark?.value, house.counter.writes - before]).toEqual([5, 2]);
    await pass(SEAL_INTERVAL_MS);
    expect(house.counter.writes - before).toBe(2);
  });

  it('is signed once a second and counted twelve times a minute at most, by a hundred decisions in one', async () => {
    await pass(COUNT_SOON_MS);
    const before = house.counter.writes;
    for (let decision = 0; decision < 100; decision++) {
      await house.decide();
      await pass(SEAL_INTERVAL_MS / 100);
    }
    expect(sealed().length).toBeGreaterThan(40);
    expect(sealed().length).toBeLessThanOrEqual(SEAL_INTERVAL_MS / SEAL_SOON_MS);
    expect(house.counter.writes - before).toBeGreaterThan(8);
    expect(house.counter.writes - before).toBeLessThanOrEqual(SEAL_INTERVAL_MS / COUNT_SOON_MS);
    await house.stop();
    await house.startAgain();
    expect([sealed().at(-1), house.counter.mark?.value]).toEqual([100, sealed().length]);
  });

  it('is signed in time while the vault hangs, and counted with the rest once it answers', async () => {
    await pass(COUNT_SOON_MS);
    await house.decide();
    house.counter.hangs = true;
    await pass(SEAL_SOON_MS);
    for (let decision = 1; decision <= 3; decision++) {
      await house.decide();
      await pass(SEAL_SOON_MS);
      expect(sealed()).toHaveLength(decision + 1);
    }
    expect(house.counter.mark?.value).toBe(0);
    house.counter.answer();
    await pass(COUNT_SOON_MS);
    expect(house.counter.mark?.value).toBe(4);
  });

  it('asks a vault that refuses no oftener than all else does', async () => {
    await pass(COUNT_SOON_MS);
    house.counter.trouble = 'locked';
    for (let decision = 0; decision < 12; decision++) {
      await house.decide();
      await pass(COUNT_SOON_MS);
    }
    expect(house.counter.refusals).toBe(1);
    expect(sealed()).toHaveLength(12);
  });

  it('is counted at once again when a person has unlocked a vault that refused', async () => {
    await pass(COUNT_SOON_MS);
    house.counter.trouble = 'locked';
    for (let decision = 0; decision < 2; decision++) {
      await house.decide();
      await pass(SEAL_SOON_MS);
    }
    house.counter.trouble = undefined;
    await house.audit.identityReady(new AbortController().signal);
    await house.decide();
    await pass(SEAL_SOON_MS);
    expect(house.counter.mark?.value).toBe(3);
  });
});

describe('a program that writes the database while the hub runs', () => {
  const takeAway = (seq: number): string =>
    `DELETE FROM audit WHERE seq > ${seq}; UPDATE sqlite_sequence SET seq = ${seq} WHERE name = 'audit'`;
  const lookAlike = (seq: number): string =>
    `${takeAway(seq)}; INSERT INTO audit SELECT seq + 1, at, actor, surface, action, object, digest, detail, chain, monotonic_ms, rule FROM audit WHERE seq = ${seq}`;

  it.each([
    ['takes unsigned rows away with every trace in it', takeAway(4), 0, { row: 5, flaw: 'missing' }],
    ['takes them away before the hub writes the next one', takeAway(4), 1, { row: 5, flaw: 'changed' }],
    ['takes them away before the hub writes as many again', takeAway(4), 3, { row: 5, flaw: 'changed' }],
    ['takes one away before the hub writes the next one', takeAway(6), 1, { row: 7, flaw: 'changed' }],
    ['puts another row in the place of one', lookAlike(6), 1, { row: 7, flaw: 'changed' }],
  ])('is seen when it %s', async (_what, sql, more, flaw) => {
    await house.act(4);
    await house.minute();
    for (let row = 0; row < 3; row++) await house.act();
    house.tamper(sql);
    for (let row = 0; row < more; row++) await house.act();
    await house.minute();
    expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['broken', false]);
    const doubted = house.store.read.audit({ limit: 20 }).find(({ action }) => action === 'audit.doubted');
    expect(JSON.parse(doubted?.detail ?? '')).toMatchObject({ why: 'broken', ...flaw });
    expect((await house.verify()).flaw).toMatchObject({ seq: flaw.row });
    await house.confirm();
    await house.act();
    await house.minute();
    expect([house.audit.state, sealed().at(-1)]).toEqual(['current', lastRow()?.seq]);
  });

  it.each([0, 1])('is seen when it takes a row away that was written behind, with %d written since', async (more) => {
    await house.act(4);
    await house.minute();
    await house.notice();
    house.tamper(takeAway(4));
    for (let row = 0; row < more; row++) await house.notice();
    const { flaw } = await house.verify();
    expect(flaw).toMatchObject({ seq: 5, kind: more === 0 ? 'end_missing' : 'chain_remade' });
    expect(flaw?.sentence).toContain(more === 0 ? 'row 5 and what came after it were removed' : 'Row 5 is not the one that this hub wrote');
    await house.minute();
    expect([house.audit.state, house.audit.rulesMayAct, sealed()]).toEqual(['broken', false, [4]]);
  });

  it.each([
    ['last', 0],
    ['before a row of the hub', 1],
    ['before more rows of the hub than it remembers', WRITTEN_ROWS_MAX + 1],
  ])('is seen when it adds a row that fits, %s', async (_where, more) => {
    await house.act(4);
    await house.minute();
    await house.act();
    await house.addForeign();
    if (more > 0) await house.act(more);
    const { flaw } = await house.verify();
    expect(flaw).toMatchObject({ seq: 6, kind: 'row_added' });
    expect(flaw?.sentence).toContain('Row 6 was not written by this hub');
    await house.decide();
    await pass(SEAL_SOON_MS);
    expect([house.audit.state, house.audit.rulesMayAct, sealed()]).toEqual(['broken', false, [4]]);
    const doubted = house.store.read.audit({ limit: 5 }).find(({ action }) => action === 'audit.doubted');
    expect(JSON.parse(doubted?.detail ?? '')).toMatchObject({ why: 'broken', row: 6, flaw: 'added' });
    await house.confirm();
    await house.act();
    await house.minute();
    expect([house.audit.state, sealed().at(-1)]).toEqual(['current', lastRow()?.seq]);
    expect((await house.verify()).flaw).toBeNull();
    await house.addForeign();
    await house.minute();
    expect(house.audit.state).toBe('broken');
  });

  it('is seen when it puts another row in the place of the last one among more than the hub remembers', async () => {
    await house.act();
    house.tamper(takeAway(0));
    await house.addForeign();
    await house.act(WRITTEN_ROWS_MAX + 1);
    await house.minute();
    expect([house.audit.state, sealed()]).toEqual(['broken', []]);
    expect((await house.verify()).flaw).toMatchObject({ seq: 1, kind: 'chain_remade' });
  });

  it.each([
    ['added a row', async () => house.addForeign(), 'added'],
    ['took one away', () => Promise.resolve(house.tamper(takeAway(4))), 'missing'],
  ] as const)('and %s leaves the record in doubt over a restart, until the owner has said that it is meant', async (_what, act, flaw) => {
    await house.act(4);
    await house.minute();
    await house.act();
    await act();
    await house.minute();
    const doubts = () => house.store.read.audit({ limit: 20 }).filter(({ action }) => action === 'audit.doubted');
    for (let start = 0; start < 2; start++) {
      expect([house.audit.state, house.audit.rulesMayAct, sealed()]).toEqual(['broken', false, [4]]);
      expect(doubts().map(({ detail }) => (JSON.parse(detail) as { flaw: string }).flaw)).toEqual([flaw]);
      await house.stop();
      await house.startAgain();
      await house.minute();
    }
    await house.confirm();
    await house.stop();
    await house.startAgain();
    expect([house.audit.state, sealed().at(-1)]).toEqual(['current', lastRow()?.seq]);
  });

  it('is not suspected for what the hub wrote in one commit, of which a part was refused', async () => {
    const works = Array.from({ length: 6 }, (_, index) =>
      house.store.write((tables) => {
        for (let row = 0; row < 3; row++) tables.appendAudit(auditRow({ object: `${index}.${row}` }));
        if (index % 2 === 1) throw new Error('refused');
      }),
    );
    await Promise.all([house.notice(), ...works.map((work) => work.catch(() => undefined))]);
    expect((await house.verify()).flaw).toBeNull();
    await house.minute();
    expect([house.audit.state, sealed().at(-1)]).toEqual(['current', lastRow()?.seq]);
  });

  it.each([true, false])('is seen when it takes signed rows away with their signatures, counted or not: %s', async (isCounted) => {
    for (let decision = 0; decision < 3; decision++) {
      await house.decide();
      await pass(isCounted ? SEAL_INTERVAL_MS : SEAL_SOON_MS);
    }
    house.tamper(`${takeAway(1)}; DELETE FROM audit_seals WHERE counter > 1`);
    for (let row = 0; row < 4; row++) await house.act();
    expect((await house.verify()).flaw).not.toBeNull();
    await house.minute();
    expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['broken', false]);
    await house.confirm();
    expect(house.counter.mark?.value).toBe(4);
  });
});

describe('a hub that ended', () => {
  it('in order has signed what was written behind, too, and says nothing of it at the next start', async () => {
    house.store.writeBehind((tables) => tables.appendAudit(auditRow({ surface: 'peer' })));
    await house.stop();
    await house.startAgain();
    expect([sealed().at(-1), lastRow()?.seq]).toEqual([1, 1]);
    expect(house.audit.verification().unsigned_end).toBeNull();
    expect((await house.verify()).unsigned_end).toBeNull();
    expect(house.actions()).not.toContain('hub.ended_unexpectedly');
  });

  it('without order says at the next start which rows were not signed, on record and in every check after', async () => {
    await house.act(3);
    await house.minute();
    await house.act(2);
    const at = lastRow()?.at;
    await house.crash();
    await house.startAgain();
    expect(lastRow()).toMatchObject({ action: 'hub.ended_unexpectedly', actor: 'hub' });
    expect(JSON.parse(lastRow()?.detail ?? '')).toEqual({ rows: 2, from_row: 4, from_at: at });
    const found = { rows: 2, from_seq: 4, from_at: at, ends: 1 };
    expect(house.audit.verification()).toMatchObject({ state: 'none', unsigned_end: found });
    await pass(SEAL_SOON_MS);
    expect(sealed().at(-1)).toBe(6);
    expect(house.audit.verify(PERSON)).toMatchObject({ state: 'running', unsigned_end: found });
    expect(await house.audit.cancelVerification()).toMatchObject({ state: 'cancelled', unsigned_end: found });
    expect(await house.verify()).toMatchObject({ flaw: null, unsigned_end: found });

    await house.act();
    await house.crash();
    await house.startAgain();
    expect(await house.verify()).toMatchObject({ flaw: null, unsigned_end: { rows: 2, from_seq: 7, ends: 2 } });
    await house.stop();
    await house.startAgain();
    expect(house.audit.verification().unsigned_end).toBeNull();
    expect(await house.verify()).toMatchObject({ unsigned_end: { from_seq: 7, ends: 2 } });
  });

  it('without order twice before it had signed anything says all that was not, once', async () => {
    await house.act(2);
    await house.crash();
    await house.startAgain();
    await house.act();
    await house.crash();
    await house.startAgain();
    const found = { rows: 4, from_seq: 1, ends: 2 };
    await pass(SEAL_SOON_MS);
    expect(await house.verify()).toMatchObject({ flaw: null, unsigned_end: found });
    await house.stop();
    await house.startAgain();
    expect(await house.verify()).toMatchObject({ flaw: null, unsigned_end: found });
  });

  it('without order and with everything signed has that on record, and no row that was not', async () => {
    await house.act();
    await house.minute();
    await house.crash();
    await house.startAgain();
    expect(JSON.parse(lastRow()?.detail ?? '')).toEqual({ rows: 0, from_row: 0, from_at: null });
    expect((await house.verify()).unsigned_end).toBeNull();
  });

  it('in order and could not sign says so at the next start, and not that it ended unexpectedly', async () => {
    await house.stop();
    house.counter.trouble = 'locked';
    await house.startAgain();
    await house.act(2);
    await house.stop();
    await house.startAgain();
    expect(house.actions()).not.toContain('hub.ended_unexpectedly');
    expect(lastRow()).toMatchObject({ action: 'hub.ended_unsigned', actor: 'hub' });
    const left = JSON.parse(lastRow()?.detail ?? '') as { rows: number; from_row: number };
    expect(left.rows).toBeGreaterThanOrEqual(2);
    const found = { rows: left.rows, from_seq: left.from_row, ends: 1 };
    expect(house.audit.verification()).toMatchObject({ state: 'none', unsigned_end: found });
    house.counter.trouble = undefined;
    await house.minute();
    expect(await house.verify()).toMatchObject({ flaw: null, unsigned_end: found });
    await house.stop();
    await house.startAgain();
    expect(house.actions().filter((action) => action === 'hub.ended_unsigned')).toHaveLength(1);
  });

  it('in doubt says at the next start what nobody had signed', async () => {
    await house.act(2);
    await house.minute();
    await house.act();
    house.tamper("UPDATE audit SET actor = 'owner:somebody' WHERE seq = 3");
    await house.stop();
    await house.startAgain();
    expect(house.actions().filter((action) => action.startsWith('hub.ended'))).toEqual(['hub.ended_unsigned']);
    expect(house.audit.verification().unsigned_end).toMatchObject({ from_seq: 3, ends: 1 });
  });
});
