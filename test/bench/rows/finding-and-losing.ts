// P12: how soon a person sees a hub come and go. Built hubs, each on a computer of its own in a
// home network of namespaces, with real multicast; what counts is the event that reaches a page of
// the hub beside, never what a question would have found.
import { performance } from 'node:perf_hooks';
import type { UiEvent } from '../../../preload/contract/dto.ts';
import { pairByApi } from '../../e2e/pair-by-api.ts';
import { HubProcess, type HubApi } from '../../lan/hub-process.ts';
import { Lan } from '../../lan/namespaces.ts';
import type { EventReader } from '../../support/event-reader.ts';
import { sized } from '../effort.ts';
import { childrenOf } from '../hub-start.ts';
import { refusal } from '../requirements.ts';
import { absentRow, median, part, row, type Part, type Row } from '../results.ts';
import { ROUNDS_MIN } from '../rounds.ts';

const TITLE = 'a hub comes, says goodbye, is killed';
const NEARBY_ROUNDS = sized({ full: 15, quick: 1 });
/** A kill falls into another moment of the silence between two signs of life each time. */
const KILL_LATER_BY_MS = 1_700;
const EVENT_LIMIT_MS = 60_000;
const P95 = 0.95;
const UNIT = 's, p95';

interface Nearby {
  readonly seenByOlderMs: number;
  readonly seenByNewerMs: number;
  readonly goneMs: number;
}

interface Losses {
  readonly bothMs: readonly number[];
  readonly mainMs: readonly number[];
}

export async function measureP12(): Promise<Row> {
  const missing = refusal('build', 'namespaces', 'proc');
  if (missing !== null) return absentRow('P12', TITLE, missing);
  const nearby: Nearby[] = [];
  for (let round = 0; round < NEARBY_ROUNDS; round += 1) nearby.push(await comeAndGo());
  const { bothMs, mainMs } = await beKilled();
  return row('P12', TITLE, [
    seconds(
      'discovery: the start of a new hub to the page of the one beside it',
      2,
      nearby.map(({ seenByOlderMs }) => seenByOlderMs),
    ),
    seconds(
      'discovery: the start of a new hub to its own page, its login included',
      2,
      nearby.map(({ seenByNewerMs }) => seenByNewerMs),
    ),
    seconds(
      'goodbye: SIGTERM to the page of the one beside it',
      0.2,
      nearby.map(({ goneMs }) => goneMs),
    ),
    seconds('killed while connected, both processes', 20, bothMs),
    seconds('killed while connected, the main process alone', 20, mainMs),
  ]);
}

function seconds(name: string, target: number, valuesMs: readonly number[]): Part {
  const goal = { name, unit: UNIT, bound: 'at most', target } as const;
  return part(
    goal,
    valuesMs.map((valueMs) => valueMs / 1_000),
    `p50 ${(median(valuesMs) / 1_000).toFixed(3)} s`,
    P95,
  );
}

/**
 * Two hubs that never ran before: the second comes while a page of the first looks on, and is
 * stopped in order.
 */
async function comeAndGo(): Promise<Nearby> {
  const lan = new Lan(['older', 'newer']);
  const hubs: HubProcess[] = [];
  try {
    const older = await HubProcess.start(lan.host('older'), { name: 'older' });
    hubs.push(older);
    const page = await PeerPage.open(await older.owner());
    const startedMs = performance.now();
    const seenByOlder = page.next('the newer hub', (event) => event.type === 'peer');
    const newer = await HubProcess.start(lan.host('newer'), { name: 'newer' });
    hubs.push(newer);
    const seenByNewerMs = (await firstSight(await newer.owner())) - startedMs;
    const seenByOlderMs = (await seenByOlder) - startedMs;
    const gone = page.next('the goodbye', (event) => event.type === 'peer_gone');
    const stoppedMs = performance.now();
    await newer.kill('SIGTERM');
    const goneMs = (await gone) - stoppedMs;
    page.close();
    return { seenByOlderMs, seenByNewerMs, goneMs };
  } finally {
    await Promise.all(hubs.map((hub) => hub.remove()));
    await lan.close();
  }
}

/**
 * When a page that is opened as soon as its hub lets it shows another hub: at once, or by the
 * event.
 */
async function firstSight(owner: HubApi): Promise<number> {
  const page = await PeerPage.open(owner);
  try {
    const event = page.next('the older hub', ({ type }) => type === 'peer');
    event.catch(() => undefined);
    const { items } = await owner.call('peers.list', {});
    return items.length > 0 ? performance.now() : await event;
  } finally {
    page.close();
  }
}

/**
 * One hub paired and connected with two others, of which one loses both processes at once, as in a
 * power cut, and one its main process.
 */
async function beKilled(): Promise<Losses> {
  const lan = new Lan(['watching', 'both', 'main']);
  const hubs: HubProcess[] = [];
  try {
    for (const { name } of lan.hosts) hubs.push(await HubProcess.start(lan.host(name), { name }));
    const [watching, both, main] = hubs;
    if (watching === undefined || both === undefined || main === undefined)
      throw new Error('three hubs were started');
    const owner = await watching.owner();
    const losing = [
      { hub: both, agentId: await pairWith(owner, both, lan.host('both').address), kill: killBoth },
      { hub: main, agentId: await pairWith(owner, main, lan.host('main').address), kill: killMain },
    ];
    const page = await PeerPage.open(owner);
    const lossesMs: (readonly number[])[] = [];
    for (let round = 0; round < ROUNDS_MIN; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, round * KILL_LATER_BY_MS));
      lossesMs.push(await Promise.all(losing.map((peer) => loseAndRegain(page, peer))));
    }
    page.close();
    return { bothMs: lossesMs.map(([ms = NaN]) => ms), mainMs: lossesMs.map(([, ms = NaN]) => ms) };
  } finally {
    await Promise.all(hubs.map((hub) => hub.remove()));
    await lan.close();
  }
}

/** Resolves with the agent id of the peer, once both see the other online. */
async function pairWith(owner: HubApi, peer: HubProcess, host: string): Promise<string> {
  const peerOwner = await peer.owner();
  await pairByApi(owner, peerOwner, { asking: 'watching', asked: peer.host.name }, host);
  return (await peerOwner.call('hub.whoami', {})).hub.agent_id ?? '';
}

interface Losing {
  readonly hub: HubProcess;
  readonly agentId: string;
  readonly kill: (hub: HubProcess) => Promise<void>;
}

/** From the kill to the event, in ms; the peer is connected again when this resolves. */
async function loseAndRegain(page: PeerPage, { hub, agentId, kill }: Losing): Promise<number> {
  const lost = page.next('the loss of a peer', isPeer(agentId, false));
  const killedMs = performance.now();
  await kill(hub);
  const lostMs = (await lost) - killedMs;
  const again = page.next('a line to a peer that is back', isPeer(agentId, true));
  await hub.restart();
  await again;
  return lostMs;
}

function isPeer(agentId: string, online: boolean): (event: UiEvent) => boolean {
  return (event) =>
    event.type === 'peer' && event.peer.id === agentId && event.peer.online === online;
}

/** They are halted first: neither may notice the end of the other. */
async function killBoth(hub: HubProcess): Promise<void> {
  const pids = [hub.pid, ...childrenOf(hub.pid)];
  for (const signal of ['SIGSTOP', 'SIGKILL'] as const)
    for (const pid of pids) process.kill(pid, signal);
  await hub.kill();
}

async function killMain(hub: HubProcess): Promise<void> {
  await hub.kill('SIGKILL');
}

/** What a page of a hub hears of others. */
class PeerPage {
  readonly #reader: EventReader;

  private constructor(reader: EventReader) {
    this.#reader = reader;
  }

  static async open(owner: HubApi): Promise<PeerPage> {
    return new PeerPage(await owner.follow());
  }

  /**
   * When the first event of those still to come that fits was read (performance.now()); throws when
   * it did not come within a minute.
   */
  async next(what: string, fits: (event: UiEvent) => boolean): Promise<number> {
    const before = new Set(this.#reader.events);
    const limit = setTimeout(() => this.#reader.close(), EVENT_LIMIT_MS);
    try {
      await this.#reader.next(
        (seen) => !before.has(seen) && isUiEvent(seen.data) && fits(seen.data),
        what,
      );
      return performance.now();
    } finally {
      clearTimeout(limit);
    }
  }

  close(): void {
    this.#reader.close();
  }
}

function isUiEvent(data: unknown): data is UiEvent {
  return typeof data === 'object' && data !== null && 'type' in data;
}
