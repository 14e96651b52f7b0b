// The walk of one delegation, as contributing.md tells it, is what really runs from the request to
// the result.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { MemoryNetwork } from '../../fakes/memory-messenger.ts';
import { delegation, WorkHub } from '../../fakes/work-hub.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const FILES_MAX = 60;

/** The files of main/services of which a function ran, without their ending. */
async function filesRunIn(work: () => Promise<void>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result.flatMap(({ url, functions }) => {
    const file = /\/main\/services\/([a-z/-]+)\.ts/.exec(url)?.[1];
    const ran = functions.some(
      ({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0,
    );
    return file !== undefined && ran ? [file] : [];
  });
}

/** Room by room, in the order of the text. */
function toldWalk(): readonly string[] {
  const text = readFileSync(join(ROOT, 'resources/docs/contributing.md'), 'utf8');
  const section = /## The walk of one delegation([\s\S]*?)\n## /.exec(text)?.[1] ?? '';
  return section.split(/\n\d+\. /).flatMap((step) => {
    const names = /: ([a-z, \n-]+)\./.exec(step)?.[1]?.split(/,\s+/) ?? [];
    const rooms = [...step.matchAll(/`([a-z-]+)\/`/g)].map(([, room]) => room);
    return rooms.length > 1
      ? names.map((name, index) => `${rooms[index]}/${name}`)
      : names.map((name) => `${rooms[0]}/${name}`);
  });
}

it('goes through the files that contributing.md names, and through no other', async () => {
  const clock = new ManualClock();
  const network = new MemoryNetwork();
  const dad = await new WorkHub({ name: 'dad', network, clock }).start();
  const mum = await new WorkHub({ name: 'mum', network, clock }).start();
  await dad.agent('openclaw');
  await mum.agent('claude', ['family.chat']);
  await dad.pair(mum);
  await mum.knows(dad);
  await dad.knows(mum);
  const files = await filesRunIn(async () => {
    await dad.work.sender.delegate(
      delegation('mum', 'Dinner is at 7', { domain: 'family.chat' }),
      'openclaw',
      null,
    );
    await clock.settle();
    await mum.decide(mum.card, 'allow');
    const item = await mum.claim('claude');
    await mum.work.inbox.ack('claude', item.delivery_id, null);
    await mum.work.inbox.reply('claude', item.delivery_id, {
      status: 'completed',
      outcome: 'Told them',
      truncated: false,
    });
    await clock.settle();
    expect(await dad.claim('openclaw')).toMatchObject({
      kind: 'result',
      untrusted: { text: 'Told them' },
    });
  });
  await dad.close();
  await mum.close();
  expect(toldWalk().toSorted()).toEqual(files.toSorted());
  expect(files.length).toBeLessThanOrEqual(FILES_MAX);
});

it('enters no room twice, but the outbox on the way back', () => {
  const rooms = toldWalk().map((file) => file.slice(0, file.indexOf('/')));
  const entered = rooms.filter((room, index) => room !== rooms[index - 1]);
  expect(entered.filter((room, index) => entered.indexOf(room) !== index)).toEqual(['outgoing']);
});
