// While invitations are out every removed hub is a stranger here, and not a moment longer than the
// last of them holds: it is told when none is any more, whoever made how many when.
import { beforeEach, describe, expect, it } from 'vitest';
import { SystemRandom } from '../../../../main/adapters/clock/system-clock.ts';
import { Invitations } from '../../../../main/services/pairing/invitations.ts';
import { INVITATION_DURATION_MS } from '../../../../main/services/pairing/limits.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { keyOf } from '../../../fakes/sample-rows.ts';

const PERSON = { actor: 'owner:1', surface: 'browser' } as const;
const MINUTE_MS = 60_000;

let clock: ManualClock;
let invitations: Invitations;
/** Whether any is out, and since when, in ms from the start. */
let told: (readonly [boolean, number])[];
let startMs: number;

beforeEach(() => {
  clock = new ManualClock();
  startMs = clock.monotonicMs();
  told = [];
  invitations = new Invitations(clock, new SystemRandom(), (isAnyOut) =>
    told.push([isAnyOut, clock.monotonicMs() - startMs]),
  );
});

const invite = () =>
  invitations.create(
    { keyHex: keyOf('mum'), name: 'Mum', addresses: [{ host: '127.0.0.1', port: 4433 }] },
    PERSON,
  ).invitation;

describe('that invitations are out', () => {
  it('ends with the last of them, of several that were made at different times', async () => {
    invite();
    await clock.advance(MINUTE_MS);
    invite();
    await clock.advance(MINUTE_MS + 1_234);
    invite();
    await clock.advance(2 * INVITATION_DURATION_MS);
    expect(told).toEqual([
      [true, 0],
      [false, 2 * MINUTE_MS + 1_234 + INVITATION_DURATION_MS],
    ]);
    expect(clock.timers).toBe(0);
  });

  it('ends with the one that is left when the newest was taken back', async () => {
    invite();
    await clock.advance(MINUTE_MS);
    invitations.revoke(invite().id);
    await clock.advance(2 * INVITATION_DURATION_MS);
    expect(told).toEqual([
      [true, 0],
      [false, INVITATION_DURATION_MS],
    ]);
  });

  it('ends as their time is up, though the wall clock was set back', async () => {
    invite();
    clock.jumpWall(-60 * MINUTE_MS);
    await clock.advance(2 * INVITATION_DURATION_MS);
    expect(told).toEqual([
      [true, 0],
      [false, INVITATION_DURATION_MS],
    ]);
  });

  it('is told anew of one made after all were over, and of none once they are cleared', async () => {
    invite();
    await clock.advance(INVITATION_DURATION_MS);
    invite();
    invitations.clear();
    expect(told.map(([isAnyOut]) => isAnyOut)).toEqual([true, false, true, false]);
    expect(clock.timers).toBe(0);
  });
});
