// HT-12, over time: programs that run on while their hub is killed, and another program takes its
// place. Real processes: the hub, `axon mcp` and `axon listen`.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AxonClient } from '../../resources/examples/axon-client.ts';
import {
  axon,
  choosePassphrase,
  endAfterTest,
  endPrograms,
  Program,
  runtimeOf,
  startHeadless,
  wordsOf,
} from '../support/programs.ts';
import { hasRealPart } from '../support/real-parts.ts';

let folder: string;
const ends: (() => unknown)[] = [];
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'axon-impostor-'))));
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await endPrograms();
  rmSync(folder, { recursive: true, force: true });
});

const SECRET = 's'.repeat(43);
const TOKEN = `axh_agent_${'0'.repeat(16)}_${'x'.repeat(43)}`;
const NO_PROOF = '0'.repeat(64);

/** Answers whatever it is asked as a hub might that has nothing to do, and keeps what it heard. */
class Impostor {
  heard = '';
  calls = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    ends.push(() => server.close());
  }

  /**
   * @param place a port, 0 for a free one, or the path of a socket
   * @param secret with one it proves itself, and closes each connection with the first answer
   */
  static async at(place: number | string, secret?: string): Promise<Impostor> {
    const answer = (asked: string): string => {
      const [, n = ''] = /\?n=(\S+)/.exec(asked) ?? [];
      const [, host = ''] = /^host: (\S+)/im.exec(asked) ?? [];
      const proven = createHmac('sha256', `${secret} ${host}`).update(n).digest('hex');
      const proof = secret === undefined ? NO_PROOF : proven;
      const facts = { proof, proof_here: proof, items: [], token: { agent: 'impostor' } };
      const body = JSON.stringify(facts);
      const after = secret === undefined ? 'keep-alive' : 'close';
      return `HTTP/1.1 200 OK\r\nconnection: ${after}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    };
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (part) => {
        impostor.heard += part.toString('latin1');
        impostor.calls += 1;
        socket.write(answer(part.toString('latin1')));
        if (secret !== undefined) socket.end();
      });
    });
    const impostor = new Impostor(server);
    if (typeof place === 'string') server.listen(place);
    else server.listen(place, '127.0.0.1');
    await once(server, 'listening');
    return impostor;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }
}

async function mcpClient(home: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  ends.push(() => client.close());
  const env = { PATH: process.env['PATH'] ?? '', AXON_HOME: home };
  const program = { command: process.execPath, args: wordsOf('cli', ['mcp', '--as', 'bot']), env };
  await client.connect(new StdioClientTransport({ ...program, stderr: 'ignore' }));
  return client;
}

const whoami = async (client: Client): Promise<string> =>
  JSON.stringify(await client.callTool({ name: 'axon_whoami', arguments: {} }));

describe.each(['with a socket', 'without'])('HT-12: %s', (kind) => {
  test('a program that takes the place of a killed hub hears no token and is not believed, and the hub is found again', async () => {
    // One that is too long for the path of a socket.
    const home = join(folder, kind === 'without' ? 'x'.repeat(120) : 'mum');
    mkdirSync(home);
    const hub = await startHeadless(home);
    const owner = ['--passphrase-file', await choosePassphrase(home), 'agents', 'add'];
    await axon(home, [...owner, 'bot', '--class', 'R0', '--domain', 'echo']);
    await axon(home, [...owner, 'asker']);
    const client = await mcpClient(home);
    expect(await whoami(client)).toContain('bot');
    const work = ['-e', 'console.log("Echo.")'];
    const words = ['listen', '--as', 'bot', '--', process.execPath, ...work];
    const listening = Program.start('cli', words, { AXON_HOME: home });
    await expect.poll(() => listening.error, { timeout: 20_000 }).toContain('Listening');

    hub.program.kill('SIGKILL');
    await hub.program.ended();
    const socket = join(home, 'hub.sock');
    if (kind !== 'without') rmSync(socket);
    const places = kind === 'without' ? [hub.port] : [hub.port, socket];
    const impostors = await Promise.all(places.map((place) => Impostor.at(place)));
    for (let tries = 0; tries < 3; tries++) {
      const answer = await whoami(client);
      expect(answer).toContain('hub_unreachable');
      expect(answer).not.toContain('impostor');
    }
    await expect.poll(() => listening.error, { timeout: 20_000 }).toContain('trying again');
    // Each of the two has come to each place.
    for (const impostor of impostors)
      await expect.poll(() => impostor.calls, { timeout: 20_000 }).toBeGreaterThan(4);

    await startHeadless(home);
    expect(runtimeOf(home).port).not.toBe(hub.port);
    await expect.poll(() => whoami(client), { timeout: 20_000 }).toContain('"agent\\":\\"bot');
    const query = ['query', 'local/bot', 'Anyone there?', '--domain', 'echo', '--as', 'asker'];
    expect(await axon(home, [...query, '--deadline', '40'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('Echo.'),
    });
    for (const { heard } of impostors) {
      expect(heard).not.toMatch(/axh_|bearer|authorization/i);
      for (const [, path] of heard.matchAll(/^[A-Z]+ (\S+) HTTP/gm))
        expect(path).toMatch(/^\/v1\/proof\?n=[A-Za-z0-9_-]+$/);
    }
  }, 120_000);
});

/** A data folder whose hub is said to be at this port. */
function homeAt(port: number, bootSecret: string): string {
  const home = join(folder, 'copy');
  mkdirSync(home, { mode: 0o700 });
  const facts = JSON.stringify({ port, pid: 1, boot_secret: bootSecret });
  writeFileSync(join(home, 'hub.json'), facts, { mode: 0o600 });
  return home;
}

describe.each([
  ['proves nothing', undefined],
  ['closes the connection with its proof', SECRET],
])('HT-12: what %s hears no token', (_what, secret) => {
  test('from axon, nor from the examples, which try again', async () => {
    const impostor = await Impostor.at(0, secret);
    const home = homeAt(impostor.port, SECRET);
    expect((await axon(home, ['peers'], { AXON_TOKEN: TOKEN })).code).toBe(1);
    await expect(new AxonClient(TOKEN, home).call('/v1/whoami')).rejects.toThrow();
    expect(impostor.heard).not.toMatch(/axh_|bearer|authorization/i);
    const file = join(folder, 'token');
    writeFileSync(file, TOKEN, { mode: 0o600 });
    const env = { PATH: process.env['PATH'], AXON_HOME: home, AXON_TOKEN_FILE: file };
    const example = (name: string): string =>
      join(import.meta.dirname, '../../resources/examples', name);
    if (hasRealPart('curl')) {
      // It knows the hub by its socket alone, and asks at no port.
      const shell = spawn('sh', [example('agent.sh')], {
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      endAfterTest(shell);
      let tries = '';
      shell.stderr.on('data', (part: Buffer) => (tries += part.toString()));
      await expect.poll(() => tries.match(/curl: \(7\)/g)?.length ?? 0).toBeGreaterThan(1);
      expect(shell.exitCode).toBeNull();
      expect(impostor.heard).not.toMatch(/axh_|bearer|authorization/i);
    }
    if (!hasRealPart('python')) return;
    const before = impostor.calls;
    const python = spawn('python3', [example('agent.py')], { env, stdio: 'ignore' });
    endAfterTest(python);
    await expect.poll(() => impostor.calls, { timeout: 20_000 }).toBeGreaterThan(before + 1);
    expect(python.exitCode).toBeNull();
    expect(impostor.heard).not.toMatch(/axh_|bearer|authorization/i);
  }, 60_000);
});

test('HT-12: a program that passes the question on to the hub at another port has no proof', async () => {
  const hub = await startHeadless(join(folder, 'mum'));
  let passedOn = '';
  const relay = createServer((near) => {
    const far = connect({ host: '127.0.0.1', port: hub.port });
    for (const end of [near, far]) end.on('error', () => undefined);
    near.on('data', (part) => {
      passedOn += part.toString('latin1');
      far.write(part.toString('latin1').replace(/^(host: 127\.0\.0\.1):\d+/im, `$1:${hub.port}`));
    });
    far.pipe(near);
    near.on('close', () => far.destroy());
  }).listen(0, '127.0.0.1');
  ends.push(() => relay.close());
  await once(relay, 'listening');
  const address = relay.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const home = homeAt(port, runtimeOf(hub.home).boot_secret);
  expect(await axon(home, ['status'])).toMatchObject({
    code: 1,
    error: expect.stringContaining('did not prove that it is your hub'),
  });
  expect(passedOn).toMatch(/^GET \/v1\/proof\?n=/);
  expect(passedOn).not.toContain(runtimeOf(hub.home).boot_secret);
}, 60_000);
