// The conformance suite of MCP, as it is, against /mcp of a whole hub. Each of its scenarios
// passes, or stands in a table with why it says nothing of this server and what it complains of.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runChecker } from '../support/real-clients.ts';
import { hasRealPart } from '../support/real-parts.ts';
import { endPrograms } from '../support/programs.ts';
import { TestHub } from '../support/test-hub.ts';

const PASSES = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'];

const NO_SUCH_TOOL = /^Failed: MCP error -32602: Tool test_\w+ not found$/;
const NO_SUCH_METHOD = /^Failed: MCP error -32601: Method not found$/;
const OWN_TOOL = ['calls a tool that only the test server of the suite has', NO_SUCH_TOOL] as const;
const LOG = ['the server sends no log', NO_SUCH_METHOD] as const;
const RESOURCES = ['the server has no resources', NO_SUCH_METHOD] as const;
const PROMPTS = ['the server has no prompts', NO_SUCH_METHOD] as const;
const SESSIONS = [
  'the server has no sessions: each request stands for itself, and no stream is taken up again',
  /^Server did not (?:provide session ID|send (?:priming event|retry field))/,
] as const;

/** Why a scenario says nothing of this server, and all that it complains of. */
const NOT_FOR_US: Readonly<Record<string, readonly [why: string, complains: RegExp]>> = {
  'tools-call-simple-text': OWN_TOOL,
  'tools-call-image': OWN_TOOL,
  'tools-call-audio': OWN_TOOL,
  'tools-call-embedded-resource': OWN_TOOL,
  'tools-call-mixed-content': OWN_TOOL,
  'tools-call-error': OWN_TOOL,
  'tools-call-with-progress': OWN_TOOL,
  'tools-call-sampling': OWN_TOOL,
  'tools-call-elicitation': OWN_TOOL,
  'elicitation-sep1034-defaults': OWN_TOOL,
  'elicitation-sep1330-enums': OWN_TOOL,
  'json-schema-2020-12': [
    'looks at a tool that only the test server of the suite has',
    /^Tool 'json_schema_2020_12_tool' not found/,
  ],
  'server-sse-polling': SESSIONS,
  'server-sse-multiple-streams': SESSIONS,
  'logging-set-level': LOG,
  'tools-call-with-logging': LOG,
  'completion-complete': ['the server completes no arguments', NO_SUCH_METHOD],
  'resources-list': RESOURCES,
  'resources-read-text': RESOURCES,
  'resources-read-binary': RESOURCES,
  'resources-templates-read': RESOURCES,
  'resources-subscribe': RESOURCES,
  'resources-unsubscribe': RESOURCES,
  'prompts-list': PROMPTS,
  'prompts-get-simple': PROMPTS,
  'prompts-get-with-args': PROMPTS,
  'prompts-get-embedded-resource': PROMPTS,
  'prompts-get-with-image': PROMPTS,
};

interface Check {
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
  readonly details?: { readonly message?: string };
}

/** What each scenario found, by its name. */
function foundIn(folder: string): ReadonlyMap<string, readonly Check[]> {
  const found = readdirSync(folder).map((name) => {
    const [, scenario = name] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name) ?? [];
    const checks = readFileSync(join(folder, name, 'checks.json'), 'utf8');
    return [scenario, JSON.parse(checks) as readonly Check[]] as const;
  });
  return new Map(found);
}

/** It must have looked at something: a scenario that only remarks has not passed. */
function hasPassed(checks: readonly Check[]): boolean {
  const said = checks.filter(({ status }) => status !== 'INFO');
  return said.length > 0 && said.every(({ status }) => status === 'SUCCESS');
}

/**
 * The suite can send no token: this adds one. It calls itself by its own address, which becomes
 * that of the hub; any other Host or Origin goes on as it came, and is the hub's to refuse.
 */
function forwarder(hub: TestHub, token: string): Server {
  const server = createServer((incoming, outgoing) => {
    const own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [
        name,
        ['host', 'origin'].includes(name) ? String(value).replace(own, hub.host) : value,
      ]),
    );
    const onward = request(
      {
        host: '127.0.0.1',
        port: hub.port,
        method: incoming.method,
        path: incoming.url,
        headers: { ...headers, authorization: `Bearer ${token}` },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  return server;
}

describe.skipIf(!hasRealPart('clients'))('the conformance suite of MCP', () => {
  let hub: TestHub;
  let server: Server;
  let folder: string;
  beforeAll(async () => {
    hub = await TestHub.start();
    folder = mkdtempSync(join(tmpdir(), 'axon-conformance-'));
    server = forwarder(hub, await hub.agent('conformance'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }, 60_000);
  afterAll(async () => {
    await endPrograms();
    server.close();
    server.closeAllConnections();
    await hub.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('passes in all that is for this server, and complains of the rest as the table says', async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const results = join(folder, 'results');
    const words = ['server', '--url', url, '--suite', 'all', '--output-dir', results];
    const { out, error } = await runChecker('conformance', folder, words);
    expect(error).toBe('');
    const found = foundIn(results);
    expect([...found.keys()].toSorted(), out).toEqual(
      [...PASSES, ...Object.keys(NOT_FOR_US)].toSorted(),
    );
    const passed = [...found].filter(([, checks]) => hasPassed(checks)).map(([name]) => name);
    expect(passed.toSorted(), out).toEqual(PASSES.toSorted());
    for (const [name, [why, complains]] of Object.entries(NOT_FOR_US)) {
      const said = (found.get(name) ?? []).filter(({ status }) =>
        ['FAILURE', 'WARNING'].includes(status),
      );
      expect(said.length, name).toBeGreaterThan(0);
      for (const { errorMessage, details } of said)
        expect(errorMessage ?? details?.message, `${name}: ${why}`).toMatch(complains);
    }
  }, 60_000);
});
