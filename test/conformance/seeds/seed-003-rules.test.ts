// What document 003 asks by capability, let in by a rule of the people there.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../main/lib/json-object.ts';
import { OWNER } from '../../support/raw-peer.ts';
import { asks, CAPABILITY, does, SeedHousehold } from './household.ts';
import { fipa, fresh } from './messages.ts';

let house: SeedHousehold;
let page: string;
beforeAll(async () => {
  house = await SeedHousehold.start();
  page = await house.mum.page();
  const choice = { riskClass: 'R1' } as const;
  await house.mum.node.services.work.agents.setClass(does('fipa-acl'), choice, OWNER);
}, 120_000);
afterAll(() => house.stop());

const asker = asks('fipa-acl');
const doer = does('fipa-acl');

async function rule(effect: string, domain: string): Promise<void> {
  const body = { effect, peer: 'Dad', agent: doer, domain };
  const { status, text } = await house.mum.ask('/v1/rules', { method: 'POST', token: page, body });
  expect({ status, text }).toMatchObject({ status: 200 });
}

async function asked(more: JsonObject = {}): Promise<number> {
  const request = { capability: CAPABILITY, reply_with: `r-${fresh()}`, ...more };
  expect(await house.say(asker, fipa('REQUEST', 'Add', request))).toMatchObject({ http: 200 });
  const { approvals } = house.mum.node.services.work;
  const cards = approvals.pending().length;
  if (cards > 0) await house.allow();
  await house.next(doer);
  await house.say(doer, fipa('INFORM', 'Added', { in_reply_to: request.reply_with }));
  await house.next(asker);
  return cards;
}

describe('seed 003: rules', () => {
  test('003.42 a rule lets a capability in, and no other; a limit on any area ends that', async () => {
    expect(await asked()).toBe(1);
    await rule('allow', CAPABILITY);
    expect(await asked()).toBe(0);
    expect(await asked({ capability: undefined, receiver: doer })).toBe(1);
    await rule('ask', `${doer}.work`);
    expect(await asked()).toBe(1);
  });
});
