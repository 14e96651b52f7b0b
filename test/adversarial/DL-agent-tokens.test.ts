// No agent's token reaches a decision or a rule, by any route and any method, on a real hub: it is
// told so in one and the same way, and nothing changes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DECISION_OPERATIONS } from '../../preload/contract/decision-operations.ts';
import { TestHub } from '../support/test-hub.ts';

let hub: TestHub;
let agent: string;
let page: string;
let rule: string;

beforeAll(async () => {
  hub = await TestHub.start();
  agent = await hub.agent('bot');
  page = await hub.page();
  const made = await hub.ask('/v1/rules', {
    method: 'POST',
    token: page,
    body: { effect: 'never', domain: 'home.locks' },
  });
  expect(made.status).toBe(200);
  rule = String((JSON.parse(made.text) as { id: unknown }).id);
});
afterAll(() => hub.stop());

const BODIES: Readonly<Record<string, unknown>> = {
  'approvals.decide': { revision: 0, digest: '0'.repeat(64), decision: 'allow', scope: 'always' },
  'rules.create': { effect: 'allow', peer: 'local/bot', agent: 'bot', domain: 'home.locks' },
  'rules.preview': { effect: 'never' },
  'rules.update': { suspended: true },
  'rules.test': { kind: 'delegate', peer: 'local/bot' },
};

test.each(Object.entries(DECISION_OPERATIONS))(
  '%s is refused to an agent before anything of it is looked at',
  async (name, { method, path }) => {
    const url = path.replace(':id', rule);
    const body = BODIES[name] ?? (['POST', 'PUT', 'PATCH'].includes(method) ? {} : undefined);
    const answer = await hub.ask(url, {
      method,
      token: agent,
      ...(body === undefined ? {} : { body }),
    });
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([403, { code: 'forbidden' }]);
    const current = await hub.ask('/v1/rules', { token: page });
    expect(JSON.parse(current.text)).toMatchObject({
      items: [{ id: rule, suspended: false, uses: 0, effect: 'never' }],
    });
  },
);

test('every operation that decides is for people only', () => {
  expect(Object.values(DECISION_OPERATIONS).map(({ access }) => access)).toEqual(
    Object.values(DECISION_OPERATIONS).map(() => 'owner'),
  );
  expect(Object.keys(DECISION_OPERATIONS).length).toBeGreaterThanOrEqual(10);
});
