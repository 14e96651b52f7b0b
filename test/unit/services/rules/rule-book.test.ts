// The book of rules under what goes wrong around it: a disk that takes nothing for a while, and a
// clock that was wrong when a hub was added.
import { describe, expect, it } from 'vitest';
import { SystemRandom } from '../../../../main/adapters/clock/system-clock.ts';
import type { Store } from '../../../../main/ports/store.ts';
import { EventBus } from '../../../../main/services/base/event-bus.ts';
import { SWEEP_RETRY_MS } from '../../../../main/services/rules/limits.ts';
import { RuleBook } from '../../../../main/services/rules/rule-book.ts';
import type { RuleViews } from '../../../../main/services/rules/rule-views.ts';
import { AuditTrail } from '../../../../main/services/base/audit-trail.ts';
import { UnitOfWork } from '../../../../main/services/base/unit-of-work.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import {
  openTemporaryStore,
  SILENT_LOG,
  type TemporaryStore,
} from '../../../fakes/memory-store.ts';
import { DAY, HOUR, ruledHubs } from '../../../fakes/ruled-hubs.ts';
import { keyOf, peerRow, agentRow, ruleRow } from '../../../fakes/sample-rows.ts';

/** What is over is told of by its number alone. */
const NO_VIEWS: Pick<RuleViews, 'dto'> = {
  dto: () => {
    throw new Error('a rule that is over is not drawn');
  },
};

describe('a rule that is over while the store takes nothing', () => {
  const clock = new ManualClock();

  async function openBook(): Promise<{
    readonly real: TemporaryStore;
    readonly book: RuleBook;
    readonly disk: Disk;
  }> {
    const real = openTemporaryStore(clock);
    await real.write((tables) => {
      tables.putPeer(peerRow());
      tables.putAgent(agentRow());
      tables.insertRule(
        ruleRow({
          peer: keyOf('Mum PC'),
          createdAt: clock.wallMs(),
          expiresAt: clock.wallMs() + HOUR,
        }),
      );
    });
    const disk: Disk = { refuses: 'nothing', tries: 0 };
    const store = failing(real, disk);
    const unit = new UnitOfWork({ store, log: SILENT_LOG });
    const parts = {
      store,
      clock,
      unit,
      random: new SystemRandom(),
      log: SILENT_LOG,
      events: new EventBus(),
      rulesMayAct: () => true,
    };
    return {
      real,
      disk,
      book: new RuleBook({ ...parts, audit: new AuditTrail({ clock, unit }), views: NO_VIEWS }),
    };
  }

  it.each(['writes', 'reads'] as const)(
    'is tried again after a pause when %s fail, not in a circle, and ends when they work',
    async (what) => {
      const { real, disk, book } = await openBook();
      try {
        await book.start();
        disk.refuses = what;
        await clock.advance(HOUR);
        expect(disk.tries).toBe(1);
        await clock.advance(3 * SWEEP_RETRY_MS);
        expect(disk.tries).toBe(4);
        expect(real.read.currentRules()).toHaveLength(1);
        disk.refuses = 'nothing';
        await clock.advance(SWEEP_RETRY_MS);
        expect(real.read.endedRules({ limit: 9 })).toMatchObject([{ endedWhy: 'expired' }]);
      } finally {
        book.stop();
        await real.close();
      }
    },
  );
});

interface Disk {
  refuses: 'nothing' | 'writes' | 'reads';
  /** How often something was asked of it that it refused. */
  tries: number;
}

/**
 * A circle would never end on a clock that stands still: the disk is well again after so many
 * tries.
 */
const TRIES_MAX = 50;

function failing(real: Store, disk: Disk): Store {
  const refuse = (what: 'writes' | 'reads'): boolean => {
    if (disk.refuses !== what || disk.tries >= TRIES_MAX) return false;
    disk.tries += 1;
    return true;
  };
  return {
    ...real,
    read: {
      ...real.read,
      currentRules: () => {
        if (refuse('reads')) throw new Error('disk I/O error');
        return real.read.currentRules();
      },
    },
    write: (work, durability) =>
      refuse('writes')
        ? Promise.reject(new Error('database or disk is full'))
        : real.write(work, durability),
  };
}

describe('a clock that was years ahead when the hub was added', () => {
  const hubs = ruledHubs();

  it('kills no rule that is made after it was set right', async () => {
    const { clock, mum, dad } = hubs();
    clock.jumpWall(900 * DAY);
    await hubs().trust('paired');
    clock.jumpWall(-900 * DAY);
    await mum.restart();
    mum.connect(dad);
    await hubs().send('first');
    await hubs().choose('always');
    expect(await hubs().send('second')).toBe('queued');
    await clock.advance(1_000);
    await hubs().trust('paired');
    expect(await hubs().send('after another pairing')).toBe('awaiting_approval');
  });
});
