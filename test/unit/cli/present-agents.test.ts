// The list of what all hubs do: what a hub that cannot be asked is said to do, and that one which
// hangs takes no time from another. The real line to a hub, against a server that proves itself as
// one and refuses as a test says.
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HubClient } from '../../../main/cli/hub-client.ts';
import { askPresent, capabilityLines } from '../../../main/cli/present-agents.ts';
import { AppError } from '../../../main/lib/app-error.ts';
import { problemOf } from '../../../main/api/problem.ts';
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
    if (pathname === '/health') return answer(response, 200, {});
    const n = searchParams.get('n');
    if (n !== null)
      return answer(response, 200, {
        proof_here: createHmac('sha256', `${BOOT_SECRET} ${request.headers.host}`)
          .update(n)
          .digest('hex'),
      });
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
async function whyOld(refusal: AppError): Promise<string | null> {
  const peer = peerOf('attic');
  answers.set(peer.id, refusal);
  return (await askPresent(client, peer)).whyOld;
}

test('hubs that hang keep no other from being asked', { timeout: 20_000 }, async () => {
  const hanging = Array.from({ length: 12 }, (_, number) => peerOf(`hanging ${number}`));
  const away = peerOf('away', { online: false });
  const there = peerOf('there');
  answers.set(there.id, TOLD);
  const told = await Promise.all([...hanging, away, there].map((peer) => askPresent(client, peer)));
  const found: readonly (readonly [PeerDto, string | null])[] = told.map(
    ({ peer, whyOld: why }) => [peer, why],
  );
  expect(found).toEqual([
    ...hanging.map((peer) => [peer, 'It does not answer now.']),
    [away, 'It is not online now.'],
    [{ ...there, capabilities: TOLD }, null],
  ]);
});

test('a hub that is not reached does not answer, and one that refuses is said to, in the words of the hub here', async () => {
  expect(await whyOld(new AppError('peer_unreachable', 'Attic is not connected just now.'))).toBe(
    'It does not answer now.',
  );
  expect(await whyOld(new AppError('timeout', 'Attic did not answer in time.'))).toBe(
    'It does not answer now.',
  );
  const refusal = 'Attic does not tell what it can do.';
  expect(await whyOld(new AppError('unsupported_feature', refusal))).toBe(refusal);
  expect(capabilityLines('Attic', null, refusal)).toEqual([
    `Attic has not told yet what its agents do. ${refusal}`,
  ]);
});

test('says which areas of an agent have no example', () => {
  const agent = { name: 'chat', display_name: 'Chat', capabilities: [], status: 'idle' };
  const lines = (examples: readonly object[]) =>
    capabilityLines(
      'Mum',
      {
        fetched_at: 1,
        untrusted: {
          domains: [],
          agents: [{ ...agent, domains: ['family.chat', 'family.lists'], examples }],
        },
      } as never,
      null,
    ).join('\n');
  expect(lines([])).toContain('family.chat: no example given');
  const some = lines([{ domain: 'family.chat', example: 'Say hello' }]);
  expect(some).toContain('family.lists: no example given');
  expect(some).not.toContain('family.chat: no');
  const all = ['family.chat', 'family.lists'].map((domain) => ({ domain, example: 'Hum' }));
  expect(lines(all)).not.toContain('no example');
});
