// Fills the store of one hub with a long history, as its services leave it, takes it into the
// search index, and says what reading, searching, opening and adding cost then. In a process of its
// own, because the schema's text needs Node's hooks: node --import ../support/raw-imports.mjs.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../main/adapters/sqlite/open-store.ts';
import { SystemClock } from '../../main/adapters/clock/system-clock.ts';
import type { Store, Tables } from '../../main/ports/store.ts';
import { Conversations } from '../../main/services/history/conversations.ts';
import { Search } from '../../main/services/history/search.ts';
import { Deadlines } from '../../main/services/tasks/deadlines.ts';
import { Parties } from '../../main/services/tasks/parties.ts';
import { Stories } from '../../main/services/tasks/stories.ts';
import { TaskViews } from '../../main/services/tasks/task-views.ts';
import { keyOf, peerRow } from '../fakes/sample-rows.ts';
import { SILENT_LOG } from '../fakes/memory-store.ts';
import { insertExchange } from './exchange.ts';

export interface HistoryCosts {
  readonly messages: number;
  readonly textBytes: number;
  /** Of the database, and of that what the search index takes. */
  readonly bytes: number;
  readonly indexBytes: number;
  /** Milliseconds, one a call. */
  readonly newest50: readonly number[];
  readonly conversations: readonly number[];
  readonly searches: Readonly<Record<string, readonly number[]>>;
  /** Of a new process each, from the call to the first page. */
  readonly opened: readonly number[];
  /** Processor time of one message, microseconds, by how many there were before; one a round. */
  readonly added: readonly { readonly before: number; readonly microseconds: readonly number[] }[];
  readonly residentMb: number;
  readonly seconds: number;
}

const [, , count = '20000'] = process.argv;
const MESSAGES = Number(count);
const PEERS = 128;
const TEXT_BYTES = 450;
/** Exchanges in one commit while the history is made, and while it is measured. */
const MANY = 500;
const FEW = 20;
const ROUNDS = 40;
const READS = 400;
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
/** Said once in ten thousand messages. */
const RARE = 'quokka';
const WORDS = [
  'README.md',
  ...['agents', 'operating', 'pairing', 'security'].map((name) => `resources/docs/${name}.md`),
].flatMap(
  (page) => readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8').match(/[a-z]+/gi) ?? [],
);

let state = 1;
function chance(below: number): number {
  state = (state * 48_271) % 2_147_483_647;
  return state % below;
}

let textBytes = 0;
function words(): string {
  let text = chance(10_000) === 0 ? `${RARE} ` : '';
  while (text.length < TEXT_BYTES) text += `${WORDS[chance(WORDS.length)] ?? ''} `;
  textBytes += TEXT_BYTES;
  return text.slice(0, TEXT_BYTES);
}

const folder = mkdtempSync(join(tmpdir(), 'axon-history-'));
const path = join(folder, 'hub.db');
const clock = new SystemClock();
const store = openStore({ path, clock, log: SILENT_LOG });
let made = 0;

/** One question of a hub, answered. */
function exchange(tables: Tables, peers: number, at: number): void {
  const id = crypto.randomUUID();
  const peer = chance(peers);
  const party = keyOf(`hub ${peer}`);
  // Some ask again in the same conversation, and each hub has one that never ends.
  const goesOn = chance(8) === 0 ? longWith(peer) : lastConversation;
  const conversationId = chance(3) === 0 ? goesOn : id;
  if (conversationId === id) lastConversation = id;
  insertExchange(tables, { id, party, conversationId, at, question: words(), answer: words() });
  made += 2;
}
let lastConversation: string = crypto.randomUUID();
function longWith(peer: number): string {
  return `with hub ${peer}`;
}

const startAt = clock.wallMs() - YEAR_MS;
const timeOf = (): number => startAt + Math.floor((made / MESSAGES) * YEAR_MS);
const add = (exchanges: number, peers: number): Promise<void> =>
  store.write((tables) => {
    for (let one = 0; one < exchanges; one++) exchange(tables, peers, timeOf());
  });

async function fill(until: number, peers: number): Promise<void> {
  for (let left = until - made; left > 0; left = until - made)
    await add(Math.min(MANY, Math.ceil(left / 2)), peers);
}

/** What adding costs with so much history; the rest of a commit is the disk's. */
async function measureAdding(peers: number): Promise<HistoryCosts['added'][number]> {
  const before = made;
  const microseconds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = process.cpuUsage();
    await add(FEW, peers);
    const { user, system } = process.cpuUsage(started);
    microseconds.push((user + system) / (2 * FEW));
  }
  return { before, microseconds };
}

async function index(): Promise<void> {
  while (store.read.isSearchBehind()) await store.write((tables) => tables.tendSearch(MANY));
}

function timed(times: number, call: (round: number) => unknown): readonly number[] {
  return Array.from({ length: times }, (_, round) => {
    const started = performance.now();
    call(round);
    return performance.now() - started;
  });
}

function readers(of: Store): { readonly search: Search; readonly conversations: Conversations } {
  const parties = new Parties({
    store: of,
    clock,
    hubName: () => 'Mum’s PC',
    personName: () => null,
  });
  const deadlines = new Deadlines({ clock }, () => undefined);
  const stories = new Stories({
    store: of,
    parties,
    personName: () => null,
    awaySince: () => null,
    adultsFor: () => null,
    handOnWaitsAt: () => null,
  });
  const tasks = new TaskViews({
    store: of,
    clock,
    parties,
    deadlines,
    stories,
    standing: () => ({}),
  });
  const conversations = new Conversations({ store: of, clock, parties, tasks });
  return { conversations, search: new Search({ store: of, clock, parties, conversations, tasks }) };
}

/** As a hub that starts does it, and then its page of conversations. */
const OPENING = `
  import { openStore } from '${new URL('../../main/adapters/sqlite/open-store.ts', import.meta.url).href}';
  import { SystemClock } from '${new URL('../../main/adapters/clock/system-clock.ts', import.meta.url).href}';
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const started = performance.now();
  const store = openStore({ path: process.argv[1], clock: new SystemClock(), log });
  store.read.conversations({ limit: 20 });
  console.log(performance.now() - started);
  await store.close();`;

function openAgain(): number {
  const hooks = new URL('../support/raw-imports.mjs', import.meta.url).href;
  const flags = ['--no-warnings', '--import', hooks, '--input-type=module', '--eval', OPENING];
  return Number(execFileSync(process.execPath, [...flags, '--', path], { encoding: 'utf8' }));
}

function bytesOf(name: string): number {
  const sql = `SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name GLOB '${name}'`;
  const from = `import Database from 'better-sqlite3';
    console.log(new Database(process.argv[1], { readonly: true }).prepare(process.argv[2]).pluck().get());`;
  const flags = ['--no-warnings', '--input-type=module', '--eval', from, '--', path, sql];
  return Number(execFileSync(process.execPath, flags, { encoding: 'utf8' }));
}

const begun = performance.now();
await store.write((tables) => {
  for (let peer = 0; peer < PEERS; peer++)
    tables.putPeer({
      ...peerRow({ key: keyOf(`hub ${peer}`), petname: `Hub ${peer}` }),
      trust: 'paired',
    });
});
await fill(1_000, 1);
const added = [await measureAdding(1)];
await fill(MESSAGES, PEERS);
added.push(await measureAdding(PEERS));
await index();
const { search, conversations } = readers(store);
const newest50 = timed(READS, (round) =>
  store.read.messages({ limit: 50 }, { conversationId: longWith(round % PEERS) }),
);
const pages = timed(READS, () => conversations.list({ limit: 20 }));
const common = 'the';
const month = new Date(startAt + YEAR_MS / 2).toISOString().slice(0, 7);
const searches = Object.fromEntries(
  [RARE, common, `${RARE} ${common}`, 'a person', '"the other hub"', `${common} from:"Hub 7"`]
    .concat([`${common} before:${month}`, 'outcome:declined', `${RARE} outcome:declined`])
    .map((typed) => [typed, timed(25, () => search.find(typed, { limit: 20 }))]),
);
const residentMb = process.memoryUsage.rss() / 1_000_000;
await store.close();
const costs: HistoryCosts = {
  messages: made,
  textBytes,
  bytes: statSync(path).size,
  indexBytes: bytesOf('search*'),
  newest50,
  conversations: pages,
  searches,
  opened: Array.from({ length: 7 }, openAgain),
  added,
  residentMb,
  seconds: (performance.now() - begun) / 1_000,
};
process.stdout.write(JSON.stringify(costs));
rmSync(folder, { recursive: true, force: true });
