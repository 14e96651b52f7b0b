// Whose question goes to an adult's hub next: nobody takes more than two of the five places, and nobody who waits is passed twice by another.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConsentTurns } from '../../../../main/services/work/consent-turns.ts';
import { CONSENT_ASKERS_REMEMBERED_MAX } from '../../../../main/services/work/limits.ts';
import type { PartyKey } from '../../../../main/ports/store.ts';
import { keyOf } from '../../../fakes/sample-rows.ts';
import { rounds } from '../../../support/counts.ts';

const MUM = keyOf('Mum');
const DAD = keyOf('Dad');
const ASKERS = ['agent:game', 'agent:radio', 'agent:robot', keyOf('Ben'), keyOf('Eve')] as const;

interface Request {
  readonly asker: PartyKey;
  readonly nth: number;
}

/** What happens at a child's hub: somebody asks it for something, or the adult answers one of her open questions. */
const step = fc.oneof(
  fc.record({ do: fc.constant('ask' as const), by: fc.constantFrom(...ASKERS) }),
  fc.record({ do: fc.constant('answer' as const), which: fc.nat(4) }),
);

describe('the turns of who asks', () => {
  it('give no one asker more than two of five places, take the oldest of each, and let nobody be passed twice by another', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const turns = new ConsentTurns();
        let waiting: readonly Request[] = [];
        let open: readonly Request[] = [];
        let questions = 0;
        /** Who went, while each of these waited with a place left to it. */
        const passed = new Map<PartyKey, Set<PartyKey>>();
        for (const [nth, what] of steps.entries()) {
          if (what.do === 'ask') waiting = [...waiting, { asker: what.by, nth }];
          else open = open.filter((_, index) => index !== what.which);
          for (let next = turns.next(MUM, waiting, open); next !== undefined; next = turns.next(MUM, waiting, open)) {
            const { asker } = next;
            expect(next).toBe(waiting.find((other) => other.asker === asker));
            for (const other of new Set(waiting.map((request) => request.asker))) {
              if (other === asker || !turns.hasRoom(open, other)) continue;
              const by = passed.get(other) ?? new Set();
              expect(by.has(asker), `${asker} passes ${other} twice`).toBe(false);
              passed.set(other, by.add(asker));
            }
            passed.delete(asker);
            const gone = next;
            waiting = waiting.filter((other) => other !== gone);
            open = [...open, gone];
            questions += 1;
            turns.had(MUM, asker, `${questions}`);
            expect(open.length).toBeLessThanOrEqual(5);
            expect(open.filter((other) => other.asker === asker).length).toBeLessThanOrEqual(2);
          }
          // No place stays empty that somebody could have.
          expect(open.length === 5 || waiting.every(({ asker }) => open.filter((other) => other.asker === asker).length === 2)).toBe(true);
        }
      }),
      { numRuns: rounds('consent turns', { short: 200, long: 5_000 }) },
    );
  });

  const RADIO = { asker: 'agent:radio' } as const;
  const GAME = { asker: 'agent:game' } as const;
  const ROBOT = { asker: 'agent:robot' } as const;

  it('count for nothing where the hub took nothing of anybody: whoever had its first then is first again', () => {
    const turns = new ConsentTurns();
    turns.had(MUM, 'agent:radio', 'r1');
    turns.had(MUM, 'agent:game', 'g1');
    expect(turns.next(MUM, [RADIO, GAME], [])).toBe(RADIO);
    turns.hadNone(MUM, 'agent:game', 'g1');
    expect(turns.next(MUM, [RADIO, GAME], [])).toBe(GAME);
  });

  it('that count for nothing put whoever had them back to its own place, not before those who wait longer', () => {
    const turns = new ConsentTurns();
    for (const [asker, question] of [
      ['agent:radio', 'r1'],
      ['agent:game', 'g1'],
      ['agent:robot', 'b1'],
      ['agent:game', 'g2'],
    ] as const)
      turns.had(MUM, asker, question);
    turns.hadNone(MUM, 'agent:game', 'g2');
    expect(turns.next(MUM, [GAME, RADIO], []), 'the radio had its turn before the game').toBe(RADIO);
    expect(turns.next(MUM, [ROBOT, GAME], []), 'and the robot after it').toBe(GAME);
  });

  it.each([
    ['g2', 'g3'],
    ['g3', 'g2'],
  ])('of two questions that were both refused count for nothing, %s before %s', (first, second) => {
    const turns = new ConsentTurns();
    turns.had(MUM, 'agent:game', 'g1');
    turns.had(MUM, 'agent:radio', 'r1');
    for (const question of ['g2', 'g3']) turns.had(MUM, 'agent:game', question);
    turns.hadNone(MUM, 'agent:game', first);
    expect(turns.next(MUM, [GAME, RADIO], []), 'one of them may have been one').toBe(RADIO);
    turns.hadNone(MUM, 'agent:game', second);
    expect(turns.next(MUM, [RADIO, GAME], []), 'the game had its turn before the radio').toBe(GAME);
  });

  it('are each adult’s hub’s own', () => {
    const turns = new ConsentTurns();
    turns.had(MUM, 'agent:game', 'g1');
    const waiting = [{ asker: 'agent:game' }, { asker: 'agent:radio' }] as const;
    expect([turns.next(MUM, waiting, []), turns.next(DAD, waiting, [])]).toEqual([waiting[1], waiting[0]]);
  });

  it('are forgotten, the longest ago first, where too many had one', () => {
    const turns = new ConsentTurns();
    for (const name of ['first', 'second']) turns.had(MUM, `agent:${name}`, name);
    for (let nth = 1; nth < CONSENT_ASKERS_REMEMBERED_MAX; nth += 1) turns.had(MUM, `agent:other-${nth}`, `${nth}`);
    const waiting = [{ asker: 'agent:second' }, { asker: 'agent:first' }] as const;
    expect(turns.next(MUM, waiting, [])).toBe(waiting[1]);
  });
});
