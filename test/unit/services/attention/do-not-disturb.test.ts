// Changes to do not disturb made at the same moment, for suspended hubs, or within a quiet night:
// none undoes another, and the requests that wait follow all of them. Over two hubs with real
// stores.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../../../main/lib/app-error.ts';
import { agentIdOfKeyHex } from '../../../../main/protocol/agent-id.ts';
import { keyOf } from '../../../fakes/sample-rows.ts';
import { BROWSER, delegation, peerRow } from '../../../fakes/work-hub.ts';
import { closeTwoHubs, openTwoHubs, type TwoHubs } from '../../../fakes/two-work-hubs.ts';

const HOUR_MS = 3_600_000;
const LEO = { key: keyOf('Leo'), name: 'leo' };
let hubs: TwoHubs;

beforeEach(async () => {
  hubs = await openTwoHubs();
});
afterEach(() => closeTwoHubs(hubs));

const now = (): number => hubs.clock.wallMs();
const timeOf = (atMs: number): string => new Date(atMs).toISOString().slice(11, 16);
const send = async (task: string): Promise<void> => {
  await hubs.dad.work.sender.delegate(
    delegation('mum', task, { domain: 'family.chat' }),
    'openclaw',
    null,
  );
  await hubs.clock.settle();
};
/** Quiet hours of mum's that are on now and for `forMs` from now; her clock shows UTC. */
const quietFor = (forMs: number, urgentPeers?: readonly string[]) => {
  const days = [1, 2, 3, 4, 5, 6, 7];
  const night = {
    name: 'Night',
    from: timeOf(now() - HOUR_MS),
    to: timeOf(now() + forMs),
    days,
    on: true,
  };
  return hubs.mum.work.doNotDisturb.setQuietHours([night], urgentPeers, BROWSER);
};

test('quiet hours have a name of their own: a terminal takes them by it', async () => {
  await quietFor(HOUR_MS);
  const { doNotDisturb } = hubs.mum.work;
  const { periods } = doNotDisturb.dto().quiet_hours;
  await expect(
    doNotDisturb.setQuietHours([...periods, ...periods], undefined, BROWSER),
  ).rejects.toMatchObject({
    code: 'conflict',
    message: 'There are quiet hours called "Night" already.',
  });
  expect(doNotDisturb.dto().quiet_hours.periods).toEqual(periods);
});

describe('what is changed at once', () => {
  test('is all kept: none of it undoes another, and no end of a trust is undone', async () => {
    await quietFor(HOUR_MS, ['dad']);
    const { doNotDisturb } = hubs.mum.work;
    const { periods } = doNotDisturb.dto().quiet_hours;
    await Promise.all([
      hubs.mum.endTrust(hubs.dad, 'revoked'),
      doNotDisturb.pause(null, BROWSER),
      doNotDisturb.setQuietHours([], undefined, BROWSER),
    ]);
    expect(doNotDisturb.dto()).toMatchObject({
      paused: { until: null },
      quiet_hours: { periods: [], urgent_peers: [] },
    });
    await Promise.all([
      doNotDisturb.setQuietHours(periods, undefined, BROWSER),
      doNotDisturb.resume(BROWSER),
    ]);
    expect(doNotDisturb.dto()).toMatchObject({
      paused: null,
      quiet_hours: { periods, urgent_peers: [] },
    });
  });

  test('stands when another change of that moment could not be written down', async () => {
    const { doNotDisturb } = hubs.mum.work;
    const write = hubs.mum.store.write.bind(hubs.mum.store);
    hubs.mum.store.write = async (work) => {
      hubs.mum.store.write = write;
      return write((tables) => {
        work(tables);
        throw new AppError('storage_failed', 'The disk is full.');
      });
    };
    const outcomes = await Promise.allSettled([
      doNotDisturb.pause(null, BROWSER),
      quietFor(HOUR_MS),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect([doNotDisturb.dto().paused, doNotDisturb.dto().quiet_hours.periods.length]).toEqual([
      null,
      1,
    ]);
    await send('Dinner is at 7');
    expect(hubs.mum.card.held?.why).toBe('quiet_hours');
  });
});

describe('a suspended hub', () => {
  const setTrust = (trust: 'suspended' | 'revoked') =>
    hubs.mum.store.write((tables) =>
      tables.putPeer({
        ...peerRow(hubs.dad),
        trust,
        revokedAt: trust === 'revoked' ? now() : null,
      }),
    );

  test('that may interrupt keeps no other from being named, and can be removed', async () => {
    await hubs.mum.store.write((tables) => tables.putPeer(peerRow(LEO)));
    await quietFor(HOUR_MS, ['dad']);
    await setTrust('suspended');
    const both = [agentIdOfKeyHex(hubs.dad.key), agentIdOfKeyHex(LEO.key)];
    expect((await quietFor(HOUR_MS, both)).quiet_hours.urgent_peers).toEqual(both);
    expect((await quietFor(HOUR_MS, ['leo'])).quiet_hours.urgent_peers).toEqual(both.slice(1));
    await setTrust('revoked');
    await expect(quietFor(HOUR_MS, both)).rejects.toMatchObject({ code: 'peer_not_found' });
  });

  test('can be unmuted', async () => {
    await hubs.mum.work.doNotDisturb.mute('dad', now() + HOUR_MS, BROWSER);
    await setTrust('suspended');
    expect(
      (await hubs.mum.work.doNotDisturb.unmute(agentIdOfKeyHex(hubs.dad.key), BROWSER)).mutes,
    ).toEqual([]);
  });
});

describe('within a quiet night', () => {
  test('a pause of an hour holds what waits, and it stays held until the morning', async () => {
    await send('Dinner is at 7');
    await quietFor(3 * HOUR_MS);
    expect(hubs.mum.card.held).toBeNull();
    const until = hubs.mum.work.doNotDisturb.dto().quiet_now?.until ?? 0;
    await hubs.mum.work.doNotDisturb.pause('in_an_hour', BROWSER);
    expect(hubs.mum.card.held).toEqual({ why: 'quiet_hours', until });
    await hubs.clock.advance(HOUR_MS + 1_000);
    expect(hubs.mum.card.held).toEqual({ why: 'quiet_hours', until });
  });

  test('a mute of an hour holds what waits of that hub, and of no other', async () => {
    await hubs.mum.store.write((tables) => tables.putPeer(peerRow(LEO)));
    await send('Dinner is at 7');
    const payload = { task: 'Homework', domain: 'family.chat' };
    await hubs.mum.hears(LEO.key, { id: crypto.randomUUID(), kind: 'delegate', payload });
    await quietFor(3 * HOUR_MS);
    await hubs.mum.work.doNotDisturb.mute('dad', now() + HOUR_MS, BROWSER);
    const waiting = hubs.mum.work.approvals
      .pending()
      .map(({ peer_name, held }) => [peer_name, held?.why]);
    expect(waiting).toEqual([
      ['dad', 'quiet_hours'],
      ['leo', undefined],
    ]);
  });
});
