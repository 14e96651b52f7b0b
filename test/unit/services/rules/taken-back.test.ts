// What a person chose on a card beyond one request, taken back: whichever choice it was, the next
// such request asks as if nothing had been chosen, and what was let in or turned away meanwhile
// stays as it is.
import { describe, expect, it } from 'vitest';
import { BROWSER } from '../../../fakes/work-hub.ts';
import { HOUR, ruledHubs } from '../../../fakes/ruled-hubs.ts';

const hubs = ruledHubs();
const inside = { conversation: { id: 'dinner-plans' } };

async function revoke(): Promise<string> {
  const { rules } = hubs().mum.work;
  const [rule, ...others] = rules.current();
  expect(others).toEqual([]);
  const id = rule?.id ?? '';
  expect(await rules.remove(id, BROWSER)).toMatchObject({ id, ended_why: 'removed' });
  expect(rules.current()).toEqual([]);
  return id;
}

describe('a choice that is taken back', () => {
  it.each(['conversation', 'until'] as const)(
    '"%s" asks again for the same, and works again once it is given back',
    async (choice) => {
      const { mum } = hubs();
      await hubs().send('first', inside);
      await hubs().choose(choice, choice === 'until' ? hubs().clock.wallMs() + HOUR : undefined);
      expect(await hubs().send('second', inside)).toBe('queued');
      const id = await revoke();
      expect(await hubs().send('third', inside)).toBe('awaiting_approval');
      expect(hubs().waiting()).toEqual(['third']);
      expect(await hubs().work()).toEqual(['first', 'second']);
      await hubs().clear();
      await mum.work.rules.restore(id, BROWSER);
      expect(await hubs().send('fourth', inside)).toBe('queued');
      expect(mum.auditActions()).toEqual(
        expect.arrayContaining(['rule.made', 'rule.removed', 'rule.restored']),
      );
    },
  );

  it('"never" asks again, what it had turned away stays declined, and given back it turns away again', async () => {
    const { mum } = hubs();
    await hubs().send('first');
    await hubs().choose('never');
    expect(await hubs().send('second')).toBe('declined');
    const id = await revoke();
    expect(await hubs().send('third')).toBe('awaiting_approval');
    expect(hubs().waiting()).toEqual(['third']);
    expect(
      mum.work.approvals.decided({ limit: 9 }).items.map(({ text, state }) => [text, state]),
    ).toEqual(
      expect.arrayContaining([
        ['first', 'declined'],
        ['second', 'declined'],
      ]),
    );
    await hubs().clear();
    await mum.work.rules.restore(id, BROWSER);
    expect(await hubs().send('fourth')).toBe('declined');
    expect(await hubs().work()).toEqual([]);
  });
});
