// The audit log of a hub that runs: signed in time, counted where the identity is kept, checked at
// the start. A log that does not fit is signed no further; a database that counts less than the
// vault was restored, and leaves the hub locked.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  COUNT_PAUSE_MS,
  SIGN_INTERVAL_MS,
  SIGN_ROWS_MAX,
  SIGN_SOON_MS,
  STOP_COUNT_MAX_MS,
} from '../../../../main/services/audit/limits.ts';
import { AuditHouse, PERSON } from '../../../fakes/audit-house.ts';
import { auditRow } from '../../../fakes/sample-rows.ts';

let house: AuditHouse;
beforeEach(async () => {
  house = await AuditHouse.start();
});
afterEach(() => house.close());

const signatures = () => house.store.read.auditSignatures(0, 100);
const signed = () => signatures().map(({ seq }) => seq);
const lastRow = () => house.store.read.audit({ limit: 1 })[0];

async function pass(ms: number): Promise<void> {
  await house.clock.advance(ms);
  await house.clock.settle();
}

describe('the signatures over the audit log', () => {
  it('are made a minute after rows were added, once for all of them, and none where nothing was', async () => {
    await house.act(3);
    await house.clock.advance(SIGN_INTERVAL_MS - 1);
    expect(signatures()).toEqual([]);
    await house.minute();
    expect(signatures().map(({ counter, previous, seq }) => [counter, previous, seq])).toEqual([
      [1, 0, 3],
    ]);
    await house.minute();
    await house.act(2);
    await house.minute();
    expect(signatures().map(({ counter, previous, seq }) => [counter, previous, seq])).toEqual([
      [1, 0, 3],
      [2, 1, 5],
    ]);
  });

  it.each(['window', 'browser', 'command_line'])(
    'are made a second after what a person did in the %s',
    async (surface) => {
      await house.act(2);
      await house.decide(surface);
      await pass(SIGN_SOON_MS - 1);
      await house.decide(surface);
      expect(signed()).toEqual([]);
      await pass(1);
      expect(signed()).toEqual([4]);
    },
  );

  it('wait for the minute after what anybody else did', async () => {
    for (const surface of ['peer', 'agent', 'rule', 'clock', 'hub']) await house.decide(surface);
    await pass(SIGN_INTERVAL_MS - 1);
    expect(signed()).toEqual([]);
    await pass(1);
    expect(signed()).toEqual([5]);
  });

  it('are made at once when many rows were added', async () => {
    for (let round = 0; round < 3; round++) {
      await house.act(SIGN_ROWS_MAX);
      await house.clock.settle();
    }
    await expect.poll(() => signatures().length).toBe(3);
  });

  it('are counted in the vault within five seconds, and no oftener', async () => {
    await pass(COUNT_PAUSE_MS);
    const before = house.counter.writes;
    await house.decide();
    await pass(SIGN_SOON_MS);
    expect([house.counter.mark?.value, house.counter.writes - before]).toEqual([1, 1]);
    for (let decision = 0; decision < 4; decision++) {
      await house.decide();
      await pass(SIGN_SOON_MS);
    }
    expect([house.counter.mark?.value, signed().length]).toEqual([1, 5]);
    await pass(COUNT_PAUSE_MS - 4 * SIGN_SOON_MS);
    expect([house.counter.mark?.value, house.counter.writes - before]).toEqual([5, 2]);
    await pass(SIGN_INTERVAL_MS);
    expect(house.counter.writes - before).toBe(2);
  });

  it('are made in time while the vault hangs, and counted with the rest once it answers', async () => {
    await pass(COUNT_PAUSE_MS);
    await house.decide();
    house.counter.hangs = true;
    await pass(SIGN_SOON_MS);
    for (let decision = 1; decision <= 3; decision++) {
      await house.decide();
      await pass(SIGN_SOON_MS);
      expect(signed()).toHaveLength(decision + 1);
    }
    expect(house.counter.mark?.value).toBe(0);
    house.counter.answer();
    await pass(COUNT_PAUSE_MS);
    expect(house.counter.mark?.value).toBe(4);
  });

  it('are counted after growing pauses while the vault takes no count, and soon after it was unlocked', async () => {
    house.counter.trouble = 'locked';
    for (let minute = 1; minute <= 130; minute++) {
      await house.act();
      await house.minute();
    }
    expect(house.counter.refusals).toBeLessThan(12);
    house.counter.trouble = undefined;
    await house.audit.check(new AbortController().signal);
    await house.act();
    await house.minute();
    await pass(COUNT_PAUSE_MS);
    expect([house.counter.mark?.value, house.store.read.lastAuditSignature()?.counter]).toEqual([
      131, 131,
    ]);
  });

  it('are made at a stop, with what was written behind, and the stop waits two seconds for the vault at most', async () => {
    await house.act();
    house.store.writeBehind((tables) => tables.appendAudit(auditRow({ surface: 'peer' })));
    house.counter.hangs = true;
    const stopped = house.audit.stop();
    await house.clock.advance(STOP_COUNT_MAX_MS);
    await stopped;
    expect(signed().at(-1)).toBe(2);
    house.counter.hangs = false;
  });

  it('wait until their counter can be kept, and the hub is locked meanwhile', async () => {
    await house.stop();
    house.counter.trouble = 'locked';
    await house.startAgain();
    await house.act();
    await house.minute();
    expect([house.audit.state, house.audit.isOpen, house.audit.rulesMayAct, signatures()]).toEqual([
      'unchecked',
      false,
      false,
      [],
    ]);
    house.counter.trouble = undefined;
    await house.audit.check(new AbortController().signal);
    await house.minute();
    expect([house.audit.state, house.audit.isOpen, signed()]).toEqual(['ok', true, [1]]);
  });

  it('begin again after a kill, which is written down with the rows that were not signed', async () => {
    await house.act(4);
    await house.minute();
    await house.act(2);
    await house.crash();
    await house.startAgain();
    expect(house.audit.state).toBe('ok');
    expect(lastRow()).toMatchObject({
      action: 'hub.ended_unexpectedly',
      actor: 'hub',
      detail: '{"rows":2,"from_row":5}',
    });
    await pass(SIGN_SOON_MS);
    expect(signed().at(-1)).toBe(7);
    await house.stop();
    await house.startAgain();
    expect(house.actions().filter((action) => action === 'hub.ended_unexpectedly')).toHaveLength(1);
  });
});

describe('a log that does not fit any more', () => {
  it.each([
    ['a changed row', "UPDATE audit SET actor = 'nobody' WHERE seq = 6", 6],
    ['a removed row', 'DELETE FROM audit WHERE seq = 6', 6],
    ['a removed end', 'DELETE FROM audit WHERE seq > 7', 8],
    ['every new row removed', 'DELETE FROM audit WHERE seq > 4', 5],
    ['the last signature removed', 'DELETE FROM audit_signatures', 5],
  ])(
    'is signed no further, and no rule acts over any number of starts: %s',
    async (_what, sql, row) => {
      await house.act(4);
      await house.minute();
      await house.act(4);
      house.tamper(sql);
      await house.minute();
      const before = signatures().length;
      expect(lastRow()).toMatchObject({ action: 'audit.tampered', actor: 'hub' });
      expect(JSON.parse(lastRow()?.detail ?? '')).toMatchObject({ row });
      expect([house.audit.state, house.states.at(-1), house.audit.finding?.row]).toEqual([
        'tampered',
        'tampered',
        row,
      ]);
      if (before > 0) await house.stop();
      if (before > 0) await house.startAgain();
      await house.act();
      await house.minute();
      expect([house.audit.state, house.audit.rulesMayAct, signatures().length]).toEqual([
        'tampered',
        false,
        before,
      ]);
      expect(house.actions().filter((action) => action === 'audit.tampered')).toHaveLength(1);
    },
  );

  it('is seen at the start, in the last signed stretch and behind it', async () => {
    await house.signThrice();
    await house.stop();
    house.tamper("UPDATE audit SET actor = 'nobody' WHERE seq = 14");
    await house.startAgain();
    expect([house.audit.state, house.audit.finding]).toMatchObject([
      'tampered',
      { kind: 'changed', row: 14 },
    ]);
  });

  it('is acknowledged as it was shown, by one row, with which a new signed stretch begins', async () => {
    await house.act(5);
    house.tamper("UPDATE audit SET actor = 'nobody' WHERE seq = 2");
    await house.minute();
    expect(signatures()).toEqual([]);
    await expect(house.audit.acknowledge(PERSON, 3)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('row 2'),
    });
    await house.acknowledge();
    expect([house.audit.state, house.audit.rulesMayAct, house.audit.finding]).toEqual([
      'ok',
      true,
      null,
    ]);
    expect(lastRow()).toMatchObject({
      action: 'audit.acknowledged',
      ...PERSON,
      seq: signed().at(-1),
    });
    await expect(house.acknowledge()).rejects.toMatchObject({ code: 'conflict' });
    await house.act();
    await house.minute();
    expect(signed()).toEqual([7, 8]);
    expect(await house.verify()).toMatchObject({
      finding: null,
      acknowledged: [{ row: 2, acknowledged_row: 7 }],
    });
    await house.stop();
    await house.startAgain();
    expect(house.audit.state).toBe('ok');
  });

  it.each([
    [
      'a forged signature of a higher count',
      'counter + 1000000, counter, seq, chain, at, key, signature',
    ],
    [
      'a signature by another key',
      `counter + 1000000, counter, seq, chain, at, '${'a'.repeat(64)}', randomblob(64)`,
    ],
  ])('holds %s, and counts on above it once that was acknowledged', async (_what, columns) => {
    await house.act(4);
    await house.stop();
    house.tamper(
      `INSERT INTO audit_signatures SELECT ${columns} FROM audit_signatures ORDER BY counter DESC LIMIT 1`,
    );
    await house.startAgain();
    expect([house.audit.state, house.counter.mark?.value]).toEqual(['tampered', 1]);
    await house.acknowledge();
    await house.act();
    await house.stop();
    await house.startAgain();
    expect([house.audit.state, house.counter.mark?.value]).toEqual(['ok', 1_000_003]);
    expect(await house.verify()).toMatchObject({ finding: null, counted: true });
  });
});

describe('a database that was restored', () => {
  async function restored(): Promise<void> {
    await house.act(4);
    await house.stop();
    house.keepAs('older');
    await house.startAgain();
    await house.act(4, 'rule.removed');
    await house.stop();
    house.putBack('older');
    await house.startAgain();
  }

  it('is seen by the counter, and locks the hub over any number of starts', async () => {
    await restored();
    for (let start = 0; start < 2; start++) {
      expect([house.audit.state, house.audit.isOpen, house.audit.rulesMayAct]).toEqual([
        'restored',
        false,
        false,
      ]);
      await house.minute();
      await house.stop();
      await house.startAgain();
    }
    expect(house.states.at(-1)).toBe('restored');
    expect(await house.verify()).toMatchObject({ state: 'done', finding: { kind: 'older_copy' } });
  });

  it('is the newest one once its owner has confirmed that, by one row, and the counter goes on above both', async () => {
    await restored();
    await house.audit.confirmRestore(PERSON);
    expect([house.audit.state, house.audit.isOpen, house.counter.mark?.value]).toEqual([
      'ok',
      true,
      3,
    ]);
    expect(lastRow()).toMatchObject({
      action: 'hub.restore_confirmed',
      detail: '{"why":"older_copy"}',
      ...PERSON,
    });
    expect(await house.verify()).toMatchObject({ state: 'done', finding: null, counted: true });
    await house.act();
    await house.stop();
    await house.startAgain();
    expect(house.audit.state).toBe('ok');
    await expect(house.audit.confirmRestore(PERSON)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('whose rows were changed as well is confirmed first and acknowledged then', async () => {
    await restored();
    await house.stop();
    house.tamper("UPDATE audit SET actor = 'nobody' WHERE seq = 3");
    await house.startAgain();
    expect([house.audit.state, house.audit.finding?.row]).toEqual(['restored', 3]);
    await expect(house.acknowledge()).rejects.toMatchObject({ code: 'conflict' });
    await house.audit.confirmRestore(PERSON);
    expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['tampered', false]);
    await house.acknowledge();
    expect(house.audit.state).toBe('ok');
    expect(await house.verify()).toMatchObject({ finding: null, acknowledged: [{ row: 3 }] });
  });

  it('stays locked while the vault does not keep the counter', async () => {
    await restored();
    const before = house.actions();
    house.counter.trouble = 'locked';
    await expect(house.audit.confirmRestore(PERSON)).rejects.toMatchObject({
      code: 'identity_locked',
    });
    expect([house.audit.state, house.actions()]).toEqual(['restored', before]);
    house.counter.trouble = undefined;
    await house.audit.confirmRestore(PERSON);
    expect(house.counter.mark?.value).toBe(house.store.read.lastAuditSignature()?.counter);
  });

  it('is none after a kill before the counter was raised', async () => {
    await house.act(4);
    await house.minute();
    await house.act(4);
    await house.clock.advance(1);
    await house.crash();
    await house.startAgain();
    expect(house.audit.state).toBe('ok');
  });

  it.each([
    [
      'another database is counted',
      'other_database',
      (): void => void (house.counter.mark = { databaseId: 'f'.repeat(32), value: 1 }),
    ],
    ['the counter is gone', 'counter_lost', (): void => void (house.counter.mark = undefined)],
    [
      'the counter is damaged',
      'counter_lost',
      (): void => void (house.counter.trouble = 'damaged'),
    ],
  ] as const)('is one where %s, too', async (_how, why, change) => {
    await house.act();
    await house.stop();
    const id = house.counter.mark?.databaseId;
    change();
    await house.startAgain();
    expect(house.audit.state).toBe('restored');
    await house.audit.confirmRestore(PERSON);
    expect(JSON.parse(lastRow()?.detail ?? '')).toEqual({ why });
    expect([house.audit.state, house.counter.mark]).toEqual(['ok', { databaseId: id, value: 2 }]);
  });
});
