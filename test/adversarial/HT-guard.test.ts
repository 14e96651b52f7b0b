// What a hostile web page, a rebound DNS name or a lawless local program may try at the localhost
// door, on a real hub with real sockets.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTENT_SECURITY_POLICY } from '../../preload/contract/content-security.ts';
import { OPERATIONS } from '../../preload/contract/operations.ts';
import { TestHub, statusOf } from '../support/test-hub.ts';
import type { HttpAnswer } from '../support/test-hub.ts';

let hub: TestHub;
let agent: string;
let page: string;
let pages: string;

beforeAll(async () => {
  pages = mkdtempSync(join(tmpdir(), 'axon-pages-'));
  mkdirSync(join(pages, 'assets'));
  writeFileSync(join(pages, 'index.html'), '<!doctype html><title>hub</title>');
  writeFileSync(join(pages, 'assets/index.js'), '"use strict";');
  writeFileSync(join(pages, 'secret.pem'), 'never served');
  hub = await TestHub.start({ rendererDirectory: pages });
  agent = await hub.agent('bot');
  page = await hub.page();
});
afterAll(async () => {
  await hub.stop();
  rmSync(pages, { recursive: true, force: true });
});

/** Every route of the table with its parameters filled, and the ones beside it. */
const ROUTES: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/'],
  ['GET', '/health'],
  ['GET', '/v1/events'],
  ['GET', '/v1/inbox/stream'],
  ['GET', '/v1/nothing'],
  ['GET', '/openapi.json'],
  ['GET', '/skill.md'],
  ['POST', '/mcp'],
  ['GET', '/mcp'],
  ['DELETE', '/mcp'],
  ...Object.values(OPERATIONS).map(
    ({ method, path }) => [method, path.replaceAll(/:[a-z]+/g, 'x')] as const,
  ),
];

function rawRequest(method: string, path: string, headers: readonly string[], body = ''): string {
  return `${method} ${path} HTTP/1.1\r\n${[...headers, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`;
}

/** What a complete, allowed request of this method would carry. */
function goodHeaders(method: string): readonly string[] {
  const json =
    method === 'GET' || method === 'DELETE'
      ? []
      : ['Content-Type: application/json', 'Content-Length: 2'];
  return [`Authorization: Bearer ${page}`, ...json];
}

function expectSecurityHeaders(head: string): void {
  const lower = head.toLowerCase();
  expect(lower).toContain(`content-security-policy: ${CONTENT_SECURITY_POLICY.toLowerCase()}`);
  for (const header of [
    'x-content-type-options: nosniff',
    'x-frame-options: deny',
    'referrer-policy: no-referrer',
    'cache-control: no-store',
    'cross-origin-opener-policy: same-origin',
    'cross-origin-resource-policy: same-origin',
  ]) {
    expect(lower).toContain(header);
  }
  expect(lower).not.toContain('access-control-');
  expect(lower).not.toMatch(/\r\n(?:server|x-powered-by):/);
}

describe('HT-01: a request for another host is refused on every route, before its token is read', () => {
  const hosts: readonly (readonly [
    title: string,
    lines: (host: string, port: number) => readonly string[],
    status: number,
  ])[] = [
    ['a foreign name', (_host, port) => [`Host: evil.example:${port}`], 403],
    ['a foreign name without a port', () => ['Host: evil.example'], 403],
    ['0.0.0.0', (_host, port) => [`Host: 0.0.0.0:${port}`], 403],
    ['a rebinding name', (_host, port) => [`Host: 127.0.0.1.nip.io:${port}`], 403],
    ['capitals', (_host, port) => [`Host: LOCALHOST:${port}`], 403],
    ['a trailing dot', (_host, port) => [`Host: localhost.:${port}`], 403],
    ['another port', (_host, port) => [`Host: 127.0.0.1:${port + 1}`], 403],
    ['no port', () => ['Host: 127.0.0.1'], 403],
    ['user information', (host) => [`Host: user@${host}`], 403],
    ['a decimal address', (_host, port) => [`Host: 2130706433:${port}`], 403],
    ['another loopback address', (_host, port) => [`Host: 127.0.0.2:${port}`], 403],
    ['an empty host', () => ['Host:'], 403],
    ['no host at all', () => [], 400],
    ['the right host twice', (host) => [`Host: ${host}`, `Host: ${host}`], 400],
    ['the right host and a foreign one', (host) => [`Host: ${host}`, 'hOST: evil.example'], 400],
  ];

  test.each(hosts)('%s', async (_title, lines, status) => {
    for (const [method, path] of ROUTES) {
      const answer = await hub.raw(
        rawRequest(method, path, [...lines(hub.host, hub.port), ...goodHeaders(method)], '{}'),
      );
      expect(statusOf(answer), `${method} ${path}`).toBe(status);
      expect(answer).toContain('"bad_host"');
      expectSecurityHeaders(answer);
    }
  });

  test('HTTP/1.0 without a host', async () => {
    const answer = await hub.raw(`GET /health HTTP/1.0\r\nAuthorization: Bearer ${page}\r\n\r\n`);
    expect(statusOf(answer)).toBe(400);
  });

  test.each([
    ['an absolute target', (host: string) => `http://${host}/health`],
    ['an absolute foreign target', () => 'http://evil.example/health'],
    ['a target without a scheme', (host: string) => `//${host}/health`],
    ['an asterisk', () => '*'],
  ])('%s', async (_title, target) => {
    const answer = await hub.raw(rawRequest('GET', target(hub.host), [`Host: ${hub.host}`]));
    expect(statusOf(answer)).toBe(400);
  });

  test('the three names of this computer with the right port are answered', async () => {
    for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
      expect(
        statusOf(await hub.raw(rawRequest('GET', '/health', [`Host: ${name}:${hub.port}`]))),
        name,
      ).toBe(200);
    }
  });
});

describe('HT-03: pages of other origins are refused, and no header invites them', () => {
  const strangers: readonly (readonly [string, readonly string[]])[] = [
    ['another site', ['Origin: https://evil.example']],
    ['no origin of its own', ['Origin: null']],
    ['another port of this computer', ['Origin: http://localhost:3000']],
    ['the right host over https', ['Origin: https://HOST']],
    ['a browser extension', ['Origin: chrome-extension://abcdefghijklmnop']],
    ['an empty origin', ['Origin:']],
    ['two origins', ['Origin: http://HOST', 'Origin: http://HOST']],
    ['a cross-site fetch', ['Sec-Fetch-Site: cross-site']],
    ['a fetch from another port', ['Sec-Fetch-Site: same-site']],
    ['an unknown fetch site', ['Sec-Fetch-Site: whatever']],
  ];

  test.each(strangers)('%s', async (_title, headers) => {
    for (const [method, path] of ROUTES) {
      const lines = headers.map((line) => line.replace('HOST', hub.host));
      const answer = await hub.raw(
        rawRequest(method, path, [`Host: ${hub.host}`, ...lines, ...goodHeaders(method)], '{}'),
      );
      expect(statusOf(answer), `${method} ${path}`).toBe(403);
      expectSecurityHeaders(answer);
    }
  });

  test('an OPTIONS request, on every path', async () => {
    for (const [, path] of ROUTES) {
      const asked = [
        'Origin: http://HOST'.replace('HOST', hub.host),
        'Access-Control-Request-Method: POST',
        'Access-Control-Request-Private-Network: true',
      ];
      const answer = await hub.raw(rawRequest('OPTIONS', path, [`Host: ${hub.host}`, ...asked]));
      expect(statusOf(answer), path).toBe(403);
      expectSecurityHeaders(answer);
    }
  });

  test('a page opened from the address bar is served, and nothing else is with "none"', async () => {
    const none = { 'sec-fetch-site': 'none' };
    expect((await hub.ask('/', { headers: none })).status).toBe(200);
    expect((await hub.ask('/health', { headers: none })).status).toBe(403);
    expect((await hub.ask('/v1/status', { token: page, headers: none })).status).toBe(403);
  });

  const navigation = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  };

  test('a whole window that another page, or a file, leads here gets the page, which nobody may frame or reach into', async () => {
    const answer = await hub.raw(
      rawRequest('GET', '/', [
        `Host: ${hub.host}`,
        ...Object.entries(navigation).map(([name, value]) => `${name}: ${value}`),
      ]),
    );
    expect(statusOf(answer)).toBe(200);
    expectSecurityHeaders(answer);
  });

  test.each<[string, string, string, Readonly<Record<string, string>>]>([
    ['a path of the API', 'GET', '/v1/status', navigation],
    ['a page with a query', 'GET', '/?c=1', navigation],
    ['a file of the pages', 'GET', '/licences.txt', navigation],
    ['a form that is sent', 'POST', '/', navigation],
    ['a look at the headers alone', 'HEAD', '/', navigation],
    ['a frame', 'GET', '/', { ...navigation, 'sec-fetch-dest': 'iframe' }],
    ['an object', 'GET', '/', { ...navigation, 'sec-fetch-dest': 'object' }],
    [
      'a fetch',
      'GET',
      '/',
      { ...navigation, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' },
    ],
    [
      'a fetch that calls itself a document',
      'GET',
      '/',
      { ...navigation, 'sec-fetch-mode': 'cors' },
    ],
    ['a site alone', 'GET', '/', { 'sec-fetch-site': 'cross-site' }],
    ['another port of this computer', 'GET', '/', { ...navigation, 'sec-fetch-site': 'same-site' }],
    ['an origin', 'GET', '/', { ...navigation, origin: 'null' }],
  ])(
    'of what another page leads here nothing else is let through: %s',
    async (_title, method, path, given) => {
      const headers = Object.entries(given).map(([name, value]) => `${name}: ${value}`);
      const answer = await hub.raw(
        rawRequest(method, path, [`Host: ${hub.host}`, ...headers, ...goodHeaders(method)], '{}'),
      );
      expect(statusOf(answer)).toBe(403);
    },
  );

  test('a mode or destination that is said twice is none', async () => {
    for (const twice of ['sec-fetch-mode: navigate', 'sec-fetch-dest: document']) {
      const headers = Object.entries(navigation).map(([name, value]) => `${name}: ${value}`);
      expect(
        statusOf(await hub.raw(rawRequest('GET', '/', [`Host: ${hub.host}`, ...headers, twice]))),
      ).toBe(403);
    }
  });

  test("the hub's own page may ask", async () => {
    const headers = { origin: `http://${hub.host}`, 'sec-fetch-site': 'same-origin' };
    expect(
      (
        await hub.ask('/v1/settings', {
          method: 'PATCH',
          token: page,
          body: { theme: 'dark' },
          headers,
        })
      ).status,
    ).toBe(200);
  });

  test('other methods are no way around', async () => {
    for (const method of ['TRACE', 'PROPFIND', 'M-SEARCH']) {
      expect(
        statusOf(
          await hub.raw(
            rawRequest(method, '/v1/status', [`Host: ${hub.host}`, ...goodHeaders('GET')]),
          ),
        ),
        method,
      ).toBe(403);
    }
    const overridden = await hub.ask('/v1/agents/bot', {
      token: page,
      headers: { 'x-http-method-override': 'DELETE' },
    });
    expect(overridden.status).toBe(200);
    expect((await hub.ask('/v1/agents/bot', { token: page })).status).toBe(200);
  });
});

describe('HT-04: only plain JSON is taken, and what is refused has no effect', () => {
  const body = JSON.stringify({ name: 'intruder' });
  const types: readonly (readonly [string, readonly string[]])[] = [
    ['text', ['Content-Type: text/plain']],
    ['a form', ['Content-Type: application/x-www-form-urlencoded']],
    ['a multipart form', ['Content-Type: multipart/form-data; boundary=x']],
    ['what sendBeacon sends', ['Content-Type: text/plain;charset=UTF-8']],
    ['JSON in another alphabet', ['Content-Type: application/json; charset=utf-16']],
    ['JSON with something beside it', ['Content-Type: application/json, text/plain']],
    ['two content types', ['Content-Type: application/json', 'Content-Type: text/plain']],
    ['a cousin of JSON', ['Content-Type: application/jsonp']],
    ['no content type', []],
    ['a packed body', ['Content-Type: application/json', 'Content-Encoding: gzip']],
    ['a body said to be packed', ['Content-Type: application/json', 'Content-Encoding: identity']],
  ];

  test.each(types)('%s', async (_title, headers) => {
    const before = hub.node.services.work.registrations.pending().length;
    for (const [method, path] of ROUTES.filter(
      ([name]) => name === 'POST' || name === 'PUT' || name === 'PATCH',
    )) {
      const lines = [
        `Host: ${hub.host}`,
        `Authorization: Bearer ${page}`,
        `Content-Length: ${body.length}`,
        ...headers,
      ];
      expect(
        statusOf(await hub.raw(rawRequest(method, path, lines, body))),
        `${method} ${path}`,
      ).toBe(415);
    }
    expect(hub.node.services.work.registrations.pending()).toHaveLength(before);
  });

  test.each([
    ['two documents', '{}{}'],
    ['a key twice', '{"name":"a","name":"b"}'],
    ['a prototype', '{"__proto__":{"name":"a"}}'],
    ['a list', '[]'],
    ['a word', '"name"'],
    ['half a pair', '{"name":"\\ud800"}'],
    ['a thousand levels', `{"a":${'['.repeat(1000)}${']'.repeat(1000)}}`],
    ['not JSON', '{name:1}'],
    ['no UTF-8', '{"name":"\xff"}'],
  ])('JSON of the strict kind only: %s', async (_title, text) => {
    const lines = [
      `Host: ${hub.host}`,
      'Content-Type: application/json',
      `Content-Length: ${text.length}`,
    ];
    const answer = await hub.raw(rawRequest('POST', '/v1/agents', lines, text));
    expect(statusOf(answer)).toBe(400);
    expect(answer).toContain('"bad_request"');
  });

  test('a body with a reading request is refused', async () => {
    const lines = [
      `Host: ${hub.host}`,
      `Authorization: Bearer ${page}`,
      'Content-Type: application/json',
      'Content-Length: 2',
    ];
    expect(statusOf(await hub.raw(rawRequest('GET', '/v1/status', lines, '{}')))).toBe(400);
  });
});

describe('the built pages', () => {
  test('are served from a map: nothing outside it is reachable', async () => {
    expect(await hub.ask('/')).toMatchObject({
      status: 200,
      text: expect.stringContaining('<title>hub</title>'),
    });
    expect((await hub.ask('/assets/index.js')).headers['content-type']).toContain(
      'text/javascript',
    );
    const traps = [
      '/../home.test.ts',
      '/assets/../../hub.db',
      '/%2e%2e/hub.db',
      '/assets/%2e%2e%5c..%5chub.db',
      '/assets//index.js',
      '/secret.pem',
      '/assets/',
    ];
    for (const path of traps) {
      const answer = await hub.raw(rawRequest('GET', path, [`Host: ${hub.host}`]));
      expect(statusOf(answer), path).toBe(401);
      expect(
        statusOf(
          await hub.raw(
            rawRequest('GET', path, [`Host: ${hub.host}`, `Authorization: Bearer ${page}`]),
          ),
        ),
        path,
      ).toBe(404);
    }
  });

  test('and every answer carry the security headers, errors included', async () => {
    const asked: readonly Promise<HttpAnswer>[] = [
      hub.ask('/'),
      hub.ask('/health'),
      hub.ask('/v1/status'),
      hub.ask('/v1/status', { token: agent }),
      hub.ask('/v1/settings', { token: agent }),
      hub.ask('/v1/nothing', { token: agent }),
      hub.ask('/v1/agents', { method: 'POST', body: { name: 'NOT A NAME' } }),
    ];
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 200, 403, 404, 400]);
    for (const { headers } of answers) {
      expectSecurityHeaders(
        Object.entries(headers)
          .map(([name, value]) => `\r\n${name}: ${String(value)}`)
          .join(''),
      );
    }
  });
});
