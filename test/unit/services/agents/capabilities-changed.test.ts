// What a hub's agents offer reaches the hubs that are online as soon as it changes, and only then.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ok } from '../../../../main/lib/result.ts';
import { EXTENSIONS } from '../../../../main/protocol/kinds.ts';
import { closeTwoHubs, openPairedHubs, type TwoHubs } from '../../../fakes/two-work-hubs.ts';
import { OWNER } from '../../../fakes/work-hub.ts';

let hubs: TwoHubs;
let asked = 0;
beforeEach(async () => {
  asked = 0;
  const refreshCapabilities = async () => {
    asked += 1;
    await hubs.dad.knows(hubs.mum);
    return ok();
  };
  hubs = await openPairedHubs({ refreshCapabilities });
});
afterEach(() => closeTwoHubs(hubs));

const told = () =>
  hubs.mum.messenger.sent.filter(({ payload }) => payload.topic === 'axon.capabilities.changed');
const chosenFor = (domain: string) =>
  hubs.dad.work.sender.route({ to: { domain }, kind: 'query' }, null).chosen.agent;

it('a new area is found at once by the hub beside it, and one that is gone no more', async () => {
  const { clock, mum } = hubs;
  expect(() => chosenFor('family.chat')).toThrow();
  await mum.agent('claude', ['family.chat']);
  await clock.settle();
  expect(told().map(({ payload }) => payload.data)).toEqual([
    { rev: mum.work.capabilitiesPayload().rev },
  ]);
  expect(chosenFor('family.chat')).toBe('claude');
  await mum.work.agents.remove('claude', OWNER);
  await clock.settle();
  await clock.advance(60_000);
  expect(told()).toHaveLength(2);
  expect(() => chosenFor('family.chat')).toThrow();
});

it('nothing is said of what other hubs are not told, and a revision that is known is not asked for', async () => {
  const { clock, dad, mum } = hubs;
  await mum.agent('claude', ['family.chat']);
  await clock.settle();
  await mum.work.agents.setClass('claude', { riskClass: 'R0' }, OWNER);
  await mum.work.agents.rename('claude', 'The clever one', OWNER);
  await clock.settle();
  expect([told().length, asked]).toEqual([1, 1]);
  const { rev } = mum.work.capabilitiesPayload();
  await dad.isTold(mum.key, {
    id: crypto.randomUUID(),
    kind: 'notify',
    payload: { topic: 'axon.capabilities.changed', data: { rev } },
  });
  expect(asked).toBe(1);
});

it('a hub that does not know the extension is not told', async () => {
  const { clock, dad, mum } = hubs;
  dad.messenger.ownExtensionsAre(EXTENSIONS.filter((name) => name !== 'capabilities/1'));
  await mum.agent('claude', ['family.chat']);
  await clock.settle();
  expect(told()).toEqual([]);
});

it('fits into one message, whatever one agent says of itself', async () => {
  const { mum } = hubs;
  const words = (length: number) =>
    Array.from({ length: 64 }, (_, at) => `${at}`.padEnd(length, 'x'));
  await mum.work.agents.create(
    'boaster',
    {
      domains: words(60).map((domain) => ({ domain: `a${domain}`, example: 'x'.repeat(200) })),
      capabilities: words(128),
      tools: words(128),
      channels: words(128),
    },
    'R2',
    OWNER,
  );
  await mum.agent('claude', ['family.chat']);
  const payload = mum.work.capabilitiesPayload();
  expect(payload).toMatchObject({
    domains: ['family.chat'],
    agents: [{ name: 'claude' }],
    more_agents: 1,
  });
  expect(JSON.stringify(payload).length).toBeLessThan(60_000);
});
