// A whole call for proposals by document 003: five bidders at three hubs, one of them accepted with
// its terms before the eyes of the person there, and the others told.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { pairHubs } from '../../support/paired-hubs.ts';
import { WITHIN_MS } from '../../support/raw-peer.ts';
import { TestHub } from '../../support/test-hub.ts';
import { until } from '../../support/until.ts';
import { asks, SeedHousehold } from './household.ts';
import { fipa } from './messages.ts';

const CAPABILITY = 'baking';
let house: SeedHousehold;
let leo: TestHub;
beforeAll(async () => {
  house = await SeedHousehold.start();
  leo = await TestHub.start({ peerRateFactor: 1_000, requestsPerSecond: 10_000 });
  await pairHubs(house.dad, leo, ['Leo', 'Dad']);
}, 120_000);
afterAll(async () => {
  await leo.stop();
  await house.stop();
});

test('003.21, 003.55 five bidders at three hubs, one accepted, the others told', async () => {
  const asker = asks('fipa-acl');
  const bidders = [
    { name: 'bakes-at-dads', hub: house.dad, euros: 9 },
    { name: 'bakes-at-mums', hub: house.mum, euros: 8 },
    { name: 'bakes-at-mums-too', hub: house.mum, euros: 7 },
    { name: 'bakes-at-leos', hub: leo, euros: 5 },
    { name: 'bakes-at-leos-too', hub: leo, euros: 6 },
  ];
  for (const { name, hub } of bidders)
    await house.join(hub, name, 'fipa-acl', { capabilities: [CAPABILITY] });
  await until('all bidders', WITHIN_MS, async () => {
    const route = await house.post(house.dad, asker, '/v1/route', {
      to: { capability: CAPABILITY },
    });
    return (route['others'] as readonly unknown[] | undefined)?.length === 4 ? true : undefined;
  });

  const call = { capability: CAPABILITY, protocol: 'Broadcast', conversation_id: 'cake' };
  const said = await house.say(asker, fipa('CFP', 'A cake?', { ...call, reply_with: 'cfp' }));
  expect(said['each']).toHaveLength(5);
  for (const { hub } of bidders) {
    const { approvals } = hub.node.services.work;
    const waiting = await until('a card', WITHIN_MS, () =>
      approvals.pending().length > 0 ? approvals.pending().length : undefined,
    );
    await house.allow(hub);
    await until('one card less', WITHIN_MS, () =>
      approvals.pending().length < waiting ? true : undefined,
    );
  }
  for (const { name, euros } of bidders) {
    await house.next(name);
    const offer = { text: `For ${euros} euros`, structured: { euros } };
    const bid = { in_reply_to: 'cfp', reply_with: `bid-${name}` };
    await house.say(name, fipa('PROPOSE', offer, bid));
  }
  const bids: JsonObject[] = [];
  for (const _ of bidders) bids.push(await house.next(asker));
  expect(bids.map(({ performative }) => performative)).toEqual(Array(5).fill('PROPOSE'));

  const accept = { in_reply_to: 'bid-bakes-at-leos', reply_with: 'accepted' };
  expect(await house.say(asker, fipa('ACCEPT_PROPOSAL', 'Agreed', accept))).toMatchObject({
    report: { chosen: { peer_name: 'Leo', agent: 'bakes-at-leos' } },
  });
  const refusing = (more: JsonObject) => fipa('REJECT_PROPOSAL', 'Another was cheaper', more);
  expect(await house.say(asker, refusing({ in_reply_to: 'cfp' }))).toMatchObject({
    http: 409,
    detail: 'More than one answer may be meant.',
  });
  for (const [index, { name }] of bidders.entries()) {
    if (name === 'bakes-at-leos') continue;
    const bid = { in_reply_to: `bid-${name}` };
    const reject = refusing(index < 2 ? bid : { in_reply_to: 'cfp', receiver: name });
    await house.say(asker, reject);
    expect(await house.next(name)).toEqual(reject);
  }
  const { approvals } = leo.node.services.work;
  const card = await until('the acceptance', WITHIN_MS, () => approvals.pending()[0]);
  for (const words of ['A cake?', '["accepts.offer.euros","5"]', 'Agreed'])
    expect(JSON.stringify(card)).toContain(words);
  await house.allow(leo);
  expect(await house.next('bakes-at-leos')).toMatchObject({ performative: 'ACCEPT_PROPOSAL' });
  await house.say('bakes-at-leos', fipa('INFORM', 'Baked', { in_reply_to: 'accepted' }));
  expect(await house.next(asker)).toMatchObject({ performative: 'INFORM', content: 'Baked' });
}, 120_000);
