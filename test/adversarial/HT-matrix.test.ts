// Who may do what at which door: every operation of the table, by every kind of caller, over HTTP, by
// MCP, by A2A and from the window, on a real hub. What is expected comes from the table alone.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { METHODS, type Method } from '../../main/api/a2a/bindings.ts';
import { TOOLS } from '../../main/mcp/tools.ts';
import { AGENT_SCOPES, OPERATIONS } from '../../preload/contract/operations.ts';
import type { Access, OperationName } from '../../preload/contract/operations.ts';
import { WINDOW_OPERATIONS } from '../../preload/contract/window-operations.ts';
import { TOOL_ARGUMENTS, callTool } from '../support/mcp-calls.ts';
import { TestHub } from '../support/test-hub.ts';

const NAMES = Object.keys(OPERATIONS) as OperationName[];
const OWNER_ONLY = NAMES.filter((name) => OPERATIONS[name].access === 'owner');
/** Refusals of a missing token that come at once; more are slowed down and then cut off. */
const NOBODY_AT_ONCE = 40;

const NO_TASK = '00000000-0000-4000-8000-000000000000';
const REST_CALLS: Readonly<Record<Method, readonly [http: string, below: string]>> = {
  SendMessage: ['POST', '/message:send'],
  SendStreamingMessage: ['POST', '/message:stream'],
  GetTask: ['GET', `/tasks/${NO_TASK}`],
  ListTasks: ['GET', '/tasks'],
  CancelTask: ['POST', `/tasks/${NO_TASK}:cancel`],
  SubscribeToTask: ['POST', `/tasks/${NO_TASK}:subscribe`],
};
const sendParams = (messageId: string): object => ({
  message: { messageId, role: 'ROLE_USER', parts: [{ text: 'Open the door' }] },
});

interface Who {
  readonly kind: 'nobody' | 'agent' | 'person';
  readonly scopes: readonly string[];
  readonly token: string | undefined;
}

let hub: TestHub;
const callers = new Map<string, Who>();

beforeAll(async () => {
  hub = await TestHub.start();
  const all = await hub.agent('bot');
  const { tokens } = hub.node.services;
  callers.set('nobody', { kind: 'nobody', scopes: [], token: undefined });
  callers.set('an agent with all', { kind: 'agent', scopes: AGENT_SCOPES, token: all });
  for (const scopes of [[], ...AGENT_SCOPES.map((scope) => [scope])]) {
    const { token } = await tokens.issueForAgent('bot', scopes);
    callers.set(`an agent with "${scopes.join()}"`, { kind: 'agent', scopes, token });
  }
  callers.set('a page', { kind: 'person', scopes: [], token: await hub.page() });
  const { token } = await tokens.issueForOwner('test');
  callers.set('a terminal', { kind: 'person', scopes: [], token });
}, 60_000);
afterAll(() => hub.stop());

/** As the table says it. */
function may({ kind, scopes }: Who, access: Access): boolean {
  if (access === 'none' || kind === 'person') return true;
  return kind === 'agent' && (access === 'any' || scopes.includes(access));
}

/** Whether the hub refuses this caller for who it is, and not for what it sent. */
async function isRefused(name: OperationName, { token }: Who): Promise<boolean> {
  const { method, path } = OPERATIONS[name];
  // An agent may change itself and no other, whatever its scopes.
  const asked = path.replaceAll(/:[a-z]+/g, name === 'agents.update' ? 'bot' : 'no-such-thing');
  const { status, text } = await hub.ask(asked, {
    method,
    ...(token === undefined ? {} : { token }),
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: { not: 'what it takes' } }),
  });
  const { code } = text.startsWith('{') ? (JSON.parse(text) as { code?: string }) : {};
  if (token === undefined) return status === 401 && text.includes('This needs a token');
  expect(status, `${name}: a token that works`).not.toBe(401);
  return status === 403 && code === 'forbidden';
}

describe('HT-07: every route asks for what the table says', () => {
  test('of every kind of caller', { timeout: 120_000 }, async () => {
    const wrong: string[] = [];
    const look = async (who: string, name: OperationName): Promise<void> => {
      const caller = callers.get(who);
      if (caller === undefined) throw new Error(who);
      const refused = await isRefused(name, caller);
      if (refused === may(caller, OPERATIONS[name].access))
        wrong.push(`${name} for ${who}: ${refused ? 'refused' : 'allowed'}`);
    };
    expect(callers.size).toBe(AGENT_SCOPES.length + 5);
    for (const name of NAMES) {
      const known = [...callers.keys()].filter((who) => who !== 'nobody');
      await Promise.all(known.map((who) => look(who, name)));
    }
    for (let from = 0; from < NAMES.length; from += NOBODY_AT_ONCE) {
      const some = NAMES.slice(from, from + NOBODY_AT_ONCE);
      await Promise.all(some.map((name) => look('nobody', name)));
    }
    expect(wrong).toEqual([]);
  });

  test('and a scope that a request gives itself is refused', async () => {
    const token = await hub.agent('modest');
    const body = { scopes: ['owner', 'decide'], kind: 'ui', risk_class: 'R0' };
    for (const [path, method, named] of [
      ['/v1/agents', 'POST', { name: 'modest-too' }],
      ['/v1/agents/modest', 'PATCH', {}],
    ] as const)
      for (const given of Object.entries(body)) {
        const asked = { ...named, ...Object.fromEntries([given]) };
        const answer = await hub.ask(path, { method, token, body: asked });
        expect(JSON.parse(answer.text)).toMatchObject({
          status: 400,
          detail: `${given[0]}: nothing of this name is taken here.`,
        });
      }
    expect(JSON.parse((await hub.ask('/v1/whoami', { token })).text).token.scopes).toEqual([
      ...AGENT_SCOPES,
    ]);
    expect(JSON.parse((await hub.ask('/v1/agents/modest', { token })).text).risk_class).toBe('R2');
    expect((await hub.ask('/v1/approvals', { token })).status).toBe(403);
  });

  test.each([
    ['a field of the query that is none', 'GET', '/v1/tasks?stat=open', undefined, 'stat: nothing'],
    ['half a number in the query', 'GET', '/v1/tasks?limit=5x', undefined, 'limit: '],
    ['a query where the body is read', 'POST', '/v1/inbox/claim?max=1', {}, 'in the query'],
    ['a field of a stream that is none', 'GET', '/v1/inbox/stream?form=7', undefined, 'form: '],
  ])('%s is refused', async (_, method, path, body, words) => {
    const token = await hub.agent(`reader-${words.length}`);
    const answer = await hub.ask(path, { method, token, body });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).detail).toContain(words);
  });
});

describe('HT-07: every tool of MCP asks for what its operation does', () => {
  test(
    'of an agent with every single scope, with all and with none',
    { timeout: 60_000 },
    async () => {
      await hub.agent('doer');
      const wrong: string[] = [];
      for (const [who, caller] of callers) {
        if (caller.kind !== 'agent' || caller.token === undefined) continue;
        for (const [tool, given] of Object.entries(TOOL_ARGUMENTS)) {
          const { operation } = TOOLS[tool as keyof typeof TOOLS];
          const said = JSON.stringify(await callTool(hub, caller.token, tool, given));
          expect(said).not.toMatch(/Input validation error|unauthenticated/);
          if (said.includes('(forbidden)') === may(caller, OPERATIONS[operation].access))
            wrong.push(`${tool} for ${who}: ${said}`);
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  test('and none of them is for people: no agent can decide by a tool', () => {
    const behind = Object.values(TOOLS).map(({ operation }): OperationName => operation);
    expect(behind.filter((name) => OWNER_ONLY.includes(name))).toEqual([]);
    expect(OWNER_ONLY).toEqual(
      expect.arrayContaining(['approvals.decide', 'rules.create', 'peers.add', 'agents.confirm']),
    );
  });
});

/** What each method of A2A takes. */
const A2A_PARAMS: Readonly<Record<Method, object>> = {
  SendMessage: sendParams('one'),
  SendStreamingMessage: sendParams('two'),
  GetTask: { id: NO_TASK },
  ListTasks: {},
  CancelTask: { id: NO_TASK },
  SubscribeToTask: { id: NO_TASK },
};

describe('HT-07: every method of A2A asks for what its operations do', () => {
  test(
    'of an agent with every single scope, with all and with none, over JSON-RPC and REST',
    { timeout: 60_000 },
    async () => {
      const names = Object.keys(METHODS) as Method[];
      const wrong: string[] = [];
      const note = (who: string, method: Method, isRefused: boolean, isAllowed: boolean): void => {
        if (isRefused === isAllowed) wrong.push(`${method} for ${who}`);
      };
      for (const [who, caller] of callers) {
        if (caller.kind !== 'agent' || caller.token === undefined) continue;
        const { token } = caller;
        for (const method of names) {
          const isAllowed = METHODS[method].every((name) => may(caller, OPERATIONS[name].access));
          const params = A2A_PARAMS[method];
          const rpc = await hub.ask('/a2a/agents/none', {
            method: 'POST',
            token,
            body: { jsonrpc: '2.0', id: 1, method, params },
          });
          note(`${who} over JSON-RPC`, method, rpc.text.includes('FORBIDDEN'), isAllowed);
          const [http, below] = REST_CALLS[method];
          const rest = await hub.ask(`/a2a/agents/none${below}`, {
            method: http,
            token,
            ...(http === 'POST' ? { body: params } : {}),
          });
          note(`${who} over REST`, method, rest.status === 403, isAllowed);
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  test('and none of them is for people: no agent can decide by A2A', async () => {
    const behind = Object.values(METHODS).flat() as OperationName[];
    expect(behind.filter((name) => OWNER_ONLY.includes(name))).toEqual([]);
    const people = [...callers.values()].filter(({ kind }) => kind === 'person');
    for (const { token = '' } of people)
      expect((await hub.ask('/a2a', { token })).status).toBe(403);
  });
});

describe('HT-07: the window is a person', () => {
  test('who may call what pages are written to call, and nothing else', async () => {
    for (const name of NAMES) {
      const outcome = await hub.node.invoke(name, { not: 'what it takes' });
      const code = outcome.ok ? 'ok' : outcome.problem.code;
      const isListed = WINDOW_OPERATIONS.some((listed) => listed === name);
      expect(['forbidden', 'unauthenticated'], name).not.toContain(code);
      const isUnknown = !outcome.ok && outcome.problem.detail.includes('has no such operation');
      expect(isUnknown, name).toBe(!isListed);
    }
  });
});
