// Who may do what at the localhost door, and what a wrong, stolen or misplaced token gets, on a
// real hub.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EventReader } from '../support/event-reader.ts';
import { TestHub, readField } from '../support/test-hub.ts';
import type { HttpAnswer } from '../support/test-hub.ts';

const REVOKED_WITHIN_MS = 1_000;
let hub: TestHub;
let agent: string;
let page: string;

beforeAll(async () => {
  hub = await TestHub.start();
  agent = await hub.agent('bot');
  page = await hub.page();
});
afterAll(() => hub.stop());

const idOf = (token: string): string => token.split('_')[2] ?? '';

function comparable({ status, headers, text }: HttpAnswer): unknown {
  return { status, text, headers: { ...headers, date: '' } };
}

describe('HT-06: a token', () => {
  test('that is missing, wrong, revoked, foreign or malformed gets one and the same 401, on every path', async () => {
    const revoked = await hub.agent('gone');
    await hub.ask(`/v1/sessions/${idOf(revoked)}`, { method: 'DELETE', token: page });
    const flipped = agent.slice(0, -1) + (agent.endsWith('A') ? 'B' : 'A');
    const wrong = [
      undefined,
      flipped,
      revoked,
      `axh_agent_${'0'.repeat(16)}_${'x'.repeat(43)}`,
      `${agent}x`,
      'x',
      agent.replace('agent', 'owner'),
    ];
    const paths = [
      '/v1/status',
      '/v1/approvals',
      '/v1/events',
      '/v1/inbox/stream',
      '/v1/nothing',
      '/nothing',
      '/v1/agents/bot',
      '/metrics',
      '/mcp',
    ];
    const refusal = async (path: string): Promise<unknown> => {
      const found = comparable(await hub.ask(path));
      expect(found).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
      return found;
    };
    // Whoever reads it at the door of MCP knows nothing of HTTP.
    const [reference, atMcp] = [await refusal('/v1/status'), await refusal('/mcp')];
    const asked = wrong.flatMap((token) =>
      paths.map(async (path) => {
        const answer = await hub.ask(path, token === undefined ? {} : { token });
        expect(comparable(answer)).toEqual(path === '/mcp' ? atMcp : reference);
      }),
    );
    await Promise.all(asked);
  });

  test('of the right kind works while wrong ones are slowed down', async () => {
    const started = performance.now();
    const wrong = Array.from({ length: 20 }, () => hub.ask('/v1/status', { token: `${agent}x` }));
    const good = await hub.ask('/v1/status', { token: agent });
    const goodAfterMs = performance.now() - started;
    expect(good.status).toBe(200);
    await Promise.all(wrong);
    const wrongAfterMs = performance.now() - started;
    expect(wrongAfterMs).toBeGreaterThanOrEqual(950);
    expect(goodAfterMs).toBeLessThan(wrongAfterMs / 2);
  });

  test.each([
    ['the query', (token: string) => ({ path: `/v1/status?token=${token}`, asking: {} })],
    [
      'the query, encoded',
      (token: string) => ({ path: `/v1/status?x=%61xh_${token.slice(4)}`, asking: {} }),
    ],
    [
      'the query, under a usual name',
      () => ({ path: '/v1/status?access_token=something', asking: {} }),
    ],
    ['the path', (token: string) => ({ path: `/v1/agents/${token}`, asking: {} })],
    [
      'a cookie',
      (token: string) => ({
        path: '/v1/status',
        asking: { headers: { cookie: `session=${token}` } },
      }),
    ],
    [
      'the body',
      (token: string) => ({ path: '/v1/login', asking: { method: 'POST', body: { code: token } } }),
    ],
  ])(
    'in %s is refused with 400, even beside a good one, and stands in no log',
    async (_title, place) => {
      const other = await hub.agent(`stray-${Math.random().toString(36).slice(2)}`);
      const { path, asking } = place(other);
      expect((await hub.ask(path, asking)).status).toBe(400);
      expect((await hub.ask(path, { ...asking, token: agent })).status).toBe(400);
      expect(hub.logLines.join('')).not.toContain(other.slice(-43));
    },
  );

  test('that is revoked ends its streams and its waiting requests within a second', async () => {
    const doomed = await hub.agent('doomed');
    const inbox = await EventReader.open(hub.port, '/v1/inbox/stream', doomed);
    await inbox.next(({ event }) => event === 'caught-up', 'the backlog was sent');
    const other = await EventReader.open(hub.port, '/v1/inbox/stream', agent);
    const claim = hub.ask('/v1/inbox/claim', {
      method: 'POST',
      token: doomed,
      body: { wait_ms: 55_000, kinds: ['notify'] },
    });
    const tool = hub.ask('/mcp', {
      method: 'POST',
      token: doomed,
      headers: { accept: 'application/json, text/event-stream' },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'axon_inbox', arguments: { wait_ms: 45_000 } },
      },
    });
    await expect
      .poll(async () => (await hub.ask('/v1/whoami', { token: doomed })).status)
      .toBe(200);
    expect(
      (await hub.ask(`/v1/sessions/${idOf(doomed)}`, { method: 'DELETE', token: page })).status,
    ).toBe(200);
    const revoked = performance.now();
    await inbox.ended;
    expect((await claim).status).toBe(401);
    expect((await tool).text).toContain('(unauthenticated)');
    expect(performance.now() - revoked).toBeLessThan(REVOKED_WITHIN_MS);
    expect((await hub.ask('/v1/status', { token: doomed })).status).toBe(401);
    await other.next(({ event }) => event === 'caught-up', 'the other stream lived on');
    other.close();
  });

  test('that is revoked while its request still comes does nothing', async () => {
    const doomed = await hub.agent('slow');
    const sent = request({
      host: '127.0.0.1',
      port: hub.port,
      path: '/v1/query',
      method: 'POST',
      headers: {
        authorization: `Bearer ${doomed}`,
        'content-type': 'application/json',
        'content-length': 2,
      },
    });
    const answered = new Promise<number | undefined>((resolve) =>
      sent.once('response', ({ statusCode }) => resolve(statusCode)),
    );
    sent.write('{');
    await expect
      .poll(async () => (await hub.ask('/v1/whoami', { token: doomed })).status)
      .toBe(200);
    await hub.ask(`/v1/sessions/${idOf(doomed)}`, { method: 'DELETE', token: page });
    sent.end('}');
    expect(await answered).toBe(401);
  });

  test('of a page that is revoked ends its event stream within a second', async () => {
    const doomed = await hub.page();
    const stream = await EventReader.open(hub.port, '/v1/events', doomed);
    await hub.ask(`/v1/sessions/${idOf(doomed)}`, { method: 'DELETE', token: page });
    const revoked = performance.now();
    await stream.ended;
    expect(performance.now() - revoked).toBeLessThan(REVOKED_WITHIN_MS);
  });

  test('may end itself and is told so', async () => {
    const leaving = await hub.page();
    const answer = await hub.ask(`/v1/sessions/${idOf(leaving)}`, {
      method: 'DELETE',
      token: leaving,
    });
    expect(JSON.parse(answer.text)).toEqual({ revoked: true });
    expect((await hub.ask('/v1/whoami', { token: leaving })).status).toBe(401);
  });

  test('of an agent that a person ends is over on the pages, too', async () => {
    const doomed = await hub.agent('idle');
    const { seq } = hub.node.events;
    await hub.ask(`/v1/sessions/${idOf(doomed)}`, { method: 'DELETE', token: page });
    expect(hub.node.events.since(seq)).toMatchObject([
      { type: 'agent', agent: { name: 'idle', token_created_at: null } },
    ]);
  });

  test('of a removed agent ends with it', async () => {
    const removed = await hub.agent('removed');
    expect((await hub.ask('/v1/agents/removed', { method: 'DELETE', token: page })).status).toBe(
      200,
    );
    expect((await hub.ask('/v1/status', { token: removed })).status).toBe(401);
  });
});

describe('HT-13: a login code', () => {
  test('logs a page in once, and is in no log and no audit', async () => {
    const url = new URL(hub.node.makeLoginUrl());
    const code = url.hash.slice('#c='.length);
    expect(url.search + url.pathname).not.toContain(code);
    const first = await hub.ask('/v1/login', { method: 'POST', body: { code } });
    expect(readField(first.text, 'token')).toMatch(/^axh_ui_/);
    const second = await hub.ask('/v1/login', { method: 'POST', body: { code } });
    expect(second.status).toBe(401);
    expect(second.text).not.toContain(code);
    expect(hub.logLines.join('')).not.toContain(code);
    expect((await hub.ask('/v1/audit', { token: page })).text).not.toContain(code);
  });

  test('is void after five wrong tries at it', async () => {
    const code = new URL(hub.node.makeLoginUrl()).hash.slice('#c='.length);
    for (let count = 0; count < 6; count += 1) {
      expect(
        (await hub.ask('/v1/login', { method: 'POST', body: { code: `${code.slice(0, -4)}AAAA` } }))
          .status,
      ).toBe(401);
    }
    expect((await hub.ask('/v1/login', { method: 'POST', body: { code } })).status).toBe(401);
  });
});
