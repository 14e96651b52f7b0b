// An adult's hub decides about a child's request, over three whole hubs: real doors, real QUIC,
// real stores, and a restart of the child's hub between the question and the answer.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { RemoteApprovalDto } from '../../preload/contract/remote-approval.ts';
import type {
  ApprovalDto,
  DeliveryDto,
  SendReportDto,
  TaskDto,
} from '../../preload/contract/dto.ts';
import type { HubNode } from '../../main/app/node.ts';
import { axon } from '../support/programs.ts';
import { TestHub, type HttpAnswer } from '../support/test-hub.ts';
import { until } from '../support/until.ts';
import { newIdentity } from './quic-test-hub.ts';

const WAIT_LIMIT_MS = 60_000;
const HUBS_MAX_MS = 180_000;
const PERSON = { actor: 'ui:test', surface: 'browser' } as const;
const PASSPHRASE = 'only mum knows this';
const MUM_FROM_R2 = { from: 'R2', hubs: ['Mum'] };

let leo: TestHub;
let mum: TestHub;
let friend: TestHub;
let leosPage: string;
let mumsPage: string;
let robot: string;
let asker: string;
let again: HubNode | undefined;

async function trusts(here: TestHub, there: TestHub, name: string): Promise<void> {
  const { identity, peers } = there.node.services;
  await here.node.services.keyTrust.add(
    { keyHex: identity.keyHex, host: '127.0.0.1', port: peers.port ?? 0, name, way: 'key' },
    PERSON,
  );
}

const online = (here: HubNode, there: TestHub) =>
  until('two hubs are online', WAIT_LIMIT_MS, () => {
    const isUp = here.services.links.isOnline(there.node.services.identity.keyHex);
    return (isUp && there.node.services.links.isOnline(here.services.identity.keyHex)) || undefined;
  });

beforeAll(async () => {
  [leo, mum, friend] = [await TestHub.start(), await TestHub.start(), await TestHub.start()];
  [leosPage, mumsPage] = [await leo.page(), await mum.page()];
  [robot, asker] = [await leo.agent('robot'), await friend.agent('asker')];
  await mum.ask('/v1/settings', { method: 'PATCH', token: mumsPage, body: { person: 'Mum' } });
  for (const [other, name] of [
    [mum, 'Mum'],
    [friend, 'Ben'],
  ] as const) {
    await trusts(leo, other, name);
    await trusts(other, leo, 'Leo');
    await online(leo.node, other);
  }
  await leo.ask('/v1/peers/Mum', { method: 'PATCH', token: leosPage, body: { role: 'adult' } });
  await leo.ask('/v1/passphrase', {
    method: 'PUT',
    token: leosPage,
    body: { passphrase: PASSPHRASE },
  });
}, HUBS_MAX_MS);
// Whatever the test before left: mum decides at leo's.
beforeEach(async () => {
  expect(
    (await setRemoteApproval(leosPage, { ...MUM_FROM_R2, passphrase: PASSPHRASE })).status,
  ).toBe(200);
});
afterAll(async () => {
  await again?.stop();
  await Promise.all([leo, mum, friend].map((hub) => hub.stop()));
});

const read = <T>({ text }: HttpAnswer): T => JSON.parse(text) as T;
const cardAt = (hub: TestHub, token: string): Promise<ApprovalDto> =>
  until(
    'a card waits',
    WAIT_LIMIT_MS,
    async () => read<{ items: ApprovalDto[] }>(await hub.ask('/v1/approvals', { token })).items[0],
  );
const decideAt = (
  hub: TestHub,
  token: string,
  { id, revision, digest }: ApprovalDto,
  decision: 'allow' | 'decline',
) =>
  hub.ask(`/v1/approvals/${id}/decide`, {
    method: 'POST',
    token,
    body: { revision, digest, decision },
  });
const setRemoteApproval = (token: string, body: object) =>
  leo.ask('/v1/remote-approval', { method: 'PUT', token, body });

it(
  'is set with the owner passphrase and by nobody without it',
  async () => {
    const refused = { status: 401, text: expect.stringContaining('passphrase_required') as string };
    const atMums = { method: 'PUT', token: mumsPage, body: { from: 'R2', hubs: ['Leo'] } };
    expect(
      await mum.ask('/v1/remote-approval', atMums),
      'where there is no passphrase yet',
    ).toMatchObject(refused);
    const wanted = { from: 'R3', hubs: ['Mum'] };
    expect(await setRemoteApproval(leosPage, wanted)).toMatchObject(refused);
    const guess = await setRemoteApproval(leosPage, { ...wanted, passphrase: 'a guess of Leo’s' });
    expect(guess).toMatchObject({
      status: 403,
      text: expect.stringContaining('wrong_passphrase') as string,
    });
    expect((await setRemoteApproval(robot, { ...wanted, passphrase: PASSPHRASE })).status).toBe(
      403,
    );
    expect((await leo.ask('/v1/remote-approval', { token: robot })).status).toBe(403);
    expect(
      read<RemoteApprovalDto>(await leo.ask('/v1/remote-approval', { token: leosPage })).from,
      'as it was',
    ).toBe('R2');
    expect(
      read<RemoteApprovalDto>(
        await setRemoteApproval(leosPage, { ...wanted, passphrase: PASSPHRASE }),
      ),
    ).toMatchObject({
      from: 'R3',
      hubs: expect.arrayContaining([
        expect.objectContaining({ name: 'Mum', decides: true }),
      ]) as unknown,
    });
    expect((await setRemoteApproval(leosPage, { from: null, hubs: [] })).status).toBe(401);
  },
  HUBS_MAX_MS,
);

it(
  'is a hub whose role is said to be an adult’s by a person there, and by no agent',
  async () => {
    const role = (token: string, name: string) =>
      leo.ask(`/v1/peers/${name}`, { method: 'PATCH', token, body: { role: 'adult' } });
    const named = { from: 'R2', hubs: ['Ben'], passphrase: PASSPHRASE };
    expect(read<{ detail: string }>(await setRemoteApproval(leosPage, named)).detail).toContain(
      'Ben is not said to be an adult’s hub.',
    );
    expect((await role(robot, 'Ben')).status).toBe(403);
    expect((await setRemoteApproval(leosPage, named)).status).toBe(400);
    await leo.ask('/v1/peers/Mum', { method: 'PATCH', token: leosPage, body: { role: null } });
    const { hubs } = read<RemoteApprovalDto>(
      await leo.ask('/v1/remote-approval', { token: leosPage }),
    );
    expect(hubs).toEqual([]);
    expect((await role(leosPage, 'Mum')).status).toBe(200);
    const back = read<RemoteApprovalDto>(await leo.ask('/v1/remote-approval', { token: leosPage }));
    expect(
      back.hubs.map(({ name, decides }) => [name, decides]),
      'named no more',
    ).toEqual([['Mum', false]]);
  },
  HUBS_MAX_MS,
);

it(
  'is told, ended and set again at a terminal, for the person in charge alone',
  async () => {
    const file = join(leo.home, 'passphrase');
    writeFileSync(file, PASSPHRASE, { mode: 0o600 });
    const owner = (...words: readonly string[]) =>
      axon(leo.home, ['--passphrase-file', file, 'remote-approval', ...words]);
    const told = await owner();
    expect(told).toMatchObject({
      code: 0,
      out: expect.stringContaining('Mum decides. For “R2, ') as string,
    });
    const peers = (...words: readonly string[]) =>
      axon(leo.home, ['--passphrase-file', file, 'peers', ...words]);
    expect(await peers('set', 'Ben')).toMatchObject({
      code: 2,
      error: expect.stringContaining('--role') as string,
    });
    const ben = await peers('set', 'Ben', '--person', 'Ben’s friend', '--role', 'guest');
    expect(ben).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Person +Ben’s friend\nRole +guest\n/) as string,
    });
    expect(await owner('set', 'Ben')).toMatchObject({
      code: 2,
      error: expect.stringContaining('peers set') as string,
    });
    expect(await owner('set', 'Nobody')).toMatchObject({ code: 2 });
    expect(await owner('off')).toMatchObject({
      code: 0,
      out: expect.stringContaining('The people here decide everything.') as string,
    });
    const without = await axon(leo.home, ['remote-approval', 'set', 'Mum']);
    expect(without).toMatchObject({
      code: 2,
      error: expect.stringContaining('person in charge') as string,
    });
    const { code, out } = await owner('set', 'Mum', '--json');
    expect(code).toBe(0);
    const mumDecides = expect.objectContaining({ name: 'Mum', decides: true }) as unknown;
    expect(JSON.parse(out)).toMatchObject({
      from: 'R2',
      hubs: expect.arrayContaining([mumDecides]) as unknown,
    });
  },
  HUBS_MAX_MS,
);

it(
  'is not lost unseen at a terminal: what takes the last hub that decides says so, and removing one is asked twice',
  async () => {
    const file = join(leo.home, 'passphrase');
    writeFileSync(file, PASSPHRASE, { mode: 0o600 });
    const peers = (...words: readonly string[]) =>
      axon(leo.home, ['--passphrase-file', file, 'peers', ...words]);
    const last = 'Mum is the only hub that decides here. Without it nobody can allow such requests';
    const refused = await peers('remove', 'Mum');
    expect(refused).toMatchObject({
      code: 2,
      out: '',
      error: expect.stringMatching(
        /^Remove Mum\? Its waiting requests end and are not done.*\nAdd --yes/,
      ) as string,
    });
    expect(refused.error).toContain(last);
    const asJson = await peers('remove', 'Mum', '--json');
    expect([asJson.code, JSON.parse(asJson.error)]).toMatchObject([
      2,
      { code: 'bad_request', detail: expect.stringContaining(last) as string },
    ]);
    const other = await peers('remove', 'Ben');
    expect([other.code, other.error.includes('decides')]).toEqual([2, false]);
    expect(
      read<RemoteApprovalDto>(await leo.ask('/v1/remote-approval', { token: leosPage })).hubs.map(
        ({ name }) => name,
      ),
    ).toContain('Mum');

    const keyHex = newIdentity().keyHex;
    await leo.node.services.keyTrust.add(
      { keyHex, host: '127.0.0.1', port: 9, name: 'Attic', way: 'key' },
      PERSON,
    );
    expect((await peers()).out).toContain('Attic');
    expect(await peers('remove', 'Attic', '--yes')).toMatchObject({
      code: 0,
      out: 'Removed: Attic.\n',
    });
    expect((await peers()).out).not.toContain('Attic');

    const none = 'No hub is left that can decide';
    const changed = await peers('set', 'Mum', '--role', 'guest');
    expect(changed).toMatchObject({ code: 0, out: expect.stringContaining(none) as string });
    expect((await peers('set', 'Mum', '--role', 'adult')).out).not.toContain(none);
  },
  HUBS_MAX_MS,
);

it(
  'lets run what the adult allowed, though the child’s hub was restarted in between',
  async () => {
    const sent = await friend.ask('/v1/delegate', {
      method: 'POST',
      token: asker,
      body: { to: 'Leo', task: 'Open the back door', domain: 'robot.work' },
    });
    const { id } = read<SendReportDto>(sent);
    const [atMum, atLeo] = [await cardAt(mum, mumsPage), await cardAt(leo, leosPage)];
    expect(atMum).toMatchObject({
      text: 'Open the back door',
      to_agent: 'robot',
      remote_question: { asker: 'Ben', digest: atLeo.digest },
    });
    expect(atLeo.decided_by_hubs).toMatchObject([{ name: 'Mum' }]);
    expect((await axon(leo.home, ['status'])).out, 'nobody at leo’s is asked').toContain(
      '0 for a person, 1 for an adult’s hub to decide',
    );
    expect((await axon(mum.home, ['status'])).out).toMatch(/^Waiting +1 for a person$/m);
    expect(await decideAt(leo, leosPage, atLeo, 'allow')).toMatchObject({
      text: expect.stringContaining('Mum decides about this') as string,
    });
    const file = join(leo.home, 'passphrase');
    const terminal = (at: TestHub, ...words: readonly string[]) =>
      axon(at.home, ['--passphrase-file', file, 'approvals', ...words]);
    /** Its sentences as they are, not as they stand in the lines of a narrow window. */
    const shown = async (at: TestHub, { id: request }: ApprovalDto) =>
      (await terminal(at, 'show', request)).out.replaceAll(/ *\n +/g, ' ');
    expect((await terminal(leo)).out).toMatch(/ Waits for an adult at Mum\. +Ben +Robot /);
    const refused = {
      code: 3,
      error: expect.stringMatching(
        /^Mum decides this\. It can only be declined here\.\n.*decline/,
      ) as string,
    };
    expect(await terminal(leo, 'allow', atLeo.id), 'without a word to type').toMatchObject(refused);
    await mum.ask('/v1/passphrase', {
      method: 'PUT',
      token: mumsPage,
      body: { passphrase: PASSPHRASE },
    });
    expect((await terminal(mum)).out).toMatch(/ Waits for you\. +Leo, for Ben +Robot /);
    await leo.node.stop();
    expect((await decideAt(mum, mumsPage, atMum, 'allow')).status).toBe(200);
    const goes =
      /^Mum allowed it, on Test hub, as an adult\. .+, in the browser\. Allowed: Leo may do it\./m;
    expect(await shown(mum, atMum)).toMatch(goes);
    again = await leo.restart();
    await again.start();
    const { work } = again.services;
    const [item] = await until(
      'the robot has it',
      WAIT_LIMIT_MS,
      async (): Promise<readonly DeliveryDto[] | undefined> => {
        const items = await work.inbox.claim('robot', 1);
        return items.length === 0 ? undefined : items;
      },
    );
    expect(item?.untrusted?.text).toBe('Open the back door');
    expect(work.approvals.get(atLeo.id)).toMatchObject({
      state: 'approved',
      decided_by: 'Mum',
      surface: 'peer',
      digest: atLeo.digest,
    });
    const byName = /^(Mum|An adult of .+) allowed it.*\. .*[0-9-]{10} [0-9:]{5}/m;
    expect(await shown(leo, atLeo), 'not "the other hub", which is Ben’s').toMatch(byName);
    // Word of how far it is goes to a hub that is there just then; the result waits for one that is
    // not.
    await work.inbox.reply('robot', item?.delivery_id ?? '', {
      status: 'completed',
      outcome: 'It is open',
      truncated: false,
    });
    await until('the friend is told', WAIT_LIMIT_MS, async () => {
      const { state } = read<TaskDto>(await friend.ask(`/v1/tasks/${id}`, { token: asker }));
      return state === 'completed' || undefined;
    });
  },
  HUBS_MAX_MS,
);
