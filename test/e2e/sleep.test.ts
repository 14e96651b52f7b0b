// F-13: a computer sleeps for longer than a line bears silence, and wakes: both hubs find each
// other again, on one line, and work goes on. Real processes, all of a hub's stopped and continued
// by signals; what a wall clock does meanwhile is shown where clocks can be moved.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HubProcess, type HubApi } from '../lan/hub-process.ts';
import { ThisComputer } from '../lan/this-computer.ts';
import { familyOf } from '../support/listening.ts';
import { until } from '../support/until.ts';
import { online, pairByApi } from './pair-by-api.ts';

/** The silence that ends a line is 18 s; the rest is for a machine that does much else. */
const NOTICED_WITHIN_MS = 40_000;
const BACK_WITHIN_MS = 60_000;

describe.skipIf(process.platform !== 'linux')('a computer that sleeps', () => {
  const computer = new ThisComputer('this computer');
  const hubs: HubProcess[] = [];
  let dad: HubApi;
  let mum: HubApi;
  let agentIds: { readonly dad: string; readonly mum: string };

  beforeAll(async () => {
    for (const name of ['Dad', 'Mum'])
      hubs.push(await HubProcess.start(computer, { name, flags: ['--discovery', 'off'] }));
    const [his, hers] = await Promise.all(hubs.map((hub) => hub.owner()));
    if (his === undefined || hers === undefined) throw new Error('two hubs were started');
    [dad, mum] = [his, hers];
    await pairByApi(dad, mum, { asking: 'Dad', asked: 'Mum' });
    const idOf = async (hub: HubApi): Promise<string> =>
      (await hub.call('hub.whoami', {})).hub.agent_id ?? '';
    agentIds = { dad: await idOf(dad), mum: await idOf(mum) };
  });
  afterAll(async () => {
    await Promise.all(hubs.map((hub) => hub.remove()));
    await computer.close();
  });

  it('F-13: is missed while it sleeps, and back on one line within a minute of waking, whichever of the two slept', async () => {
    const [dadHub, mumHub] = hubs;
    if (dadHub === undefined || mumHub === undefined) throw new Error('two hubs were started');
    const rounds = [
      { sleeper: dadHub, other: mum, sleeperId: agentIds.dad },
      { sleeper: mumHub, other: dad, sleeperId: agentIds.mum },
    ];
    for (const { sleeper, other, sleeperId } of rounds) {
      const pids = [...familyOf(sleeper.pid)];
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      try {
        await until('the sleeping hub to be missed', NOTICED_WITHIN_MS, async () => {
          const peer = await other.call('peers.get', { id: sleeperId });
          return peer.online ? undefined : peer;
        });
      } finally {
        for (const pid of pids.toReversed()) process.kill(pid, 'SIGCONT');
      }
      await Promise.all([
        online(dad, agentIds.mum, BACK_WITHIN_MS),
        online(mum, agentIds.dad, BACK_WITHIN_MS),
      ]);
      // The line from before the sleep may still stand beside the new one, with nobody at its other
      // end.
      await until('one line to be left', BACK_WITHIN_MS, async () => {
        const [his, hers] = await Promise.all([
          dad.call('hub.status', {}),
          mum.call('hub.status', {}),
        ]);
        return his.transport.connections === 1 && hers.transport.connections === 1
          ? true
          : undefined;
      });
      const pinged = await Promise.all([
        dad.call('peers.ping', { id: agentIds.mum }),
        mum.call('peers.ping', { id: agentIds.dad }),
      ]);
      expect(pinged.map(({ status }) => status)).toEqual(['idle', 'idle']);
    }
    expect(dadHub.transcript()).toContain('this program stood still');
  });
});
