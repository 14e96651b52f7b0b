// A person answers, over two whole hubs: real doors, real QUIC, real stores, and the command line
// as agents and people type it.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  ApprovalDto,
  DeliveryDto,
  SendReportDto,
  TaskDto,
} from '../../preload/contract/dto.ts';
import { axon, choosePassphrase, type Ended } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';
import { until } from '../support/until.ts';

const WAIT_LIMIT_MS = 20_000;
/** A case starts up to eight programs, each of which takes seconds on a busy computer. */
const PROGRAMS_MAX_MS = 180_000;
const PERSON = { actor: 'ui:test', surface: 'browser' } as const;
const TRAINS = [
  '--option',
  '09:12, direct',
  '--pro',
  'No change',
  '--con',
  '41.90 euros',
  '--option',
  '10:40, one change',
  '--pro',
  '19.90 euros',
];

let dad: TestHub;
let mum: TestHub;
let page: string;
let claude: string;
let passphrase: string;

/** Speaks for dad's agent, and for the person at mum's. */
const asker = (...parameters: readonly string[]): Promise<Ended> =>
  axon(dad.home, ['--as', 'asker', ...parameters]);
const person = (...parameters: readonly string[]): Promise<Ended> =>
  axon(mum.home, ['--passphrase-file', passphrase, ...parameters]);

async function trusts(here: TestHub, there: TestHub, name: string): Promise<void> {
  const { identity, peers } = there.node.services;
  await here.node.services.keyTrust.add(
    { keyHex: identity.keyHex, host: '127.0.0.1', port: peers.port ?? 0, name, way: 'key' },
    PERSON,
  );
}

beforeAll(async () => {
  [dad, mum] = [await TestHub.start(), await TestHub.start()];
  await choosePassphrase(dad.home);
  passphrase = await choosePassphrase(mum.home);
  [page, claude] = [await mum.page(), await mum.agent('claude')];
  expect(
    await axon(dad.home, [
      '--passphrase-file',
      join(dad.home, 'passphrase'),
      'agents',
      'add',
      'asker',
    ]),
  ).toMatchObject({ code: 0 });
  await mum.ask('/v1/settings', { method: 'PATCH', token: page, body: { person: 'Mum' } });
  await trusts(dad, mum, 'Mum');
  await trusts(mum, dad, 'Dad');
  await until('both hubs are online', WAIT_LIMIT_MS, () => {
    const isUp = (here: TestHub, there: TestHub): boolean =>
      here.node.services.links.isOnline(there.node.services.identity.keyHex);
    return (isUp(dad, mum) && isUp(mum, dad)) || undefined;
  });
}, PROGRAMS_MAX_MS);
afterAll(() => Promise.all([dad, mum].map((hub) => hub.stop())));

const card = (): Promise<ApprovalDto> =>
  until('a card waits', WAIT_LIMIT_MS, async () => {
    const { text } = await mum.ask('/v1/approvals', { token: page });
    return (JSON.parse(text) as { items: readonly ApprovalDto[] }).items[0];
  });
const decide = async ({ id, revision, digest }: ApprovalDto, words: object) => {
  const { status, text } = await mum.ask(`/v1/approvals/${id}/decide`, {
    method: 'POST',
    token: page,
    body: { revision, digest, decision: 'answer', ...words },
  });
  return { status, json: JSON.parse(text) as Partial<ApprovalDto> & { code?: string } };
};
const toClaude = async (): Promise<readonly DeliveryDto[]> => {
  const { text } = await mum.ask('/v1/inbox/claim', {
    method: 'POST',
    token: claude,
    body: { max: 8 },
  });
  return (JSON.parse(text) as { items: readonly DeliveryDto[] }).items;
};
const delegate = async (task: string): Promise<string> => {
  const { out } = await asker('delegate', 'Mum', task, '--domain', 'claude.work', '--json');
  return (JSON.parse(out) as SendReportDto).id;
};
const ended = async (id: string): Promise<TaskDto> =>
  JSON.parse((await asker('tasks', id, '--wait', '--json')).out) as TaskDto;

describe('a person who answers', () => {
  it(
    'on a page is heard by the agent that asked, with the name and without an agent',
    { timeout: PROGRAMS_MAX_MS },
    async () => {
      const id = await delegate('Tell the family chat that dinner is at 7');
      const shown = await card();
      expect(await decide({ ...shown, digest: '0'.repeat(64) }, { answer: 'No' })).toMatchObject({
        status: 409,
        json: { code: 'request_changed' },
      });
      expect(await decide(shown, { answer: 'I told them.' })).toMatchObject({
        status: 200,
        json: { state: 'answered', surface: 'browser' },
      });
      expect(await decide(shown, { answer: 'Again' })).toMatchObject({
        status: 409,
        json: { code: 'already_decided', title: 'No longer open' },
      });
      expect(await ended(id)).toMatchObject({
        state: 'completed',
        untrusted: { outcome: 'I told them.', answered_by: 'Mum' },
      });
      expect((await asker('tasks', id)).out).toMatch(/^Mum answered it, on Mum\. /m);
      expect(await toClaude()).toEqual([]);
    },
  );

  it(
    'at a terminal answers what was shown, by its digest or by "answer"',
    { timeout: PROGRAMS_MAX_MS },
    async () => {
      const asked = asker('query', 'Mum', 'Milk?', '--domain', 'claude.work', '--deadline', '60');
      const shown = await card();
      const unseen = await person('answer', shown.id, 'Yes');
      expect(unseen).toMatchObject({
        code: 2,
        error: expect.stringContaining('--digest') as string,
      });
      expect(await person('answer', shown.id, '--digest', shown.digest)).toMatchObject({ code: 2 });
      const answered = await person('answer', shown.id, 'Yes, two.', '--digest', shown.digest);
      expect(answered).toMatchObject({
        code: 0,
        out: 'Answered. Dad gets it with your name; no agent does anything.\n',
      });
      const { code, out } = await asked;
      expect(code).toBe(0);
      expect(out).toMatch(/^Answered by Mum on Mum\.\n[^]* \| Yes, two\.\n$/);
      const { text } = await mum.ask('/v1/audit', { token: page });
      expect(text).toContain('"action":"approval.answered"');
      expect(text).toContain('command_line');
    },
  );

  it(
    'is never an agent: an agent’s token can answer nothing',
    { timeout: PROGRAMS_MAX_MS },
    async () => {
      await delegate('Feed the cat');
      const { id, revision, digest } = await card();
      const body = { revision, digest, decision: 'answer', answer: 'Done by me' };
      expect(
        (await mum.ask(`/v1/approvals/${id}/decide`, { method: 'POST', token: claude, body }))
          .status,
      ).toBe(403);
      expect((await card()).state).toBe('pending');
      await decide(await card(), { answer: 'Fed.' });
    },
  );
});

describe('a person who is asked to choose', () => {
  it('chooses, and the agent that asked has the choice', { timeout: PROGRAMS_MAX_MS }, async () => {
    const waiting = asker(
      'escalate',
      'Mum',
      'Which train?',
      ...TRAINS,
      '--recommend',
      '1',
      '--wait',
      '--json',
    );
    const shown = await card();
    expect(shown).toMatchObject({
      text: 'Which train?',
      to_agent: '',
      choice: { recommended: '1' },
    });
    expect(shown.choice?.options).toEqual([
      { id: '1', label: '09:12, direct', pros: ['No change'], cons: ['41.90 euros'] },
      { id: '2', label: '10:40, one change', pros: ['19.90 euros'], cons: [] },
    ]);
    const [asked] = JSON.parse((await asker('tasks', '--state', 'open', '--json')).out).items;
    expect((await asker('tasks', asked.id)).out).toContain(
      'To choose from:\n  | 09:12, direct\n  | 10:40, one change\n',
    );
    const printed = (await person('approvals', 'show', shown.id)).out;
    expect(printed).toContain('wants you to choose.');
    expect(printed).toContain(
      '[1] (recommended by them, unchecked)\n  | 09:12, direct\n  For it, they say:\n  | No change\n  Against it, they say:\n  | 41.90 euros',
    );
    expect(await decide(shown, { decision: 'allow' })).toMatchObject({ status: 400 });
    const none = await person('answer', shown.id, '--choose', '3', '--digest', shown.digest);
    expect(none).toMatchObject({
      code: 2,
      error: expect.stringContaining('The options are: 1, 2.') as string,
    });
    const both = await person(
      'answer',
      shown.id,
      'The bus',
      '--choose',
      '2',
      '--digest',
      shown.digest,
    );
    expect(both).toMatchObject({ code: 2, error: expect.stringContaining('not both') as string });
    expect((await person('approvals')).out).toMatch(/Dad +you +R0/);
    // The id of an option is that option, though --choose was not typed.
    expect(await person('answer', shown.id, '2', '--digest', shown.digest)).toMatchObject({
      code: 0,
    });
    const { code, out } = await waiting;
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      {
        state: 'completed',
        untrusted: {
          outcome: '10:40, one change',
          data: { choice: '2', decided_by: 'Mum' },
          answered_by: 'Mum',
        },
      },
    ]);
    expect(await toClaude()).toEqual([]);
  });

  it('is not disturbed by what is no choice', { timeout: PROGRAMS_MAX_MS }, async () => {
    const one = await asker('escalate', 'Mum', 'Which train?', '--option', 'The only one');
    expect(one).toMatchObject({
      code: 2,
      error: expect.stringContaining('among 2 to 12 options') as string,
    });
    const early = await asker(
      'escalate',
      'Mum',
      'Which train?',
      '--pro',
      'Fast',
      '--option',
      'A',
      '--option',
      'B',
    );
    expect(early).toMatchObject({
      code: 2,
      error: expect.stringContaining('after the --option') as string,
    });
    expect(
      await asker(
        'escalate',
        'Mum',
        'Which train?',
        '--option',
        'A',
        '--option',
        'B',
        '--recommend',
        '3',
      ),
    ).toMatchObject({ code: 2 });
    const { text } = await mum.ask('/v1/approvals', { token: page });
    expect(JSON.parse(text)).toMatchObject({ items: [] });
  });
});
