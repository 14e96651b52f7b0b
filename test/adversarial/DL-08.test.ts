// DL-08 over three whole hubs: real doors, real QUIC, real stores. One asks five hundred times,
// another once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttentionDto } from '../../preload/contract/attention.ts';
import type { ApprovalDto, UiEvent, UiSnapshot } from '../../preload/contract/dto.ts';
import { readField, TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

const REQUESTS = 500;
const AT_ONCE = 10;
const WAIT_LIMIT_MS = 30_000;
const PERSON = { actor: 'ui:test', surface: 'browser' } as const;

let mum: TestHub;
let kid: TestHub;
let dad: TestHub;
let page: string;
const events: UiEvent[] = [];
const tokens = new Map<TestHub, string>();

/**
 * Trusts the key of each other, as two owners do who give each other their links, and waits for the
 * line.
 */
async function befriend(
  one: TestHub,
  oneName: string,
  other: TestHub,
  otherName: string,
): Promise<void> {
  const trusts = async (here: TestHub, there: TestHub, name: string): Promise<void> => {
    const { identity, peers } = there.node.services;
    await here.node.services.keyTrust.add(
      { keyHex: identity.keyHex, host: '127.0.0.1', port: peers.port ?? 0, name, way: 'key' },
      PERSON,
    );
  };
  await trusts(one, other, otherName);
  await trusts(other, one, oneName);
  await until(`${oneName} and ${otherName} are online`, WAIT_LIMIT_MS, () => {
    const isUp = (here: TestHub, there: TestHub): boolean =>
      here.node.services.links.isOnline(there.node.services.identity.keyHex);
    return (isUp(one, other) && isUp(other, one)) || undefined;
  });
}

beforeAll(async () => {
  const options = { requestsPerSecond: 10_000 };
  mum = await TestHub.start(options);
  kid = await TestHub.start(options);
  dad = await TestHub.start(options);
  await mum.agent('claude');
  page = await mum.page();
  for (const hub of [kid, dad]) tokens.set(hub, await hub.agent('asker'));
  await befriend(mum, 'Mum', kid, 'Kid');
  await befriend(mum, 'Mum', dad, 'Dad');
  mum.node.services.events.subscribe((event) => events.push(event));
}, 120_000);
afterAll(() => Promise.all([mum, kid, dad].map((hub) => hub.stop())));

/** The ids of what was taken, in the order of the asking hub. */
const taken: string[] = [];

async function ask(from: TestHub, task: string): Promise<number> {
  const token = tokens.get(from) ?? '';
  const body = { to: 'Mum', task, domain: 'claude.work' };
  const { status, text } = await from.ask('/v1/delegate', { method: 'POST', token, body });
  if (status === 202) taken.push(readField(text, 'id'));
  return status;
}
const owner = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const { status, text } = await mum.ask(path, {
    method,
    token: page,
    ...(body === undefined ? {} : { body }),
  });
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  return JSON.parse(text) as T;
};
const cards = async (): Promise<readonly ApprovalDto[]> =>
  (await owner<UiSnapshot>('GET', '/v1/snapshot')).approvals;
const rings = (): readonly string[] =>
  events.flatMap((event) => (event.type === 'attention' ? [event.peer_name] : []));

describe('DL-08: 500 delegations from one hub while another sends one', () => {
  it(
    'leave five cards, one notification and one line with the count, and the other hub gets through',
    { timeout: 180_000 },
    async () => {
      const statuses: number[] = [];
      for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
        statuses.push(
          ...(await Promise.all(
            Array.from({ length: AT_ONCE }, (_, index) => ask(kid, `flood ${sent + index}`)),
          )),
        );
      }
      expect(statuses.filter((status) => status === 202)).toHaveLength(5);
      expect(await ask(dad, 'Dinner is at 7')).toBe(202);

      const waiting = await cards();
      expect(waiting.map(({ peer_name }) => peer_name).toSorted()).toEqual([
        'Dad',
        'Kid',
        'Kid',
        'Kid',
        'Kid',
        'Kid',
      ]);
      expect(rings()).toEqual(['Kid', 'Dad']);
      const { floods } = await owner<AttentionDto>('GET', '/v1/attention');
      expect(floods).toMatchObject([{ peer_name: 'Kid', refused: REQUESTS - 5, silent: true }]);
      // Told as it grew, and never once a request.
      expect(events.filter((event) => event.type === 'do_not_disturb').length).toBeLessThan(
        REQUESTS / 2,
      );
    },
  );

  it(
    'and the mute that is offered holds what waits of it, is told to the asker, and is taken back',
    { timeout: 60_000 },
    async () => {
      const { id } = (await cards()).find(({ peer_name }) => peer_name === 'Kid') ?? { id: '' };
      await owner('PUT', `/v1/peers/Kid/mute`, { until: Date.now() + 86_400_000 });
      const held = (await cards()).map(
        ({ peer_name, held: hold }) => `${peer_name} ${hold?.why ?? 'waits'}`,
      );
      expect(held.toSorted()).toEqual([
        'Dad waits',
        'Kid muted',
        'Kid muted',
        'Kid muted',
        'Kid muted',
        'Kid muted',
      ]);
      const token = tokens.get(kid) ?? '';
      const statesThere = async (): Promise<string> => {
        const answers = await Promise.all(
          taken.slice(0, 5).map((task) => kid.ask(`/v1/tasks/${task}`, { token })),
        );
        return answers.map(({ text }) => readField(text, 'state')).join();
      };
      const becomes = (state: string): Promise<boolean> =>
        until(
          `Kid hears that all five are ${state}`,
          WAIT_LIMIT_MS,
          async () => (await statesThere()) === Array(5).fill(state).join() || undefined,
        );
      await becomes('held');
      await owner('DELETE', `/v1/peers/Kid/mute`);
      expect((await cards()).every(({ held: hold }) => hold === null)).toBe(true);
      expect((await cards()).some((card) => card.id === id)).toBe(true);
      await becomes('awaiting_approval');
      const { items } = await owner<{ readonly items: readonly { readonly action: string }[] }>(
        'GET',
        '/v1/audit?limit=200',
      );
      const actions = items.map(({ action }) => action);
      expect(actions.filter((action) => action.endsWith('muted'))).toEqual([
        'peer.unmuted',
        'peer.muted',
      ]);
    },
  );

  it('and no agent’s token may mute, pause or set quiet hours', async () => {
    const token = tokens.get(kid) ?? '';
    const tries = [
      ['PUT', '/v1/peers/Mum/mute', { until: Date.now() + 60_000 }],
      ['POST', '/v1/pause', {}],
      ['POST', '/v1/resume', {}],
      ['PUT', '/v1/quiet-hours', { periods: [] }],
      ['POST', '/v1/approvals/show', { ids: 'all' }],
    ] as const;
    for (const [method, path, body] of tries)
      expect((await kid.ask(path, { method, token, body })).status, path).toBe(403);
    expect((await kid.ask('/v1/attention', { token })).status).toBe(403);
  });
});
