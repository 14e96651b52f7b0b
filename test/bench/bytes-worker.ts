// Fills the stores of two hubs through their own services, then says what they take on disk: bytes
// by table and index, at each hub. In a process of its own, because its manual clock and the
// schema's text need Node's hooks: node --import ../support/raw-imports.mjs.
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { DeliveryDto } from '../../preload/contract/dto.ts';
import { closeTwoHubs, openTwoHubs } from '../fakes/two-work-hubs.ts';
import { delegation, type WorkHub } from '../fakes/work-hub.ts';

export interface BytesOnDisk {
  /** Question and answer of everything together, as people and agents wrote them. */
  readonly textBytes: number;
  readonly hubs: Readonly<
    Record<
      'asker' | 'answerer',
      { readonly bytes: number; readonly parts: readonly (readonly [string, number])[] }
    >
  >;
  /** Wall time of the filling, both hubs in one process. */
  readonly seconds: number;
  /** Memory of that process after a tenth of it, and at its end. */
  readonly residentMb: readonly [number, number];
}

/** How many are under way at a time; no more may wait for a person. */
const TOGETHER = 5;
/** Words as often as people use them, in no order: they deflate no better than sentences do. */
const WORDS = [
  'README.md',
  ...['agents', 'operating', 'pairing', 'security'].map((name) => `resources/docs/${name}.md`),
].flatMap(
  (page) => readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8').match(/[a-z]+/gi) ?? [],
);

const [, , queries = '1000', delegations = '100', size = '450'] = process.argv;
const SIZE = Number(size);
/** What an answer says in one line; the rest of it is data. */
const SUMMARY = Math.floor(SIZE / 5);

let state = 1;
function chance(below: number): number {
  state = (state * 48_271) % 2_147_483_647;
  return state % below;
}

function words(length: number): string {
  let text = '';
  while (text.length < length) text += `${WORDS[chance(WORDS.length)] ?? ''} `;
  return text.slice(0, length);
}

async function settled<T>(
  works: readonly Promise<T>[],
  settle: () => Promise<void>,
): Promise<readonly T[]> {
  const all = Promise.all(works);
  await settle();
  return all;
}

const startedAt = performance.now();
const hubs = await openTwoHubs();
const { clock, dad, mum } = hubs;
await mum.agent('calendar', ['family.calendar'], { risk: 'R0' });
const answer = (): {
  readonly status: 'completed';
  readonly data: unknown;
  readonly truncated: false;
} => ({
  status: 'completed',
  data: { answer: words(SIZE - SUMMARY) },
  truncated: false,
});

const resident = (): number => process.memoryUsage.rss() / 1_000_000;
let early = 0;
for (let done = 0; done < Number(queries); done += TOGETHER) {
  if (early === 0 && done >= Number(queries) / 10) early = resident();
  const asked = Array.from({ length: Math.min(TOGETHER, Number(queries) - done) }, () =>
    dad.work.sender.query(
      { to: 'mum', question: words(SIZE), domain: 'family.calendar' },
      'openclaw',
      new AbortController().signal,
    ),
  );
  const replies = async (): Promise<void> => {
    await clock.settle();
    for (const item of await claimed(asked.length)) {
      await mum.work.inbox.reply('calendar', item.delivery_id, {
        ...answer(),
        summary: words(SUMMARY),
      });
    }
    await clock.settle();
  };
  await settled(asked, replies);
  await clock.advance(100);
  // The line between the two keeps what it carried, which no hub does.
  for (const { messenger } of [dad, mum]) messenger.sent.length = 0;
}

for (let done = 0; done < Number(delegations); done += TOGETHER) {
  const together = Math.min(TOGETHER, Number(delegations) - done);
  const sent = Array.from({ length: together }, () =>
    dad.work.sender.delegate(
      delegation('mum', words(SIZE), { domain: 'family.calendar' }),
      'openclaw',
      null,
    ),
  );
  await settled(sent, () => clock.settle());
  for (const card of mum.work.approvals.pending()) await mum.decide(card, 'allow');
  for (const item of await claimed(together)) {
    await mum.work.inbox.ack('calendar', item.delivery_id, 5_000);
    await mum.work.inbox.reply('calendar', item.delivery_id, {
      ...answer(),
      outcome: words(SUMMARY),
    });
  }
  await clock.advance(100);
  for (const item of await dad.work.inbox.claim('openclaw', together))
    await dad.work.inbox.ack('openclaw', item.delivery_id, 0);
  await clock.settle();
}

async function claimed(count: number): Promise<readonly DeliveryDto[]> {
  const items = await mum.work.inbox.claim('calendar', count);
  if (items.length !== count) throw new Error(`${items.length} of ${count} items wait`);
  return items;
}

function onDisk({ file }: WorkHub): BytesOnDisk['hubs']['asker'] {
  const connection = new Database(file, { readonly: true });
  const rows = connection
    .prepare<[], [string, number]>(
      'SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC',
    )
    .raw()
    .all();
  const tables = ['tasks', 'messages'].map((table) =>
    connection.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
  );
  connection.close();
  const items = Number(queries) + Number(delegations);
  if (tables[0] !== items || Number(tables[1]) < 2 * items)
    throw new Error(`${tables.join(' and ')} rows stand for ${items} items`);
  return { bytes: rows.reduce((sum, [, bytes]) => sum + bytes, 0), parts: rows };
}

const seconds = (performance.now() - startedAt) / 1_000;
const textBytes = 2 * SIZE * (Number(queries) + Number(delegations));
const found: BytesOnDisk = {
  textBytes,
  hubs: { asker: onDisk(dad), answerer: onDisk(mum) },
  seconds,
  residentMb: [early, resident()],
};
await closeTwoHubs(hubs);
process.stdout.write(JSON.stringify(found));
