// `axon history` against a whole hub: an agent lists and reads what it took part in, and no more.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConversationDto } from '../../preload/contract/conversation-dto.ts';
import { axon, choosePassphrase, type Ended } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';

const SLOW = { timeout: 60_000 };
let hub: TestHub;
let tokens = { asker: '', doer: '', other: '' };
let passphrase: string;

const as = (agent: keyof typeof tokens, ...words: readonly string[]): Promise<Ended> =>
  axon(hub.home, words, { AXON_TOKEN: tokens[agent] });

beforeAll(async () => {
  hub = await TestHub.start();
  passphrase = await choosePassphrase(hub.home);
  tokens = {
    asker: await hub.agent('asker'),
    doer: await hub.agent('doer'),
    other: await hub.agent('other'),
  };
  const sent = await hub.ask('/v1/delegate', {
    method: 'POST',
    token: tokens.asker,
    body: { to: 'local/doer', task: 'Water the garden' },
  });
  expect(sent.status).toBe(202);
}, 60_000);
afterAll(() => hub.stop());

it('lists the conversations of the agent, and of all for a person', SLOW, async () => {
  expect((await as('asker', 'history')).out).toContain('Water the garden');
  expect((await as('other', 'history')).out).toBe('Nothing has been said yet.\n');
  const owner = await axon(hub.home, ['--passphrase-file', passphrase, 'history']);
  expect(owner).toMatchObject({ code: 0, out: expect.stringContaining('Waits for you.') });
});

it('reads one of them, which is nobody else’s', SLOW, async () => {
  const { items } = JSON.parse((await as('asker', 'history', '--json')).out);
  const [{ id = '' } = {}] = items as readonly ConversationDto[];
  const { out } = await as('asker', 'history', id);
  expect(out).toMatch(/a task, .*\n {2}\| Water the garden\n/);
  expect(out).toMatch(/\nTaking part: asker, .+; doer, .+\.\n/i);
  expect(await as('other', 'history', id)).toMatchObject({ code: 2, out: '' });
});

it('gives a copy of one to a person, and to an agent that took part', SLOW, async () => {
  const { items } = JSON.parse((await as('asker', 'history', '--json')).out);
  const [{ id = '' } = {}] = items as readonly ConversationDto[];
  const owner = ['--passphrase-file', passphrase];
  const text = await axon(hub.home, [...owner, 'history', 'export', id]);
  expect(text.out).toMatch(
    /^# Conversation [^]*\n```text\nWater the garden\n```\n\nWaits for you.\n$/,
  );
  const file = join(hub.home, 'copy.csv');
  const into = ['history', 'export', id, '--format', 'csv', '--output', file];
  expect((await axon(hub.home, [...owner, ...into])).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toMatch(/^\ufeff"time_utc",[^]*"Water the garden"/);
  const details = await axon(hub.home, [...owner, 'history', id, '--details']);
  expect(details.error).toBe('');
  expect(details.out).toMatch(
    / {2}\| Water the garden\n {2}Message: [^]* {2}Stored as:\n {2}\| \{/,
  );
  expect((await as('asker', 'history', 'export', id)).out).toContain('Water the garden');
  expect(await as('other', 'history', 'export', id)).toMatchObject({ code: 2, out: '' });
});

it('and a task says what it is, who sent it to whom, and until when it waits', SLOW, async () => {
  const { items } = JSON.parse((await as('asker', 'tasks', '--json')).out);
  const { out } = await as('asker', 'tasks', items[0].id);
  expect(out).toMatch(/\nAsker on .* gives Doer a task\. \d{4}-.*\.\nEnds by \d{4}-.*\.\n/);
});

it('each confirmation says what it did, and tasks are listed by state', SLOW, async () => {
  const here = hub.node.services.hub.current().name;
  const sent = await as('asker', 'delegate', 'local/doer', 'Feed the cat');
  expect(sent.out).toMatch(
    new RegExp(
      `^Waits until a person decides for ${here}\\.\\n${here}/Doer  .*\\nIt ends by \\d{4}-.*, or sooner\\.\\n`,
    ),
  );
  const waited = await as('asker', 'delegate', 'local/doer', 'Wash up', '--wait-for', '1');
  expect(waited).toMatchObject({
    code: 5,
    out: expect.stringContaining('No longer waiting; the task goes on.'),
  });
  const waiting = async (): Promise<readonly string[]> => {
    const { out } = await as('asker', 'tasks', '--state', 'awaiting_approval', '--json');
    return JSON.parse(out).items.map(({ text }: { text: string }) => text);
  };
  expect(await waiting()).toEqual(['Wash up', 'Feed the cat', 'Water the garden']);
  for (const card of hub.node.services.work.approvals.pending())
    await axon(hub.home, [
      '--passphrase-file',
      passphrase,
      'approvals',
      'allow',
      card.id,
      '--digest',
      card.digest,
    ]);
  expect(await waiting()).toEqual([]);
  const { out } = await as('doer', 'inbox', '--wait', '10');
  expect(out).toMatch(/\n {2}Answer by: {2}\d{4}-[^]*\n2 more waiting\.\n/);
  const [item = ''] = out.split(' ');
  const replied = await as('doer', 'reply', item, 'Done.');
  expect(replied.out).toBe(`Done. The answer goes to Asker on ${here}.\n`);
  const told = await as('asker', 'notify', here, 'shopping', 'Milk is bought');
  expect(told.out).toContain('No agent here gets it: none is subscribed to shopping');
  const open = JSON.parse((await as('asker', 'tasks', '--state', 'open', '--json')).out).items;
  const { out: cancelled } = await as('asker', 'cancel', open[0].id);
  expect(cancelled).toMatch(/^Cancelled: nobody had begun\.\n/);

  const [last = ''] = (await as('doer', 'inbox', '--wait', '10')).out.split(' ');
  const busy = ['--status', 'failed', '--error', 'The line is busy', '--retryable'];
  expect(await as('doer', 'reply', last, ...busy)).toMatchObject({ code: 0 });
  const { out: ended } = await as('asker', 'tasks', open[1].id, '--json');
  expect(JSON.parse(ended)).toMatchObject({ story: { end: { kind: 'failed', retryable: true } } });
});
