// The list of what all hubs do: what a hub that cannot be asked is said to do, whose refusal is whose, and that a hub which hangs takes no
// time from another. The real line to a hub, against a server that proves itself as one and refuses as a test says.
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CALLS_AT_ONCE_MAX, HubClient, HubProblem } from '../../../main/cli/hub-client.ts';
import { askPresent, capabilityLines } from '../../../main/cli/present-agents.ts';
import { AppError } from '../../../main/lib/app-error.ts';
import { problemOf } from '../../../main/api/problem.ts';
import { readError } from '../../../main/protocol/error-payload.ts';
import type { PeerDto } from '../../../preload/contract/dto.ts';
import { peerOf } from '../../fakes/household.ts';

const BOOT_SECRET = 'the secret of this start';
const TOLD = { fetched_at: 1, untrusted: { domains: ['family'], agents: [] } };

let home: string;
let server: Server;
let client: HubClient;
/** What each hub's answer is, by its id; none: it never comes. */
let answers: Map<string, object>;

function answer(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

beforeEach(async () => {
  answers = new Map();
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://hub');
    const n = searchParams.get('n');
    if (n !== null) return answer(response, 200, { proof: createHmac('sha256', BOOT_SECRET).update(n).digest('hex') });
    const given = answers.get(decodeURIComponent(pathname.split('/')[3] ?? ''));
    if (given instanceof AppError) answer(response, problemOf(given).status, problemOf(given));
    else if (given !== undefined) answer(response, 200, given);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = server.address();
  if (place === null || typeof place === 'string') throw new Error('the server has no port');
  home = mkdtempSync(join(tmpdir(), 'axon-present-'));
  const facts = { port: place.port, pid: process.pid, boot_secret: BOOT_SECRET };
  writeFileSync(join(home, 'hub.json'), JSON.stringify(facts), { mode: 0o600 });
  client = await HubClient.connect(home);
});
afterEach(() => {
  client.close();
  server.closeAllConnections();
  server.close();
  rmSync(home, { recursive: true });
});

/** Why what is known of the only hub is old, where the call for it is answered so. */
async function whyOld(refusal: AppError): Promise<string | null | undefined> {
  const peer = peerOf('attic');
  answers.set(peer.id, refusal);
  return (await askPresent(client, [peer]))[0]?.whyOld;
}

test('hubs that hang keep no other from being asked, and all stand in their order', { timeout: 20_000 }, async () => {
  const hanging = Array.from({ length: CALLS_AT_ONCE_MAX }, (_, number) => peerOf(`hanging ${number}`));
  const away = peerOf('away', { online: false });
  const there = peerOf('there');
  answers.set(there.id, TOLD);
  const told = await askPresent(client, [...hanging, away, there]);
  const found: readonly (readonly [PeerDto, string | null])[] = told.map(({ peer, whyOld: why }) => [peer, why]);
  expect(found).toEqual([
    ...hanging.map((peer) => [peer, 'it does not answer now']),
    [away, 'it is not online now'],
    [{ ...there, capabilities: TOLD }, null],
  ]);
});

test('a hub that is not reached does not answer, and one that has no word for it tells no more', async () => {
  expect(await whyOld(new AppError('peer_unreachable', 'Attic is not connected just now.'))).toBe('it does not answer now');
  expect(await whyOld(new AppError('timeout', 'Attic did not answer in time.'))).toBe('it does not answer now');
  expect(await whyOld(new AppError('unsupported_feature', 'Attic does not tell what it can do.'))).toBe('it tells no more');
});

test('a hub that refuses is said to refuse', async () => {
  expect(await whyOld(readError({ code: 'rate_limited', message: 'not now', retryable: true }))).toBe(
    'the other hub answered: too many in a short time',
  );
  expect(await whyOld(readError({ code: 'internal', message: '', retryable: true }))).toBe('the other hub answered: something broke');
  expect(await whyOld(new AppError('pairing_required', 'Attic is not paired with this hub.'))).toBe('Attic is not paired with this hub');
  const [line] = capabilityLines('Attic', null, 'the other hub answered: something broke');
  expect(line).toBe('Attic: has not told yet what its agents do, and the other hub answered: something broke');
});

test('a hub whose answer is none is said to have answered so, and hides no other', async () => {
  const [odd, good] = [peerOf('odd'), peerOf('good')];
  answers.set(odd.id, new AppError('internal', 'Odd answered, but its answer names other hubs.', { data: { failed_by: 'peer' } }));
  answers.set(good.id, TOLD);
  expect((await askPresent(client, [odd, good])).map(({ whyOld: why }) => why)).toEqual([
    'Odd answered, but its answer names other hubs',
    null,
  ]);
});

test('a refusal of the hub of this computer is one of the whole command', async () => {
  for (const code of ['unauthenticated', 'forbidden', 'identity_locked', 'storage_failed', 'rate_limited', 'internal'] as const) {
    await expect(whyOld(new AppError(code, 'The own hub refuses.')), code).rejects.toBeInstanceOf(HubProblem);
  }
});
