// Sockets that are slow, many, too long or malformed at the localhost door, on a real hub; a good
// client is served meanwhile.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { TestHub, statusOf } from '../support/test-hub.ts';

/**
 * What the titles promise, and what a computer that is busy elsewhere may take longer to say so.
 */
const HEADERS_WITHIN_MS = 6_000 + 3_000;
const BODIES_WITHIN_MS = 16_000 + 3_000;
/**
 * Far below what the slow ones are given; a good client that stood behind them would wait as long
 * as they.
 */
const GOOD_WITHIN_MS = 3_000;
let hub: TestHub;
let agent: string;
const open: SlowSocket[] = [];

beforeAll(async () => {
  // Its good client asks again as soon as it was answered.
  hub = await TestHub.start({ requestsPerSecond: 100_000 });
  agent = await hub.agent('bot');
});
afterEach(() => {
  for (const socket of open.splice(0)) socket.end();
});
afterAll(() => hub.stop());

/** A connection that sends what it is told and waits for its end. */
class SlowSocket {
  readonly closed: Promise<void>;
  text = '';
  readonly #socket: Socket;

  constructor(port: number, bytes: string) {
    this.#socket = connect({ host: '127.0.0.1', port });
    this.#socket.write(bytes, 'latin1');
    this.#socket.on('data', (part) => (this.text += part.toString('latin1')));
    this.#socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.#socket.once('close', () => resolve()));
    open.push(this);
  }

  write(bytes: string): boolean {
    return this.#socket.write(bytes, 'latin1');
  }

  end(): void {
    this.#socket.destroy();
  }
}

/** Asks again and again until `over`; every answer must be good and quick. */
async function goodClient(over: Promise<unknown>): Promise<number> {
  const ended = new AbortController();
  void over.then(() => ended.abort());
  let answered = 0;
  while (!ended.signal.aborted) {
    const started = performance.now();
    expect((await hub.ask('/v1/whoami', { token: agent })).status).toBe(200);
    expect(performance.now() - started).toBeLessThan(GOOD_WITHIN_MS);
    answered += 1;
  }
  return answered;
}

describe('HT-09: a good client is served throughout', () => {
  test(
    'while 200 sockets never finish their headers, which are closed within 6 s',
    { timeout: 40_000 },
    async () => {
      const started = performance.now();
      const slow = Array.from(
        { length: 200 },
        () => new SlowSocket(hub.port, `GET /v1/status HTTP/1.1\r\nHost: ${hub.host}\r\nX-Slow: `),
      );
      const closed = Promise.all(slow.map((socket) => socket.closed));
      expect(await goodClient(closed)).toBeGreaterThan(10);
      expect(performance.now() - started).toBeLessThan(HEADERS_WITHIN_MS);
    },
  );

  test('while 200 sockets say nothing at all', { timeout: 40_000 }, async () => {
    const started = performance.now();
    const silent = Array.from({ length: 200 }, () => new SlowSocket(hub.port, ''));
    const closed = Promise.all(silent.map((socket) => socket.closed));
    expect(await goodClient(closed)).toBeGreaterThan(10);
    expect(performance.now() - started).toBeLessThan(HEADERS_WITHIN_MS);
  });

  test(
    'while 120 sockets say nothing, and two agents have all the claims open that they may',
    { timeout: 40_000 },
    async () => {
      const silent = Array.from({ length: 120 }, () => new SlowSocket(hub.port, ''));
      const closed = Promise.all(silent.map((socket) => socket.closed));
      const greedy = [await hub.agent('greedy'), await hub.agent('greedier')];
      const claims = Array.from({ length: 64 }, (_, number) =>
        hub.ask('/v1/inbox/claim', {
          method: 'POST',
          token: greedy[number % 2] ?? '',
          body: { wait_ms: 4_000 },
        }),
      );
      expect(await goodClient(Promise.all(claims))).toBeGreaterThan(10);
      await closed;
    },
  );

  test(
    'while bodies come in drop by drop, which are closed within 16 s',
    { timeout: 60_000 },
    async () => {
      const started = performance.now();
      const head = `POST /v1/agents HTTP/1.1\r\nHost: ${hub.host}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`;
      const own = head
        .replace('\r\nContent-Type', `\r\nAuthorization: Bearer ${agent}\r\nContent-Type`)
        .replace('/v1/agents', '/v1/query');
      const mcp = own.replace('/v1/query', '/mcp');
      const slow = [
        ...Array.from({ length: 40 }, () => new SlowSocket(hub.port, head)),
        ...Array.from({ length: 5 }, () => new SlowSocket(hub.port, own)),
        ...Array.from({ length: 5 }, () => new SlowSocket(hub.port, mcp)),
      ];
      const drops = setInterval(() => slow.forEach((socket) => socket.write(' ')), 500);
      try {
        const closed = Promise.all(slow.map((socket) => socket.closed));
        expect(await goodClient(closed)).toBeGreaterThan(50);
        expect(performance.now() - started).toBeLessThan(BODIES_WITHIN_MS);
      } finally {
        clearInterval(drops);
      }
    },
  );

  test.each(['/v1/agents', '/mcp'])(
    'while somebody sends a gigabyte in chunks to %s, which is cut off at 256 KiB',
    async (path) => {
      const head = `POST ${path} HTTP/1.1\r\nHost: ${hub.host}\r\nAuthorization: Bearer ${agent}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
      const socket = new SlowSocket(hub.port, head);
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
      const over = new AbortController();
      void socket.closed.then(() => over.abort());
      let sent = 0;
      while (!over.signal.aborted && sent < 16_384) {
        sent += 1;
        if (!socket.write(chunk)) await new Promise((resolve) => setImmediate(resolve));
      }
      await socket.closed;
      // The answer may be lost to the reset that ends a sender who does not listen.
      expect([0, 413]).toContain(statusOf(socket.text));
      expect(sent).toBeLessThan(16_384);
      expect((await hub.ask('/v1/whoami', { token: agent })).status).toBe(200);
    },
  );
});

describe('HT-09: what is too long or ambiguous is refused', () => {
  const headOf = (lines: readonly string[], body = ''): string =>
    `POST /v1/agents HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;

  test.each<[string, (host: string) => string, number]>([
    [
      'headers of 17 KB',
      (host) => `GET /health HTTP/1.1\r\nHost: ${host}\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`,
      431,
    ],
    [
      'sixty headers',
      (host) => `GET /health HTTP/1.1\r\nHost: ${host}\r\n${'X-Many: 1\r\n'.repeat(60)}\r\n`,
      431,
    ],
    [
      'a target of 5 KB',
      (host) => `GET /${'x'.repeat(5_000)} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
      400,
    ],
    [
      'a length and chunks',
      (host) =>
        headOf(
          [
            `Host: ${host}`,
            'Content-Type: application/json',
            'Content-Length: 4',
            'Transfer-Encoding: chunked',
          ],
          '0\r\n\r\n',
        ),
      400,
    ],
    [
      'two lengths',
      (host) =>
        headOf(
          [
            `Host: ${host}`,
            'Content-Type: application/json',
            'Content-Length: 2',
            'Content-Length: 3',
          ],
          '{}',
        ),
      400,
    ],
    [
      'a folded header',
      (host) => `GET /health HTTP/1.1\r\nHost: ${host}\r\nX-Folded: a\r\n b\r\n\r\n`,
      400,
    ],
    [
      'a body said to be 300 KB',
      (host) =>
        headOf([`Host: ${host}`, 'Content-Type: application/json', 'Content-Length: 300000']),
      413,
    ],
    ['another protocol', () => 'SSH-2.0-OpenSSH_9.9\r\n\r\n', 400],
    ['a tunnel', (host) => `CONNECT evil.example:443 HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 400],
  ])('%s', async (_title, bytes, status) => {
    const answer = await hub.raw(bytes(hub.host));
    expect(statusOf(answer)).toBe(status);
    expect(answer.toLowerCase()).toContain('content-security-policy: ');
    expect(answer).toContain('application/problem+json');
  });

  test('a body of exactly 256 KiB is read, one byte more is not', async () => {
    const body = (size: number): string => `{"name":"${'x'.repeat(size - 11)}"}`;
    const ask = (text: string): Promise<string> =>
      hub.raw(
        headOf(
          [`Host: ${hub.host}`, 'Content-Type: application/json', `Content-Length: ${text.length}`],
          text,
        ),
      );
    expect(body(262_144)).toHaveLength(262_144);
    expect(statusOf(await ask(body(262_144)))).toBe(400);
    expect(statusOf(await ask(body(262_145)))).toBe(413);
  });

  test('a request that waits for leave to send its body gets it only after its headers were accepted', async () => {
    const lines = (host: string, length = 2): readonly string[] => [
      `Host: ${host}`,
      'Content-Type: application/json',
      `Content-Length: ${length}`,
      'Expect: 100-continue',
    ];
    for (const [head, status] of [
      [lines('evil.example'), 403],
      [lines(hub.host, 262_145), 413],
    ] as const) {
      const refused = new SlowSocket(hub.port, headOf(head));
      await refused.closed;
      expect(refused.text).not.toContain('100 Continue');
      expect(statusOf(refused.text)).toBe(status);
    }
    const accepted = new SlowSocket(hub.port, headOf(lines(hub.host)));
    await expect.poll(() => accepted.text).toContain('100 Continue');
    accepted.write('{}');
    await expect.poll(() => accepted.text).toContain('HTTP/1.1 400');
  });

  test('more requests at once than one token may have under way', async () => {
    const waiting = Array.from({ length: 40 }, () =>
      hub.ask('/v1/inbox/claim', { method: 'POST', token: agent, body: { wait_ms: 1_000 } }),
    );
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(32);
    expect(statuses.filter((status) => status === 429)).toHaveLength(8);
  });
});

describe('HT-11: the hub listens', () => {
  test.skipIf(process.platform !== 'linux')('for HTTP on 127.0.0.1 alone', async () => {
    const table = ['tcp', 'tcp6']
      .map((name) => readFileSync(`/proc/net/${name}`, 'utf8'))
      .join('\n');
    const port = hub.port.toString(16).toUpperCase().padStart(4, '0');
    const listening = table.split('\n').flatMap((line) => {
      const [, local, , state] = line.trim().split(/\s+/);
      return state === '0A' && local?.endsWith(`:${port}`) === true ? [local] : [];
    });
    expect(listening).toEqual([`0100007F:${port}`]);
  });
});
