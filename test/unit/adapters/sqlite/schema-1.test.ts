// Two hubs of schema 1, made by the program of that schema together with all that it answered from
// them (test/fixtures/schema-1): a hub of today opens them, holds the same, and goes on.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isJsonObject } from '../../../../main/lib/json-object.ts';
import { answersOf } from '../../../fakes/kept-hub.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../../fakes/memory-messenger.ts';
import { closeTwoHubs } from '../../../fakes/two-work-hubs.ts';
import { WorkHub } from '../../../fakes/work-hub.ts';

const kept = (name: string): Buffer =>
  gunzipSync(readFileSync(new URL(`../../../fixtures/schema-1/${name}.gz`, import.meta.url)));
const answers: Readonly<Record<string, unknown>> = JSON.parse(String(kept('answers.json')));

let clock: ManualClock;
let dad: WorkHub;
let mum: WorkHub;
beforeEach(async () => {
  clock = new ManualClock();
  clock.jumpWall(Number(answers['at']) - clock.wallMs());
  const network = new MemoryNetwork();
  const open = (name: string): WorkHub =>
    new WorkHub({ name, network, clock, database: kept(`${name}.db`) });
  [dad, mum] = [open('dad'), open('mum')];
  mum.person = 'Mum';
});
afterEach(() => closeTwoHubs({ clock, dad, mum }));

test('what they answer is what they answered: threads, search, export, details, tasks and cards', async () => {
  // Fields that came later stand beside.
  for (const hub of [dad, mum])
    expect(inRecords(await answersOf(hub))).toMatchObject(inRecords(answers[hub.name]));
});

/**
 * The same with each line of an export as the record that it is. A hub of today spells a name as its
 * maker does, does not put its own sentence among the words of others, and tells of a delivery in the
 * story.
 */
function inRecords(all: unknown): object {
  const text = JSON.stringify(all, (_, value: unknown) => asToldToday(value));
  const spelt: unknown = JSON.parse(text.replaceAll('Openclaw', 'OpenClaw'));
  const { exported, ...rest } = Object(spelt) as { exported: { text: string }[] };
  const lines = exported.map(({ text }) => text.trimEnd().split('\n'));
  return {
    ...rest,
    exported: lines.map((piece) => piece.map((line): unknown => JSON.parse(line))),
  };
}

function asToldToday(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  if ('delivery' in value && 'bytes' in value) {
    const { delivery: _, ...rest } = value;
    return rest;
  }
  if (!isJsonObject(value['untrusted'])) return value;
  const said = Object.entries(value['untrusted']);
  const { reason } = value;
  return {
    ...value,
    untrusted: Object.fromEntries(said.map(([key, one]) => [key, one === reason ? null : one])),
  };
}

test('the index goes on where it was, and finds what it found and what it had not reached', async () => {
  for (const hub of [dad, mum]) while (await hub.store.write((tables) => tables.tendSearch(3)));
  expect(mum.work.search.find('ferry', { limit: 9 }).items).toHaveLength(1);
  expect(mum.work.search.find('gate', { limit: 9 }).items).toHaveLength(2);
});

test('what waited goes on: a card is decided, an item is claimed, and their ends reach the asker', async () => {
  await Promise.all([dad.start(), mum.start()]);
  dad.connect(mum);
  await mum.decide(mum.card, 'allow');
  await clock.settle();
  const result = await mum.claim('claude');
  expect(result.kind).toBe('result');
  await mum.work.inbox.ack('claude', result.delivery_id, null);
  for (const outcome of ['Booked', 'Painted']) {
    const { delivery_id } = await mum.claim('claude');
    await mum.work.inbox.reply('claude', delivery_id, {
      status: 'completed',
      outcome,
      data: null,
      truncated: false,
    });
    await clock.settle();
  }
  for (const [id, outcome] of [
    ['ferry', 'Booked'],
    ['fence', 'Painted'],
  ] as const) {
    const { entries, conversation } = await dad.work.conversations.get(id, null);
    expect(entries.filter(({ kind }) => kind !== 'decision')).toMatchObject([
      { kind: 'delegate', state: null },
      { kind: 'result', text: outcome },
    ]);
    expect(conversation.messages).toBe(2);
  }
});
