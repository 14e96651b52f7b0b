// The owner's word that a record in doubt is meant: no row that another program wrote is taken for one, whoever signed it later, and a word holds
// for what it named, as it was.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chainOf } from '../../../../main/adapters/sqlite/audit-chain.ts';
import { CHAIN_START, type ChainedAuditRow } from '../../../../main/ports/audit.ts';
import { isAmong, mergeFlaws } from '../../../../main/services/audit/found.ts';
import { FLAWS_MAX } from '../../../../main/services/audit/limits.ts';
import { AuditHouse, PERSON } from '../../../fakes/audit-house.ts';

let house: AuditHouse;
beforeEach(async () => {
  house = await AuditHouse.start();
});
afterEach(() => house.close());

/** Signatures over the rows up to 4, 8 and 12. */
async function signed(): Promise<void> {
  for (let minute = 0; minute < 3; minute++) {
    await house.act(4);
    await house.minute();
  }
}

function rowAt(seq: number): ChainedAuditRow {
  const [row] = house.store.read.auditAfter(seq - 1, seq, 1);
  if (row === undefined) throw new Error(`there is no row ${seq}`);
  return row;
}

/** What puts these rows there, in the place of those that are, with the chain made anew to fit. */
function written(rows: readonly Omit<ChainedAuditRow, 'chain'>[]): string {
  const [first] = rows;
  let chain = first === undefined || first.seq === 1 ? CHAIN_START.chain : rowAt(first.seq - 1).chain;
  const lines = rows.map(({ seq, at, monotonicMs, actor, surface, action, object, rule, digest, detail }) => {
    const values = [seq, at, monotonicMs, actor, surface, action, object, rule, digest, detail];
    chain = chainOf(
      chain,
      values.map((value, index) => ({ kind: index < 3 ? 'integer' : 'text', bytes: value === null ? null : Buffer.from(String(value)) })),
    );
    const columns = values.map((value) => (value === null ? 'NULL' : typeof value === 'number' ? String(value) : `'${value}'`));
    return `INSERT OR REPLACE INTO audit (seq, at, monotonic_ms, actor, surface, action, object, rule, digest, detail, chain)
      VALUES (${columns.join(', ')}, X'${Buffer.from(chain).toString('hex')}')`;
  });
  return lines.join(';');
}

function wordAt(seq: number, like: number, detail: string): Omit<ChainedAuditRow, 'chain'> {
  return { ...rowAt(like), ...PERSON, seq, action: 'audit.confirmed', object: 'audit', digest: null, detail };
}

const named = async () => (await house.verify()).flaws.map(({ kind, seq, meant }) => [kind, seq, meant]);

describe('a row that reads like the owner’s word', () => {
  it('is none where it was put at the end of the record while the hub was off: it is a flaw itself, signed by no start', async () => {
    await signed();
    const forged = written([wordAt(13, 12, '{"row":2,"flaw":"changed"}')]);
    await house.stop();
    house.tamper(`UPDATE audit SET actor = 'somebody' WHERE seq = 2; ${forged}`);
    for (let start = 0; start < 2; start++) {
      await house.startAgain();
      await house.minute();
      expect([house.audit.state, house.audit.rulesMayAct, house.store.read.lastAuditSeal()?.seq]).toEqual(['broken', false, 12]);
      expect(await named()).toEqual([
        ['row_changed', 2, false],
        ['row_changed', 13, false],
      ]);
      await house.clock.settle();
      if (start === 0) await house.stop();
    }
    // The owner's own word, once they were shown both.
    await house.confirm();
    expect(await named()).toEqual([['row_changed', 2, true]]);
    await house.clock.settle();
    expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['current', true]);
  });

  it.each([
    ['between two signatures, over the row that was signed', [6, 7], '{"row":8,"flaw":"changed"}', ['row_changed', 8, false]],
    ['as the row that was signed, over the chain up to it', [6, 7, 8], '{"row":8,"flaw":"remade"}', ['chain_remade', 8, false]],
  ])('is none where signed rows were made anew with it: %s', async (_where, seqs, detail, flaw) => {
    await signed();
    const last = seqs.at(-1) ?? 0;
    house.tamper(written(seqs.map((seq) => (seq === last ? wordAt(seq, seq, detail) : { ...rowAt(seq), actor: 'somebody' }))));
    expect(await named()).toEqual([flaw]);
    await house.clock.settle();
    expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['broken', false]);
  });

  it('is none where it was put into a signed row, whose chain was left', async () => {
    await signed();
    house.tamper(`UPDATE audit SET action = 'audit.confirmed', detail = '{"row":8,"flaw":"changed"}' WHERE seq = 8`);
    expect(await named()).toEqual([['row_changed', 8, false]]);
  });

  it('is none where it names more in a word that was signed', async () => {
    await signed();
    house.tamper("UPDATE audit SET actor = 'somebody' WHERE seq = 2");
    await house.verify();
    await house.clock.settle();
    await house.confirm();
    const { seq } = house.store.read.auditHead();
    house.tamper(`UPDATE audit SET detail = '{"flaws":[[2,"changed"],[3,"missing"],[${seq},"changed"]]}' WHERE seq = ${seq}`);
    expect(await named()).toEqual([
      ['row_changed', 2, false],
      ['row_changed', seq, false],
    ]);
  });
});

describe('the owner’s word', () => {
  it.each([
    ['the signed row removed from between', 'DELETE FROM audit WHERE seq = 4', 'row_missing'],
    ['the chain of the signed row exchanged', 'UPDATE audit SET chain = zeroblob(32) WHERE seq = 4', 'row_changed'],
  ])('over what shows without a check holds in every check: %s', async (_what, sql, kind) => {
    await house.act(4);
    await house.minute();
    await house.act(4);
    house.tamper(sql);
    await house.minute();
    expect(house.audit.state).toBe('broken');
    await house.confirm();
    expect(await named()).toEqual([[kind, 4, true]]);
    await house.clock.settle();
    expect(house.audit.state).toBe('current');
  });

  it('holds for any number of places, of which it names as many at once as a check does', async () => {
    await house.act(FLAWS_MAX * 2 + 1);
    await house.minute();
    house.tamper("UPDATE audit SET actor = 'somebody'");
    for (let words = 0; words <= 2; words++) {
      const flaws = await named();
      const meant = words * FLAWS_MAX;
      const shown = Math.min(meant + FLAWS_MAX, FLAWS_MAX * 2 + 1);
      expect(flaws).toEqual(Array.from({ length: shown }, (_, index) => ['row_changed', index + 1, index < meant]));
      await house.clock.settle();
      const first = { seq: meant + 1, meant: false };
      expect(house.audit.verification().flaw, 'the first that nobody has meant').toMatchObject(first);
      const [checked] = house.store.read.audit({ limit: 5 }).filter(({ action }) => action === 'audit.checked');
      expect(JSON.parse(checked?.detail ?? '')).toEqual({ flaw: 'row_changed', row: meant + 1 });
      expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['broken', false]);
      await house.confirm();
    }
    expect((await named()).filter(([, , meant]) => meant !== true)).toEqual([]);
    await house.clock.settle();
    expect([house.audit.state, house.audit.rulesMayAct]).toEqual(['current', true]);
  });

  it('that says nothing of how a place was holds for none of which a check can say it', () => {
    const [plain, marked] = [{ seq: 2, kind: 'changed' } as const, { seq: 2, kind: 'changed', mark: 'a' } as const];
    expect([isAmong(marked, [plain]), isAmong(plain, [marked]), isAmong(marked, [marked])]).toEqual([false, true, true]);
    expect([mergeFlaws([plain], [marked]), mergeFlaws([marked], [plain])]).toEqual([[marked], [marked]]);
  });
});
