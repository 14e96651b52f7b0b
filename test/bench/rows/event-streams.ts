// P6: one event to as many pages as a hub serves. An agent says that it is busy, and every page is
// told; what counts is the time from its call to the last page.
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { BenchHubs, RAISED } from '../bench-hubs.ts';
import { sized } from '../effort.ts';
import type { HubApi, HubProcess } from '../../lan/hub-process.ts';
import { refusal } from '../requirements.ts';
import { absentRow, median, part, quantile, row, type Row } from '../results.ts';
import { ROUNDS_MIN } from '../rounds.ts';

const TITLE = 'one event to 32 pages';
/** As many streams as a hub serves, and as one login may have. */
const STREAMS = 32;
const STREAMS_EACH = 4;
const EVENTS_A_ROUND = sized({ full: 200, quick: 5 });
const GAP_MS = 10;
const EVENT_LIMIT_MS = 10_000;
const AGENT = 'busybody';

/** Reads one stream, and looks into what came only when it is asked to: reading takes no time. */
class Page {
  readonly #answer: IncomingMessage;
  #came: { readonly atMs: number; readonly text: string }[] = [];
  #wake: () => void = () => undefined;

  private constructor(answer: IncomingMessage) {
    this.#answer = answer;
    answer.setEncoding('utf8').on('data', (text: string) => {
      this.#came.push({ atMs: performance.now(), text });
      this.#wake();
    });
  }

  static open(port: number, token: string): Promise<Page> {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    const place = { host: '127.0.0.1', port, path: '/v1/events' };
    return new Promise((resolve, reject) => {
      get({ ...place, headers, agent: false }, (answer) => {
        if (answer.statusCode === 200) resolve(new Page(answer));
        else reject(new Error(`a page's stream was answered ${answer.statusCode}`));
      }).on('error', reject);
    });
  }

  /** When the next event was here that says this of the agent, with all of its bytes. */
  async told(busy: boolean): Promise<number> {
    for (;;) {
      const text = this.#came.map((each) => each.text).join('');
      if (text.endsWith('\n\n') && isAbout(text, busy)) {
        const { atMs } = this.#came.at(-1) ?? { atMs: NaN };
        this.#came = [];
        return atMs;
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  close(): Promise<void> {
    this.#answer.destroy();
    return Promise.resolve();
  }
}

/** Whether one of these events says it. */
function isAbout(text: string, busy: boolean): boolean {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .some((line) => {
      const event: unknown = JSON.parse(line.slice('data:'.length));
      if (typeof event !== 'object' || event === null || !('agent' in event)) return false;
      const { agent } = event;
      return (
        typeof agent === 'object' &&
        agent !== null &&
        'name' in agent &&
        agent.name === AGENT &&
        'busy' in agent &&
        agent.busy === busy
      );
    });
}

export async function measureP6(): Promise<Row> {
  const missing = refusal('build');
  if (missing !== null) return absentRow('P6', TITLE, missing);
  return await BenchHubs.run(async (hubs) => {
    const hub = await hubs.start('telling');
    const { token } = await (await hub.owner()).call('agents.create', { name: AGENT });
    const agent = hub.api.withToken(token);
    const pages = await openPages(hubs, hub);
    const [lasts, spreads]: [number[][], number[]] = [[], []];
    let busy = false;
    // The first round only warms up.
    for (let round = 0; round <= ROUNDS_MIN; round += 1) {
      const times: number[] = [];
      while (times.length < EVENTS_A_ROUND) {
        await new Promise((resolve) => setTimeout(resolve, GAP_MS));
        busy = !busy;
        const { firstMs, lastMs } = await tell(agent, pages, busy);
        times.push(lastMs);
        spreads.push(lastMs - firstMs);
      }
      if (round > 0) lasts.push(times.toSorted((one, other) => one - other));
    }
    const goal = (share: string, target: number) =>
      ({ name: `call to the last page, ${share}`, unit: 'ms', bound: 'at most', target }) as const;
    const detail = `${median(spreads).toFixed(2)} ms from the first page to the last; ${EVENTS_A_ROUND} events a round; ${RAISED.join(' ')}`;
    return row('P6', TITLE, [
      part(
        goal('p50', 2),
        lasts.map((times) => quantile(times, 0.5)),
        detail,
      ),
      part(
        goal('p99', 6),
        lasts.map((times) => quantile(times, 0.99)),
        detail,
      ),
    ]);
  });
}

async function openPages(hubs: BenchHubs, hub: HubProcess): Promise<readonly Page[]> {
  const pages: Page[] = [];
  while (pages.length < STREAMS) {
    const token = await hub.ownerToken();
    for (let stream = 0; stream < STREAMS_EACH; stream += 1)
      pages.push(await hubs.keep(Page.open(hub.port, token)));
  }
  return pages;
}

async function tell(
  agent: HubApi,
  pages: readonly Page[],
  busy: boolean,
): Promise<{ readonly firstMs: number; readonly lastMs: number }> {
  const limit = setTimeout(() => {
    for (const page of pages) void page.close();
  }, EVENT_LIMIT_MS);
  const beganMs = performance.now();
  const told = Promise.all(pages.map((page) => page.told(busy)));
  const presence = busy ? 'busy' : 'idle';
  const said = await agent.call('agents.setPresence', { name: AGENT, presence });
  if (said.presence !== presence) throw new Error(`the hub says ${said.presence}`);
  const times = await told;
  clearTimeout(limit);
  return { firstMs: Math.min(...times) - beganMs, lastMs: Math.max(...times) - beganMs };
}
