// DL-03: what a paired hub can learn from the time that an answer takes. It takes back a delegation
// of another hub, and one that nobody ever made; both are refused in the same words, and must be in
// the same time. A built hub, and two real peers in this process.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { DialTarget } from '../../../main/ports/transport.ts';
import { pairByApi } from '../../e2e/pair-by-api.ts';
import { newIdentity } from '../../integration/quic-test-hub.ts';
import type { HubProcess } from '../../lan/hub-process.ts';
import { LightPeer } from '../../support/crowd/light-peer.ts';
import { BenchHubs, RAISED } from '../bench-hubs.ts';
import { sized } from '../effort.ts';
import { refusal } from '../requirements.ts';
import { absentRow, median, part, row, type Row } from '../results.ts';

const TITLE = 'a cancel of another hub’s delegation';
const DOMAIN = 'household.chores';
const ROUNDS = sized({ full: 9, quick: 1 });
const PAIRS_A_ROUND = sized({ full: 300, quick: 5 });
const ANSWER_LIMIT_MS = 5_000;

export async function measureForeignReference(): Promise<Row> {
  const missing = refusal('build');
  if (missing !== null) return absentRow('DL-03', TITLE, missing);
  return await BenchHubs.run(async (hubs) => {
    const asked = await hubs.start('asked');
    const owner = await asked.owner();
    await owner.call('agents.create', { name: 'clerk', domains: [DOMAIN] });
    /** Pairs as people do; then its key speaks for itself. */
    const connect = async (name: string): Promise<LightPeer> => {
      const hub = await hubs.start(name);
      await pairByApi(await hub.owner(), owner, { asking: name, asked: 'asked' });
      await hub.kill('SIGTERM');
      const { hub: facts } = await owner.call('hub.whoami', {});
      const target: DialTarget = {
        keyHex: facts.public_key ?? '',
        agentId: facts.agent_id ?? '',
        host: '127.0.0.1',
        port: facts.peer_port ?? 0,
      };
      const peer = new LightPeer(newIdentity(await seedOf(hub)), '127.0.0.1', target);
      await hubs.keep(peer.start().then(() => ({ close: () => peer.stop() })));
      await peer.connected();
      return peer;
    };
    const [asking, curious] = [await connect('asking'), await connect('curious')];
    const foreign = randomUUID();
    const taken = await asking.ask(
      'delegate',
      { task: 'Water the plants', domain: DOMAIN },
      ANSWER_LIMIT_MS,
      foreign,
    );
    if (typeof taken === 'string' || taken.payload['accepted'] !== true)
      throw new Error('the hub did not take the delegation');
    const rounds: { readonly foreign: number; readonly unknown: number }[] = [];
    // The first round only warms up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const times: Record<'foreign' | 'unknown', number[]> = { foreign: [], unknown: [] };
      for (let pair = 0; pair < PAIRS_A_ROUND; pair += 1) {
        const order =
          pair % 2 === 0 ? (['foreign', 'unknown'] as const) : (['unknown', 'foreign'] as const);
        for (const which of order)
          times[which].push(await cancelMs(curious, which === 'foreign' ? foreign : randomUUID()));
      }
      if (round > 0)
        rounds.push({ foreign: median(times.foreign), unknown: median(times.unknown) });
    }
    const apart = rounds
      .map((times) => times.foreign / times.unknown)
      .map((ratio) => Math.max(ratio, 1 / ratio));
    const detail = `${median(rounds.map((times) => times.foreign)).toFixed(3)} against ${median(rounds.map((times) => times.unknown)).toFixed(3)} ms`;
    const goal = {
      name: 'apart from one that nobody made, p50',
      unit: 'x',
      bound: 'at most',
      target: 1.1,
    } as const;
    return row('DL-03', TITLE, [part(goal, apart, `${detail}; ${RAISED.join(' ')}`)]);
  });
}

async function seedOf(hub: HubProcess): Promise<Uint8Array> {
  return new Uint8Array(
    Buffer.from(await readFile(join(hub.home, 'identity.key'), 'utf8'), 'base64'),
  );
}

async function cancelMs(peer: LightPeer, ref: string): Promise<number> {
  const id = randomUUID();
  const bytes = peer.envelope('cancel', {}, id, ref);
  const beganMs = performance.now();
  const answer = await peer.askBytes(bytes, ANSWER_LIMIT_MS);
  const tookMs = performance.now() - beganMs;
  if (answer !== 'ack') throw new Error(`a cancel was answered ${answer}`);
  return tookMs;
}
