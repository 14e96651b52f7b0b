// P9: what a hub costs while nobody wants anything of it: both of its processes, with mDNS on and
// eight hubs connected, which answer what it asks them.
import { BenchHubs } from '../bench-hubs.ts';
import { sized } from '../effort.ts';
import { childrenOf } from '../hub-start.ts';
import { processorMs, TICK_MS } from '../processor.ts';
import { refusal } from '../requirements.ts';
import { absentRow, part, row, type Row } from '../results.ts';
import { ROUNDS_MIN } from '../rounds.ts';

const TITLE = 'processor of an idle hub, mDNS on, 8 hubs connected';
const PEERS = 8;
/** What comes with a start and with new lines is over by then. */
const SETTLED_MS = sized({ full: 30_000, quick: 500 });
const ROUND_MS = sized({ full: 60_000, quick: 1_000 });

export async function measureP9(): Promise<Row> {
  const missing = refusal('build', 'proc');
  if (missing !== null) return absentRow('P9', TITLE, missing);
  return await BenchHubs.run(async (hubs) => {
    const hub = await hubs.start('idle', { flags: ['--discovery', 'on'] });
    await hubs.connect(hub, PEERS, 1);
    await pause(SETTLED_MS);
    const processes = [hub.pid, ...childrenOf(hub.pid)];
    const shares: number[] = [];
    for (let round = 0; round < ROUNDS_MIN; round += 1) {
      const [beganMs, beforeMs] = [performance.now(), processorMs(processes)];
      await pause(ROUND_MS);
      const tookMs = processorMs(processes) - beforeMs;
      shares.push((tookMs / (performance.now() - beganMs)) * 100);
    }
    const owner = await hub.owner();
    const { items } = await owner.call('peers.list', { trust: 'paired' });
    const online = items.filter((peer) => peer.online).length;
    if (online !== PEERS) throw new Error(`${online} of ${PEERS} hubs are still connected`);
    const goal = {
      name: `both processes, rounds of ${ROUND_MS / 1_000} s`,
      unit: '% of a core',
      bound: 'at most',
      target: 0.1,
    } as const;
    const detail = `${processes.length} processes, counted in ticks of ${TICK_MS} ms`;
    return row('P9', TITLE, [part(goal, shares, detail)]);
  });
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
